/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RELIABLE_REQUESTER_H
#define RDMA_RELIABLE_REQUESTER_H

#include "rdma-requester.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Requester of the reliable connection service: acknowledgments, READ and atomic responses,
 * retries, loss recovery.
 *
 * A READ takes one sequence number per response packet; its request carries the first of them. An
 * acknowledgment of a later packet cannot complete a READ or atomic whose response is missing; it
 * means that the response was lost, and the request is repeated for what is missing.
 */
class RdmaReliableRequester : public RdmaRequester
{
  public:
    /// Most packets that may be unacknowledged, so that PSNs stay unambiguous.
    static constexpr uint64_t MAX_OUTSTANDING = (uint64_t{1} << 23) - 1;

    /// @param context what both halves share; outlives the requester
    explicit RdmaReliableRequester(RdmaQpContext& context);

    void Start(uint32_t initialPsn) override;
    RocePs GetReadyTime(RocePs now) override;
    uint32_t GetNextWireBytes() const override;
    void FillNextPacket(RoceFrame& frame, RocePs now) override;
    void ReceiveResponse(const RoceFrame& frame, RocePs now) override;
    RocePs GetTimeoutDeadline() const override;
    RocePs GetTimeoutCheck(RocePs now) const override;
    void TimeOut(RocePs now) override;

  private:
    /// A READ request or atomic that was sent and not completely answered.
    struct Fetch
    {
        uint64_t first; //!< its first packet
        uint64_t end;   //!< one past its last packet
    };

    void DoFlush() override;

    /**
     * @param entry a READ or atomic
     * @param offset index of one of its packets
     * @return one past the last packet that a request on the wire asks for
     */
    static uint64_t GetFetchEnd(const Entry& entry, uint64_t offset);
    /**
     * @param sequence a packet of a work request that is not complete
     * @return index of the work request
     */
    std::size_t FindEntry(uint64_t sequence) const;
    /// @return first sequence number that an acknowledgment cannot cover
    uint64_t GetAckLimit() const;
    /**
     * An ACK or NAK arrived.
     * @param frame it
     * @param now current time
     */
    void ReceiveAcknowledge(const RoceFrame& frame, RocePs now);
    /**
     * The responder is not ready.
     * @param timerCode how long to wait
     * @param now current time
     */
    void ReceiveNotReady(uint8_t timerCode, RocePs now);
    /**
     * A READ or atomic response arrived.
     * @param frame it
     * @param now current time
     */
    void ReceiveData(const RoceFrame& frame, RocePs now);
    /**
     * A response is missing: repeat its request, once until there is progress.
     * @param now current time
     */
    void RepeatRequest(RocePs now);
    /**
     * Take over that all packets before a sequence number have arrived.
     * @param sequence the first one that is not acknowledged
     * @param now current time
     */
    void Advance(uint64_t sequence, RocePs now);
    /// Have the packet cursor follow m_state.next after it was moved back to m_state.unacked.
    void Rewind();
    /// Go back to the start of the message that m_state.unacked belongs to.
    void RestartMessage();
    /**
     * Fail: complete the oldest work request with an error and flush the rest.
     * @param status the error
     * @param now current time
     */
    void Fail(RdmaWcStatus status, RocePs now);

    std::deque<Fetch> m_fetches;   //!< unanswered READs and atomics, oldest first
    uint64_t m_unackedPosition{0}; //!< payload bytes before m_state.unacked since the start
    uint64_t m_nextPosition{0};    //!< payload bytes before m_state.next since the start
    bool m_responseGap{false};     //!< a missing response has been asked for again
    RocePs m_blockedUntil{0};      //!< receiver not ready until then
    RocePs m_timerStart{0};        //!< last progress
    uint8_t m_retriesLeft{0};      //!< before RETRY_EXC_ERR
    uint8_t m_rnrRetriesLeft{0};   //!< before RNR_RETRY_EXC_ERR
};

} // namespace ns3

#endif /* RDMA_RELIABLE_REQUESTER_H */
