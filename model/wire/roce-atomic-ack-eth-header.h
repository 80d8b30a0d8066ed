/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ATOMIC_ACK_ETH_HEADER_H
#define ROCE_ATOMIC_ACK_ETH_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Atomic ACK extended transport header (AtomicAckETH) of atomic responses.
 */
class RoceAtomicAckEthHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param originalData value that the remote memory held before the operation
    void SetOriginalData(uint64_t originalData);

    /// @return value that the remote memory held before the operation
    uint64_t GetOriginalData() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint64_t m_originalData{0}; //!< value that the remote memory held before the operation
};

} // namespace ns3

#endif /* ROCE_ATOMIC_ACK_ETH_HEADER_H */
