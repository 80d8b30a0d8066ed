/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SWITCH_NODE_H
#define ROCE_SWITCH_NODE_H

#include "roce-switch.h"

#include "ns3/node.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief A node that is born with a RoceSwitch.
 */
class RoceSwitchNode : public Node
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RoceSwitchNode();
    /// @param systemId rank of a parallel simulation that owns the node
    explicit RoceSwitchNode(uint32_t systemId);
    ~RoceSwitchNode() override;

    /// @return the switch
    Ptr<RoceSwitch> GetSwitch() const;
};

} // namespace ns3

#endif /* ROCE_SWITCH_NODE_H */
