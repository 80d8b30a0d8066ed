/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RELIABLE_RESPONDER_H
#define RDMA_RELIABLE_RESPONDER_H

#include "rdma-responder.h"

#include <cstdint>
#include <deque>
#include <map>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Responder of the reliable connection service.
 *
 * The expected packet is accepted; the first one after a gap is answered by one NAK until the
 * expected packet comes (RdmaRecoveryOps may keep it instead of dropping it); a duplicate is
 * acknowledged again and otherwise ignored, but a READ is answered again and an atomic with its
 * first result, as long as the resource for it is kept. Every ackInterval accepted packets, and
 * whenever the requester asks for it, an ACK covers everything before. Answers leave in the order
 * of the requests: an ACK waits behind the packets of a READ response.
 */
class RdmaReliableResponder : public RdmaResponder
{
  public:
    /**
     * @param context what both halves share; outlives the responder
     * @param messageTrace fired for each complete message; outlives the responder
     */
    RdmaReliableResponder(RdmaQpContext& context, MessageTrace& messageTrace);

    void Start(uint32_t initialPsn) override;
    void ReceiveRequest(const RoceFrame& frame, RocePs now) override;
    RocePs GetReadyTime(RocePs now) const override;
    void FillNextPacket(RoceFrame& frame, RocePs now) override;
    void Flush(RocePs now) override;

  private:
    /// A READ or atomic that can be answered (again).
    struct Resource
    {
        uint64_t firstSequence{0}; //!< its first packet
        uint64_t packets{0};       //!< number of response packets
        uint32_t msn{0};           //!< message sequence number of the request
        bool isRead{false};        //!< READ, else atomic
        uint64_t remoteAddress{0}; //!< READ: first address
        uint32_t rKey{0};          //!< READ: key of the memory
        uint64_t length{0};        //!< READ: bytes
        uint64_t result{0};        //!< atomic: value that was there before
    };

    /// A packet that has arrived after a gap.
    struct Kept
    {
        RoceFrame frame;      //!< it
        bool reported{false}; //!< a NAK has told the requester
    };

    /// An answer that waits for its turn.
    struct Pending
    {
        uint64_t sequence{0}; //!< packet that it answers
        RoceFramePtr frame;   //!< an ACK, NAK or atomic response; null for a READ response
        Resource resource;    //!< READ: what to answer
        uint64_t first{0};    //!< READ: index of the first packet of this answer
        uint64_t next{0};     //!< READ: index of the next packet
        RocePs notBefore{0};  //!< READ and atomic: when the NIC has the data
        bool isFetch{false};  //!< READ or atomic ...
        bool isRepeat{false}; //!< ... that was answered before
    };

    /**
     * Accept the expected packet.
     * @param frame it
     * @param now current time
     */
    void Accept(const RoceFrame& frame, RocePs now);
    /**
     * Accept the expected packet of a SEND or WRITE.
     * @param frame it
     * @param now current time
     */
    void AcceptMessage(const RoceFrame& frame, RocePs now);
    /**
     * Accept an expected READ or atomic request.
     * @param frame it
     * @param now current time
     */
    void AcceptFetch(const RoceFrame& frame, RocePs now);
    /**
     * Accept the expected packet and kept ones that are expected then, with one ACK for all.
     * @param expected the expected packet
     * @param now current time
     */
    void AcceptWithKept(const RoceFrame& expected, RocePs now);
    /**
     * A packet came after a gap.
     * @param frame it
     * @param sequence its sequence number
     * @param now current time
     */
    void ReceiveAfterGap(const RoceFrame& frame, uint64_t sequence, RocePs now);
    /**
     * Tell the requester what is missing and what has arrived instead.
     * @param received packet after the gap; the missing one if it was not kept
     * @param now current time
     */
    void ReportGap(uint64_t received, RocePs now);
    /**
     * A packet came again.
     * @param frame it
     * @param sequence its sequence number
     * @param now current time
     */
    void ReceiveAgain(const RoceFrame& frame, uint64_t sequence, RocePs now);
    /**
     * Execute an atomic.
     * @param frame the request
     * @return value that was there before
     */
    uint64_t Execute(const RoceFrame& frame);
    /**
     * Answer a READ from a packet on.
     * @param resource the READ
     * @param offset index of the first packet
     * @param isRepeat the request has come again
     * @param now current time
     */
    void AnswerRead(const Resource& resource, uint64_t offset, bool isRepeat, RocePs now);
    /**
     * Answer an atomic.
     * @param resource the atomic
     * @param isRepeat the request has come again
     * @param now current time
     */
    void AnswerAtomic(const Resource& resource, bool isRepeat, RocePs now);
    /**
     * The memory of the READ that is being answered may not be read any more: NAK, then error
     * state.
     * @param frame becomes the NAK
     * @param now current time
     */
    void RevokeRead(RoceFrame& frame, RocePs now);
    /**
     * @param sequence packet that the answer is about
     * @param syndrome ACK, NAK or receiver-not-ready NAK
     * @return the answer
     */
    RoceFramePtr MakeAnswer(uint64_t sequence, uint8_t syndrome) const;
    /**
     * Answer with an ACK or NAK.
     * @param sequence packet that the answer is about
     * @param syndrome ACK, NAK or receiver-not-ready NAK
     * @param now current time
     * @param received NAK: packet that revealed the gap
     */
    void Answer(uint64_t sequence, uint8_t syndrome, RocePs now, uint64_t received = 0);
    /**
     * Send an answer, or queue it: answers leave in the order of the requests.
     * @param pending the answer
     * @param now current time
     */
    void Send(Pending pending, RocePs now);
    /**
     * Send the answers that are ready and wait for nothing any more.
     * @param now current time
     */
    void SendReady(RocePs now);
    /**
     * Refuse a request for good: NAK, then error state, both behind the answers that wait.
     * @param syndrome the NAK
     * @param now current time
     */
    void Refuse(uint8_t syndrome, RocePs now);

    uint64_t m_expected{0};           //!< sequence number of the next packet
    uint64_t m_messageStart{0};       //!< sequence number of the first packet of the message
    uint32_t m_msn{0};                //!< message sequence number, 24 bits
    uint32_t m_sinceAck{0};           //!< packets accepted since the last ACK
    bool m_nakSent{false};            //!< a NAK for m_expected has been sent
    bool m_holdsAcks{false};          //!< kept packets are being accepted
    bool m_ackHeld{false};            //!< an ACK for m_heldSequence is due afterwards
    uint64_t m_heldSequence{0};       //!< newest packet accepted meanwhile that wants an ACK
    bool m_refused{false};            //!< m_expected was refused, ERR follows
    std::deque<Resource> m_resources; //!< READs and atomics, oldest first
    std::deque<Pending> m_pending;    //!< answers that wait, in the order of the requests
    std::map<uint64_t, Kept> m_kept;  //!< packets after a gap
};

} // namespace ns3

#endif /* RDMA_RELIABLE_RESPONDER_H */
