/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_DEPARTURE_AGENDA_H
#define ROCE_DEPARTURE_AGENDA_H

#include "roce-alarm.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class RoceNetDevice;

/**
 * @ingroup roce
 * @brief The future departures of all ports of one node, worked off in the order of time.
 *
 * The end of a transmission needs no simulator event: whoever is about to look at or change the
 * state of the node first calls RunUntil(), which starts every transmission that was due meanwhile
 * with its true start time. A busy port is looked at whenever one of its frames reaches the far end
 * of the link, which is early enough for the next one; only a port with nothing in flight, or a
 * node in punctual mode, is given an event. The outcome is the same as with one event per
 * departure.
 *
 * Ties are resolved by port number, so that runs are repeatable.
 */
class RoceDepartureAgenda
{
  public:
    RoceDepartureAgenda();

    /// @param context node ID that events run in
    void SetContext(uint32_t context);

    /**
     * Enter a departure. A port has at most one valid entry; older ones are ignored when they come
     * up, because the port remembers the time of the valid one.
     * @param device the port
     * @param port its number
     * @param when earliest time of its next frame
     */
    void Enter(RoceNetDevice* device, uint16_t port, RocePs when);

    /**
     * Start every transmission that is due.
     * @param now time up to which, inclusive
     */
    void RunUntil(RocePs now)
    {
        if (!m_heap.empty() && m_heap.front().when <= now)
        {
            Run(now);
        }
    }

    /**
     * Have RunUntil() called no later than at this time.
     * @param when the time
     */
    void ArmAt(RocePs when)
    {
        m_alarm.ArmAt(when);
    }

    /// Who needs departures to be punctual.
    enum Reason : uint8_t
    {
        LISTENER = 1, //!< a trace sink
        OWNER = 2,    //!< the NIC or the switch
    };

    /**
     * In punctual mode every departure has its own event, so that Simulator::Now() is its true time
     * (to the tick). Needed while something outside hears of departures: a trace sink, an upstream
     * port waiting for XON, an IP stack waiting for room.
     * @param reason who asks
     * @param punctual true while it is needed
     */
    void SetPunctual(Reason reason, bool punctual)
    {
        const uint8_t reasons = punctual ? m_reasons | reason : m_reasons & ~reason;
        if (reasons != m_reasons)
        {
            m_reasons = reasons;
            ArmNext();
        }
    }

    /// @return true in punctual mode
    bool IsPunctual() const
    {
        return m_reasons != 0;
    }

    /// Forget everything.
    void Clear();

  private:
    /// One departure.
    struct Entry
    {
        RocePs when;           //!< time
        RoceNetDevice* device; //!< port
        uint16_t port;         //!< its number, breaks ties

        /**
         * @param other another entry
         * @return true if this one comes later (for a heap with the earliest on top)
         */
        bool operator<(const Entry& other) const
        {
            return when != other.when ? when > other.when : port > other.port;
        }
    };

    /**
     * Work off the heap.
     * @param now time up to which, inclusive
     */
    void Run(RocePs now);
    /// In punctual mode, arm the alarm for the first entry.
    void ArmNext();
    /// @param now time asked for
    void AlarmFired(RocePs now);

    std::vector<Entry> m_heap; //!< binary heap, earliest first
    uint8_t m_reasons{0};      //!< why one event per departure is needed, 0 if it is not
    RoceAlarm<RoceDepartureAgenda, &RoceDepartureAgenda::AlarmFired> m_alarm; //!< the wake-up call
};

} // namespace ns3

#endif /* ROCE_DEPARTURE_AGENDA_H */
