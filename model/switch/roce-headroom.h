/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_HEADROOM_H
#define ROCE_HEADROOM_H

#include "ns3/roce-frame.h"

#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * @ingroup roce
 * @brief How many bytes can still arrive after a switch has decided to pause a class (IEEE
 * 802.1Qbb, annex O).
 *
 * In bits, with R the rate and d the one-way delay of the link:
 *
 *     (local frame + 20 B) * 8      the PFC frame waits for a frame that is already being sent
 *     84 B * 8                      the PFC frame with preamble and gap
 *     2 d R                         the cable, there and back
 *     2 Dintf                       the PHY and MAC of both ends (optional)
 *     response time * R             the peer acts on the pause
 *     (peer frame + 20 B) * 8       the peer has just started a frame of the class
 *
 * rounded up to whole bytes. If the buffer allots cells, the result is multiplied by the worst
 * ratio of memory to frame length, GetCellFactor(): small frames waste most of a cell. The largest
 * response times that IEEE 802.3 allows and the interface delays are listed for the usual speeds.
 * For a rate between two listed ones the value in bit times is interpolated linearly and rounded
 * up; outside the list the nearest entry's value in nanoseconds holds, that is, bit times grow with
 * the rate.
 */
class RoceHeadroom
{
  public:
    /// Response time: the largest one that IEEE 802.3 allows at the rate of the link.
    static constexpr RocePs STANDARD_RESPONSE = -1;

    /// What the headroom of a class on a port depends on.
    struct Link
    {
        uint64_t rate{0}; //!< rate of the link, bit/s
        RocePs delay{0};  //!< one-way delay, picoseconds
        uint32_t localFrameBytes{
            0}; //!< largest frame this port sends, of any class, with FCS, bytes
        uint32_t peerFrameBytes{0}; //!< largest frame of the class the peer sends, with FCS, bytes
        RocePs responseTime{STANDARD_RESPONSE}; //!< time the peer takes to stop, picoseconds
        uint32_t cellBytes{1};      //!< cell size of the buffer, bytes; 1 if it counts bytes
        bool interfaceDelay{false}; //!< add the delay of PHYs and MACs that the link does not model
    };

    /**
     * @param link the link
     * @return headroom that makes a class of a port lossless, bytes
     */
    static uint64_t GetBytes(const Link& link);

    /**
     * The worst case over all frame lengths f of ceil(f / cell) cell / f. It is a frame of the
     * least length or one that has a single byte in its last cell; SONiC plans with the same two.
     * @param cellBytes cell size, bytes, not 0
     * @return numerator and denominator
     */
    static std::pair<uint64_t, uint64_t> GetCellFactor(uint32_t cellBytes);

    /**
     * @param bitsPerSecond a rate, bit/s, not 0
     * @return largest response time to a PFC frame, in quanta of 512 bit times
     */
    static uint64_t GetResponseQuanta(uint64_t bitsPerSecond);

    /**
     * @param bitsPerSecond a rate, bit/s, not 0
     * @return delay of the PHY and MAC of one end, bit times
     */
    static uint64_t GetInterfaceBitTimes(uint64_t bitsPerSecond);
};

} // namespace ns3

#endif /* ROCE_HEADROOM_H */
