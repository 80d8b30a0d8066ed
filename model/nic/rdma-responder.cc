/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-responder.h"

#include "rdma-engine.h"

#include "ns3/log.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"
#include "ns3/rdma-syndrome.h"

#include <limits>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaResponder");

RdmaResponder::RdmaResponder(RdmaQpContext& context, MessageTrace& messageTrace)
    : m_context(context),
      m_messageTrace(messageTrace)
{
}

void
RdmaResponder::Start(uint32_t initialPsn)
{
    // One PSN space above zero, so that packets before the first one have sequence numbers too.
    m_expected = uint64_t{RdmaPsn::SPACE} + RdmaPsn(initialPsn).Get();
}

void
RdmaResponder::Post(const RdmaReceiveRequest& request, RocePs now)
{
    m_buffers.push_back({request, now});
}

void
RdmaResponder::ReceiveRequest(const RoceFrame& frame, RocePs now)
{
    RdmaCounters& counters = m_context.counters;
    if (frame.ecn == RoceEcn::CE)
    {
        counters.ecnMarkedPackets++;
        m_context.engine->NotifyMarkedPacket(m_context, now);
    }
    const uint64_t sequence = RdmaPsn::Unwrap(m_expected, frame.psn);
    if (sequence > m_expected)
    {
        counters.outOfSequence++;
        if (!m_nakSent)
        {
            NS_LOG_LOGIC("QP " << m_context.number << " misses " << m_expected << ", got "
                               << sequence);
            m_nakSent = true;
            Answer(m_expected, RdmaSyndrome::MakeNak(RdmaSyndrome::PSN_SEQUENCE_ERROR), now);
        }
        return;
    }
    if (sequence < m_expected)
    {
        counters.duplicateRequest++;
        Answer(m_expected - 1, RdmaSyndrome::MakeAck(), now);
        return;
    }

    const uint8_t opcode = frame.opcode;
    if (!IsValidNext(frame))
    {
        Refuse(RdmaSyndrome::MakeNak(RdmaSyndrome::INVALID_REQUEST), now);
        return;
    }
    const bool starts = RdmaOpcode::IsFirst(opcode) || RdmaOpcode::IsOnly(opcode);
    const bool ends = RdmaOpcode::IsLast(opcode) || RdmaOpcode::IsOnly(opcode);
    const bool isWrite = RdmaOpcode::IsWrite(opcode);
    const bool needsBuffer = isWrite ? ends && RdmaOpcode::HasImmediate(opcode) : starts;
    if (needsBuffer && m_buffers.empty())
    {
        // Later packets of the burst are dropped without a NAK: the requester starts over anyway.
        m_nakSent = true;
        Answer(sequence, RdmaSyndrome::MakeRnrNak(m_context.minRnrTimer), now);
        return;
    }
    if (starts)
    {
        m_isWrite = isWrite;
        m_messageBytes = 0;
        m_messageLimit = isWrite ? frame.dmaLength : m_buffers.front().request.length;
    }
    m_messageBytes += frame.payloadBytes;
    if (m_messageBytes > m_messageLimit)
    {
        if (!isWrite)
        {
            Complete(RdmaWcOpcode::RECV, RdmaWcStatus::LOC_LEN_ERR, nullptr, now);
        }
        Refuse(RdmaSyndrome::MakeNak(RdmaSyndrome::INVALID_REQUEST), now);
        return;
    }
    m_inMessage = !ends;
    m_nakSent = false;
    m_expected++;
    m_sinceAck++;
    counters.packetsReceived++;
    counters.bytesReceived += frame.payloadBytes;
    if (ends)
    {
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

bool
RdmaResponder::IsValidNext(const RoceFrame& frame) const
{
    const uint8_t opcode = frame.opcode;
    const bool isWrite = RdmaOpcode::IsWrite(opcode);
    if (!isWrite && !RdmaOpcode::IsSend(opcode))
    {
        return false;
    }
    const bool starts = RdmaOpcode::IsFirst(opcode) || RdmaOpcode::IsOnly(opcode);
    if (starts == m_inMessage || (m_inMessage && isWrite != m_isWrite))
    {
        return false;
    }
    const uint32_t payload = frame.payloadBytes;
    if (RdmaOpcode::IsFirst(opcode) || RdmaOpcode::IsMiddle(opcode))
    {
        return payload == m_context.pathMtu;
    }
    return payload <= m_context.pathMtu && (payload > 0 || RdmaOpcode::IsOnly(opcode));
}

void
RdmaResponder::FinishMessage(const RoceFrame& frame, RocePs now)
{
    m_context.counters.messagesReceived++;
    m_lastMessageTime = now;
    // The buffer first, because a trace sink may destroy the queue pair.
    if (!m_isWrite)
    {
        Complete(RdmaWcOpcode::RECV, RdmaWcStatus::SUCCESS, &frame, now);
    }
    else if (RdmaOpcode::HasImmediate(frame.opcode))
    {
        Complete(RdmaWcOpcode::RECV_RDMA_WITH_IMM, RdmaWcStatus::SUCCESS, &frame, now);
    }
    m_messageTrace(RoceClock::ToTime(now), m_messageBytes);
}

void
RdmaResponder::Complete(RdmaWcOpcode opcode,
                        RdmaWcStatus status,
                        const RoceFrame* frame,
                        RocePs now)
{
    const Buffer buffer = m_buffers.front();
    m_buffers.pop_front();
    RdmaWorkCompletion completion;
    completion.wrId = buffer.request.wrId;
    completion.status = status;
    completion.opcode = opcode;
    completion.byteLength = status == RdmaWcStatus::SUCCESS ? m_messageBytes : 0;
    if (frame && RdmaOpcode::HasImmediate(frame->opcode))
    {
        completion.hasImmediate = true;
        completion.immediate = frame->ext.ack.immediate;
    }
    completion.qpNumber = m_context.number;
    completion.qpId = m_context.id;
    completion.posted = RoceClock::ToTime(buffer.posted);
    completion.completed = RoceClock::ToTime(now);
    Ptr<RdmaCompletionQueue> queue =
        m_context.receiveQueue; // the callback may destroy the queue pair
    queue->Push(completion);
}

void
RdmaResponder::Answer(uint64_t sequence, uint8_t syndrome, RocePs now)
{
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
        break;
    }
    RoceFramePtr frame = CreateRoceFrame();
    *frame = m_context.prototype;
    frame->opcode = RdmaOpcode::RC_ACKNOWLEDGE;
    frame->psn = static_cast<uint32_t>(sequence) & RdmaPsn::MASK;
    frame->ext.ack.syndrome = syndrome;
    frame->ext.ack.msn = m_msn;
    frame->dscp = m_context.ackDscp;
    frame->trafficClass = m_context.ackClass;
    frame->frameBytes = m_context.baseFrameBytes + RdmaOpcode::AETH_BYTES;
    m_context.engine->SendControl(std::move(frame), now);
}

void
RdmaResponder::Refuse(uint8_t syndrome, RocePs now)
{
    NS_LOG_LOGIC("QP " << m_context.number << " refuses " << m_expected);
    if (!m_context.engine)
    {
        return; // the user's callback has destroyed the queue pair
    }
    Answer(m_expected, syndrome, now);
    m_context.state = RdmaQpState::ERR;
    m_context.engine->NotifyError(m_context.number, m_context.id, now);
}

void
RdmaResponder::Flush(RocePs now)
{
    while (!m_buffers.empty())
    {
        Complete(RdmaWcOpcode::RECV, RdmaWcStatus::WR_FLUSH_ERR, nullptr, now);
    }
}

std::size_t
RdmaResponder::GetQueueLength() const
{
    return m_buffers.size();
}

} // namespace ns3
