/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-qp-scheduler.h"

#include "rdma-queue-pair.h"

#include <algorithm>

namespace ns3
{

bool
RdmaQpScheduler::Update(RdmaQueuePair* qp, RocePs now)
{
    RdmaQpSchedulerLink& link = qp->m_link;
    const RocePs ready = qp->GetReadyTime(now);
    if (ready <= now)
    {
        if (link.place == RdmaQpSchedulerLink::READY)
        {
            return false;
        }
        Append(qp);
        return true;
    }
    if (link.place == RdmaQpSchedulerLink::READY)
    {
        Unlink(qp);
    }
    if (ready == RoceClock::NEVER)
    {
        link.place = RdmaQpSchedulerLink::IDLE;
        return false;
    }
    if (link.place == RdmaQpSchedulerLink::WAITING && link.waitUntil <= ready)
    {
        return false; // looked at again early enough
    }
    link.place = RdmaQpSchedulerLink::WAITING;
    link.waitUntil = ready;
    m_waiting.push_back({ready, m_order++, qp});
    std::push_heap(m_waiting.begin(), m_waiting.end());
    return true;
}

void
RdmaQpScheduler::Remove(RdmaQueuePair* qp)
{
    if (qp->m_link.place == RdmaQpSchedulerLink::READY)
    {
        Unlink(qp);
    }
    qp->m_link.place = RdmaQpSchedulerLink::IDLE;
    // Entries that were overtaken may still name it, so look even if it is not waiting.
    auto gone = std::remove_if(m_waiting.begin(), m_waiting.end(), [qp](const Entry& entry) {
        return entry.qp == qp;
    });
    if (gone != m_waiting.end())
    {
        m_waiting.erase(gone, m_waiting.end());
        std::make_heap(m_waiting.begin(), m_waiting.end());
    }
}

RdmaQueuePair*
RdmaQpScheduler::TakeTurn(uint8_t trafficClass)
{
    // A round of deficits: who has overdrawn its share waits until it has earned it again.
    RdmaQueuePair* qp = m_ring[trafficClass];
    while (qp->m_link.deficit <= 0)
    {
        qp->m_link.deficit += int64_t{qp->m_link.weight} * QUANTUM_BYTES;
        if (qp->m_link.deficit > 0)
        {
            break;
        }
        qp = qp->m_link.next;
    }
    m_ring[trafficClass] = qp;
    return qp;
}

void
RdmaQpScheduler::Charge(RdmaQueuePair* qp, uint32_t wireBytes)
{
    RdmaQpSchedulerLink& link = qp->m_link;
    link.deficit -= wireBytes;
    const uint8_t c = qp->m_context.prototype.trafficClass;
    if (link.deficit <= 0 && m_ring[c] == qp)
    {
        m_ring[c] = link.next;
    }
}

void
RdmaQpScheduler::DoPromote(RocePs now)
{
    while (!m_waiting.empty() && m_waiting.front().when <= now)
    {
        const Entry entry = m_waiting.front();
        std::pop_heap(m_waiting.begin(), m_waiting.end());
        m_waiting.pop_back();
        RdmaQpSchedulerLink& link = entry.qp->m_link;
        if (link.place == RdmaQpSchedulerLink::WAITING && link.waitUntil == entry.when)
        {
            link.place = RdmaQpSchedulerLink::IDLE;
            Update(entry.qp, now);
        }
    }
}

void
RdmaQpScheduler::Append(RdmaQueuePair* qp)
{
    const uint8_t c = qp->m_context.prototype.trafficClass;
    RdmaQueuePair*& head = m_ring[c];
    RdmaQpSchedulerLink& link = qp->m_link;
    link.place = RdmaQpSchedulerLink::READY;
    if (!head)
    {
        link.next = link.previous = qp;
        head = qp;
        m_readyClasses |= 1 << c;
        return;
    }
    link.next = head;
    link.previous = head->m_link.previous;
    link.previous->m_link.next = qp;
    head->m_link.previous = qp;
}

void
RdmaQpScheduler::Unlink(RdmaQueuePair* qp)
{
    const uint8_t c = qp->m_context.prototype.trafficClass;
    RdmaQpSchedulerLink& link = qp->m_link;
    if (link.next == qp)
    {
        m_ring[c] = nullptr;
        m_readyClasses &= ~(1 << c);
    }
    else
    {
        link.next->m_link.previous = link.previous;
        link.previous->m_link.next = link.next;
        if (m_ring[c] == qp)
        {
            m_ring[c] = link.next;
        }
    }
    link.next = link.previous = nullptr;
}

} // namespace ns3
