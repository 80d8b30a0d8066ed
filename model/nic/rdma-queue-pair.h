/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QUEUE_PAIR_H
#define RDMA_QUEUE_PAIR_H

#include "rdma-completion-queue.h"
#include "rdma-qp-context.h"
#include "rdma-qp-scheduler.h"
#include "rdma-requester.h"
#include "rdma-responder.h"
#include "rdma-source-port.h"
#include "rdma-work-request.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaEngine;

/**
 * @ingroup roce
 * @brief Where the other end of a connection is: what the communication manager exchanges.
 */
struct RdmaPeer
{
    RoceAddressBytes address{}; //!< IP address of the peer's port
    uint16_t etherType{0x0800}; //!< EtherType that says what kind of address it is
    uint32_t number{0};         //!< the peer's queue pair number
    uint32_t initialPsn{0};     //!< PSN of the peer's first packet
};

/**
 * @ingroup roce
 * @brief A verbs queue pair: reliable connection, unreliable connection or unreliable datagram.
 *
 * Created by RdmaEngine::CreateQueuePair(), connected by RoceHelper::ConnectQueuePairs() or step by
 * step with the verbs state machine. Work requests are sent in order and completed in order; each
 * gives a completion, unless it is unsignaled and succeeds. In the error state all work is flushed.
 *
 * A work request may be longer than the 2^31 bytes that InfiniBand allows for one message; it is
 * then carried by several messages and completes once.
 */
class RdmaQueuePair : public Object
{
  public:
    static constexpr uint32_t MAX_INLINE_BYTES = 1024; //!< most inline data (ibv_qp_cap)

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaQueuePair();
    ~RdmaQueuePair() override;

    // --- verbs ---

    /**
     * Append a request to the send queue (ibv_post_send).
     * @param request what to do; the state must be RTS (in ERR it is flushed)
     */
    void PostSend(const RdmaWorkRequest& request);

    /**
     * Append a buffer to the receive queue (ibv_post_recv).
     * @param request the buffer; the state must not be RESET (in ERR it is flushed)
     */
    void PostReceive(const RdmaReceiveRequest& request);

    /// RESET to INIT.
    void ModifyToInit();
    /**
     * INIT to RTR.
     * @param peer the other end
     */
    void ModifyToRtr(const RdmaPeer& peer);
    /// INIT to RTR of a datagram queue pair.
    void ModifyToRtr();
    /// RTR, SQD or SQE to RTS.
    void ModifyToRts();
    /// RTS to SQD: work requests that have begun are finished, others wait.
    void ModifyToSqd();
    /// Any state to ERR: all work is flushed.
    void ModifyToError();

    /// @return the verbs state
    RdmaQpState GetState() const;

    // --- what it is ---

    /// @return queue pair number, 24 bits; may be used again after the queue pair is destroyed
    uint32_t GetNumber() const;
    /// @return ID that is never used again in this engine
    uint64_t GetId() const;
    /// @return the NIC
    Ptr<RdmaEngine> GetEngine() const;
    /// @return what the peer has to know
    RdmaPeer GetLocal() const;
    /// @return completion queue of the send queue
    Ptr<RdmaCompletionQueue> GetSendCompletionQueue() const;
    /// @return completion queue of the receive queue
    Ptr<RdmaCompletionQueue> GetReceiveCompletionQueue() const;
    /// @param queue completion queue of the send queue
    void SetSendCompletionQueue(Ptr<RdmaCompletionQueue> queue);
    /// @param queue completion queue of the receive queue
    void SetReceiveCompletionQueue(Ptr<RdmaCompletionQueue> queue);
    /// @param queue takes the place of the receive queue, before the state is INIT
    void SetSharedReceiveQueue(Ptr<RdmaSharedReceiveQueue> queue);
    /// @return the transport service
    RdmaService GetService() const;
    /// @return the congestion control
    Ptr<RdmaCongestionOps> GetCongestionControl() const;

    // --- how it is doing ---

    /// @return statistics up to now
    const RdmaCounters& GetCounters() const;
    /// @return sending rate in wire bits, bit/s
    uint64_t GetRate() const;
    /// @return number of congestion signals that the congestion control was given
    uint64_t GetCongestionSignals() const;
    /// @return work requests in the send queue that are not completed
    std::size_t GetSendQueueLength() const;
    /// @return buffers in the receive queue that are not filled
    std::size_t GetReceiveQueueLength() const;
    /// @return when the newest complete message arrived here; negative if none has
    Time GetLastMessageTime() const;
    /// @return sequence state of the requester
    const RdmaTransportState& GetTransportState() const;

    /**
     * TracedCallback signature for messages that have arrived completely.
     * @param when arrival of the last packet
     * @param bytes message length
     */
    typedef void (*MessageTracedCallback)(Time when, uint64_t bytes);

  protected:
    void DoDispose() override;

  private:
    friend class RdmaEngine;
    friend class RdmaQpScheduler;

    /**
     * Become part of a NIC.
     * @param engine the NIC
     * @param service transport service
     * @param number queue pair number
     * @param id ID
     */
    void SetEngine(RdmaEngine* engine, RdmaService service, uint32_t number, uint64_t id);
    /**
     * @param local this end
     * @param peer the other end
     */
    void DoModifyToRtr(const RdmaPeer& local, const RdmaPeer& peer);
    /**
     * Fill in what all frames have in common.
     * @param local this end
     * @param peer the other end
     */
    void FillPrototype(const RdmaPeer& local, const RdmaPeer& peer);
    /**
     * @param peer the peer's queue pair number
     * @return UDP source port of packets, or of those that belong to no message
     */
    uint16_t ChooseSourcePort(uint32_t peer) const;
    /// @param request a work request, refused if it cannot be executed
    void CheckRequest(const RdmaWorkRequest& request) const;
    /**
     * @param now current time
     * @return earliest time at which a packet may start; RoceClock::NEVER if that depends on an
     * input
     */
    RocePs GetReadyTime(RocePs now);

    /// @return true if packets from the network are accepted
    bool IsReceiving() const
    {
        return m_context.state >= RdmaQpState::RTR && m_context.state <= RdmaQpState::SQE;
    }

    /// @return length of the next packet on the wire, bytes (extensions aside)
    uint32_t GetNextWireBytes() const;
    /**
     * Cut the next packet, which starts now.
     * @param frame filled in
     * @param now current time
     */
    void FillNextPacket(RoceFrame& frame, RocePs now);
    /**
     * Flush both queues; the state is ERR or the queue pair is being destroyed.
     * @param now current time
     */
    void FlushAll(RocePs now);

    RdmaResponder::MessageTrace m_messageReceived; //!< hears of complete messages

    RdmaQpContext m_context;                    //!< what both halves share
    std::unique_ptr<RdmaRequester> m_requester; //!< the sending half
    std::unique_ptr<RdmaResponder> m_responder; //!< the receiving half
    RdmaQpSchedulerLink m_link;                 //!< place in the NIC's scheduler
    bool m_timerEntered{false};                 //!< the engine watches the local ACK timeout

    bool m_responseTurn{true}; //!< a READ response goes before a request

    // attributes
    uint8_t m_maxReadAtomic{0};     //!< READs and atomics that may be unanswered
    uint8_t m_maxDestReadAtomic{0}; //!< READs and atomics of the peer that resources are kept for
    uint8_t m_accessFlags{0};       //!< what the peer may do
    uint32_t m_qKey{0};             //!< key that datagrams must show
    uint16_t m_weight{0};           //!< share of the NIC
    uint32_t m_pathMtu{0};          //!< RDMA payload of a full packet, bytes
    uint8_t m_dscp{0};              //!< DSCP of data
    int16_t m_ackDscp{0};           //!< DSCP of acknowledgments, -1: that of data
    bool m_ecn{false};              //!< data is ECN-capable
    uint8_t m_ttl{0};               //!< TTL or hop limit
    uint32_t m_initialPsn{0};       //!< PSN of the first packet
    uint8_t m_timeout{0};           //!< local ACK timeout code
    uint8_t m_retryCount{0};        //!< transport retries
    uint8_t m_rnrRetry{0};          //!< receiver-not-ready retries
    uint8_t m_minRnrTimer{0};       //!< receiver-not-ready timer code
    uint32_t m_ackInterval{0};      //!< packets per acknowledgment
    uint16_t m_sourcePort{0};       //!< UDP source port, 0: see m_sourcePortPolicy

    RdmaSourcePort::Policy m_sourcePortPolicy{RdmaSourcePort::HASH}; //!< choice of the port
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_H */
