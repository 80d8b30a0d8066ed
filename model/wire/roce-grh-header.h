/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_GRH_HEADER_H
#define ROCE_GRH_HEADER_H

#include "ns3/header.h"
#include "ns3/ipv6-address.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Global route header (GRH): the layer-3 header of RoCEv1, laid out like an IPv6 header.
 */
class RoceGrhHeader : public Header
{
  public:
    static constexpr uint8_t NEXT_HEADER_BTH = 0x1b; //!< a base transport header follows

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param trafficClass traffic class: DSCP and ECN bits
    void SetTrafficClass(uint8_t trafficClass);

    /// @return traffic class: DSCP and ECN bits
    uint8_t GetTrafficClass() const;

    /// @param flowLabel flow label, 20 bits
    void SetFlowLabel(uint32_t flowLabel);

    /// @return flow label, 20 bits
    uint32_t GetFlowLabel() const;

    /// @param payloadLength bytes after this header, ICRC included
    void SetPayloadLength(uint16_t payloadLength);

    /// @return bytes after this header, ICRC included
    uint16_t GetPayloadLength() const;

    /// @param nextHeader next header, 0x1b for the BTH
    void SetNextHeader(uint8_t nextHeader);

    /// @return next header, 0x1b for the BTH
    uint8_t GetNextHeader() const;

    /// @param hopLimit hop limit
    void SetHopLimit(uint8_t hopLimit);

    /// @return hop limit
    uint8_t GetHopLimit() const;

    /// @param source source GID
    void SetSource(Ipv6Address source);

    /// @return source GID
    Ipv6Address GetSource() const;

    /// @param destination destination GID
    void SetDestination(Ipv6Address destination);

    /// @return destination GID
    Ipv6Address GetDestination() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint8_t m_trafficClass{0};             //!< traffic class: DSCP and ECN bits
    uint32_t m_flowLabel{0};               //!< flow label, 20 bits
    uint16_t m_payloadLength{0};           //!< bytes after this header, ICRC included
    uint8_t m_nextHeader{NEXT_HEADER_BTH}; //!< next header, 0x1b for the BTH
    uint8_t m_hopLimit{64};                //!< hop limit
    Ipv6Address m_source{};                //!< source GID
    Ipv6Address m_destination{};           //!< destination GID
};

} // namespace ns3

#endif /* ROCE_GRH_HEADER_H */
