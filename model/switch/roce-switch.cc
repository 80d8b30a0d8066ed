/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-switch.h"

#include "roce-ecmp.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-net-device.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceSwitch");
NS_OBJECT_ENSURE_REGISTERED(RoceSwitch);

TypeId
RoceSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceSwitch")
            .SetParent<Object>()
            .SetGroupName("Roce")
            .AddConstructor<RoceSwitch>()
            .AddAttribute("Buffer",
                          "The packet buffer.",
                          PointerValue(),
                          MakePointerAccessor(&RoceSwitch::SetBuffer, &RoceSwitch::GetBuffer),
                          MakePointerChecker<RoceSharedBuffer>())
            .AddAttribute(
                "LoadBalancer",
                "Chooses among the ports of a route.",
                PointerValue(),
                MakePointerAccessor(&RoceSwitch::SetLoadBalancer, &RoceSwitch::GetLoadBalancer),
                MakePointerChecker<RoceLoadBalancer>())
            .AddAttribute("QosMap",
                          "Map from packet marking to traffic class.",
                          PointerValue(),
                          MakePointerAccessor(&RoceSwitch::SetQosMap, &RoceSwitch::GetQosMap),
                          MakePointerChecker<RoceQosMap>())
            .AddAttribute("CheckBuffer",
                          "Check the identities of the buffer with every frame (slow).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RoceSwitch::m_checkBuffer),
                          MakeBooleanChecker())
            .AddTraceSource("QueueBytes",
                            "The length of an egress queue has changed.",
                            MakeTraceSourceAccessor(&RoceSwitch::m_queueTrace),
                            "ns3::RoceSwitch::QueueTracedCallback")
            .AddTraceSource("Drop",
                            "A frame was dropped.",
                            MakeTraceSourceAccessor(&RoceSwitch::m_dropTrace),
                            "ns3::RoceSwitch::DropTracedCallback");
    return tid;
}

RoceSwitch::RoceSwitch()
    : m_table(CreateObject<RoceForwardingTable>())
{
    NS_LOG_FUNCTION(this);
}

RoceSwitch::~RoceSwitch()
{
    NS_LOG_FUNCTION(this);
}

void
RoceSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_agenda.Clear();
    m_ports.clear();
    m_table = nullptr;
    m_buffer = nullptr;
    m_balancer = nullptr;
    m_map = nullptr;
    Object::DoDispose();
}

void
RoceSwitch::NotifyNewAggregate()
{
    if (auto node = GetObject<Node>())
    {
        SetSwitchId(node->GetId());
    }
    Object::NotifyNewAggregate();
}

// --- wiring ---

uint16_t
RoceSwitch::AddPort(Ptr<RoceNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_ports.size() > UINT16_MAX, "RoceSwitch: more than 65536 ports");
    if (!m_map)
    {
        m_map = CreateObject<RoceQosMap>();
    }
    if (!m_buffer)
    {
        m_buffer = CreateObject<RoceSharedBuffer>();
    }
    if (!m_balancer)
    {
        SetLoadBalancer(CreateObject<RoceEcmp>());
    }
    const auto number = static_cast<uint16_t>(m_ports.size());
    m_ports.emplace_back();
    Port& port = m_ports.back();
    port.device = device;
    port.fast = PeekPointer(device);
    port.queues.SetQosMap(*m_map);
    if (const RocePs period = m_balancer->GetSamplePeriod())
    {
        port.meter = std::make_unique<RoceLoadMeter>(period);
    }
    m_buffer->Configure(m_ports.size());
    device->SetOwner(this, this, &m_agenda, number);
    return number;
}

uint32_t
RoceSwitch::GetNPorts() const
{
    return static_cast<uint32_t>(m_ports.size());
}

void
RoceSwitch::CheckPort(uint16_t port) const
{
    NS_ABORT_MSG_IF(port >= m_ports.size(),
                    "RoceSwitch: port " << port << " does not exist, the switch has "
                                        << m_ports.size() << " ports");
}

Ptr<RoceNetDevice>
RoceSwitch::GetPort(uint16_t port) const
{
    CheckPort(port);
    return m_ports[port].device;
}

Ptr<RoceForwardingTable>
RoceSwitch::GetForwardingTable() const
{
    return m_table;
}

Ptr<RoceSharedBuffer>
RoceSwitch::GetBuffer() const
{
    return m_buffer;
}

void
RoceSwitch::SetBuffer(Ptr<RoceSharedBuffer> buffer)
{
    NS_LOG_FUNCTION(this << buffer);
    NS_ABORT_MSG_IF(!m_ports.empty(), "RoceSwitch: set the buffer before ports are added");
    m_buffer = buffer;
}

Ptr<RoceLoadBalancer>
RoceSwitch::GetLoadBalancer() const
{
    return m_balancer;
}

void
RoceSwitch::SetLoadBalancer(Ptr<RoceLoadBalancer> balancer)
{
    NS_LOG_FUNCTION(this << balancer);
    NS_ABORT_MSG_IF(!m_ports.empty() && m_balancer,
                    "RoceSwitch: set the load balancer before ports are added");
    m_balancer = balancer;
    if (m_balancer)
    {
        m_balancer->SetSwitchId(m_id);
    }
}

Ptr<RoceQosMap>
RoceSwitch::GetQosMap() const
{
    return m_map;
}

void
RoceSwitch::SetQosMap(Ptr<RoceQosMap> map)
{
    NS_LOG_FUNCTION(this << map);
    NS_ABORT_MSG_IF(!m_ports.empty(), "RoceSwitch: set the QoS map before ports are added");
    m_map = map;
}

void
RoceSwitch::SetMarker(uint16_t port, uint8_t trafficClass, Ptr<RoceEcnMarker> marker)
{
    NS_LOG_FUNCTION(this << port << +trafficClass << marker);
    CheckPort(port);
    m_ports[port].marker.at(trafficClass) = marker;
    if (marker)
    {
        marker->SetPort(m_ports[port].fast->GetBitRate(), m_buffer->GetCellBytes());
    }
}

Ptr<RoceEcnMarker>
RoceSwitch::GetMarker(uint16_t port, uint8_t trafficClass) const
{
    CheckPort(port);
    return m_ports[port].marker.at(trafficClass);
}

void
RoceSwitch::SetSwitchId(uint32_t id)
{
    NS_LOG_FUNCTION(this << id);
    m_id = id;
    m_agenda.SetContext(id);
    if (m_balancer)
    {
        m_balancer->SetSwitchId(id);
    }
}

int64_t
RoceSwitch::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    int64_t used = m_balancer ? m_balancer->AssignStreams(stream) : 0;
    for (auto& port : m_ports)
    {
        for (auto& marker : port.marker)
        {
            used += marker ? marker->AssignStreams(stream + used) : 0;
        }
    }
    return used;
}

// --- the pipeline ---

void
RoceSwitch::ReceiveFrame(uint16_t inPort, RoceFramePtr frame, RocePs now)
{
    m_agenda.RunUntil(now);
    frame->ingressPort = inPort;
    frame->trafficClass = m_map->Classify(*frame);
    const bool isRouted = frame->etherType == 0x0800 || frame->etherType == 0x86dd;
    if (isRouted)
    {
        if (frame->ttl <= 1)
        {
            Drop(std::move(frame), TTL_EXPIRED, now);
            return;
        }
        frame->ttl--;
        frame->flags |= RoceFrame::MODIFIED;
    }
    else if (frame->etherType != RoceFrameCodec::ETHERTYPE_ROCE_V1)
    {
        Drop(std::move(frame), NOT_IP, now);
        return;
    }
    const RocePortGroup* group = m_table->Lookup(*frame);
    if (!group || group->ports.empty())
    {
        Drop(std::move(frame), NO_ROUTE, now);
        return;
    }
    const uint16_t outPort = group->members.size() == 1
                                 ? group->ports.front()
                                 : m_balancer->Select(*group, *frame, now, *this);
    if (!isRouted && m_ports[outPort].fast->GetLinkPeer()->GetNode()->GetObject<RoceSwitch>())
    {
        Drop(std::move(frame), NO_ROUTE, now); // a RoCEv1 frame cannot leave its segment
        return;
    }
    const uint8_t c = frame->trafficClass;
    const RoceSharedBuffer::Verdict verdict =
        m_buffer->Admit(inPort, outPort, c, frame->frameBytes);
    if (verdict.sendXoff)
    {
        m_paused++;
        m_agenda.SetPunctual(RoceDepartureAgenda::OWNER, true);
        if (auto gate = m_ports[inPort].fast->GetFlowControl())
        {
            gate->Hold(c, now);
        }
    }
    if (!verdict.IsAdmitted())
    {
        const int reason = BUFFER_INGRESS + static_cast<int>(verdict.reason) - 1;
        Drop(std::move(frame), static_cast<DropReason>(reason), now);
        return;
    }
    Port& port = m_ports[outPort];
    Mark(port, *frame, RoceEcnMarker::ENQUEUE);
    port.queues.Push(std::move(frame));
    m_forwarded++;
    const uint64_t bytes = port.queues.GetBytes(c);
    port.maxBytes[c] = std::max(port.maxBytes[c], bytes);
    if (!m_queueTrace.IsEmpty())
    {
        m_queueTrace(outPort, c, bytes, RoceClock::ToTime(now));
    }
    if (m_checkBuffer)
    {
        m_buffer->Check();
    }
    port.fast->Poke(now);
}

RoceFramePtr
RoceSwitch::TakeNextFrame(uint16_t outPort, uint8_t openClasses, RocePs now)
{
    Port& port = m_ports[outPort];
    RoceFramePtr frame = port.queues.Pop(openClasses);
    if (!frame)
    {
        return nullptr;
    }
    Mark(port, *frame, RoceEcnMarker::DEQUEUE);
    if (port.meter)
    {
        port.meter->Add(frame->GetWireBytes(), now);
    }
    if (!m_queueTrace.IsEmpty())
    {
        const uint8_t c = frame->trafficClass;
        m_queueTrace(outPort, c, port.queues.GetBytes(c), RoceClock::ToTime(now));
    }
    ReleaseBuffer(outPort, *frame, now);
    return frame;
}

void
RoceSwitch::ReleaseBuffer(uint16_t outPort, const RoceFrame& frame, RocePs now)
{
    const uint8_t c = frame.trafficClass;
    if (m_buffer->Release(frame.ingressPort, outPort, c, frame.frameBytes))
    {
        m_paused--;
        m_agenda.SetPunctual(RoceDepartureAgenda::OWNER, m_paused > 0);
        if (auto gate = m_ports[frame.ingressPort].fast->GetFlowControl())
        {
            gate->Release(c, now);
        }
    }
}

void
RoceSwitch::Mark(Port& port, RoceFrame& frame, RoceEcnMarker::MarkAt when)
{
    const uint8_t c = frame.trafficClass;
    RoceEcnMarker* marker = PeekPointer(port.marker[c]);
    if (!marker || marker->GetMarkAt() != when)
    {
        return;
    }
    uint64_t others = port.queues.GetBytes(c);
    if (m_buffer->GetCellBytes() > 1)
    {
        // The frame is charged whenever it is judged, but is not in the queue.
        others = m_buffer->GetEgressBytes(port.fast->GetPortNumber(), c) -
                 m_buffer->GetMemory(frame.frameBytes);
    }
    if (marker->ShouldMark(frame.ecn, others))
    {
        frame.ecn = RoceEcn::CE;
        frame.flags |= RoceFrame::MODIFIED;
        port.marked[c]++;
    }
}

RocePs
RoceSwitch::GetNextTime(uint16_t port, uint8_t openClasses, RocePs now)
{
    return m_ports[port].queues.GetBacklog() & openClasses ? now : RoceClock::NEVER;
}

uint8_t
RoceSwitch::GetBacklog(uint16_t port) const
{
    return m_ports[port].queues.GetBacklog();
}

void
RoceSwitch::LinkChanged(uint16_t port, bool up, RocePs now)
{
    NS_LOG_FUNCTION(this << port << up << now);
    m_agenda.RunUntil(now);
    if (up)
    {
        m_table->RestorePort(port);
        // The pauses were forgotten with the link, but not what they were for.
        auto gate = m_ports[port].fast->GetFlowControl();
        for (uint8_t c = 0; gate && c < N_CLASSES; c++)
        {
            if (m_buffer->IsPaused(port, c))
            {
                gate->Hold(c, now);
            }
        }
        return;
    }
    m_table->WithdrawPort(port);
    RoceClassQueues& queues = m_ports[port].queues;
    for (uint8_t c = 0; c < N_CLASSES; c++)
    {
        while ((queues.GetBacklog() >> c) & 1)
        {
            RoceFramePtr frame = queues.PopClass(c);
            ReleaseBuffer(port, *frame, now);
            Drop(std::move(frame), LINK_DOWN, now);
        }
    }
}

void
RoceSwitch::Drop(RoceFramePtr frame, DropReason reason, RocePs now)
{
    const uint8_t c = frame->trafficClass;
    NS_LOG_LOGIC("drop a frame of class " << +c << ": " << GetReasonName(reason));
    m_drops[reason][m_map->IsLossless(c)]++;
    m_dropTrace(frame->ingressPort, c, frame->frameBytes, reason, RoceClock::ToTime(now));
}

// --- load balancer ---

uint64_t
RoceSwitch::GetQueuedBytes(uint16_t port) const
{
    return m_ports[port].queues.GetTotalBytes();
}

double
RoceSwitch::GetLoad(uint16_t port, RocePs now) const
{
    return m_ports[port].meter ? m_ports[port].meter->GetLoad(now) : 0;
}

uint64_t
RoceSwitch::GetRate(uint16_t port) const
{
    return m_ports[port].fast->GetBitRate();
}

// --- counters ---

void
RoceSwitch::Settle() const
{
    m_agenda.RunUntil(RoceClock::Now());
}

uint64_t
RoceSwitch::GetQueueBytes(uint16_t port, uint8_t trafficClass) const
{
    CheckPort(port);
    Settle();
    return m_ports[port].queues.GetBytes(trafficClass);
}

uint64_t
RoceSwitch::GetMaxQueueBytes(uint16_t port, uint8_t trafficClass) const
{
    CheckPort(port);
    return m_ports[port].maxBytes.at(trafficClass);
}

uint64_t
RoceSwitch::GetDrops(DropReason reason, bool lossless) const
{
    return m_drops.at(reason)[lossless];
}

uint64_t
RoceSwitch::GetTotalDrops(bool lossless) const
{
    uint64_t total = 0;
    for (const auto& drops : m_drops)
    {
        total += drops[lossless];
    }
    return total;
}

uint64_t
RoceSwitch::GetMarked(uint16_t port, uint8_t trafficClass) const
{
    CheckPort(port);
    Settle();
    return m_ports[port].marked.at(trafficClass);
}

uint64_t
RoceSwitch::GetTotalMarked() const
{
    Settle();
    uint64_t total = 0;
    for (const auto& port : m_ports)
    {
        for (const auto marked : port.marked)
        {
            total += marked;
        }
    }
    return total;
}

uint64_t
RoceSwitch::GetForwarded() const
{
    return m_forwarded;
}

std::string
RoceSwitch::GetReasonName(DropReason reason)
{
    switch (reason)
    {
    case NO_ROUTE:
        return "no route";
    case TTL_EXPIRED:
        return "TTL expired";
    case NOT_IP:
        return "not IP";
    case LINK_DOWN:
        return "link down";
    case BUFFER_INGRESS:
        return "ingress threshold";
    case BUFFER_HEADROOM:
        return "headroom exhausted";
    case BUFFER_EGRESS:
        return "egress threshold";
    case BUFFER_POOL:
        return "pool exhausted";
    case N_DROP_REASONS:
        break;
    }
    return "unknown";
}

} // namespace ns3
