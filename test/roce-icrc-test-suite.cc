/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-wire-vectors.h"

#include "ns3/crc32.h"
#include "ns3/roce-icrc-trailer.h"
#include "ns3/roce-icrc.h"
#include "ns3/test.h"

#include <vector>

using namespace ns3;
using rocevectors::Bytes;
using rocevectors::Hex;
using rocevectors::MakePacket;

namespace
{

/**
 * @ingroup roce-tests
 * @brief The ICRC against independent implementations and real adapters.
 */
class RoceIcrcTestCase : public TestCase
{
  public:
    RoceIcrcTestCase()
        : TestCase("ICRC of known frames")
    {
    }

  private:
    void DoRun() override;
};

void
RoceIcrcTestCase::DoRun()
{
    for (const auto& vector : rocevectors::ALL)
    {
        const std::vector<uint8_t> bytes = Bytes(vector.hex);
        const auto icrc = RoceIcrc::Compute(MakePacket(bytes));
        NS_TEST_ASSERT_MSG_EQ(icrc.has_value(), true, vector.name << " is RoCE");
        NS_TEST_EXPECT_MSG_EQ(*icrc, vector.icrc, "ICRC of " << vector.name);
        NS_TEST_EXPECT_MSG_EQ(RoceIcrc::Verify(MakePacket(bytes)), true, vector.name);

        // Behind the ICRC, Ethernet padding and a frame check sequence do not matter.
        std::vector<uint8_t> padded = bytes;
        padded.insert(padded.end(), 7, 0xa5);
        NS_TEST_EXPECT_MSG_EQ(RoceIcrc::Verify(MakePacket(padded)), true, vector.name << " padded");

        // Cut short, there is no ICRC.
        std::vector<uint8_t> cut(bytes.begin(), bytes.end() - 1);
        NS_TEST_EXPECT_MSG_EQ(RoceIcrc::Verify(MakePacket(cut)), false, vector.name << " cut");

        // Exactly the bytes that a switch may change are not covered; the MAC header is not either.
        // Which ones, by layer-3 offset, is the table of variant fields of the specification.
        const bool vlan = bytes[12] == 0x81;
        const std::size_t l3 = vlan ? 18 : 14;
        const bool v4 = bytes[l3 - 2] == 0x08;
        const bool v1 = bytes[l3 - 2] == 0x89;
        const std::size_t udp = l3 + (v4 ? 20 : 40);
        const std::size_t bth = udp + (v1 ? 0 : 8);
        for (std::size_t i = 0; i < bytes.size(); i++)
        {
            uint8_t variant = i < 12 || (vlan && (i == 14 || i == 15)) ? 0xff : 0;
            if (v4 && (i == l3 + 1 || i == l3 + 8 || i == l3 + 10 || i == l3 + 11))
            {
                variant = 0xff;
            }
            if (!v4 && (i == l3 + 1 || i == l3 + 2 || i == l3 + 3 || i == l3 + 7))
            {
                variant = 0xff;
            }
            if (!v4 && i == l3)
            {
                variant = 0x0f;
            }
            if ((!v1 && (i == udp + 6 || i == udp + 7)) || i == bth + 4)
            {
                variant = 0xff;
            }
            for (uint32_t bit = 0; bit < 8; bit++)
            {
                std::vector<uint8_t> flipped = bytes;
                flipped[i] = static_cast<uint8_t>(flipped[i] ^ (1u << bit));
                NS_TEST_EXPECT_MSG_EQ(RoceIcrc::Verify(MakePacket(flipped)),
                                      (((variant >> bit) & 1) != 0),
                                      vector.name << " byte " << i << " bit " << bit);
            }
        }
    }

    // The sample packet of the InfiniBand specification: native InfiniBand with a local route
    // header (LRH) and no GRH. Its LRH is covered with the virtual lane as ones. The same CRC, the
    // same mask of the BTH and the same byte order make 9625b75a of it.
    std::vector<uint8_t> sample =
        Bytes("7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a05000000"
              "0ebb884d85fd5cfba4728bc0690ed40000");
    sample[0] |= 0xf0;    // virtual lane
    sample[8 + 4] = 0xff; // BTH byte 4
    RoceIcrcTrailer trailer;
    trailer.SetIcrc(CRC32Calculate(sample.data(), static_cast<int>(sample.size())));
    Ptr<Packet> icrc = Create<Packet>();
    icrc->AddTrailer(trailer);
    NS_TEST_EXPECT_MSG_EQ(Hex(icrc), "9625b75a", "ICRC of the IBTA sample");

    // Other traffic has no ICRC: a UDP packet to another port, a PFC frame.
    std::vector<uint8_t> other = Bytes(rocevectors::V1.hex);
    other[14 + 20 + 3] ^= 1;
    NS_TEST_EXPECT_MSG_EQ(RoceIcrc::Compute(MakePacket(other)).has_value(), false, "other port");
    NS_TEST_EXPECT_MSG_EQ(RoceIcrc::Compute(MakePacket(Bytes(rocevectors::PFC))).has_value(),
                          false,
                          "PFC");
}

/**
 * @ingroup roce-tests
 * @brief The invariant CRC.
 */
class RoceIcrcTestSuite : public TestSuite
{
  public:
    RoceIcrcTestSuite()
        : TestSuite("roce-icrc", Type::UNIT)
    {
        AddTestCase(new RoceIcrcTestCase);
    }
};

RoceIcrcTestSuite g_roceIcrcTestSuite; //!< the suite

} // namespace
