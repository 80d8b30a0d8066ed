/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reliable-responder.h"

#include "rdma-engine.h"
#include "rdma-source-port.h"

#include "ns3/log.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"
#include "ns3/rdma-syndrome.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaReliableResponder");

RdmaReliableResponder::RdmaReliableResponder(RdmaQpContext& context, MessageTrace& messageTrace)
    : RdmaResponder(context, messageTrace)
{
}

void
RdmaReliableResponder::Start(uint32_t initialPsn)
{
    // One PSN space above zero, so that packets before the first one have sequence numbers too.
    m_expected = uint64_t{RdmaPsn::SPACE} + RdmaPsn(initialPsn).Get();
    m_messageStart = m_expected;
}

// --- order ---

void
RdmaReliableResponder::ReceiveRequest(const RoceFrame& frame, RocePs now)
{
    CheckMark(frame, now);
    const uint64_t sequence = RdmaPsn::Unwrap(m_expected, frame.psn);
    if (m_refused && sequence >= m_expected)
    {
        return;
    }
    if (sequence > m_expected)
    {
        ReceiveAfterGap(frame, sequence, now);
    }
    else if (sequence < m_expected)
    {
        ReceiveAgain(frame, sequence, now);
    }
    else
    {
        if (m_kept.empty())
        {
            Accept(frame, now);
        }
        else
        {
            AcceptWithKept(frame, now);
        }
    }
}

void
RdmaReliableResponder::ReceiveAfterGap(const RoceFrame& frame, uint64_t sequence, RocePs now)
{
    m_context.counters.outOfSequence++;
    const bool keeps = sequence - m_expected < m_context.recovery->GetReorderWindow();
    if (keeps)
    {
        m_kept.emplace(sequence, Kept{frame, false});
    }
    if (!m_context.recovery->ReportsGap(m_expected, sequence, m_nakSent) || (!keeps && m_nakSent))
    {
        return;
    }
    NS_LOG_LOGIC("QP " << m_context.number << " misses " << m_expected << ", got " << sequence);
    if (!keeps)
    {
        ReportGap(m_expected, now);
    }
    else if (m_nakSent)
    {
        ReportGap(sequence, now);
    }
    else
    {
        // What has come before the gap was worth a report, or before an earlier gap was closed.
        for (auto& [kept, packet] : m_kept)
        {
            if (!packet.reported)
            {
                ReportGap(kept, now);
            }
        }
    }
    if (m_context.recovery->RestartsMessages() && m_inMessage)
    {
        m_expected = m_messageStart;
        m_inMessage = false;
    }
}

void
RdmaReliableResponder::ReportGap(uint64_t received, RocePs now)
{
    m_nakSent = true;
    auto kept = m_kept.find(received);
    if (kept != m_kept.end())
    {
        kept->second.reported = true;
    }
    Answer(m_expected, RdmaSyndrome::MakeNak(RdmaSyndrome::PSN_SEQUENCE_ERROR), now, received);
}

void
RdmaReliableResponder::ReceiveAgain(const RoceFrame& frame, uint64_t sequence, RocePs now)
{
    m_context.counters.duplicateRequest++;
    const bool isRead = RdmaOpcode::IsReadRequest(frame.opcode);
    if (!isRead && !RdmaOpcode::IsAtomicRequest(frame.opcode))
    {
        Answer(m_expected - 1, RdmaSyndrome::MakeAck(), now);
        return;
    }
    for (const auto& resource : m_resources)
    {
        const uint64_t offset = sequence - resource.firstSequence;
        if (sequence < resource.firstSequence || offset >= resource.packets ||
            resource.isRead != isRead)
        {
            continue;
        }
        if (isRead)
        {
            AnswerRead(resource, offset, true, now);
        }
        else
        {
            AnswerAtomic(resource, true, now);
        }
        return;
    }
    NS_LOG_LOGIC("QP " << m_context.number << " cannot repeat " << sequence);
}

void
RdmaReliableResponder::AcceptWithKept(const RoceFrame& expected, RocePs now)
{
    m_holdsAcks = true;
    Accept(expected, now);
    while (!m_kept.empty() && m_kept.begin()->first <= m_expected &&
           (m_context.state == RdmaQpState::RTS || m_context.state == RdmaQpState::RTR ||
            m_context.state == RdmaQpState::SQD))
    {
        const uint64_t sequence = m_kept.begin()->first;
        const RoceFrame frame = m_kept.begin()->second.frame;
        m_kept.erase(m_kept.begin());
        if (sequence == m_expected)
        {
            Accept(frame, now);
        }
    }
    m_holdsAcks = false;
    if (m_ackHeld)
    {
        m_ackHeld = false;
        if (m_context.engine) // a callback may have destroyed the queue pair
        {
            Answer(m_heldSequence, RdmaSyndrome::MakeAck(), now);
        }
    }
}

void
RdmaReliableResponder::Accept(const RoceFrame& frame, RocePs now)
{
    if (!m_inMessage &&
        (RdmaOpcode::IsReadRequest(frame.opcode) || RdmaOpcode::IsAtomicRequest(frame.opcode)))
    {
        AcceptFetch(frame, now);
    }
    else
    {
        AcceptMessage(frame, now);
    }
}

// --- SEND and WRITE ---

void
RdmaReliableResponder::AcceptMessage(const RoceFrame& frame, RocePs now)
{
    const uint8_t opcode = frame.opcode;
    const bool isWrite = RdmaOpcode::IsWrite(opcode);
    if (!IsValidNext(frame) || (isWrite && !(m_context.accessFlags & RDMA_REMOTE_WRITE)))
    {
        Refuse(RdmaSyndrome::MakeNak(RdmaSyndrome::INVALID_REQUEST), now);
        return;
    }
    const bool starts = RdmaOpcode::IsFirst(opcode) || RdmaOpcode::IsOnly(opcode);
    const bool ends = RdmaOpcode::IsLast(opcode) || RdmaOpcode::IsOnly(opcode);
    const bool needsBuffer = isWrite ? ends && RdmaOpcode::HasImmediate(opcode) : starts;
    if (needsBuffer && !HaveBuffer())
    {
        // Later packets of the burst are dropped without a NAK: the requester starts over anyway.
        m_nakSent = true;
        Answer(m_expected, RdmaSyndrome::MakeRnrNak(m_context.minRnrTimer), now);
        return;
    }
    if (isWrite && !MayWrite(frame))
    {
        Refuse(RdmaSyndrome::MakeNak(RdmaSyndrome::REMOTE_ACCESS_ERROR), now);
        return;
    }
    if (!Place(frame))
    {
        if (!isWrite)
        {
            CompleteBuffer(RdmaWcOpcode::RECV, RdmaWcStatus::LOC_LEN_ERR, nullptr, now);
        }
        Refuse(RdmaSyndrome::MakeNak(RdmaSyndrome::INVALID_REQUEST), now);
        return;
    }
    const uint64_t sequence = m_expected;
    if (starts)
    {
        m_messageStart = m_expected;
    }
    m_nakSent = false;
    m_expected++;
    m_sinceAck++;
    if (ends)
    {
        m_messageStart = m_expected;
        m_msn = (m_msn + 1) & RdmaPsn::MASK;
    }
    if (frame.Has(RoceFrame::ACK_REQ) || m_sinceAck >= m_context.ackInterval)
    {
        Answer(sequence, RdmaSyndrome::MakeAck(), now);
    }
    if (ends)
    {
        FinishMessage(frame, now);
    }
}

// --- READ and atomics ---

void
RdmaReliableResponder::AcceptFetch(const RoceFrame& frame, RocePs now)
{
    const bool isRead = RdmaOpcode::IsReadRequest(frame.opcode);
    const RdmaAccess right = isRead ? RDMA_REMOTE_READ : RDMA_REMOTE_ATOMIC;
    const uint64_t length = isRead ? frame.dmaLength : RdmaWorkRequest::ATOMIC_BYTES;
    const bool isAligned = isRead || frame.remoteAddress % RdmaWorkRequest::ATOMIC_BYTES == 0;
    const auto unanswered =
        std::count_if(m_pending.begin(), m_pending.end(), [](const Pending& pending) {
            return pending.isFetch && !pending.isRepeat;
        });
    if (!(m_context.accessFlags & right) || !isAligned || unanswered >= m_context.maxDestReadAtomic)
    {
        Refuse(RdmaSyndrome::MakeNak(RdmaSyndrome::INVALID_REQUEST), now);
        return;
    }
    if (!m_context.memory->Allows(frame.rKey, frame.remoteAddress, length, right))
    {
        Refuse(RdmaSyndrome::MakeNak(RdmaSyndrome::REMOTE_ACCESS_ERROR), now);
        return;
    }
    m_msn = (m_msn + 1) & RdmaPsn::MASK;
    Resource resource;
    resource.firstSequence = m_expected;
    resource.msn = m_msn;
    resource.isRead = isRead;
    resource.packets = 1;
    if (isRead)
    {
        resource.packets =
            std::max<uint64_t>(1, (length + m_context.pathMtu - 1) / m_context.pathMtu);
        resource.remoteAddress = frame.remoteAddress;
        resource.rKey = frame.rKey;
        resource.length = length;
    }
    else
    {
        resource.result = Execute(frame);
    }
    m_expected += resource.packets;
    m_messageStart = m_expected;
    m_nakSent = false;
    m_sinceAck = 0; // the response acknowledges everything before
    m_context.counters.packetsReceived++;
    m_resources.push_back(resource);
    if (m_resources.size() > m_context.maxDestReadAtomic)
    {
        m_resources.pop_front();
    }
    if (isRead)
    {
        AnswerRead(resource, 0, false, now);
    }
    else
    {
        AnswerAtomic(resource, false, now);
    }
}

uint64_t
RdmaReliableResponder::Execute(const RoceFrame& frame)
{
    const uint64_t old = m_context.memory->ReadWord(frame.rKey, frame.remoteAddress);
    const auto& operands = frame.ext.atomic;
    if (frame.opcode == RdmaOpcode::RC_FETCH_ADD)
    {
        m_context.memory->WriteWord(frame.rKey, frame.remoteAddress, old + operands.swapAdd);
    }
    else if (old == operands.compare)
    {
        m_context.memory->WriteWord(frame.rKey, frame.remoteAddress, operands.swapAdd);
    }
    return old;
}

void
RdmaReliableResponder::AnswerRead(const Resource& resource,
                                  uint64_t offset,
                                  bool isRepeat,
                                  RocePs now)
{
    auto same = std::find_if(m_pending.begin(), m_pending.end(), [&](const Pending& pending) {
        return !pending.frame && pending.sequence == resource.firstSequence;
    });
    if (same != m_pending.end())
    {
        same->first = same->next = offset; // replaces what is left of the earlier answer
        return;
    }
    Pending pending;
    pending.sequence = resource.firstSequence;
    pending.resource = resource;
    pending.first = pending.next = offset;
    pending.notBefore = now + m_context.responseDelay;
    pending.isFetch = true;
    pending.isRepeat = isRepeat;
    Send(std::move(pending), now);
}

RocePs
RdmaReliableResponder::GetReadyTime(RocePs now) const
{
    return m_pending.empty() ? RoceClock::NEVER : std::max(now, m_pending.front().notBefore);
}

void
RdmaReliableResponder::FillNextPacket(RoceFrame& frame, RocePs now)
{
    Pending& pending = m_pending.front();
    if (pending.frame) // the answer to an atomic, which has taken its time
    {
        frame = *pending.frame;
        m_pending.pop_front();
        SendReady(now);
        return;
    }
    const Resource& resource = pending.resource;
    const uint64_t done = pending.next * m_context.pathMtu;
    const auto payload =
        static_cast<uint32_t>(std::min<uint64_t>(resource.length - done, m_context.pathMtu));
    if (!m_context.memory->Allows(resource.rKey,
                                  resource.remoteAddress + done,
                                  payload,
                                  RDMA_REMOTE_READ))
    {
        RevokeRead(frame, now);
        return;
    }
    const bool isFirst = pending.next == pending.first;
    const bool isLast = pending.next + 1 == resource.packets;
    frame = m_context.prototype;
    if (m_context.portPerMessage)
    {
        RdmaSourcePort::Spread(frame, m_context.number, resource.firstSequence);
    }
    frame.psn = static_cast<uint32_t>(resource.firstSequence + pending.next) & RdmaPsn::MASK;
    frame.payloadBytes = payload;
    frame.opcode =
        isFirst
            ? (isLast ? RdmaOpcode::RC_READ_RESPONSE_ONLY : RdmaOpcode::RC_READ_RESPONSE_FIRST)
            : (isLast ? RdmaOpcode::RC_READ_RESPONSE_LAST : RdmaOpcode::RC_READ_RESPONSE_MIDDLE);
    uint32_t extension = 0;
    if (isFirst || isLast)
    {
        extension = RdmaOpcode::AETH_BYTES;
        frame.ext.ack.syndrome = RdmaSyndrome::MakeAck();
        frame.ext.ack.msn = resource.msn;
    }
    if (payload > 0)
    {
        frame.packet =
            m_context.memory->Read(resource.rKey, resource.remoteAddress + done, payload);
    }
    frame.frameBytes =
        std::max(m_context.baseFrameBytes + extension + payload + frame.GetPadCount(),
                 RoceFrame::MIN_FRAME_BYTES);
    m_context.counters.packetsSent++;
    m_context.counters.bytesSent += payload;
    m_context.limiter.PacketSent(frame.GetWireBytes(), now);
    pending.next++;
    if (isLast)
    {
        m_pending.pop_front();
        SendReady(now);
    }
}

void
RdmaReliableResponder::RevokeRead(RoceFrame& frame, RocePs now)
{
    const uint64_t sequence = m_pending.front().sequence + m_pending.front().next;
    m_pending.clear();
    m_refused = true;
    frame = *MakeAnswer(sequence, RdmaSyndrome::MakeNak(RdmaSyndrome::REMOTE_ACCESS_ERROR));
    m_context.counters.naksSent++;
    SendReady(now);
}

void
RdmaReliableResponder::SendReady(RocePs now)
{
    while (!m_pending.empty() && m_pending.front().frame && m_pending.front().notBefore <= now)
    {
        RoceFramePtr answer = std::move(m_pending.front().frame);
        m_pending.pop_front();
        m_context.engine->SendControl(std::move(answer), now);
    }
    if (m_refused && m_pending.empty())
    {
        // An event of its own, because callbacks must not interfere with a departure.
        Simulator::ScheduleNow(&RdmaEngine::NotifyError,
                               Ptr<RdmaEngine>(m_context.engine),
                               m_context.number,
                               m_context.id,
                               now);
    }
}

void
RdmaReliableResponder::AnswerAtomic(const Resource& resource, bool isRepeat, RocePs now)
{
    Pending pending;
    pending.sequence = resource.firstSequence;
    pending.notBefore = now + m_context.responseDelay;
    pending.isFetch = true;
    pending.isRepeat = isRepeat;
    pending.frame = CreateRoceFrame();
    RoceFrame* frame = pending.frame.get();
    *frame = m_context.prototype;
    frame->opcode = RdmaOpcode::RC_ATOMIC_ACKNOWLEDGE;
    frame->psn = static_cast<uint32_t>(resource.firstSequence) & RdmaPsn::MASK;
    frame->ext.ack.syndrome = RdmaSyndrome::MakeAck();
    frame->ext.ack.msn = resource.msn;
    frame->remoteAddress = resource.result;
    frame->frameBytes =
        m_context.baseFrameBytes + RdmaOpcode::AETH_BYTES + RdmaOpcode::ATOMIC_ACK_ETH_BYTES;
    Send(std::move(pending), now);
}

// --- answers ---

void
RdmaReliableResponder::Answer(uint64_t sequence, uint8_t syndrome, RocePs now, uint64_t received)
{
    const bool isAck = RdmaSyndrome::GetType(syndrome) == RdmaSyndrome::ACK;
    m_ackHeld = isAck && m_holdsAcks; // a NAK acknowledges everything before
    if (m_ackHeld)
    {
        m_heldSequence = sequence;
        m_sinceAck = 0;
        return;
    }
    RoceFramePtr frame = MakeAnswer(sequence, syndrome);
    switch (RdmaSyndrome::GetType(syndrome))
    {
    case RdmaSyndrome::ACK:
        m_context.counters.acksSent++;
        m_sinceAck = 0;
        break;
    case RdmaSyndrome::RNR_NAK:
        m_context.counters.rnrNaksSent++;
        break;
    default:
        m_context.counters.naksSent++;
        if (m_context.recovery->GetReorderWindow() > 0)
        {
            // No public format exists for selective acknowledgments: the MSN, which no requester
            // needs in a NAK, carries the PSN that has arrived.
            frame->ext.ack.msn = static_cast<uint32_t>(received) & RdmaPsn::MASK;
        }
        break;
    }
    Pending pending;
    pending.sequence = sequence;
    pending.frame = std::move(frame);
    Send(std::move(pending), now);
}

RoceFramePtr
RdmaReliableResponder::MakeAnswer(uint64_t sequence, uint8_t syndrome) const
{
    RoceFramePtr frame = CreateRoceFrame();
    *frame = m_context.prototype;
    frame->opcode = RdmaOpcode::RC_ACKNOWLEDGE;
    frame->psn = static_cast<uint32_t>(sequence) & RdmaPsn::MASK;
    frame->ext.ack.msn = m_msn;
    frame->ext.ack.syndrome = syndrome;
    frame->dscp = m_context.ackDscp;
    frame->trafficClass = m_context.ackClass;
    frame->frameBytes = m_context.baseFrameBytes + RdmaOpcode::AETH_BYTES;
    return frame;
}

void
RdmaReliableResponder::Send(Pending pending, RocePs now)
{
    // The answer to a repeated request goes before those to later requests: the requester cannot
    // use them without it.
    const auto place = std::upper_bound(
        m_pending.begin(),
        m_pending.end(),
        pending.sequence,
        [](uint64_t sequence, const Pending& other) { return sequence < other.sequence; });
    const bool isNext = place == m_pending.begin();
    if (isNext && pending.frame && pending.notBefore <= now)
    {
        m_context.engine->SendControl(std::move(pending.frame), now);
        return;
    }
    m_pending.insert(place, std::move(pending));
    if (isNext)
    {
        m_context.engine->NotifyResponse(m_context.number, now);
    }
}

void
RdmaReliableResponder::Refuse(uint8_t syndrome, RocePs now)
{
    NS_LOG_LOGIC("QP " << m_context.number << " refuses " << m_expected);
    if (m_context.engine) // the callback of a failed receive may have destroyed the queue pair
    {
        Answer(m_expected, syndrome, now);
        m_refused = true;
        if (m_pending.empty())
        {
            m_context.engine->NotifyError(m_context.number, m_context.id, now);
        }
    }
}

void
RdmaReliableResponder::Flush(RocePs now)
{
    // Answers that are ready still leave; READ responses end here.
    for (auto& pending : m_pending)
    {
        if (pending.frame && m_context.engine)
        {
            m_context.engine->SendControl(std::move(pending.frame), now);
        }
    }
    m_pending.clear();
    m_kept.clear();
    m_resources.clear();
    RdmaResponder::Flush(now);
}

} // namespace ns3
