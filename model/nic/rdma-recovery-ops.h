/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECOVERY_OPS_H
#define RDMA_RECOVERY_OPS_H

#include "rdma-transport-state.h"

#include "ns3/object.h"
#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief How a queue pair repairs loss: one object per queue pair, used by both of its halves.
 *
 * Requester side: the strategy decides which packet is sent next after the responder has reported a
 * gap or has been silent for too long; the requester has already taken over what the event
 * acknowledges. Responder side: it says what to do with packets that arrive after a gap.
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
     * @param state sequence state; next may be moved back to unacked
     * @param received packet that revealed the gap, or unacked if the responder has not kept it;
     * only if the strategy of the responder keeps packets
     */
    void GapReported(RdmaTransportState& state, uint64_t received);

    /**
     * The oldest packet has to be sent again: nothing was acknowledged for the local ACK timeout,
     * or the receiver was not ready for it.
     * @param state sequence state; next may be moved back to unacked
     */
    void TimedOut(RdmaTransportState& state);

    /**
     * Packets have been acknowledged.
     * @param state sequence state
     */
    virtual void Advanced(const RdmaTransportState& state);

    /// Forget everything: the send queue was flushed.
    virtual void Reset();

    /**
     * @param state sequence state
     * @return true if a packet has to be sent again before new ones
     */
    virtual bool HasResend(const RdmaTransportState& state) const;
    /**
     * Take the packet that has to be sent again before new ones.
     * @param state sequence state
     * @param [out] sequence the packet; unchanged if there is none
     * @return true if there is one
     */
    virtual bool TakeResend(const RdmaTransportState& state, uint64_t& sequence);
    /**
     * What TakeResend() gave was sent.
     * @param end one past the last packet of the request, which is one unless it was a READ
     */
    virtual void Resent(uint64_t end);
    /// @return most packets that may be unacknowledged
    virtual uint64_t GetMaxOutstanding() const;
    /**
     * @param state sequence state
     * @param configured local ACK timeout of the queue pair, picoseconds
     * @return timeout to use now, picoseconds
     */
    virtual RocePs GetTimeout(const RdmaTransportState& state, RocePs configured) const;
    /**
     * @param configured local ACK timeout of the queue pair, picoseconds
     * @return shortest timeout that GetTimeout() may return, picoseconds
     */
    virtual RocePs GetShortestTimeout(RocePs configured) const;
    /// @return true if a message is sent again from its first packet, by both sides' agreement
    virtual bool RestartsMessages() const;

    /// @return responder: how many packets after a gap are kept (0: they are dropped)
    virtual uint32_t GetReorderWindow() const;
    /**
     * Responder: report a gap now?
     * @param missing packet that is missing
     * @param received packet that has arrived instead
     * @param reported this gap was reported already
     * @return true to send a NAK
     */
    virtual bool ReportsGap(uint64_t missing, uint64_t received, bool reported) const;

  private:
    /**
     * See GapReported().
     * @param state sequence state
     * @param received packet that revealed the gap
     */
    virtual void DoGapReported(RdmaTransportState& state, uint64_t received) = 0;
    /// @param state see TimedOut()
    virtual void DoTimedOut(RdmaTransportState& state) = 0;
};

} // namespace ns3

#endif /* RDMA_RECOVERY_OPS_H */
