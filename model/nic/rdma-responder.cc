/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-responder.h"

#include "rdma-engine.h"

#include "ns3/log.h"
#include "ns3/rdma-opcode.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaResponder");

RdmaResponder::RdmaResponder(RdmaQpContext& context, MessageTrace& messageTrace)
    : m_context(context),
      m_messageTrace(messageTrace)
{
}

RdmaResponder::~RdmaResponder() = default;

void
RdmaResponder::Start(uint32_t)
{
}

void
RdmaResponder::Post(const RdmaReceiveRequest& request, RocePs now)
{
    m_buffers.push_back({request, now});
}

RocePs
RdmaResponder::GetReadyTime(RocePs) const
{
    return RoceClock::NEVER;
}

void
RdmaResponder::FillNextPacket(RoceFrame&, RocePs)
{
}

void
RdmaResponder::CheckMark(const RoceFrame& frame, RocePs now)
{
    if (frame.ecn == RoceEcn::CE)
    {
        m_context.counters.ecnMarkedPackets++;
        m_context.engine->NotifyMarkedPacket(m_context, frame, now);
    }
}

bool
RdmaResponder::IsValidNext(const RoceFrame& frame) const
{
    const uint8_t opcode = frame.opcode;
    const bool isWrite = RdmaOpcode::IsWrite(opcode);
    if ((!isWrite && !RdmaOpcode::IsSend(opcode)) ||
        RdmaOpcode::GetService(opcode) != static_cast<uint8_t>(m_context.service))
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

bool
RdmaResponder::HaveBuffer()
{
    if (m_hasBuffer)
    {
        return true;
    }
    if (m_context.sharedReceiveQueue)
    {
        m_hasBuffer = m_context.sharedReceiveQueue->Take(m_buffer);
    }
    else if (!m_buffers.empty())
    {
        m_buffer = m_buffers.front();
        m_buffers.pop_front();
        m_hasBuffer = true;
    }
    return m_hasBuffer;
}

bool
RdmaResponder::MayWrite(const RoceFrame& frame) const
{
    // The region may be deregistered in the middle of a message.
    return m_inMessage ? m_context.memory->Allows(m_writeKey,
                                                  m_writeAddress,
                                                  frame.payloadBytes,
                                                  RDMA_REMOTE_WRITE)
                       : m_context.memory->Allows(frame.rKey,
                                                  frame.remoteAddress,
                                                  frame.dmaLength,
                                                  RDMA_REMOTE_WRITE);
}

bool
RdmaResponder::Place(const RoceFrame& frame)
{
    const uint8_t opcode = frame.opcode;
    if (RdmaOpcode::IsFirst(opcode) || RdmaOpcode::IsOnly(opcode))
    {
        m_isWrite = RdmaOpcode::IsWrite(opcode);
        m_messageBytes = 0;
        m_messageLimit = m_isWrite ? frame.dmaLength : m_buffer.request.length;
        if (m_context.service == RdmaService::UD)
        {
            m_messageLimit -= std::min<uint64_t>(m_messageLimit, GRH_BYTES);
        }
        m_writeAddress = frame.remoteAddress;
        m_writeKey = frame.rKey;
        m_payload = nullptr;
    }
    m_messageBytes += frame.payloadBytes;
    if (m_messageBytes > m_messageLimit)
    {
        return false;
    }
    if (frame.packet)
    {
        if (m_isWrite)
        {
            m_context.memory->Write(m_writeKey, m_writeAddress, frame.packet);
        }
        else
        {
            if (!m_payload)
            {
                m_payload = Create<Packet>();
            }
            m_payload->AddAtEnd(frame.packet);
        }
    }
    m_writeAddress += frame.payloadBytes;
    m_inMessage = !(RdmaOpcode::IsLast(opcode) || RdmaOpcode::IsOnly(opcode));
    m_context.counters.packetsReceived++;
    m_context.counters.bytesReceived += frame.payloadBytes;
    return true;
}

void
RdmaResponder::FinishMessage(const RoceFrame& frame, RocePs now)
{
    m_context.counters.messagesReceived++;
    m_lastMessageTime = now;
    const uint64_t bytes = m_messageBytes;
    if (RdmaOpcode::HasInvalidate(frame.opcode))
    {
        m_context.memory->Deregister(frame.rKey);
    }
    if (!m_isWrite)
    {
        CompleteBuffer(RdmaWcOpcode::RECV, RdmaWcStatus::SUCCESS, &frame, now);
    }
    else if (RdmaOpcode::HasImmediate(frame.opcode))
    {
        CompleteBuffer(RdmaWcOpcode::RECV_RDMA_WITH_IMM, RdmaWcStatus::SUCCESS, &frame, now);
    }
    // Last, because a sink may destroy the queue pair.
    m_messageTrace(RoceClock::ToTime(now), bytes);
}

void
RdmaResponder::CompleteBuffer(RdmaWcOpcode opcode,
                              RdmaWcStatus status,
                              const RoceFrame* frame,
                              RocePs now)
{
    m_hasBuffer = false;
    RdmaWorkCompletion completion;
    completion.wrId = m_buffer.request.wrId;
    completion.status = status;
    completion.opcode = opcode;
    if (status == RdmaWcStatus::SUCCESS)
    {
        completion.byteLength = m_messageBytes;
        completion.payload = m_payload;
        if (m_context.service == RdmaService::UD)
        {
            completion.byteLength += GRH_BYTES;
            completion.hasGrh = true;
            completion.sourceQp = frame->dmaLength;
        }
        if (RdmaOpcode::HasImmediate(frame->opcode))
        {
            completion.hasImmediate = true;
            completion.immediate = frame->ext.ack.immediate;
        }
        if (RdmaOpcode::HasInvalidate(frame->opcode))
        {
            completion.hasInvalidate = true;
            completion.invalidatedKey = frame->rKey;
        }
    }
    m_payload = nullptr;
    completion.qpNumber = m_context.number;
    completion.qpId = m_context.id;
    completion.posted = RoceClock::ToTime(m_buffer.posted);
    completion.completed = RoceClock::ToTime(now);
    Ptr<RdmaCompletionQueue> queue = m_context.receiveQueue; // the callback may destroy the QP
    queue->Push(completion);
}

void
RdmaResponder::Flush(RocePs now)
{
    if (m_hasBuffer)
    {
        CompleteBuffer(RdmaWcOpcode::RECV, RdmaWcStatus::WR_FLUSH_ERR, nullptr, now);
    }
    while (!m_buffers.empty()) // those of a shared queue stay there
    {
        m_buffer = m_buffers.front();
        m_buffers.pop_front();
        CompleteBuffer(RdmaWcOpcode::RECV, RdmaWcStatus::WR_FLUSH_ERR, nullptr, now);
    }
}

std::size_t
RdmaResponder::GetQueueLength() const
{
    return m_buffers.size() + (m_hasBuffer ? 1 : 0);
}

} // namespace ns3
