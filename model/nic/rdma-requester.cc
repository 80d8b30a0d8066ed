/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-requester.h"

#include "rdma-source-port.h"

#include "ns3/log.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRequester");

RdmaRequester::RdmaRequester(RdmaQpContext& context)
    : m_context(context)
{
}

RdmaRequester::~RdmaRequester() = default;

void
RdmaRequester::Start(uint32_t initialPsn)
{
    // One PSN space above zero, so that packets before the first one have sequence numbers too.
    const uint64_t first = uint64_t{RdmaPsn::SPACE} + RdmaPsn(initialPsn).Get();
    m_state.unacked = m_state.next = m_state.highest = m_state.end = first;
}

void
RdmaRequester::Post(const RdmaWorkRequest& request, RocePs now)
{
    m_queue.emplace_back();
    Entry& entry = m_queue.back();
    entry.request = request;
    entry.posted = now;
    const bool fetches = request.length > 0 && !request.inlineData && !request.HasResponse();
    entry.notBefore = now + m_context.sendDelay + (fetches ? m_context.fetchDelay : 0);
    entry.firstSequence = m_state.end;
    entry.firstPosition = m_postedPosition;
    entry.packets =
        request.IsAtomic()
            ? 1
            : std::max<uint64_t>(1, (request.length + m_context.pathMtu - 1) / m_context.pathMtu);
    entry.chunkPackets = entry.packets;
    if (request.length > MAX_MESSAGE_BYTES)
    {
        entry.chunkPackets = MAX_MESSAGE_BYTES / m_context.pathMtu;
    }
    if (request.HasResponse())
    {
        // All its PSNs are in use as soon as the request has left.
        entry.chunkPackets = std::min(entry.chunkPackets, MAX_READ_PACKETS);
    }
    m_state.end += entry.packets;
    m_postedPosition += request.HasResponse() ? 0 : request.length;
    m_context.counters.posted++;
}

uint32_t
RdmaRequester::GetPayload(const Entry& entry, uint64_t offset) const
{
    if (entry.request.HasResponse())
    {
        return 0;
    }
    return static_cast<uint32_t>(offset + 1 < entry.packets
                                     ? m_context.pathMtu
                                     : entry.request.length - offset * m_context.pathMtu);
}

void
RdmaRequester::FillRequest(RoceFrame& frame, const Entry& entry, uint64_t offset) const
{
    const RdmaWorkRequest& request = entry.request;
    const uint32_t payload = GetPayload(entry, offset);
    frame = m_context.prototype;
    if (m_context.portPerMessage)
    {
        RdmaSourcePort::Spread(frame, m_context.number, entry.firstSequence);
    }
    frame.psn = static_cast<uint32_t>(entry.firstSequence + offset) & RdmaPsn::MASK;
    frame.payloadBytes = payload;
    uint32_t extension = 0;
    if (!request.HasResponse())
    {
        extension = FillMessage(frame, entry, offset);
        if (request.payload && payload > 0)
        {
            const auto start = static_cast<uint32_t>(offset * m_context.pathMtu);
            frame.packet = request.payload->CreateFragment(start, payload);
        }
    }
    else if (request.operation == RdmaOperation::READ)
    {
        // Asks for what is missing: after a loss that is the rest of the message.
        const uint64_t done = offset * m_context.pathMtu;
        const uint64_t inChunk = offset % entry.chunkPackets;
        const uint64_t chunkLeft = (entry.chunkPackets - inChunk) * m_context.pathMtu;
        frame.opcode = RdmaOpcode::RC_READ_REQUEST;
        frame.remoteAddress = request.remoteAddress + done;
        frame.rKey = request.rKey;
        frame.dmaLength = static_cast<uint32_t>(std::min(request.length - done, chunkLeft));
        frame.flags |= RoceFrame::ACK_REQ;
        extension = RdmaOpcode::RETH_BYTES;
    }
    else
    {
        frame.opcode = request.operation == RdmaOperation::COMPARE_AND_SWAP
                           ? RdmaOpcode::RC_CMP_SWAP
                           : RdmaOpcode::RC_FETCH_ADD;
        frame.remoteAddress = request.remoteAddress;
        frame.rKey = request.rKey;
        frame.ext.atomic.swapAdd = request.swapAdd;
        frame.ext.atomic.compare = request.compare;
        frame.flags |= RoceFrame::ACK_REQ;
        extension = RdmaOpcode::ATOMIC_ETH_BYTES;
    }
    frame.frameBytes =
        std::max(m_context.baseFrameBytes + extension + payload + frame.GetPadCount(),
                 RoceFrame::MIN_FRAME_BYTES);
}

uint32_t
RdmaRequester::FillMessage(RoceFrame& frame, const Entry& entry, uint64_t offset) const
{
    const RdmaWorkRequest& request = entry.request;
    const uint64_t inChunk =
        entry.packets == entry.chunkPackets ? offset : offset % entry.chunkPackets;
    const bool isFirst = inChunk == 0;
    const bool isEnd = offset + 1 == entry.packets;
    const bool isLast = isEnd || inChunk + 1 == entry.chunkPackets;

    // Opcodes of all services follow one pattern: First, Middle, Last, Last Imm, Only, Only Imm.
    uint8_t opcode = request.IsWrite() ? RdmaOpcode::RC_WRITE_FIRST : RdmaOpcode::RC_SEND_FIRST;
    uint32_t extension = 0;
    if (isLast)
    {
        frame.flags |= RoceFrame::ACK_REQ;
        if (isEnd && request.operation == RdmaOperation::SEND_WITH_INV)
        {
            opcode = isFirst ? RdmaOpcode::RC_SEND_ONLY_INV : RdmaOpcode::RC_SEND_LAST_INV;
            extension += RdmaOpcode::IETH_BYTES;
            frame.rKey = request.invalidateKey;
        }
        else
        {
            opcode += isFirst ? 4 : 2;
            if (isEnd && request.HasImmediate())
            {
                opcode += 1;
                extension += RdmaOpcode::IMMDT_BYTES;
                frame.ext.ack.immediate = request.immediate;
            }
        }
        frame.flags |= isEnd && request.solicited ? RoceFrame::SOLICITED : 0;
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
    frame.opcode = static_cast<uint8_t>(static_cast<uint8_t>(m_context.service) << 5 | opcode);
    return extension;
}

void
RdmaRequester::CountSent(const RoceFrame& frame, RocePs now)
{
    m_context.counters.packetsSent++;
    m_context.counters.bytesSent += frame.payloadBytes;
    m_context.limiter.PacketSent(frame.GetWireBytes(), now);
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
    switch (entry.request.operation)
    {
    case RdmaOperation::WRITE:
    case RdmaOperation::WRITE_WITH_IMM:
        completion.opcode = RdmaWcOpcode::RDMA_WRITE;
        break;
    case RdmaOperation::READ:
        completion.opcode = RdmaWcOpcode::RDMA_READ;
        completion.payload = entry.response;
        break;
    case RdmaOperation::COMPARE_AND_SWAP:
        completion.opcode = RdmaWcOpcode::COMP_SWAP;
        completion.atomicResult = entry.atomicResult;
        break;
    case RdmaOperation::FETCH_AND_ADD:
        completion.opcode = RdmaWcOpcode::FETCH_ADD;
        completion.atomicResult = entry.atomicResult;
        break;
    default:
        completion.opcode = RdmaWcOpcode::SEND;
        break;
    }
    completion.byteLength = entry.request.length;
    completion.qpNumber = m_context.number;
    completion.qpId = m_context.id;
    completion.posted = RoceClock::ToTime(entry.posted);
    completion.completed = RoceClock::ToTime(now);
    Ptr<RdmaCompletionQueue> queue = m_context.sendQueue; // the callback may destroy the queue pair
    queue->Push(completion);
}

void
RdmaRequester::Flush(RdmaWcStatus status, RocePs now)
{
    DoFlush();
    m_state.unacked = m_state.next = m_state.highest = m_state.end;
    m_cursor = 0;
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
