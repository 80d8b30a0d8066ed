/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_UNRELIABLE_REQUESTER_H
#define RDMA_UNRELIABLE_REQUESTER_H

#include "rdma-requester.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Requester of the unreliable services: a work request is complete when its last packet has
 * started on the wire.
 *
 * On an unreliable connection messages go to the connected peer; each datagram goes to the address
 * in its work request and carries a DETH.
 */
class RdmaUnreliableRequester : public RdmaRequester
{
  public:
    /// @param context what both halves share; outlives the requester
    explicit RdmaUnreliableRequester(RdmaQpContext& context);

    RocePs GetReadyTime(RocePs now) override;
    uint32_t GetNextWireBytes() const override;
    void FillNextPacket(RoceFrame& frame, RocePs now) override;
    void ReceiveResponse(const RoceFrame& frame, RocePs now) override;
    RocePs GetTimeoutDeadline() const override;
    RocePs GetTimeoutCheck(RocePs now) const override;
    void TimeOut(RocePs now) override;

  private:
    void DoFlush() override;
    /**
     * Address a datagram.
     * @param frame the datagram
     * @param request its work request
     */
    void Address(RoceFrame& frame, const RdmaWorkRequest& request) const;
};

} // namespace ns3

#endif /* RDMA_UNRELIABLE_REQUESTER_H */
