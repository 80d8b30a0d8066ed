/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-static-threshold.h"

#include "ns3/abort.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceStaticThreshold);

TypeId
RoceStaticThreshold::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceStaticThreshold")
            .SetParent<RoceBufferThreshold>()
            .SetGroupName("Roce")
            .AddConstructor<RoceStaticThreshold>()
            .AddAttribute("Xoff",
                          "Bytes held at which a class is paused (ingress of a lossless class) or "
                          "its tail is dropped (egress of a lossy class).",
                          UintegerValue(100000),
                          MakeUintegerAccessor(&RoceStaticThreshold::m_xoff),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Xon",
                          "Bytes held at which a paused class is resumed, at most Xoff.",
                          UintegerValue(97000),
                          MakeUintegerAccessor(&RoceStaticThreshold::m_xon),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

RoceStaticThreshold::~RoceStaticThreshold() = default;

void
RoceStaticThreshold::NotifyConstructionCompleted()
{
    RoceBufferThreshold::NotifyConstructionCompleted();
    NS_ABORT_MSG_IF(m_xon > m_xoff,
                    "RoceStaticThreshold: Xon = " << m_xon << " B must not exceed Xoff = " << m_xoff
                                                  << " B");
}

uint64_t
RoceStaticThreshold::GetLimit(const Share&) const
{
    return m_xoff;
}

uint64_t
RoceStaticThreshold::GetResume(const Share&) const
{
    return m_xon;
}

} // namespace ns3
