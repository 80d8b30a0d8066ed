/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-queue-pair.h"

#include "rdma-engine.h"
#include "rdma-reliable-requester.h"
#include "rdma-reliable-responder.h"
#include "rdma-unreliable-requester.h"
#include "rdma-unreliable-responder.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/integer.h"
#include "ns3/log.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"
#include "ns3/roce-compat.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePair");
NS_OBJECT_ENSURE_REGISTERED(RdmaQueuePair);

TypeId
RdmaQueuePair::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaQueuePair")
            .SetParent<Object>()
            .SetGroupName("Roce")
            .AddConstructor<RdmaQueuePair>()
            .AddAttribute("PathMtu",
                          "RDMA payload of a full packet, bytes. InfiniBand knows 256, 512, 1024, "
                          "2048 and 4096; any value that fits the MTU of the port is accepted.",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&RdmaQueuePair::m_pathMtu),
                          MakeUintegerChecker<uint32_t>(1, 9000))
            .AddAttribute("Dscp",
                          "DSCP of data packets (26 is the usual one for RoCE).",
                          UintegerValue(26),
                          MakeUintegerAccessor(&RdmaQueuePair::m_dscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("AckDscp",
                          "DSCP of acknowledgments; -1 means that of data packets.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaQueuePair::m_ackDscp),
                          MakeIntegerChecker<int16_t>(-1, 63))
            .AddAttribute("Ecn",
                          "Send ECN-capable packets, which switches may mark (RoCEv2).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaQueuePair::m_ecn),
                          MakeBooleanChecker())
            .AddAttribute("Ttl",
                          "TTL or hop limit of packets.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RdmaQueuePair::m_ttl),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute("InitialPsn",
                          "PSN of the first packet.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaQueuePair::m_initialPsn),
                          MakeUintegerChecker<uint32_t>(0, RdmaPsn::MASK))
            .AddAttribute("Timeout",
                          "Local ACK timeout code n: 4.096 us x 2^n; 0 means no timeout "
                          "(ibv_qp_attr.timeout).",
                          UintegerValue(14),
                          MakeUintegerAccessor(&RdmaQueuePair::m_timeout),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("RetryCount",
                          "Timeouts without progress before a work request fails "
                          "(ibv_qp_attr.retry_cnt).",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RdmaQueuePair::m_retryCount),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("RnrRetry",
                          "Receiver-not-ready NAKs without progress before a work request fails; 7 "
                          "means never (ibv_qp_attr.rnr_retry).",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RdmaQueuePair::m_rnrRetry),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("MinRnrTimer",
                          "Timer code in receiver-not-ready NAKs; 0 is the longest, 655.36 ms "
                          "(ibv_qp_attr.min_rnr_timer).",
                          UintegerValue(12),
                          MakeUintegerAccessor(&RdmaQueuePair::m_minRnrTimer),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("AckInterval",
                          "Packets that one acknowledgment covers at most; the last packet of a "
                          "message is always acknowledged.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaQueuePair::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(1, 1 << 20))
            .AddAttribute(
                "SourcePortPolicy",
                "How the UDP source port is chosen, which switches hash: HASH of the two "
                "queue pair numbers within 0xC000 to 0xFFFF, FIXED 0xC000, PER_MESSAGE a "
                "hash of numbers and message (messages may then overtake each other), "
                "USER the value of SourcePort.",
                EnumValue(RdmaSourcePort::HASH),
                MakeRoceEnumAccessor<RdmaSourcePort::Policy>(&RdmaQueuePair::m_sourcePortPolicy),
                MakeEnumChecker(RdmaSourcePort::HASH,
                                "HASH",
                                RdmaSourcePort::FIXED,
                                "FIXED",
                                RdmaSourcePort::PER_MESSAGE,
                                "PER_MESSAGE",
                                RdmaSourcePort::USER,
                                "USER"))
            .AddAttribute("SourcePort",
                          "UDP source port, if not 0: takes the place of the hash of policy HASH, "
                          "and is needed for policy USER.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaQueuePair::m_sourcePort),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("MaxReadAtomic",
                          "READs and atomics that may be unanswered "
                          "(ibv_qp_attr.max_rd_atomic).",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaQueuePair::m_maxReadAtomic),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("MaxDestReadAtomic",
                          "READs and atomics of the peer for which resources are kept "
                          "(ibv_qp_attr.max_dest_rd_atomic).",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaQueuePair::m_maxDestReadAtomic),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("AccessFlags",
                          "What the peer may do: sum of 2 (write), 4 (read) and 8 (atomics), as "
                          "ibv_access_flags.",
                          UintegerValue(RDMA_ALL_ACCESS),
                          MakeUintegerAccessor(&RdmaQueuePair::m_accessFlags),
                          MakeUintegerChecker<uint8_t>(0, RDMA_ALL_ACCESS))
            .AddAttribute("QKey",
                          "Key that datagrams to this queue pair must show.",
                          UintegerValue(0x11111111),
                          MakeUintegerAccessor(&RdmaQueuePair::m_qKey),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Weight",
                          "Share of the NIC relative to other queue pairs of the class.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaQueuePair::m_weight),
                          MakeUintegerChecker<uint16_t>(1, 1000))
            .AddTraceSource("MessageReceived",
                            "A message of the peer has arrived completely.",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_messageReceived),
                            "ns3::RdmaQueuePair::MessageTracedCallback");
    return tid;
}

RdmaQueuePair::RdmaQueuePair()
{
    NS_LOG_FUNCTION(this);
}

RdmaQueuePair::~RdmaQueuePair()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaQueuePair::DoDispose()
{
    m_context.engine = nullptr;
    m_context.sendQueue = nullptr;
    m_context.receiveQueue = nullptr;
    m_context.sharedReceiveQueue = nullptr;
    m_context.memory = nullptr;
    m_context.limiter.SetCongestionControl(nullptr);
    m_context.recovery = nullptr;
    Object::DoDispose();
}

void
RdmaQueuePair::SetEngine(RdmaEngine* engine, RdmaService service, uint32_t number, uint64_t id)
{
    m_context.engine = engine;
    m_context.memory = &engine->GetMemory();
    m_context.service = service;
    if (service == RdmaService::RC)
    {
        m_requester = std::make_unique<RdmaReliableRequester>(m_context);
        m_responder = std::make_unique<RdmaReliableResponder>(m_context, m_messageReceived);
    }
    else
    {
        m_requester = std::make_unique<RdmaUnreliableRequester>(m_context);
        m_responder = std::make_unique<RdmaUnreliableResponder>(m_context, m_messageReceived);
    }
    m_context.number = number;
    m_context.id = id;
}

// --- verbs ---

void
RdmaQueuePair::ModifyToInit()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_context.state != RdmaQpState::RESET,
                    "RdmaQueuePair " << m_context.number << ": INIT follows RESET only");
    NS_ABORT_MSG_IF(!m_context.engine, "RdmaQueuePair: create it by RdmaEngine::CreateQueuePair()");
    m_context.state = RdmaQpState::INIT;
}

void
RdmaQueuePair::ModifyToRtr(const RdmaPeer& peer)
{
    NS_LOG_FUNCTION(this << peer.number);
    const RdmaPeer local = GetLocal();
    NS_ABORT_MSG_IF(m_context.service == RdmaService::UD,
                    "RdmaQueuePair " << m_context.number
                                     << ": a datagram queue pair has no peer, use "
                                        "ModifyToRtr() without one");
    NS_ABORT_MSG_IF(peer.etherType != local.etherType,
                    "RdmaQueuePair " << m_context.number
                                     << ": the two ends have addresses of different families, or "
                                        "different versions of RoCE");
    NS_ABORT_MSG_IF(peer.address == local.address,
                    "RdmaQueuePair " << m_context.number
                                     << ": both ends are on the same port; loopback is not "
                                        "modeled, connect different ports");
    DoModifyToRtr(local, peer);
}

void
RdmaQueuePair::ModifyToRtr()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_context.service != RdmaService::UD,
                    "RdmaQueuePair " << m_context.number
                                     << ": a connected queue pair needs a peer to enter RTR");
    DoModifyToRtr(GetLocal(), RdmaPeer());
}

void
RdmaQueuePair::DoModifyToRtr(const RdmaPeer& local, const RdmaPeer& peer)
{
    NS_ABORT_MSG_IF(m_context.state != RdmaQpState::INIT,
                    "RdmaQueuePair " << m_context.number << ": RTR follows INIT only");
    RdmaEngine& engine = *m_context.engine;
    m_context.pathMtu = m_pathMtu;
    m_context.ackInterval = m_ackInterval;
    m_context.retryCount = m_retryCount;
    m_context.rnrRetry = m_rnrRetry;
    m_context.minRnrTimer = m_minRnrTimer;
    m_context.accessFlags = m_accessFlags;
    m_context.maxReadAtomic = m_maxReadAtomic;
    m_context.maxDestReadAtomic = m_maxDestReadAtomic;
    m_context.qKey = m_qKey;
    m_context.sendDelay = engine.GetSendDelay();
    m_context.fetchDelay = engine.GetFetchDelay();
    m_context.responseDelay = engine.GetResponseDelay();
    constexpr RocePs TIMEOUT_UNIT = 4'096'000; // 4.096 us
    m_context.ackTimeout = m_timeout ? TIMEOUT_UNIT << m_timeout : 0;
    m_context.ackDscp = m_ackDscp < 0 ? m_dscp : static_cast<uint8_t>(m_ackDscp);
    m_link.weight = m_weight;
    FillPrototype(local, peer);
    m_context.limiter.Start(engine.GetBitRate(), m_pathMtu, RoceClock::Now());
    m_responder->Start(peer.initialPsn);
    m_context.state = RdmaQpState::RTR;
}

uint16_t
RdmaQueuePair::ChooseSourcePort(uint32_t peer) const
{
    NS_ABORT_MSG_IF(m_sourcePortPolicy == RdmaSourcePort::USER && m_sourcePort == 0,
                    "RdmaQueuePair " << m_context.number
                                     << ": SourcePortPolicy is USER, so SourcePort must be set");
    NS_ABORT_MSG_IF(m_sourcePortPolicy != RdmaSourcePort::USER &&
                        m_sourcePortPolicy != RdmaSourcePort::HASH && m_sourcePort != 0,
                    "RdmaQueuePair " << m_context.number << ": SourcePort is " << m_sourcePort
                                     << ", but SourcePortPolicy is neither HASH nor USER");
    if (m_sourcePort)
    {
        return m_sourcePort;
    }
    return m_sourcePortPolicy == RdmaSourcePort::FIXED
               ? RdmaSourcePort::FIRST
               : RdmaSourcePort::FromNumbers(m_context.number, peer);
}

void
RdmaQueuePair::FillPrototype(const RdmaPeer& local, const RdmaPeer& peer)
{
    RdmaEngine& engine = *m_context.engine;
    RoceFrame& frame = m_context.prototype;
    frame.etherType = local.etherType;
    frame.source = local.address;
    frame.destination = peer.address;
    frame.destQp = peer.number;
    frame.ttl = m_ttl;
    frame.dscp = m_dscp;
    const bool hasUdp = local.etherType != RoceFrameCodec::ETHERTYPE_ROCE_V1;
    frame.ecn = m_ecn && hasUdp ? RoceEcn::ECT0 : RoceEcn::NOT_ECT;
    frame.flags = RoceFrame::MIG_REQ;
    frame.udpSourcePort = hasUdp ? ChooseSourcePort(peer.number) : 0;
    m_context.portPerMessage = hasUdp && m_sourcePortPolicy == RdmaSourcePort::PER_MESSAGE;
    engine.Classify(frame);
    RoceFrame ack = frame;
    ack.dscp = m_context.ackDscp;
    engine.Classify(ack);
    m_context.ackClass = ack.trafficClass;
    frame.flowHash = RoceFrameCodec::ComputeFlowHash(frame);
    frame.opcode = RdmaOpcode::RC_WRITE_MIDDLE;
    frame.payloadBytes = m_pathMtu;
    m_context.baseFrameBytes =
        RoceFrameCodec::GetFrameBytes(frame) - m_pathMtu - frame.GetPadCount();
    // The MTU counts neither the Ethernet header (with tag) nor the FCS.
    const uint32_t ethernetBytes = 18 + (frame.Has(RoceFrame::VLAN) ? 4 : 0);
    const uint32_t packetBytes = RoceFrameCodec::GetFrameBytes(frame) - ethernetBytes +
                                 RdmaOpcode::RETH_BYTES + RdmaOpcode::IMMDT_BYTES;
    frame.payloadBytes = 0;
    NS_ABORT_MSG_IF(packetBytes > engine.GetMtu(),
                    "RdmaQueuePair " << m_context.number << ": PathMtu " << m_pathMtu
                                     << " needs packets of " << packetBytes
                                     << " bytes, but the MTU of the port is " << engine.GetMtu());
}

void
RdmaQueuePair::ModifyToRts()
{
    NS_LOG_FUNCTION(this);
    switch (m_context.state)
    {
    case RdmaQpState::RTR:
        m_requester->Start(m_initialPsn);
        break;
    case RdmaQpState::SQD:
    case RdmaQpState::SQE:
        break;
    default:
        NS_ABORT_MSG("RdmaQueuePair " << m_context.number
                                      << ": RTS follows RTR only (or SQD, SQE)");
    }
    m_context.state = RdmaQpState::RTS;
    const RocePs now = RoceClock::Now();
    m_context.engine->CatchUp(now);
    m_context.engine->NotifyWork(this, now);
}

void
RdmaQueuePair::ModifyToSqd()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_context.state != RdmaQpState::RTS,
                    "RdmaQueuePair " << m_context.number << ": SQD follows RTS only");
    const RocePs now = RoceClock::Now();
    m_context.engine->CatchUp(now);
    m_context.state = RdmaQpState::SQD;
    m_context.engine->NotifyWork(this, now); // what has not begun must not have a turn any more
}

void
RdmaQueuePair::ModifyToError()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(!m_context.engine,
                    "RdmaQueuePair " << m_context.number << " has been destroyed");
    const RocePs now = RoceClock::Now();
    m_context.engine->CatchUp(now);
    m_context.state = RdmaQpState::ERR;
    FlushAll(now);
}

void
RdmaQueuePair::FlushAll(RocePs now)
{
    if (m_context.engine)
    {
        m_context.engine->NotifyIdle(this);
    }
    m_requester->Flush(RdmaWcStatus::WR_FLUSH_ERR, now);
    m_responder->Flush(now);
}

void
RdmaQueuePair::CheckRequest(const RdmaWorkRequest& request) const
{
    const auto number = m_context.number;
    const bool isReliable = m_context.service == RdmaService::RC;
    const bool isDatagram = m_context.service == RdmaService::UD;
    NS_ABORT_MSG_IF(m_context.state != RdmaQpState::RTS && m_context.state != RdmaQpState::SQD &&
                        m_context.state != RdmaQpState::ERR,
                    "RdmaQueuePair " << number
                                     << ": PostSend needs state RTS; connect the queue pair first");
    NS_ABORT_MSG_IF(request.IsSend() && request.length > RdmaRequester::MAX_MESSAGE_BYTES,
                    "RdmaQueuePair " << number << ": a SEND of " << request.length
                                     << " bytes exceeds the largest message, 2^31 bytes");
    NS_ABORT_MSG_IF(request.HasResponse() && !isReliable,
                    "RdmaQueuePair " << number
                                     << ": READ and atomics need the reliable connection service");
    NS_ABORT_MSG_IF(request.operation == RdmaOperation::SEND_WITH_INV && !isReliable,
                    "RdmaQueuePair " << number
                                     << ": SEND with invalidate needs the reliable "
                                        "connection service");
    NS_ABORT_MSG_IF(isDatagram && !request.IsSend(),
                    "RdmaQueuePair " << number << ": a datagram queue pair can only SEND");
    NS_ABORT_MSG_IF(isDatagram && request.length > m_context.pathMtu,
                    "RdmaQueuePair " << number << ": a datagram of " << request.length
                                     << " bytes exceeds the path MTU, " << m_context.pathMtu);
    NS_ABORT_MSG_IF(isDatagram && request.remoteEtherType != m_context.prototype.etherType,
                    "RdmaQueuePair " << number
                                     << ": the address of a datagram is of another family");
    NS_ABORT_MSG_IF(request.IsAtomic() && request.length != RdmaWorkRequest::ATOMIC_BYTES,
                    "RdmaQueuePair " << number << ": an atomic has 8 bytes, not "
                                     << request.length);
    NS_ABORT_MSG_IF(request.payload && request.payload->GetSize() != request.length,
                    "RdmaQueuePair " << number << ": the payload has " << request.payload->GetSize()
                                     << " bytes, the request says " << request.length);
    NS_ABORT_MSG_IF(request.inlineData && request.length > MAX_INLINE_BYTES,
                    "RdmaQueuePair " << number << ": " << request.length
                                     << " bytes of inline data exceed " << MAX_INLINE_BYTES);
    NS_ABORT_MSG_IF(request.HasResponse() && m_context.maxReadAtomic == 0,
                    "RdmaQueuePair " << number
                                     << ": MaxReadAtomic is 0, so READ and atomics "
                                        "cannot be sent");
}

void
RdmaQueuePair::PostSend(const RdmaWorkRequest& request)
{
    NS_LOG_FUNCTION(this << request.wrId << request.length);
    CheckRequest(request);
    const RocePs now = RoceClock::Now();
    m_context.engine->CatchUp(now);
    m_requester->Post(request, now);
    if (m_context.state == RdmaQpState::ERR)
    {
        m_requester->Flush(RdmaWcStatus::WR_FLUSH_ERR, now);
        return;
    }
    m_context.engine->NotifyWork(this, now);
}

void
RdmaQueuePair::PostReceive(const RdmaReceiveRequest& request)
{
    NS_LOG_FUNCTION(this << request.wrId << request.length);
    NS_ABORT_MSG_IF(m_context.state == RdmaQpState::RESET,
                    "RdmaQueuePair " << m_context.number << ": PostReceive needs INIT or later");
    NS_ABORT_MSG_IF(m_context.sharedReceiveQueue,
                    "RdmaQueuePair " << m_context.number
                                     << ": post to the shared receive queue instead");
    const RocePs now = RoceClock::Now();
    m_responder->Post(request, now);
    if (m_context.state == RdmaQpState::ERR)
    {
        m_responder->Flush(now);
    }
}

// --- the scheduler asks ---

RocePs
RdmaQueuePair::GetReadyTime(RocePs now)
{
    RocePs ready = RoceClock::NEVER;
    switch (m_context.state)
    {
    case RdmaQpState::RTS:
    case RdmaQpState::SQD:
        ready = std::min(m_requester->GetReadyTime(now), m_responder->GetReadyTime(now));
        break;
    case RdmaQpState::RTR:
        ready = m_responder->GetReadyTime(now);
        break;
    default:
        break;
    }
    return ready == RoceClock::NEVER ? ready : std::max(ready, m_context.limiter.GetReadyTime(now));
}

uint32_t
RdmaQueuePair::GetNextWireBytes() const
{
    return m_requester->GetNextWireBytes();
}

void
RdmaQueuePair::FillNextPacket(RoceFrame& frame, RocePs now)
{
    const bool canRespond = m_responder->GetReadyTime(now) <= now;
    const bool canRequest =
        m_context.state != RdmaQpState::RTR && m_requester->GetReadyTime(now) <= now;
    // READ responses and requests take turns.
    if (canRespond && (!canRequest || m_responseTurn))
    {
        m_responseTurn = false;
        m_responder->FillNextPacket(frame, now);
        return;
    }
    m_responseTurn = true;
    m_requester->FillNextPacket(frame, now);
}

// --- getters ---

RdmaQpState
RdmaQueuePair::GetState() const
{
    return m_context.state;
}

uint32_t
RdmaQueuePair::GetNumber() const
{
    return m_context.number;
}

uint64_t
RdmaQueuePair::GetId() const
{
    return m_context.id;
}

Ptr<RdmaEngine>
RdmaQueuePair::GetEngine() const
{
    return m_context.engine;
}

RdmaPeer
RdmaQueuePair::GetLocal() const
{
    NS_ABORT_MSG_IF(!m_context.engine,
                    "RdmaQueuePair " << m_context.number << " has been destroyed");
    RdmaPeer local;
    m_context.engine->GetAddress(local.address, local.etherType);
    local.number = m_context.number;
    local.initialPsn = m_initialPsn;
    return local;
}

Ptr<RdmaCompletionQueue>
RdmaQueuePair::GetSendCompletionQueue() const
{
    return m_context.sendQueue;
}

Ptr<RdmaCompletionQueue>
RdmaQueuePair::GetReceiveCompletionQueue() const
{
    return m_context.receiveQueue;
}

void
RdmaQueuePair::SetSendCompletionQueue(Ptr<RdmaCompletionQueue> queue)
{
    m_context.sendQueue = queue;
}

void
RdmaQueuePair::SetReceiveCompletionQueue(Ptr<RdmaCompletionQueue> queue)
{
    m_context.receiveQueue = queue;
}

void
RdmaQueuePair::SetSharedReceiveQueue(Ptr<RdmaSharedReceiveQueue> queue)
{
    NS_LOG_FUNCTION(this << queue);
    NS_ABORT_MSG_IF(m_context.state != RdmaQpState::RESET,
                    "RdmaQueuePair " << m_context.number
                                     << ": the shared receive queue is set in state RESET");
    m_context.sharedReceiveQueue = queue;
}

RdmaService
RdmaQueuePair::GetService() const
{
    return m_context.service;
}

Ptr<RdmaCongestionOps>
RdmaQueuePair::GetCongestionControl() const
{
    return m_context.limiter.GetCongestionControl();
}

const RdmaCounters&
RdmaQueuePair::GetCounters() const
{
    if (m_context.engine)
    {
        m_context.engine->CatchUp(RoceClock::Now());
    }
    return m_context.counters;
}

uint64_t
RdmaQueuePair::GetRate() const
{
    return m_context.limiter.GetState().rate;
}

uint64_t
RdmaQueuePair::GetCongestionSignals() const
{
    return m_context.limiter.GetState().signals;
}

std::size_t
RdmaQueuePair::GetSendQueueLength() const
{
    return m_requester->GetQueueLength();
}

std::size_t
RdmaQueuePair::GetReceiveQueueLength() const
{
    return m_responder->GetQueueLength();
}

Time
RdmaQueuePair::GetLastMessageTime() const
{
    return RoceClock::ToTime(m_responder->GetLastMessageTime());
}

const RdmaTransportState&
RdmaQueuePair::GetTransportState() const
{
    return m_requester->GetState();
}

} // namespace ns3
