/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FLOW_HASH_H
#define ROCE_FLOW_HASH_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Hash of a few 64-bit words, the same on every platform.
 *
 * Multiplication by an odd constant spreads every input bit to all higher bits, and folding the
 * upper half over the lower one brings them down again. The two constants are those of the 64-bit
 * finalizer of MurmurHash3, which are known to flip half of the output bits for each input bit.
 * Switches start from their own seed to hash a flow differently from their neighbors.
 */
class RoceFlowHash
{
  public:
    /// @param seed hashes with different seeds are unrelated
    explicit constexpr RoceFlowHash(uint64_t seed = 0)
        : m_state(seed ^ START)
    {
    }

    /// @param word the next word
    constexpr void Add(uint64_t word)
    {
        m_state = (m_state ^ word) * 0xff51afd7ed558ccdULL;
        m_state ^= m_state >> 32;
    }

    /// @return hash of all words so far, never 0, which stands for "not computed" in a frame
    constexpr uint32_t Get() const
    {
        const auto folded = static_cast<uint32_t>((m_state * 0xc4ceb9fe1a85ec53ULL) >> 32);
        return folded == 0 ? 1 : folded;
    }

  private:
    static constexpr uint64_t START = 0x9e3779b97f4a7c15ULL; //!< any number with mixed bits

    uint64_t m_state; //!< hash before the final step
};

} // namespace ns3

#endif /* ROCE_FLOW_HASH_H */
