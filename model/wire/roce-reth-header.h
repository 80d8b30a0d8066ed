/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_RETH_HEADER_H
#define ROCE_RETH_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief RDMA extended transport header (RETH) of RDMA WRITE and READ requests.
 */
class RoceRethHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param virtualAddress address in the remote memory
    void SetVirtualAddress(uint64_t virtualAddress);

    /// @return address in the remote memory
    uint64_t GetVirtualAddress() const;

    /// @param rKey remote memory key
    void SetRKey(uint32_t rKey);

    /// @return remote memory key
    uint32_t GetRKey() const;

    /// @param dmaLength length of the whole message in bytes
    void SetDmaLength(uint32_t dmaLength);

    /// @return length of the whole message in bytes
    uint32_t GetDmaLength() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint64_t m_virtualAddress{0}; //!< address in the remote memory
    uint32_t m_rKey{0};           //!< remote memory key
    uint32_t m_dmaLength{0};      //!< length of the whole message in bytes
};

} // namespace ns3

#endif /* ROCE_RETH_HEADER_H */
