/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-routing-helper.h"

#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/rdma-engine.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-switch.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceRoutingHelper");

namespace
{

/// A switch as the path computation sees it.
struct Vertex
{
    Ptr<RoceSwitch> pipeline;                 //!< the switch
    std::vector<std::vector<uint16_t>> ports; //!< ports to each neighbor, as neighbors
    std::vector<uint32_t> neighbors;          //!< neighboring switches, in the order of ports
};

/// A NIC port behind a switch.
struct Leaf
{
    Ptr<RdmaEngine> engine; //!< its engine
    uint16_t port;          //!< port of the switch that leads to it
};

/**
 * The part of the topology that matters.
 */
struct Graph
{
    std::vector<Vertex> switches;          //!< all switches
    std::vector<std::vector<Leaf>> leaves; //!< NIC ports of each switch
};

/// @return the topology of all nodes that exist
Graph
BuildGraph()
{
    Graph graph;
    std::map<uint32_t, uint32_t> indexOfNode;
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        if (auto pipeline = (*node)->GetObject<RoceSwitch>())
        {
            indexOfNode[(*node)->GetId()] = static_cast<uint32_t>(graph.switches.size());
            graph.switches.push_back({pipeline, {}, {}});
        }
    }
    graph.leaves.resize(graph.switches.size());
    for (uint32_t i = 0; i < graph.switches.size(); i++)
    {
        Vertex& vertex = graph.switches[i];
        std::map<uint32_t, uint32_t> slotOfNeighbor;
        for (uint32_t p = 0; p < vertex.pipeline->GetNPorts(); p++)
        {
            const auto port = static_cast<uint16_t>(p);
            Ptr<RoceNetDevice> peer = vertex.pipeline->GetPort(port)->GetLinkPeer();
            if (!peer || !peer->IsLinkUp())
            {
                continue;
            }
            auto found = indexOfNode.find(peer->GetNode()->GetId());
            if (found == indexOfNode.end())
            {
                if (auto engine = peer->GetObject<RdmaEngine>())
                {
                    graph.leaves[i].push_back({engine, port});
                }
                continue;
            }
            auto slot = slotOfNeighbor.emplace(found->second, vertex.neighbors.size());
            if (slot.second)
            {
                vertex.neighbors.push_back(found->second);
                vertex.ports.emplace_back();
            }
            vertex.ports[slot.first->second].push_back(port);
        }
    }
    return graph;
}

/**
 * @param graph the topology
 * @param root a switch
 * @return distance of each switch from it in hops
 */
std::vector<uint32_t>
GetDistances(const Graph& graph, uint32_t root)
{
    constexpr uint32_t FAR = std::numeric_limits<uint32_t>::max();
    std::vector<uint32_t> distance(graph.switches.size(), FAR);
    std::deque<uint32_t> queue{root};
    distance[root] = 0;
    while (!queue.empty())
    {
        const uint32_t at = queue.front();
        queue.pop_front();
        for (const uint32_t next : graph.switches[at].neighbors)
        {
            if (distance[next] == FAR)
            {
                distance[next] = distance[at] + 1;
                queue.push_back(next);
            }
        }
    }
    return distance;
}

/**
 * Enter host routes to all addresses of a port.
 * @param pipeline the switch
 * @param engine NIC that they lead to
 * @param ports equal-cost ports
 * @param attached the NIC is attached to this switch
 */
void
EnterRoutes(Ptr<RoceSwitch> pipeline,
            Ptr<RdmaEngine> engine,
            const std::vector<uint16_t>& ports,
            bool attached)
{
    Ptr<RoceForwardingTable> table = pipeline->GetForwardingTable();
    RoceAddressBytes address;
    uint16_t etherType;
    if (engine->FindAddress(address, etherType)) // a NIC without address cannot be reached
    {
        if (etherType == RoceFrameCodec::ETHERTYPE_IPV4)
        {
            table->Replace(RoceFrameCodec::ToIpv4(address), Ipv4Mask::GetOnes(), ports);
        }
        else if (attached || etherType == RoceFrameCodec::ETHERTYPE_IPV6) // RoCEv1 is not routed
        {
            table->Replace(RoceFrameCodec::ToIpv6(address), Ipv6Prefix(128), ports);
        }
    }
    // The network stack of the host may have more.
    Ptr<RoceNetDevice> device = engine->GetDevice();
    Ptr<Ipv4> ipv4 = device->GetNode()->GetObject<Ipv4>();
    int32_t interface = ipv4 ? ipv4->GetInterfaceForDevice(device) : -1;
    for (uint32_t i = 0; interface >= 0 && i < ipv4->GetNAddresses(interface); i++)
    {
        table->Replace(ipv4->GetAddress(interface, i).GetLocal(), Ipv4Mask::GetOnes(), ports);
    }
    Ptr<Ipv6> ipv6 = device->GetNode()->GetObject<Ipv6>();
    interface = ipv6 ? ipv6->GetInterfaceForDevice(device) : -1;
    for (uint32_t i = 0; interface >= 0 && i < ipv6->GetNAddresses(interface); i++)
    {
        const Ipv6InterfaceAddress own = ipv6->GetAddress(interface, i);
        if (own.GetScope() == Ipv6InterfaceAddress::GLOBAL)
        {
            table->Replace(own.GetAddress(), Ipv6Prefix(128), ports);
        }
    }
}

} // namespace

void
RoceRoutingHelper::PopulateForwardingTables()
{
    const Graph graph = BuildGraph();
    for (uint32_t root = 0; root < graph.switches.size(); root++)
    {
        if (graph.leaves[root].empty())
        {
            continue;
        }
        const std::vector<uint32_t> distance = GetDistances(graph, root);
        for (uint32_t i = 0; i < graph.switches.size(); i++)
        {
            const Vertex& vertex = graph.switches[i];
            std::vector<uint16_t> ports;
            for (std::size_t n = 0; n < vertex.neighbors.size(); n++)
            {
                if (i != root && distance[vertex.neighbors[n]] < distance[i])
                {
                    ports.insert(ports.end(), vertex.ports[n].begin(), vertex.ports[n].end());
                }
            }
            for (const auto& leaf : graph.leaves[root])
            {
                if (i == root)
                {
                    EnterRoutes(vertex.pipeline, leaf.engine, {leaf.port}, true);
                }
                else if (!ports.empty())
                {
                    EnterRoutes(vertex.pipeline, leaf.engine, ports, false);
                }
            }
        }
    }
}

} // namespace ns3
