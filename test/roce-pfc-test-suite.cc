/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"
#include "roce-pfc-test-util.h"

#include "ns3/callback.h"
#include "ns3/double.h"
#include "ns3/packet.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/roce-clock.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * Priority-based flow control on cables and through switches (IEEE 802.1Qbb).
 *
 * Times are exact. In byte times of the line, a frame of F bytes with FCS occupies F + 20; its last
 * bit has arrived F + 8 byte times and the delay of the cable after its first bit left. A PFC frame
 * has 64 bytes, so it is obeyed 72 byte times and the delay after it started. One quantum is 512
 * bit times.
 */

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief The longest pause lasts exactly 65535 x 512 bit times, at every Ethernet speed, and ends
 * by itself.
 */
class PfcDurationTestCase : public TestCase
{
  public:
    /**
     * @param rate line rate
     * @param quanta pause time in the frame
     * @param duration what that is, picoseconds
     */
    PfcDurationTestCase(std::string rate, uint16_t quanta, RocePs duration)
        : TestCase("Pause of " + std::to_string(quanta) + " quanta at " + rate),
          m_rate(rate),
          m_quanta(quanta),
          m_duration(duration)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric(m_rate);
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        fabric.Pair();
        WireLog log(fabric, fabric.GetCable(0));
        fabric.Connect(0, 1).first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        // Not a start of a frame at any of the speeds, so that a frame is in progress.
        const RocePs when = 5'000'000;
        InjectPfc(fabric.GetCable(0), 1, when, 1 << ROCE_CLASS, m_quanta);
        Simulator::Stop(RoceClock::ToTime(when + m_duration + 10'000'000));
        Simulator::Run();

        const auto starts = log.GetStarts(0, ROCE_CLASS);
        NS_TEST_EXPECT_MSG_EQ(FirstFrom(starts, when),
                              when + m_duration,
                              "silent until the pause has expired, then at once");
        NS_TEST_EXPECT_MSG_GT(CountStarts(starts, 0, when), 0, "traffic before the pause");
        const auto counters = GetGate(fabric.GetNic(0))->GetCounters(ROCE_CLASS);
        NS_TEST_EXPECT_MSG_EQ(counters.pausedTime, m_duration, "paused time");
        NS_TEST_EXPECT_MSG_EQ(counters.xoffReceived, 1, "pause requests");
        NS_TEST_EXPECT_MSG_EQ(counters.xonReceived, 0, "it expired");
    }

    std::string m_rate; //!< line rate
    uint16_t m_quanta;  //!< pause time in the frame
    RocePs m_duration;  //!< expected duration, picoseconds
};

/**
 * @ingroup roce-tests
 * @brief Each class has its own timer; a new frame overwrites the timers it enables, also with a
 * shorter time, zero ends a pause at once, and classes not enabled are left alone.
 */
class PfcTimersTestCase : public TestCase
{
  public:
    PfcTimersTestCase()
        : TestCase("Pause timers of two priorities")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        fabric.roce.GetQosMap()->SetLosslessClasses((1 << ROCE_CLASS) | (1 << OTHER_CLASS));
        fabric.Pair();
        auto cable = fabric.GetCable(0);
        WireLog log(fabric, cable);
        for (const uint8_t dscp : {18, 26, 34})
        {
            ConnectWithDscp(fabric, 0, 1, dscp).first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        }
        const RocePs us = 1'000'000;
        const uint8_t roce = 1 << ROCE_CLASS;
        const uint8_t other = 1 << OTHER_CLASS;
        const RocePs quantum = 5'120; // 512 bit times at 100 Gb/s
        // Class 3: restarted at 12 us for a shorter time; it ends 200 quanta later.
        InjectPfc(cable, 1, 10 * us, roce, 1000);
        InjectPfc(cable, 1, 12 * us, roce, 200);
        // Both: class 4 is extended at 22 us, class 3 is not mentioned and expires.
        InjectPfc(cable, 1, 20 * us, roce | other, 1000);
        InjectPfc(cable, 1, 22 * us, other, 1000);
        // Both: class 3 is resumed at 33 us, class 4 is not mentioned and expires. Class 2 is
        // lossy and must not listen.
        InjectPfc(cable, 1, 30 * us, roce | other | (1 << LOSSY_CLASS), 1000);
        InjectPfc(cable, 1, 33 * us, roce, 0);
        Simulator::Stop(MicroSeconds(40));
        Simulator::Run();
        fabric.GetNic(0)->CatchUp(40 * us);

        const auto starts3 = log.GetStarts(0, ROCE_CLASS);
        const auto starts4 = log.GetStarts(0, OTHER_CLASS);
        const RocePs slot = fabric.Slot(FRAME);
        // Three equal weights: a class that may send gets a turn within a few slots.
        const RocePs turn = 4 * slot;

        const struct
        {
            const std::vector<RocePs>& starts; //!< of the class
            RocePs from;                       //!< pause
            RocePs to;                         //!< end of the pause
        } pauses[] = {
            {starts3, 10 * us, 12 * us + 200 * quantum},
            {starts3, 20 * us, 20 * us + 1000 * quantum},
            {starts4, 20 * us, 22 * us + 1000 * quantum},
            {starts3, 30 * us, 33 * us},
            {starts4, 30 * us, 30 * us + 1000 * quantum},
        };

        for (const auto& pause : pauses)
        {
            NS_TEST_EXPECT_MSG_EQ(CountStarts(pause.starts, pause.from, pause.to),
                                  0,
                                  "silent from " << pause.from << " to " << pause.to);
            NS_TEST_EXPECT_MSG_LT(FirstFrom(pause.starts, pause.to),
                                  pause.to + turn,
                                  "resumed after " << pause.to);
        }
        NS_TEST_EXPECT_MSG_GT(CountStarts(starts4, 10 * us, 12 * us),
                              2,
                              "a pause of class 3 does not hold class 4");
        // Someone may always send, so the line is never idle.
        NS_TEST_EXPECT_MSG_EQ(static_cast<RocePs>(log.GetStarts(0, LOSSY_CLASS).size() +
                                                  starts3.size() + starts4.size()),
                              (40 * us - 3 * fabric.ByteTimes(16)) / slot +
                                  1, // three packets with RETH
                              "a paused class never delays another");

        auto gate = GetGate(fabric.GetNic(0));
        const auto roceCounters = gate->GetCounters(ROCE_CLASS);
        NS_TEST_EXPECT_MSG_EQ(roceCounters.pausedTime,
                              2 * us + 200 * quantum + 1000 * quantum + 3 * us,
                              "paused time of class 3");
        NS_TEST_EXPECT_MSG_EQ(roceCounters.xoffReceived, 4, "pauses of class 3");
        NS_TEST_EXPECT_MSG_EQ(roceCounters.xonReceived, 1, "resumes of class 3");
        const auto otherCounters = gate->GetCounters(OTHER_CLASS);
        NS_TEST_EXPECT_MSG_EQ(otherCounters.pausedTime,
                              2 * us + 1000 * quantum + 1000 * quantum,
                              "paused time of class 4");
        NS_TEST_EXPECT_MSG_EQ(otherCounters.xoffReceived, 3, "pauses of class 4");
        const auto lossyCounters = gate->GetCounters(LOSSY_CLASS);
        NS_TEST_EXPECT_MSG_EQ(lossyCounters.xoffReceived, 0, "class 2 does not listen");
        NS_TEST_EXPECT_MSG_EQ(lossyCounters.pausedTime, 0, "class 2 is never paused");
    }
};

/**
 * @ingroup roce-tests
 * @brief Frames may start until ResponseTime after the arrival of XOFF; the pause still ends when
 * its time, counted from the arrival, is over.
 */
class PfcResponseTimeTestCase : public TestCase
{
  public:
    PfcResponseTimeTestCase()
        : TestCase("Response time")
    {
    }

  private:
    void DoRun() override
    {
        const RocePs response = 2'017'280; // 394 quanta, what IEEE 802.3 allows at 100 Gb/s
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        fabric.roce.SetPfcAttribute("ResponseTime", TimeValue(RoceClock::ToTime(response)));
        fabric.Pair();
        WireLog log(fabric, fabric.GetCable(0));
        fabric.Connect(0, 1).first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        const RocePs when = 5'000'000;
        const RocePs stop = when + RoceClock::FromTime(RoceClock::ToTime(response));
        const RocePs end = when + 1000 * RocePs{5'120};
        InjectPfc(fabric.GetCable(0), 1, when, 1 << ROCE_CLASS, 1000);
        Simulator::Stop(MicroSeconds(20));
        Simulator::Run();

        // Starts are at 0, then FIRST + 20 byte times later, then each FRAME + 20.
        const RocePs offset = fabric.ByteTimes(16);
        const RocePs slot = fabric.Slot(FRAME);
        const RocePs before = (when - offset - 1) / slot;
        const RocePs until = (stop - offset - 1) / slot;
        const auto starts = log.GetStarts(0, ROCE_CLASS);
        NS_TEST_EXPECT_MSG_EQ(CountStarts(starts, when, stop),
                              until - before,
                              "full rate within the response time");
        NS_TEST_EXPECT_MSG_GT(until - before, 5, "the case means something");
        NS_TEST_EXPECT_MSG_EQ(FirstFrom(starts, stop), end, "then silent until the pause ends");
        NS_TEST_EXPECT_MSG_EQ(GetGate(fabric.GetNic(0))->GetCounters(ROCE_CLASS).pausedTime,
                              end - stop,
                              "paused time");
    }
};

/**
 * @ingroup roce-tests
 * @brief The sending side: XOFF waits for the frame on the line and nothing else, is repeated each
 * half of its duration, and XON follows at once; the peer is silent all the time.
 */
class PfcRefreshTestCase : public TestCase
{
  public:
    PfcRefreshTestCase()
        : TestCase("XOFF, refresh and XON of a standing pause")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        // 2000 quanta of 5.12 ns last 10.24 us; refreshed each 5.12 us.
        fabric.roce.SetPfcAttribute("PauseQuanta", UintegerValue(2000));
        fabric.roce.SetPfcAttribute("RefreshFraction", DoubleValue(0.5));
        fabric.Pair();
        WireLog log(fabric, fabric.GetCable(0));
        fabric.Connect(0, 1).first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        // Host 1 sends in a class that is not paused, so that XOFF finds the line busy.
        ConnectWithDscp(fabric, 1, 0, 18).first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        auto nic = fabric.GetNic(1);
        Simulator::Schedule(MicroSeconds(5), [nic]() { SetHold(nic, ROCE_CLASS, true); });
        Simulator::Schedule(MicroSeconds(105), [nic]() { SetHold(nic, ROCE_CLASS, false); });
        Simulator::Stop(MicroSeconds(120));
        Simulator::Run();

        const RocePs us = 1'000'000;
        const RocePs interval = 1000 * RocePs{5'120};
        const RocePs slot = fabric.Slot(FRAME);
        const auto pfc = log.GetPfc(1);
        // The first XOFF at 5 us, each further one 5.12 us after the one before, XON at 105 us;
        // each waits for at most one frame.
        NS_TEST_ASSERT_MSG_GT(pfc.size(), 18, "100 us / (5.12 us + 0.33 us)");
        const std::size_t last = pfc.size() - 1;
        RocePs due = 5 * us;
        auto line = log.GetStarts(1, LOSSY_CLASS);
        const auto acks = log.GetStarts(1, ROCE_CLASS);
        line.insert(line.end(), acks.begin(), acks.end());
        std::sort(line.begin(), line.end());
        for (std::size_t k = 0; k < pfc.size(); k++)
        {
            if (k == last)
            {
                NS_TEST_EXPECT_MSG_GT(due + slot, 105 * us, "no refresh is missing");
                due = 105 * us;
            }
            NS_TEST_EXPECT_MSG_GT_OR_EQ(pfc[k].start, due, "not before it is due, frame " << k);
            NS_TEST_EXPECT_MSG_LT(pfc[k].start, due + slot, "after at most one frame, " << k);
            NS_TEST_EXPECT_MSG_EQ(CountStarts(line, due, pfc[k].start),
                                  0,
                                  "nothing starts while a PFC frame waits");
            NS_TEST_EXPECT_MSG_EQ(pfc[k].bytes, 64, "PFC frame");
            due = pfc[k].start + interval;
        }
        const auto starts = log.GetStarts(0, ROCE_CLASS);
        NS_TEST_EXPECT_MSG_EQ(CountStarts(starts, pfc[0].arrival, pfc[last].arrival),
                              0,
                              "silent for as long as the hold stands");
        // The peer resumes at once, or after the ACK that is on its line.
        NS_TEST_EXPECT_MSG_LT(FirstFrom(starts, pfc[last].arrival),
                              pfc[last].arrival + fabric.Slot(RoceFabricFixture::ACK),
                              "XON resumes at once");
        const auto sent = GetGate(nic)->GetCounters(ROCE_CLASS);
        NS_TEST_EXPECT_MSG_EQ(sent.xoffSent, last, "XOFF sent");
        NS_TEST_EXPECT_MSG_EQ(sent.xonSent, 1, "XON sent");
        NS_TEST_EXPECT_MSG_EQ(sent.holdTime, 100 * us, "time from Hold() to Release()");
        const auto received = GetGate(fabric.GetNic(0))->GetCounters(ROCE_CLASS);
        NS_TEST_EXPECT_MSG_EQ(received.xoffReceived, last, "XOFF received");
        NS_TEST_EXPECT_MSG_EQ(received.xonReceived, 1, "XON received");
        NS_TEST_EXPECT_MSG_EQ(received.pausedTime,
                              pfc[last].arrival - pfc[0].arrival,
                              "one pause from the first XOFF to XON");
        NS_TEST_EXPECT_MSG_EQ(nic->GetTxControlCounters().frames, last + 1, "control frames");
        NS_TEST_EXPECT_MSG_EQ(nic->GetTxControlCounters().bytes, (last + 1) * 64, "their bytes");
    }
};

/**
 * @ingroup roce-tests
 * @brief A PFC frame as a promiscuous sniffer sees it at both ends, byte by byte.
 */
class PfcFrameTestCase : public TestCase
{
  public:
    PfcFrameTestCase()
        : TestCase("Bytes of a PFC frame on the wire")
    {
    }

  private:
    /// @param packet a frame on the cable
    void Sniff(Ptr<const Packet> packet)
    {
        std::vector<uint8_t> bytes(packet->GetSize());
        packet->CopyData(bytes.data(), packet->GetSize());
        m_frames.push_back(bytes);
    }

    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Pair();
        for (uint32_t i = 0; i < 2; i++)
        {
            fabric.GetNic(i)->TraceConnectWithoutContext(
                "PromiscSniffer",
                MakeCallback(&PfcFrameTestCase::Sniff, this));
        }
        auto nic = fabric.GetNic(0);
        SetHold(nic, ROCE_CLASS, true);
        Simulator::Schedule(MicroSeconds(10), [nic]() { SetHold(nic, ROCE_CLASS, false); });
        Simulator::Run();

        // IEEE 802.1Q, figure 36-1, and 802.3, annex 31D: reserved group address, EtherType of MAC
        // control, opcode of PFC, class-enable vector, eight timers, padding to 60 bytes; the FCS
        // makes it 64.
        std::vector<uint8_t> expected = {0x01,
                                         0x80,
                                         0xc2,
                                         0x00,
                                         0x00,
                                         0x01,
                                         0,
                                         0,
                                         0,
                                         0,
                                         0,
                                         0,
                                         0x88,
                                         0x08,
                                         0x01,
                                         0x01,
                                         0x00,
                                         0x08};
        expected.resize(60, 0);
        expected[18 + 2 * ROCE_CLASS] = expected[19 + 2 * ROCE_CLASS] = 0xff;
        nic->GetMacAddress().CopyTo(expected.data() + 6);
        NS_TEST_ASSERT_MSG_EQ(m_frames.size(), 4, "XOFF and XON, seen at both ends");
        NS_TEST_EXPECT_MSG_EQ((m_frames[0] == expected), true, "XOFF where it is sent");
        NS_TEST_EXPECT_MSG_EQ((m_frames[1] == expected), true, "XOFF where it is received");
        expected[18 + 2 * ROCE_CLASS] = expected[19 + 2 * ROCE_CLASS] = 0;
        NS_TEST_EXPECT_MSG_EQ((m_frames[2] == expected), true, "XON where it is sent");
        NS_TEST_EXPECT_MSG_EQ((m_frames[3] == expected), true, "XON where it is received");
    }

    std::vector<std::vector<uint8_t>> m_frames; //!< what was seen
};

/**
 * @ingroup roce-tests
 * @brief A receiver that is congested for 2 ms at 400 Gb/s, where one pause lasts 83.88 us, holds
 * its sender all the time, through a switch, without loss.
 */
class PfcLongHoldTestCase : public TestCase
{
  public:
    PfcLongHoldTestCase()
        : TestCase("Congestion much longer than the longest pause")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric("400Gbps");
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        fabric.Star(2);
        auto qp = fabric.Connect(0, 1).first;
        qp->PostSend(RdmaWorkRequest::Write(20'000'000));
        auto nic = fabric.GetNic(1);
        Simulator::Schedule(MicroSeconds(10), [nic]() { SetHold(nic, ROCE_CLASS, true); });
        uint64_t packets = 0;
        Simulator::Schedule(MicroSeconds(500), [&]() { packets = qp->GetCounters().packetsSent; });
        Simulator::Schedule(MicroSeconds(2010), [&]() {
            NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().packetsSent, packets, "nothing moves");
            SetHold(nic, ROCE_CLASS, false);
        });
        Simulator::Run();

        // Repeated each 41.94 us: 2 ms / 41.9424 us = 47.7, so XOFF number 0 to 47.
        const auto host = GetGate(nic)->GetCounters(ROCE_CLASS);
        NS_TEST_EXPECT_MSG_EQ(host.xoffSent, 48, "XOFF of the receiver");
        auto sw = fabric.GetSwitch();
        const auto port = GetGate(sw->GetPort(0))->GetCounters(ROCE_CLASS);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(port.xoffSent, 24, "XOFF of the switch");
        NS_TEST_EXPECT_MSG_EQ(sw->GetTotalDrops(true), 0, "nothing is lost");
        NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().completed, 1, "and all arrives in the end");
        NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().retransmittedPackets, 0, "at the first attempt");
    }
};

/**
 * @ingroup roce-tests
 * @brief Congestion in a lossy class is answered by drops, never by PFC frames; the same without
 * PFC in the lossless class.
 */
class PfcLossyTestCase : public TestCase
{
  public:
    /// @param lossy true to use a lossy class, false to turn PFC off
    explicit PfcLossyTestCase(bool lossy)
        : TestCase(lossy ? "A lossy class never pauses" : "PFC turned off"),
          m_lossy(lossy)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.EnablePfc(m_lossy);
        fabric.roce.SetBufferAttribute("TotalBytes", UintegerValue(2'000'000));
        fabric.Star(5);
        for (uint32_t i = 1; i < 5; i++)
        {
            ConnectWithDscp(fabric, i, 0, m_lossy ? 18 : 26)
                .first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        }
        // An XOFF from outside is not obeyed either.
        const RocePs when = 10'000'000;
        InjectPfc(fabric.GetCable(1), 1, when, 0xff, 0xffff);
        uint64_t before = 0;
        auto nic = fabric.GetNic(1);
        const uint8_t c = m_lossy ? LOSSY_CLASS : ROCE_CLASS;
        Simulator::Schedule(MicroSeconds(10), [&]() { before = nic->GetTxCounters(c).frames; });
        Simulator::Schedule(MicroSeconds(50), [&]() {
            NS_TEST_EXPECT_MSG_GT(nic->GetTxCounters(c).frames, before + 400, "XOFF not obeyed");
        });
        Simulator::Stop(MicroSeconds(500));
        Simulator::Run();

        auto sw = fabric.GetSwitch();
        NS_TEST_EXPECT_MSG_GT(sw->GetTotalDrops(!m_lossy), 0, "congestion means loss");
        for (uint16_t p = 0; p < 5; p++)
        {
            NS_TEST_EXPECT_MSG_EQ(sw->GetPort(p)->GetTxControlCounters().frames,
                                  0,
                                  "PFC frames of port " << p);
            NS_TEST_EXPECT_MSG_EQ(fabric.GetNic(p)->GetTxControlCounters().frames,
                                  0,
                                  "PFC frames of host " << p);
        }
    }

    bool m_lossy; //!< use a lossy class
};

/**
 * @ingroup roce-tests
 * @brief Test suite of priority-based flow control.
 */
class RocePfcTestSuite : public TestSuite
{
  public:
    RocePfcTestSuite()
        : TestSuite("roce-pfc", Type::UNIT)
    {
        // 512 bit times x 65535, from the speed alone.
        AddTestCase(new PfcDurationTestCase("10Gbps", 65535, 3'355'392'000));
        AddTestCase(new PfcDurationTestCase("25Gbps", 65535, 1'342'156'800));
        AddTestCase(new PfcDurationTestCase("40Gbps", 65535, 838'848'000));
        AddTestCase(new PfcDurationTestCase("100Gbps", 65535, 335'539'200));
        AddTestCase(new PfcDurationTestCase("200Gbps", 65535, 167'769'600));
        AddTestCase(new PfcDurationTestCase("400Gbps", 65535, 83'884'800));
        AddTestCase(new PfcDurationTestCase("800Gbps", 65535, 41'942'400));
        AddTestCase(new PfcDurationTestCase("1600Gbps", 65535, 20'971'200));
        AddTestCase(new PfcDurationTestCase("100Gbps", 1000, 5'120'000));
        AddTestCase(new PfcDurationTestCase("100Gbps", 100, 512'000));
        AddTestCase(new PfcTimersTestCase);
        AddTestCase(new PfcResponseTimeTestCase);
        AddTestCase(new PfcRefreshTestCase);
        AddTestCase(new PfcFrameTestCase);
        AddTestCase(new PfcLongHoldTestCase);
        AddTestCase(new PfcLossyTestCase(true));
        AddTestCase(new PfcLossyTestCase(false));
    }
};

RocePfcTestSuite g_rocePfcTestSuite; //!< static instance

} // namespace
