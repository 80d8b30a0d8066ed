/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-port-recorder.h"

#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-compat.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RocePortRecorder");

RocePortRecorder::RocePortRecorder(const std::string& path)
    : m_file(path,
             {"node",
              "node_type",
              "port",
              "peer",
              "rate_bps",
              "class",
              "tx_frames",
              "tx_bytes",
              "tx_load",
              "rx_frames",
              "rx_bytes",
              "xoff_sent",
              "xon_sent",
              "xoff_received",
              "xon_received",
              "paused_s",
              "held_s",
              "max_queue_bytes",
              "max_ingress_bytes",
              "ecn_marked",
              "drops"})
{
    NS_LOG_FUNCTION(this << path);
}

void
RocePortRecorder::AddPort(Ptr<RoceNetDevice> device,
                          uint32_t node,
                          uint32_t port,
                          uint32_t peer,
                          Ptr<RoceSwitch> owner)
{
    NS_LOG_FUNCTION(this << device << node << port << peer << owner);
    Port entry;
    entry.device = device;
    entry.node = node;
    entry.port = port;
    entry.peer = peer;
    entry.owner = owner;
    if (owner)
    {
        SwitchDrops* drops = GetDrops(owner);
        drops->count.resize(std::max<std::size_t>(drops->count.size(), port + 1));
        entry.drops = drops;
    }
    m_ports.push_back(entry);
}

RocePortRecorder::SwitchDrops*
RocePortRecorder::GetDrops(Ptr<RoceSwitch> owner)
{
    // The ports of a switch usually come one after the other.
    for (auto drops = m_drops.rbegin(); drops != m_drops.rend(); ++drops)
    {
        if (drops->owner == owner)
        {
            return &*drops;
        }
    }
    m_drops.emplace_back();
    SwitchDrops* drops = &m_drops.back();
    drops->owner = owner;
    owner->TraceConnectWithoutContext(
        "Drop",
        MakeRoceCallback<uint16_t, uint8_t, uint32_t, uint8_t, Time>(
            [drops](uint16_t inPort, uint8_t trafficClass, uint32_t, uint8_t, Time) {
                if (inPort < drops->count.size())
                {
                    drops->count[inPort].at(trafficClass)++;
                }
            }));
    return drops;
}

RocePortRecorder::Totals
RocePortRecorder::Write(RocePs start, RocePs end)
{
    NS_LOG_FUNCTION(this << start << end);
    Totals totals;
    for (const Port& port : m_ports)
    {
        WritePort(port, end - start, totals);
        totals.linkDrops += port.device->GetRxDrops();
    }
    m_file.Flush();
    return totals;
}

void
RocePortRecorder::WritePort(const Port& port, RocePs duration, Totals& totals)
{
    const auto pfc = DynamicCast<PfcFlowControl>(port.device->GetFlowControl());
    const uint64_t rate = port.device->GetBitRate();
    constexpr uint32_t EXTRA = RoceFrame::PREAMBLE_BYTES + RoceFrame::GAP_BYTES;
    for (uint8_t trafficClass = 0; trafficClass < RoceNetDevice::N_CLASSES; trafficClass++)
    {
        const RoceNetDevice::Counters& tx = port.device->GetTxCounters(trafficClass);
        const RoceNetDevice::Counters& rx = port.device->GetRxCounters(trafficClass);
        PfcFlowControl::Counters pauses;
        if (pfc)
        {
            pauses = pfc->GetCounters(trafficClass);
        }
        uint64_t queue = 0;
        uint64_t ingress = 0;
        uint64_t marked = 0;
        if (port.owner)
        {
            const auto number = static_cast<uint16_t>(port.port);
            queue = port.owner->GetMaxQueueBytes(number, trafficClass);
            ingress = port.owner->GetBuffer()->GetPeakIngressBytes(number, trafficClass);
            marked = port.owner->GetMarked(number, trafficClass);
        }
        totals.packetHops += rx.frames;
        totals.xoffSent += pauses.xoffSent;
        totals.pausedTime += pauses.pausedTime;
        totals.ecnMarked += marked;
        totals.maxQueueBytes = std::max(totals.maxQueueBytes, queue);
        const uint64_t drops = port.drops ? port.drops->count[port.port][trafficClass] : 0;
        const uint64_t used = tx.frames + rx.frames + pauses.xoffSent + pauses.xoffReceived + drops;
        if (used == 0)
        {
            continue;
        }
        const double wireBits = 8.0 * static_cast<double>(tx.bytes + EXTRA * tx.frames);
        const double room = static_cast<double>(rate) * static_cast<double>(duration) /
                            static_cast<double>(RoceClock::SECOND);
        m_file.AddInteger(port.node);
        m_file.AddText(port.owner ? "switch" : "host");
        m_file.AddInteger(port.port);
        m_file.AddInteger(port.peer);
        m_file.AddInteger(rate);
        m_file.AddInteger(trafficClass);
        m_file.AddInteger(tx.frames);
        m_file.AddInteger(tx.bytes);
        m_file.AddDecimal(duration > 0 ? wireBits / room : 0);
        m_file.AddInteger(rx.frames);
        m_file.AddInteger(rx.bytes);
        m_file.AddInteger(pauses.xoffSent);
        m_file.AddInteger(pauses.xonSent);
        m_file.AddInteger(pauses.xoffReceived);
        m_file.AddInteger(pauses.xonReceived);
        m_file.AddSeconds(pauses.pausedTime);
        m_file.AddSeconds(pauses.holdTime);
        m_file.AddInteger(queue);
        m_file.AddInteger(ingress);
        m_file.AddInteger(marked);
        m_file.AddInteger(drops);
        m_file.EndRow();
    }
}

} // namespace ns3
