/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ALARM_H
#define ROCE_ALARM_H

#include "roce-clock.h"

#include "ns3/event-impl.h"
#include "ns3/ptr.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief A wake-up call that can be moved forward, built on one reusable event.
 *
 * The owner asks for a call no later than some time and is called once, at the earliest time asked
 * for. Nothing is allocated per event, and no event is ever cancelled (EventImpl::Cancel is for
 * ever): one that has been overtaken by an earlier request fires and finds nothing to do.
 *
 * @tparam Owner class that is called
 * @tparam Method its member function, given the time asked for
 */
template <typename Owner, void (Owner::*Method)(RocePs)>
class RoceAlarm
{
  public:
    /// @param owner object to call; must outlive the alarm
    explicit RoceAlarm(Owner* owner)
        : m_event(Create<Event>(this)),
          m_owner(owner)
    {
    }

    ~RoceAlarm()
    {
        m_event->alarm = nullptr;
    }

    RoceAlarm(const RoceAlarm&) = delete;
    RoceAlarm& operator=(const RoceAlarm&) = delete;

    /// @param context node ID that the call runs in
    void SetContext(uint32_t context)
    {
        m_context = context;
    }

    /**
     * Make sure that the owner is called at this time or earlier.
     * @param when the time; a past one means now
     */
    void ArmAt(RocePs when)
    {
        if (when >= m_armed)
        {
            return;
        }
        m_armed = when;
        m_armedTick = std::max(RoceClock::ToTick(when), Simulator::Now().GetTimeStep());
        RoceClock::Schedule(m_context, m_armedTick, PeekPointer(m_event));
    }

    /// Forget the request; the pending event will find nothing to do.
    void Disarm()
    {
        m_armed = RoceClock::NEVER;
        m_armedTick = -1;
    }

    /// @return the time of the next call, RoceClock::NEVER if there is none
    RocePs GetArmed() const
    {
        return m_armed;
    }

  private:
    /// The event, shared with the simulator's queue.
    struct Event : public EventImpl
    {
        /// @param a the alarm
        explicit Event(RoceAlarm* a)
            : alarm(a)
        {
        }

        void Notify() override
        {
            if (alarm)
            {
                alarm->Fire();
            }
        }

        RoceAlarm* alarm; //!< null once the alarm is gone
    };

    /// Call the owner if this is the firing that is still wanted.
    void Fire()
    {
        if (m_armedTick != Simulator::Now().GetTimeStep())
        {
            return;
        }
        const RocePs when = m_armed;
        Disarm();
        (m_owner->*Method)(when);
    }

    Ptr<Event> m_event;                        //!< the one event
    Owner* m_owner;                            //!< who is called
    RocePs m_armed{RoceClock::NEVER};          //!< time asked for
    int64_t m_armedTick{-1};                   //!< tick on which that event fires
    uint32_t m_context{Simulator::NO_CONTEXT}; //!< node ID
};

} // namespace ns3

#endif /* ROCE_ALARM_H */
