/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/roce-headroom.h"
#include "ns3/test.h"

#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t FRAME = 4158; //!< frame of a middle packet with 4096 bytes of payload

/**
 * @ingroup roce-tests
 * @brief Headroom against the worked table: MTU 4200 B both ways, 5 ns/m, standard response times.
 */
class RoceHeadroomTestCase : public TestCase
{
  public:
    RoceHeadroomTestCase();

  private:
    void DoRun() override;
};

RoceHeadroomTestCase::RoceHeadroomTestCase()
    : TestCase("Headroom calculator")
{
}

void
RoceHeadroomTestCase::DoRun()
{
    /// One cell of the table.
    struct Row
    {
        uint64_t gbps;    //!< rate
        uint32_t meters;  //!< cable length
        uint32_t mtu;     //!< MTU both ways
        uint64_t without; //!< headroom without interface delay
        uint64_t with;    //!< headroom with interface delay, 0: no value
    };

    // L = MTU + 20 for both frames, 84 B, 2 R d, Dresp 60/80/118/394/453/905/905 quanta of 64 B,
    // and 2 Dintf of 2 x 8192/6144/24576/122880 bit times; rounded up.
    const std::vector<Row> rows = {
        {10, 3, 4200, 12'402, 14'450},    {10, 100, 4200, 13'614, 15'662},
        {10, 300, 4200, 16'114, 18'162},  {25, 3, 4200, 13'738, 15'274},
        {25, 100, 4200, 16'769, 18'305},  {25, 300, 4200, 23'019, 24'555},
        {40, 3, 4200, 16'226, 22'370},    {40, 100, 4200, 21'076, 27'220},
        {40, 300, 4200, 31'076, 37'220},  {100, 3, 4200, 34'115, 64'835},
        {100, 100, 4200, 46'240, 76'960}, {100, 300, 4200, 71'240, 101'960},
        {200, 3, 4200, 38'266, 0},        {200, 100, 4200, 62'516, 0},
        {200, 300, 4200, 112'516, 0},     {400, 3, 4200, 67'944, 0},
        {400, 100, 4200, 116'444, 0},     {400, 300, 4200, 216'444, 0},
        {800, 3, 4200, 69'444, 0},        {800, 100, 4200, 166'444, 0},
        {800, 300, 4200, 366'444, 0},     {40, 100, 1500, 15'676, 21'820},
    };
    RoceHeadroom::Link link;
    for (const Row& row : rows)
    {
        link.rate = row.gbps * 1'000'000'000;
        link.delay = row.meters * 5000;
        link.localFrameBytes = row.mtu;
        link.peerFrameBytes = row.mtu;
        link.interfaceDelay = false;
        NS_TEST_EXPECT_MSG_EQ(RoceHeadroom::GetBytes(link),
                              row.without,
                              row.gbps << " Gb/s " << row.meters << " m");
        link.interfaceDelay = true;
        if (row.with)
        {
            NS_TEST_EXPECT_MSG_EQ(RoceHeadroom::GetBytes(link),
                                  row.with,
                                  row.gbps << " Gb/s " << row.meters << " m with interfaces");
        }
    }

    // Peer that reacts in 100 ns at 100 Gb/s, 1 us: 8356 + 84 + 25000 + 1250.
    link.rate = 100'000'000'000;
    link.delay = 1'000'000;
    link.responseTime = 100'000;
    link.localFrameBytes = link.peerFrameBytes = FRAME;
    link.interfaceDelay = false;
    NS_TEST_EXPECT_MSG_EQ(RoceHeadroom::GetBytes(link), 34'690, "explicit response time");
    // 10 ms at 1.6 Tb/s: 4 GB in flight there and back, beyond 32 bits.
    link.rate = 1'600'000'000'000;
    link.delay = 10'000'000'000;
    link.responseTime = 0;
    NS_TEST_EXPECT_MSG_EQ(RoceHeadroom::GetBytes(link), 4'000'008'440ULL, "long haul");

    // Interpolation: half-way from 25G (80) to 40G (118); 1.6T takes as long as 800G; 50M as 100M.
    NS_TEST_EXPECT_MSG_EQ(RoceHeadroom::GetResponseQuanta(32'500'000'000), 99, "interpolated");
    NS_TEST_EXPECT_MSG_EQ(RoceHeadroom::GetResponseQuanta(1'600'000'000'000), 1810, "beyond");
    NS_TEST_EXPECT_MSG_EQ(RoceHeadroom::GetResponseQuanta(50'000'000), 1, "below, rounded up");
    NS_TEST_EXPECT_MSG_EQ(RoceHeadroom::GetInterfaceBitTimes(17'500'000'000), 7168, "falling part");
    NS_TEST_EXPECT_MSG_EQ(RoceHeadroom::GetInterfaceBitTimes(200'000'000'000), 245'760, "beyond");
}

/**
 * @ingroup roce-tests
 * @brief Frames that waste the cells they end in.
 */
class RoceHeadroomCellTestCase : public TestCase
{
  public:
    RoceHeadroomCellTestCase()
        : TestCase("Headroom in cells")
    {
    }

  private:
    void DoRun() override
    {
        // The worst of all frames from 64 to 10,000 bytes, found by trying.
        for (const uint32_t cell :
             {1, 2, 7, 63, 64, 65, 96, 100, 127, 128, 144, 208, 254, 256, 4096})
        {
            const auto [numerator, denominator] = RoceHeadroom::GetCellFactor(cell);
            uint64_t worst = 0;
            uint64_t of = 1;
            for (uint64_t frame = 64; frame <= 10'000; frame++)
            {
                const uint64_t memory = (frame + cell - 1) / cell * cell;
                if (memory * of > worst * frame)
                {
                    worst = memory;
                    of = frame;
                }
            }
            NS_TEST_EXPECT_MSG_EQ(numerator * of, worst * denominator, "cell of " << cell << " B");
        }

        // The link of the table, 100 Gb/s and 3 m: 34,115 B, in cells of 254 B 254 / 64 as much,
        // 135,393.9.
        RoceHeadroom::Link link;
        link.rate = 100'000'000'000;
        link.delay = 15'000;
        link.localFrameBytes = 4200;
        link.peerFrameBytes = 4200;
        link.cellBytes = 254;
        NS_TEST_EXPECT_MSG_EQ(RoceHeadroom::GetBytes(link), 135'394, "cells of 254 B");
    }
};

/**
 * @ingroup roce-tests
 * @brief How much headroom a link needs.
 */
class RoceHeadroomTestSuite : public TestSuite
{
  public:
    RoceHeadroomTestSuite()
        : TestSuite("roce-headroom", Type::UNIT)
    {
        AddTestCase(new RoceHeadroomTestCase);
        AddTestCase(new RoceHeadroomCellTestCase);
    }
};

RoceHeadroomTestSuite g_roceHeadroomTestSuite; //!< the suite

} // namespace
