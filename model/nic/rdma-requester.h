/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REQUESTER_H
#define RDMA_REQUESTER_H

#include "rdma-pacer.h"
#include "rdma-qp-context.h"
#include "rdma-work-completion.h"
#include "rdma-work-request.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup roce
 * @brief The sending half of a queue pair: cuts work requests into packets at the moment they
 * leave, keeps the sequence state, completes work when it is acknowledged and repairs loss.
 *
 * A message longer than 2^31 bytes, the largest that InfiniBand allows, is sent as several messages
 * of that length (rounded down to full packets), each with a RETH of its own, and completes as one.
 *
 * Identities: posted = completed + failed + waiting; bytes are counted in 64 bits.
 */
class RdmaRequester
{
  public:
    /// Largest message of the transport, bytes (InfiniBand specification, volume 1).
    static constexpr uint64_t MAX_MESSAGE_BYTES = uint64_t{1} << 31;
    /// Most packets that may be unacknowledged, so that PSNs stay unambiguous.
    static constexpr uint64_t MAX_OUTSTANDING = (uint64_t{1} << 23) - 1;

    /// @param context what both halves share; outlives the requester
    explicit RdmaRequester(RdmaQpContext& context);

    /**
     * The queue pair has become ready to send.
     * @param initialPsn PSN of the first packet
     * @param now current time
     */
    void Start(uint32_t initialPsn, RocePs now);

    /**
     * Append a work request.
     * @param request what to do
     * @param now current time
     */
    void Post(const RdmaWorkRequest& request, RocePs now);

    /**
     * @param now current time
     * @return earliest time at which a packet may start; RoceClock::NEVER if that depends on an
     * input
     */
    RocePs GetReadyTime(RocePs now);

    /// @return length of the next packet on the wire, bytes; a packet must be waiting
    uint32_t GetNextWireBytes() const;

    /**
     * Cut the next packet, which starts now.
     * @param frame filled in
     * @param now current time
     */
    void FillNextPacket(RoceFrame& frame, RocePs now);

    /**
     * An ACK or NAK arrived.
     * @param frame it
     * @param now current time
     */
    void ReceiveAcknowledge(const RoceFrame& frame, RocePs now);

    /**
     * A congestion notification packet arrived.
     * @param now current time
     */
    void ReceiveCnp(RocePs now);

    /// @return true if packets are unacknowledged
    bool IsOutstanding() const
    {
        return m_state.IsOutstanding();
    }

    /// @return end of the running local ACK timeout; RoceClock::NEVER if none is running
    RocePs GetTimeoutDeadline() const;

    /**
     * The local ACK timeout has expired.
     * @param now current time
     */
    void TimeOut(RocePs now);

    /**
     * Complete all waiting work requests.
     * @param status how
     * @param now current time
     */
    void Flush(RdmaWcStatus status, RocePs now);

    /// @return number of work requests that are not completed
    std::size_t GetQueueLength() const;

    /// @return sequence state, for tests and tables
    const RdmaTransportState& GetState() const
    {
        return m_state;
    }

  private:
    /// A work request in the send queue.
    struct Entry
    {
        RdmaWorkRequest request;   //!< what to do
        RocePs posted{0};          //!< when it was posted
        uint64_t firstSequence{0}; //!< its first packet
        uint64_t packets{0};       //!< number of packets
        uint64_t chunkPackets{0};  //!< packets per message on the wire
    };

    /**
     * @param entry a work request
     * @param offset index of one of its packets
     * @return RDMA payload of that packet, bytes
     */
    uint64_t GetPayload(const Entry& entry, uint64_t offset) const;
    /**
     * Take over that all packets before a sequence number have arrived.
     * @param sequence the first one that is not acknowledged
     * @param now current time
     */
    void Advance(uint64_t sequence, RocePs now);
    /// Have the packet cursor follow m_state.next after recovery has moved it back.
    void Rewind();
    /**
     * Push a completion, if one is due.
     * @param entry the work request
     * @param status how it ended
     * @param now current time
     */
    void Complete(const Entry& entry, RdmaWcStatus status, RocePs now);
    /**
     * Fail: complete the oldest work request with an error and flush the rest.
     * @param status the error
     * @param now current time
     */
    void Fail(RdmaWcStatus status, RocePs now);
    /**
     * Bring pacing and congestion control up to date, in the order in which the rate changed.
     * @param now current time
     */
    void AdvanceCongestion(RocePs now);

    RdmaQpContext& m_context;      //!< shared with the responder
    RdmaTransportState m_state;    //!< sequence state
    std::deque<Entry> m_queue;     //!< work requests, oldest first
    std::size_t m_cursor{0};       //!< index of the one that holds packet m_state.next
    uint64_t m_unackedPosition{0}; //!< payload bytes before m_state.unacked since the start
    uint64_t m_nextPosition{0};    //!< payload bytes before m_state.next since the start
    RdmaPacer m_pacer;             //!< spaces packets
    RocePs m_blockedUntil{0};      //!< receiver not ready until then
    RocePs m_timerStart{0};        //!< last progress
    uint8_t m_retriesLeft{0};      //!< before RETRY_EXC_ERR
    uint8_t m_rnrRetriesLeft{0};   //!< before RNR_RETRY_EXC_ERR
};

} // namespace ns3

#endif /* RDMA_REQUESTER_H */
