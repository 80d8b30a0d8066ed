/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FAT_TREE_HELPER_H
#define ROCE_FAT_TREE_HELPER_H

#include "roce-topology-helper.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Builds the fat tree of k-port switches: k pods, each of k/2 edge and k/2 aggregation
 * switches, (k/2)^2 core switches and k^3/4 hosts.
 *
 * Aggregation switch a of every pod is connected to cores a k/2 to (a + 1) k/2 - 1.
 */
class RoceFatTreeHelper
{
  public:
    /// @param k ports per switch, even and at least 2
    explicit RoceFatTreeHelper(uint32_t k);

    /**
     * @param rate rate of the cables of hosts (default 100 Gb/s)
     * @param delay their propagation delay (default 1 us)
     */
    void SetHostLink(DataRate rate, Time delay);
    /**
     * @param rate rate of the cables between switches (default 100 Gb/s)
     * @param delay their propagation delay (default 1 us)
     */
    void SetFabricLink(DataRate rate, Time delay);

    /// @param roce makes devices and switches
    void Install(RoceHelper& roce);

    /// @return number of hosts
    uint32_t GetNHosts() const;
    /**
     * @param host number of a host; those of a pod and of an edge switch follow each other
     * @return the host
     */
    Ptr<Node> GetHost(uint32_t host) const;
    /**
     * @param host number of a host
     * @return its NIC port
     */
    Ptr<RoceNetDevice> GetHostDevice(uint32_t host) const;
    /**
     * @param pod number of a pod
     * @param edge number of an edge switch in it
     * @return the switch; its ports are those of hosts, then those of aggregation switches
     */
    Ptr<RoceSwitch> GetEdge(uint32_t pod, uint32_t edge) const;
    /**
     * @param pod number of a pod
     * @param aggregation number of an aggregation switch in it
     * @return the switch; its ports are those of edge switches, then those of cores
     */
    Ptr<RoceSwitch> GetAggregation(uint32_t pod, uint32_t aggregation) const;
    /**
     * @param core number of a core switch
     * @return the switch; port i leads to pod i
     */
    Ptr<RoceSwitch> GetCore(uint32_t core) const;

    /// @return everything by node number: hosts, edge switches, aggregation switches, cores
    const RoceTopologyHelper& GetNetwork() const;

  private:
    uint32_t m_k;                  //!< ports per switch
    RoceTopologyLink m_hostLink;   //!< cables of hosts
    RoceTopologyLink m_fabricLink; //!< cables between switches
    RoceTopologyHelper m_network;  //!< the network
};

} // namespace ns3

#endif /* ROCE_FAT_TREE_HELPER_H */
