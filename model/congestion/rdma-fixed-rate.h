/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FIXED_RATE_H
#define RDMA_FIXED_RATE_H

#include "rdma-congestion-ops.h"

#include "ns3/data-rate.h"

#include <string>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Send at one rate, whatever the network says: a rate limit set by an administrator.
 */
class RdmaFixedRate : public RdmaCongestionOps
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaFixedRate();
    ~RdmaFixedRate() override;

    std::string GetName() const override;

  private:
    void DoInit(RdmaCongestionState& state, RocePs now) override;

    DataRate m_rate; //!< the rate in wire bits
};

} // namespace ns3

#endif /* RDMA_FIXED_RATE_H */
