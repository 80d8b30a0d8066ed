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

/// A link in one direction, as the first, the middle and the last packets find it, picoseconds.
struct Stage
{
    double firstOccupancy;  //!< time the first packet takes
    double middleOccupancy; //!< time a middle packet takes
    double firstCrossing;   //!< time from first bit sent to last bit received, first packet
    double middleCrossing;  //!< the same, a middle packet
    double lastCrossing;    //!< the same, the last packet
};

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

    // The links there, and the links back, which carry one acknowledgment per packet.
    std::vector<Stage> stages;
    for (const RoceTopologyLink& link : path)
    {
        stages.push_back({Occupancy(link, first),
                          Occupancy(link, middle),
                          Crossing(link, first),
                          Crossing(link, middle),
                          Crossing(link, packets == 1 ? first : last)});
    }
    for (auto link = path.rbegin(); link != path.rend(); ++link)
    {
        const double occupancy = Occupancy(*link, ACK_BYTES);
        const double crossing = Crossing(*link, ACK_BYTES);
        stages.push_back({occupancy, occupancy, crossing, crossing, crossing});
    }
    double lastCrossings = 0; // of all stages
    for (const Stage& stage : stages)
    {
        lastCrossings += stage.lastCrossing;
    }
    if (packets == 1)
    {
        return std::llround(lastCrossings);
    }

    double longest = 0;
    double firstCrossings = 0; // of stages before p
    for (std::size_t p = 0; p < stages.size(); p++)
    {
        double middleCrossings = 0;           // of stages from p on, before q
        double restCrossings = lastCrossings; // of stages from q on
        double slowest = 0;
        for (std::size_t q = p; q < stages.size(); q++)
        {
            slowest = std::max(slowest, stages[q].middleOccupancy);
            const double spacing = packets == 2 ? 0
                                                : static_cast<double>(packets - 3) * slowest +
                                                      stages[q].middleOccupancy;
            longest = std::max(longest,
                               firstCrossings + stages[p].firstOccupancy + spacing +
                                   middleCrossings + restCrossings);
            if (packets == 2)
            {
                break; // there is no middle packet
            }
            middleCrossings += stages[q].middleCrossing;
            restCrossings -= stages[q].lastCrossing;
        }
        firstCrossings += stages[p].firstCrossing;
        lastCrossings -= stages[p].lastCrossing;
    }
    const uint64_t messages = std::max<uint64_t>(1, (bytes + m_messageBytes - 1) / m_messageBytes);
    double slowest = 0;
    for (const RoceTopologyLink& link : path)
    {
        slowest = std::max(slowest, Occupancy(link, RETH));
    }
    return std::llround(longest + static_cast<double>(messages - 1) * slowest);
}

} // namespace ns3
