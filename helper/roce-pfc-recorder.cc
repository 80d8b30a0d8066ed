/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-pfc-recorder.h"

#include "ns3/log.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-compat.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RocePfcRecorder");

RocePfcRecorder::RocePfcRecorder(const std::string& path)
    : m_file(path, {"time_s", "node", "port", "class", "event", "pause_s"})
{
    NS_LOG_FUNCTION(this << path);
}

void
RocePfcRecorder::Connect(Ptr<PfcFlowControl> flowControl, uint32_t node, uint32_t port)
{
    NS_LOG_FUNCTION(this << flowControl << node << port);
    // Both ends of a cable have the same rate, so what the peer asks for lasts as long as what this
    // port asks for, if both use the same quanta.
    const RocePs duration = flowControl->GetPauseDuration();
    flowControl->TraceConnectWithoutContext(
        "PauseTx",
        MakeRoceCallback<Time, uint8_t, bool>([this, node, port, duration](Time when,
                                                                           uint8_t trafficClass,
                                                                           bool pause) {
            Record(node, port, trafficClass, true, pause ? duration : 0, RoceClock::FromTime(when));
        }));
    flowControl->TraceConnectWithoutContext(
        "PauseRx",
        MakeRoceCallback<Time, uint8_t, bool>(
            [this, node, port, duration](Time when, uint8_t trafficClass, bool pause) {
                Record(node,
                       port,
                       trafficClass,
                       false,
                       pause ? duration : 0,
                       RoceClock::FromTime(when));
            }));
}

void
RocePfcRecorder::Record(uint32_t node,
                        uint32_t port,
                        uint8_t trafficClass,
                        bool sent,
                        RocePs pause,
                        RocePs when)
{
    m_xoffSent += sent && pause > 0 ? 1 : 0;
    m_file.AddSeconds(when);
    m_file.AddInteger(node);
    m_file.AddInteger(port);
    m_file.AddInteger(trafficClass);
    m_file.AddText(std::string(pause > 0 ? "xoff" : "xon") + (sent ? "_sent" : "_received"));
    m_file.AddSeconds(pause);
    m_file.EndRow();
}

uint64_t
RocePfcRecorder::GetXoffSent() const
{
    return m_xoffSent;
}

void
RocePfcRecorder::Flush()
{
    m_file.Flush();
}

} // namespace ns3
