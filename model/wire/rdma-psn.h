/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PSN_H
#define RDMA_PSN_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief A 24-bit packet sequence number (PSN) with serial arithmetic.
 *
 * PSNs wrap at 2^24, so "later" only has a meaning within half the space: a PSN is later than
 * another one if it is reached by fewer than 2^23 steps forward. The transport therefore counts in
 * 64 bits and uses this class at its border: the low 24 bits go into the header, and Unwrap() finds
 * the 64-bit number that a received PSN stands for.
 */
class RdmaPsn
{
  public:
    static constexpr uint32_t BITS = 24;                 //!< width of a PSN
    static constexpr uint32_t SPACE = uint32_t{1} << 24; //!< number of different PSNs
    static constexpr uint32_t MASK = SPACE - 1;          //!< largest PSN

    /// PSN zero.
    constexpr RdmaPsn() = default;

    /// @param value a sequence number of any width, of which the low 24 bits are kept
    explicit constexpr RdmaPsn(uint64_t value)
        : m_value(static_cast<uint32_t>(value & MASK))
    {
    }

    /// @return the value that is written into the header, below 2^24
    constexpr uint32_t Get() const
    {
        return m_value;
    }

    /// @return this PSN after a step forward
    constexpr RdmaPsn& operator++()
    {
        m_value = (m_value + 1) & MASK;
        return *this;
    }

    /// @return the PSN before a step forward
    constexpr RdmaPsn operator++(int)
    {
        const RdmaPsn old = *this;
        ++*this;
        return old;
    }

    /**
     * @param steps number of steps forward; backward if negative
     * @return the PSN reached
     */
    constexpr RdmaPsn operator+(int64_t steps) const
    {
        return RdmaPsn(m_value + static_cast<uint64_t>(steps));
    }

    /**
     * @param steps number of steps backward; forward if negative
     * @return the PSN reached
     */
    constexpr RdmaPsn operator-(int64_t steps) const
    {
        return RdmaPsn(m_value - static_cast<uint64_t>(steps));
    }

    /**
     * @param steps number of steps forward; backward if negative
     * @return this PSN
     */
    constexpr RdmaPsn& operator+=(int64_t steps)
    {
        *this = *this + steps;
        return *this;
    }

    /**
     * @param steps number of steps backward; forward if negative
     * @return this PSN
     */
    constexpr RdmaPsn& operator-=(int64_t steps)
    {
        *this = *this - steps;
        return *this;
    }

    /**
     * @param other the PSN to compare with
     * @return true if both are the same
     */
    constexpr bool operator==(const RdmaPsn& other) const
    {
        return m_value == other.m_value;
    }

    /**
     * @param other the PSN to compare with
     * @return true if they differ
     */
    constexpr bool operator!=(const RdmaPsn& other) const
    {
        return m_value != other.m_value;
    }

    /**
     * @param other the PSN to compare with
     * @return true if this PSN is earlier than the other one
     */
    constexpr bool IsBefore(const RdmaPsn& other) const
    {
        return Distance(*this, other) < 0;
    }

    /**
     * @param other the PSN to compare with
     * @return true if this PSN is later than the other one
     */
    constexpr bool IsAfter(const RdmaPsn& other) const
    {
        return Distance(*this, other) > 0;
    }

    /**
     * @brief Signed number of steps from one PSN to another.
     * @param a the PSN to reach
     * @param b the PSN to start from
     * @return (a - b) mod 2^24 as a sign-extended 24-bit number, -2^23 to 2^23 - 1
     */
    static constexpr int32_t Distance(RdmaPsn a, RdmaPsn b)
    {
        const uint32_t forward = (a.m_value - b.m_value) & MASK;
        return forward < SPACE / 2 ? static_cast<int32_t>(forward)
                                   : static_cast<int32_t>(forward) - static_cast<int32_t>(SPACE);
    }

    /**
     * @brief Find the 64-bit sequence number that a received PSN stands for.
     *
     * A PSN exactly half the space away counts as earlier. Sequence numbers below zero do not
     * exist: near the start the next wrap is taken instead.
     *
     * @param reference a 64-bit sequence number near the one looked for
     * @param wire the PSN from the header, of which the low 24 bits count
     * @return the number nearest to the reference whose low 24 bits equal the PSN
     */
    static constexpr uint64_t Unwrap(uint64_t reference, uint32_t wire)
    {
        const int64_t steps = Distance(RdmaPsn(wire), RdmaPsn(reference));
        if (steps < 0 && reference < static_cast<uint64_t>(-steps))
        {
            return reference + SPACE - static_cast<uint64_t>(-steps);
        }
        return reference + static_cast<uint64_t>(steps);
    }

  private:
    uint32_t m_value{0}; //!< the 24 bits
};

} // namespace ns3

#endif /* RDMA_PSN_H */
