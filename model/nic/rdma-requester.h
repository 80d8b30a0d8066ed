/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REQUESTER_H
#define RDMA_REQUESTER_H

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
 * @brief The sending half of a queue pair: keeps the send queue, cuts work requests into packets at
 * the moment they leave, and completes them.
 *
 * What makes a work request complete, and what happens when packets are lost, is up to the service:
 * RdmaReliableRequester and RdmaUnreliableRequester.
 *
 * A WRITE or READ longer than 2^31 bytes, the largest message that InfiniBand allows, is carried by
 * several messages of that length (rounded down to full packets) and completes as one.
 *
 * Identities: posted = completed + failed + waiting; bytes are counted in 64 bits.
 */
class RdmaRequester
{
  public:
    /// Largest message of the transport, bytes (InfiniBand specification, volume 1).
    static constexpr uint64_t MAX_MESSAGE_BYTES = uint64_t{1} << 31;

    /// Most response packets of one READ on the wire, so that PSNs stay unambiguous.
    static constexpr uint64_t MAX_READ_PACKETS = uint64_t{1} << 22;

    /// @param context what both halves share; outlives the requester
    explicit RdmaRequester(RdmaQpContext& context);
    virtual ~RdmaRequester();

    RdmaRequester(const RdmaRequester&) = delete;
    RdmaRequester& operator=(const RdmaRequester&) = delete;

    /**
     * The queue pair has become ready to send.
     * @param initialPsn PSN of the first packet
     */
    virtual void Start(uint32_t initialPsn);

    /**
     * Append a work request.
     * @param request what to do
     * @param now current time
     */
    void Post(const RdmaWorkRequest& request, RocePs now);

    /**
     * @param now current time
     * @return earliest time at which a packet may start, pacing aside; RoceClock::NEVER if that
     *         depends on an input
     */
    virtual RocePs GetReadyTime(RocePs now) = 0;

    /// @return length of the next packet on the wire, bytes (extensions aside); one must be waiting
    virtual uint32_t GetNextWireBytes() const = 0;

    /**
     * Cut the next packet, which starts now.
     * @param frame filled in
     * @param now current time
     */
    virtual void FillNextPacket(RoceFrame& frame, RocePs now) = 0;

    /**
     * An ACK, a NAK, a READ response or an atomic response arrived.
     * @param frame it
     * @param now current time
     */
    virtual void ReceiveResponse(const RoceFrame& frame, RocePs now) = 0;

    /// @return true if something is unacknowledged
    bool IsOutstanding() const
    {
        return m_state.IsOutstanding();
    }

    /// @return end of the running local ACK timeout; RoceClock::NEVER if none is running
    virtual RocePs GetTimeoutDeadline() const = 0;
    /**
     * @param now current time; a local ACK timeout is running
     * @return earliest time at which it may end, whatever happens until then
     */
    virtual RocePs GetTimeoutCheck(RocePs now) const = 0;

    /**
     * The local ACK timeout has expired.
     * @param now current time
     */
    virtual void TimeOut(RocePs now) = 0;

    /**
     * Complete all waiting work requests.
     * @param status how
     * @param now current time
     */
    void Flush(RdmaWcStatus status, RocePs now);

    /// @return number of work requests that are not completed
    std::size_t GetQueueLength() const;

    /// @return sequence state
    const RdmaTransportState& GetState() const
    {
        return m_state;
    }

  protected:
    /// A work request in the send queue.
    struct Entry
    {
        RdmaWorkRequest request;   //!< what to do
        RocePs posted{0};          //!< when it was posted
        RocePs notBefore{0};       //!< when the NIC has it
        uint64_t firstSequence{0}; //!< its first packet
        uint64_t packets{0};       //!< number of sequence numbers: packets, or response packets
        uint64_t chunkPackets{0};  //!< packets per message on the wire
        uint64_t firstPosition{0}; //!< payload bytes posted before it
        Ptr<Packet> response;      //!< READ: bytes received so far
        uint64_t atomicResult{0};  //!< atomics: value that was there before

        /// @return one past its last packet
        uint64_t GetEnd() const
        {
            return firstSequence + packets;
        }
    };

    /**
     * @param entry a work request
     * @param offset index of one of its packets
     * @return RDMA payload that this side sends in that packet, bytes
     */
    uint32_t GetPayload(const Entry& entry, uint64_t offset) const;
    /**
     * Fill in one packet of a work request.
     * @param frame the packet
     * @param entry the work request
     * @param offset index of the packet
     */
    void FillRequest(RoceFrame& frame, const Entry& entry, uint64_t offset) const;
    /**
     * Count a packet that starts.
     * @param frame the packet
     * @param now time of its first bit
     */
    void CountSent(const RoceFrame& frame, RocePs now);
    /**
     * Push a completion, if one is due. The callback of the user may post, or destroy the queue
     * pair.
     * @param entry the work request
     * @param status how it ended
     * @param now current time
     */
    void Complete(const Entry& entry, RdmaWcStatus status, RocePs now);
    /// The send queue is about to be flushed: forget what is specific to the service.
    virtual void DoFlush() = 0;

    RdmaQpContext& m_context;     //!< shared with the responder
    RdmaTransportState m_state;   //!< sequence state
    std::deque<Entry> m_queue;    //!< work requests, oldest first
    std::size_t m_cursor{0};      //!< index of the one that holds packet m_state.next
    uint64_t m_postedPosition{0}; //!< payload bytes of all work requests posted

  private:
    /**
     * @param frame a packet of a SEND or WRITE, with payload length
     * @param entry the work request
     * @param offset index of the packet
     * @return bytes of extension headers
     */
    uint32_t FillMessage(RoceFrame& frame, const Entry& entry, uint64_t offset) const;
};

} // namespace ns3

#endif /* RDMA_REQUESTER_H */
