/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-topology-helper.h"

#include "roce-routing-helper.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-switch-node.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceTopologyHelper");

namespace
{

/// Address before the first host's.
constexpr uint32_t NETWORK = 0x0a000000; // 10.0.0.0

} // namespace

void
RoceTopologyHelper::Install(const RoceTopology& topology, RoceHelper& roce)
{
    NS_LOG_FUNCTION(this << topology.GetNNodes());
    m_topology = topology;
    m_nodes.clear();
    m_devices.clear();
    for (uint32_t number = 0; number < topology.GetNNodes(); number++)
    {
        if (topology.IsSwitch(number))
        {
            m_nodes.push_back(CreateObject<RoceSwitchNode>());
        }
        else
        {
            m_nodes.push_back(CreateObject<Node>());
        }
    }
    uint32_t address = NETWORK;
    for (uint32_t link = 0; link < topology.GetLinks().size(); link++)
    {
        const RoceTopologyLink& cable = topology.GetLinks()[link];
        roce.SetDeviceAttribute("DataRate", DataRateValue(DataRate(cable.rate)));
        roce.SetChannelAttribute("Delay", TimeValue(RoceClock::ToTime(cable.delay)));
        const NetDeviceContainer ends = roce.Install(m_nodes[cable.first], m_nodes[cable.second]);
        m_devices.emplace_back(DynamicCast<RoceNetDevice>(ends.Get(0)),
                               DynamicCast<RoceNetDevice>(ends.Get(1)));
        for (const uint32_t number : {cable.first, cable.second})
        {
            Ptr<RoceNetDevice> device = GetDevice(link, number);
            if (!topology.IsSwitch(number))
            {
                RoceHelper::GetEngine(device)->SetAddress(Ipv4Address(++address));
            }
            if (cable.errorRate > 0)
            {
                auto model = CreateObject<RateErrorModel>();
                model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                model->SetRate(cable.errorRate);
                device->SetReceiveErrorModel(model);
            }
        }
    }
    RoceRoutingHelper::PopulateForwardingTables();
}

int64_t
RoceTopologyHelper::AssignStreams(RoceHelper& roce, int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    NodeContainer nodes;
    for (const Ptr<Node>& node : m_nodes)
    {
        nodes.Add(node);
    }
    return roce.AssignStreams(nodes, stream);
}

Ptr<Node>
RoceTopologyHelper::GetNode(uint32_t number) const
{
    return m_nodes.at(number);
}

NodeContainer
RoceTopologyHelper::GetHosts() const
{
    NodeContainer nodes;
    for (const uint32_t number : m_topology.GetHosts())
    {
        nodes.Add(m_nodes[number]);
    }
    return nodes;
}

NodeContainer
RoceTopologyHelper::GetSwitches() const
{
    NodeContainer nodes;
    for (const uint32_t number : m_topology.GetSwitches())
    {
        nodes.Add(m_nodes[number]);
    }
    return nodes;
}

NetDeviceContainer
RoceTopologyHelper::GetHostDevices() const
{
    NetDeviceContainer devices;
    for (const uint32_t number : m_topology.GetHosts())
    {
        NS_ABORT_MSG_IF(m_topology.GetLinksOf(number).empty(), "host " << number << " has no link");
        devices.Add(GetDevice(m_topology.GetLinksOf(number).front(), number));
    }
    return devices;
}

Ptr<RoceNetDevice>
RoceTopologyHelper::GetDevice(uint32_t link, uint32_t number) const
{
    const RoceTopologyLink& cable = m_topology.GetLinks().at(link);
    NS_ABORT_MSG_UNLESS(number == cable.first || number == cable.second,
                        "link " << link << " connects nodes " << cable.first << " and "
                                << cable.second << ", not node " << number);
    return number == cable.first ? m_devices[link].first : m_devices[link].second;
}

Ptr<RdmaEngine>
RoceTopologyHelper::GetEngine(uint32_t link, uint32_t number) const
{
    return RoceHelper::GetEngine(GetDevice(link, number));
}

Ptr<RoceSwitch>
RoceTopologyHelper::GetSwitch(uint32_t number) const
{
    return m_nodes.at(number)->GetObject<RoceSwitch>();
}

} // namespace ns3
