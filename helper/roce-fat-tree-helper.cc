/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fat-tree-helper.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/roce-clock.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceFatTreeHelper");

RoceFatTreeHelper::RoceFatTreeHelper(uint32_t k)
    : m_k(k)
{
    SetHostLink(DataRate("100Gbps"), MicroSeconds(1));
    SetFabricLink(DataRate("100Gbps"), MicroSeconds(1));
}

void
RoceFatTreeHelper::SetHostLink(DataRate rate, Time delay)
{
    m_hostLink.rate = rate.GetBitRate();
    m_hostLink.delay = RoceClock::FromTime(delay);
}

void
RoceFatTreeHelper::SetFabricLink(DataRate rate, Time delay)
{
    m_fabricLink.rate = rate.GetBitRate();
    m_fabricLink.delay = RoceClock::FromTime(delay);
}

void
RoceFatTreeHelper::Install(RoceHelper& roce)
{
    NS_LOG_FUNCTION(this);
    m_network.Install(RoceTopology::FatTree(m_k, m_hostLink, m_fabricLink), roce);
}

uint32_t
RoceFatTreeHelper::GetNHosts() const
{
    return m_k * m_k * m_k / 4;
}

Ptr<Node>
RoceFatTreeHelper::GetHost(uint32_t host) const
{
    NS_ABORT_MSG_UNLESS(host < GetNHosts(), "there is no host " << host << " of " << GetNHosts());
    return m_network.GetNode(host);
}

Ptr<RoceNetDevice>
RoceFatTreeHelper::GetHostDevice(uint32_t host) const
{
    NS_ABORT_MSG_UNLESS(host < GetNHosts(), "there is no host " << host << " of " << GetNHosts());
    return m_network.GetDevice(host, host); // host i has link i
}

Ptr<RoceSwitch>
RoceFatTreeHelper::GetEdge(uint32_t pod, uint32_t edge) const
{
    NS_ABORT_MSG_UNLESS(pod < m_k && edge < m_k / 2,
                        "there is no edge switch " << edge << " in pod " << pod
                                                   << " with k = " << m_k);
    return m_network.GetSwitch(GetNHosts() + pod * (m_k / 2) + edge);
}

Ptr<RoceSwitch>
RoceFatTreeHelper::GetAggregation(uint32_t pod, uint32_t aggregation) const
{
    NS_ABORT_MSG_UNLESS(pod < m_k && aggregation < m_k / 2,
                        "there is no aggregation switch " << aggregation << " in pod " << pod
                                                          << " with k = " << m_k);
    return m_network.GetSwitch(GetNHosts() + m_k * (m_k / 2) + pod * (m_k / 2) + aggregation);
}

Ptr<RoceSwitch>
RoceFatTreeHelper::GetCore(uint32_t core) const
{
    NS_ABORT_MSG_UNLESS(core < (m_k / 2) * (m_k / 2),
                        "there is no core switch " << core << " with k = " << m_k);
    return m_network.GetSwitch(GetNHosts() + m_k * m_k + core);
}

const RoceTopologyHelper&
RoceFatTreeHelper::GetNetwork() const
{
    return m_network;
}

} // namespace ns3
