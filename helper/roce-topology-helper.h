/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_TOPOLOGY_HELPER_H
#define ROCE_TOPOLOGY_HELPER_H

#include "roce-helper.h"
#include "roce-topology.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/ptr.h"
#include "ns3/rdma-engine.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-switch.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Turns the plan of a network into nodes, devices, addresses and routes.
 *
 * Hosts become plain nodes without an Internet stack; the RDMA engine of every NIC port gets the
 * next IPv4 address from 10.0.0.1 on, and all switches get their routes. Ports of a node are
 * numbered in the order of its links in the plan. Links with an error rate get a RateErrorModel at
 * both ends.
 */
class RoceTopologyHelper
{
  public:
    /**
     * Build the network.
     * @param topology the plan
     * @param roce makes devices, switches and queue pairs; its rate and delay are replaced by those
     *             of the plan
     */
    void Install(const RoceTopology& topology, RoceHelper& roce);

    /**
     * Assign fixed random streams to everything random in the network.
     * @param roce what made the devices
     * @param stream first stream to use
     * @return number of streams used
     */
    int64_t AssignStreams(RoceHelper& roce, int64_t stream);

    /**
     * @param number number of a node in the plan
     * @return the node
     */
    Ptr<Node> GetNode(uint32_t number) const;
    /// @return all hosts in the order of their numbers
    NodeContainer GetHosts() const;
    /// @return all switches in the order of their numbers
    NodeContainer GetSwitches() const;
    /// @return the first NIC port of every host, in the order of their numbers
    NetDeviceContainer GetHostDevices() const;

    /**
     * @param link index of a link in the plan
     * @param number node at one of its ends
     * @return the port at that end
     */
    Ptr<RoceNetDevice> GetDevice(uint32_t link, uint32_t number) const;
    /**
     * @param link index of a link in the plan
     * @param number host at one of its ends
     * @return the RDMA engine of the port at that end
     */
    Ptr<RdmaEngine> GetEngine(uint32_t link, uint32_t number) const;
    /**
     * @param number number of a node in the plan
     * @return its switch, or null if it is a host
     */
    Ptr<RoceSwitch> GetSwitch(uint32_t number) const;

  private:
    RoceTopology m_topology;                                                  //!< the plan
    std::vector<Ptr<Node>> m_nodes;                                           //!< by number
    std::vector<std::pair<Ptr<RoceNetDevice>, Ptr<RoceNetDevice>>> m_devices; //!< by link
};

} // namespace ns3

#endif /* ROCE_TOPOLOGY_HELPER_H */
