/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-departure-agenda.h"

#include "roce-net-device.h"

#include <algorithm>

namespace ns3
{

RoceDepartureAgenda::RoceDepartureAgenda()
    : m_alarm(this)
{
}

void
RoceDepartureAgenda::SetContext(uint32_t context)
{
    m_alarm.SetContext(context);
}

void
RoceDepartureAgenda::Enter(RoceNetDevice* device, uint16_t port, RocePs when)
{
    m_heap.push_back({when, device, port});
    std::push_heap(m_heap.begin(), m_heap.end());
    if (m_reasons)
    {
        ArmAt(when);
    }
}

void
RoceDepartureAgenda::Run(RocePs now)
{
    while (!m_heap.empty() && m_heap.front().when <= now)
    {
        const Entry entry = m_heap.front();
        std::pop_heap(m_heap.begin(), m_heap.end());
        m_heap.pop_back();
        if (entry.device->GetNextDeparture() == entry.when)
        {
            entry.device->Depart(entry.when);
        }
    }
    ArmNext();
}

void
RoceDepartureAgenda::ArmNext()
{
    if (m_reasons && !m_heap.empty())
    {
        ArmAt(m_heap.front().when);
    }
}

void
RoceDepartureAgenda::AlarmFired(RocePs now)
{
    RunUntil(now);
}

void
RoceDepartureAgenda::Clear()
{
    m_heap.clear();
    m_alarm.Disarm();
}

} // namespace ns3
