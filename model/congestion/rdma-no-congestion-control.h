/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NO_CONGESTION_CONTROL_H
#define RDMA_NO_CONGESTION_CONTROL_H

#include "rdma-congestion-ops.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Always send at line rate, whatever the network says, with an optional fixed window.
 */
class RdmaNoCongestionControl : public RdmaCongestionOps
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNoCongestionControl();
    ~RdmaNoCongestionControl() override;

    std::string GetName() const override;

  private:
    void DoInit(RdmaCongestionState& state, RocePs now) override;

    uint64_t m_window; //!< most unacknowledged payload bytes, 0 for no limit
};

} // namespace ns3

#endif /* RDMA_NO_CONGESTION_CONTROL_H */
