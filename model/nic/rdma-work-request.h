/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WORK_REQUEST_H
#define RDMA_WORK_REQUEST_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief What a work request asks for (ibv_wr_opcode).
 */
enum class RdmaOperation : uint8_t
{
    SEND,           //!< message into a buffer that the peer has posted
    SEND_WITH_IMM,  //!< the same with four bytes of immediate data
    WRITE,          //!< write into the peer's memory, unnoticed by the peer's software
    WRITE_WITH_IMM, //!< write that also consumes a receive buffer and tells the peer
};

/**
 * @ingroup roce
 * @brief A request for the send queue of a queue pair (ibv_send_wr).
 */
struct RdmaWorkRequest
{
    uint64_t wrId{0}; //!< returned in the completion; meaning is the user's
    RdmaOperation operation{RdmaOperation::WRITE}; //!< what to do
    uint64_t length{0};        //!< message length, bytes; may exceed 4 GiB, see RdmaQueuePair
    uint64_t remoteAddress{0}; //!< WRITE: first address at the peer
    uint32_t rKey{0};          //!< WRITE: key of the peer's memory region
    uint32_t immediate{0};     //!< WITH_IMM: immediate data
    bool signaled{true};       //!< ask for a completion on success (errors always give one)
    bool solicited{false};     //!< set the solicited event bit of the last packet

    /**
     * @param bytes message length
     * @param id work request ID
     * @return an RDMA WRITE
     */
    static RdmaWorkRequest Write(uint64_t bytes, uint64_t id = 0)
    {
        RdmaWorkRequest request;
        request.wrId = id;
        request.length = bytes;
        return request;
    }

    /**
     * @param bytes message length
     * @param id work request ID
     * @return a SEND
     */
    static RdmaWorkRequest Send(uint64_t bytes, uint64_t id = 0)
    {
        RdmaWorkRequest request = Write(bytes, id);
        request.operation = RdmaOperation::SEND;
        return request;
    }

    /// @return true if the operation carries immediate data
    bool HasImmediate() const
    {
        return operation == RdmaOperation::SEND_WITH_IMM ||
               operation == RdmaOperation::WRITE_WITH_IMM;
    }

    /// @return true for the two WRITE operations
    bool IsWrite() const
    {
        return operation == RdmaOperation::WRITE || operation == RdmaOperation::WRITE_WITH_IMM;
    }
};

/**
 * @ingroup roce
 * @brief A buffer for the receive queue of a queue pair (ibv_recv_wr).
 */
struct RdmaReceiveRequest
{
    uint64_t wrId{0};   //!< returned in the completion
    uint64_t length{0}; //!< buffer length, bytes
};

} // namespace ns3

#endif /* RDMA_WORK_REQUEST_H */
