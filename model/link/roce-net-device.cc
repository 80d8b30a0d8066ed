/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-net-device.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceNetDevice");
NS_OBJECT_ENSURE_REGISTERED(RoceNetDevice);

TypeId
RoceNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Roce")
            .AddConstructor<RoceNetDevice>()
            .AddAttribute("Mtu",
                          "The layer-3 MTU, bytes (default: a common jumbo MTU, which carries the "
                          "largest InfiniBand path MTU of 4096).",
                          UintegerValue(9000),
                          MakeUintegerAccessor(&RoceNetDevice::SetMtu, &RoceNetDevice::GetMtu),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("Address",
                          "The MAC address of this port.",
                          Mac48AddressValue(Mac48Address("ff:ff:ff:ff:ff:ff")),
                          MakeMac48AddressAccessor(&RoceNetDevice::m_address),
                          MakeMac48AddressChecker())
            .AddAttribute(
                "DataRate",
                "The line rate.",
                DataRateValue(DataRate("100Gb/s")),
                MakeDataRateAccessor(&RoceNetDevice::SetDataRate, &RoceNetDevice::GetDataRate),
                MakeDataRateChecker())
            .AddAttribute("CutThroughBytes",
                          "Frames are acted upon when this many bytes after the preamble have "
                          "arrived; 0 means store and forward. Use it on switch ports only, and "
                          "only where no port is faster than another.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceNetDevice::m_cutThroughBytes),
                          MakeUintegerChecker<uint32_t>(0, 9216))
            .AddAttribute("PipelineDelay",
                          "Latency of the receive pipeline, from the arrival of a frame until it "
                          "is acted upon (300 to 800 ns in Ethernet switches). PFC frames are "
                          "acted upon before it.",
                          TimeValue(Time()),
                          MakeTimeAccessor(&RoceNetDevice::SetPipelineDelay,
                                           &RoceNetDevice::GetPipelineDelay),
                          MakeTimeChecker(Time()))
            .AddAttribute("Punctual",
                          "Give each transmission an event of its own, as connected transmit trace "
                          "sources do. The results are the same; meant for tests.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RoceNetDevice::m_punctual),
                          MakeBooleanChecker())
            .AddAttribute("ReceiveErrorModel",
                          "The error model that damages arriving frames.",
                          PointerValue(),
                          MakePointerAccessor(&RoceNetDevice::m_receiveErrorModel),
                          MakePointerChecker<ErrorModel>())
            .AddTraceSource("MacTx",
                            "A frame starts on the wire.",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet of the network stack was refused.",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_macTxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacPromiscRx",
                            "A frame has arrived intact.",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_macPromiscRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A frame for this port has arrived intact.",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "The first bit of a frame leaves.",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_phyTxBeginTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "A frame and the gap after it have left.",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_phyTxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "A frame has arrived intact.",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_phyRxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A frame has arrived damaged and is lost.",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_phyRxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "Every frame sent by or meant for this port.",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_snifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "Every frame on the cable, as pcap sees it.",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_promiscSnifferTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

RoceNetDevice::RoceNetDevice()
    : m_agenda(&m_ownAgenda)
{
    NS_LOG_FUNCTION(this);
}

RoceNetDevice::~RoceNetDevice()
{
    NS_LOG_FUNCTION(this);
}

void
RoceNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_source = nullptr;
    m_sink = nullptr;
    m_agenda = &m_ownAgenda;
    m_ownAgenda.Clear();
    m_gate = nullptr;
    m_cable = nullptr;
    m_peer = nullptr;
    m_linkUp = false;
    if (m_flowControl)
    {
        m_flowControl->Dispose();
    }
    m_flowControl = nullptr;
    m_channel = nullptr;
    m_receiveErrorModel = nullptr;
    m_node = nullptr;
    m_rxCallback = ReceiveCallback();
    m_promiscCallback = PromiscReceiveCallback();
    m_stackSend = StackSendCallback();
    NetDevice::DoDispose();
}

// --- wiring ---

void
RoceNetDevice::Attach(Ptr<RoceChannel> channel)
{
    NS_LOG_FUNCTION(this << channel);
    NS_ABORT_MSG_IF(m_channel, "RoceNetDevice: the port is plugged in already");
    NS_ABORT_MSG_IF(!m_node, "RoceNetDevice: add the port to a node before plugging it in");
    m_channel = channel;
    m_cable = PeekPointer(channel);
    m_end = channel->Attach(this);
    if (auto peer = channel->GetRoceDevice(1 - m_end))
    {
        m_peer = PeekPointer(peer);
        peer->m_peer = this;
        ChangeLinkState(true, RoceClock::Now());
        peer->ChangeLinkState(true, RoceClock::Now());
    }
}

void
RoceNetDevice::SetOwner(RoceFrameSource* source,
                        RoceFrameSink* sink,
                        RoceDepartureAgenda* agenda,
                        uint16_t port)
{
    NS_LOG_FUNCTION(this << source << sink << agenda << port);
    m_source = source;
    m_sink = sink;
    m_agenda = agenda ? agenda : &m_ownAgenda;
    m_port = port;
}

void
RoceNetDevice::SetFlowControl(Ptr<RoceLinkFlowControl> flowControl)
{
    NS_LOG_FUNCTION(this << flowControl);
    m_flowControl = flowControl;
    m_gate = PeekPointer(flowControl);
    if (m_gate)
    {
        m_gate->SetDevice(this);
    }
}

Ptr<RoceLinkFlowControl>
RoceNetDevice::GetFlowControl() const
{
    return m_flowControl;
}

Ptr<RoceNetDevice>
RoceNetDevice::GetLinkPeer() const
{
    return m_peer;
}

void
RoceNetDevice::SetReceiveErrorModel(Ptr<ErrorModel> errorModel)
{
    NS_LOG_FUNCTION(this << errorModel);
    m_receiveErrorModel = errorModel;
}

void
RoceNetDevice::SetDataRate(DataRate rate)
{
    NS_LOG_FUNCTION(this << rate);
    NS_ABORT_MSG_IF(rate.GetBitRate() == 0, "RoceNetDevice: DataRate must not be 0");
    m_bitRate = rate.GetBitRate();
    m_carry = 0;
    uint64_t carry = 0;
    m_gapTime = RoceClock::TransmissionTime(RoceFrame::GAP_BYTES, m_bitRate, carry);
}

DataRate
RoceNetDevice::GetDataRate() const
{
    return DataRate(m_bitRate);
}

void
RoceNetDevice::SetPipelineDelay(Time delay)
{
    m_pipelineDelayPs = RoceClock::FromTime(delay);
}

Time
RoceNetDevice::GetPipelineDelay() const
{
    return RoceClock::ToTime(m_pipelineDelayPs);
}

void
RoceNetDevice::SetLinkState(bool up)
{
    NS_LOG_FUNCTION(this << up);
    NS_ABORT_MSG_IF(!m_peer,
                    "RoceNetDevice: a port without a cable has no link to bring up or down");
    const RocePs now = RoceClock::Now();
    CatchUp(now);
    m_peer->CatchUp(now);
    if (!up)
    {
        m_cable->Flush();
    }
    ChangeLinkState(up, now);
    m_peer->ChangeLinkState(up, now);
}

void
RoceNetDevice::ChangeLinkState(bool up, RocePs now)
{
    if (up == m_linkUp)
    {
        return;
    }
    m_linkUp = up;
    if (!up && m_gate)
    {
        m_gate->Reset(now);
    }
    m_linkChangeCallbacks();
    if (m_sink)
    {
        m_sink->LinkChanged(m_port, up, now);
    }
    if (up && m_source)
    {
        Poke(now);
    }
}

// --- the link machine ---

void
RoceNetDevice::Depart(RocePs now)
{
    m_nextDeparture = RoceClock::NEVER;
    if (!m_linkUp)
    {
        return;
    }
    m_departing = true;
    RoceFramePtr frame;
    if (m_gate && m_gate->HasControlFrame())
    {
        frame = m_gate->TakeControlFrame(now);
    }
    else
    {
        frame = m_source->TakeNextFrame(m_port, m_gate ? m_gate->GetOpenClasses(now) : 0xff, now);
    }
    if (frame)
    {
        StartTransmission(std::move(frame), now);
        now = m_freeAt;
    }
    m_departing = false;
    Reschedule(now);
}

void
RoceNetDevice::Reschedule(RocePs now)
{
    RocePs next;
    if (m_gate)
    {
        if (m_gate->HasControlFrame())
        {
            next = now;
        }
        else
        {
            const uint8_t open = m_gate->GetOpenClasses(now);
            next = m_source->GetNextTime(m_port, open, now);
            if (open != 0xff && next > now)
            {
                const uint8_t held = m_source->GetBacklog(m_port) & ~open;
                next = std::min(next, m_gate->GetNextOpening(held, now));
            }
        }
    }
    else
    {
        next = m_source->GetNextTime(m_port, 0xff, now);
    }
    if (m_punctual || HasTxListeners())
    {
        m_agenda->SetPunctual(RoceDepartureAgenda::LISTENER, true);
    }
    m_nextDeparture = next;
    if (next != RoceClock::NEVER)
    {
        m_agenda->Enter(this, m_port, next);
        if (m_cable->IsIdle(m_end))
        {
            m_agenda->ArmAt(next);
        }
    }
}

void
RoceNetDevice::LineDrained(RocePs now)
{
    CatchUp(now);
    if (m_nextDeparture != RoceClock::NEVER && m_cable && m_cable->IsIdle(m_end))
    {
        m_agenda->ArmAt(m_nextDeparture);
    }
}

void
RoceNetDevice::StartTransmission(RoceFramePtr frame, RocePs now)
{
    const uint32_t wireBytes = frame->GetWireBytes();
    m_freeAt = now + RoceClock::TransmissionTime(wireBytes, m_bitRate, m_carry);
    if (frame->kind != RoceFrameKind::MAC_CONTROL)
    {
        Counters& counters = m_tx[frame->trafficClass];
        counters.frames++;
        counters.bytes += frame->frameBytes;
    }
    else
    {
        m_txControl.frames++;
        m_txControl.bytes += frame->frameBytes;
    }
    if (HasTxListeners())
    {
        TraceTx(*frame);
    }
    const RocePs lastBit = m_freeAt - m_gapTime - now;
    frame->time = now + m_cable->GetDelay() + m_peer->GetReceiveLatency(*frame, lastBit, m_bitRate);
    m_cable->Transmit(std::move(frame), m_end);
}

void
RoceNetDevice::ReceiveFrame(RoceFramePtr frame, RocePs now)
{
    if (m_receiveErrorModel && m_receiveErrorModel->IsCorrupt(Materialize(*frame, false)))
    {
        NS_LOG_LOGIC("frame damaged");
        m_rxDrops++;
        m_phyRxDropTrace(Materialize(*frame, false));
        return;
    }
    m_rxFrames++;
    if (HasRxListeners())
    {
        TraceRx(*frame);
    }
    if (frame->kind == RoceFrameKind::MAC_CONTROL)
    {
        if (m_gate)
        {
            CatchUp(now);
            m_gate->ReceiveControlFrame(*frame, now);
            Poke(now);
        }
        return;
    }
    Counters& counters = m_rx[frame->trafficClass];
    counters.frames++;
    counters.bytes += frame->frameBytes;
    if (m_sink)
    {
        m_sink->ReceiveFrame(m_port, std::move(frame), now);
    }
    else
    {
        ForwardUp(*frame);
    }
}

void
RoceNetDevice::ForwardUp(const RoceFrame& frame)
{
    if (!m_rxCallback.IsNull())
    {
        const Address from = m_peer ? m_peer->GetAddress() : GetBroadcast();
        m_rxCallback(this, RoceFrameCodec::ToLayer3Packet(frame), frame.etherType, from);
    }
}

void
RoceNetDevice::DropBeforeTx(const RoceFrame& frame)
{
    if (!m_macTxDropTrace.IsEmpty())
    {
        m_macTxDropTrace(Materialize(frame, true));
    }
}

// --- traces ---

bool
RoceNetDevice::HasTxListeners() const
{
    return !(m_promiscSnifferTrace.IsEmpty() && m_phyTxBeginTrace.IsEmpty() &&
             m_snifferTrace.IsEmpty() && m_macTxTrace.IsEmpty() && m_phyTxEndTrace.IsEmpty());
}

bool
RoceNetDevice::HasRxListeners() const
{
    return !(m_promiscSnifferTrace.IsEmpty() && m_snifferTrace.IsEmpty() &&
             m_phyRxEndTrace.IsEmpty() && m_macRxTrace.IsEmpty() &&
             m_macPromiscRxTrace.IsEmpty()) ||
           !m_promiscCallback.IsNull();
}

Ptr<Packet>
RoceNetDevice::Materialize(const RoceFrame& frame, bool outgoing) const
{
    const Mac48Address peer = m_peer ? m_peer->m_address : Mac48Address("ff:ff:ff:ff:ff:ff");
    return outgoing ? RoceFrameCodec::ToPacket(frame, m_address, peer)
                    : RoceFrameCodec::ToPacket(frame, peer, m_address);
}

void
RoceNetDevice::TraceTx(const RoceFrame& frame)
{
    Ptr<Packet> packet = Materialize(frame, true);
    m_macTxTrace(packet);
    m_snifferTrace(packet);
    m_promiscSnifferTrace(packet);
    m_phyTxBeginTrace(packet);
    if (!m_phyTxEndTrace.IsEmpty())
    {
        const Time delay = TimeStep(RoceClock::ToTick(m_freeAt)) - Simulator::Now();
        Simulator::Schedule(std::max(delay, Time()),
                            &RoceNetDevice::TraceTxEnd,
                            this,
                            Ptr<const Packet>(packet));
    }
}

void
RoceNetDevice::TraceTxEnd(Ptr<const Packet> packet)
{
    m_phyTxEndTrace(packet);
}

void
RoceNetDevice::TraceRx(const RoceFrame& frame)
{
    Ptr<Packet> packet = Materialize(frame, false);
    m_snifferTrace(packet);
    m_promiscSnifferTrace(packet);
    m_phyRxEndTrace(packet);
    if (frame.kind == RoceFrameKind::MAC_CONTROL)
    {
        return;
    }
    m_macPromiscRxTrace(packet);
    m_macRxTrace(packet);
    if (!m_promiscCallback.IsNull())
    {
        m_promiscCallback(this,
                          RoceFrameCodec::ToLayer3Packet(frame),
                          frame.etherType,
                          m_peer ? m_peer->GetAddress() : GetBroadcast(),
                          GetAddress(),
                          NetDevice::PACKET_HOST);
    }
}

// --- counters ---

const RoceNetDevice::Counters&
RoceNetDevice::GetTxCounters(uint8_t trafficClass) const
{
    NS_ABORT_MSG_IF(trafficClass >= N_CLASSES,
                    "RoceNetDevice: class " << +trafficClass << " is not within 0 to 7");
    m_agenda->RunUntil(RoceClock::Now());
    return m_tx[trafficClass];
}

const RoceNetDevice::Counters&
RoceNetDevice::GetRxCounters(uint8_t trafficClass) const
{
    NS_ABORT_MSG_IF(trafficClass >= N_CLASSES,
                    "RoceNetDevice: class " << +trafficClass << " is not within 0 to 7");
    return m_rx[trafficClass];
}

const RoceNetDevice::Counters&
RoceNetDevice::GetTxControlCounters() const
{
    m_agenda->RunUntil(RoceClock::Now());
    return m_txControl;
}

uint64_t
RoceNetDevice::GetRxDrops() const
{
    return m_rxDrops;
}

uint64_t
RoceNetDevice::GetRxFrames() const
{
    return m_rxFrames;
}

} // namespace ns3
