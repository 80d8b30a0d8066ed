/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-flow-recorder.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceFlowRecorder");

RoceFlowRecorder::RoceFlowRecorder(const std::string& path)
    : m_file(path,
             {"id",
              "src",
              "dst",
              "class",
              "bytes",
              "start_s",
              "end_s",
              "fct_s",
              "ideal_fct_s",
              "slowdown",
              "packets",
              "retransmitted_packets",
              "congestion_signals",
              "status"})
{
    NS_LOG_FUNCTION(this << path);
}

double
RoceFlowRecorder::GetSlowdown(const RoceFlow& flow, const Outcome& outcome)
{
    return static_cast<double>(outcome.end - flow.start) / static_cast<double>(outcome.idealFct);
}

void
RoceFlowRecorder::Record(const RoceFlow& flow, const Outcome& outcome)
{
    NS_LOG_FUNCTION(this << flow.id << outcome.status);
    m_file.AddInteger(flow.id);
    m_file.AddInteger(flow.source);
    m_file.AddInteger(flow.destination);
    m_file.AddInteger(flow.trafficClass);
    m_file.AddInteger(flow.bytes);
    m_file.AddSeconds(flow.start);
    m_file.AddSeconds(outcome.end);
    m_file.AddSeconds(outcome.end - flow.start);
    m_file.AddSeconds(outcome.idealFct);
    m_file.AddDecimal(GetSlowdown(flow, outcome));
    m_file.AddInteger(outcome.packets);
    m_file.AddInteger(outcome.retransmittedPackets);
    m_file.AddInteger(outcome.congestionSignals);
    m_file.AddText(outcome.status);
    m_file.EndRow();
    m_file.Flush();
}

} // namespace ns3
