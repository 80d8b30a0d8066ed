/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_PORT_GROUP_H
#define ROCE_PORT_GROUP_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief The equal-cost ports of a route.
 *
 * Groups belong to a RoceForwardingTable and live as long as it does; routes over the same ports
 * share one group. Both lists are in ascending order without duplicates, so that nothing depends on
 * the order in which routes were added.
 */
struct RocePortGroup
{
    uint32_t id{0};                //!< number of the group in its table, from 0, never reused
    uint32_t version{0};           //!< changes whenever ports does
    std::vector<uint16_t> members; //!< every port of the route
    std::vector<uint16_t> ports;   //!< members that are not withdrawn: the only ones to choose from
};

} // namespace ns3

#endif /* ROCE_PORT_GROUP_H */
