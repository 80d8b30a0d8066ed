/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PACER_H
#define RDMA_PACER_H

#include "ns3/roce-clock.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Spaces the packets of one queue pair so that they leave at its sending rate.
 *
 * Each packet leaves a debt of its wire bits, which the sending rate pays back; the next packet may
 * start when the debt is gone. When the rate changes in between, what is left of the debt is paid
 * back at the new rate. A packet that starts late (the line was busy or paused) gives no credit, so
 * pacing never causes bursts. The debt is kept in bit/s times picoseconds, where every division is
 * exact, so the long-run rate is exact as well.
 */
class RdmaPacer
{
  public:
    /**
     * @param now current time
     * @param rate sending rate since the last call, bit/s
     */
    void Settle(RocePs now, uint64_t rate)
    {
        if (m_debt > 0)
        {
            const RocePs needed = GetPayback(rate);
            const RocePs elapsed = now - m_time;
            // On time, the rounding of the last division is credited; later, nothing is.
            m_debt = elapsed > needed ? 0 : m_debt - static_cast<int64_t>(rate) * elapsed;
        }
        m_time = now;
    }

    /**
     * A packet starts; Settle() has been called with the same time.
     * @param wireBytes its length on the wire, bytes, at most 1 MiB
     */
    void Charge(uint32_t wireBytes)
    {
        m_debt += static_cast<int64_t>(wireBytes) * 8 * RoceClock::SECOND;
    }

    /**
     * @param rate sending rate from the last Settle() on, bit/s
     * @return earliest time of the next packet
     */
    RocePs GetReadyTime(uint64_t rate) const
    {
        return m_debt > 0 ? m_time + GetPayback(rate) : m_time;
    }

  private:
    /**
     * @param rate sending rate, bit/s
     * @return time that it takes to pay back the debt, picoseconds
     */
    RocePs GetPayback(uint64_t rate) const
    {
        return static_cast<RocePs>((static_cast<uint64_t>(m_debt) + rate - 1) / rate);
    }

    int64_t m_debt{0}; //!< wire bits not paid back yet, in bit/s times picoseconds
    RocePs m_time{0};  //!< time at which m_debt was true
};

} // namespace ns3

#endif /* RDMA_PACER_H */
