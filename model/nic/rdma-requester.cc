/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-requester.h"

#include "rdma-engine.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"
#include "ns3/rdma-syndrome.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRequester");

RdmaRequester::RdmaRequester(RdmaQpContext& context)
    : m_context(context)
{
}

void
RdmaRequester::Start(uint32_t initialPsn, RocePs now)
{
    // One PSN space above zero, so that packets before the first one have sequence numbers too.
    const uint64_t first = uint64_t{RdmaPsn::SPACE} + RdmaPsn(initialPsn).Get();
    m_state.unacked = m_state.next = m_state.highest = m_state.end = first;
    m_retriesLeft = m_context.retryCount;
    m_rnrRetriesLeft = m_context.rnrRetry;
    m_context.congestion->Init(m_context.congestionState, now);
}

void
RdmaRequester::Post(const RdmaWorkRequest& request, RocePs now)
{
    Entry entry;
    entry.request = request;
    entry.posted = now;
    entry.firstSequence = m_state.end;
    entry.packets =
        std::max<uint64_t>(1, (request.length + m_context.pathMtu - 1) / m_context.pathMtu);
    entry.chunkPackets =
        request.length > MAX_MESSAGE_BYTES ? MAX_MESSAGE_BYTES / m_context.pathMtu : entry.packets;
    m_state.end += entry.packets;
    m_queue.push_back(entry);
    m_context.counters.posted++;
}

uint64_t
RdmaRequester::GetPayload(const Entry& entry, uint64_t offset) const
{
    return offset + 1 < entry.packets ? m_context.pathMtu
                                      : entry.request.length - offset * m_context.pathMtu;
}

void
RdmaRequester::AdvanceCongestion(RocePs now)
{
    RdmaCongestionState& state = m_context.congestionState;
    while (state.nextUpdate <= now)
    {
        const RocePs when = state.nextUpdate;
        m_pacer.Settle(when, state.rate);
        m_context.congestion->Update(state, when);
    }
    m_pacer.Settle(now, state.rate);
}

RocePs
RdmaRequester::GetReadyTime(RocePs now)
{
    RdmaCongestionState& state = m_context.congestionState;
    if (m_state.next == m_state.end || m_nextPosition - m_unackedPosition >= state.window ||
        m_state.next - m_state.unacked >= MAX_OUTSTANDING)
    {
        return RoceClock::NEVER;
    }
    RocePs ready = std::max(now, m_blockedUntil);
    if (state.rate < state.lineRate || now >= state.nextUpdate)
    {
        AdvanceCongestion(now);
        if (state.rate < state.lineRate)
        {
            ready = std::max(ready, std::min(m_pacer.GetReadyTime(state.rate), state.nextUpdate));
        }
    }
    return ready;
}

uint32_t
RdmaRequester::GetNextWireBytes() const
{
    const Entry& entry = m_queue[m_cursor];
    const uint64_t payload = GetPayload(entry, m_state.next - entry.firstSequence);
    return m_context.baseFrameBytes + payload + RoceFrame::PREAMBLE_BYTES + RoceFrame::GAP_BYTES;
}

void
RdmaRequester::FillNextPacket(RoceFrame& frame, RocePs now)
{
    const Entry& entry = m_queue[m_cursor];
    const RdmaWorkRequest& request = entry.request;
    const uint64_t offset = m_state.next - entry.firstSequence;
    const uint64_t inChunk =
        entry.packets == entry.chunkPackets ? offset : offset % entry.chunkPackets;
    const bool isFirst = inChunk == 0;
    const bool isLast = offset + 1 == entry.packets || inChunk + 1 == entry.chunkPackets;
    const bool isEnd = offset + 1 == entry.packets;
    const auto payload = static_cast<uint32_t>(GetPayload(entry, offset));

    frame = m_context.prototype;
    frame.psn = static_cast<uint32_t>(m_state.next) & RdmaPsn::MASK;
    frame.payloadBytes = payload;

    // Opcodes of a service follow one pattern: First, Middle, Last, Last Imm, Only, Only Imm.
    uint8_t opcode = request.IsWrite() ? RdmaOpcode::RC_WRITE_FIRST : RdmaOpcode::RC_SEND_FIRST;
    uint32_t extension = 0;
    if (isLast)
    {
        opcode += isFirst ? 4 : 2;
        if (isEnd)
        {
            frame.flags |= request.solicited ? RoceFrame::SOLICITED : 0;
            if (request.HasImmediate())
            {
                opcode += 1;
                extension += RdmaOpcode::IMMDT_BYTES;
                frame.ext.ack.immediate = request.immediate;
            }
        }
    }
    else if (!isFirst)
    {
        opcode += 1;
    }
    if (isFirst && request.IsWrite())
    {
        const uint64_t done = offset * m_context.pathMtu;
        extension += RdmaOpcode::RETH_BYTES;
        frame.remoteAddress = request.remoteAddress + done;
        frame.rKey = request.rKey;
        frame.dmaLength = static_cast<uint32_t>(
            std::min(request.length - done, entry.chunkPackets * m_context.pathMtu));
    }
    frame.opcode = opcode;
    frame.frameBytes =
        std::max(m_context.baseFrameBytes + extension + payload + frame.GetPadCount(),
                 RoceFrame::MIN_FRAME_BYTES);

    if (!m_state.IsOutstanding())
    {
        m_timerStart = now;
    }
    if (m_state.next < m_state.highest)
    {
        m_context.counters.retransmittedPackets++;
    }
    m_state.next++;
    m_state.highest = std::max(m_state.highest, m_state.next);
    m_nextPosition += payload;
    if (isEnd)
    {
        m_cursor++;
    }
    m_context.counters.packetsSent++;
    m_context.counters.bytesSent += payload;

    RdmaCongestionState& state = m_context.congestionState;
    state.bytesInFlight = m_nextPosition - m_unackedPosition;
    if (isLast || state.bytesInFlight >= state.window ||
        m_state.next - m_state.unacked >= MAX_OUTSTANDING)
    {
        frame.flags |= RoceFrame::ACK_REQ;
    }
    if (state.rate < state.lineRate)
    {
        AdvanceCongestion(now);
        m_pacer.Charge(frame.GetWireBytes());
    }
    m_context.congestion->PacketSent(state, now, frame.GetWireBytes());
}

void
RdmaRequester::ReceiveAcknowledge(const RoceFrame& frame, RocePs now)
{
    const uint64_t sequence = RdmaPsn::Unwrap(m_state.unacked, frame.psn);
    const uint8_t syndrome = frame.ext.ack.syndrome;
    const auto type = RdmaSyndrome::GetType(syndrome);
    if (type == RdmaSyndrome::ACK)
    {
        m_context.counters.acksReceived++;
        if (sequence >= m_state.unacked && sequence < m_state.highest)
        {
            Advance(sequence + 1, now);
        }
        return;
    }
    NS_LOG_LOGIC("QP " << m_context.number << " got " << RdmaSyndrome::GetName(syndrome));
    if (sequence < m_state.unacked || sequence >= m_state.highest)
    {
        return; // about a packet that has been acknowledged since, or that was never sent
    }
    if (sequence > m_state.unacked)
    {
        Advance(sequence, now);
        if (m_context.state != RdmaQpState::RTS)
        {
            return;
        }
    }
    if (type == RdmaSyndrome::RNR_NAK)
    {
        m_context.counters.rnrNaksReceived++;
        if (m_context.rnrRetry != 7 && m_rnrRetriesLeft-- == 0)
        {
            Fail(RdmaWcStatus::RNR_RETRY_EXC_ERR, now);
            return;
        }
        constexpr RocePs MICROSECOND = 1'000'000;
        m_blockedUntil =
            now + RdmaSyndrome::GetRnrDelayUs(RdmaSyndrome::GetCode(syndrome)) * MICROSECOND;
        m_timerStart = m_blockedUntil;
        m_state.next = m_state.unacked;
        Rewind();
        return;
    }
    if (type != RdmaSyndrome::NAK)
    {
        return;
    }
    switch (RdmaSyndrome::GetCode(syndrome))
    {
    case RdmaSyndrome::PSN_SEQUENCE_ERROR:
        m_context.counters.packetSeqErr++;
        AdvanceCongestion(now);
        m_context.congestion->LossDetected(m_context.congestionState, now, false);
        m_context.recovery->GapReported(m_state);
        m_timerStart = now;
        Rewind();
        break;
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
RdmaRequester::Advance(uint64_t sequence, RocePs now)
{
    const uint64_t before = m_unackedPosition;
    m_retriesLeft = m_context.retryCount;
    m_rnrRetriesLeft = m_context.rnrRetry;
    m_timerStart = now;
    std::size_t done = 0; // work requests that are complete now
    while (m_state.unacked < sequence)
    {
        const Entry& entry = m_queue[done];
        const uint64_t from = m_state.unacked - entry.firstSequence;
        const uint64_t to = std::min(sequence - entry.firstSequence, entry.packets);
        m_unackedPosition += (to - 1 - from) * m_context.pathMtu + GetPayload(entry, to - 1);
        m_state.unacked = entry.firstSequence + to;
        done += to == entry.packets ? 1 : 0;
    }
    if (m_state.next < m_state.unacked)
    {
        m_state.next = m_state.unacked;
        m_nextPosition = m_unackedPosition;
        m_cursor = done;
    }
    RdmaCongestionState& state = m_context.congestionState;
    RdmaAckEvent event;
    event.time = now;
    event.bytesAcked = m_unackedPosition - before;
    m_context.counters.bytesAcked += event.bytesAcked;
    state.bytesInFlight = m_nextPosition - m_unackedPosition;
    if (now >= state.nextUpdate)
    {
        AdvanceCongestion(now);
    }
    const uint64_t rate = state.rate;
    m_context.congestion->AckReceived(state, event);
    if (state.rate != rate)
    {
        m_pacer.Settle(now, rate);
    }
    // One by one, because the user's callback may post more work or destroy the queue pair.
    while (!m_queue.empty() &&
           m_queue.front().firstSequence + m_queue.front().packets <= m_state.unacked)
    {
        const Entry entry = m_queue.front();
        m_queue.pop_front();
        m_cursor -= m_cursor > 0 ? 1 : 0;
        Complete(entry, RdmaWcStatus::SUCCESS, now);
    }
}

void
RdmaRequester::Rewind()
{
    m_cursor = 0;
    m_nextPosition = m_unackedPosition;
    m_context.congestionState.bytesInFlight = 0;
}

void
RdmaRequester::ReceiveCnp(RocePs now)
{
    m_context.counters.cnpHandled++;
    AdvanceCongestion(now);
    m_context.congestion->CnpReceived(m_context.congestionState, now);
}

RocePs
RdmaRequester::GetTimeoutDeadline() const
{
    return m_context.ackTimeout && m_state.IsOutstanding() ? m_timerStart + m_context.ackTimeout
                                                           : RoceClock::NEVER;
}

void
RdmaRequester::TimeOut(RocePs now)
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
    AdvanceCongestion(now);
    m_context.congestion->LossDetected(m_context.congestionState, now, true);
    m_context.recovery->TimedOut(m_state);
    Rewind();
}

void
RdmaRequester::Complete(const Entry& entry, RdmaWcStatus status, RocePs now)
{
    const bool success = status == RdmaWcStatus::SUCCESS;
    (success ? m_context.counters.completed : m_context.counters.failed)++;
    if (success && !entry.request.signaled)
    {
        return;
    }
    RdmaWorkCompletion completion;
    completion.wrId = entry.request.wrId;
    completion.status = status;
    completion.opcode = entry.request.IsWrite() ? RdmaWcOpcode::RDMA_WRITE : RdmaWcOpcode::SEND;
    completion.byteLength = entry.request.length;
    completion.qpNumber = m_context.number;
    completion.qpId = m_context.id;
    completion.posted = RoceClock::ToTime(entry.posted);
    completion.completed = RoceClock::ToTime(now);
    Ptr<RdmaCompletionQueue> queue = m_context.sendQueue; // the callback may destroy the queue pair
    queue->Push(completion);
}

void
RdmaRequester::Fail(RdmaWcStatus status, RocePs now)
{
    NS_LOG_LOGIC("QP " << m_context.number << " fails with " << status);
    m_context.state = RdmaQpState::ERR;
    Entry first = m_queue.front();
    m_queue.pop_front();
    Complete(first, status, now);
    Flush(RdmaWcStatus::WR_FLUSH_ERR, now);
    if (m_context.engine) // the callback may have destroyed the queue pair
    {
        m_context.engine->NotifyError(m_context.number, m_context.id, now);
    }
}

void
RdmaRequester::Flush(RdmaWcStatus status, RocePs now)
{
    m_state.unacked = m_state.next = m_state.highest = m_state.end;
    m_cursor = 0;
    m_nextPosition = m_unackedPosition;
    std::deque<Entry> entries;
    entries.swap(m_queue);
    for (const auto& entry : entries)
    {
        Complete(entry, status, now);
    }
}

std::size_t
RdmaRequester::GetQueueLength() const
{
    return m_queue.size();
}

} // namespace ns3
