/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"

#include "ns3/enum.h"
#include "ns3/nstime.h"
#include "ns3/rdma-cnp-generator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint8_t DATA_CLASS = 3; //!< DSCP 26, data and acknowledgments
constexpr uint8_t CNP_CLASS = 6;  //!< DSCP 48, congestion notification packets

/**
 * @ingroup roce-tests
 * @brief Scenario P10: every packet is marked for 10 ms, one CNP is allowed every 50 us.
 *
 * The line is busy for 10 ms. The first packet is answered at once, and then the first packet that
 * comes 50 us later or more: with packets of 4158 B + 20 B, 334.24 ns apart, that is every 50.136
 * us, so there are floor(10 ms / 50.136 us) + 1 = 200 CNPs. Two queue pairs send in turn, 668.48 ns
 * apart each, which gives the same period.
 */
class CnpRateTestCase : public TestCase
{
  public:
    /**
     * @param scope what the interval is kept for
     * @param queuePairs number of queue pairs
     * @param expected number of CNPs
     * @param tolerance allowed difference
     */
    CnpRateTestCase(RdmaCnpGenerator::Scope scope,
                    uint32_t queuePairs,
                    uint64_t expected,
                    uint64_t tolerance)
        : TestCase("P10: " + std::to_string(queuePairs) + " queue pairs, " +
                   (scope == RdmaCnpGenerator::PER_QP ? "CNP interval per queue pair"
                                                      : "CNP interval per address")),
          m_scope(scope),
          m_queuePairs(queuePairs),
          m_expected(expected),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric("100Gbps");
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(4096));
        fabric.roce.SetQueuePairAttribute("AckInterval", UintegerValue(64));
        fabric.roce.SetCnpAttribute("CnpInterval", TimeValue(MicroSeconds(50)));
        fabric.roce.SetCnpAttribute("Scope", EnumValue(m_scope));
        fabric.Star(2);
        fabric.GetCable(1)->SetScript(RoceScriptedChannel::Mark(RoceScriptedChannel::IsData));
        uint64_t badCnps = 0;
        uint64_t onWire = 0;
        fabric.GetCable(0)->SetScript([&](const RoceFrame& frame, uint8_t) {
            if (RoceScriptedChannel::IsCnp(frame))
            {
                onWire++;
                badCnps += frame.dscp != 48 || frame.frameBytes != RoceFabricFixture::CNP;
            }
            return RoceScriptedChannel::PASS;
        });

        const RocePs slot = fabric.Slot(RoceFabricFixture::MIDDLE + 4096);
        const auto packets = static_cast<uint64_t>(MilliSeconds(10).GetPicoSeconds() / slot);
        std::vector<RoceFabricFixture::QueuePairs> flows;
        for (uint32_t i = 0; i < m_queuePairs; i++)
        {
            flows.push_back(fabric.Connect(1, 0));
            flows.back().first->PostSend(
                RdmaWorkRequest::Write(packets / m_queuePairs * uint64_t{4096}));
        }
        Simulator::Run();

        uint64_t sent = 0;
        uint64_t handled = 0;
        uint64_t marked = 0;
        for (const auto& [sender, receiver] : flows)
        {
            sent += receiver->GetCounters().cnpSent;
            marked += receiver->GetCounters().ecnMarkedPackets;
            handled += sender->GetCounters().cnpHandled;
        }
        NS_TEST_EXPECT_MSG_EQ(marked, packets / m_queuePairs * m_queuePairs, "packets marked");
        NS_TEST_EXPECT_MSG_EQ_TOL(sent, m_expected, m_tolerance, "CNPs in 10 ms");
        NS_TEST_EXPECT_MSG_EQ(handled, sent, "each CNP reaches its sender");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEngine(0)->GetCnpGenerator()->GetSent(), sent, "generator");

        // They are real frames, and alone in their class on both cables.
        NS_TEST_EXPECT_MSG_EQ(onWire, sent, "CNP frames");
        NS_TEST_EXPECT_MSG_EQ(badCnps, 0, "CNP frames with a wrong DSCP or length");
        for (const auto& counters : {fabric.GetNic(0)->GetTxCounters(CNP_CLASS),
                                     fabric.GetNic(1)->GetRxCounters(CNP_CLASS)})
        {
            NS_TEST_EXPECT_MSG_EQ(counters.frames, sent, "frames of class 6");
            NS_TEST_EXPECT_MSG_EQ(counters.bytes, sent * RoceFabricFixture::CNP, "their bytes");
        }
    }

    RdmaCnpGenerator::Scope m_scope; //!< what the interval is kept for
    uint32_t m_queuePairs;           //!< number of queue pairs
    uint64_t m_expected;             //!< number of CNPs
    uint64_t m_tolerance;            //!< allowed difference
};

/**
 * @ingroup roce-tests
 * @brief A CNP needs the time of a packet of 78 B over two cables, and is never paused with data.
 */
class CnpPathTestCase : public TestCase
{
  public:
    /// @param processing time that the receiver needs to make a CNP
    explicit CnpPathTestCase(Time processing)
        : TestCase("Way of a CNP, made in " + std::to_string(processing.GetMicroSeconds()) + " us"),
          m_processing(processing)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric("100Gbps");
        fabric.roce.SetCnpAttribute("ProcessingDelay", TimeValue(m_processing));
        fabric.Star(2);
        RocePs marked = 0;
        std::vector<RocePs> cnps;
        fabric.GetCable(0)->SetScript([&](RoceFrame& frame, uint8_t) {
            if (RoceScriptedChannel::IsData(frame) && marked == 0)
            {
                frame.ecn = RoceEcn::CE;
                marked = frame.time;
            }
            return RoceScriptedChannel::PASS;
        });
        fabric.GetCable(1)->SetScript([&](const RoceFrame& frame, uint8_t) {
            if (RoceScriptedChannel::IsCnp(frame))
            {
                cnps.push_back(frame.time);
            }
            return RoceScriptedChannel::PASS;
        });
        const auto [sender, receiver] = fabric.Connect(1, 0);
        // The sender pauses its switch port from the start, so no acknowledgment gets through.
        const auto gate = fabric.GetNic(1)->GetFlowControl();
        gate->Hold(DATA_CLASS, 0);
        sender->PostSend(RdmaWorkRequest::Write(8 * 1024));
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(receiver->GetCounters().messagesReceived, 1, "message arrived");
        NS_TEST_EXPECT_MSG_EQ(sender->GetCounters().acksReceived, 0, "acknowledgments are paused");
        NS_TEST_EXPECT_MSG_EQ(sender->GetCounters().cnpHandled, 1, "the CNP is not");
        NS_TEST_ASSERT_MSG_EQ(cnps.size(), 1, "one packet was marked");
        NS_TEST_EXPECT_MSG_EQ(cnps[0] - marked,
                              RoceClock::FromTime(m_processing) +
                                  2 * fabric.Flight(RoceFabricFixture::CNP),
                              "from the arrival of the marked packet to that of the CNP");

        gate->Release(DATA_CLASS, RoceClock::Now());
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sender->GetCounters().completed, 1, "completed after the pause");
    }

    Time m_processing; //!< time that the receiver needs
};

/**
 * @ingroup roce-tests
 * @brief Congestion notification packets between a receiver and a sender.
 */
class RoceCnpTestSuite : public TestSuite
{
  public:
    RoceCnpTestSuite()
        : TestSuite("roce-cnp", Type::SYSTEM)
    {
        AddTestCase(new CnpRateTestCase(RdmaCnpGenerator::PER_QP, 1, 200, 1));
        AddTestCase(new CnpRateTestCase(RdmaCnpGenerator::PER_QP, 2, 400, 2));
        AddTestCase(new CnpRateTestCase(RdmaCnpGenerator::PER_ADDRESS, 2, 200, 1));
        AddTestCase(new CnpPathTestCase(MicroSeconds(0)));
        AddTestCase(new CnpPathTestCase(MicroSeconds(55)));
    }
};

RoceCnpTestSuite g_roceCnpTestSuite; //!< the suite

} // namespace
