/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_LOAD_METER_H
#define ROCE_LOAD_METER_H

#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Periodically sampled, exponentially weighted average of the rate a port sends at.
 *
 * At the end of every period the bytes sent in it are a sample, and the average moves a quarter of
 * the way towards it: new = old + (sample - old) / 4, the exponent 2 of switch chips. Periods are
 * closed when the meter is next touched, with the same result as a timer would give; a meter that
 * nobody touches costs nothing.
 */
class RoceLoadMeter
{
  public:
    /// @param period length of a sampling period, picoseconds, greater than 0
    explicit RoceLoadMeter(RocePs period);

    /**
     * Count a frame in the period that its first bit falls into.
     * @param wireBytes its length on the wire, bytes
     * @param now time of its first bit, not earlier than that of the frame before
     */
    void Add(uint32_t wireBytes, RocePs now)
    {
        if (now >= m_end)
        {
            ClosePeriods(now);
        }
        m_bytes += wireBytes;
    }

    /**
     * @param now current time
     * @return average rate of the periods that have ended, bit/s
     */
    double GetLoad(RocePs now) const;

  private:
    /**
     * @param now current time, at or after the end of the current period
     * @return the average after closing all periods that ended, in bytes per period
     */
    double AverageAt(RocePs now) const;
    /**
     * Move to the period that now falls into.
     * @param now current time
     */
    void ClosePeriods(RocePs now);

    RocePs m_period;       //!< length of a period
    RocePs m_end;          //!< end of the current period
    uint64_t m_bytes{0};   //!< bytes sent in the current period
    double m_average{0.0}; //!< average of the periods before, bytes per period
};

} // namespace ns3

#endif /* ROCE_LOAD_METER_H */
