/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-heap-scheduler.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceHeapScheduler);

TypeId
RoceHeapScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceHeapScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceHeapScheduler>();
    return tid;
}

RoceHeapScheduler::RoceHeapScheduler() = default;

RoceHeapScheduler::~RoceHeapScheduler() = default;

void
RoceHeapScheduler::SiftUp(std::size_t hole, const Event& ev)
{
    while (hole > 0)
    {
        const std::size_t parent = (hole - 1) / ARITY;
        if (!(ev.key < m_heap[parent].key))
        {
            break;
        }
        m_heap[hole] = m_heap[parent];
        hole = parent;
    }
    m_heap[hole] = ev;
}

void
RoceHeapScheduler::SiftDown(std::size_t hole, const Event& ev)
{
    const std::size_t size = m_heap.size();
    for (;;)
    {
        const std::size_t first = ARITY * hole + 1;
        if (first >= size)
        {
            break;
        }
        std::size_t least = first;
        const std::size_t end = std::min(first + ARITY, size);
        for (std::size_t child = first + 1; child < end; child++)
        {
            if (m_heap[child].key < m_heap[least].key)
            {
                least = child;
            }
        }
        if (!(m_heap[least].key < ev.key))
        {
            break;
        }
        m_heap[hole] = m_heap[least];
        hole = least;
    }
    m_heap[hole] = ev;
}

void
RoceHeapScheduler::Insert(const Event& ev)
{
    m_heap.push_back(ev);
    SiftUp(m_heap.size() - 1, ev);
}

bool
RoceHeapScheduler::IsEmpty() const
{
    return m_heap.empty();
}

Scheduler::Event
RoceHeapScheduler::PeekNext() const
{
    NS_ASSERT(!m_heap.empty());
    return m_heap.front();
}

Scheduler::Event
RoceHeapScheduler::RemoveNext()
{
    NS_ASSERT(!m_heap.empty());
    const Event next = m_heap.front();
    const Event last = m_heap.back();
    m_heap.pop_back();
    if (!m_heap.empty())
    {
        SiftDown(0, last);
    }
    return next;
}

void
RoceHeapScheduler::Remove(const Event& ev)
{
    const auto found = std::find_if(m_heap.begin(), m_heap.end(), [&ev](const Event& each) {
        return each.key.m_uid == ev.key.m_uid;
    });
    NS_ABORT_MSG_IF(found == m_heap.end(),
                    "RoceHeapScheduler: event " << ev.key.m_uid << " is not scheduled");
    const auto hole = static_cast<std::size_t>(found - m_heap.begin());
    const Event last = m_heap.back();
    m_heap.pop_back();
    if (hole == m_heap.size())
    {
        return;
    }
    if (hole > 0 && last.key < m_heap[(hole - 1) / ARITY].key)
    {
        SiftUp(hole, last);
    }
    else
    {
        SiftDown(hole, last);
    }
}

} // namespace ns3
