/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reliable-requester.h"

#include "rdma-engine.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"
#include "ns3/rdma-syndrome.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaReliableRequester");

RdmaReliableRequester::RdmaReliableRequester(RdmaQpContext& context)
    : RdmaRequester(context)
{
}

void
RdmaReliableRequester::Start(uint32_t initialPsn)
{
    RdmaRequester::Start(initialPsn);
    m_retriesLeft = m_context.retryCount;
    m_rnrRetriesLeft = m_context.rnrRetry;
}

// --- sending ---

RocePs
RdmaReliableRequester::GetReadyTime(RocePs now)
{
    if (m_context.recovery->HasResend(m_state))
    {
        return std::max(now, m_blockedUntil);
    }
    const uint64_t limit = std::min(MAX_OUTSTANDING, m_context.recovery->GetMaxOutstanding());
    if (m_state.next == m_state.end || !m_context.limiter.IsWindowOpen() ||
        m_state.next - m_state.unacked >= limit)
    {
        return RoceClock::NEVER;
    }
    const Entry& entry = m_queue[m_cursor];
    RocePs ready = std::max(now, m_blockedUntil);
    if (m_state.next == entry.firstSequence && m_state.next == m_state.highest)
    {
        // The start of a work request.
        if (m_context.state == RdmaQpState::SQD || (entry.request.fence && !m_fetches.empty()))
        {
            return RoceClock::NEVER;
        }
        ready = std::max(ready, entry.notBefore);
    }
    // What is sent again has been counted.
    if (entry.request.HasResponse() && m_state.next == m_state.highest &&
        m_fetches.size() >= m_context.maxReadAtomic)
    {
        return RoceClock::NEVER;
    }
    return ready;
}

uint32_t
RdmaReliableRequester::GetNextWireBytes() const
{
    uint32_t payload = m_context.pathMtu;
    if (m_cursor < m_queue.size())
    {
        const Entry& entry = m_queue[m_cursor];
        payload = GetPayload(entry, m_state.next - entry.firstSequence);
    }
    return m_context.baseFrameBytes + payload + RoceFrame::PREAMBLE_BYTES + RoceFrame::GAP_BYTES;
}

void
RdmaReliableRequester::FillNextPacket(RoceFrame& frame, RocePs now)
{
    uint64_t sequence = m_state.next;
    const bool isResend = m_context.recovery->TakeResend(m_state, sequence);
    const Entry& entry = m_queue[isResend ? FindEntry(sequence) : m_cursor];
    const uint64_t offset = sequence - entry.firstSequence;
    FillRequest(frame, entry, offset);
    if (!m_state.IsOutstanding())
    {
        m_timerStart = now;
    }
    if (sequence < m_state.highest)
    {
        m_context.counters.retransmittedPackets++;
    }
    if (isResend)
    {
        frame.flags |= RoceFrame::ACK_REQ; // there is no later packet that would ask for it
        m_context.recovery->Resent(entry.request.HasResponse() ? GetFetchEnd(entry, offset)
                                                               : sequence + 1);
    }
    else
    {
        m_state.next = entry.request.HasResponse() ? GetFetchEnd(entry, offset) : sequence + 1;
        if (entry.request.HasResponse() && m_state.next > m_state.highest)
        {
            m_fetches.push_back({sequence, m_state.next});
        }
        m_state.highest = std::max(m_state.highest, m_state.next);
        m_nextPosition += frame.payloadBytes;
        if (m_state.next == entry.GetEnd())
        {
            m_cursor++;
        }
        m_context.limiter.SetBytesInFlight(m_nextPosition - m_unackedPosition);
        if (!m_context.limiter.IsWindowOpen() ||
            m_state.next - m_state.unacked >= MAX_OUTSTANDING ||
            m_state.next - m_state.unacked >= m_context.recovery->GetMaxOutstanding())
        {
            frame.flags |= RoceFrame::ACK_REQ;
        }
    }
    CountSent(frame, now);
}

uint64_t
RdmaReliableRequester::GetFetchEnd(const Entry& entry, uint64_t offset)
{
    const uint64_t chunkLeft = entry.chunkPackets - offset % entry.chunkPackets;
    return entry.firstSequence + std::min(entry.packets, offset + chunkLeft);
}

std::size_t
RdmaReliableRequester::FindEntry(uint64_t sequence) const
{
    const auto after = std::upper_bound(
        m_queue.begin(),
        m_queue.end(),
        sequence,
        [](uint64_t value, const Entry& entry) { return value < entry.firstSequence; });
    NS_ASSERT(after != m_queue.begin());
    return static_cast<std::size_t>(after - m_queue.begin()) - 1;
}

// --- receiving ---

uint64_t
RdmaReliableRequester::GetAckLimit() const
{
    return m_fetches.empty() ? std::numeric_limits<uint64_t>::max()
                             : std::max(m_fetches.front().first, m_state.unacked);
}

void
RdmaReliableRequester::ReceiveResponse(const RoceFrame& frame, RocePs now)
{
    if (frame.opcode == RdmaOpcode::RC_ACKNOWLEDGE)
    {
        ReceiveAcknowledge(frame, now);
        return;
    }
    if (frame.ecn == RoceEcn::CE)
    {
        m_context.counters.ecnMarkedPackets++;
        m_context.engine->NotifyMarkedPacket(m_context, frame, now);
    }
    ReceiveData(frame, now);
}

void
RdmaReliableRequester::ReceiveAcknowledge(const RoceFrame& frame, RocePs now)
{
    const uint64_t sequence = RdmaPsn::Unwrap(m_state.unacked, frame.psn);
    const uint8_t syndrome = frame.ext.ack.syndrome;
    const auto type = RdmaSyndrome::GetType(syndrome);
    if (type == RdmaSyndrome::ACK)
    {
        m_context.counters.acksReceived++;
        if (sequence >= m_state.unacked && sequence < m_state.highest)
        {
            const uint64_t limit = GetAckLimit();
            if (sequence >= limit)
            {
                Advance(limit, now);
                RepeatRequest(now);
                return;
            }
            Advance(sequence + 1, now);
        }
        return;
    }
    NS_LOG_LOGIC("QP " << m_context.number << " got " << RdmaSyndrome::GetName(syndrome));
    if (sequence < m_state.unacked || sequence >= m_state.highest)
    {
        return; // about a packet that has been acknowledged since, or that was never sent
    }
    const uint64_t limit = GetAckLimit();
    const bool isAbout = sequence <= limit; // else a response before it is missing
    Advance(std::min(sequence, limit), now);
    if (m_context.state != RdmaQpState::RTS && m_context.state != RdmaQpState::SQD)
    {
        return; // a callback has destroyed the queue pair
    }
    if (!isAbout)
    {
        RepeatRequest(now);
        return;
    }
    if (type == RdmaSyndrome::RNR_NAK)
    {
        ReceiveNotReady(RdmaSyndrome::GetCode(syndrome), now);
        return;
    }
    if (type != RdmaSyndrome::NAK)
    {
        return;
    }
    switch (RdmaSyndrome::GetCode(syndrome))
    {
    case RdmaSyndrome::PSN_SEQUENCE_ERROR: {
        m_context.counters.packetSeqErr++;
        m_context.limiter.LossDetected(now, false);
        m_timerStart = now;
        const uint64_t next = m_state.next;
        m_context.recovery->GapReported(m_state,
                                        RdmaPsn::Unwrap(m_state.unacked, frame.ext.ack.msn));
        if (m_context.recovery->RestartsMessages())
        {
            RestartMessage();
        }
        else if (m_state.next != next)
        {
            Rewind();
        }
        break;
    }
    case RdmaSyndrome::INVALID_REQUEST:
        Fail(RdmaWcStatus::REM_INV_REQ_ERR, now);
        break;
    case RdmaSyndrome::REMOTE_ACCESS_ERROR:
        Fail(RdmaWcStatus::REM_ACCESS_ERR, now);
        break;
    default:
        Fail(RdmaWcStatus::REM_OP_ERR, now);
        break;
    }
}

void
RdmaReliableRequester::ReceiveNotReady(uint8_t timerCode, RocePs now)
{
    constexpr RocePs MICROSECOND = 1'000'000;
    m_context.counters.rnrNaksReceived++;
    if (m_context.rnrRetry != 7 && m_rnrRetriesLeft-- == 0)
    {
        m_context.counters.rnrNakRetryErr++;
        Fail(RdmaWcStatus::RNR_RETRY_EXC_ERR, now);
        return;
    }
    m_blockedUntil = now + RdmaSyndrome::GetRnrDelayUs(timerCode) * MICROSECOND;
    const uint64_t next = m_state.next;
    m_context.recovery->TimedOut(m_state);
    if (m_state.next != next)
    {
        Rewind();
    }
}

void
RdmaReliableRequester::ReceiveData(const RoceFrame& frame, RocePs now)
{
    const uint64_t sequence = RdmaPsn::Unwrap(m_state.unacked, frame.psn);
    const uint64_t expected = GetAckLimit();
    if (m_fetches.empty() || sequence < expected || sequence >= m_state.highest)
    {
        return; // again, or about something that was never asked for
    }
    if (sequence > expected)
    {
        Advance(expected, now); // it also says that everything before that READ has arrived
        RepeatRequest(now);
        return;
    }
    Entry& entry = m_queue[FindEntry(sequence)];
    const bool isRead = RdmaOpcode::IsReadResponse(frame.opcode);
    const uint64_t offset = sequence - entry.firstSequence;
    const uint64_t wanted = offset + 1 < entry.packets
                                ? m_context.pathMtu
                                : entry.request.length - offset * m_context.pathMtu;
    if (isRead != (entry.request.operation == RdmaOperation::READ) ||
        (isRead && frame.payloadBytes != wanted))
    {
        Advance(expected, now);
        if (!m_queue.empty()) // else a callback has ended the queue pair
        {
            Fail(RdmaWcStatus::BAD_RESP_ERR, now);
        }
        return;
    }
    if (isRead)
    {
        m_context.counters.bytesReceived += frame.payloadBytes;
        if (frame.packet)
        {
            if (!entry.response)
            {
                entry.response = Create<Packet>();
            }
            entry.response->AddAtEnd(frame.packet);
        }
    }
    else
    {
        entry.atomicResult = frame.remoteAddress;
    }
    Advance(sequence + 1, now);
}

void
RdmaReliableRequester::RepeatRequest(RocePs now)
{
    if (m_responseGap || m_queue.empty())
    {
        return;
    }
    NS_LOG_LOGIC("QP " << m_context.number << " misses response " << m_state.unacked);
    m_responseGap = true;
    m_context.counters.impliedNakSeqErr++;
    m_context.limiter.LossDetected(now, false);
    m_timerStart = now;
    m_state.next = m_state.unacked;
    Rewind();
}

void
RdmaReliableRequester::Advance(uint64_t sequence, RocePs now)
{
    if (sequence <= m_state.unacked)
    {
        return;
    }
    m_responseGap = false;
    m_retriesLeft = m_context.retryCount;
    m_rnrRetriesLeft = m_context.rnrRetry;
    m_timerStart = now;
    m_blockedUntil = 0; // another copy of the packet has found the receiver ready
    m_state.unacked = sequence;
    std::size_t done = 0; // work requests that are complete now
    while (done < m_queue.size() && m_queue[done].GetEnd() <= sequence)
    {
        done++;
    }
    const uint64_t before = m_unackedPosition;
    m_unackedPosition = m_postedPosition;
    if (done < m_queue.size())
    {
        const Entry& entry = m_queue[done];
        m_unackedPosition = entry.firstPosition;
        if (sequence > entry.firstSequence && !entry.request.HasResponse())
        {
            m_unackedPosition += (sequence - entry.firstSequence) * m_context.pathMtu;
        }
    }
    if (m_state.next < m_state.unacked)
    {
        m_state.next = m_state.unacked;
        m_nextPosition = m_unackedPosition;
        m_cursor = done;
    }
    while (!m_fetches.empty() && m_fetches.front().end <= sequence)
    {
        m_fetches.pop_front();
    }
    m_context.recovery->Advanced(m_state);
    RdmaAckEvent event;
    event.time = now;
    event.bytesAcked = m_unackedPosition - before;
    m_context.counters.bytesAcked += event.bytesAcked;
    m_context.limiter.SetBytesInFlight(m_nextPosition - m_unackedPosition);
    m_context.limiter.AckReceived(event);
    // One by one, because the user's callback may post more work or destroy the queue pair.
    while (!m_queue.empty() && m_queue.front().GetEnd() <= m_state.unacked)
    {
        const Entry entry = m_queue.front();
        m_queue.pop_front();
        m_cursor -= m_cursor > 0 ? 1 : 0;
        Complete(entry, RdmaWcStatus::SUCCESS, now);
    }
}

void
RdmaReliableRequester::Rewind()
{
    m_cursor = 0;
    m_nextPosition = m_unackedPosition;
    m_context.limiter.SetBytesInFlight(0);
}

void
RdmaReliableRequester::RestartMessage()
{
    const Entry& entry = m_queue.front();
    const uint64_t offset = m_state.unacked - entry.firstSequence;
    const uint64_t start = offset - offset % entry.chunkPackets;
    if (!entry.request.HasResponse())
    {
        const uint64_t before = m_unackedPosition;
        m_state.unacked = entry.firstSequence + start;
        m_unackedPosition = entry.firstPosition + start * m_context.pathMtu;
        m_context.counters.bytesAcked -= before - m_unackedPosition; // in vain
    }
    m_state.next = m_state.unacked;
    Rewind();
}

// --- time and failure ---

RocePs
RdmaReliableRequester::GetTimeoutDeadline() const
{
    return m_context.ackTimeout && m_state.IsOutstanding()
               ? std::max(m_timerStart, m_blockedUntil) +
                     m_context.recovery->GetTimeout(m_state, m_context.ackTimeout)
               : RoceClock::NEVER;
}

RocePs
RdmaReliableRequester::GetTimeoutCheck(RocePs now) const
{
    // Only progress, which starts a timeout anew, makes a deadline come earlier.
    return std::min(GetTimeoutDeadline(),
                    now + m_context.recovery->GetShortestTimeout(m_context.ackTimeout));
}

void
RdmaReliableRequester::TimeOut(RocePs now)
{
    NS_LOG_LOGIC("QP " << m_context.number << " timed out, retries left " << +m_retriesLeft);
    m_context.counters.localAckTimeoutErr++;
    if (m_retriesLeft == 0)
    {
        Fail(RdmaWcStatus::RETRY_EXC_ERR, now);
        return;
    }
    m_retriesLeft--;
    m_timerStart = now;
    m_responseGap = false;
    m_context.limiter.LossDetected(now, true);
    const uint64_t next = m_state.next;
    m_context.recovery->TimedOut(m_state);
    if (m_context.recovery->RestartsMessages())
    {
        RestartMessage();
    }
    else if (m_state.next != next)
    {
        Rewind();
    }
}

void
RdmaReliableRequester::Fail(RdmaWcStatus status, RocePs now)
{
    NS_LOG_LOGIC("QP " << m_context.number << " fails with " << status);
    m_context.state = RdmaQpState::ERR;
    const Entry first = m_queue.front();
    m_queue.pop_front();
    Complete(first, status, now);
    Flush(RdmaWcStatus::WR_FLUSH_ERR, now);
    if (m_context.engine) // the callback may have destroyed the queue pair
    {
        m_context.engine->NotifyError(m_context.number, m_context.id, now);
    }
}

void
RdmaReliableRequester::DoFlush()
{
    m_fetches.clear();
    m_responseGap = false;
    m_unackedPosition = m_nextPosition = m_postedPosition;
    m_context.limiter.SetBytesInFlight(0);
    if (m_context.recovery)
    {
        m_context.recovery->Reset();
    }
}

} // namespace ns3
