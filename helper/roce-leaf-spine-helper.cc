/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-leaf-spine-helper.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/roce-clock.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceLeafSpineHelper");

RoceLeafSpineHelper::RoceLeafSpineHelper(uint32_t leaves, uint32_t spines, uint32_t hostsPerLeaf)
    : m_leaves(leaves),
      m_spines(spines),
      m_hostsPerLeaf(hostsPerLeaf)
{
    SetHostLink(DataRate("100Gbps"), MicroSeconds(1));
    SetFabricLink(DataRate("100Gbps"), MicroSeconds(1));
}

void
RoceLeafSpineHelper::SetHostLink(DataRate rate, Time delay)
{
    m_hostLink.rate = rate.GetBitRate();
    m_hostLink.delay = RoceClock::FromTime(delay);
}

void
RoceLeafSpineHelper::SetFabricLink(DataRate rate, Time delay)
{
    m_fabricLink.rate = rate.GetBitRate();
    m_fabricLink.delay = RoceClock::FromTime(delay);
}

void
RoceLeafSpineHelper::Install(RoceHelper& roce)
{
    NS_LOG_FUNCTION(this);
    m_network.Install(
        RoceTopology::LeafSpine(m_leaves, m_spines, m_hostsPerLeaf, m_hostLink, m_fabricLink),
        roce);
}

uint32_t
RoceLeafSpineHelper::GetHostNumber(uint32_t leaf, uint32_t host) const
{
    NS_ABORT_MSG_UNLESS(leaf < m_leaves && host < m_hostsPerLeaf,
                        "there is no host " << host << " on leaf " << leaf << ": " << m_leaves
                                            << " leaves have " << m_hostsPerLeaf
                                            << " hosts each, counted from 0");
    return leaf * m_hostsPerLeaf + host;
}

Ptr<Node>
RoceLeafSpineHelper::GetHost(uint32_t leaf, uint32_t host) const
{
    return m_network.GetNode(GetHostNumber(leaf, host));
}

Ptr<RoceNetDevice>
RoceLeafSpineHelper::GetHostDevice(uint32_t leaf, uint32_t host) const
{
    const uint32_t number = GetHostNumber(leaf, host);
    return m_network.GetDevice(number, number); // host i has link i
}

Ptr<RoceSwitch>
RoceLeafSpineHelper::GetLeaf(uint32_t leaf) const
{
    NS_ABORT_MSG_UNLESS(leaf < m_leaves, "there is no leaf " << leaf << " of " << m_leaves);
    return m_network.GetSwitch(m_leaves * m_hostsPerLeaf + leaf);
}

Ptr<RoceSwitch>
RoceLeafSpineHelper::GetSpine(uint32_t spine) const
{
    NS_ABORT_MSG_UNLESS(spine < m_spines, "there is no spine " << spine << " of " << m_spines);
    return m_network.GetSwitch(m_leaves * m_hostsPerLeaf + m_leaves + spine);
}

const RoceTopologyHelper&
RoceLeafSpineHelper::GetNetwork() const
{
    return m_network;
}

} // namespace ns3
