/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-ecmp.h"

#include "ns3/boolean.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceEcmp);

TypeId
RoceEcmp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceEcmp")
            .SetParent<RoceLoadBalancer>()
            .SetGroupName("Roce")
            .AddConstructor<RoceEcmp>()
            .AddAttribute(
                "Resilient",
                "Move only the flows of a port when it is withdrawn, not those of others.",
                BooleanValue(false),
                MakeBooleanAccessor(&RoceEcmp::m_resilient),
                MakeBooleanChecker());
    return tid;
}

RoceEcmp::~RoceEcmp() = default;

uint16_t
RoceEcmp::DoSelect(const RocePortGroup& group, const RoceFrame& frame, RocePs, const RocePortLoads&)
{
    uint32_t hash = Hash(frame);
    if (m_resilient && group.ports.size() < group.members.size())
    {
        const uint16_t member =
            group.members[Reduce(hash, static_cast<uint32_t>(group.members.size()))];
        if (std::binary_search(group.ports.begin(), group.ports.end(), member))
        {
            return member;
        }
        // The flows of one member agree in the high bits of the hash: mix again to spread them.
        hash = static_cast<uint32_t>(Mix(hash) >> 32);
    }
    return group.ports[Reduce(hash, static_cast<uint32_t>(group.ports.size()))];
}

} // namespace ns3
