/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/ipv4-header.h"
#include "ns3/packet.h"
#include "ns3/rdma-opcode.h"
#include "ns3/roce-flow-hash.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/test.h"
#include "ns3/udp-header.h"

#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief The flow hash: which fields count, and how well it spreads.
 */
class RoceFlowHashTestCase : public TestCase
{
  public:
    RoceFlowHashTestCase()
        : TestCase("Flow hash")
    {
    }

  private:
    void DoRun() override;
};

void
RoceFlowHashTestCase::DoRun()
{
    RoceFrame frame;
    frame.opcode = RdmaOpcode::RC_WRITE_MIDDLE;
    frame.source = RoceFrameCodec::ToBytes(Ipv4Address("10.0.0.1"));
    frame.destination = RoceFrameCodec::ToBytes(Ipv4Address("10.0.0.2"));
    frame.udpSourcePort = 0xc000;
    const uint32_t hash = RoceFrameCodec::ComputeFlowHash(frame);
    NS_TEST_EXPECT_MSG_NE(hash, 0, "never zero");

    // Fields that change from packet to packet or from hop to hop must not count.
    RoceFrame same = frame;
    same.psn = 99;
    same.payloadBytes = 512;
    same.ecn = RoceEcn::CE;
    same.ttl = 3;
    same.identification = 1234;
    same.opcode = RdmaOpcode::RC_WRITE_LAST;
    same.ingressPort = 7;
    same.destQp = 5;
    NS_TEST_EXPECT_MSG_EQ(RoceFrameCodec::ComputeFlowHash(same), hash, "same flow");
    NS_TEST_EXPECT_MSG_NE(RoceFrameCodec::ComputeFlowHash(same, true),
                          RoceFrameCodec::ComputeFlowHash(frame, true),
                          "queue pair on request");

    // A switch that sees bytes instead of fields comes to the same hash.
    RoceFrame bytes;
    bytes.kind = RoceFrameKind::PACKET;
    bytes.packet = RoceFrameCodec::ToLayer3Packet(frame);
    bytes.source = frame.source;
    bytes.destination = frame.destination;
    NS_TEST_EXPECT_MSG_EQ(RoceFrameCodec::ComputeFlowHash(bytes), hash, "hash of the packet");

    // Ports count for TCP too, but not in fragments, whose later pieces have none.
    UdpHeader ports; // TCP has its ports in the same place
    ports.SetSourcePort(1000);
    ports.SetDestinationPort(2000);
    const auto tcpHash = [&ports](uint16_t destinationPort, bool fragment) {
        ports.SetDestinationPort(destinationPort);
        Ipv4Header ip;
        ip.SetProtocol(6);
        ip.SetSource(Ipv4Address("10.0.0.1"));
        ip.SetDestination(Ipv4Address("10.0.0.2"));
        ip.SetPayloadSize(28);
        if (fragment)
        {
            ip.SetMoreFragments();
        }
        Ptr<Packet> packet = Create<Packet>(20);
        packet->AddHeader(ports);
        packet->AddHeader(ip);
        return RoceFrameCodec::FromLayer3Packet(packet, 0x0800)->flowHash;
    };
    NS_TEST_EXPECT_MSG_NE(tcpHash(2000, false), tcpHash(2001, false), "TCP ports count");
    NS_TEST_EXPECT_MSG_EQ(tcpHash(2000, true), tcpHash(2001, true), "not in fragments");

    // Avalanche: each flipped input bit flips half of the 32 output bits on average. 64 frames
    // times 80 bits give 5120 samples with a standard deviation of sqrt(32)/2 = 2.83 each, so their
    // mean lies within 16 +- 0.24 (six standard errors), and that of each bit alone (64 samples,
    // standard error 0.35) within 16 +- 2.2.
    uint64_t flippedTotal = 0;
    for (uint32_t bit = 0; bit < 80; bit++)
    {
        uint64_t flipped = 0;
        for (uint32_t i = 0; i < 64; i++)
        {
            RoceFrame a = frame;
            a.source[3] = static_cast<uint8_t>(i);
            a.udpSourcePort = static_cast<uint16_t>(0xc000 + 7 * i);
            RoceFrame b = a;
            if (bit < 32)
            {
                b.source[bit / 8] = static_cast<uint8_t>(b.source[bit / 8] ^ (1u << (bit % 8)));
            }
            else if (bit < 64)
            {
                const uint32_t byte = bit / 8 - 4;
                b.destination[byte] = static_cast<uint8_t>(b.destination[byte] ^ (1u << (bit % 8)));
            }
            else
            {
                b.udpSourcePort = static_cast<uint16_t>(b.udpSourcePort ^ (1u << (bit - 64)));
            }
            uint32_t difference =
                RoceFrameCodec::ComputeFlowHash(a) ^ RoceFrameCodec::ComputeFlowHash(b);
            for (; difference != 0; difference &= difference - 1)
            {
                flipped++;
            }
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(flipped / 64.0, 16, 2.2, "input bit " << bit);
        flippedTotal += flipped;
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(flippedTotal / 5120.0, 16, 0.24, "all input bits");

    // Balance: 16384 source ports (all that RoCE uses) over 16 next hops. Each gets 1024 +- 31
    // (binomial); six standard deviations are 186. Checked by remainder and by the upper bits.
    std::vector<uint32_t> low(16);
    std::vector<uint32_t> high(16);
    for (uint32_t port = 0xc000; port <= 0xffff; port++)
    {
        frame.udpSourcePort = static_cast<uint16_t>(port);
        const uint32_t h = RoceFrameCodec::ComputeFlowHash(frame);
        low[h % 16]++;
        high[h >> 28]++;
    }
    for (uint32_t i = 0; i < 16; i++)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(low[i]), 1024.0, 186.0, "next hop " << i);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(high[i]), 1024.0, 186.0, "next hop " << i);
    }

    // Seeds: two switches with different seeds disagree about half of the flows between two ports.
    // 4096 flows: 2048 +- 32, six standard deviations are 192.
    uint32_t agree = 0;
    for (uint64_t flow = 0; flow < 4096; flow++)
    {
        RoceFlowHash one(1);
        RoceFlowHash two(2);
        one.Add(flow);
        two.Add(flow);
        agree += one.Get() % 2 == two.Get() % 2;
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(agree), 2048.0, 192.0, "seeds");

    // The hash is the same on every platform and in every release: results depend on it. The value
    // follows from the algorithm in the documentation of RoceFlowHash by hand for the empty hash:
    // upper half of 0x9e3779b97f4a7c15 * 0xc4ceb9fe1a85ec53 mod 2^64.
    NS_TEST_EXPECT_MSG_EQ(
        RoceFlowHash().Get(),
        static_cast<uint32_t>((0x9e3779b97f4a7c15ULL * 0xc4ceb9fe1a85ec53ULL) >> 32),
        "value");
}

/**
 * @ingroup roce-tests
 * @brief The hash that tells flows apart.
 */
class RoceFlowHashTestSuite : public TestSuite
{
  public:
    RoceFlowHashTestSuite()
        : TestSuite("roce-flow-hash", Type::UNIT)
    {
        AddTestCase(new RoceFlowHashTestCase);
    }
};

RoceFlowHashTestSuite g_roceFlowHashTestSuite; //!< the suite

} // namespace
