/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRANSPORT_STATE_H
#define RDMA_TRANSPORT_STATE_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Sequence state of the sending side of a queue pair, shared by the requester and its loss
 * recovery strategy.
 *
 * Sequence numbers have 64 bits; the PSN on the wire is their low 24 bits. Identities:
 * unacked <= next <= highest, and highest <= end.
 */
struct RdmaTransportState
{
    uint64_t unacked{0}; //!< oldest packet not acknowledged
    uint64_t next{0};    //!< packet to be sent next
    uint64_t highest{0}; //!< one past the newest packet that has ever been sent
    uint64_t end{0};     //!< one past the last packet of the send queue

    /// @return true if packets are unacknowledged
    bool IsOutstanding() const
    {
        return unacked < highest;
    }
};

/**
 * @ingroup roce
 * @brief 64-bit counters of a queue pair, named as hardware names them where it has such a counter.
 */
struct RdmaCounters
{
    // requester
    uint64_t posted{0};               //!< work requests posted to the send queue
    uint64_t completed{0};            //!< work requests completed with success
    uint64_t failed{0};               //!< work requests completed with an error
    uint64_t packetsSent{0};          //!< data packets sent, retransmissions included
    uint64_t retransmittedPackets{0}; //!< data packets sent again
    uint64_t bytesSent{0};            //!< RDMA payload bytes sent, retransmissions included
    uint64_t bytesAcked{0};           //!< RDMA payload bytes acknowledged
    uint64_t acksReceived{0};         //!< positive acknowledgments received
    uint64_t packetSeqErr{0};         //!< NAKs for a PSN sequence error received (packet_seq_err)
    uint64_t impliedNakSeqErr{0};     //!< READ responses found missing (implied_nak_seq_err)
    uint64_t rnrNakRetryErr{0};       //!< receiver-not-ready retries exhausted (rnr_nak_retry_err)
    uint64_t rnrNaksReceived{0};      //!< receiver-not-ready NAKs received
    uint64_t localAckTimeoutErr{0};   //!< local ACK timeouts (local_ack_timeout_err)
    uint64_t cnpHandled{0};           //!< CNPs received (rp_cnp_handled)

    // responder
    uint64_t packetsReceived{0};  //!< data packets received in order
    uint64_t bytesReceived{0};    //!< RDMA payload bytes received in order
    uint64_t messagesReceived{0}; //!< messages received completely
    uint64_t droppedPackets{0};   //!< unreliable services: packets that did not fit
    uint64_t outOfSequence{0};    //!< packets received after a gap (out_of_sequence)
    uint64_t duplicateRequest{0}; //!< packets received again (duplicate_request)
    uint64_t acksSent{0};         //!< positive acknowledgments sent
    uint64_t naksSent{0};         //!< NAKs sent, without receiver-not-ready
    uint64_t rnrNaksSent{0};      //!< receiver-not-ready NAKs sent
    uint64_t ecnMarkedPackets{0}; //!< CE-marked packets (np_ecn_marked_roce_packets)
    uint64_t cnpSent{0};          //!< CNPs sent (np_cnp_sent)
};

} // namespace ns3

#endif /* RDMA_TRANSPORT_STATE_H */
