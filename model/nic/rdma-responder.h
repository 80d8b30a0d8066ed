/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RESPONDER_H
#define RDMA_RESPONDER_H

#include "rdma-qp-context.h"
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
 * @brief The receiving half of a queue pair: checks order, answers with ACK, NAK and receiver-not-
 * ready NAK, fills receive buffers.
 *
 * Rules of the reliable connection service: the expected packet is accepted; the first one after a
 * gap is answered by one NAK until the expected packet comes; a duplicate is acknowledged again and
 * otherwise ignored. Every ackInterval accepted packets, and whenever the requester asks for it, an
 * ACK covers everything before.
 */
class RdmaResponder
{
  public:
    /// Sinks for messages that have arrived completely: arrival of the last packet, length in
    /// bytes.
    typedef TracedCallback<Time, uint64_t> MessageTrace;

    /**
     * @param context what both halves share; outlives the responder
     * @param messageTrace fired for each complete message; outlives the responder
     */
    RdmaResponder(RdmaQpContext& context, MessageTrace& messageTrace);

    /**
     * The queue pair has become ready to receive.
     * @param initialPsn PSN of the peer's first packet
     */
    void Start(uint32_t initialPsn);

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
    void ReceiveRequest(const RoceFrame& frame, RocePs now);

    /**
     * Complete all waiting receive buffers.
     * @param now current time
     */
    void Flush(RocePs now);

    /// @return number of receive buffers that wait to be filled
    std::size_t GetQueueLength() const;

    /// @return arrival of the last packet of the newest complete message, picoseconds, -1 if none
    RocePs GetLastMessageTime() const
    {
        return m_lastMessageTime;
    }

  private:
    /// A posted buffer.
    struct Buffer
    {
        RdmaReceiveRequest request; //!< the buffer
        RocePs posted{0};           //!< when it was posted
    };

    /**
     * Check an expected packet against the message it belongs to.
     * @param frame it
     * @return true if its opcode and length fit
     */
    bool IsValidNext(const RoceFrame& frame) const;
    /**
     * The last packet of a message was accepted.
     * @param frame it
     * @param now current time
     */
    void FinishMessage(const RoceFrame& frame, RocePs now);
    /**
     * Complete the oldest receive buffer.
     * @param opcode what filled it
     * @param status how it ended
     * @param frame last packet of the message, or null
     * @param now current time
     */
    void Complete(RdmaWcOpcode opcode, RdmaWcStatus status, const RoceFrame* frame, RocePs now);
    /**
     * Answer.
     * @param sequence packet that the answer is about
     * @param syndrome ACK, NAK or receiver-not-ready NAK
     * @param now current time
     */
    void Answer(uint64_t sequence, uint8_t syndrome, RocePs now);
    /**
     * Refuse a request for good: NAK, then error state.
     * @param syndrome the NAK
     * @param now current time
     */
    void Refuse(uint8_t syndrome, RocePs now);

    RdmaQpContext& m_context;     //!< shared with the requester
    MessageTrace& m_messageTrace; //!< hears of complete messages
    uint64_t m_expected{0};       //!< sequence number of the next packet
    uint32_t m_msn{0};            //!< message sequence number, 24 bits
    uint32_t m_sinceAck{0};       //!< packets accepted since the last ACK
    bool m_nakSent{false};        //!< a NAK for m_expected has been sent
    bool m_inMessage{false};      //!< between the first and the last packet of a message
    bool m_isWrite{false};        //!< kind of that message
    uint64_t m_messageBytes{0};   //!< payload of that message so far
    uint64_t m_messageLimit{0};   //!< most bytes it may have
    RocePs m_lastMessageTime{-1}; //!< arrival of the newest complete message
    std::deque<Buffer> m_buffers; //!< posted buffers, oldest first
};

} // namespace ns3

#endif /* RDMA_RESPONDER_H */
