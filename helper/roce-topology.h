/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_TOPOLOGY_H
#define ROCE_TOPOLOGY_H

#include "ns3/roce-frame.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief One full-duplex cable of a RoceTopology.
 */
struct RoceTopologyLink
{
    uint32_t first{0};   //!< node at one end
    uint32_t second{0};  //!< node at the other end
    uint64_t rate{0};    //!< rate in each direction, bit/s
    RocePs delay{0};     //!< propagation delay, picoseconds
    double errorRate{0}; //!< probability that a frame is lost, from 0 to less than 1
};

/**
 * @ingroup roce
 * @brief The plan of a network: which nodes are switches and which cables connect them.
 *
 * Plain data, read from a file by RoceTopologyReader, made by one of the builders here, or put
 * together by hand; RoceTopologyHelper turns it into ns-3 nodes and devices. Nodes are numbered
 * from 0 in the order in which they are added. The builders number all hosts before all switches,
 * as the topology files of the field do.
 */
class RoceTopology
{
  public:
    /// Largest number of nodes: every host gets its own IPv4 address out of 10.0.0.0/8.
    static constexpr uint32_t MAX_NODES = 16'000'000;

    /**
     * @param isSwitch true for a switch, false for a host
     * @return the number of the new node
     */
    uint32_t AddNode(bool isSwitch);

    /**
     * @param link the cable to add; both nodes must exist already. Parallel cables are allowed.
     */
    void AddLink(const RoceTopologyLink& link);

    /// @return number of nodes
    uint32_t GetNNodes() const;

    /**
     * @param node number of a node
     * @return true if it is a switch
     */
    bool IsSwitch(uint32_t node) const;

    /// @return numbers of all hosts in ascending order: "host i" is entry i
    const std::vector<uint32_t>& GetHosts() const;

    /// @return numbers of all switches in ascending order
    const std::vector<uint32_t>& GetSwitches() const;

    /// @return all cables
    const std::vector<RoceTopologyLink>& GetLinks() const;

    /**
     * @param node number of a node
     * @return indices into GetLinks() of its cables, in the order in which they were added
     */
    const std::vector<uint32_t>& GetLinksOf(uint32_t node) const;

    /**
     * @param link index of a cable
     * @param node node at one end of it
     * @return node at the other end
     */
    uint32_t GetPeer(uint32_t link, uint32_t node) const;

    /**
     * @param host number of a host
     * @return rate of its fastest cable, bit/s
     */
    uint64_t GetHostRate(uint32_t host) const;

    /// @return why nobody could run traffic here (a node that cannot be reached), or an empty
    /// string
    std::string FindProblem() const;

    /**
     * Hosts on one switch.
     * @param hosts number of hosts
     * @param rate rate of every cable, bit/s
     * @param delay propagation delay of every cable, picoseconds
     * @return the plan
     */
    static RoceTopology Star(uint32_t hosts, uint64_t rate, RocePs delay);

    /**
     * Two tiers: every leaf is connected to every spine once. Nodes: hosts leaf by leaf, leaves,
     * spines.
     * @param leaves number of leaf switches
     * @param spines number of spine switches
     * @param hostsPerLeaf hosts on each leaf
     * @param rate rate of every cable, bit/s
     * @param delay propagation delay of every cable, picoseconds
     * @return the plan
     */
    static RoceTopology LeafSpine(uint32_t leaves,
                                  uint32_t spines,
                                  uint32_t hostsPerLeaf,
                                  uint64_t rate,
                                  RocePs delay);

    /**
     * Two tiers with different cables below and above the leaves.
     * @param leaves number of leaf switches
     * @param spines number of spine switches
     * @param hostsPerLeaf hosts on each leaf
     * @param hostLink rate, delay and error rate of the cables of hosts
     * @param fabricLink rate, delay and error rate of the cables between switches
     * @return the plan
     */
    static RoceTopology LeafSpine(uint32_t leaves,
                                  uint32_t spines,
                                  uint32_t hostsPerLeaf,
                                  const RoceTopologyLink& hostLink,
                                  const RoceTopologyLink& fabricLink);

    /**
     * The fat tree of k-port switches: k pods of k/2 edge and k/2 aggregation switches, (k/2)^2
     * core switches and k^3/4 hosts, every tier with the same bandwidth. Nodes: hosts edge by edge,
     * edge switches pod by pod, aggregation switches pod by pod, cores.
     * @param k ports per switch, even and at least 2
     * @param rate rate of every cable, bit/s
     * @param delay propagation delay of every cable, picoseconds
     * @return the plan
     */
    static RoceTopology FatTree(uint32_t k, uint64_t rate, RocePs delay);

    /**
     * The fat tree with different cables below and above the edge switches.
     * @param k ports per switch, even and at least 2
     * @param hostLink rate, delay and error rate of the cables of hosts
     * @param fabricLink rate, delay and error rate of the cables between switches
     * @return the plan
     */
    static RoceTopology FatTree(uint32_t k,
                                const RoceTopologyLink& hostLink,
                                const RoceTopologyLink& fabricLink);

  private:
    /**
     * Add a cable.
     * @param first node at one end
     * @param second node at the other end
     * @param kind everything else
     */
    void AddLink(uint32_t first, uint32_t second, RoceTopologyLink kind);

    std::vector<bool> m_isSwitch;                 //!< per node
    std::vector<uint32_t> m_hosts;                //!< hosts, ascending
    std::vector<uint32_t> m_switches;             //!< switches, ascending
    std::vector<RoceTopologyLink> m_links;        //!< cables
    std::vector<std::vector<uint32_t>> m_linksOf; //!< per node: indices of its cables
};

} // namespace ns3

#endif /* ROCE_TOPOLOGY_H */
