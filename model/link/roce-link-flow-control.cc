/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-link-flow-control.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceLinkFlowControl);

TypeId
RoceLinkFlowControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceLinkFlowControl").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

RoceLinkFlowControl::~RoceLinkFlowControl() = default;

} // namespace ns3
