/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-unreliable-requester.h"

#include "rdma-engine.h"

#include "ns3/rdma-opcode.h"
#include "ns3/roce-frame-codec.h"

#include <algorithm>

namespace ns3
{

RdmaUnreliableRequester::RdmaUnreliableRequester(RdmaQpContext& context)
    : RdmaRequester(context)
{
}

RocePs
RdmaUnreliableRequester::GetReadyTime(RocePs now)
{
    if (m_state.next == m_state.end)
    {
        return RoceClock::NEVER;
    }
    const Entry& entry = m_queue.front();
    if (m_state.next != entry.firstSequence)
    {
        return now;
    }
    return m_context.state == RdmaQpState::SQD ? RoceClock::NEVER : std::max(now, entry.notBefore);
}

uint32_t
RdmaUnreliableRequester::GetNextWireBytes() const
{
    const Entry& entry = m_queue.front();
    return m_context.baseFrameBytes + GetPayload(entry, m_state.next - entry.firstSequence) +
           RoceFrame::PREAMBLE_BYTES + RoceFrame::GAP_BYTES;
}

void
RdmaUnreliableRequester::FillNextPacket(RoceFrame& frame, RocePs now)
{
    Entry& entry = m_queue.front();
    FillRequest(frame, entry, m_state.next - entry.firstSequence);
    frame.flags &= ~RoceFrame::ACK_REQ;
    if (m_context.service == RdmaService::UD)
    {
        Address(frame, entry.request);
    }
    m_state.next++;
    m_state.unacked = m_state.highest = m_state.next;
    CountSent(frame, now);
    if (m_state.next == entry.GetEnd())
    {
        const Entry done = entry;
        m_queue.pop_front();
        Complete(done, RdmaWcStatus::SUCCESS, now);
    }
}

void
RdmaUnreliableRequester::Address(RoceFrame& frame, const RdmaWorkRequest& request) const
{
    frame.destination = request.remoteIp;
    frame.destQp = request.remoteQpNumber;
    frame.rKey = request.remoteQKey;
    frame.dmaLength = m_context.number;
    frame.flowHash = RoceFrameCodec::ComputeFlowHash(frame);
    frame.frameBytes = RoceFrameCodec::GetFrameBytes(frame);
}

void
RdmaUnreliableRequester::ReceiveResponse(const RoceFrame&, RocePs)
{
    // Nobody answers on an unreliable service; a stray packet is ignored as by hardware.
}

RocePs
RdmaUnreliableRequester::GetTimeoutDeadline() const
{
    return RoceClock::NEVER;
}

RocePs
RdmaUnreliableRequester::GetTimeoutCheck(RocePs) const
{
    return RoceClock::NEVER;
}

void
RdmaUnreliableRequester::TimeOut(RocePs)
{
}

void
RdmaUnreliableRequester::DoFlush()
{
}

} // namespace ns3
