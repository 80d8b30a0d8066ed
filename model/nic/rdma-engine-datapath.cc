/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup roce
 * The part of RdmaEngine that packets go through: to and from the port, queue pairs and the network
 * stack of the host, with the timers that belong to them.
 */

#include "rdma-engine.h"
#include "rdma-queue-pair.h"

#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"
#include "ns3/queue-item.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-syndrome.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-net-device.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaEngineDatapath");

namespace
{

/// A standing timeout is looked at again at least this often, so that a run can end soon after the
/// last completion although the timeout itself may be hours long.
constexpr RocePs TIMER_HORIZON = 5'000'000'000; // 5 ms

} // namespace

// --- the port asks ---

RoceFramePtr
RdmaEngine::TakeNextFrame(uint16_t, uint8_t openClasses, RocePs now)
{
    if (const uint8_t control = m_controlClasses & openClasses)
    {
        const uint8_t c = RoceClassScheduler::HighestClass(control);
        RoceFramePtr frame = m_control[c].Pop();
        if (m_control[c].IsEmpty())
        {
            m_controlClasses &= ~(1 << c);
        }
        return frame;
    }
    m_scheduler.Promote(now);
    const uint8_t ready = m_scheduler.GetReadyClasses();
    const uint8_t candidates = (m_stackClasses | ready) & openClasses;
    if (!candidates)
    {
        return nullptr;
    }
    const auto takesStack = [&](uint8_t c) {
        return ((m_stackClasses >> c) & 1) && (!((ready >> c) & 1) || m_stack[c].isTurn);
    };
    const uint8_t c = m_classScheduler.Pick(candidates, [&](uint8_t each) -> uint32_t {
        return takesStack(each) ? m_stack[each].fifo.Front()->GetWireBytes()
                                : m_scheduler.TakeTurn(each)->GetNextWireBytes();
    });
    RoceFramePtr frame;
    const bool fromStack = takesStack(c);
    m_stack[c].isTurn = !fromStack;
    if (fromStack)
    {
        frame = TakeStackFrame(c);
    }
    else
    {
        RdmaQueuePair* qp = m_scheduler.TakeTurn(c);
        // A datagram completes at its departure, and the user's callback may destroy the queue
        // pair.
        const Ptr<RdmaQueuePair> guard = qp->m_context.service != RdmaService::RC ? qp : nullptr;
        frame = CreateRoceFrame();
        qp->FillNextPacket(*frame, now);
        m_scheduler.Charge(qp, frame->GetWireBytes());
        m_scheduler.Update(qp, now);
        if (!qp->m_timerEntered)
        {
            WatchTimeout(qp, now);
        }
    }
    if (!(((m_stackClasses | m_scheduler.GetReadyClasses()) >> c) & 1))
    {
        m_classScheduler.NotifyEmpty(c);
    }
    return frame;
}

RocePs
RdmaEngine::GetNextTime(uint16_t, uint8_t openClasses, RocePs now)
{
    if ((m_controlClasses | m_stackClasses | m_scheduler.GetReadyClasses()) & openClasses)
    {
        return now;
    }
    return std::max(now, m_scheduler.GetNextTime());
}

uint8_t
RdmaEngine::GetBacklog(uint16_t) const
{
    return m_controlClasses | m_stackClasses | m_scheduler.GetReadyClasses();
}

void
RdmaEngine::LinkChanged(uint16_t, bool up, RocePs now)
{
    NS_LOG_FUNCTION(this << up << now);
    m_inputBuffer->LinkChanged(up, now);
    if (!up)
    {
        // What is in the NIC is lost with the link; queue pairs repair it by their timeouts.
        for (uint8_t c = 0; c < N_CLASSES; c++)
        {
            m_control[c].Clear();
            while (!m_stack[c].fifo.IsEmpty())
            {
                m_port->DropBeforeTx(*TakeStackFrame(c));
            }
        }
        m_controlClasses = 0;
    }
}

void
RdmaEngine::ReceiveFrame(uint16_t, RoceFramePtr frame, RocePs now)
{
    if (m_inputBuffer->IsEnabled() || m_inputBuffer->GetBytes() > 0)
    {
        m_inputBuffer->Push(std::move(frame), now);
        return;
    }
    m_agenda.RunUntil(now);
    Deliver(std::move(frame), now);
}

void
RdmaEngine::Deliver(RoceFramePtr frame, RocePs now)
{
    if (frame->kind == RoceFrameKind::ROCE && (m_etherType || ResolveAddress()) &&
        frame->destination == m_address && frame->etherType == m_etherType)
    {
        Demultiplex(*frame, now);
    }
    else
    {
        m_port->ForwardUp(*frame);
    }
}

void
RdmaEngine::Demultiplex(const RoceFrame& frame, RocePs now)
{
    const uint32_t slot = frame.destQp - FIRST_NUMBER;
    // The user's callback may destroy the queue pair while it works, so hold it.
    Ptr<RdmaQueuePair> qp = slot < m_table.size() ? m_table[slot] : nullptr;
    if (!qp || !qp->IsReceiving())
    {
        NS_LOG_LOGIC("packet for queue pair " << frame.destQp << " is late");
        m_latePackets++;
        return;
    }
    if (RdmaOpcode::IsResponse(frame.opcode))
    {
        const RdmaTransportState& state = qp->m_requester->GetState();
        const uint64_t next = state.next;
        qp->m_requester->ReceiveResponse(frame, now);
        // Usually an ACK changes nothing for the scheduler.
        if (qp->m_link.place != RdmaQpSchedulerLink::READY || state.next != next ||
            state.next == state.end || frame.ext.ack.syndrome >= RdmaSyndrome::MakeRnrNak(0))
        {
            NotifyWork(PeekPointer(qp), now);
        }
    }
    else if (frame.opcode == RdmaOpcode::CNP)
    {
        qp->m_context.counters.cnpHandled++;
        qp->m_context.limiter.CnpReceived(now);
    }
    else
    {
        qp->m_responder->ReceiveRequest(frame, now);
    }
}

// --- congestion notification ---

void
RdmaEngine::NotifyMarkedPacket(RdmaQpContext& context, const RoceFrame& marked, RocePs now)
{
    if (!m_cnpGenerator->ShouldSend(context.number, marked.source, now))
    {
        return;
    }
    context.counters.cnpSent++;
    RoceFramePtr frame = CreateRoceFrame();
    *frame = context.prototype;
    frame->opcode = RdmaOpcode::CNP;
    if (context.service == RdmaService::UD)
    {
        frame->destination = marked.source;
        frame->destQp = marked.dmaLength;
        frame->flowHash = RoceFrameCodec::ComputeFlowHash(*frame);
    }
    frame->flags = (frame->flags & RoceFrame::VLAN) | RoceFrame::BECN;
    frame->dscp = m_cnpGenerator->GetCnpDscp();
    Classify(*frame);
    frame->frameBytes = context.baseFrameBytes + RdmaOpcode::CNP_RESERVED_BYTES;
    const RocePs delay = m_cnpGenerator->GetProcessingDelay();
    if (delay == 0)
    {
        SendControl(std::move(frame), now);
        return;
    }
    frame->time = now + delay;
    m_cnpAlarm.ArmAt(frame->time);
    m_delayedCnps.push_back(std::move(frame));
}

void
RdmaEngine::ReleaseCnps(RocePs now)
{
    CatchUp(now);
    while (!m_delayedCnps.empty() && m_delayedCnps.front()->time <= now)
    {
        RoceFramePtr frame = std::move(m_delayedCnps.front());
        m_delayedCnps.pop_front();
        SendControl(std::move(frame), now);
    }
    if (!m_delayedCnps.empty())
    {
        m_cnpAlarm.ArmAt(m_delayedCnps.front()->time);
    }
}

// --- local ACK timeouts ---

void
RdmaEngine::WatchTimeout(RdmaQueuePair* qp, RocePs now)
{
    if (qp->m_timerEntered || qp->m_requester->GetTimeoutDeadline() == RoceClock::NEVER)
    {
        return;
    }
    qp->m_timerEntered = true;
    m_timers.push_back({qp->m_requester->GetTimeoutCheck(now), qp->m_link.slot, qp->m_context.id});
    std::push_heap(m_timers.begin(), m_timers.end());
    m_timerAlarm.ArmAt(std::min(m_timers.front().when, now + TIMER_HORIZON));
}

void
RdmaEngine::CheckTimeouts(RocePs now)
{
    CatchUp(now);
    while (!m_timers.empty())
    {
        const TimerEntry entry = m_timers.front();
        Ptr<RdmaQueuePair> qp = m_table[entry.slot];
        const bool alive = qp && qp->m_context.id == entry.id;
        if (alive && entry.when > now && qp->m_requester->IsOutstanding())
        {
            break; // nothing else can be due
        }
        std::pop_heap(m_timers.begin(), m_timers.end());
        m_timers.pop_back();
        if (!alive)
        {
            continue;
        }
        qp->m_timerEntered = false;
        if (qp->m_requester->GetTimeoutDeadline() <= now)
        {
            qp->m_requester->TimeOut(now);
            NotifyWork(PeekPointer(qp), now);
        }
        WatchTimeout(PeekPointer(qp), now);
    }
    if (!m_timers.empty())
    {
        m_timerAlarm.ArmAt(std::min(m_timers.front().when, now + TIMER_HORIZON));
    }
}

// --- packets of the network stack ---

bool
RdmaEngine::SendFromStack(Ptr<Packet> packet, uint16_t etherType)
{
    NS_LOG_FUNCTION(this << packet << etherType);
    RoceFramePtr frame = RoceFrameCodec::FromLayer3Packet(packet, etherType);
    Classify(*frame);
    frame->frameBytes = RoceFrameCodec::GetFrameBytes(*frame);
    const uint8_t c = frame->trafficClass;
    StackQueue& queue = m_stack[c];
    if (queue.fifo.GetSize() >= m_stackLimit)
    {
        m_port->DropBeforeTx(*frame);
        return false;
    }
    const RocePs now = RoceClock::Now();
    CatchUp(now);
    queue.fifo.Push(std::move(frame));
    m_stackClasses |= 1 << c;
    if (queue.fifo.GetSize() >= m_stackLimit && m_queueInterface)
    {
        queue.stopped = true;
        m_queueInterface->GetTxQueue(c)->Stop();
    }
    UpdatePunctual();
    m_port->Poke(now);
    return true;
}

RoceFramePtr
RdmaEngine::TakeStackFrame(uint8_t trafficClass)
{
    StackQueue& queue = m_stack[trafficClass];
    RoceFramePtr frame = queue.fifo.Pop();
    if (queue.fifo.IsEmpty())
    {
        m_stackClasses &= ~(1 << trafficClass);
    }
    if (queue.stopped)
    {
        queue.stopped = false;
        m_queueInterface->GetTxQueue(trafficClass)->Wake();
    }
    UpdatePunctual();
    return frame;
}

std::size_t
RdmaEngine::SelectStackQueue(Ptr<QueueItem> item) const
{
    uint8_t dsField = 0;
    item->GetUint8Value(QueueItem::IP_DSFIELD, dsField);
    return m_map->GetDscpClass(dsField >> 2);
}

} // namespace ns3
