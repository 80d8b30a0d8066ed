/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"
#include "roce-pfc-test-util.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/random-variable-stream.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-shared-buffer.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * Lossless switching: incasts, isolation of classes, headroom.
 */

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief N senders to one receiver, static thresholds: no loss, full rate, equal shares.
 */
class PfcIncastTestCase : public TestCase
{
  public:
    /**
     * @param n number of senders
     * @param tolerance relative deviation of a share that is allowed
     */
    PfcIncastTestCase(uint32_t n, double tolerance)
        : TestCase("Incast of " + std::to_string(n) + " senders"),
          m_n(n),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        SetThresholds(fabric, 100'000, 90'000);
        fabric.Star(m_n + 1);
        std::vector<Ptr<RdmaQueuePair>> receivers;
        for (uint32_t i = 1; i <= m_n; i++)
        {
            auto qps = fabric.Connect(i, 0);
            qps.first->PostSend(RdmaWorkRequest::Write(ENDLESS));
            receivers.push_back(qps.second);
        }
        auto sw = fabric.GetSwitch();
        std::vector<uint64_t> before;
        RoceNetDevice::Counters wire;
        const Time from = MilliSeconds(1);
        const Time to = MilliSeconds(4);
        Simulator::Schedule(from, [&]() {
            wire = sw->GetPort(0)->GetTxCounters(ROCE_CLASS);
            for (const auto& qp : receivers)
            {
                before.push_back(qp->GetCounters().bytesReceived);
            }
        });
        Simulator::Stop(to);
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(sw->GetTotalDrops(true) + sw->GetTotalDrops(false), 0, "no loss");
        const auto& now = sw->GetPort(0)->GetTxCounters(ROCE_CLASS);
        const uint64_t bytes = now.bytes - wire.bytes + 20 * (now.frames - wire.frames);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(fabric.ByteTimes(bytes)),
                                  static_cast<double>(RoceClock::FromTime(to - from)),
                                  static_cast<double>(fabric.Slot(FRAME)),
                                  "100 Gb/s on the wire, to the frame");
        const double fair = static_cast<double>(MTU) * (now.frames - wire.frames) / m_n;
        for (uint32_t i = 0; i < m_n; i++)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(receivers[i]->GetCounters().bytesReceived - before[i],
                                      fair,
                                      m_tolerance * fair,
                                      "share of sender " << i);
            // 100,000 + 2 R d 25,000 + frame in progress 4,178 + PFC frame 84 + the frame that
            // reaches the threshold 4,158 at most.
            const uint64_t peak = sw->GetBuffer()->GetPeakIngressBytes(i + 1, ROCE_CLASS);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(peak, 133'000, "peak of port " << i + 1);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(peak, 100'000, "it was paused");
            NS_TEST_EXPECT_MSG_GT(GetGate(sw->GetPort(i + 1))->GetCounters(ROCE_CLASS).xoffSent,
                                  0,
                                  "XOFF on port " << i + 1);
        }
    }

    uint32_t m_n;       //!< number of senders
    double m_tolerance; //!< allowed deviation
};

/**
 * @ingroup roce-tests
 * @brief An incast in class 3 never pauses class 4: neither a flow between other hosts, nor one
 * from a host that is paused in class 3.
 */
class PfcIsolationTestCase : public TestCase
{
  public:
    PfcIsolationTestCase()
        : TestCase("Incast in one class, flow in another")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        fabric.roce.GetQosMap()->SetLosslessClasses((1 << ROCE_CLASS) | (1 << OTHER_CLASS));
        SetThresholds(fabric, 100'000, 90'000);
        fabric.Star(12);
        for (uint32_t i = 1; i <= 8; i++)
        {
            fabric.Connect(i, 0).first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        }
        ConnectWithDscp(fabric, 9, 10, 34).first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        ConnectWithDscp(fabric, 8, 11, 34).first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        const Time from = MilliSeconds(1);
        const Time to = MilliSeconds(2);
        std::array<uint64_t, 3> before{};
        const auto wireBytes = [&](uint32_t host, uint8_t c) {
            const auto& tx = fabric.GetNic(host)->GetTxCounters(c);
            return tx.bytes + 20 * tx.frames;
        };
        const auto read = [&]() {
            return std::array<uint64_t, 3>{
                wireBytes(9, OTHER_CLASS),
                wireBytes(8, OTHER_CLASS) + wireBytes(8, ROCE_CLASS),
                wireBytes(8, ROCE_CLASS),
            };
        };
        Simulator::Schedule(from, [&]() { before = read(); });
        Simulator::Stop(to);
        Simulator::Run();

        const std::array<uint64_t, 3> after = read();
        const double line = 1e-3 * 100e9 / 8; // bytes in the window
        NS_TEST_EXPECT_MSG_EQ_TOL(after[0] - before[0],
                                  line,
                                  FRAME + 20.0,
                                  "the flow between others has the full rate");
        NS_TEST_EXPECT_MSG_EQ_TOL(after[1] - before[1],
                                  line,
                                  FRAME + 20.0,
                                  "a host that is paused in class 3 fills its line with class 4");
        // Its share of the incast is somewhat below an eighth: after XON it sends at half the rate
        // of the other seven, because both classes have equal weights.
        NS_TEST_EXPECT_MSG_GT(after[2] - before[2], line / 16, "class 3 of that host goes on too");
        uint64_t xoff = 0;
        for (uint16_t p = 0; p < 12; p++)
        {
            auto gate = GetGate(fabric.GetSwitch()->GetPort(p));
            xoff += gate->GetCounters(ROCE_CLASS).xoffSent;
            NS_TEST_EXPECT_MSG_EQ(gate->GetCounters(OTHER_CLASS).xoffSent, 0, "port " << p);
        }
        NS_TEST_EXPECT_MSG_GT(xoff, 0, "the incast was paused");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch()->GetTotalDrops(true), 0, "no loss");
    }
};

/// A link whose headroom is tested.
struct HeadroomCase
{
    std::string rate; //!< line rate
    int64_t delayNs;  //!< delay of the cable
    uint32_t mtu;     //!< path MTU
    int64_t pipeline; //!< pipeline delay of ports, ns
    int64_t response; //!< response time, ns
};

/**
 * @ingroup roce-tests
 * @brief How many packets arrive after the XOFF decision, to the packet, and what happens when the
 * headroom is for all of them or for half of them.
 *
 * In byte times, with the decision at 0 and an idle line for the PFC frame: the k-th further frame
 * arrives at k (F + 20), so it started F + 8, the delay and the pipeline earlier, and it did start
 * if that is before XOFF arrives (72 and the delay) and the response time is over. So k (F + 20) <
 * F + 80 + 2 R d + R pipeline + R response.
 */
class PfcOvershootTestCase : public TestCase
{
  public:
    /// @param link the link
    explicit PfcOvershootTestCase(const HeadroomCase& link)
        : TestCase("Overshoot at " + link.rate + ", " + std::to_string(link.delayNs) +
                   " ns, path MTU " + std::to_string(link.mtu)),
          m_link(link)
    {
    }

  private:
    /**
     * @param headroom packets that the headroom holds; -1 is the automatic one
     * @return packets dropped
     */
    uint64_t Overshoot(int64_t headroom)
    {
        const uint32_t frame = m_link.mtu + RoceFabricFixture::MIDDLE;
        const uint64_t xoff = 102'000;
        RoceFabricFixture fabric(m_link.rate, NanoSeconds(m_link.delayNs));
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(m_link.mtu));
        fabric.roce.SetDeviceAttribute("Mtu", UintegerValue(m_link.mtu + 64));
        fabric.roce.SetDeviceAttribute("PipelineDelay", TimeValue(NanoSeconds(m_link.pipeline)));
        fabric.roce.SetPfcAttribute("ResponseTime", TimeValue(NanoSeconds(m_link.response)));
        SetThresholds(fabric, xoff, xoff);
        if (headroom >= 0)
        {
            fabric.roce.SetHeadroom(headroom * frame);
        }
        fabric.Star(2);
        SetHold(fabric.GetNic(1), ROCE_CLASS, true); // long before the first packet
        auto qp = fabric.Connect(0, 1).first;
        Simulator::Schedule(MicroSeconds(20),
                            [qp]() { qp->PostSend(RdmaWorkRequest::Write(ENDLESS)); });
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();

        const uint64_t packets = qp->GetCounters().packetsSent;
        // The first packet is 16 bytes longer; the last one to fit reaches the threshold.
        const uint64_t before = (xoff - 16 + frame - 1) / frame;
        m_after = packets - before;
        auto sw = fabric.GetSwitch();
        auto buffer = sw->GetBuffer();
        const uint64_t drops =
            sw->GetDrops(headroom ? RoceSwitch::BUFFER_HEADROOM : RoceSwitch::BUFFER_INGRESS, true);
        NS_TEST_EXPECT_MSG_EQ(sw->GetTotalDrops(true), drops, "no other loss");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetPeakHeadroomUsed(0, ROCE_CLASS),
                              (m_after - drops) * frame,
                              "headroom holds what arrives after the decision");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(buffer->GetPeakHeadroomUsed(0, ROCE_CLASS),
                                    buffer->GetHeadroom(0, ROCE_CLASS),
                                    "and no more than there is");
        return drops;
    }

    void DoRun() override
    {
        const uint32_t frame = m_link.mtu + RoceFabricFixture::MIDDLE;
        const double bytesPerNs = DataRate(m_link.rate).GetBitRate() / 8e9;
        const double window =
            frame + 80 + bytesPerNs * (2.0 * m_link.delayNs + m_link.pipeline + m_link.response);
        const auto expected = static_cast<uint64_t>(window / (frame + 20));

        NS_TEST_EXPECT_MSG_EQ(Overshoot(-1), 0, "automatic headroom loses nothing");
        NS_TEST_EXPECT_MSG_EQ(m_after, expected, "packets after the decision");
        NS_TEST_EXPECT_MSG_EQ(Overshoot(expected), 0, "as much headroom as is needed");
        NS_TEST_EXPECT_MSG_EQ(Overshoot(expected / 2),
                              expected - expected / 2,
                              "half the headroom loses the rest");
    }

    HeadroomCase m_link; //!< the link
    uint64_t m_after{0}; //!< packets after the decision
};

/**
 * @ingroup roce-tests
 * @brief The headroom of RoceHelper loses nothing in random incasts, with receivers that stop and
 * go and large frames of another class in front of the PFC frames.
 */
class PfcRandomIncastTestCase : public TestCase
{
  public:
    PfcRandomIncastTestCase()
        : TestCase("Automatic headroom under random incasts")
    {
    }

  private:
    /**
     * @param link the links
     * @param n number of senders
     * @param totalBytes memory of the switch
     * @param [out] plan bytes of it that are set aside for headroom and reserves
     * @return frames of the lossless class that were lost
     */
    uint64_t Run(const HeadroomCase& link, uint32_t n, uint64_t totalBytes, uint64_t& plan)
    {
        RoceFabricFixture fabric(link.rate, NanoSeconds(link.delayNs));
        fabric.roce.SetBufferAttribute("TotalBytes", UintegerValue(totalBytes));
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(link.mtu));
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(10)); // 4.2 ms
        fabric.roce.SetDeviceAttribute("Mtu", UintegerValue(link.mtu + 64));
        fabric.roce.SetDeviceAttribute("PipelineDelay", TimeValue(NanoSeconds(link.pipeline)));
        fabric.roce.SetPfcAttribute("ResponseTime", TimeValue(NanoSeconds(link.response)));
        SetThresholds(fabric, 30'000, 20'000);
        fabric.Star(n + 2);
        auto sw = fabric.GetSwitch();
        plan = sw->GetBuffer()->GetTotalHeadroom() + sw->GetBuffer()->GetTotalReserve();
        sw->SetAttribute("CheckBuffer", BooleanValue(true));
        std::vector<Ptr<RdmaQueuePair>> senders;
        for (uint32_t i = 1; i <= n; i++)
        {
            senders.push_back(fabric.Connect(i, 0).first);
        }
        for (const auto& qp : senders)
        {
            qp->PostSend(RdmaWorkRequest::Write(m_random->GetInteger(100'000, 300'000)));
        }
        // Large frames of a lossy class towards the senders, in front of the PFC frames.
        for (uint32_t i = 1; i <= n; i++)
        {
            ConnectWithDscp(fabric, n + 1, i, 18)
                .first->PostSend(RdmaWorkRequest::Write(m_random->GetInteger(1, 200'000)));
        }
        auto receiver = fabric.GetNic(0);
        const RocePs frameTime = fabric.Slot(link.mtu + RoceFabricFixture::MIDDLE);
        RocePs when = 0;
        for (uint32_t k = 0; k < 10; k++)
        {
            when += frameTime * m_random->GetInteger(1, 60);
            Simulator::Schedule(RoceClock::ToTime(when),
                                [receiver, k]() { SetHold(receiver, ROCE_CLASS, k % 2 == 0); });
        }
        Simulator::Run();

        for (const auto& qp : senders)
        {
            NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().completed, 1, "the message has arrived");
            NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().retransmittedPackets, 0, "at once");
        }
        NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->GetUsedBytes(), 0, "the buffer is empty");
        m_pauses += GetGate(sw->GetPort(1))->GetCounters(ROCE_CLASS).xoffSent;
        return sw->GetTotalDrops(true);
    }

    void DoRun() override
    {
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(1);
        const std::vector<std::string> rates = {"10Gbps", "25Gbps", "100Gbps", "400Gbps"};
        const std::vector<uint32_t> mtus = {256, 1024, 1500, 4096};
        for (uint32_t run = 0; run < 16; run++)
        {
            HeadroomCase link;
            link.rate = rates[run % rates.size()];
            link.delayNs = m_random->GetInteger(10, 3000);
            link.mtu = mtus[m_random->GetInteger(0, 3)];
            link.pipeline = run % 2 ? m_random->GetInteger(0, 800) : 0;
            link.response = run % 3 ? 0 : m_random->GetInteger(0, 2000);
            const auto n = static_cast<uint32_t>(m_random->GetInteger(2, 6));
            std::ostringstream name;
            name << "run " << run << ": " << link.rate << ", delay " << link.delayNs << ", MTU "
                 << link.mtu << ", pipeline " << link.pipeline << ", response " << link.response
                 << ", senders " << n;
            uint64_t plan = 0;
            NS_TEST_EXPECT_MSG_EQ(Run(link, n, 32 << 20, plan), 0, name.str());
            // Thresholds that allow more than the pool has: it runs dry before anyone is paused.
            const uint64_t pool = m_random->GetInteger(1, 20'000);
            NS_TEST_EXPECT_MSG_EQ(Run(link, n, plan + pool, plan),
                                  0,
                                  name.str() << ", pool of " << pool << " B");
        }
        NS_TEST_EXPECT_MSG_GT(m_pauses, 16, "there was something to lose");
    }

    Ptr<UniformRandomVariable> m_random; //!< draws the cases
    uint64_t m_pauses{0};                //!< XOFF seen
};

/**
 * @ingroup roce-tests
 * @brief 64 ports of 400 Gb/s: with cables of 12 us the headroom alone exceeds 64 MiB, with 8 us
 * there is something left to share.
 */
class PfcPlanTestCase : public TestCase
{
  public:
    PfcPlanTestCase()
        : TestCase("Impossible buffer plans are refused")
    {
    }

  private:
    /**
     * @param delay delay of the cables
     * @return a buffer of 64 MiB with the headroom that RoceHelper computes
     */
    Ptr<RoceSharedBuffer> MakePlan(Time delay)
    {
        // The fabric itself has memory enough; what it computes is then put into 64 MiB.
        RoceFabricFixture fabric("400Gbps", delay);
        fabric.roce.SetBufferAttribute("TotalBytes", UintegerValue(1 << 30));
        fabric.Star(64);
        auto rich = fabric.GetSwitch()->GetBuffer();
        auto buffer =
            CreateObjectWithAttributes<RoceSharedBuffer>("TotalBytes", UintegerValue(64 << 20));
        buffer->Configure(64);
        m_sum = 0;
        for (uint16_t p = 0; p < 64; p++)
        {
            buffer->SetHeadroom(p, ROCE_CLASS, rich->GetHeadroom(p, ROCE_CLASS));
            m_sum += rich->GetHeadroom(p, ROCE_CLASS);
        }
        return buffer;
    }

    void DoRun() override
    {
        const std::string problem = MakePlan(MicroSeconds(12))->GetProblem();
        // 2 C d = 2 x 12 us x 50 GB/s = 1.2 MB per port.
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_sum, 64 * uint64_t{1'200'000}, "2 C d of 64 ports");
        NS_TEST_EXPECT_MSG_NE(problem.find(std::to_string(m_sum)),
                              std::string::npos,
                              "the sum is named: " << problem);
        NS_TEST_EXPECT_MSG_NE(problem.find(std::to_string(64 << 20)),
                              std::string::npos,
                              "the limit is named: " << problem);

        auto buffer = MakePlan(MicroSeconds(8));
        NS_TEST_EXPECT_MSG_EQ(buffer->GetProblem(), "", "51.2 MB and frames fit");
        const uint64_t left = (64 << 20) - m_sum - buffer->GetTotalReserve();
        NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedSize(), left, "what is left to share");
        NS_TEST_EXPECT_MSG_NE(buffer->Describe().find(std::to_string(left)),
                              std::string::npos,
                              "the plan says so: " << buffer->Describe());
    }

    uint64_t m_sum{0}; //!< sum of headroom
};

/**
 * @ingroup roce-tests
 * @brief Test suite of lossless switching.
 */
class RoceLosslessTestSuite : public TestSuite
{
  public:
    RoceLosslessTestSuite()
        : TestSuite("roce-lossless", Type::UNIT)
    {
        AddTestCase(new PfcIncastTestCase(2, 0.01));
        AddTestCase(new PfcIncastTestCase(32, 0.05));
        AddTestCase(new PfcIsolationTestCase);
        AddTestCase(new PfcOvershootTestCase({"100Gbps", 2200, 4096, 0, 0}));
        AddTestCase(new PfcOvershootTestCase({"10Gbps", 500, 1500, 0, 0}));
        AddTestCase(new PfcOvershootTestCase({"100Gbps", 500, 4096, 0, 0}));
        AddTestCase(new PfcOvershootTestCase({"100Gbps", 1500, 1024, 400, 0}));
        AddTestCase(new PfcOvershootTestCase({"400Gbps", 500, 4096, 0, 1160}));
        AddTestCase(new PfcOvershootTestCase({"400Gbps", 1500, 1500, 800, 1160}));
        AddTestCase(new PfcRandomIncastTestCase);
        AddTestCase(new PfcPlanTestCase);
    }
};

RoceLosslessTestSuite g_roceLosslessTestSuite; //!< static instance

} // namespace
