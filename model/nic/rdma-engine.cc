/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-engine.h"

#include "rdma-queue-pair.h"

#include "ns3/abort.h"
#include "ns3/enum.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/queue-item.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"
#include "ns3/rdma-syndrome.h"
#include "ns3/roce-compat.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-gid.h"
#include "ns3/roce-net-device.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaEngine");
NS_OBJECT_ENSURE_REGISTERED(RdmaEngine);

namespace
{

/// A queue pair number rests that long before it is used again, so that packets of the old
/// connection, the default eight tries of 67 ms included, do not reach a new one.
constexpr RocePs NUMBER_REST = RoceClock::SECOND;

} // namespace

TypeId
RdmaEngine::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaEngine")
            .SetParent<Object>()
            .SetGroupName("Roce")
            .AddConstructor<RdmaEngine>()
            .AddAttribute(
                "StackQueueLimit",
                "Packets of the host's network stack that wait in the NIC, per class; "
                "the queue disc above is stopped when it is reached. At least 2, so that a "
                "class is never without a packet while its queue disc is being woken.",
                UintegerValue(2),
                MakeUintegerAccessor(&RdmaEngine::m_stackLimit),
                MakeUintegerChecker<uint32_t>(2))
            .AddAttribute("VlanId",
                          "VLAN ID of outgoing frames, whose priority code point is their traffic "
                          "class; 0 sends untagged frames.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaEngine::m_vlanId),
                          MakeUintegerChecker<uint16_t>(0, 4094))
            .AddAttribute("DoorbellDelay",
                          "Time from the post of a work request until the NIC hears of it "
                          "(default: none).",
                          TimeValue(Time()),
                          MakeTimeAccessor(&RdmaEngine::m_doorbellDelay),
                          MakeTimeChecker(Time()))
            .AddAttribute("SendDelay",
                          "Time that the NIC needs to fetch and process a work request, or to "
                          "process a READ or atomic (default: none). The delay of the receiving "
                          "side is RoceNetDevice::PipelineDelay.",
                          TimeValue(Time()),
                          MakeTimeAccessor(&RdmaEngine::m_sendDelay),
                          MakeTimeChecker(Time()))
            .AddAttribute("FetchDelay",
                          "Time that the NIC needs to fetch data from the memory of the host: the "
                          "payload of a SEND or WRITE, unless it is inline, and what a READ or "
                          "atomic asks for (default: none).",
                          TimeValue(Time()),
                          MakeTimeAccessor(&RdmaEngine::m_fetchDelay),
                          MakeTimeChecker(Time()))
            .AddAttribute("QosMap",
                          "Map from packet marking to traffic class.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaEngine::SetQosMap, &RdmaEngine::GetQosMap),
                          MakePointerChecker<RoceQosMap>())
            .AddAttribute("RoceVersion",
                          "V2: UDP over IPv4 or IPv6. V1: EtherType 0x8915 with GIDs made from the "
                          "IP address or else the MAC address; both ends on one cable or switch.",
                          EnumValue(RdmaEngine::V2),
                          MakeRoceEnumAccessor<RdmaEngine::RoceVersion>(&RdmaEngine::SetVersion,
                                                                        &RdmaEngine::GetVersion),
                          MakeEnumChecker(RdmaEngine::V1, "V1", RdmaEngine::V2, "V2"))
            .AddAttribute("InputBuffer",
                          "Where frames wait if the NIC is slow.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&RdmaEngine::m_inputBuffer),
                          MakePointerChecker<RdmaInputBuffer>())
            .AddAttribute("CnpGenerator",
                          "The generator of congestion notification packets.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&RdmaEngine::m_cnpGenerator),
                          MakePointerChecker<RdmaCnpGenerator>());
    return tid;
}

RdmaEngine::RdmaEngine()
    : m_timerAlarm(this),
      m_cnpAlarm(this),
      m_cnpGenerator(CreateObject<RdmaCnpGenerator>()),
      m_inputBuffer(CreateObject<RdmaInputBuffer>())
{
    NS_LOG_FUNCTION(this);
    m_queuePairFactory.SetTypeId("ns3::RdmaQueuePair");
    m_congestionFactory.SetTypeId("ns3::RdmaNoCongestionControl");
    m_recoveryFactory.SetTypeId("ns3::RdmaGoBackN");
}

RdmaEngine::~RdmaEngine()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaEngine::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (auto& qp : m_table)
    {
        if (qp)
        {
            m_scheduler.Remove(PeekPointer(qp));
            qp->Dispose();
        }
    }
    m_table.clear();
    m_timers.clear();
    m_timerAlarm.Disarm();
    m_cnpAlarm.Disarm();
    m_agenda.Clear();
    m_delayedCnps.clear();
    for (uint8_t c = 0; c < N_CLASSES; c++)
    {
        m_control[c].Clear();
        m_stack[c].fifo.Clear();
    }
    m_controlClasses = m_stackClasses = 0;
    m_port = nullptr;
    m_queueInterface = nullptr;
    m_map = nullptr;
    m_cnpGenerator = nullptr;
    m_inputBuffer->Dispose();
    m_inputBuffer = nullptr;
    Object::DoDispose();
}

// --- wiring ---

void
RdmaEngine::SetDevice(Ptr<RoceNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(!device->GetNode(), "RdmaEngine: add the port to its node first");
    m_port = PeekPointer(device);
    const uint32_t context = device->GetNode()->GetId();
    m_agenda.SetContext(context);
    m_timerAlarm.SetContext(context);
    m_cnpAlarm.SetContext(context);
    m_inputBuffer->SetEngine(this, context);
    device->SetOwner(this, this, &m_agenda, 0);
    device->SetStackSendCallback(MakeCallback(&RdmaEngine::SendFromStack, this));
    device->AggregateObject(this);
    if (!m_map)
    {
        SetQosMap(CreateObject<RoceQosMap>());
    }
}

Ptr<RoceNetDevice>
RdmaEngine::GetDevice() const
{
    return m_port;
}

void
RdmaEngine::SetQosMap(Ptr<RoceQosMap> map)
{
    NS_LOG_FUNCTION(this << map);
    m_map = map;
    if (m_map)
    {
        m_classScheduler.SetQosMap(*m_map);
    }
}

Ptr<RoceQosMap>
RdmaEngine::GetQosMap() const
{
    return m_map;
}

void
RdmaEngine::SetQueueInterface(Ptr<NetDeviceQueueInterface> queueInterface)
{
    NS_LOG_FUNCTION(this << queueInterface);
    NS_ABORT_MSG_IF(queueInterface->GetNTxQueues() != N_CLASSES,
                    "RdmaEngine: the queue interface has " << queueInterface->GetNTxQueues()
                                                           << " queues, it needs one per class: 8");
    m_queueInterface = PeekPointer(queueInterface);
    m_queueInterface->SetSelectQueueCallback(
        [this](Ptr<QueueItem> item) { return SelectStackQueue(item); });
}

void
RdmaEngine::SetAddress(Ipv4Address address)
{
    NS_LOG_FUNCTION(this << address);
    SetIpAddress(RoceFrameCodec::ToBytes(address), RoceFrameCodec::ETHERTYPE_IPV4);
}

void
RdmaEngine::SetAddress(Ipv6Address address)
{
    NS_LOG_FUNCTION(this << address);
    SetIpAddress(RoceFrameCodec::ToBytes(address), RoceFrameCodec::ETHERTYPE_IPV6);
}

void
RdmaEngine::SetIpAddress(const RoceAddressBytes& address, uint16_t etherType)
{
    m_address = m_version == V1 ? RoceGid::FromIp(address, etherType) : address;
    m_etherType = m_version == V1 ? RoceFrameCodec::ETHERTYPE_ROCE_V1 : etherType;
}

void
RdmaEngine::SetVersion(RoceVersion version)
{
    NS_LOG_FUNCTION(this << version);
    NS_ABORT_MSG_IF(m_etherType && version != m_version,
                    "RdmaEngine: set RoceVersion before the address of the port");
    m_version = version;
}

RdmaEngine::RoceVersion
RdmaEngine::GetVersion() const
{
    return m_version;
}

bool
RdmaEngine::ResolveAddress()
{
    if (m_etherType)
    {
        return true;
    }
    Ptr<Ipv4> ipv4 = m_port->GetNode()->GetObject<Ipv4>();
    int32_t interface = ipv4 ? ipv4->GetInterfaceForDevice(m_port) : -1;
    if (interface >= 0 && ipv4->GetNAddresses(interface) > 0)
    {
        SetAddress(ipv4->GetAddress(interface, 0).GetLocal());
        return true;
    }
    Ptr<Ipv6> ipv6 = m_port->GetNode()->GetObject<Ipv6>();
    interface = ipv6 ? ipv6->GetInterfaceForDevice(m_port) : -1;
    for (uint32_t i = 0; interface >= 0 && i < ipv6->GetNAddresses(interface); i++)
    {
        const Ipv6InterfaceAddress address = ipv6->GetAddress(interface, i);
        if (address.GetScope() == Ipv6InterfaceAddress::GLOBAL)
        {
            SetAddress(address.GetAddress());
            return true;
        }
    }
    if (m_version == V1)
    {
        SetIpAddress(RoceGid::FromMac(m_port->GetMacAddress()), RoceFrameCodec::ETHERTYPE_IPV6);
        return true;
    }
    return false;
}

bool
RdmaEngine::FindAddress(RoceAddressBytes& address, uint16_t& etherType)
{
    if (!ResolveAddress())
    {
        return false;
    }
    address = m_address;
    etherType = m_etherType;
    return true;
}

void
RdmaEngine::GetAddress(RoceAddressBytes& address, uint16_t& etherType)
{
    NS_ABORT_MSG_IF(
        !FindAddress(address, etherType),
        "RdmaEngine: the port on node "
            << m_port->GetNode()->GetId()
            << " has no IP address; use Ipv4AddressHelper or Ipv6AddressHelper::Assign(), "
               "or RdmaEngine::SetAddress(), before connecting queue pairs");
}

void
RdmaEngine::Classify(RoceFrame& frame) const
{
    if (m_vlanId)
    {
        // The host decides by DSCP; the tag then carries the class for switches that trust it.
        frame.trafficClass = m_map->GetDscpClass(frame.dscp);
        frame.flags |= RoceFrame::VLAN;
        frame.vlanTci = static_cast<uint16_t>((frame.trafficClass << 13) | m_vlanId);
    }
    else
    {
        frame.trafficClass = m_map->Classify(frame);
    }
}

void
RdmaEngine::UpdatePunctual()
{
    // A queue disc waits for room, and datagrams complete at their departure.
    m_agenda.SetPunctual(RoceDepartureAgenda::OWNER, m_stackClasses || m_nUnreliable > 0);
}

RdmaMemoryTable&
RdmaEngine::GetMemory()
{
    return m_memory;
}

RocePs
RdmaEngine::GetSendDelay() const
{
    return RoceClock::FromTime(m_doorbellDelay + m_sendDelay);
}

RocePs
RdmaEngine::GetFetchDelay() const
{
    return RoceClock::FromTime(m_fetchDelay);
}

RocePs
RdmaEngine::GetResponseDelay() const
{
    return RoceClock::FromTime(m_sendDelay + m_fetchDelay);
}

void
RdmaEngine::CatchUp(RocePs now)
{
    m_agenda.RunUntil(now);
}

uint16_t
RdmaEngine::GetMtu() const
{
    return m_port->GetMtu();
}

uint64_t
RdmaEngine::GetBitRate() const
{
    return m_port->GetBitRate();
}

// --- queue pairs ---

Ptr<RdmaQueuePair>
RdmaEngine::CreateQueuePair(RdmaService service)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(!m_port, "RdmaEngine: SetDevice() comes before CreateQueuePair()");
    uint32_t slot;
    if (!m_freeSlots.empty() && m_freeSlots.front().since + NUMBER_REST <= RoceClock::Now())
    {
        slot = m_freeSlots.front().slot;
        m_freeSlots.pop_front();
    }
    else
    {
        slot = static_cast<uint32_t>(m_table.size());
        NS_ABORT_MSG_IF(slot + FIRST_NUMBER > RdmaPsn::MASK,
                        "RdmaEngine: all " << slot << " queue pair numbers of the port on node "
                                           << m_port->GetNode()->GetId() << " are in use");
        m_table.emplace_back();
    }
    auto qp = m_queuePairFactory.Create<RdmaQueuePair>();
    m_table[slot] = qp;
    qp->m_link.slot = slot;
    qp->SetEngine(this, service, slot + FIRST_NUMBER, ++m_lastId);
    qp->SetSendCompletionQueue(CreateObject<RdmaCompletionQueue>());
    qp->SetReceiveCompletionQueue(qp->GetSendCompletionQueue());
    qp->m_context.limiter.SetCongestionControl(m_congestionFactory.Create<RdmaCongestionOps>());
    qp->m_context.recovery = m_recoveryFactory.Create<RdmaRecoveryOps>();
    m_nUnreliable += service == RdmaService::RC ? 0 : 1;
    UpdatePunctual();
    return qp;
}

void
RdmaEngine::DestroyQueuePair(Ptr<RdmaQueuePair> qp)
{
    NS_LOG_FUNCTION(this << qp);
    NS_ABORT_MSG_IF(qp->m_context.engine != this,
                    "RdmaEngine: queue pair " << qp->GetNumber()
                                              << " is not, or no longer, one of the port on node "
                                              << m_port->GetNode()->GetId());
    const uint32_t slot = qp->m_link.slot;
    if (m_table[slot] != qp)
    {
        return; // a callback that hears of the flushed work destroys it again
    }
    const RocePs now = RoceClock::Now();
    CatchUp(now);
    m_table[slot] = nullptr;
    qp->m_context.state = RdmaQpState::RESET;
    qp->m_timerEntered = false;
    qp->FlushAll(now);
    Add(m_destroyedCounters, qp->m_context.counters);
    m_nUnreliable -= qp->m_context.service == RdmaService::RC ? 0 : 1;
    UpdatePunctual();
    qp->m_context.engine = nullptr;
    m_freeSlots.push_back({slot, now});
}

Ptr<RdmaQueuePair>
RdmaEngine::FindQueuePair(uint32_t number) const
{
    const uint32_t slot = number - FIRST_NUMBER;
    return slot < m_table.size() ? m_table[slot] : nullptr;
}

uint32_t
RdmaEngine::GetNQueuePairs() const
{
    return static_cast<uint32_t>(m_table.size() - m_freeSlots.size());
}

void
RdmaEngine::SetQueuePairAttribute(std::string name, const AttributeValue& value)
{
    m_queuePairFactory.Set(name, value);
}

void
RdmaEngine::SetCongestionControl(const ObjectFactory& factory)
{
    m_congestionFactory = factory;
}

void
RdmaEngine::SetRecovery(const ObjectFactory& factory)
{
    m_recoveryFactory = factory;
}

Ptr<RdmaInputBuffer>
RdmaEngine::GetInputBuffer() const
{
    return m_inputBuffer;
}

Ptr<RdmaCnpGenerator>
RdmaEngine::GetCnpGenerator() const
{
    return m_cnpGenerator;
}

void
RdmaEngine::SendControl(RoceFramePtr frame, RocePs now)
{
    const uint8_t c = frame->trafficClass;
    m_control[c].Push(std::move(frame));
    m_controlClasses |= 1 << c;
    m_port->Poke(now);
}

void
RdmaEngine::NotifyWork(RdmaQueuePair* qp, RocePs now)
{
    if (m_scheduler.Update(qp, now))
    {
        m_port->Poke(now);
    }
}

void
RdmaEngine::NotifyResponse(uint32_t number, RocePs now)
{
    NotifyWork(PeekPointer(FindQueuePair(number)), now);
}

void
RdmaEngine::NotifyIdle(RdmaQueuePair* qp)
{
    m_scheduler.Remove(qp);
}

void
RdmaEngine::NotifyError(uint32_t number, uint64_t id, RocePs now)
{
    NS_LOG_FUNCTION(this << number << id << now);
    Ptr<RdmaQueuePair> qp = FindQueuePair(number);
    if (qp && qp->m_context.id == id)
    {
        qp->m_context.state = RdmaQpState::ERR;
        qp->FlushAll(now);
    }
}

// --- counters ---

void
RdmaEngine::Add(RdmaCounters& total, const RdmaCounters& counters)
{
    total.posted += counters.posted;
    total.completed += counters.completed;
    total.failed += counters.failed;
    total.packetsSent += counters.packetsSent;
    total.retransmittedPackets += counters.retransmittedPackets;
    total.bytesSent += counters.bytesSent;
    total.bytesAcked += counters.bytesAcked;
    total.acksReceived += counters.acksReceived;
    total.packetSeqErr += counters.packetSeqErr;
    total.impliedNakSeqErr += counters.impliedNakSeqErr;
    total.rnrNakRetryErr += counters.rnrNakRetryErr;
    total.droppedPackets += counters.droppedPackets;
    total.rnrNaksReceived += counters.rnrNaksReceived;
    total.localAckTimeoutErr += counters.localAckTimeoutErr;
    total.cnpHandled += counters.cnpHandled;
    total.packetsReceived += counters.packetsReceived;
    total.bytesReceived += counters.bytesReceived;
    total.messagesReceived += counters.messagesReceived;
    total.outOfSequence += counters.outOfSequence;
    total.duplicateRequest += counters.duplicateRequest;
    total.acksSent += counters.acksSent;
    total.naksSent += counters.naksSent;
    total.rnrNaksSent += counters.rnrNaksSent;
    total.ecnMarkedPackets += counters.ecnMarkedPackets;
    total.cnpSent += counters.cnpSent;
}

RdmaCounters
RdmaEngine::GetCounters() const
{
    RdmaCounters total = m_destroyedCounters;
    for (const auto& qp : m_table)
    {
        if (qp)
        {
            Add(total, qp->GetCounters());
        }
    }
    return total;
}

uint64_t
RdmaEngine::GetLatePackets() const
{
    return m_latePackets;
}

} // namespace ns3
