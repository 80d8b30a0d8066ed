/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-wire-vectors.h"

#include "ns3/ipv4-header.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-syndrome.h"
#include "ns3/roce-flow-hash.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-icrc.h"
#include "ns3/test.h"
#include "ns3/udp-header.h"

#include <string>
#include <vector>

using namespace ns3;
using rocevectors::Bytes;
using rocevectors::Hex;
using rocevectors::MakePacket;

namespace
{

const char* const MAC_1 = "02:00:00:00:00:01"; //!< address used by the vectors
const char* const MAC_2 = "02:00:00:00:00:02"; //!< address used by the vectors

/// @return opcodes of every packet the module can build
std::vector<uint8_t>
KnownOpcodes()
{
    std::vector<uint8_t> opcodes;
    for (uint32_t i = 0; i < 256; i++)
    {
        if (RdmaOpcode::IsKnown(static_cast<uint8_t>(i)))
        {
            opcodes.push_back(static_cast<uint8_t>(i));
        }
    }
    return opcodes;
}

/**
 * @ingroup roce-tests
 * @brief Frames built from field values equal known frames byte for byte.
 */
class RoceFrameBytesTestCase : public TestCase
{
  public:
    RoceFrameBytesTestCase()
        : TestCase("Known frames byte for byte")
    {
    }

  private:
    void DoRun() override;

    /**
     * Check the bytes and the length of a frame, and that reading the bytes and writing them again
     * changes nothing.
     * @param frame the frame
     * @param source MAC address
     * @param destination MAC address
     * @param vector the bytes expected
     */
    void Check(const RoceFrame& frame,
               const char* source,
               const char* destination,
               const rocevectors::Vector& vector);

    /**
     * @return a RoCEv2 frame with what the IPv4 vectors have in common
     */
    static RoceFramePtr Make();
};

void
RoceFrameBytesTestCase::Check(const RoceFrame& frame,
                              const char* source,
                              const char* destination,
                              const rocevectors::Vector& vector)
{
    const std::string hex = vector.hex;
    NS_TEST_EXPECT_MSG_EQ(
        Hex(RoceFrameCodec::ToPacket(frame, Mac48Address(source), Mac48Address(destination))),
        hex,
        "bytes of " << vector.name);
    NS_TEST_EXPECT_MSG_EQ(RoceFrameCodec::GetFrameBytes(frame),
                          hex.size() / 2 + 4,
                          "length of " << vector.name << " with FCS");
}

RoceFramePtr
RoceFrameBytesTestCase::Make()
{
    RoceFramePtr frame = CreateRoceFrame();
    frame->dscp = 26;
    frame->ecn = RoceEcn::ECT0;
    frame->flags = RoceFrame::MIG_REQ;
    frame->udpSourcePort = 0xc123;
    frame->source = RoceFrameCodec::ToBytes(Ipv4Address("10.0.0.1"));
    frame->destination = RoceFrameCodec::ToBytes(Ipv4Address("10.0.0.2"));
    return frame;
}

void
RoceFrameBytesTestCase::DoRun()
{
    RoceFramePtr v1 = Make();
    v1->opcode = RdmaOpcode::RC_WRITE_ONLY;
    v1->flags |= RoceFrame::ACK_REQ;
    v1->identification = 0x1234;
    v1->destQp = 0x11;
    v1->psn = 0x123456;
    v1->remoteAddress = 0x00007f0010002000ULL;
    v1->rKey = 0x1234;
    v1->dmaLength = 16;
    v1->payloadBytes = 16;
    v1->packet = MakePacket(Bytes("000102030405060708090a0b0c0d0e0f"));
    Check(*v1, MAC_1, MAC_2, rocevectors::V1);

    RoceFramePtr v2 = Make();
    v2->opcode = RdmaOpcode::RC_ACKNOWLEDGE;
    std::swap(v2->source, v2->destination);
    v2->destQp = 0x12;
    v2->psn = 0x123456;
    v2->ext.ack.syndrome = RdmaSyndrome::MakeAck();
    v2->ext.ack.msn = 1;
    Check(*v2, MAC_2, MAC_1, rocevectors::V2);

    RoceFramePtr v3 = Make();
    v3->opcode = RdmaOpcode::CNP;
    v3->dscp = 48;
    v3->flags = RoceFrame::BECN;
    std::swap(v3->source, v3->destination);
    v3->destQp = 0x12;
    Check(*v3, MAC_2, MAC_1, rocevectors::V3);

    RoceFramePtr v4 = Make();
    v4->opcode = RdmaOpcode::RC_ACKNOWLEDGE;
    v4->flags |= RoceFrame::VLAN;
    v4->vlanTci = (3 << 13) | 100; // PCP 3, VID 100
    std::swap(v4->source, v4->destination);
    v4->destQp = 0x12;
    v4->psn = 0x123456;
    v4->ext.ack.syndrome = RdmaSyndrome::MakeNak(RdmaSyndrome::PSN_SEQUENCE_ERROR);
    Check(*v4, MAC_2, MAC_1, rocevectors::V4);

    RoceFramePtr v5 = Make();
    v5->opcode = RdmaOpcode::UD_SEND_ONLY;
    v5->etherType = RoceFrameCodec::ETHERTYPE_IPV6;
    v5->SetFlowLabel(0x12345);
    v5->source = RoceFrameCodec::ToBytes(Ipv6Address("fd00::1"));
    v5->destination = RoceFrameCodec::ToBytes(Ipv6Address("fd00::2"));
    v5->destQp = 0x22;
    v5->psn = 7;
    v5->rKey = 0x11111111; // Q_Key
    v5->dmaLength = 0x21;  // source queue pair
    v5->payloadBytes = 3;
    v5->packet = MakePacket(Bytes("616263"));
    Check(*v5, MAC_1, MAC_2, rocevectors::V5);

    RoceFramePtr v6 = Make();
    v6->opcode = RdmaOpcode::RC_SEND_ONLY;
    v6->identification = 1;
    v6->destQp = 0x11;
    v6->flags |= RoceFrame::ACK_REQ;
    v6->psn = 0xffffff;
    v6->payloadBytes = 5;
    v6->packet = MakePacket(Bytes("68656c6c6f"));
    Check(*v6, MAC_1, MAC_2, rocevectors::V6);

    RoceFramePtr v7 = Make();
    v7->opcode = RdmaOpcode::RC_SEND_ONLY;
    v7->etherType = RoceFrameCodec::ETHERTYPE_ROCE_V1;
    v7->dscp = 0;
    v7->ecn = RoceEcn::NOT_ECT;
    v7->source = RoceFrameCodec::ToBytes(Ipv6Address("fe80::200:ff:fe00:1"));
    v7->destination = RoceFrameCodec::ToBytes(Ipv6Address("fe80::200:ff:fe00:2"));
    v7->destQp = 0x11;
    v7->psn = 1;
    v7->flags |= RoceFrame::ACK_REQ;
    v7->payloadBytes = 8;
    v7->packet = MakePacket(Bytes("526f434576312121"));
    Check(*v7, MAC_1, MAC_2, rocevectors::V7);

    // Everything that can be read from bytes must be written back the same way. Only the frame with
    // a UDP checksum of zero over IPv6 gets the checksum that IPv6 demands.
    for (const auto& vector : rocevectors::ALL)
    {
        const std::string hex = vector.hex;
        Ptr<Packet> packet = MakePacket(Bytes(hex));
        RoceFramePtr frame = RoceFrameCodec::FromEthernet(packet);
        NS_TEST_EXPECT_MSG_EQ((frame->kind == RoceFrameKind::ROCE), true, vector.name);
        NS_TEST_EXPECT_MSG_EQ(frame->frameBytes, hex.size() / 2 + 4, "length of " << vector.name);
        Mac48Address destination;
        Mac48Address source;
        destination.CopyFrom(Bytes(hex.substr(0, 12)).data());
        source.CopyFrom(Bytes(hex.substr(12, 12)).data());
        const bool noChecksum = hex == rocevectors::V5_NO_CHECKSUM.hex;
        NS_TEST_EXPECT_MSG_EQ(Hex(RoceFrameCodec::ToPacket(*frame, source, destination)),
                              (noChecksum ? std::string(rocevectors::V5.hex) : hex),
                              vector.name << " read and written again");
    }

    // PFC: class 3 paused for 0xffff quanta; with the FCS that stands on the wire.
    RoceFramePtr pfc = CreateRoceFrame();
    pfc->kind = RoceFrameKind::MAC_CONTROL;
    pfc->etherType = RoceFrameCodec::ETHERTYPE_MAC_CONTROL;
    pfc->opcode = 1 << 3;
    pfc->ext.pfc.quanta = {};
    pfc->ext.pfc.quanta[3] = 0xffff;
    const Mac48Address ignored(MAC_2);
    const std::string hex = rocevectors::PFC;
    NS_TEST_EXPECT_MSG_EQ(Hex(RoceFrameCodec::ToPacket(*pfc, Mac48Address(MAC_1), ignored)),
                          hex,
                          "PFC frame");
    NS_TEST_EXPECT_MSG_EQ(Hex(RoceFrameCodec::ToPacket(*pfc, Mac48Address(MAC_1), ignored, true)),
                          hex + "b0b229c3",
                          "PFC frame with FCS");
    RoceFramePtr read = RoceFrameCodec::FromEthernet(MakePacket(Bytes(hex)));
    NS_TEST_EXPECT_MSG_EQ((read->kind == RoceFrameKind::MAC_CONTROL), true, "PFC kind");
    NS_TEST_EXPECT_MSG_EQ(unsigned{read->opcode}, 8, "class-enable vector");
    NS_TEST_EXPECT_MSG_EQ((read->ext.pfc.quanta == pfc->ext.pfc.quanta), true, "PFC timers");
    NS_TEST_EXPECT_MSG_EQ(read->frameBytes, 64, "PFC length");
}

/**
 * @ingroup roce-tests
 * @brief Lengths of frames from the sizes of their parts.
 */
class RoceFrameLengthTestCase : public TestCase
{
  public:
    RoceFrameLengthTestCase()
        : TestCase("Frame lengths")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param opcode BTH opcode
     * @param payload payload in bytes
     * @param etherType EtherType
     * @param flags flags
     * @return frame length
     */
    static uint32_t Length(uint8_t opcode,
                           uint32_t payload,
                           uint16_t etherType = RoceFrameCodec::ETHERTYPE_IPV4,
                           uint8_t flags = 0);
};

uint32_t
RoceFrameLengthTestCase::Length(uint8_t opcode, uint32_t payload, uint16_t etherType, uint8_t flags)
{
    RoceFrame frame;
    frame.opcode = opcode;
    frame.payloadBytes = payload;
    frame.etherType = etherType;
    frame.flags = flags;
    return RoceFrameCodec::GetFrameBytes(frame);
}

void
RoceFrameLengthTestCase::DoRun()
{
    // RoCEv2 over IPv4: 14 Ethernet + 20 IPv4 + 8 UDP + 12 BTH + 4 ICRC + 4 FCS = 62 around the
    // extension headers and the padded payload; IPv6 adds 20; RoCEv1 has 40 GRH and no UDP, so 12
    // more than IPv4; a VLAN tag adds 4.
    const uint16_t v6 = RoceFrameCodec::ETHERTYPE_IPV6;
    const uint16_t v1 = RoceFrameCodec::ETHERTYPE_ROCE_V1;
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_WRITE_MIDDLE, 4096), 4158, "WRITE Middle");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_WRITE_FIRST, 4096), 4174, "WRITE First, RETH");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_WRITE_LAST, 1), 66, "WRITE Last, 3 bytes padding");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_WRITE_LAST, 2), 66, "WRITE Last, 2 bytes padding");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_WRITE_LAST, 3), 66, "WRITE Last, 1 byte padding");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_WRITE_LAST, 4), 66, "WRITE Last, no padding");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_WRITE_LAST, 5), 70, "WRITE Last, 3 bytes padding");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_WRITE_ONLY_IMM, 1024), 1106, "RETH and ImmDt");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_ACKNOWLEDGE, 0), 66, "ACK");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::CNP, 0), 78, "CNP");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_READ_REQUEST, 0), 78, "READ request");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_READ_RESPONSE_FIRST, 1024), 1090, "READ response");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_CMP_SWAP, 0), 90, "compare and swap");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_ATOMIC_ACKNOWLEDGE, 0), 74, "atomic response");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::UD_SEND_ONLY_IMM, 256), 330, "UD with immediate");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_SEND_ONLY_INV, 0), 66, "SEND with invalidate");
    // A zero-length SEND is 62 bytes with FCS and is padded to the Ethernet minimum.
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_SEND_ONLY, 0), 64, "zero-length SEND");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_SEND_ONLY, 0, 0x0800, RoceFrame::VLAN),
                          66,
                          "zero-length SEND, tagged");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_WRITE_MIDDLE, 4096, v6), 4178, "IPv6");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_WRITE_MIDDLE, 4096, v1), 4170, "RoCEv1");
    NS_TEST_EXPECT_MSG_EQ(Length(RdmaOpcode::RC_WRITE_MIDDLE, 4096, v6, RoceFrame::VLAN),
                          4182,
                          "IPv6, tagged");

    RoceFrame pfc;
    pfc.kind = RoceFrameKind::MAC_CONTROL;
    NS_TEST_EXPECT_MSG_EQ(RoceFrameCodec::GetFrameBytes(pfc), 64, "PFC");

    RoceFrame packet;
    packet.kind = RoceFrameKind::PACKET;
    packet.packet = Create<Packet>(1500);
    NS_TEST_EXPECT_MSG_EQ(RoceFrameCodec::GetFrameBytes(packet), 1518, "other traffic");
    packet.packet = Create<Packet>(28); // ARP
    NS_TEST_EXPECT_MSG_EQ(RoceFrameCodec::GetFrameBytes(packet), 64, "short other traffic");
}

/**
 * @ingroup roce-tests
 * @brief Frame to packet to frame keeps every field, for every opcode and every kind of layer 3.
 */
class RoceFrameRoundTripTestCase : public TestCase
{
  public:
    RoceFrameRoundTripTestCase()
        : TestCase("Round trip of every opcode")
    {
    }

  private:
    void DoRun() override;

    /**
     * Send a frame through its bytes and compare all fields.
     * @param frame the frame
     * @param what name for messages
     */
    void Check(const RoceFrame& frame, const std::string& what);
};

void
RoceFrameRoundTripTestCase::Check(const RoceFrame& frame, const std::string& what)
{
    const Mac48Address mac1(MAC_1);
    const Mac48Address mac2(MAC_2);
    Ptr<Packet> packet = RoceFrameCodec::ToPacket(frame, mac1, mac2);
    NS_TEST_EXPECT_MSG_EQ(packet->GetSize() + 4, RoceFrameCodec::GetFrameBytes(frame), what);
    NS_TEST_EXPECT_MSG_EQ(RoceIcrc::Verify(packet), true, "ICRC of " << what);
    Ptr<Packet> withFcs = RoceFrameCodec::ToPacket(frame, mac1, mac2, true);
    NS_TEST_EXPECT_MSG_EQ(withFcs->GetSize(), RoceFrameCodec::GetFrameBytes(frame), what);

    RoceFramePtr copy = RoceFrameCodec::FromEthernet(withFcs, true);
    NS_TEST_EXPECT_MSG_EQ(Hex(RoceFrameCodec::ToPacket(*copy, mac1, mac2)), Hex(packet), what);
    NS_TEST_EXPECT_MSG_EQ((copy->kind == RoceFrameKind::ROCE), true, "kind of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->frameBytes, RoceFrameCodec::GetFrameBytes(frame), what);
    NS_TEST_EXPECT_MSG_EQ(copy->flowHash, RoceFrameCodec::ComputeFlowHash(frame), what);
    NS_TEST_EXPECT_MSG_EQ(unsigned{copy->dscp}, unsigned{frame.dscp}, "DSCP of " << what);
    NS_TEST_EXPECT_MSG_EQ((copy->ecn == frame.ecn), true, "ECN of " << what);
    NS_TEST_EXPECT_MSG_EQ(unsigned{copy->ttl}, unsigned{frame.ttl}, "TTL of " << what);
    NS_TEST_EXPECT_MSG_EQ(unsigned{copy->flags}, unsigned{frame.flags}, "flags of " << what);
    NS_TEST_EXPECT_MSG_EQ(unsigned{copy->opcode}, unsigned{frame.opcode}, "opcode of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->etherType, frame.etherType, "EtherType of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->vlanTci, frame.vlanTci, "TCI of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->udpSourcePort, frame.udpSourcePort, "UDP port of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->payloadBytes, frame.payloadBytes, "payload of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->psn, frame.psn, "PSN of " << what);
    NS_TEST_EXPECT_MSG_EQ((copy->source == frame.source), true, "source of " << what);
    NS_TEST_EXPECT_MSG_EQ((copy->destination == frame.destination), true, "target of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->destQp, frame.destQp, "DestQP of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->pKey, frame.pKey, "P_Key of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->GetFlowLabel(), frame.GetFlowLabel(), "label of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->remoteAddress, frame.remoteAddress, "address of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->rKey, frame.rKey, "key of " << what);
    NS_TEST_EXPECT_MSG_EQ(copy->dmaLength, frame.dmaLength, "length field of " << what);
    if (RdmaOpcode::HasAtomicEth(frame.opcode))
    {
        NS_TEST_EXPECT_MSG_EQ(copy->ext.atomic.swapAdd, frame.ext.atomic.swapAdd, what);
        NS_TEST_EXPECT_MSG_EQ(copy->ext.atomic.compare, frame.ext.atomic.compare, what);
    }
    else
    {
        NS_TEST_EXPECT_MSG_EQ(copy->ext.ack.msn, frame.ext.ack.msn, "MSN of " << what);
        NS_TEST_EXPECT_MSG_EQ(unsigned{copy->ext.ack.syndrome},
                              unsigned{frame.ext.ack.syndrome},
                              "syndrome of " << what);
        NS_TEST_EXPECT_MSG_EQ(copy->ext.ack.immediate, frame.ext.ack.immediate, what);
    }
    if (frame.packet)
    {
        NS_TEST_ASSERT_MSG_NE(copy->packet, nullptr, "payload of " << what);
        NS_TEST_EXPECT_MSG_EQ(Hex(copy->packet), Hex(frame.packet), "payload of " << what);
    }
}

void
RoceFrameRoundTripTestCase::DoRun()
{
    const uint16_t etherTypes[] = {RoceFrameCodec::ETHERTYPE_IPV4,
                                   RoceFrameCodec::ETHERTYPE_IPV6,
                                   RoceFrameCodec::ETHERTYPE_ROCE_V1};
    const uint32_t payloads[] = {0, 1, 2, 3, 4, 5, 256, 4096};
    uint32_t turn = 0; // varies everything that the opcode does not determine
    for (uint8_t opcode : KnownOpcodes())
    {
        for (uint16_t etherType : etherTypes)
        {
            for (uint32_t payload : payloads)
            {
                if (payload > 0 && !RdmaOpcode::HasPayload(opcode))
                {
                    continue;
                }
                turn++;
                RoceFramePtr frame = CreateRoceFrame();
                frame->opcode = opcode;
                frame->etherType = etherType;
                frame->dscp = turn % 64;
                frame->ecn = static_cast<RoceEcn>(turn % 4);
                frame->ttl = static_cast<uint8_t>(1 + turn % 255);
                frame->flags = static_cast<uint8_t>(turn % 64); // all but MODIFIED
                frame->vlanTci =
                    frame->Has(RoceFrame::VLAN) ? static_cast<uint16_t>(turn * 257) : 0;
                frame->psn = (turn * 0x10101) & 0xffffff;
                frame->destQp = 0xffffff - turn;
                frame->pKey = static_cast<uint16_t>(0xffff - turn);
                frame->identification = static_cast<uint16_t>(turn * 31);
                for (std::size_t i = 0; i < (etherType == 0x0800 ? 4 : 16); i++)
                {
                    frame->source[i] = static_cast<uint8_t>(turn + i);
                    frame->destination[i] = static_cast<uint8_t>(turn + 2 * i);
                }
                if (etherType != RoceFrameCodec::ETHERTYPE_IPV4)
                {
                    frame->SetFlowLabel((turn * 0x1357) & 0xfffff);
                }
                if (etherType != RoceFrameCodec::ETHERTYPE_ROCE_V1)
                {
                    frame->udpSourcePort = static_cast<uint16_t>(0xc000 + turn);
                }
                frame->payloadBytes = payload;
                if (payload > 0 && turn % 2 == 0)
                {
                    std::vector<uint8_t> bytes;
                    for (uint32_t i = 0; i < payload; i++)
                    {
                        bytes.push_back(static_cast<uint8_t>(turn * (i + 1)));
                    }
                    frame->packet = MakePacket(bytes);
                }
                if (RdmaOpcode::HasReth(opcode) || RdmaOpcode::HasAtomicEth(opcode) ||
                    RdmaOpcode::HasAtomicAckEth(opcode))
                {
                    frame->remoteAddress = 0x0123456789abcdefULL * turn;
                }
                if (RdmaOpcode::HasReth(opcode) || RdmaOpcode::HasAtomicEth(opcode) ||
                    RdmaOpcode::HasDeth(opcode) || RdmaOpcode::HasInvalidate(opcode))
                {
                    frame->rKey = 0x89abcdef * turn;
                }
                if (RdmaOpcode::HasReth(opcode))
                {
                    frame->dmaLength = 0x80000000 - turn;
                }
                if (RdmaOpcode::HasDeth(opcode))
                {
                    frame->dmaLength = 0xffffff - turn;
                }
                if (RdmaOpcode::HasAtomicEth(opcode))
                {
                    frame->ext.atomic.swapAdd = 0xfedcba9876543210ULL - turn;
                    frame->ext.atomic.compare = 0x1122334455667788ULL + turn;
                }
                if (RdmaOpcode::HasAeth(opcode))
                {
                    frame->ext.ack.syndrome = static_cast<uint8_t>(turn & 0x7f);
                    frame->ext.ack.msn = 0xffffff - turn;
                }
                if (RdmaOpcode::HasImmediate(opcode))
                {
                    frame->ext.ack.immediate = 0xdeadbeef + turn;
                }
                Check(*frame,
                      RdmaOpcode::GetName(opcode) + " type " + std::to_string(etherType) +
                          " with " + std::to_string(payload) + " bytes");
            }
        }
    }
    NS_TEST_EXPECT_MSG_GT(turn, 700, "enough combinations");
}

/**
 * @ingroup roce-tests
 * @brief Everything that is not RoCE passes through unharmed and is described correctly.
 */
class RoceFramePacketTestCase : public TestCase
{
  public:
    RoceFramePacketTestCase()
        : TestCase("Other traffic and malformed RoCE")
    {
    }

  private:
    void DoRun() override;

    /**
     * Check that a changed vector V1 is not taken for RoCE and passes through unharmed.
     * @param offset byte to change, from the layer-3 header on
     * @param value its new value
     * @param what name for messages
     */
    void CheckMalformed(uint32_t offset, uint8_t value, const std::string& what);
};

void
RoceFramePacketTestCase::CheckMalformed(uint32_t offset, uint8_t value, const std::string& what)
{
    std::vector<uint8_t> bytes = Bytes(rocevectors::V1.hex);
    bytes.erase(bytes.begin(), bytes.begin() + 14);
    bytes[offset] = value;
    RoceFramePtr frame = RoceFrameCodec::FromLayer3Packet(MakePacket(bytes), 0x0800);
    NS_TEST_EXPECT_MSG_EQ((frame->kind == RoceFrameKind::PACKET), true, what);
    NS_TEST_EXPECT_MSG_EQ(Hex(RoceFrameCodec::ToLayer3Packet(*frame)),
                          Hex(MakePacket(bytes)),
                          what);
    NS_TEST_EXPECT_MSG_NE(frame->flowHash, 0, what);
}

void
RoceFramePacketTestCase::DoRun()
{
    const uint64_t framesBefore = GetLiveRoceFrames();

    // An ordinary UDP packet as an ns-3 stack makes it, without checksums.
    UdpHeader udp;
    udp.SetSourcePort(49153);
    udp.SetDestinationPort(9);
    Ipv4Header ip;
    ip.SetSource(Ipv4Address("10.1.2.3"));
    ip.SetDestination(Ipv4Address("10.4.5.6"));
    ip.SetProtocol(17);
    ip.SetTtl(64);
    ip.SetTos((10 << 2) | 2); // DSCP 10, ECT(0)
    ip.SetIdentification(77);
    ip.SetPayloadSize(108);
    Ptr<Packet> packet = Create<Packet>(100);
    packet->AddHeader(udp);
    packet->AddHeader(ip);
    const std::string original = Hex(packet);

    RoceFramePtr frame = RoceFrameCodec::FromLayer3Packet(packet, 0x0800);
    NS_TEST_EXPECT_MSG_EQ((frame->kind == RoceFrameKind::PACKET), true, "kind");
    NS_TEST_EXPECT_MSG_EQ(frame->packet, packet, "the packet itself is kept");
    NS_TEST_EXPECT_MSG_EQ(frame->frameBytes, 128 + 18, "length");
    NS_TEST_EXPECT_MSG_EQ(unsigned{frame->dscp}, 10, "DSCP");
    NS_TEST_EXPECT_MSG_EQ((frame->ecn == RoceEcn::ECT0), true, "ECN");
    NS_TEST_EXPECT_MSG_EQ(unsigned{frame->ttl}, 64, "TTL");
    NS_TEST_EXPECT_MSG_EQ(RoceFrameCodec::ToIpv4(frame->source), ip.GetSource(), "source");
    NS_TEST_EXPECT_MSG_EQ(RoceFrameCodec::ToIpv4(frame->destination),
                          ip.GetDestination(),
                          "destination");
    NS_TEST_EXPECT_MSG_EQ(Hex(RoceFrameCodec::ToLayer3Packet(*frame)), original, "unchanged");

    // A switch lowered the TTL and marked it: new TTL, CE, right checksum, nothing else changed.
    frame->ttl = 63;
    frame->ecn = RoceEcn::CE;
    frame->flags |= RoceFrame::MODIFIED;
    Ptr<Packet> modified = RoceFrameCodec::ToLayer3Packet(*frame);
    const std::string hex = Hex(modified);
    NS_TEST_EXPECT_MSG_EQ(hex.substr(0, 4), "452b", "DSCP 10, CE"); // (10 << 2) | 3
    NS_TEST_EXPECT_MSG_EQ(hex.substr(16, 2), "3f", "TTL 63");
    NS_TEST_EXPECT_MSG_EQ(hex.substr(4, 12), original.substr(4, 12), "rest of the header");
    NS_TEST_EXPECT_MSG_EQ(hex.substr(24), original.substr(24), "addresses and content");
    Ipv4Header check;
    check.EnableChecksum();
    modified->RemoveHeader(check);
    NS_TEST_EXPECT_MSG_EQ(check.IsChecksumOk(), true, "checksum");
    NS_TEST_EXPECT_MSG_EQ(Hex(frame->packet), original, "the packet in the frame is untouched");

    // The same for IPv6.
    std::vector<uint8_t> v6 = Bytes(rocevectors::V5.hex);
    v6.erase(v6.begin(), v6.begin() + 14);
    v6[43] ^= 1; // UDP destination port
    const std::string original6 = Hex(MakePacket(v6));
    frame = RoceFrameCodec::FromLayer3Packet(MakePacket(v6), 0x86dd);
    NS_TEST_EXPECT_MSG_EQ((frame->kind == RoceFrameKind::PACKET), true, "kind");
    NS_TEST_EXPECT_MSG_EQ(RoceFrameCodec::ToIpv6(frame->source), Ipv6Address("fd00::1"), "source");
    frame->ttl = 1;
    frame->ecn = RoceEcn::CE;
    frame->flags |= RoceFrame::MODIFIED;
    std::string expected6 = original6;
    expected6.replace(0, 4, "66b1"); // traffic class 0x6a becomes 0x6b
    expected6.replace(14, 2, "01");
    NS_TEST_EXPECT_MSG_EQ(Hex(RoceFrameCodec::ToLayer3Packet(*frame)), expected6, "IPv6");

    // ARP: padded to the Ethernet minimum, otherwise unharmed.
    frame = RoceFrameCodec::FromLayer3Packet(Create<Packet>(28), 0x0806);
    NS_TEST_EXPECT_MSG_EQ((frame->kind == RoceFrameKind::PACKET), true, "ARP");
    NS_TEST_EXPECT_MSG_EQ(frame->etherType, 0x0806, "EtherType of ARP");
    NS_TEST_EXPECT_MSG_NE(frame->flowHash, 0, "hash of ARP");
    Ptr<Packet> arp =
        RoceFrameCodec::ToPacket(*frame, Mac48Address(MAC_1), Mac48Address("ff:ff:ff:ff:ff:ff"));
    NS_TEST_EXPECT_MSG_EQ(Hex(arp), "ffffffffffff0200000000010806" + std::string(92, '0'), "ARP");

    // Plain PAUSE is not PFC.
    std::vector<uint8_t> pause = Bytes(rocevectors::PFC);
    pause[14] = 0;
    frame = RoceFrameCodec::FromEthernet(MakePacket(pause));
    NS_TEST_EXPECT_MSG_EQ((frame->kind == RoceFrameKind::PACKET), true, "plain PAUSE");

    // Malformed or foreign variants of vector V1 (layer-3 offsets: UDP at 20, BTH at 28).
    CheckMalformed(0, 0x46, "IPv4 options");
    CheckMalformed(0, 0x65, "IP version");
    CheckMalformed(3, 0x4d, "IP length beyond the packet");
    CheckMalformed(3, 0x10, "IP length below the header");
    CheckMalformed(6, 0x20, "first fragment");
    CheckMalformed(7, 0x01, "later fragment");
    CheckMalformed(9, 6, "TCP");
    CheckMalformed(23, 0xb8, "other UDP port");
    CheckMalformed(25, 0x37, "UDP length");
    CheckMalformed(28, 0x15, "reserved opcode");
    CheckMalformed(28, 0x40, "reliable datagram");
    CheckMalformed(28, 0x11, "ACK with payload");
    CheckMalformed(29, 0x41, "transport version");
    // Extension headers and padding that do not fit, from vector V6 with its 8 bytes of payload.
    std::vector<uint8_t> v6Bytes = Bytes(rocevectors::V6.hex);
    v6Bytes.erase(v6Bytes.begin(), v6Bytes.begin() + 14);
    v6Bytes[28] = RdmaOpcode::RC_WRITE_ONLY;
    frame = RoceFrameCodec::FromLayer3Packet(MakePacket(v6Bytes), 0x0800);
    NS_TEST_EXPECT_MSG_EQ((frame->kind == RoceFrameKind::PACKET), true, "RETH does not fit");
    // A truncated packet, and nothing at all.
    for (uint32_t size : {0u, 1u, 19u, 20u, 27u, 28u, 40u, 51u})
    {
        std::vector<uint8_t> cut(v6Bytes.begin(), v6Bytes.begin() + size);
        frame = RoceFrameCodec::FromLayer3Packet(MakePacket(cut), 0x0800);
        NS_TEST_EXPECT_MSG_EQ((frame->kind == RoceFrameKind::PACKET), true, "cut to " << size);
        frame = RoceFrameCodec::FromLayer3Packet(MakePacket(cut), 0x86dd);
        NS_TEST_EXPECT_MSG_EQ((frame->kind == RoceFrameKind::PACKET), true, "cut to " << size);
        frame = RoceFrameCodec::FromLayer3Packet(MakePacket(cut), 0x8915);
        NS_TEST_EXPECT_MSG_EQ((frame->kind == RoceFrameKind::PACKET), true, "cut to " << size);
    }
    NS_TEST_EXPECT_MSG_EQ(GetLiveRoceFrames(), framesBefore + 1, "only the last frame lives");
}

/**
 * @ingroup roce-tests
 * @brief Frames, packets and the ICRC between them.
 */
class RoceFrameCodecTestSuite : public TestSuite
{
  public:
    RoceFrameCodecTestSuite()
        : TestSuite("roce-frame-codec", Type::UNIT)
    {
        AddTestCase(new RoceFrameBytesTestCase);
        AddTestCase(new RoceFrameLengthTestCase);
        AddTestCase(new RoceFrameRoundTripTestCase);
        AddTestCase(new RoceFramePacketTestCase);
    }
};

/// Registers the suite.
RoceFrameCodecTestSuite g_roceFrameCodecTestSuite;

} // namespace
