/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECOVERY_OPS_H
#define RDMA_RECOVERY_OPS_H

#include "rdma-transport-state.h"

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief How the requester of a queue pair repairs loss.
 *
 * A strategy decides which packet is sent next after the responder has reported a gap or has been
 * silent for too long. The requester has already taken over what the event acknowledges.
 */
class RdmaRecoveryOps : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ~RdmaRecoveryOps() override;

    /**
     * A NAK says that the packet state.unacked is missing.
     * @param state sequence state; next may be changed
     */
    void GapReported(RdmaTransportState& state);

    /**
     * Nothing was acknowledged for the local ACK timeout.
     * @param state sequence state; next may be changed
     */
    void TimedOut(RdmaTransportState& state);

  private:
    /// @param state see GapReported()
    virtual void DoGapReported(RdmaTransportState& state) = 0;
    /// @param state see TimedOut()
    virtual void DoTimedOut(RdmaTransportState& state) = 0;
};

} // namespace ns3

#endif /* RDMA_RECOVERY_OPS_H */
