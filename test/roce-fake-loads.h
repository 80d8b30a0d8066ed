/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FAKE_LOADS_H
#define ROCE_FAKE_LOADS_H

#include "ns3/roce-clock.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-frame.h"
#include "ns3/roce-load-balancer.h"
#include "ns3/roce-port-group.h"
#include "ns3/roce-port-loads.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * What tests of load balancers choose from.
 */

namespace ns3
{

/**
 * @ingroup roce-tests
 * @brief Port loads that a test sets.
 */
class RoceFakeLoads : public RocePortLoads
{
  public:
    static constexpr uint64_t RATE = 400'000'000'000; //!< rate of the ports, bit/s

    uint64_t GetQueuedBytes(uint16_t port) const override
    {
        const auto found = m_queues.find(port);
        return found == m_queues.end() ? 0 : found->second;
    }

    double GetLoad(uint16_t port, RocePs) const override
    {
        const auto found = m_loads.find(port);
        return found == m_loads.end() ? 0.0 : found->second;
    }

    uint64_t GetRate(uint16_t) const override
    {
        return RATE;
    }

    std::map<uint16_t, uint64_t> m_queues; //!< queued bytes, 0 if missing
    std::map<uint16_t, double> m_loads;    //!< loads in bit/s, 0 if missing
};

/**
 * @ingroup roce-tests
 * @param n number of ports
 * @param withdrawn ports that are withdrawn
 * @return a group of the ports from 0 to n - 1
 */
inline RocePortGroup
MakeGroup(uint16_t n, const std::set<uint16_t>& withdrawn = {})
{
    RocePortGroup group;
    group.version = static_cast<uint32_t>(withdrawn.size());
    for (uint16_t port = 0; port < n; port++)
    {
        group.members.push_back(port);
        if (withdrawn.count(port) == 0)
        {
            group.ports.push_back(port);
        }
    }
    return group;
}

/**
 * @ingroup roce-tests
 * @param flow number of a flow
 * @return a frame of it, between two hosts of its own
 */
inline RoceFramePtr
MakeFrame(uint32_t flow)
{
    RoceFramePtr frame = CreateRoceFrame();
    const auto high = static_cast<uint8_t>(flow >> 8);
    const auto low = static_cast<uint8_t>(flow);
    frame->source = {10, 1, high, low};
    frame->destination = {10, 2, high, low};
    frame->udpSourcePort = 49'152;
    frame->destQp = 0x11;
    frame->flowHash = RoceFrameCodec::ComputeFlowHash(*frame);
    return frame;
}

/**
 * @ingroup roce-tests
 * @param balancer a balancer
 * @param group ports
 * @param nFlows number of flows
 * @return the port of each flow
 */
inline std::vector<uint16_t>
SelectAll(Ptr<RoceLoadBalancer> balancer, const RocePortGroup& group, uint32_t nFlows)
{
    const RoceFakeLoads loads;
    std::vector<uint16_t> ports;
    for (uint32_t flow = 0; flow < nFlows; flow++)
    {
        ports.push_back(balancer->Select(group, *MakeFrame(flow), 0, loads));
    }
    return ports;
}

} // namespace ns3

#endif /* ROCE_FAKE_LOADS_H */
