/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_CLOCK_H
#define ROCE_CLOCK_H

#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/roce-frame.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <limits>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Conversions between ns3::Time and the picosecond clock of this module, and the exact
 * length of frames on a link.
 *
 * Simulator events can only fire on ticks of the global Time resolution (1 ns unless
 * Time::SetResolution says otherwise). The module computes with true times in picoseconds and
 * schedules events on the first tick that is not earlier, so rounding never accumulates.
 */
class RoceClock
{
  public:
    /// A time that never comes.
    static constexpr RocePs NEVER = std::numeric_limits<RocePs>::max();
    /// Picoseconds in one second.
    static constexpr RocePs SECOND = 1'000'000'000'000;

    /// @return the current simulated time, picoseconds
    static RocePs Now()
    {
        return Simulator::Now().GetTimeStep() * GetScale().psPerTick / GetScale().ticksPerPs;
    }

    /**
     * @param time a time
     * @return the same in picoseconds (rounded down if the resolution is finer)
     */
    static RocePs FromTime(const Time& time)
    {
        return time.GetPicoSeconds();
    }

    /**
     * @param ps a time in picoseconds
     * @return the same time, rounded down if the resolution is coarser
     */
    static Time ToTime(RocePs ps)
    {
        return PicoSeconds(ps);
    }

    /**
     * @param ps a time in picoseconds, not negative
     * @return the same time, or the next one on which an event can fire, in ticks
     */
    static int64_t ToTick(RocePs ps)
    {
        const Scale& scale = GetScale();
        return scale.psPerTick == 1 ? ps * scale.ticksPerPs
                                    : (ps + scale.psPerTick - 1) / scale.psPerTick;
    }

    /**
     * Schedule an event, now or at the first tick that is not before a time.
     * @param context node ID that it runs in
     * @param tick when, from ToTick()
     * @param event the event; one reference is added for the scheduler
     */
    static void Schedule(uint32_t context, int64_t tick, EventImpl* event)
    {
        const int64_t delay = tick - Simulator::Now().GetTimeStep();
        event->Ref(); // the simulator drops one reference when the event has run
        Simulator::ScheduleWithContext(context, TimeStep(delay > 0 ? delay : 0), event);
    }

    /**
     * Exact time that bytes take at a rate, with the remainder carried from one call to the next.
     *
     * @param bytes number of bytes, at most 1 MiB
     * @param bitsPerSecond rate, bit/s, not zero
     * @param [in,out] carry remainder of earlier calls, in 1/bitsPerSecond picoseconds
     * @return the time, picoseconds
     */
    static RocePs TransmissionTime(uint32_t bytes, uint64_t bitsPerSecond, uint64_t& carry)
    {
        const uint64_t work = static_cast<uint64_t>(bytes) * 8 * SECOND + carry;
        const uint64_t time = work / bitsPerSecond;
        carry = work - time * bitsPerSecond;
        return static_cast<RocePs>(time);
    }

  private:
    /// Relation of ticks to picoseconds; one of the two numbers is 1.
    struct Scale
    {
        int64_t psPerTick;  //!< picoseconds in a tick
        int64_t ticksPerPs; //!< ticks in a picosecond
    };

    /// @return the scale, which the first event of a program fixes for good
    static const Scale& GetScale();
};

} // namespace ns3

#endif /* ROCE_CLOCK_H */
