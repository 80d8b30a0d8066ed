/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-topology.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceTopology");

uint32_t
RoceTopology::AddNode(bool isSwitch)
{
    const uint32_t node = GetNNodes();
    NS_ABORT_MSG_IF(node >= MAX_NODES, "a topology has at most " << MAX_NODES << " nodes");
    m_isSwitch.push_back(isSwitch);
    m_linksOf.emplace_back();
    (isSwitch ? m_switches : m_hosts).push_back(node);
    return node;
}

void
RoceTopology::AddLink(const RoceTopologyLink& link)
{
    NS_ABORT_MSG_UNLESS(link.first < GetNNodes() && link.second < GetNNodes(),
                        "link between nodes " << link.first << " and " << link.second
                                              << ", but only " << GetNNodes() << " nodes exist");
    NS_ABORT_MSG_IF(link.first == link.second, "link from node " << link.first << " to itself");
    NS_ABORT_MSG_IF(link.rate == 0,
                    "link between nodes " << link.first << " and " << link.second
                                          << " has no rate");
    NS_ABORT_MSG_UNLESS(link.delay >= 0 && link.errorRate >= 0 && link.errorRate < 1,
                        "link between nodes " << link.first << " and " << link.second << ": delay "
                                              << link.delay << " ps or error rate "
                                              << link.errorRate << " is out of range");
    const auto index = static_cast<uint32_t>(m_links.size());
    m_links.push_back(link);
    m_linksOf[link.first].push_back(index);
    m_linksOf[link.second].push_back(index);
}

void
RoceTopology::AddLink(uint32_t first, uint32_t second, RoceTopologyLink kind)
{
    kind.first = first;
    kind.second = second;
    AddLink(kind);
}

uint32_t
RoceTopology::GetNNodes() const
{
    return static_cast<uint32_t>(m_isSwitch.size());
}

bool
RoceTopology::IsSwitch(uint32_t node) const
{
    return m_isSwitch.at(node);
}

const std::vector<uint32_t>&
RoceTopology::GetHosts() const
{
    return m_hosts;
}

const std::vector<uint32_t>&
RoceTopology::GetSwitches() const
{
    return m_switches;
}

const std::vector<RoceTopologyLink>&
RoceTopology::GetLinks() const
{
    return m_links;
}

const std::vector<uint32_t>&
RoceTopology::GetLinksOf(uint32_t node) const
{
    return m_linksOf.at(node);
}

uint32_t
RoceTopology::GetPeer(uint32_t link, uint32_t node) const
{
    const RoceTopologyLink& cable = m_links.at(link);
    return cable.first == node ? cable.second : cable.first;
}

uint64_t
RoceTopology::GetHostRate(uint32_t host) const
{
    uint64_t rate = 0;
    for (uint32_t link : GetLinksOf(host))
    {
        rate = std::max(rate, m_links[link].rate);
    }
    return rate;
}

std::string
RoceTopology::FindProblem() const
{
    if (m_hosts.empty())
    {
        return "there is no host";
    }
    std::vector<bool> reached(GetNNodes(), false);
    std::vector<uint32_t> open{m_hosts.front()};
    reached[m_hosts.front()] = true;
    while (!open.empty())
    {
        const uint32_t node = open.back();
        open.pop_back();
        for (uint32_t link : m_linksOf[node])
        {
            const uint32_t peer = GetPeer(link, node);
            if (!reached[peer])
            {
                reached[peer] = true;
                open.push_back(peer);
            }
        }
    }
    const auto lost = std::find(reached.begin(), reached.end(), false);
    if (lost != reached.end())
    {
        const auto node = static_cast<uint32_t>(lost - reached.begin());
        return std::string(m_isSwitch[node] ? "switch " : "host ") + std::to_string(node) +
               (m_linksOf[node].empty()
                    ? " has no link"
                    : " cannot be reached from host " + std::to_string(m_hosts.front()));
    }
    return "";
}

RoceTopology
RoceTopology::Star(uint32_t hosts, uint64_t rate, RocePs delay)
{
    NS_LOG_FUNCTION(hosts << rate << delay);
    RoceTopology plan;
    for (uint32_t i = 0; i < hosts; i++)
    {
        plan.AddNode(false);
    }
    const uint32_t center = plan.AddNode(true);
    for (uint32_t i = 0; i < hosts; i++)
    {
        plan.AddLink({i, center, rate, delay, 0});
    }
    return plan;
}

RoceTopology
RoceTopology::LeafSpine(uint32_t leaves,
                        uint32_t spines,
                        uint32_t hostsPerLeaf,
                        uint64_t rate,
                        RocePs delay)
{
    const RoceTopologyLink link{0, 0, rate, delay, 0};
    return LeafSpine(leaves, spines, hostsPerLeaf, link, link);
}

RoceTopology
RoceTopology::LeafSpine(uint32_t leaves,
                        uint32_t spines,
                        uint32_t hostsPerLeaf,
                        const RoceTopologyLink& hostLink,
                        const RoceTopologyLink& fabricLink)
{
    NS_LOG_FUNCTION(leaves << spines << hostsPerLeaf);
    NS_ABORT_MSG_UNLESS(leaves > 0 && spines > 0 && hostsPerLeaf > 0,
                        "a leaf-spine network needs at least one leaf, one spine and one host per "
                        "leaf, not "
                            << leaves << ", " << spines << ", " << hostsPerLeaf);
    RoceTopology plan;
    const uint32_t hosts = leaves * hostsPerLeaf;
    for (uint32_t i = 0; i < hosts; i++)
    {
        plan.AddNode(false);
    }
    for (uint32_t i = 0; i < leaves + spines; i++)
    {
        plan.AddNode(true);
    }
    for (uint32_t i = 0; i < hosts; i++)
    {
        plan.AddLink(i, hosts + i / hostsPerLeaf, hostLink);
    }
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
    {
        for (uint32_t spine = 0; spine < spines; spine++)
        {
            plan.AddLink(hosts + leaf, hosts + leaves + spine, fabricLink);
        }
    }
    return plan;
}

RoceTopology
RoceTopology::FatTree(uint32_t k, uint64_t rate, RocePs delay)
{
    const RoceTopologyLink link{0, 0, rate, delay, 0};
    return FatTree(k, link, link);
}

RoceTopology
RoceTopology::FatTree(uint32_t k,
                      const RoceTopologyLink& hostLink,
                      const RoceTopologyLink& fabricLink)
{
    NS_LOG_FUNCTION(k);
    NS_ABORT_MSG_UNLESS(k >= 2 && k % 2 == 0,
                        "a fat tree needs an even number of ports per switch, not " << k);
    RoceTopology plan;
    const uint32_t half = k / 2;
    const uint32_t hosts = k * half * half;
    const uint32_t firstEdge = hosts;
    const uint32_t firstAggregation = firstEdge + k * half;
    const uint32_t firstCore = firstAggregation + k * half;
    for (uint32_t i = 0; i < hosts; i++)
    {
        plan.AddNode(false);
    }
    for (uint32_t i = hosts; i < firstCore + half * half; i++)
    {
        plan.AddNode(true);
    }
    for (uint32_t i = 0; i < hosts; i++)
    {
        plan.AddLink(i, firstEdge + i / half, hostLink);
    }
    for (uint32_t i = 0; i < k * half; i++)
    {
        const uint32_t pod = i / half;
        for (uint32_t up = 0; up < half; up++)
        {
            plan.AddLink(firstEdge + i, firstAggregation + pod * half + up, fabricLink);
        }
    }
    for (uint32_t i = 0; i < k * half; i++)
    {
        for (uint32_t up = 0; up < half; up++)
        {
            plan.AddLink(firstAggregation + i, firstCore + i % half * half + up, fabricLink);
        }
    }
    return plan;
}

} // namespace ns3
