/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-flow-generator.h"

#include "roce-size-distribution.h"
#include "roce-topology.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/roce-clock.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceFlowGenerator");

RoceFlowGenerator::RoceFlowGenerator()
    : m_permutation(CreateObject<UniformRandomVariable>()),
      m_gaps(CreateObject<ExponentialRandomVariable>()),
      m_sizes(CreateObject<UniformRandomVariable>()),
      m_destinations(CreateObject<UniformRandomVariable>())
{
    NS_LOG_FUNCTION(this);
    m_gaps->SetAttribute("Mean", DoubleValue(1));
}

int64_t
RoceFlowGenerator::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_permutation->SetStream(stream);
    m_gaps->SetStream(stream + 1);
    m_sizes->SetStream(stream + 2);
    m_destinations->SetStream(stream + 3);
    return 4;
}

std::vector<RoceFlow>
RoceFlowGenerator::Incast(const RoceTopology& topology, uint32_t senders, uint64_t bytes) const
{
    NS_LOG_FUNCTION(this << senders << bytes);
    const std::vector<uint32_t>& hosts = topology.GetHosts();
    NS_ABORT_MSG_UNLESS(senders > 0 && senders < hosts.size(),
                        "an incast of " << senders << " senders needs at least one sender and "
                                        << "one more host than senders; there are " << hosts.size()
                                        << " hosts");
    std::vector<RoceFlow> flows(senders);
    for (uint32_t i = 0; i < senders; i++)
    {
        flows[i].id = i;
        flows[i].source = hosts[i + 1];
        flows[i].destination = hosts[0];
        flows[i].bytes = bytes;
    }
    return flows;
}

std::vector<RoceFlow>
RoceFlowGenerator::Permutation(const RoceTopology& topology, uint64_t bytes) const
{
    NS_LOG_FUNCTION(this << bytes);
    const std::vector<uint32_t>& hosts = topology.GetHosts();
    const auto n = static_cast<uint32_t>(hosts.size());
    NS_ABORT_MSG_UNLESS(n > 1, "a permutation needs at least two hosts; there are " << n);
    std::vector<uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    bool fixedPoint = true;
    while (fixedPoint) // a shuffle has no fixed point with probability 1/e, so this ends soon
    {
        for (uint32_t i = n - 1; i > 0; i--)
        {
            std::swap(order[i], order[m_permutation->GetInteger(0, i)]);
        }
        fixedPoint = false;
        for (uint32_t i = 0; i < n; i++)
        {
            fixedPoint = fixedPoint || order[i] == i;
        }
    }
    std::vector<RoceFlow> flows(n);
    for (uint32_t i = 0; i < n; i++)
    {
        flows[i].id = i;
        flows[i].source = hosts[i];
        flows[i].destination = hosts[order[i]];
        flows[i].bytes = bytes;
    }
    return flows;
}

std::vector<RoceFlow>
RoceFlowGenerator::Poisson(const RoceTopology& topology,
                           const RoceSizeDistribution& sizes,
                           double load,
                           RocePs duration) const
{
    NS_LOG_FUNCTION(this << load << duration);
    const std::vector<uint32_t>& hosts = topology.GetHosts();
    NS_ABORT_MSG_UNLESS(hosts.size() > 1,
                        "Poisson traffic needs at least two hosts; there are " << hosts.size());
    NS_ABORT_MSG_UNLESS(load > 0, "the load " << load << " is not positive");
    std::vector<RoceFlow> flows;
    for (uint32_t i = 0; i < hosts.size(); i++)
    {
        const double bytesPerPs =
            load * topology.GetHostRate(hosts[i]) / 8 / static_cast<double>(RoceClock::SECOND);
        const double meanGap = sizes.GetMean() / bytesPerPs;
        double time = m_gaps->GetValue() * meanGap;
        for (; time < static_cast<double>(duration); time += m_gaps->GetValue() * meanGap)
        {
            RoceFlow flow;
            flow.start = std::llround(time);
            flow.source = hosts[i];
            const auto other = static_cast<uint32_t>(
                m_destinations->GetInteger(0, static_cast<uint32_t>(hosts.size()) - 2));
            flow.destination = hosts[other < i ? other : other + 1];
            flow.bytes = sizes.GetSize(m_sizes->GetValue(0, 100));
            flows.push_back(flow);
        }
    }
    std::sort(flows.begin(), flows.end(), [](const RoceFlow& a, const RoceFlow& b) {
        return std::tie(a.start, a.source, a.destination, a.bytes) <
               std::tie(b.start, b.source, b.destination, b.bytes);
    });
    for (std::size_t i = 0; i < flows.size(); i++)
    {
        flows[i].id = i;
    }
    return flows;
}

} // namespace ns3
