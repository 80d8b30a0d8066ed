/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_LEAF_SPINE_HELPER_H
#define ROCE_LEAF_SPINE_HELPER_H

#include "roce-topology-helper.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Builds a leaf-spine network: hosts on leaf switches, each leaf connected to each spine
 * switch.
 *
 *     RoceHelper roce;
 *     RoceLeafSpineHelper fabric(4, 2, 8); // 4 leaves, 2 spines, 8 hosts per leaf
 *     fabric.SetFabricLink(DataRate("400Gbps"), MicroSeconds(1));
 *     fabric.Install(roce);
 *     auto [qp, peer] = roce.ConnectQueuePairs(fabric.GetHostDevice(0, 0), fabric.GetHostDevice(3,
 * 7));
 */
class RoceLeafSpineHelper
{
  public:
    /**
     * @param leaves number of leaf switches
     * @param spines number of spine switches
     * @param hostsPerLeaf hosts on each leaf
     */
    RoceLeafSpineHelper(uint32_t leaves, uint32_t spines, uint32_t hostsPerLeaf);

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

    /**
     * @param leaf number of a leaf
     * @param host number of a host on that leaf
     * @return the host
     */
    Ptr<Node> GetHost(uint32_t leaf, uint32_t host) const;
    /**
     * @param leaf number of a leaf
     * @param host number of a host on that leaf
     * @return the NIC port of the host
     */
    Ptr<RoceNetDevice> GetHostDevice(uint32_t leaf, uint32_t host) const;
    /**
     * @param leaf number of a leaf
     * @return the leaf switch; its ports are those of the hosts, then those of the spines
     */
    Ptr<RoceSwitch> GetLeaf(uint32_t leaf) const;
    /**
     * @param spine number of a spine
     * @return the spine switch; port i leads to leaf i
     */
    Ptr<RoceSwitch> GetSpine(uint32_t spine) const;

    /// @return everything by node number: hosts leaf by leaf, leaves, spines
    const RoceTopologyHelper& GetNetwork() const;

  private:
    /**
     * @param leaf number of a leaf
     * @param host number of a host on that leaf
     * @return node number of the host
     */
    uint32_t GetHostNumber(uint32_t leaf, uint32_t host) const;

    uint32_t m_leaves;             //!< number of leaf switches
    uint32_t m_spines;             //!< number of spine switches
    uint32_t m_hostsPerLeaf;       //!< hosts on each leaf
    RoceTopologyLink m_hostLink;   //!< cables of hosts
    RoceTopologyLink m_fabricLink; //!< cables between switches
    RoceTopologyHelper m_network;  //!< the network
};

} // namespace ns3

#endif /* ROCE_LEAF_SPINE_HELPER_H */
