/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"

#include "ns3/rdma-work-request.h"
#include "ns3/roce-frame.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MIDDLE = RoceFabricFixture::MIDDLE; //!< overhead of a middle packet, bytes
constexpr uint32_t ACK = RoceFabricFixture::ACK;       //!< frame of an acknowledgment, bytes

/// A frame on the wire.
struct Sighting
{
    RocePs start;   //!< first bit
    uint64_t bits;  //!< bits of its slot: preamble, frame, gap
    uint32_t qp;    //!< destination queue pair number
    uint32_t bytes; //!< RDMA payload
};

/**
 * @ingroup roce-tests
 * @brief Record every frame that one host sends.
 * @param fabric the fabric
 * @param host the host
 * @param [out] sent the frames, in order; must outlive the run
 */
void
RecordDepartures(RoceFabricFixture& fabric, uint32_t host, std::vector<Sighting>& sent)
{
    const uint64_t rate = fabric.GetNic(host)->GetBitRate();
    const RocePs delay = fabric.GetDelay();
    fabric.GetCable(host)->SetScript([&sent, rate, delay](const RoceFrame& frame, uint8_t end) {
        if (end == 0)
        {
            // The arrival time includes the frame with its preamble (n + 8 B), rounded down.
            const auto lastBit = static_cast<RocePs>((frame.frameBytes + 8) * 8 *
                                                     (1e12 / static_cast<double>(rate)));
            sent.push_back({frame.time - delay - lastBit,
                            uint64_t{frame.GetWireBytes()} * 8,
                            frame.destQp,
                            frame.payloadBytes});
        }
        return RoceScriptedChannel::PASS;
    });
}

/**
 * @ingroup roce-tests
 * @brief Frames never exceed a rate: over every window, bits <= rate x time + one frame.
 *
 * With B(k) = bits of all frames before frame k, that is the same as L(k) = start(k) - B(k) / rate
 * never being smaller than any L before it.
 *
 * @param sent frames in order
 * @param rate the rate, bit/s
 * @return largest violation, picoseconds; up to 2 is rounding
 */
double
GetLargestViolation(const std::vector<Sighting>& sent, uint64_t rate)
{
    long double most = -1;
    long double violation = 0;
    long double bits = 0;
    for (const auto& frame : sent)
    {
        const long double slack = frame.start - bits * 1e12L / rate;
        violation = std::max(violation, most - slack);
        most = std::max(most, slack);
        bits += frame.bits;
    }
    return static_cast<double>(violation);
}

/**
 * @ingroup roce-tests
 * @brief A rate limit is met exactly in the long run, whatever the rate.
 *
 * Packet k starts when the wire bits of all packets before it have been paid back at the rate:
 * start(k) = B(k) / rate, rounded up to the next picosecond.
 */
class RoceFixedRateTestCase : public TestCase
{
  public:
    /// @param rate the limit, bit/s
    explicit RoceFixedRateTestCase(uint64_t rate)
        : TestCase("rate limit " + std::to_string(rate) + " bps"),
          m_rate(rate)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetCongestionControl("ns3::RdmaFixedRate",
                                         "Rate",
                                         DataRateValue(DataRate(m_rate)));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        std::vector<Sighting> sent;
        RecordDepartures(fabric, 0, sent);
        constexpr uint32_t PACKETS = 2000;
        qps.first->PostSend(RdmaWorkRequest::Write(PACKETS * 1024));
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(sent.size(), PACKETS, "packets");
        long double bits = 0;
        uint64_t wrong = 0;
        for (const auto& packet : sent)
        {
            const auto exact = static_cast<RocePs>(std::ceil(bits * 1e12L / m_rate));
            wrong += std::abs(packet.start - exact) > 1 ? 1 : 0;
            bits += packet.bits;
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "packets that are not on time to the picosecond");
        const long double last = bits - sent.back().bits;
        const auto measured = static_cast<double>(last * 1e12L / sent.back().start);
        NS_TEST_EXPECT_MSG_EQ_TOL(measured / m_rate, 1.0, 1e-6, "long-run rate");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(GetLargestViolation(sent, m_rate), 2.0, "never above");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetRate(), m_rate, "rate of the queue pair");
    }

    uint64_t m_rate; //!< the limit, bit/s
};

/**
 * @ingroup roce-tests
 * @brief Many rate-limited queue pairs on one port: none exceeds its rate, and the line is never
 * overdriven.
 *
 * Seven queue pairs with 0.9, 1.9 ... 6.9 Gb/s are 27.3 Gb/s on a line of 33,333,333,333 b/s, a
 * rate at which no frame takes a whole number of picoseconds. A packet that is due waits for one
 * packet of each other queue pair at most, and a late start gives no credit, so packets of one
 * queue pair follow each other within bits / rate + 6 Slot.
 */
class RoceMixedRatesTestCase : public TestCase
{
  public:
    RoceMixedRatesTestCase()
        : TestCase("seven rate limits share an odd line rate")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t LINE = 30'000'000'000;
        constexpr uint32_t PACKETS = 3000;
        RoceFabricFixture fabric(std::to_string(LINE) + "bps");
        fabric.Star(2);
        std::vector<Sighting> sent;
        RecordDepartures(fabric, 0, sent);
        std::map<uint32_t, uint64_t> rates;
        for (uint32_t i = 0; i < 7; i++)
        {
            const uint64_t rate = 900'000'000 + i * uint64_t{1'000'000'000};
            ObjectFactory factory("ns3::RdmaFixedRate");
            factory.Set("Rate", DataRateValue(DataRate(rate)));
            fabric.GetEngine(0)->SetCongestionControl(factory);
            const auto qps = fabric.Connect(0, 1);
            rates[qps.second->GetNumber()] = rate;
            qps.first->PostSend(RdmaWorkRequest::Write(PACKETS * 1024));
        }
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(sent.size(), 7 * PACKETS, "packets");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(GetLargestViolation(sent, LINE), 2.0, "the line");
        for (const auto& [number, rate] : rates)
        {
            std::vector<Sighting> own;
            for (const auto& packet : sent)
            {
                if (packet.qp == number)
                {
                    own.push_back(packet);
                }
            }
            NS_TEST_EXPECT_MSG_LT_OR_EQ(GetLargestViolation(own, rate), 2.0, "each queue pair");
            const RocePs longest = static_cast<RocePs>(own.back().bits * 1e12 / rate) +
                                   6 * static_cast<RocePs>(own.back().bits * 1e12 / LINE) + 8;
            uint64_t late = 0;
            for (std::size_t i = 2; i < own.size(); i++)
            {
                late += own[i].start - own[i - 1].start > longest ? 1 : 0;
            }
            NS_TEST_EXPECT_MSG_EQ(late, 0, "nobody is skipped");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Queue pairs that are always ready take turns packet by packet, whatever the message
 * sizes; the line is full and never overdriven.
 */
class RoceFairnessTestCase : public TestCase
{
  public:
    /// @param n number of queue pairs
    explicit RoceFairnessTestCase(uint32_t n)
        : TestCase(std::to_string(n) + " queue pairs take turns"),
          m_n(n)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t PACKETS = 60;
        RoceFabricFixture fabric;
        fabric.Star(2);
        std::vector<Sighting> sent;
        RecordDepartures(fabric, 0, sent);
        for (uint32_t i = 0; i < m_n; i++)
        {
            const auto qps = fabric.Connect(0, 1);
            // The same number of packets in one, two, three ... messages.
            const uint32_t messages = i % 5 + 1;
            for (uint32_t k = 0; k < messages; k++)
            {
                qps.first->PostSend(RdmaWorkRequest::Write(PACKETS / messages * 1024));
            }
        }
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(sent.size(), PACKETS * m_n, "packets");
        std::map<uint32_t, uint32_t> count;
        uint64_t unfair = 0;
        uint32_t round = 0;
        for (std::size_t i = 1; i < sent.size(); i++)
        {
            // The first packet leaves before the others are posted; rounds begin behind it.
            round = static_cast<uint32_t>((i - 1) / m_n) + 1;
            unfair += ++count[sent[i].qp] > round ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(unfair, 0, "nobody gets a second turn in a round");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(GetLargestViolation(sent, 100'000'000'000), 2.0, "the line");
        uint64_t bits = 0;
        for (const auto& packet : sent)
        {
            bits += packet.bits;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(sent.back().start,
                                  fabric.ByteTimes((bits - sent.back().bits) / 8),
                                  2,
                                  "the line has no gap");
    }

    uint32_t m_n; //!< number of queue pairs
};

/**
 * @ingroup roce-tests
 * @brief A window limits the throughput to window / round-trip time.
 *
 * With w packets in flight and an ACK per packet, packet k + w starts when the ACK of packet k has
 * arrived: one round trip of Flight(data) + Flight(ACK) on a single cable for w packets, unless the
 * line is the limit (w Slot > round trip: w > 24.3 here).
 */
class RoceWindowTestCase : public TestCase
{
  public:
    /// @param packets window in packets
    explicit RoceWindowTestCase(uint32_t packets)
        : TestCase("window of " + std::to_string(packets) + " packets"),
          m_window(packets)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t ROUNDS = 50;
        RoceFabricFixture fabric;
        fabric.roce.SetCongestionControl("ns3::RdmaNoCongestionControl",
                                         "Window",
                                         UintegerValue(m_window * 1024));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        std::vector<Sighting> sent;
        RecordDepartures(fabric, 0, sent);
        qps.first->PostSend(RdmaWorkRequest::Write(uint64_t{m_window} * ROUNDS * 1024));
        Simulator::Run();

        const RocePs slot = fabric.Slot(MIDDLE + 1024);
        const RocePs roundTrip = fabric.Flight(MIDDLE + 1024) + fabric.Flight(ACK);
        const RocePs round = std::max<RocePs>(roundTrip, m_window * slot);
        NS_TEST_ASSERT_MSG_EQ(sent.size(), m_window * ROUNDS, "packets");
        // From the second round on; the first one has a longer first packet.
        const RocePs measured = sent[m_window * (ROUNDS - 1)].start - sent[m_window].start;
        NS_TEST_EXPECT_MSG_EQ(measured, (ROUNDS - 2) * round, "time of 48 rounds, ps");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 1, "completed");
    }

    uint32_t m_window; //!< window in packets
};

/**
 * @ingroup roce-tests
 * @brief Pacing test suite.
 */
class RocePacingTestSuite : public TestSuite
{
  public:
    RocePacingTestSuite();
};

RocePacingTestSuite::RocePacingTestSuite()
    : TestSuite("roce-pacing", Type::UNIT)
{
    for (const uint64_t rate : std::vector<uint64_t>{10'000'000,
                                                     1'000'000'007,
                                                     7'777'777'777,
                                                     33'333'333'333,
                                                     50'000'000'000,
                                                     99'999'999'999})
    {
        AddTestCase(new RoceFixedRateTestCase(rate));
    }
    AddTestCase(new RoceMixedRatesTestCase);
    for (const uint32_t n : {2, 7, 64})
    {
        AddTestCase(new RoceFairnessTestCase(n));
    }
    for (const uint32_t packets : {1, 2, 10, 24, 25, 100})
    {
        AddTestCase(new RoceWindowTestCase(packets));
    }
}

RocePacingTestSuite g_rocePacingTestSuite; //!< registers the suite

} // namespace
