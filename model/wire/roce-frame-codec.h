/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FRAME_CODEC_H
#define ROCE_FRAME_CODEC_H

#include "roce-frame.h"

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Turns a RoceFrame into the bytes that a real NIC would send, and back.
 *
 * The data path only calls GetFrameBytes() and ComputeFlowHash(), which neither allocate nor touch
 * packet buffers for RoCE frames. Everything else runs when somebody looks at the wire (pcap,
 * ascii, sniffers) or when a frame crosses the border to an ordinary ns-3 network stack.
 */
class RoceFrameCodec
{
  public:
    static constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;        //!< RoCEv2 over IPv4
    static constexpr uint16_t ETHERTYPE_IPV6 = 0x86dd;        //!< RoCEv2 over IPv6
    static constexpr uint16_t ETHERTYPE_ROCE_V1 = 0x8915;     //!< RoCEv1
    static constexpr uint16_t ETHERTYPE_VLAN = 0x8100;        //!< IEEE 802.1Q customer tag
    static constexpr uint16_t ETHERTYPE_MAC_CONTROL = 0x8808; //!< PAUSE and PFC
    static constexpr uint16_t UDP_PORT = 4791;                //!< UDP destination port of RoCEv2

    /**
     * @brief Length of the Ethernet frame that carries a frame.
     *
     * Computed from the kind, the EtherType, the VLAN flag, the opcode and the payload length
     * (RoCE) or the packet size. Fast enough to be called for every frame that a NIC builds.
     *
     * @param frame the frame; its frameBytes is not looked at
     * @return bytes with FCS and padding to the minimum of 64 bytes, without preamble
     */
    static uint32_t GetFrameBytes(const RoceFrame& frame);

    /**
     * @brief Hash of the fields by which switches tell flows apart.
     *
     * RoCEv2: source and destination address, protocol, UDP ports and IPv6 flow label. RoCEv1: GIDs
     * and flow label. Other packets: addresses, protocol and, for unfragmented TCP and UDP, ports.
     * The hash depends on the direction and is the same on every platform. It is meant to be mixed
     * with a per-switch seed before use.
     *
     * @param frame the frame; its flowHash is not looked at
     * @param withDestQp true to mix the destination queue pair number of RoCE frames in
     * @return a 32-bit hash, never 0
     */
    static uint32_t ComputeFlowHash(const RoceFrame& frame, bool withDestQp = false);

    /**
     * @brief Build the Ethernet frame.
     * @param frame the frame
     * @param source MAC address of the sending port
     * @param destination MAC address of its link peer (not used for MAC_CONTROL frames, which go to
     *        the reserved address 01:80:C2:00:00:01)
     * @param withFcs true to append the frame check sequence, which pcap files do not contain
     * @return the Ethernet header, everything after it and padding to the Ethernet minimum
     */
    static Ptr<Packet> ToPacket(const RoceFrame& frame,
                                Mac48Address source,
                                Mac48Address destination,
                                bool withFcs = false);

    /**
     * @brief Build what an Ethernet frame carries: the packet from the layer-3 header on.
     * @param frame the frame; not MAC_CONTROL
     * @return the packet, without Ethernet padding
     */
    static Ptr<Packet> ToLayer3Packet(const RoceFrame& frame);

    /**
     * @brief Read a packet from the layer-3 header on.
     *
     * Packets that are not well-formed RoCE of a known opcode become frames of kind PACKET, which
     * hold the packet itself; address, DSCP, ECN, TTL and flow hash are filled in for IPv4 and
     * IPv6. The ICRC is not checked here, see RoceIcrc.
     *
     * @param packet the packet; it may end with Ethernet padding
     * @param etherType its EtherType
     * @return the frame with frameBytes and flowHash set
     */
    static RoceFramePtr FromLayer3Packet(Ptr<Packet> packet, uint16_t etherType);

    /**
     * @brief Read an Ethernet frame.
     * @param packet the frame from the destination MAC address on
     * @param withFcs true if it ends with a frame check sequence, which is removed unchecked
     * @return the frame with frameBytes and flowHash set
     */
    static RoceFramePtr FromEthernet(Ptr<const Packet> packet, bool withFcs = false);

    /**
     * @param address an IPv4 address
     * @return its bytes as RoceFrame stores them
     */
    static RoceAddressBytes ToBytes(Ipv4Address address);

    /**
     * @param address an IPv6 address or GID
     * @return its bytes as RoceFrame stores them
     */
    static RoceAddressBytes ToBytes(Ipv6Address address);

    /**
     * @param bytes an address stored in a RoceFrame
     * @return the IPv4 address in its first four bytes
     */
    static Ipv4Address ToIpv4(const RoceAddressBytes& bytes);

    /**
     * @param bytes an address stored in a RoceFrame
     * @return the IPv6 address or GID
     */
    static Ipv6Address ToIpv6(const RoceAddressBytes& bytes);
};

} // namespace ns3

#endif /* ROCE_FRAME_CODEC_H */
