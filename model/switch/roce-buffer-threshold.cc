/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-buffer-threshold.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceBufferThreshold);

TypeId
RoceBufferThreshold::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceBufferThreshold").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

RoceBufferThreshold::~RoceBufferThreshold() = default;

} // namespace ns3
