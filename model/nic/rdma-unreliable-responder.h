/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_UNRELIABLE_RESPONDER_H
#define RDMA_UNRELIABLE_RESPONDER_H

#include "rdma-responder.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Responder of the unreliable services: nothing is answered.
 *
 * Unreliable connection: after a gap, or when something does not fit, the current message is
 * dropped silently until the next one starts. Unreliable datagram: a datagram with the wrong Q_Key
 * or without a buffer is dropped; a buffer needs 40 more bytes for the GRH.
 */
class RdmaUnreliableResponder : public RdmaResponder
{
  public:
    /**
     * @param context what both halves share; outlives the responder
     * @param messageTrace fired for each complete message; outlives the responder
     */
    RdmaUnreliableResponder(RdmaQpContext& context, MessageTrace& messageTrace);

    void Start(uint32_t initialPsn) override;
    void ReceiveRequest(const RoceFrame& frame, RocePs now) override;

  private:
    /**
     * Give a message up.
     * @param frame packet that does not fit
     */
    void Drop(const RoceFrame& frame);

    uint64_t m_expected{0}; //!< sequence number of the next packet
};

} // namespace ns3

#endif /* RDMA_UNRELIABLE_RESPONDER_H */
