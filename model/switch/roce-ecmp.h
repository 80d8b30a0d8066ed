/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ECMP_H
#define ROCE_ECMP_H

#include "roce-load-balancer.h"

namespace ns3
{

/**
 * @ingroup roce
 * @brief Equal-cost multipath: the hash of a flow chooses its port, whatever the load.
 *
 * Without Resilient the range of the hash is divided evenly among the ports that are left
 * (hash-threshold, RFC 2992): when one is withdrawn, a quarter to a half of all flows move. With
 * Resilient it is divided among all members, and only the flows of a withdrawn member are spread
 * over the others; they return when it does.
 */
class RoceEcmp : public RoceLoadBalancer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ~RoceEcmp() override;

  private:
    uint16_t DoSelect(const RocePortGroup& group,
                      const RoceFrame& frame,
                      RocePs now,
                      const RocePortLoads& loads) override;

    bool m_resilient{false}; //!< keep flows of members that are not withdrawn in place
};

} // namespace ns3

#endif /* ROCE_ECMP_H */
