/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-frame-codec.h"

#include "pfc-header.h"
#include "rdma-opcode.h"
#include "roce-buffer-util.h"
#include "roce-flow-hash.h"
#include "roce-grh-header.h"
#include "roce-icrc-trailer.h"
#include "roce-icrc.h"
#include "roce-transport-codec.h"
#include "roce-vlan-header.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/ethernet-header.h"
#include "ns3/ethernet-trailer.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/log.h"
#include "ns3/udp-header.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceFrameCodec");

namespace
{

constexpr uint32_t ETHERNET_BYTES = 14; //!< addresses and EtherType
constexpr uint32_t VLAN_BYTES = 4;      //!< IEEE 802.1Q tag
constexpr uint32_t FCS_BYTES = 4;       //!< frame check sequence
constexpr uint32_t IPV4_BYTES = 20;     //!< IPv4 header without options
constexpr uint32_t IPV6_BYTES = 40;     //!< IPv6 header, and GRH
constexpr uint32_t UDP_BYTES = 8;       //!< UDP header
constexpr uint8_t PROTOCOL_TCP = 6;     //!< IP protocol number
constexpr uint8_t PROTOCOL_UDP = 17;    //!< IP protocol number

/// Enough of a packet to find addresses, ports and the opcode.
constexpr uint32_t PEEK_BYTES = IPV6_BYTES + UDP_BYTES + RdmaOpcode::BTH_BYTES;

/**
 * Hash addresses and ports.
 * @param frame the frame, of which addresses and EtherType are used
 * @param protocol IP protocol
 * @param sourcePort UDP or TCP source port, or 0
 * @param destinationPort UDP or TCP destination port, or 0
 * @return the hash, to which more words may be added
 */
RoceFlowHash
HashTuple(const RoceFrame& frame, uint8_t protocol, uint16_t sourcePort, uint16_t destinationPort)
{
    const uint8_t* source = frame.source.data();
    const uint8_t* destination = frame.destination.data();
    RoceFlowHash hash;
    hash.Add((uint64_t{protocol} << 32) | (uint64_t{sourcePort} << 16) | destinationPort);
    if (!frame.HasLongAddresses())
    {
        hash.Add((uint64_t{ReadRoceU32(source)} << 32) | ReadRoceU32(destination));
        return hash;
    }
    hash.Add(ReadRoceU64(source));
    hash.Add(ReadRoceU64(source + 8));
    hash.Add(ReadRoceU64(destination));
    hash.Add(ReadRoceU64(destination + 8));
    return hash;
}

/**
 * @return RdmaOpcode::GetExtensionBytes() of every opcode, because the data path asks for each
 * packet
 */
constexpr std::array<uint8_t, 256>
MakeExtensionBytes()
{
    std::array<uint8_t, 256> table{};
    for (uint32_t opcode = 0; opcode < table.size(); opcode++)
    {
        table[opcode] =
            static_cast<uint8_t>(RdmaOpcode::GetExtensionBytes(static_cast<uint8_t>(opcode)));
    }
    return table;
}

constexpr std::array<uint8_t, 256> EXTENSION_BYTES = MakeExtensionBytes(); //!< by opcode

/// What the first bytes of a packet say about it.
struct Peek
{
    uint8_t bytes[PEEK_BYTES]; //!< the first bytes of the packet
    uint32_t size{0};          //!< how many of them exist
    uint32_t layer3Bytes{0};   //!< length of the layer-3 header; 0 if it is not one we know
    uint8_t protocol{0};       //!< IP protocol
    uint16_t sourcePort{0};    //!< UDP or TCP source port
    uint16_t destPort{0};      //!< UDP or TCP destination port
    bool plain{false};         //!< neither IPv4 options nor a fragment
};

/**
 * Look at the layer-3 header and the ports of a packet.
 * @param packet the packet
 * @param etherType its EtherType
 * @return what they say
 */
Peek
PeekInto(const Packet& packet, uint16_t etherType)
{
    Peek peek;
    peek.size = packet.CopyData(peek.bytes, PEEK_BYTES);
    const uint8_t* b = peek.bytes;
    if (etherType == RoceFrameCodec::ETHERTYPE_IPV4 && peek.size >= IPV4_BYTES && (b[0] >> 4) == 4)
    {
        peek.layer3Bytes = 4 * (b[0] & 0xf);
        peek.protocol = b[9];
        peek.plain = b[0] == 0x45 && (ReadRoceU16(b + 6) & 0x3fff) == 0;
    }
    else if ((etherType == RoceFrameCodec::ETHERTYPE_IPV6 ||
              etherType == RoceFrameCodec::ETHERTYPE_ROCE_V1) &&
             peek.size >= IPV6_BYTES && (b[0] >> 4) == 6)
    {
        peek.layer3Bytes = IPV6_BYTES;
        peek.protocol = b[6];
        peek.plain = true;
    }
    if (peek.plain && (peek.protocol == PROTOCOL_UDP || peek.protocol == PROTOCOL_TCP) &&
        etherType != RoceFrameCodec::ETHERTYPE_ROCE_V1 && peek.size >= peek.layer3Bytes + 4)
    {
        peek.sourcePort = ReadRoceU16(b + peek.layer3Bytes);
        peek.destPort = ReadRoceU16(b + peek.layer3Bytes + 2);
    }
    return peek;
}

/**
 * Fill in the layer-3 fields of a frame.
 * @param frame the frame, whose EtherType is set
 * @param peek first bytes of the packet, with a layer-3 header
 */
void
ReadLayer3(RoceFrame& frame, const Peek& peek)
{
    const uint8_t* b = peek.bytes;
    uint8_t trafficClass = 0;
    if (frame.HasLongAddresses())
    {
        const uint32_t word = ReadRoceU32(b);
        trafficClass = static_cast<uint8_t>((word >> 20) & 0xff);
        frame.SetFlowLabel(word & 0xfffff);
        frame.ttl = b[7];
        std::copy(b + 8, b + 24, frame.source.begin());
        std::copy(b + 24, b + 40, frame.destination.begin());
    }
    else
    {
        trafficClass = b[1];
        frame.identification = ReadRoceU16(b + 4);
        frame.ttl = b[8];
        std::copy(b + 12, b + 16, frame.source.begin());
        std::copy(b + 16, b + 20, frame.destination.begin());
    }
    frame.dscp = trafficClass >> 2;
    frame.ecn = static_cast<RoceEcn>(trafficClass & 3);
}

/**
 * Find the InfiniBand transport packet in a packet.
 * @param packet the packet
 * @param peek its first bytes
 * @param etherType its EtherType
 * @return the transport packet from the BTH to the ICRC, or null if there is none
 */
Ptr<Packet>
ExtractTransport(Ptr<Packet> packet, const Peek& peek, uint16_t etherType)
{
    uint32_t offset = peek.layer3Bytes;
    uint32_t length = 0;
    if (!peek.plain)
    {
        return nullptr;
    }
    if (etherType == RoceFrameCodec::ETHERTYPE_ROCE_V1)
    {
        if (peek.protocol != RoceGrhHeader::NEXT_HEADER_BTH)
        {
            return nullptr;
        }
        length = ReadRoceU16(peek.bytes + 4);
    }
    else
    {
        if (peek.protocol != PROTOCOL_UDP || peek.destPort != RoceFrameCodec::UDP_PORT ||
            peek.size < offset + UDP_BYTES)
        {
            return nullptr;
        }
        const uint32_t layer4Bytes = etherType == RoceFrameCodec::ETHERTYPE_IPV4
                                         ? ReadRoceU16(peek.bytes + 2) - IPV4_BYTES
                                         : ReadRoceU16(peek.bytes + 4);
        if (ReadRoceU16(peek.bytes + offset + 4) != layer4Bytes || layer4Bytes < UDP_BYTES)
        {
            return nullptr;
        }
        offset += UDP_BYTES;
        length = layer4Bytes - UDP_BYTES;
    }
    if (length < RdmaOpcode::BTH_BYTES + RdmaOpcode::ICRC_BYTES ||
        packet->GetSize() < offset + length)
    {
        return nullptr;
    }
    return packet->CreateFragment(offset, length);
}

/**
 * @param frame the frame
 * @return its IPv4 type of service or IPv6 traffic class
 */
uint8_t
GetTrafficClassByte(const RoceFrame& frame)
{
    return static_cast<uint8_t>((frame.dscp << 2) | static_cast<uint8_t>(frame.ecn));
}

/**
 * Put UDP and layer-3 headers in front of a transport packet.
 * @param frame the frame
 * @param packet the transport packet with its ICRC
 * @param udpChecksum the UDP checksum; 0 for none
 */
void
AddLayer3(const RoceFrame& frame, Ptr<Packet> packet, uint16_t udpChecksum)
{
    if (frame.etherType == RoceFrameCodec::ETHERTYPE_ROCE_V1)
    {
        RoceGrhHeader grh;
        grh.SetTrafficClass(GetTrafficClassByte(frame));
        grh.SetFlowLabel(frame.GetFlowLabel());
        grh.SetPayloadLength(static_cast<uint16_t>(packet->GetSize()));
        grh.SetHopLimit(frame.ttl);
        grh.SetSource(RoceFrameCodec::ToIpv6(frame.source));
        grh.SetDestination(RoceFrameCodec::ToIpv6(frame.destination));
        packet->AddHeader(grh);
        return;
    }
    UdpHeader udp;
    udp.SetSourcePort(frame.udpSourcePort);
    udp.SetDestinationPort(RoceFrameCodec::UDP_PORT);
    // UdpHeader writes a forced checksum low byte first.
    udp.ForceChecksum(static_cast<uint16_t>((udpChecksum >> 8) | (udpChecksum << 8)));
    packet->AddHeader(udp);
    if (frame.etherType == RoceFrameCodec::ETHERTYPE_IPV6)
    {
        Ipv6Header ip;
        ip.SetTrafficClass(GetTrafficClassByte(frame));
        ip.SetFlowLabel(frame.GetFlowLabel());
        ip.SetPayloadLength(static_cast<uint16_t>(packet->GetSize()));
        ip.SetNextHeader(PROTOCOL_UDP);
        ip.SetHopLimit(frame.ttl);
        ip.SetSource(RoceFrameCodec::ToIpv6(frame.source));
        ip.SetDestination(RoceFrameCodec::ToIpv6(frame.destination));
        packet->AddHeader(ip);
        return;
    }
    Ipv4Header ip;
    ip.EnableChecksum();
    ip.SetTos(GetTrafficClassByte(frame));
    ip.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
    ip.SetIdentification(frame.identification);
    ip.SetDontFragment();
    ip.SetTtl(frame.ttl);
    ip.SetProtocol(PROTOCOL_UDP);
    ip.SetSource(RoceFrameCodec::ToIpv4(frame.source));
    ip.SetDestination(RoceFrameCodec::ToIpv4(frame.destination));
    packet->AddHeader(ip);
}

/**
 * Compute the UDP checksum over IPv6 (RFC 8200, section 8.1).
 * @param packet bytes of the packet from the IPv6 header on, with a UDP checksum of 0
 * @return the checksum, never 0
 */
uint16_t
ComputeUdpChecksum(const std::vector<uint8_t>& packet)
{
    // The pseudo header: both addresses, length and protocol.
    uint64_t sum = packet.size() - IPV6_BYTES + PROTOCOL_UDP;
    for (std::size_t i = 8; i < packet.size(); i++)
    {
        sum += i % 2 == 0 ? uint32_t{packet[i]} << 8 : packet[i];
    }
    while (sum > 0xffff)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum == 0xffff ? 0xffff : static_cast<uint16_t>(~sum);
}

/**
 * Write a RoCE frame from the layer-3 header on.
 * @param frame the frame
 * @return the packet
 */
Ptr<Packet>
WriteRoce(const RoceFrame& frame)
{
    NS_ABORT_MSG_UNLESS(frame.etherType == RoceFrameCodec::ETHERTYPE_IPV4 ||
                            frame.etherType == RoceFrameCodec::ETHERTYPE_IPV6 ||
                            frame.etherType == RoceFrameCodec::ETHERTYPE_ROCE_V1,
                        "RoceFrameCodec: a RoCE frame has EtherType "
                            << frame.etherType << ", allowed are IPv4, IPv6 and RoCEv1 (0x8915)");
    Ptr<Packet> transport = RoceTransportCodec::Write(frame);
    NS_ABORT_MSG_IF(transport->GetSize() + RdmaOpcode::ICRC_BYTES + UDP_BYTES + IPV4_BYTES > 65535,
                    "RoceFrameCodec: " << frame.payloadBytes
                                       << " bytes of payload do not fit into an IP packet");

    // The ICRC covers headers that come after it here, so it first goes in as zeros.
    Ptr<Packet> packet = transport->Copy();
    packet->AddTrailer(RoceIcrcTrailer());
    AddLayer3(frame, packet, 0);
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    const auto covered = static_cast<uint32_t>(bytes.size()) - RdmaOpcode::ICRC_BYTES;
    const uint32_t icrc = RoceIcrc::Compute(bytes.data(), covered, frame.etherType);
    RoceIcrcTrailer trailer;
    trailer.SetIcrc(icrc);
    uint16_t udpChecksum = 0;
    if (frame.etherType == RoceFrameCodec::ETHERTYPE_IPV6)
    {
        for (uint32_t i = 0; i < RdmaOpcode::ICRC_BYTES; i++)
        {
            bytes[covered + i] = static_cast<uint8_t>(icrc >> (8 * i));
        }
        udpChecksum = ComputeUdpChecksum(bytes);
    }
    transport->AddTrailer(trailer);
    AddLayer3(frame, transport, udpChecksum);
    return transport;
}

/**
 * Copy the packet of a frame of kind PACKET, with the TTL, DSCP and ECN of the frame if they
 * changed.
 * @param frame the frame
 * @return the packet
 */
Ptr<Packet>
WritePacket(const RoceFrame& frame)
{
    NS_ABORT_MSG_UNLESS(frame.packet, "RoceFrameCodec: a frame of kind PACKET has no packet");
    Ptr<Packet> packet = frame.packet->Copy();
    if (!frame.Has(RoceFrame::MODIFIED))
    {
        return packet;
    }
    if (frame.etherType == RoceFrameCodec::ETHERTYPE_IPV4)
    {
        Ipv4Header ip;
        packet->RemoveHeader(ip);
        ip.EnableChecksum();
        ip.SetTtl(frame.ttl);
        ip.SetTos(GetTrafficClassByte(frame));
        packet->AddHeader(ip);
    }
    else if (frame.etherType == RoceFrameCodec::ETHERTYPE_IPV6)
    {
        Ipv6Header ip;
        packet->RemoveHeader(ip);
        ip.SetHopLimit(frame.ttl);
        ip.SetTrafficClass(GetTrafficClassByte(frame));
        packet->AddHeader(ip);
    }
    else
    {
        NS_FATAL_ERROR("RoceFrameCodec: a packet of EtherType " << frame.etherType
                                                                << " has no TTL or ECN to modify");
    }
    return packet;
}

/**
 * Write the PFC header of a frame of kind MAC_CONTROL.
 * @param frame the frame
 * @return the packet from the MAC control opcode on
 */
Ptr<Packet>
WritePfc(const RoceFrame& frame)
{
    PfcHeader pfc;
    pfc.SetClassEnable(frame.opcode);
    for (uint8_t i = 0; i < PfcHeader::CLASSES; i++)
    {
        pfc.SetQuanta(i, frame.ext.pfc.quanta[i]);
    }
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(pfc);
    return packet;
}

} // namespace

uint32_t
RoceFrameCodec::GetFrameBytes(const RoceFrame& frame)
{
    uint32_t bytes = ETHERNET_BYTES + FCS_BYTES + (frame.Has(RoceFrame::VLAN) ? VLAN_BYTES : 0);
    switch (frame.kind)
    {
    case RoceFrameKind::ROCE:
        bytes += (frame.HasLongAddresses() ? IPV6_BYTES : IPV4_BYTES) +
                 (frame.etherType == ETHERTYPE_ROCE_V1 ? 0 : UDP_BYTES) + RdmaOpcode::BTH_BYTES +
                 EXTENSION_BYTES[frame.opcode] + frame.payloadBytes + frame.GetPadCount() +
                 RdmaOpcode::ICRC_BYTES;
        break;
    case RoceFrameKind::PACKET:
        NS_ASSERT_MSG(frame.packet, "a frame of kind PACKET has no packet");
        bytes += frame.packet->GetSize();
        break;
    case RoceFrameKind::MAC_CONTROL:
        return RoceFrame::MIN_FRAME_BYTES;
    }
    return std::max(bytes, RoceFrame::MIN_FRAME_BYTES);
}

uint32_t
RoceFrameCodec::ComputeFlowHash(const RoceFrame& frame, bool withDestQp)
{
    if (frame.kind == RoceFrameKind::ROCE)
    {
        // RoCEv1 has no UDP header: its flows between two hosts look the same to a switch.
        const bool v1 = frame.etherType == ETHERTYPE_ROCE_V1;
        RoceFlowHash hash = v1 ? HashTuple(frame, RoceGrhHeader::NEXT_HEADER_BTH, 0, 0)
                               : HashTuple(frame, PROTOCOL_UDP, frame.udpSourcePort, UDP_PORT);
        if (withDestQp)
        {
            hash.Add(frame.destQp);
        }
        return hash.Get();
    }
    if (frame.kind == RoceFrameKind::PACKET && frame.packet)
    {
        const Peek peek = PeekInto(*frame.packet, frame.etherType);
        if (peek.layer3Bytes > 0)
        {
            return HashTuple(frame, peek.protocol, peek.sourcePort, peek.destPort).Get();
        }
    }
    RoceFlowHash hash;
    hash.Add(frame.etherType);
    return hash.Get();
}

Ptr<Packet>
RoceFrameCodec::ToLayer3Packet(const RoceFrame& frame)
{
    NS_LOG_FUNCTION(&frame);
    NS_ABORT_MSG_IF(frame.kind == RoceFrameKind::MAC_CONTROL,
                    "RoceFrameCodec::ToLayer3Packet: a MAC control frame has no layer 3");
    return frame.kind == RoceFrameKind::ROCE ? WriteRoce(frame) : WritePacket(frame);
}

Ptr<Packet>
RoceFrameCodec::ToPacket(const RoceFrame& frame,
                         Mac48Address source,
                         Mac48Address destination,
                         bool withFcs)
{
    NS_LOG_FUNCTION(&frame << source << destination << withFcs);
    const bool control = frame.kind == RoceFrameKind::MAC_CONTROL;
    Ptr<Packet> packet = control ? WritePfc(frame) : ToLayer3Packet(frame);
    uint16_t type = control ? ETHERTYPE_MAC_CONTROL : frame.etherType;
    if (frame.Has(RoceFrame::VLAN) && !control)
    {
        RoceVlanHeader vlan;
        vlan.SetTci(frame.vlanTci);
        vlan.SetEtherType(type);
        packet->AddHeader(vlan);
        type = ETHERTYPE_VLAN;
    }
    EthernetHeader ethernet(false);
    ethernet.SetSource(source);
    ethernet.SetDestination(control ? Mac48Address("01:80:c2:00:00:01") : destination);
    ethernet.SetLengthType(type);
    packet->AddHeader(ethernet);
    if (packet->GetSize() < RoceFrame::MIN_FRAME_BYTES - FCS_BYTES)
    {
        // Zeros, unlike AddPaddingAtEnd.
        packet->AddAtEnd(
            Create<Packet>(RoceFrame::MIN_FRAME_BYTES - FCS_BYTES - packet->GetSize()));
    }
    if (withFcs)
    {
        EthernetTrailer trailer;
        trailer.EnableFcs(true);
        trailer.CalcFcs(packet);
        packet->AddTrailer(trailer);
    }
    return packet;
}

RoceFramePtr
RoceFrameCodec::FromLayer3Packet(Ptr<Packet> packet, uint16_t etherType)
{
    NS_LOG_FUNCTION(packet << etherType);
    RoceFramePtr frame = CreateRoceFrame();
    frame->etherType = etherType;
    const Peek peek = PeekInto(*packet, etherType);
    if (peek.layer3Bytes > 0)
    {
        ReadLayer3(*frame, peek);
    }
    Ptr<Packet> transport = ExtractTransport(packet, peek, etherType);
    if (transport && RoceTransportCodec::Read(*frame, transport))
    {
        frame->kind = RoceFrameKind::ROCE;
        frame->udpSourcePort = peek.sourcePort;
    }
    else
    {
        frame->kind = RoceFrameKind::PACKET;
        frame->packet = packet;
    }
    frame->frameBytes = GetFrameBytes(*frame);
    frame->flowHash = ComputeFlowHash(*frame);
    return frame;
}

RoceFramePtr
RoceFrameCodec::FromEthernet(Ptr<const Packet> packet, bool withFcs)
{
    NS_LOG_FUNCTION(packet << withFcs);
    const uint32_t end = packet->GetSize() - (withFcs ? FCS_BYTES : 0);
    NS_ABORT_MSG_IF(packet->GetSize() < ETHERNET_BYTES + VLAN_BYTES + FCS_BYTES,
                    "RoceFrameCodec::FromEthernet: " << packet->GetSize()
                                                     << " bytes are not an Ethernet frame");
    uint8_t bytes[ETHERNET_BYTES + VLAN_BYTES];
    packet->CopyData(bytes, sizeof(bytes));
    uint16_t type = ReadRoceU16(bytes + 12);
    uint32_t offset = ETHERNET_BYTES;
    const bool tagged = type == ETHERTYPE_VLAN;
    if (tagged)
    {
        type = ReadRoceU16(bytes + 16);
        offset += VLAN_BYTES;
    }
    Ptr<Packet> content = packet->CreateFragment(offset, end - offset);
    PfcHeader pfc;
    if (type == ETHERTYPE_MAC_CONTROL && content->GetSize() >= pfc.GetSerializedSize())
    {
        content->PeekHeader(pfc);
        if (pfc.GetOpcode() == PfcHeader::OPCODE_PFC)
        {
            RoceFramePtr frame = CreateRoceFrame();
            frame->kind = RoceFrameKind::MAC_CONTROL;
            frame->etherType = type;
            frame->opcode = pfc.GetClassEnable();
            frame->ext.pfc.quanta = {};
            for (uint8_t i = 0; i < PfcHeader::CLASSES; i++)
            {
                frame->ext.pfc.quanta[i] = pfc.GetQuanta(i);
            }
            frame->frameBytes = GetFrameBytes(*frame);
            frame->flowHash = ComputeFlowHash(*frame);
            return frame;
        }
    }
    RoceFramePtr frame = FromLayer3Packet(content, type);
    if (tagged)
    {
        frame->flags |= RoceFrame::VLAN;
        frame->vlanTci = ReadRoceU16(bytes + 14);
        frame->frameBytes = GetFrameBytes(*frame);
    }
    return frame;
}

RoceAddressBytes
RoceFrameCodec::ToBytes(Ipv4Address address)
{
    RoceAddressBytes bytes{};
    address.Serialize(bytes.data());
    return bytes;
}

RoceAddressBytes
RoceFrameCodec::ToBytes(Ipv6Address address)
{
    RoceAddressBytes bytes{};
    address.Serialize(bytes.data());
    return bytes;
}

Ipv4Address
RoceFrameCodec::ToIpv4(const RoceAddressBytes& bytes)
{
    return Ipv4Address::Deserialize(bytes.data());
}

Ipv6Address
RoceFrameCodec::ToIpv6(const RoceAddressBytes& bytes)
{
    return Ipv6Address::Deserialize(bytes.data());
}

} // namespace ns3
