/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WORK_COMPLETION_H
#define RDMA_WORK_COMPLETION_H

#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief How a work request ended: the names and values of libibverbs (ibv_wc_status).
 */
enum class RdmaWcStatus : uint8_t
{
    SUCCESS = 0,            //!< done
    LOC_LEN_ERR = 1,        //!< the posted receive buffer is too small
    LOC_QP_OP_ERR = 2,      //!< malformed work request
    LOC_PROT_ERR = 4,       //!< bad local key
    WR_FLUSH_ERR = 5,       //!< flushed because the queue pair is in error
    BAD_RESP_ERR = 7,       //!< unexpected response from the peer
    LOC_ACCESS_ERR = 8,     //!< protection fault at the responder
    REM_INV_REQ_ERR = 9,    //!< the peer calls the request invalid (NAK 1)
    REM_ACCESS_ERR = 10,    //!< the peer denies the access (NAK 2)
    REM_OP_ERR = 11,        //!< the peer failed (NAK 3)
    RETRY_EXC_ERR = 12,     //!< transport retries exhausted: the peer does not answer
    RNR_RETRY_EXC_ERR = 13, //!< receiver-not-ready retries exhausted
    FATAL_ERR = 19,         //!< anything that cannot be repaired
    GENERAL_ERR = 21,       //!< anything else
};

/**
 * @ingroup roce
 * @brief What was completed (ibv_wc_opcode).
 */
enum class RdmaWcOpcode : uint8_t
{
    SEND = 0,                  //!< a SEND of this side
    RDMA_WRITE = 1,            //!< an RDMA WRITE of this side
    RDMA_READ = 2,             //!< an RDMA READ of this side
    COMP_SWAP = 3,             //!< an atomic compare and swap of this side
    FETCH_ADD = 4,             //!< an atomic fetch and add of this side
    RECV = 0x80,               //!< a SEND of the peer
    RECV_RDMA_WITH_IMM = 0x81, //!< an RDMA WRITE with immediate data of the peer
};

/**
 * @ingroup roce
 * @brief A completion queue entry (ibv_wc).
 */
struct RdmaWorkCompletion
{
    uint64_t wrId{0};                           //!< ID of the work request
    RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< how it ended
    RdmaWcOpcode opcode{RdmaWcOpcode::SEND};    //!< what it was
    uint64_t byteLength{0};                     //!< message length, bytes
    uint32_t immediate{0};                      //!< immediate data, if hasImmediate
    bool hasImmediate{false};                   //!< immediate data is valid
    uint32_t invalidatedKey{0}; //!< key that the peer made invalid, if hasInvalidate
    bool hasInvalidate{false};  //!< invalidatedKey is valid (IBV_WC_WITH_INV)
    bool hasGrh{false};         //!< byteLength includes the 40 bytes of GRH space (IBV_WC_GRH)
    uint32_t sourceQp{0};       //!< datagrams: queue pair number of the sender
    uint64_t atomicResult{0};   //!< atomics: value that was there before
    Ptr<Packet> payload;        //!< RECV, READ: the bytes, if the peer gave any
    uint32_t qpNumber{0};       //!< queue pair it was posted to
    uint64_t qpId{0};           //!< the same as an ID that is never used again
    Time posted;                //!< when it was posted
    Time completed;             //!< when it was done; sender side: arrival of the last ACK

    /// @return true if the work was done
    bool IsSuccess() const
    {
        return status == RdmaWcStatus::SUCCESS;
    }
};

/**
 * @param status a completion status
 * @return its libibverbs name without the prefix IBV_WC_
 */
const char* GetRdmaWcStatusName(RdmaWcStatus status);

/**
 * @param os the stream
 * @param status a completion status
 * @return the stream
 */
std::ostream& operator<<(std::ostream& os, RdmaWcStatus status);

} // namespace ns3

#endif /* RDMA_WORK_COMPLETION_H */
