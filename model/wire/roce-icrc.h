/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ICRC_H
#define ROCE_ICRC_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Invariant CRC of RoCEv1 and RoCEv2 packets.
 *
 * The ICRC is the CRC-32 of Ethernet over eight bytes of ones (in place of the InfiniBand local
 * route header) and the packet from its layer-3 header up to the padding of the payload. Fields
 * that switches may change count as ones: DSCP, ECN, TTL and header checksum of IPv4, traffic
 * class, flow label and hop limit of IPv6 and GRH, the UDP checksum, and the fifth byte of the BTH.
 */
class RoceIcrc
{
  public:
    /**
     * @brief Compute the ICRC of a packet.
     * @param data the packet from the layer-3 header on, in wire format
     * @param bytes its length without the ICRC (and without Ethernet padding)
     * @param etherType 0x0800 (IPv4), 0x86dd (IPv6) or 0x8915 (GRH)
     * @return the value to put into a RoceIcrcTrailer
     */
    static uint32_t Compute(const uint8_t* data, uint32_t bytes, uint16_t etherType);

    /**
     * @brief Compute the ICRC that an Ethernet frame should have.
     *
     * VLAN tags are skipped. The end of the packet is taken from its length field, so Ethernet
     * padding and a frame check sequence may follow.
     *
     * @param frame the frame from the destination MAC address on
     * @return the value, or nothing if the frame is not RoCE
     */
    static std::optional<uint32_t> Compute(Ptr<const Packet> frame);

    /**
     * @brief Check the ICRC of an Ethernet frame.
     * @param frame the frame from the destination MAC address on
     * @return true if the frame is RoCE and ends with the right ICRC
     */
    static bool Verify(Ptr<const Packet> frame);
};

} // namespace ns3

#endif /* ROCE_ICRC_H */
