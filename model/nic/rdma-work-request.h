/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WORK_REQUEST_H
#define RDMA_WORK_REQUEST_H

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/roce-frame.h"

#include <cstdint>
#include <numeric>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief What a work request asks for (ibv_wr_opcode).
 */
enum class RdmaOperation : uint8_t
{
    SEND,             //!< message into a buffer that the peer has posted
    SEND_WITH_IMM,    //!< the same with four bytes of immediate data
    SEND_WITH_INV,    //!< the same, and the peer's key invalidateKey becomes invalid
    WRITE,            //!< write into the peer's memory, unnoticed by the peer's software
    WRITE_WITH_IMM,   //!< write that also consumes a receive buffer and tells the peer
    READ,             //!< read from the peer's memory
    COMPARE_AND_SWAP, //!< 64-bit atomic: write swapAdd if the old value equals compare
    FETCH_AND_ADD,    //!< 64-bit atomic: add swapAdd to the old value
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
    uint64_t remoteAddress{0}; //!< WRITE, READ, atomics: first address at the peer
    uint32_t rKey{0};          //!< WRITE, READ, atomics: key of the peer's memory region
    uint32_t immediate{0};     //!< WITH_IMM: immediate data
    uint32_t invalidateKey{0}; //!< SEND_WITH_INV: key of the peer that becomes invalid
    uint64_t swapAdd{0};       //!< atomics: value to write or to add
    uint64_t compare{0};       //!< COMPARE_AND_SWAP: value that must be there
    bool signaled{true};       //!< ask for a completion on success (errors always give one)
    bool solicited{false};     //!< set the solicited event bit of the last packet
    bool fence{false};         //!< wait for all READs and atomics posted before
    bool inlineData{false};    //!< payload is copied at post time; no effect on the wire
    bool mayReorder{false};    //!< WRITE: its packets may take different paths (out of order)
    Ptr<Packet> payload;       //!< SEND, WRITE: the bytes, of the given length; null: zeros

    // Unreliable datagrams only: the address handle and its companions.
    RoceAddressBytes remoteIp{};      //!< IP address of the peer's port
    uint16_t remoteEtherType{0x0800}; //!< EtherType that says what kind of address it is
    uint32_t remoteQpNumber{0};       //!< the peer's queue pair number
    uint32_t remoteQKey{0};           //!< key that the peer's queue pair expects

    /**
     * @param bytes message length
     * @param id work request ID
     * @return an RDMA WRITE
     */
    static RdmaWorkRequest Write(uint64_t bytes, uint64_t id = 0)
    {
        return Make(RdmaOperation::WRITE, bytes, id);
    }

    /**
     * @param bytes message length
     * @param id work request ID
     * @return a SEND
     */
    static RdmaWorkRequest Send(uint64_t bytes, uint64_t id = 0)
    {
        return Make(RdmaOperation::SEND, bytes, id);
    }

    /**
     * @param bytes message length
     * @param id work request ID
     * @return an RDMA READ
     */
    static RdmaWorkRequest Read(uint64_t bytes, uint64_t id = 0)
    {
        return Make(RdmaOperation::READ, bytes, id);
    }

    /**
     * @param compare value that must be there
     * @param swap value to write then
     * @param address address of the 64-bit word at the peer, a multiple of 8
     * @param id work request ID
     * @return an atomic compare and swap
     */
    static RdmaWorkRequest CompareAndSwap(uint64_t compare,
                                          uint64_t swap,
                                          uint64_t address,
                                          uint64_t id = 0)
    {
        RdmaWorkRequest request = Make(RdmaOperation::COMPARE_AND_SWAP, ATOMIC_BYTES, id);
        request.compare = compare;
        request.swapAdd = swap;
        request.remoteAddress = address;
        return request;
    }

    /**
     * @param add value to add
     * @param address address of the 64-bit word at the peer, a multiple of 8
     * @param id work request ID
     * @return an atomic fetch and add
     */
    static RdmaWorkRequest FetchAndAdd(uint64_t add, uint64_t address, uint64_t id = 0)
    {
        RdmaWorkRequest request = Make(RdmaOperation::FETCH_AND_ADD, ATOMIC_BYTES, id);
        request.swapAdd = add;
        request.remoteAddress = address;
        return request;
    }

    /**
     * Gather a message from several buffers, which has no effect on the wire but its length.
     * @param lengths lengths of the scatter/gather elements, bytes
     */
    void SetGather(const std::vector<uint64_t>& lengths)
    {
        length = std::accumulate(lengths.begin(), lengths.end(), uint64_t{0});
    }

    /// @return true if the operation carries immediate data
    bool HasImmediate() const
    {
        return operation == RdmaOperation::SEND_WITH_IMM ||
               operation == RdmaOperation::WRITE_WITH_IMM;
    }

    /// @return true for the three SEND operations
    bool IsSend() const
    {
        return operation <= RdmaOperation::SEND_WITH_INV;
    }

    /// @return true for the two WRITE operations
    bool IsWrite() const
    {
        return operation == RdmaOperation::WRITE || operation == RdmaOperation::WRITE_WITH_IMM;
    }

    /// @return true for the two atomic operations
    bool IsAtomic() const
    {
        return operation >= RdmaOperation::COMPARE_AND_SWAP;
    }

    /// @return true if the peer answers with data: READ and atomics
    bool HasResponse() const
    {
        return operation >= RdmaOperation::READ;
    }

    static constexpr uint64_t ATOMIC_BYTES = 8; //!< length of an atomic operation

  private:
    /**
     * @param operation what to do
     * @param bytes message length
     * @param id work request ID
     * @return the request
     */
    static RdmaWorkRequest Make(RdmaOperation operation, uint64_t bytes, uint64_t id)
    {
        RdmaWorkRequest request;
        request.wrId = id;
        request.operation = operation;
        request.length = bytes;
        return request;
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
