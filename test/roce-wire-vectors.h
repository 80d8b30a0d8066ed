/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_WIRE_VECTORS_H
#define ROCE_WIRE_VECTORS_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * Frames with known bytes for the tests of the wire format.
 *
 * V1 to V4 and V6 carry the ICRC that scapy 2.5.0 computes, V5 the one of a later scapy (2.5.0 does
 * not know IPv6), V7 was computed with two independent bitwise implementations. HW1 to HW3 were
 * sent by real adapters (captures in scapy's tests for contrib.roce). All without FCS.
 */

namespace ns3
{
namespace rocevectors
{

/// A frame with known bytes.
struct Vector
{
    const char* name; //!< name for messages
    const char* hex;  //!< the frame
    uint32_t icrc;    //!< its ICRC as a number
};

/// RC RDMA WRITE Only, IPv4, 16 bytes of payload.
constexpr Vector V1{
    "V1",
    "0200000000020200000000010800456a004c12344000401114010a0000010a000002c12312b7003800000a40"
    "ffff000000118012345600007f00100020000000123400000010000102030405060708090a0b0c0d0e0fefcc"
    "57c0",
    0xc057ccef};
/// RC ACK, IPv4.
constexpr Vector V2{
    "V2",
    "0200000000010200000000020800456a003000004000401126510a0000020a000001c12312b7001c00001140"
    "ffff00000012001234561f000001a534117e",
    0x7e1134a5};
/// CNP, IPv4.
constexpr Vector V3{
    "V3",
    "020000000001020000000002080045c2003c00004000401125ed0a0000020a000001c12312b7002800008100"
    "ffff400000120000000000000000000000000000000000000000a285a665",
    0x65a685a2};
/// RC NAK, IPv4, VLAN.
constexpr Vector V4{
    "V4",
    "020000000001020000000002810060640800456a003000004000401126510a0000020a000001c12312b7001c"
    "00001140ffff000000120012345660000000f9b44a3a",
    0x3a4ab4f9};
/// UD SEND Only, IPv6 with UDP checksum, one byte of padding.
constexpr Vector V5{
    "V5",
    "02000000000202000000000186dd66a1234500241140fd000000000000000000000000000001fd0000000000"
    "00000000000000000002c12312b7002472716450ffff0000002200000007111111110000002161626300d934"
    "9b01",
    0x019b34d9};
/// V5 with the UDP checksum left at zero.
constexpr Vector V5_NO_CHECKSUM{
    "V5 without UDP checksum",
    "02000000000202000000000186dd66a1234500241140fd000000000000000000000000000001fd0000000000"
    "00000000000000000002c12312b7002400006450ffff0000002200000007111111110000002161626300d934"
    "9b01",
    0x019b34d9};
/// RC SEND Only, IPv4, three bytes of padding.
constexpr Vector V6{
    "V6",
    "0200000000020200000000010800456a0034000140004011264c0a0000010a000002c12312b7002000000470"
    "ffff0000001180ffffff68656c6c6f0000005491f6c0",
    0xc0f69154};
/// RC SEND Only, RoCEv1.
constexpr Vector V7{
    "V7",
    "02000000000202000000000189156000000000181b40fe80000000000000020000fffe000001fe8000000000"
    "0000020000fffe0000020440ffff0000001180000001526f4345763121216541bfef",
    0xefbf4165};
/// CNP of an adapter.
constexpr Vector HW1{
    "HW1",
    "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b7002800008100"
    "ffff40000118000000000000000000000000000000000000000082fd002a",
    0x2a00fd82};
/// RoCEv1 RDMA WRITE Only of an adapter.
constexpr Vector HW2{
    "HW2",
    "7cfe90753cd87cfe90753cd889156020000000281b4000000000000000000000ffff0f000002000000000000"
    "00000000ffff0f0000020a70ffff0000010a80a788bc000055d4c0726000000047b300000005000000000100"
    "0000e3d856bb",
    0xbb56d8e3};
/// RoCEv1 ACK of an adapter.
constexpr Vector HW3{
    "HW3",
    "7cfe90753cd87cfe90753cd889156020000000141b4000000000000000000000ffff0f000002000000000000"
    "00000000ffff0f0000021140ffff0000010900a788c00000000525f0c038",
    0x38c0f025};

/// All of the above.
constexpr Vector ALL[] = {V1, V2, V3, V4, V5, V5_NO_CHECKSUM, V6, V7, HW1, HW2, HW3};

/// PFC frame that pauses class 3 for the longest time; its FCS is b0b229c3 on the wire.
constexpr const char* PFC =
    "0180c2000001020000000001880801010008000000000000ffff000000000000000000000000000000000000"
    "00000000000000000000000000000000";

/**
 * @param hex an even number of lower-case hexadecimal digits
 * @return the bytes
 */
inline std::vector<uint8_t>
Bytes(const std::string& hex)
{
    std::vector<uint8_t> bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

/**
 * @param bytes some bytes
 * @return a packet of them
 */
inline Ptr<Packet>
MakePacket(const std::vector<uint8_t>& bytes)
{
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

/**
 * @param packet a packet
 * @return its bytes in hexadecimal
 */
inline std::string
Hex(Ptr<const Packet> packet)
{
    static const char digits[] = "0123456789abcdef";
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    std::string hex;
    for (uint8_t byte : bytes)
    {
        hex += digits[byte >> 4];
        hex += digits[byte & 15];
    }
    return hex;
}

} // namespace rocevectors
} // namespace ns3

#endif /* ROCE_WIRE_VECTORS_H */
