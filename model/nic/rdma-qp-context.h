/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QP_CONTEXT_H
#define RDMA_QP_CONTEXT_H

#include "rdma-completion-queue.h"
#include "rdma-memory-table.h"
#include "rdma-rate-limiter.h"
#include "rdma-recovery-ops.h"
#include "rdma-shared-receive-queue.h"
#include "rdma-transport-state.h"

#include "ns3/ptr.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3
{

class RdmaEngine;

/**
 * @ingroup roce
 * @brief Verbs states of a queue pair (ibv_qp_state).
 */
enum class RdmaQpState : uint8_t
{
    RESET, //!< just created
    INIT,  //!< receive buffers may be posted
    RTR,   //!< ready to receive
    RTS,   //!< ready to send
    SQD,   //!< send queue drained: no new work request is started
    SQE,   //!< send queue in error (unreliable services)
    ERR,   //!< in error; all work is flushed
};

/**
 * @ingroup roce
 * @brief Transport services (ibv_qp_type); the values are those of the upper bits of BTH opcodes.
 */
enum class RdmaService : uint8_t
{
    RC = 0, //!< reliable connection
    UC = 1, //!< unreliable connection: SEND and WRITE, no acknowledgments
    UD = 3, //!< unreliable datagram: SEND of up to one packet to anybody
};

/**
 * @ingroup roce
 * @brief What the requester and the responder of one queue pair share.
 */
struct RdmaQpContext
{
    RoceFrame prototype; //!< fields that all frames of the queue pair have in common
    RdmaService service{RdmaService::RC}; //!< transport service
    uint32_t baseFrameBytes{0}; //!< frame with BTH, ICRC and FCS, without extensions and payload
    uint32_t pathMtu{1024};     //!< RDMA payload of a full packet, bytes
    uint8_t ackDscp{0};         //!< DSCP of acknowledgments
    uint8_t ackClass{0};        //!< their traffic class
    uint32_t ackInterval{1};    //!< responder: packets per acknowledgment
    RocePs ackTimeout{0};       //!< requester: local ACK timeout, 0 if there is none
    uint8_t retryCount{7};      //!< requester: transport retries
    uint8_t rnrRetry{7};        //!< requester: receiver-not-ready retries, 7 for ever
    uint8_t minRnrTimer{12};    //!< responder: timer code in receiver-not-ready NAKs
    uint8_t accessFlags{RDMA_ALL_ACCESS};  //!< responder: what the peer may do
    uint8_t maxReadAtomic{16};             //!< requester: READs and atomics that may be unanswered
    uint8_t maxDestReadAtomic{16};         //!< responder: READs and atomics it keeps resources for
    uint32_t qKey{0};                      //!< UD: key that datagrams must show
    bool portPerMessage{false};            //!< each message has a UDP source port of its own
    RocePs sendDelay{0};                   //!< requester: from the post to the first packet
    RocePs fetchDelay{0};                  //!< requester: the same for payload that is not inline
    RocePs responseDelay{0};               //!< responder: from a READ or atomic to the response
    uint32_t number{0};                    //!< queue pair number, 24 bits
    uint64_t id{0};                        //!< never used again in this engine
    RdmaQpState state{RdmaQpState::RESET}; //!< verbs state

    RdmaEngine* engine{nullptr};                    //!< the NIC
    RdmaMemoryTable* memory{nullptr};               //!< memory that peers may reach
    Ptr<RdmaCompletionQueue> sendQueue;             //!< completions of the send queue
    Ptr<RdmaCompletionQueue> receiveQueue;          //!< completions of the receive queue
    Ptr<RdmaSharedReceiveQueue> sharedReceiveQueue; //!< buffers, if not of its own
    RdmaRateLimiter limiter;                        //!< pacing and congestion control
    Ptr<RdmaRecoveryOps> recovery;                  //!< loss recovery
    RdmaCounters counters;                          //!< statistics
};

} // namespace ns3

#endif /* RDMA_QP_CONTEXT_H */
