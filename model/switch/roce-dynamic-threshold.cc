/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-dynamic-threshold.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceDynamicThreshold);

TypeId
RoceDynamicThreshold::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceDynamicThreshold")
                            .SetParent<RoceBufferThreshold>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceDynamicThreshold>();
    return tid;
}

RoceDynamicThreshold::~RoceDynamicThreshold() = default;

uint64_t
RoceDynamicThreshold::GetLimit(const Share& share) const
{
    return share.reserve +
           static_cast<uint64_t>(share.alpha * static_cast<double>(share.freeBytes));
}

uint64_t
RoceDynamicThreshold::GetResume(const Share& share) const
{
    const uint64_t limit = GetLimit(share);
    return limit > share.xonOffset ? limit - share.xonOffset : 0;
}

} // namespace ns3
