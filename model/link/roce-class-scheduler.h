/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_CLASS_SCHEDULER_H
#define ROCE_CLASS_SCHEDULER_H

#include "roce-qos-map.h"

#include "ns3/ptr.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Chooses the traffic class that sends next: strict priority, then deficit weighted round
 * robin (as in IEEE 802.1Qaz enhanced transmission selection).
 *
 * Only classes that are backlogged and open are candidates. The deficit of a class that is not a
 * candidate does not grow; it is set to zero when its queue empties (Shreedhar and Varghese, 1995).
 */
class RoceClassScheduler
{
  public:
    /// Bytes of credit that one unit of weight earns per round.
    static constexpr uint32_t QUANTUM_BYTES = 512;

    /// @param map weights and strict classes; read now
    void SetQosMap(const RoceQosMap& map)
    {
        m_strict = map.GetStrictClasses();
        for (uint8_t c = 0; c < RoceQosMap::N_CLASSES; c++)
        {
            m_quantum[c] = map.GetWeight(c) * QUANTUM_BYTES;
        }
    }

    /**
     * Choose a class and charge it for its first frame.
     * @tparam HeadBytes callable: class to length of its first frame, bytes
     * @param candidates bit c is set if class c is backlogged and open; not zero
     * @param headBytes tells the length of the first frame of a candidate
     * @return the class
     */
    template <typename HeadBytes>
    uint8_t Pick(uint8_t candidates, HeadBytes&& headBytes)
    {
        const uint8_t strict = candidates & m_strict;
        if (strict)
        {
            return HighestClass(strict);
        }
        if ((candidates & (candidates - 1)) == 0)
        {
            return HighestClass(candidates); // alone: nobody to be fair to
        }
        for (;;)
        {
            if ((candidates >> m_current) & 1)
            {
                if (!m_credited)
                {
                    m_deficit[m_current] += m_quantum[m_current];
                    m_credited = true;
                }
                const uint32_t bytes = headBytes(m_current);
                if (m_deficit[m_current] >= bytes)
                {
                    m_deficit[m_current] -= bytes;
                    return m_current;
                }
            }
            m_current = (m_current + 1) % RoceQosMap::N_CLASSES;
            m_credited = false;
        }
    }

    /// @param trafficClass class whose queue has become empty
    void NotifyEmpty(uint8_t trafficClass)
    {
        m_deficit[trafficClass] = 0;
    }

    /**
     * @param classes a mask, not zero
     * @return the highest class in it
     */
    static uint8_t HighestClass(uint8_t classes)
    {
        uint8_t c = RoceQosMap::N_CLASSES - 1;
        while (!((classes >> c) & 1))
        {
            c--;
        }
        return c;
    }

  private:
    std::array<uint64_t, RoceQosMap::N_CLASSES> m_deficit{}; //!< credit left, bytes
    std::array<uint32_t, RoceQosMap::N_CLASSES> m_quantum{}; //!< credit per round, bytes
    uint8_t m_strict{0};                                     //!< strict classes
    uint8_t m_current{0};                                    //!< class whose turn it is
    bool m_credited{false}; //!< has it got its quantum in this round?
};

} // namespace ns3

#endif /* ROCE_CLASS_SCHEDULER_H */
