/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_GO_BACK_ZERO_H
#define RDMA_GO_BACK_ZERO_H

#include "rdma-go-back-n.h"

namespace ns3
{

/**
 * @ingroup roce
 * @brief Go-back-0: after a loss the whole message is sent again from its first packet, and the
 * responder forgets what it has of it.
 *
 * What early RoCE NICs did, kept to study its livelock: a message that loses one packet per attempt
 * never ends (Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016). Use it at both
 * ends.
 */
class RdmaGoBackZero : public RdmaGoBackN
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    bool RestartsMessages() const override;
};

} // namespace ns3

#endif /* RDMA_GO_BACK_ZERO_H */
