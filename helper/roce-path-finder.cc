/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-path-finder.h"

#include "roce-topology.h"

#include "ns3/log.h"

#include <algorithm>
#include <map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RocePathFinder");

RocePathFinder::RocePathFinder(const RoceTopology& topology)
    : m_topology(topology),
      m_destination(topology.GetNNodes()) // none
{
}

void
RocePathFinder::Search(uint32_t destination)
{
    NS_LOG_FUNCTION(this << destination);
    m_destination = destination;
    m_ways.assign(m_topology.GetNNodes(), Way());
    m_ways[destination] = {0, UINT64_MAX};
    std::vector<uint32_t> ring{destination};
    std::vector<uint32_t> nextRing;
    for (uint32_t hops = 1; !ring.empty(); hops++)
    {
        nextRing.clear();
        for (uint32_t node : ring)
        {
            if (node != destination && !m_topology.IsSwitch(node))
            {
                continue; // hosts do not forward
            }
            for (uint32_t link : m_topology.GetLinksOf(node))
            {
                const uint32_t peer = m_topology.GetPeer(link, node);
                Way& way = m_ways[peer];
                if (way.hops > hops)
                {
                    way.hops = hops;
                    nextRing.push_back(peer);
                }
                if (way.hops == hops)
                {
                    way.rate =
                        std::max(way.rate,
                                 std::min(m_topology.GetLinks()[link].rate, m_ways[node].rate));
                }
            }
        }
        ring.swap(nextRing);
    }
}

const std::vector<uint32_t>&
RocePathFinder::FindPath(uint32_t source, uint32_t destination)
{
    NS_LOG_FUNCTION(this << source << destination);
    if (destination != m_destination)
    {
        Search(destination);
    }
    m_path.clear();
    const Way& start = m_ways.at(source);
    if (start.hops == UINT32_MAX)
    {
        return m_path;
    }

    // Of all shortest paths without a link slower than the best bottleneck, the one with the least
    // delay: walk hop by hop, keeping for every node the best way to get there.
    struct Arrival
    {
        RocePs delay;
        std::vector<uint32_t> links;
    };

    std::map<uint32_t, Arrival> ring{{source, {0, {}}}};
    for (uint32_t hops = start.hops; hops > 0; hops--)
    {
        std::map<uint32_t, Arrival> nextRing;
        for (const auto& [node, arrival] : ring)
        {
            for (uint32_t link : m_topology.GetLinksOf(node))
            {
                const uint32_t peer = m_topology.GetPeer(link, node);
                const RoceTopologyLink& cable = m_topology.GetLinks()[link];
                if (m_ways[peer].hops != hops - 1 || cable.rate < start.rate ||
                    m_ways[peer].rate < start.rate || (hops > 1 && !m_topology.IsSwitch(peer)))
                {
                    continue;
                }
                const RocePs delay = arrival.delay + cable.delay;
                const auto known = nextRing.find(peer);
                if (known == nextRing.end() || delay < known->second.delay)
                {
                    Arrival better{delay, arrival.links};
                    better.links.push_back(link);
                    nextRing[peer] = std::move(better);
                }
            }
        }
        ring.swap(nextRing);
    }
    m_path = ring.begin()->second.links;
    return m_path;
}

} // namespace ns3
