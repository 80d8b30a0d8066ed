/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-ideal-fct.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/roce-clock.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceIdealFct");

namespace
{

constexpr double OVERHEAD =
    82;                     //!< Eth 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, preamble 8, gap 12
constexpr double RETH = 16; //!< extension of the first packet of a WRITE
constexpr double ACK_BYTES = 86; //!< an acknowledgment on the wire: OVERHEAD and AETH 4
constexpr double GAP = 12;       //!< inter-frame gap: the receiver need not wait for it

/**
 * @param bytes payload
 * @return payload with padding to a multiple of four
 */
uint64_t
Pad(uint64_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

/**
 * @param link a link
 * @param bytes bytes of link time
 * @return that time, picoseconds
 */
double
Occupancy(const RoceTopologyLink& link, double bytes)
{
    return bytes * 8 * (static_cast<double>(RoceClock::SECOND) / static_cast<double>(link.rate));
}

/**
 * @param link a link
 * @param bytes bytes of link time of a frame, with preamble and gap
 * @return time from its first bit at one end to its last bit at the other, picoseconds
 */
double
Crossing(const RoceTopologyLink& link, double bytes)
{
    return Occupancy(link, bytes - GAP) + static_cast<double>(link.delay);
}

} // namespace

RoceIdealFct::RoceIdealFct(uint32_t mtu, uint64_t messageBytes)
    : m_mtu(mtu),
      m_messageBytes(messageBytes)
{
    NS_ABORT_MSG_UNLESS(mtu > 0 && messageBytes > 0 && messageBytes % mtu == 0,
                        "messages of " << messageBytes << " bytes are not whole packets of " << mtu
                                       << " bytes");
}

RocePs
RoceIdealFct::Compute(const std::vector<RoceTopologyLink>& path, uint64_t bytes) const
{
    NS_LOG_FUNCTION(this << path.size() << bytes);
    NS_ABORT_MSG_IF(path.empty(), "a path has at least one link");
    const uint64_t packets = std::max<uint64_t>(1, (bytes + m_mtu - 1) / m_mtu);
    const double first = Pad(std::min<uint64_t>(bytes, m_mtu)) + OVERHEAD + RETH;
    const double middle = Pad(m_mtu) + OVERHEAD;
    const double last = Pad(bytes - (packets - 1) * m_mtu) + OVERHEAD;
    const std::size_t hops = path.size();

    double acknowledgment = 0;
    double alone = 0; // one packet
    for (const RoceTopologyLink& link : path)
    {
        acknowledgment += Crossing(link, ACK_BYTES);
        alone += Crossing(link, first);
    }
    if (packets == 1)
    {
        return std::llround(alone + acknowledgment);
    }

    double longest = 0;
    double firstCrossings = 0; // links before p
    for (std::size_t p = 0; p < hops; p++)
    {
        double middleCrossings = 0;
        double slowest = 0;
        for (std::size_t q = p; q < hops; q++)
        {
            slowest = std::max(slowest, Occupancy(path[q], middle));
            const double spacing = packets == 2 ? 0
                                                : static_cast<double>(packets - 3) * slowest +
                                                      Occupancy(path[q], middle);
            double lastCrossings = 0;
            for (std::size_t j = q; j < hops; j++)
            {
                lastCrossings += Crossing(path[j], last);
            }
            longest = std::max(longest,
                               firstCrossings + Occupancy(path[p], first) + spacing +
                                   middleCrossings + lastCrossings);
            if (packets == 2)
            {
                break; // there is no middle packet
            }
            middleCrossings += Crossing(path[q], middle);
        }
        firstCrossings += Crossing(path[p], first);
    }
    const uint64_t messages = std::max<uint64_t>(1, (bytes + m_messageBytes - 1) / m_messageBytes);
    double slowest = 0;
    for (const RoceTopologyLink& link : path)
    {
        slowest = std::max(slowest, Occupancy(link, RETH));
    }
    return std::llround(longest + acknowledgment + static_cast<double>(messages - 1) * slowest);
}

} // namespace ns3
