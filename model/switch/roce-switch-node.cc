/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-switch-node.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceSwitchNode");
NS_OBJECT_ENSURE_REGISTERED(RoceSwitchNode);

TypeId
RoceSwitchNode::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceSwitchNode")
                            .SetParent<Node>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceSwitchNode>();
    return tid;
}

RoceSwitchNode::RoceSwitchNode()
    : RoceSwitchNode(0)
{
}

RoceSwitchNode::RoceSwitchNode(uint32_t systemId)
    : Node(systemId)
{
    NS_LOG_FUNCTION(this << systemId);
    auto pipeline = CreateObject<RoceSwitch>();
    pipeline->SetSwitchId(GetId()); // aggregation cannot tell: a node under construction is untyped
    AggregateObject(pipeline);
}

RoceSwitchNode::~RoceSwitchNode()
{
    NS_LOG_FUNCTION(this);
}

Ptr<RoceSwitch>
RoceSwitchNode::GetSwitch() const
{
    return GetObject<RoceSwitch>();
}

} // namespace ns3
