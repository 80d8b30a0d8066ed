/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-dcqcn-fixed-point.h"
#include "roce-fabric-fixture.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/roce-compat.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-switch.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint8_t DATA_CLASS = 3;                         //!< DSCP 26, data and acknowledgments
constexpr uint64_t ENDLESS = uint64_t{1} << 40;           //!< a message longer than any test
typedef std::vector<RoceFabricFixture::QueuePairs> Flows; //!< sender and receiver of each flow

/**
 * @ingroup roce-tests
 * @brief Time-weighted mean of a switch queue, from the true times of the trace source QueueBytes.
 */
class QueueMeter
{
  public:
    /**
     * @param pipeline the switch
     * @param port egress port
     */
    QueueMeter(Ptr<RoceSwitch> pipeline, uint16_t port)
        : m_port(port)
    {
        pipeline->TraceConnectWithoutContext("QueueBytes", MakeCallback(&QueueMeter::Change, this));
    }

    /// @param now where the mean begins
    void Start(Time now)
    {
        m_start = now;
        m_area = -GetPending(now);
    }

    /**
     * @param now where the mean ends
     * @return the mean, bytes
     */
    double GetMean(Time now) const
    {
        return (m_area + GetPending(now)) / (now - m_start).GetSeconds();
    }

    /// @return true if time never ran backwards by more than the time resolution
    bool IsOrdered() const
    {
        return m_ordered;
    }

  private:
    /**
     * Sink of QueueBytes.
     * @param port egress port
     * @param trafficClass class
     * @param bytes bytes in the queue after the change
     * @param when true time of the change
     */
    void Change(uint16_t port, uint8_t trafficClass, uint64_t bytes, Time when)
    {
        if (port == m_port && trafficClass == DATA_CLASS)
        {
            // Events of one tick run in no particular order, so times may differ within it.
            m_ordered = m_ordered && when + TimeStep(1) >= m_last;
            m_area += GetPending(when);
            m_last = when;
            m_bytes = bytes;
        }
    }

    /**
     * @param when a time, not before the last change
     * @return byte-seconds from the last change until then
     */
    double GetPending(Time when) const
    {
        return static_cast<double>(m_bytes) * (when - m_last).GetSeconds();
    }

    uint16_t m_port;      //!< egress port
    uint64_t m_bytes{0};  //!< bytes in the queue now
    Time m_start;         //!< where the mean begins
    Time m_last;          //!< last change
    double m_area{0};     //!< byte-seconds since m_start
    bool m_ordered{true}; //!< see IsOrdered()
};

/**
 * Build a star and send from hosts 1 to n to host 0.
 * @param fabric the fabric, configured
 * @param n number of senders
 * @param bytes length of each message
 * @param spacing time between two starts
 * @param stream first random stream
 * @return the queue pairs of each flow
 */
Flows
StartIncast(RoceFabricFixture& fabric, uint32_t n, uint64_t bytes, Time spacing, int64_t stream = 1)
{
    fabric.Star(n + 1);
    fabric.roce.AssignStreams(NodeContainer(fabric.switches[0]), stream);
    Flows flows;
    for (uint32_t i = 0; i < n; i++)
    {
        flows.push_back(fabric.Connect(i + 1, 0));
        Simulator::Schedule(i * spacing,
                            &RdmaQueuePair::PostSend,
                            flows.back().first,
                            RdmaWorkRequest::Write(bytes));
    }
    return flows;
}

/**
 * Advance the simulation.
 * @param until time at which to stop
 */
void
RunUntil(Time until)
{
    Simulator::Stop(until - Simulator::Now());
    Simulator::Run();
}

/**
 * @param flows some flows
 * @return payload bytes that each has delivered so far
 */
std::vector<double>
GetReceived(const Flows& flows)
{
    std::vector<double> received;
    for (const auto& flow : flows)
    {
        received.push_back(static_cast<double>(flow.second->GetCounters().bytesReceived));
    }
    return received;
}

/**
 * @param after bytes of each flow at the end
 * @param before bytes of each flow at the beginning
 * @return the differences
 */
std::vector<double>
Subtract(const std::vector<double>& after, const std::vector<double>& before)
{
    std::vector<double> difference;
    for (std::size_t i = 0; i < after.size(); i++)
    {
        difference.push_back(after[i] - before[i]);
    }
    return difference;
}

/**
 * @param values some values
 * @return their sum
 */
double
GetSum(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

/**
 * @param values some values
 * @return Jain's fairness index, 1 if all are equal
 */
double
GetJainIndex(const std::vector<double>& values)
{
    double squares = 0;
    for (const double value : values)
    {
        squares += value * value;
    }
    return GetSum(values) * GetSum(values) / (static_cast<double>(values.size()) * squares);
}

/**
 * @param pipeline a switch
 * @return pause requests that its ports have sent
 */
uint64_t
GetPauses(Ptr<RoceSwitch> pipeline)
{
    uint64_t pauses = 0;
    for (uint32_t i = 0; i < pipeline->GetNPorts(); i++)
    {
        auto gate = DynamicCast<PfcFlowControl>(pipeline->GetPort(i)->GetFlowControl());
        for (uint8_t c = 0; c < PfcFlowControl::N_CLASSES; c++)
        {
            pauses += gate->GetCounters(c).xoffSent;
        }
    }
    return pauses;
}

/**
 * @ingroup roce-tests
 * @brief Scenario P11: two flows with the constants of the paper on one link of 100 Gb/s, starts
 * 1 ms apart, share it after a while.
 *
 * Path MTU 4096, because the goodput limit is then 98.04 Gb/s; with 1024 it would be 92.6.
 */
class DcqcnTwoFlowsTestCase : public TestCase
{
  public:
    DcqcnTwoFlowsTestCase()
        : TestCase("P11: two flows with the constants of the paper")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric("100Gbps");
        fabric.roce.SetCongestionControl("ns3::RdmaDcqcn", "Preset", StringValue("paper"));
        fabric.roce.SetEcnPreset(RoceEcnMarker::DCQCN_PAPER);
        fabric.roce.SetBufferAttribute("TotalBytes", UintegerValue(256 << 20));
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(4096));
        fabric.roce.SetQueuePairAttribute("AckInterval", UintegerValue(64));
        const Flows flows = StartIncast(fabric, 2, ENDLESS, MilliSeconds(1));
        RunUntil(MilliSeconds(50));
        const auto before = GetReceived(flows);
        RunUntil(MilliSeconds(70));
        const auto bytes = Subtract(GetReceived(flows), before);

        NS_TEST_EXPECT_MSG_GT(GetSum(bytes) * 8 / 20e-3, 95e9, "goodput");
        NS_TEST_EXPECT_MSG_LT(bytes[0] / bytes[1], 1.25, "share of flow 1");
        NS_TEST_EXPECT_MSG_LT(bytes[1] / bytes[0], 1.25, "share of flow 2");
        NS_TEST_EXPECT_MSG_EQ(GetPauses(fabric.GetSwitch()), 0, "pauses");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch()->GetTotalDrops(true), 0, "drops");
        for (const auto& [sender, receiver] : flows)
        {
            NS_TEST_EXPECT_MSG_GT(sender->GetCongestionSignals(), 0, "CNPs");
            NS_TEST_EXPECT_MSG_EQ(sender->GetCounters().retransmittedPackets, 0, "sent again");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Two flows of 200 MB into one port of 100 Gb/s, path MTU 1024: shares of the line.
 *
 * The second half of the time that both are there counts. The sum is 95 % of the goodput limit,
 * 1024 of 1106 bytes, or more in every run. How equal the shares are depends on the marks:
 *  - Round robin and pauses alone divide the line exactly.
 *  - A step marks both flows at the same moments, so they divide the line to 1 %, with any
 *    constants and whenever they start.
 *  - RED marks one packet or another at random. A cut by a factor 1 - a of one of two equal flows
 *    moves the share x of the first by a x (1 - x) = a / 4, down with probability x. So x - 1/2
 *    decays by a / 2 per cut and is kicked by a / 4, and its mean over M = 2 N cuts has the
 *    variance (a / 4)^2 / (a / 2)^2 / M = 1 / (8 N), whatever a is. Each run has to lie within four
 *    standard deviations, and so has the mean of the runs. N is counted: with these constants every
 *    CNP is a cut.
 */
class DcqcnSharedLinkTestCase : public TestCase
{
  public:
    /// How the switch marks.
    enum Marks
    {
        NONE, //!< it does not, there is no congestion control
        STEP, //!< everything above a threshold
        RED,  //!< at random between two thresholds
    };

    /**
     * @param marks how the switch marks
     * @param preset name of DCQCN's constants
     * @param start when the second flow starts, after the first
     * @param runs number of runs
     */
    DcqcnSharedLinkTestCase(Marks marks, const std::string& preset, Time start, uint32_t runs)
        : TestCase("Two flows of 200 MB, " +
                   (marks == NONE   ? "PFC alone"
                    : marks == STEP ? "DCQCN " + preset + ", step marking, " +
                                          std::to_string(start.GetMicroSeconds()) + " us apart"
                                    : "DCQCN " + preset + ", RED")),
          m_marks(marks),
          m_preset(preset),
          m_start(start),
          m_runs(runs)
    {
    }

  private:
    /// What a run gave.
    struct Outcome
    {
        double share{0}; //!< share of the first flow
        double cuts{0};  //!< rate cuts per flow
    };

    /**
     * @param flows the flows
     * @return CNPs that their senders have handled, per flow
     */
    static double GetCuts(const Flows& flows)
    {
        double cuts = 0;
        for (const auto& flow : flows)
        {
            cuts += static_cast<double>(flow.first->GetCongestionSignals());
        }
        return cuts / static_cast<double>(flows.size());
    }

    /**
     * @param stream first random stream
     * @return what came of it
     */
    Outcome RunOnce(int64_t stream)
    {
        constexpr double BYTES = 200e6;
        RoceFabricFixture fabric("100Gbps");
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(1024));
        if (m_marks != NONE)
        {
            fabric.roce.SetCongestionControl("ns3::RdmaDcqcn", "Preset", StringValue(m_preset));
            fabric.roce.SetEcnPreset(m_marks == STEP ? RoceEcnMarker::DCTCP : RoceEcnMarker::HPCC);
        }
        const Flows flows = StartIncast(fabric, 2, static_cast<uint64_t>(BYTES), m_start, stream);
        RunUntil(m_start);
        std::vector<std::vector<double>> received; // every 100 us, while there are two flows
        std::vector<double> cuts;                  // at the same times
        for (auto now = GetReceived(flows); now[0] < BYTES && now[1] < BYTES;
             now = GetReceived(flows))
        {
            received.push_back(now);
            cuts.push_back(GetCuts(flows));
            RunUntil(Simulator::Now() + MicroSeconds(100));
        }
        const std::size_t middle = received.size() / 2;
        const std::size_t intervals = received.size() - 1 - middle;
        const auto bytes = Subtract(received.back(), received[middle]);
        const double limit = 100e9 / 8 * 1024 / 1106 * 100e-6 * static_cast<double>(intervals);
        NS_TEST_EXPECT_MSG_GT(GetSum(bytes), 0.95 * limit, "sum of goodputs");
        NS_TEST_EXPECT_MSG_LT(GetSum(bytes), limit + 2 * 1024, "the line rate is a limit");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch()->GetTotalDrops(true), 0, "drops");
        return {bytes[0] / GetSum(bytes), cuts.back() - cuts[middle]};
    }

    void DoRun() override
    {
        double mean = 0;
        double cuts = 0;
        for (uint32_t run = 0; run < m_runs; run++)
        {
            const Outcome outcome = RunOnce(1000 * (run + 1));
            const double tolerance = m_marks == NONE   ? 0.001
                                     : m_marks == STEP ? 0.01
                                                       : 4 / std::sqrt(8 * outcome.cuts);
            NS_TEST_EXPECT_MSG_EQ_TOL(outcome.share,
                                      0.5,
                                      tolerance,
                                      "share of the first flow in run " << run << " with "
                                                                        << outcome.cuts << " cuts");
            mean += outcome.share / m_runs;
            cuts += outcome.cuts;
        }
        if (m_marks == RED)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(mean, 0.5, 4 / std::sqrt(8 * cuts), "mean of the shares");
        }
    }

    Marks m_marks;        //!< how the switch marks
    std::string m_preset; //!< name of DCQCN's constants
    Time m_start;         //!< when the second flow starts
    uint32_t m_runs;      //!< number of runs
};

/**
 * @ingroup roce-tests
 * @brief Queue, alpha and fairness of N flows against the fixed point of the fluid model.
 *
 * N:1 at 40 Gb/s, cables of 1 us, packets of 1000 B on the wire (918 B of payload, 62 B of headers
 * and FCS, 20 B of preamble and gap), marking on dequeue with 5 KB, 200 KB, 1 %, constants of the
 * paper, all flows start at line rate within 1 us; 0.15 s, of which the second half counts. Fixed
 * point of "ECN or Delay" (CoNEXT 2016), not its cube-root approximation, which is up to 57 % off:
 * q = 20.2 KB, 93.8 KB and above Kmax for N = 2, 8, 16; alpha = 0.1014, 0.1452, 0.1713. Packets are
 * noisier than a fluid: an independent packet simulator (CNPs delivered 2 us after the marked
 * packet, which here take 2.014 us as real packets) has 22.5 to 23.8 KB, 118 to 121 KB, and 185 to
 * 193 KB, pinned below Kmax. So q must be within 0.9 to 1.6 of the fixed point, or 170 to 205 KB if
 * that is above Kmax. Wire and marking are both per packet: other packet sizes and marking on
 * enqueue have other fixed points.
 */
class DcqcnFixedPointTestCase : public TestCase
{
  public:
    /// @param flows number of flows
    explicit DcqcnFixedPointTestCase(uint32_t flows)
        : TestCase("Fixed point of " + std::to_string(flows) + " flows"),
          m_flows(flows)
    {
    }

  private:
    void DoRun() override
    {
        const Time half = MilliSeconds(75);
        RoceDcqcnFixedPoint model;
        model.Solve(RATE, m_flows);

        RoceFabricFixture fabric("40Gbps");
        fabric.roce.SetCongestionControl("ns3::RdmaDcqcn", "Preset", StringValue("paper"));
        fabric.roce.SetEcnThresholds(5000, 200000, 0.01);
        fabric.roce.SetEcnAttribute("MarkAt", EnumValue(RoceEcnMarker::DEQUEUE));
        fabric.roce.SetBufferAttribute("TotalBytes", UintegerValue(256 << 20));
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(918));
        fabric.roce.SetQueuePairAttribute("AckInterval", UintegerValue(64));
        const Flows flows = StartIncast(fabric, m_flows, ENDLESS, NanoSeconds(1000 / m_flows));
        QueueMeter queue(fabric.GetSwitch(), 0);
        RunUntil(half);

        const auto port = fabric.GetSwitch()->GetPort(0);
        const auto before = GetReceived(flows);
        const uint64_t framesBefore = port->GetTxCounters(DATA_CLASS).frames;
        fabric.GetSwitch()->GetQueueBytes(0, DATA_CLASS); // departures up to now are traced
        queue.Start(Simulator::Now());
        double alpha = 0;
        const int samples = 500;
        for (int i = 1; i <= samples; i++)
        {
            RunUntil(half + i * half / samples);
            for (const auto& flow : flows)
            {
                const auto cc = DynamicCast<RdmaDcqcn>(flow.first->GetCongestionControl());
                alpha += cc->GetAlpha(RoceClock::Now()) / (samples * m_flows);
            }
        }
        const auto bytes = Subtract(GetReceived(flows), before);
        const uint64_t frames = port->GetTxCounters(DATA_CLASS).frames - framesBefore;
        const double mean = queue.GetMean(Simulator::Now());

        if (model.q < model.kMax)
        {
            NS_TEST_EXPECT_MSG_GT(mean, 0.9 * model.q, "mean queue");
            NS_TEST_EXPECT_MSG_LT(mean, 1.6 * model.q, "mean queue");
        }
        else
        {
            NS_TEST_EXPECT_MSG_GT(mean, 170e3, "mean queue below Kmax");
            NS_TEST_EXPECT_MSG_LT(mean, 205e3, "mean queue below Kmax");
        }
        NS_TEST_EXPECT_MSG_GT(alpha, 0.9 * model.alpha, "alpha");
        NS_TEST_EXPECT_MSG_LT(alpha, 1.3 * model.alpha, "alpha");
        NS_TEST_EXPECT_MSG_GT(GetJainIndex(bytes), 0.99, "fairness");
        const double rate = frames * 8e3 / half.GetSeconds();
        NS_TEST_EXPECT_MSG_GT(rate, 0.97 * RATE, "utilization");
        NS_TEST_EXPECT_MSG_LT(rate, 1.0001 * RATE, "the line rate is a limit");
        NS_TEST_EXPECT_MSG_EQ(queue.IsOrdered(), true, "traced times never run backwards");
        NS_TEST_EXPECT_MSG_EQ(GetPauses(fabric.GetSwitch()), 0, "pauses");
    }

    static constexpr double RATE = 40e9; //!< line rate, bit/s
    uint32_t m_flows;                    //!< number of flows
};

/**
 * @ingroup roce-tests
 * @brief In an 8:1 incast DCQCN makes a difference, and none if nothing is marked.
 *
 * 8 x 4 MB into 100 Gb/s, pause threshold 100 KB per port. Without congestion control all flows
 * send at line rate until they are paused: the queue holds 100 KB of each of the eight ports. With
 * DCQCN the pauses end when the first rate cuts take effect.
 */
class DcqcnOnOffTestCase : public TestCase
{
  public:
    DcqcnOnOffTestCase()
        : TestCase("8:1 incast with and without DCQCN")
    {
    }

  private:
    /// What one run gives.
    struct Result
    {
        std::vector<Time> completed;  //!< completion time of each flow
        uint64_t cnps{0};             //!< CNPs received
        uint64_t signals{0};          //!< congestion signals
        uint64_t pauses{0};           //!< pause requests
        uint64_t drops{0};            //!< lost frames
        uint64_t slowest{UINT64_MAX}; //!< least rate at the end, bit/s
        double queue{0};              //!< mean queue, bytes
    };

    /**
     * @param congestionControl TypeId name
     * @param ecn switches mark
     * @return what happened
     */
    static Result RunOnce(const std::string& congestionControl, bool ecn)
    {
        RoceFabricFixture fabric("100Gbps");
        fabric.roce.SetCongestionControl(congestionControl);
        fabric.roce.SetEcnPreset(RoceEcnMarker::DCQCN_PAPER);
        fabric.roce.EnableEcn(ecn);
        fabric.roce.SetBufferAttribute(
            "IngressThreshold",
            StringValue("ns3::RoceStaticThreshold[Xoff=100000|Xon=97000]"));
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(4096));
        const Flows flows = StartIncast(fabric, 8, 4000000, Time(0));
        QueueMeter queue(fabric.GetSwitch(), 0);
        queue.Start(Time(0));
        Simulator::Run();

        Result result;
        Time last;
        for (const auto& [sender, receiver] : flows)
        {
            for (const auto& completion : sender->GetSendCompletionQueue()->Poll(2))
            {
                result.completed.push_back(completion.completed);
                last = std::max(last, completion.completed);
            }
            result.cnps += sender->GetCounters().cnpHandled;
            result.signals += sender->GetCongestionSignals();
            result.slowest = std::min(result.slowest, sender->GetRate());
        }
        result.queue =
            queue.GetMean(Simulator::Now()) * Simulator::Now().GetSeconds() / last.GetSeconds();
        result.pauses = GetPauses(fabric.GetSwitch());
        result.drops = fabric.GetSwitch()->GetTotalDrops(true);
        return result;
    }

    void DoRun() override
    {
        const Result off = RunOnce("ns3::RdmaNoCongestionControl", true);
        const Result on = RunOnce("ns3::RdmaDcqcn", true);
        const Result offUnmarked = RunOnce("ns3::RdmaNoCongestionControl", false);
        const Result unmarked = RunOnce("ns3::RdmaDcqcn", false);
        for (const auto& result : {off, on, offUnmarked, unmarked})
        {
            NS_TEST_EXPECT_MSG_EQ(result.completed.size(), 8, "all flows complete, once");
            NS_TEST_EXPECT_MSG_EQ(result.drops, 0, "PFC prevents loss");
        }
        NS_TEST_EXPECT_MSG_GT(off.cnps, 0, "CNPs come, but nobody minds");
        NS_TEST_EXPECT_MSG_EQ(off.slowest, 100000000000, "rate without congestion control");
        NS_TEST_EXPECT_MSG_GT(off.pauses, 100, "pauses without congestion control");
        NS_TEST_EXPECT_MSG_GT(on.cnps, 0, "CNPs");
        NS_TEST_EXPECT_MSG_EQ(on.signals, on.cnps, "every CNP is a signal");
        NS_TEST_EXPECT_MSG_LT(on.slowest, 100000000000, "DCQCN has lowered the rate");
        NS_TEST_EXPECT_MSG_LT(on.pauses * 10, off.pauses, "DCQCN avoids pauses");
        NS_TEST_EXPECT_MSG_LT(on.queue * 2, off.queue, "DCQCN keeps the queue short");

        // Zero signals tell the user that his network never asked the algorithm to act.
        NS_TEST_EXPECT_MSG_EQ(unmarked.signals, 0, "signals without marks");
        NS_TEST_EXPECT_MSG_EQ((unmarked.completed == offUnmarked.completed),
                              true,
                              "nothing changes");
    }
};

/**
 * @ingroup roce-tests
 * @brief DCQCN in a network.
 */
class RoceDcqcnNetworkTestSuite : public TestSuite
{
  public:
    RoceDcqcnNetworkTestSuite()
        : TestSuite("roce-dcqcn-network", Type::SYSTEM)
    {
        AddTestCase(new DcqcnOnOffTestCase);
        AddTestCase(new DcqcnTwoFlowsTestCase);
        typedef DcqcnSharedLinkTestCase Shared;
        AddTestCase(new Shared(Shared::NONE, "", Time(0), 1));
        for (const std::string preset : {"paper", "hpcc", "nvidia"})
        {
            AddTestCase(new Shared(Shared::STEP, preset, Time(0), 1));
            AddTestCase(new Shared(Shared::STEP, preset, MilliSeconds(1), 1));
            AddTestCase(new Shared(Shared::RED, preset, Time(0), 8), rocecompat::EXTENSIVE);
        }
        AddTestCase(new DcqcnFixedPointTestCase(8));
        AddTestCase(new DcqcnFixedPointTestCase(2), rocecompat::EXTENSIVE);
        AddTestCase(new DcqcnFixedPointTestCase(16), rocecompat::EXTENSIVE);
    }
};

RoceDcqcnNetworkTestSuite g_roceDcqcnNetworkTestSuite; //!< the suite

} // namespace
