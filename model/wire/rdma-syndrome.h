/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SYNDROME_H
#define RDMA_SYNDROME_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup roce
 * @brief The syndrome byte of the ACK extended transport header.
 *
 * Bits 6 and 5 tell ACK, RNR NAK and NAK apart; the lower five bits are a credit count code, a
 * timer code or an error code.
 */
class RdmaSyndrome
{
  public:
    /// Kind of acknowledgment: bits 6 and 5.
    enum Type : uint8_t
    {
        ACK = 0,      //!< positive acknowledgment
        RNR_NAK = 1,  //!< receiver not ready
        RESERVED = 2, //!< not used
        NAK = 3,      //!< negative acknowledgment
    };

    /// Reason of a NAK: the lower five bits.
    enum NakCode : uint8_t
    {
        PSN_SEQUENCE_ERROR = 0,       //!< a packet is missing
        INVALID_REQUEST = 1,          //!< opcode, length or resources do not allow the request
        REMOTE_ACCESS_ERROR = 2,      //!< key, bounds or permission
        REMOTE_OPERATIONAL_ERROR = 3, //!< the responder failed
        INVALID_RD_REQUEST = 4,       //!< reliable datagram only
    };

    static constexpr uint8_t NO_CREDITS =
        31; //!< credit count code: end-to-end credits are not used

    /**
     * @param credits credit count code, 0 to 31
     * @return the syndrome of an ACK
     */
    static constexpr uint8_t MakeAck(uint8_t credits = NO_CREDITS)
    {
        return credits & 0x1f;
    }

    /**
     * @param timer timer code, 0 to 31, see GetRnrDelayUs()
     * @return the syndrome of a receiver-not-ready NAK
     */
    static constexpr uint8_t MakeRnrNak(uint8_t timer)
    {
        return static_cast<uint8_t>(0x20 | (timer & 0x1f));
    }

    /**
     * @param code reason
     * @return the syndrome of a NAK
     */
    static constexpr uint8_t MakeNak(NakCode code)
    {
        return static_cast<uint8_t>(0x60 | code);
    }

    /**
     * @param syndrome the syndrome byte
     * @return the kind of acknowledgment
     */
    static constexpr Type GetType(uint8_t syndrome)
    {
        return static_cast<Type>((syndrome >> 5) & 3);
    }

    /**
     * @param syndrome the syndrome byte
     * @return credit count code, timer code or NAK code, depending on the type
     */
    static constexpr uint8_t GetCode(uint8_t syndrome)
    {
        return syndrome & 0x1f;
    }

    /**
     * @brief Time that a requester waits after a receiver-not-ready NAK.
     *
     * Code 0 is the longest time. Codes 1 to 4 count steps of 10 us; from there on each pair of
     * codes doubles the pair before.
     *
     * @param code timer code, of which the low five bits count
     * @return minimum delay in microseconds
     */
    static constexpr uint32_t GetRnrDelayUs(uint8_t code)
    {
        const uint32_t c = (code & 0x1f) == 0 ? 32 : code & 0x1f;
        return c < 2 ? 10 * c : (c % 2 == 0 ? 20u : 30u) << (c / 2 - 1);
    }

    /**
     * @brief Name of a syndrome for traces and messages.
     * @param syndrome the syndrome byte
     * @return a text such as "ACK", "NAK(PSN_SEQUENCE_ERROR)" or "RNR_NAK(640us)"
     */
    static std::string GetName(uint8_t syndrome);
};

} // namespace ns3

#endif /* RDMA_SYNDROME_H */
