/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ROUTING_HELPER_H
#define ROCE_ROUTING_HELPER_H

namespace ns3
{

/**
 * @ingroup roce
 * @brief Fills the forwarding tables of all switches.
 */
class RoceRoutingHelper
{
  public:
    /**
     * Compute shortest paths by number of hops over all RoCE links of the simulation and enter, in
     * every switch, a host route with all equal-cost ports to each IP address of each NIC port.
     * Hosts do not forward. Parallel cables count as separate ports. Existing routes to the same
     * addresses are replaced.
     */
    static void PopulateForwardingTables();
};

} // namespace ns3

#endif /* ROCE_ROUTING_HELPER_H */
