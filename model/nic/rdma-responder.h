/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RESPONDER_H
#define RDMA_RESPONDER_H

#include "rdma-qp-context.h"
#include "rdma-shared-receive-queue.h"
#include "rdma-work-completion.h"
#include "rdma-work-request.h"

#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup roce
 * @brief The receiving half of a queue pair: takes messages apart, fills receive buffers and
 * memory.
 *
 * Order, loss and answers are up to the service: RdmaReliableResponder and RdmaUnreliableResponder.
 */
class RdmaResponder
{
  public:
    /// Bytes in front of a datagram where the GRH or IP header is written (verbs: 40).
    static constexpr uint32_t GRH_BYTES = 40;

    /// Sinks for messages that have arrived completely: arrival of the last packet, length in
    /// bytes.
    typedef TracedCallback<Time, uint64_t> MessageTrace;

    /**
     * @param context what both halves share; outlives the responder
     * @param messageTrace fired for each complete message; outlives the responder
     */
    RdmaResponder(RdmaQpContext& context, MessageTrace& messageTrace);
    virtual ~RdmaResponder();

    RdmaResponder(const RdmaResponder&) = delete;
    RdmaResponder& operator=(const RdmaResponder&) = delete;

    /**
     * The queue pair has become ready to receive.
     * @param initialPsn PSN of the peer's first packet
     */
    virtual void Start(uint32_t initialPsn);

    /**
     * Append a receive buffer.
     * @param request the buffer
     * @param now current time
     */
    void Post(const RdmaReceiveRequest& request, RocePs now);

    /**
     * A request packet arrived.
     * @param frame it
     * @param now current time
     */
    virtual void ReceiveRequest(const RoceFrame& frame, RocePs now) = 0;

    /**
     * @param now current time
     * @return earliest time at which a packet of a READ response may start, pacing aside;
     *         RoceClock::NEVER if there is none
     */
    virtual RocePs GetReadyTime(RocePs now) const;

    /**
     * Cut the next packet of a READ response, which starts now.
     * @param frame filled in
     * @param now current time
     */
    virtual void FillNextPacket(RoceFrame& frame, RocePs now);

    /**
     * Complete all waiting receive buffers.
     * @param now current time
     */
    virtual void Flush(RocePs now);

    /// @return number of receive buffers that wait to be filled
    std::size_t GetQueueLength() const;

    /// @return arrival of the last packet of the newest complete message, picoseconds, -1 if none
    RocePs GetLastMessageTime() const
    {
        return m_lastMessageTime;
    }

  protected:
    /**
     * Count a packet with a congestion mark.
     * @param frame a packet that has arrived
     * @param now current time
     */
    void CheckMark(const RoceFrame& frame, RocePs now);
    /**
     * @param frame a packet of a SEND or WRITE
     * @return true if opcode and length fit what came before
     */
    bool IsValidNext(const RoceFrame& frame) const;
    /**
     * Have a receive buffer for the current message.
     * @return false if there is none
     */
    bool HaveBuffer();
    /**
     * @param frame a valid packet of a WRITE
     * @return true if the memory may be written
     */
    bool MayWrite(const RoceFrame& frame) const;
    /**
     * Put a packet of a SEND or WRITE where it belongs; it is valid.
     * @param frame the packet
     * @return false if the message is too long for its buffer or for what its first packet said
     */
    bool Place(const RoceFrame& frame);
    /**
     * The last packet of a message was placed.
     * @param frame it
     * @param now current time
     */
    void FinishMessage(const RoceFrame& frame, RocePs now);
    /**
     * Complete the current receive buffer.
     * @param opcode what filled it
     * @param status how it ended
     * @param frame last packet of the message, or null
     * @param now current time
     */
    void CompleteBuffer(RdmaWcOpcode opcode,
                        RdmaWcStatus status,
                        const RoceFrame* frame,
                        RocePs now);

    RdmaQpContext& m_context; //!< shared with the requester
    bool m_inMessage{false};  //!< between the first and the last packet of a message
    bool m_isWrite{false};    //!< kind of that message

  private:
    MessageTrace& m_messageTrace;            //!< hears of complete messages
    uint64_t m_messageBytes{0};              //!< payload of that message so far
    uint64_t m_messageLimit{0};              //!< most bytes it may have
    uint64_t m_writeAddress{0};              //!< WRITE: where the next byte goes
    uint32_t m_writeKey{0};                  //!< WRITE: key of the memory
    Ptr<Packet> m_payload;                   //!< SEND: bytes so far, if the peer gives any
    RocePs m_lastMessageTime{-1};            //!< arrival of the newest complete message
    bool m_hasBuffer{false};                 //!< m_buffer is valid
    RdmaReceiveBuffer m_buffer;              //!< buffer of the current message
    std::deque<RdmaReceiveBuffer> m_buffers; //!< posted buffers, oldest first
};

} // namespace ns3

#endif /* RDMA_RESPONDER_H */
