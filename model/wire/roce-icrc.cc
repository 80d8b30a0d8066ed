/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-icrc.h"

#include "rdma-opcode.h"
#include "roce-buffer-util.h"
#include "roce-frame-codec.h"
#include "roce-grh-header.h"

#include "ns3/abort.h"
#include "ns3/crc32.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t LRH_BYTES = 8;    //!< ones in place of the local route header
constexpr uint32_t IPV4_BYTES = 20;  //!< IPv4 header without options
constexpr uint32_t IPV6_BYTES = 40;  //!< IPv6 header, and GRH
constexpr uint32_t UDP_BYTES = 8;    //!< UDP header
constexpr uint8_t PROTOCOL_UDP = 17; //!< IP protocol number

/// Where the RoCE packet is within an Ethernet frame.
struct Location
{
    uint32_t offset;    //!< first byte of the layer-3 header
    uint32_t bytes;     //!< length from there on, without ICRC
    uint16_t etherType; //!< EtherType after VLAN tags
};

/**
 * Find the RoCE packet in a frame.
 * @param frame bytes of an Ethernet frame
 * @return its location, or nothing if there is none or it is cut short
 */
std::optional<Location>
Locate(const std::vector<uint8_t>& frame)
{
    uint32_t offset = 14;
    while (frame.size() >= offset + 4 &&
           ReadRoceU16(&frame[offset - 2]) == RoceFrameCodec::ETHERTYPE_VLAN)
    {
        offset += 4;
    }
    if (frame.size() < offset + IPV4_BYTES)
    {
        return std::nullopt;
    }
    const uint16_t etherType = ReadRoceU16(&frame[offset - 2]);
    const uint8_t* ip = &frame[offset];
    const auto available = static_cast<uint32_t>(frame.size()) - offset;
    uint32_t total = 0;
    uint32_t bth = 0;
    bool roce = false;
    switch (etherType)
    {
    case RoceFrameCodec::ETHERTYPE_IPV4:
        total = ReadRoceU16(ip + 2);
        bth = IPV4_BYTES + UDP_BYTES;
        // A fragment has no ICRC of its own; options would move the UDP header.
        roce = ip[0] == 0x45 && (ReadRoceU16(ip + 6) & 0x3fff) == 0 && ip[9] == PROTOCOL_UDP;
        break;
    case RoceFrameCodec::ETHERTYPE_IPV6:
        total = IPV6_BYTES + ReadRoceU16(ip + 4);
        bth = IPV6_BYTES + UDP_BYTES;
        roce = (ip[0] >> 4) == 6 && ip[6] == PROTOCOL_UDP;
        break;
    case RoceFrameCodec::ETHERTYPE_ROCE_V1:
        total = IPV6_BYTES + ReadRoceU16(ip + 4);
        bth = IPV6_BYTES;
        roce = (ip[0] >> 4) == 6 && ip[6] == RoceGrhHeader::NEXT_HEADER_BTH;
        break;
    default:
        break;
    }
    if (!roce || total > available || total < bth + RdmaOpcode::BTH_BYTES + RdmaOpcode::ICRC_BYTES)
    {
        return std::nullopt;
    }
    if (etherType != RoceFrameCodec::ETHERTYPE_ROCE_V1 &&
        ReadRoceU16(ip + bth - UDP_BYTES + 2) != RoceFrameCodec::UDP_PORT)
    {
        return std::nullopt;
    }
    return Location{offset, total - RdmaOpcode::ICRC_BYTES, etherType};
}

/**
 * @param packet a packet
 * @return its bytes
 */
std::vector<uint8_t>
GetBytes(Ptr<const Packet> packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return bytes;
}

} // namespace

uint32_t
RoceIcrc::Compute(const uint8_t* data, uint32_t bytes, uint16_t etherType)
{
    const bool v1 = etherType == RoceFrameCodec::ETHERTYPE_ROCE_V1;
    const bool v4 = etherType == RoceFrameCodec::ETHERTYPE_IPV4;
    NS_ABORT_MSG_UNLESS(v1 || v4 || etherType == RoceFrameCodec::ETHERTYPE_IPV6,
                        "RoceIcrc::Compute: EtherType " << etherType
                                                        << " is not IPv4, IPv6 or RoCEv1");
    const uint32_t udp = v4 ? IPV4_BYTES : IPV6_BYTES;
    const uint32_t bth = udp + (v1 ? 0 : UDP_BYTES);
    NS_ABORT_MSG_IF(bytes < bth + RdmaOpcode::BTH_BYTES,
                    "RoceIcrc::Compute: " << bytes << " bytes cannot hold a RoCE packet");

    std::vector<uint8_t> masked(LRH_BYTES + bytes, 0xff);
    std::copy(data, data + bytes, masked.begin() + LRH_BYTES);
    uint8_t* ip = masked.data() + LRH_BYTES;
    if (v4)
    {
        ip[1] = 0xff;           // DSCP and ECN
        ip[8] = 0xff;           // TTL
        ip[10] = ip[11] = 0xff; // header checksum
    }
    else
    {
        ip[0] |= 0x0f;                // traffic class, upper half
        ip[1] = ip[2] = ip[3] = 0xff; // lower half, flow label
        ip[7] = 0xff;                 // hop limit
    }
    if (!v1)
    {
        ip[udp + 6] = ip[udp + 7] = 0xff; // UDP checksum
    }
    ip[bth + 4] = 0xff; // FECN, BECN and reserved bits
    return CRC32Calculate(masked.data(), static_cast<int>(masked.size()));
}

std::optional<uint32_t>
RoceIcrc::Compute(Ptr<const Packet> frame)
{
    const std::vector<uint8_t> bytes = GetBytes(frame);
    const std::optional<Location> location = Locate(bytes);
    if (!location)
    {
        return std::nullopt;
    }
    return Compute(&bytes[location->offset], location->bytes, location->etherType);
}

bool
RoceIcrc::Verify(Ptr<const Packet> frame)
{
    const std::vector<uint8_t> bytes = GetBytes(frame);
    const std::optional<Location> location = Locate(bytes);
    if (!location)
    {
        return false;
    }
    const uint32_t icrc = Compute(&bytes[location->offset], location->bytes, location->etherType);
    const uint8_t* wire = &bytes[location->offset + location->bytes];
    return wire[0] == (icrc & 0xff) && wire[1] == ((icrc >> 8) & 0xff) &&
           wire[2] == ((icrc >> 16) & 0xff) && wire[3] == (icrc >> 24);
}

} // namespace ns3
