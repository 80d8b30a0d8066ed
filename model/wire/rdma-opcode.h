/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_OPCODE_H
#define RDMA_OPCODE_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup roce
 * @brief The opcodes of the base transport header (BTH) and what they say about a packet.
 *
 * The upper three bits of an opcode name the transport service, the lower five the operation. The
 * opcode alone decides which extension headers follow the BTH; nothing is ever guessed from a
 * length. Opcodes are plain uint8_t values so that they can be stored in RoceFrame; all predicates
 * are constexpr and answer false for opcodes that the module does not know.
 */
class RdmaOpcode
{
  public:
    /// Transport services: the upper three bits of an opcode.
    enum Service : uint8_t
    {
        RC = 0,  //!< reliable connection
        UC = 1,  //!< unreliable connection
        RD = 2,  //!< reliable datagram (not supported)
        UD = 3,  //!< unreliable datagram
        CN = 4,  //!< congestion notification
        XRC = 5, //!< extended reliable connection (not supported)
    };

    /// Opcodes that the module reads and writes.
    enum Value : uint8_t
    {
        RC_SEND_FIRST = 0x00,           //!< first packet of a SEND
        RC_SEND_MIDDLE = 0x01,          //!< middle packet of a SEND
        RC_SEND_LAST = 0x02,            //!< last packet of a SEND
        RC_SEND_LAST_IMM = 0x03,        //!< last packet of a SEND with immediate data
        RC_SEND_ONLY = 0x04,            //!< SEND of one packet
        RC_SEND_ONLY_IMM = 0x05,        //!< SEND of one packet with immediate data
        RC_WRITE_FIRST = 0x06,          //!< first packet of an RDMA WRITE
        RC_WRITE_MIDDLE = 0x07,         //!< middle packet of an RDMA WRITE
        RC_WRITE_LAST = 0x08,           //!< last packet of an RDMA WRITE
        RC_WRITE_LAST_IMM = 0x09,       //!< last packet of an RDMA WRITE with immediate data
        RC_WRITE_ONLY = 0x0a,           //!< RDMA WRITE of one packet
        RC_WRITE_ONLY_IMM = 0x0b,       //!< RDMA WRITE of one packet with immediate data
        RC_READ_REQUEST = 0x0c,         //!< RDMA READ request
        RC_READ_RESPONSE_FIRST = 0x0d,  //!< first packet of an RDMA READ response
        RC_READ_RESPONSE_MIDDLE = 0x0e, //!< middle packet of an RDMA READ response
        RC_READ_RESPONSE_LAST = 0x0f,   //!< last packet of an RDMA READ response
        RC_READ_RESPONSE_ONLY = 0x10,   //!< RDMA READ response of one packet
        RC_ACKNOWLEDGE = 0x11,          //!< ACK or NAK, told apart by the AETH syndrome
        RC_ATOMIC_ACKNOWLEDGE = 0x12,   //!< response to an atomic operation
        RC_CMP_SWAP = 0x13,             //!< atomic compare and swap
        RC_FETCH_ADD = 0x14,            //!< atomic fetch and add
        RC_SEND_LAST_INV = 0x16,        //!< last packet of a SEND with invalidate
        RC_SEND_ONLY_INV = 0x17,        //!< SEND of one packet with invalidate

        UC_SEND_FIRST = 0x20,     //!< first packet of a SEND
        UC_SEND_MIDDLE = 0x21,    //!< middle packet of a SEND
        UC_SEND_LAST = 0x22,      //!< last packet of a SEND
        UC_SEND_LAST_IMM = 0x23,  //!< last packet of a SEND with immediate data
        UC_SEND_ONLY = 0x24,      //!< SEND of one packet
        UC_SEND_ONLY_IMM = 0x25,  //!< SEND of one packet with immediate data
        UC_WRITE_FIRST = 0x26,    //!< first packet of an RDMA WRITE
        UC_WRITE_MIDDLE = 0x27,   //!< middle packet of an RDMA WRITE
        UC_WRITE_LAST = 0x28,     //!< last packet of an RDMA WRITE
        UC_WRITE_LAST_IMM = 0x29, //!< last packet of an RDMA WRITE with immediate data
        UC_WRITE_ONLY = 0x2a,     //!< RDMA WRITE of one packet
        UC_WRITE_ONLY_IMM = 0x2b, //!< RDMA WRITE of one packet with immediate data

        UD_SEND_ONLY = 0x64,     //!< datagram
        UD_SEND_ONLY_IMM = 0x65, //!< datagram with immediate data

        CNP = 0x81, //!< RoCEv2 congestion notification packet
    };

    static constexpr uint32_t BTH_BYTES = 12;           //!< base transport header
    static constexpr uint32_t RETH_BYTES = 16;          //!< RDMA extended transport header
    static constexpr uint32_t AETH_BYTES = 4;           //!< ACK extended transport header
    static constexpr uint32_t DETH_BYTES = 8;           //!< datagram extended transport header
    static constexpr uint32_t IMMDT_BYTES = 4;          //!< immediate data
    static constexpr uint32_t IETH_BYTES = 4;           //!< invalidate extended transport header
    static constexpr uint32_t ATOMIC_ETH_BYTES = 28;    //!< atomic extended transport header
    static constexpr uint32_t ATOMIC_ACK_ETH_BYTES = 8; //!< atomic ACK extended transport header
    static constexpr uint32_t CNP_RESERVED_BYTES = 16;  //!< zero bytes after the BTH of a CNP
    static constexpr uint32_t ICRC_BYTES = 4;           //!< invariant CRC at the end

    /**
     * @param opcode the BTH opcode
     * @return the transport service it belongs to
     */
    static constexpr uint8_t GetService(uint8_t opcode)
    {
        return opcode >> 5;
    }

    /**
     * @param opcode the BTH opcode
     * @return true if the module knows how such a packet is built
     */
    static constexpr bool IsKnown(uint8_t opcode)
    {
        return opcode == CNP || In(opcode, 0x00dfffff, 0x00000fff, 0x00000030);
    }

    /**
     * @param opcode the BTH opcode
     * @return true for any packet of a SEND message
     */
    static constexpr bool IsSend(uint8_t opcode)
    {
        return In(opcode, 0x00c0003f, 0x0000003f, 0x00000030);
    }

    /**
     * @param opcode the BTH opcode
     * @return true for any packet of an RDMA WRITE message
     */
    static constexpr bool IsWrite(uint8_t opcode)
    {
        return In(opcode, 0x00000fc0, 0x00000fc0, 0);
    }

    /**
     * @param opcode the BTH opcode
     * @return true for an RDMA READ request
     */
    static constexpr bool IsReadRequest(uint8_t opcode)
    {
        return opcode == RC_READ_REQUEST;
    }

    /**
     * @param opcode the BTH opcode
     * @return true for any packet of an RDMA READ response
     */
    static constexpr bool IsReadResponse(uint8_t opcode)
    {
        return In(opcode, 0x0001e000, 0, 0);
    }

    /**
     * @param opcode the BTH opcode
     * @return true for an atomic request (compare and swap, fetch and add)
     */
    static constexpr bool IsAtomicRequest(uint8_t opcode)
    {
        return opcode == RC_CMP_SWAP || opcode == RC_FETCH_ADD;
    }

    /**
     * @param opcode the BTH opcode
     * @return true if the packet goes from requester to responder and has a PSN of the send queue
     */
    static constexpr bool IsRequest(uint8_t opcode)
    {
        return IsKnown(opcode) && opcode != CNP && !IsResponse(opcode);
    }

    /**
     * @param opcode the BTH opcode
     * @return true for an acknowledgment, an RDMA READ response or an atomic response
     */
    static constexpr bool IsResponse(uint8_t opcode)
    {
        return In(opcode, 0x0007e000, 0, 0);
    }

    /**
     * @param opcode the BTH opcode
     * @return true for the first of several packets of a message or RDMA READ response
     */
    static constexpr bool IsFirst(uint8_t opcode)
    {
        return In(opcode, 0x00002041, 0x00000041, 0);
    }

    /**
     * @param opcode the BTH opcode
     * @return true for a packet of a message or RDMA READ response that is neither first nor last
     */
    static constexpr bool IsMiddle(uint8_t opcode)
    {
        return In(opcode, 0x00004082, 0x00000082, 0);
    }

    /**
     * @param opcode the BTH opcode
     * @return true for the last of several packets of a message or RDMA READ response
     */
    static constexpr bool IsLast(uint8_t opcode)
    {
        return In(opcode, 0x0040830c, 0x0000030c, 0);
    }

    /**
     * @param opcode the BTH opcode
     * @return true for a SEND, RDMA WRITE or RDMA READ response of a single packet
     */
    static constexpr bool IsOnly(uint8_t opcode)
    {
        return In(opcode, 0x00810c30, 0x00000c30, 0x00000030);
    }

    /**
     * @param opcode the BTH opcode
     * @return true if the packet can carry payload
     */
    static constexpr bool HasPayload(uint8_t opcode)
    {
        return IsSend(opcode) || IsWrite(opcode) || IsReadResponse(opcode);
    }

    /**
     * @param opcode the BTH opcode
     * @return true if an RDMA extended transport header follows
     */
    static constexpr bool HasReth(uint8_t opcode)
    {
        return In(opcode, 0x00001c40, 0x00000c40, 0);
    }

    /**
     * @param opcode the BTH opcode
     * @return true if an ACK extended transport header follows
     */
    static constexpr bool HasAeth(uint8_t opcode)
    {
        return In(opcode, 0x0007a000, 0, 0);
    }

    /**
     * @param opcode the BTH opcode
     * @return true if a datagram extended transport header follows
     */
    static constexpr bool HasDeth(uint8_t opcode)
    {
        return In(opcode, 0, 0, 0x00000030);
    }

    /**
     * @param opcode the BTH opcode
     * @return true if the packet carries immediate data
     */
    static constexpr bool HasImmediate(uint8_t opcode)
    {
        return In(opcode, 0x00000a28, 0x00000a28, 0x00000020);
    }

    /**
     * @param opcode the BTH opcode
     * @return true if an invalidate extended transport header follows
     */
    static constexpr bool HasInvalidate(uint8_t opcode)
    {
        return In(opcode, 0x00c00000, 0, 0);
    }

    /**
     * @param opcode the BTH opcode
     * @return true if an atomic extended transport header follows
     */
    static constexpr bool HasAtomicEth(uint8_t opcode)
    {
        return IsAtomicRequest(opcode);
    }

    /**
     * @param opcode the BTH opcode
     * @return true if an atomic ACK extended transport header follows
     */
    static constexpr bool HasAtomicAckEth(uint8_t opcode)
    {
        return opcode == RC_ATOMIC_ACKNOWLEDGE;
    }

    /**
     * @param opcode the BTH opcode
     * @return bytes between BTH and payload: extension headers, or the reserved field of a CNP
     */
    static constexpr uint32_t GetExtensionBytes(uint8_t opcode)
    {
        return (HasReth(opcode) ? RETH_BYTES : 0) + (HasAeth(opcode) ? AETH_BYTES : 0) +
               (HasDeth(opcode) ? DETH_BYTES : 0) + (HasImmediate(opcode) ? IMMDT_BYTES : 0) +
               (HasInvalidate(opcode) ? IETH_BYTES : 0) +
               (HasAtomicEth(opcode) ? ATOMIC_ETH_BYTES : 0) +
               (HasAtomicAckEth(opcode) ? ATOMIC_ACK_ETH_BYTES : 0) +
               (opcode == CNP ? CNP_RESERVED_BYTES : 0);
    }

    /**
     * @param payloadBytes RDMA payload of a packet
     * @return the BTH PadCnt: zero bytes that fill the payload up to a multiple of four
     */
    static constexpr uint32_t GetPadCount(uint32_t payloadBytes)
    {
        return (4 - payloadBytes % 4) % 4;
    }

    /**
     * @brief Name of an opcode for traces and messages.
     * @param opcode the BTH opcode
     * @return a name such as "RC_WRITE_FIRST", or "OPCODE_0x.." for one the module does not know
     */
    static std::string GetName(uint8_t opcode);

  private:
    /**
     * @brief Look an opcode up in one set of operations per service.
     * @param opcode the BTH opcode
     * @param rc operations of the set in RC, bit i for operation i
     * @param uc operations of the set in UC
     * @param ud operations of the set in UD
     * @return true if the opcode belongs to one of the three services and is in its set
     */
    static constexpr bool In(uint8_t opcode, uint32_t rc, uint32_t uc, uint32_t ud)
    {
        const uint8_t service = GetService(opcode);
        const uint32_t set = service == RC ? rc : service == UC ? uc : service == UD ? ud : 0;
        return ((set >> (opcode & 0x1f)) & 1) != 0;
    }
};

} // namespace ns3

#endif /* RDMA_OPCODE_H */
