/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ATOMIC_ETH_HEADER_H
#define ROCE_ATOMIC_ETH_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Atomic extended transport header (AtomicETH) of compare-and-swap and fetch-and-add.
 */
class RoceAtomicEthHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param virtualAddress address in the remote memory, a multiple of 8
    void SetVirtualAddress(uint64_t virtualAddress);

    /// @return address in the remote memory, a multiple of 8
    uint64_t GetVirtualAddress() const;

    /// @param rKey remote memory key
    void SetRKey(uint32_t rKey);

    /// @return remote memory key
    uint32_t GetRKey() const;

    /// @param swapAdd value to store (compare and swap) or to add (fetch and add)
    void SetSwapAdd(uint64_t swapAdd);

    /// @return value to store (compare and swap) or to add (fetch and add)
    uint64_t GetSwapAdd() const;

    /// @param compare value to compare with (compare and swap)
    void SetCompare(uint64_t compare);

    /// @return value to compare with (compare and swap)
    uint64_t GetCompare() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint64_t m_virtualAddress{0}; //!< address in the remote memory, a multiple of 8
    uint32_t m_rKey{0};           //!< remote memory key
    uint64_t m_swapAdd{0};        //!< value to store (compare and swap) or to add (fetch and add)
    uint64_t m_compare{0};        //!< value to compare with (compare and swap)
};

} // namespace ns3

#endif /* ROCE_ATOMIC_ETH_HEADER_H */
