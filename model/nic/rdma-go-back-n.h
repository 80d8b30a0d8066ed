/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_GO_BACK_N_H
#define RDMA_GO_BACK_N_H

#include "rdma-recovery-ops.h"

namespace ns3
{

/**
 * @ingroup roce
 * @brief Go-back-N, the loss recovery of the reliable connection service: everything from the
 * missing packet on is sent again.
 */
class RdmaGoBackN : public RdmaRecoveryOps
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  private:
    void DoGapReported(RdmaTransportState& state, uint64_t received) override;
    void DoTimedOut(RdmaTransportState& state) override;
};

} // namespace ns3

#endif /* RDMA_GO_BACK_N_H */
