/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_PATH_FINDER_H
#define ROCE_PATH_FINDER_H

#include "ns3/roce-frame.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class RoceTopology;

/**
 * @ingroup roce
 * @brief Finds the path that a flow has to itself in the best case.
 *
 * Among the paths with the fewest hops (the ones that are routed over; hosts never forward) it
 * takes one with the highest bottleneck rate, and among those one with the least propagation delay.
 * What it works out for a destination is kept until another destination is asked for, so asking for
 * flows grouped by destination costs one search per destination.
 */
class RocePathFinder
{
  public:
    /// @param topology the network, which must outlive the finder
    explicit RocePathFinder(const RoceTopology& topology);

    /**
     * @param source sending host
     * @param destination receiving host, another one
     * @return indices of the links in the order in which they are crossed; empty if there is no
     * path
     */
    const std::vector<uint32_t>& FindPath(uint32_t source, uint32_t destination);

  private:
    /// What is known about the way from a node to the destination.
    struct Way
    {
        uint32_t hops{UINT32_MAX}; //!< fewest hops, UINT32_MAX if there is no way
        uint64_t rate{0};          //!< highest bottleneck rate of those, bit/s
    };

    /**
     * Work out the ways of all nodes.
     * @param destination the destination
     */
    void Search(uint32_t destination);

    const RoceTopology& m_topology; //!< the network
    uint32_t m_destination;         //!< destination that m_ways is for
    std::vector<Way> m_ways;        //!< per node
    std::vector<uint32_t> m_path;   //!< the last result
};

} // namespace ns3

#endif /* ROCE_PATH_FINDER_H */
