/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-unreliable-responder.h"

#include "ns3/log.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaUnreliableResponder");

RdmaUnreliableResponder::RdmaUnreliableResponder(RdmaQpContext& context, MessageTrace& messageTrace)
    : RdmaResponder(context, messageTrace)
{
}

void
RdmaUnreliableResponder::Start(uint32_t initialPsn)
{
    // One PSN space above zero, so that packets before the first one have sequence numbers too.
    m_expected = uint64_t{RdmaPsn::SPACE} + RdmaPsn(initialPsn).Get();
}

void
RdmaUnreliableResponder::ReceiveRequest(const RoceFrame& frame, RocePs now)
{
    CheckMark(frame, now);
    const uint8_t opcode = frame.opcode;
    const bool isDatagram = m_context.service == RdmaService::UD;
    if (isDatagram)
    {
        if (frame.rKey != m_context.qKey)
        {
            Drop(frame);
            return;
        }
    }
    else
    {
        const uint64_t sequence = RdmaPsn::Unwrap(m_expected, frame.psn);
        if (sequence != m_expected)
        {
            m_context.counters.outOfSequence++;
            m_inMessage = false;
        }
        m_expected = sequence + 1;
    }
    const bool starts = RdmaOpcode::IsFirst(opcode) || RdmaOpcode::IsOnly(opcode);
    if (starts)
    {
        m_inMessage = false; // a message that lost its end is forgotten
    }
    const bool isWrite = RdmaOpcode::IsWrite(opcode);
    const bool ends = RdmaOpcode::IsLast(opcode) || RdmaOpcode::IsOnly(opcode);
    if (!IsValidNext(frame) ||
        (isWrite && (!(m_context.accessFlags & RDMA_REMOTE_WRITE) || !MayWrite(frame))))
    {
        Drop(frame);
        return;
    }
    const bool needsBuffer = isWrite ? ends && RdmaOpcode::HasImmediate(opcode) : starts;
    if (needsBuffer && !HaveBuffer())
    {
        Drop(frame);
        return;
    }
    if (!Place(frame))
    {
        if (!isWrite)
        {
            CompleteBuffer(RdmaWcOpcode::RECV, RdmaWcStatus::LOC_LEN_ERR, nullptr, now);
        }
        Drop(frame);
        return;
    }
    if (ends)
    {
        FinishMessage(frame, now);
    }
}

void
RdmaUnreliableResponder::Drop(const RoceFrame& frame)
{
    NS_LOG_LOGIC("QP " << m_context.number << " drops a message at PSN " << frame.psn);
    m_context.counters.droppedPackets++;
    m_inMessage = false;
}

} // namespace ns3
