/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-cnp-generator.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-fixed-rate.h"
#include "ns3/rdma-no-congestion-control.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr RocePs US = 1'000'000; //!< one microsecond

/**
 * @ingroup roce-tests
 * @brief Writes down which of its private verbs are called.
 */
class ProbeOps : public RdmaCongestionOps
{
  public:
    std::string GetName() const override
    {
        return "probe";
    }

    std::vector<std::string> calls; //!< names of the verbs called, with their times

  private:
    void DoInit(RdmaCongestionState& state, RocePs now) override
    {
        state.rate = state.lineRate;
        state.nextUpdate = 100;
        calls.push_back("init " + std::to_string(now));
    }

    void DoUpdate(RdmaCongestionState& state, RocePs now) override
    {
        state.nextUpdate = now + 100;
        calls.push_back("update " + std::to_string(now));
    }

    void DoPacketSent(RdmaCongestionState&, RocePs now, uint32_t wireBytes) override
    {
        calls.push_back("sent " + std::to_string(now) + " " + std::to_string(wireBytes));
    }

    void DoAckReceived(RdmaCongestionState&, const RdmaAckEvent& event) override
    {
        calls.push_back("ack " + std::to_string(event.time));
    }

    void DoCnpReceived(RdmaCongestionState&, RocePs now) override
    {
        calls.push_back("cnp " + std::to_string(now));
    }

    void DoLossDetected(RdmaCongestionState&, RocePs now, bool timeout) override
    {
        calls.push_back((timeout ? "timeout " : "nak ") + std::to_string(now));
    }
};

/**
 * @ingroup roce-tests
 * @brief The accounting that the base class does for every algorithm.
 */
class CongestionOpsTestCase : public TestCase
{
  public:
    CongestionOpsTestCase()
        : TestCase("verbs bring timers up to date first and count signals")
    {
    }

  private:
    void DoRun() override
    {
        auto probe = CreateObject<ProbeOps>();
        RdmaCongestionState state;
        state.lineRate = 1000;
        probe->Init(state, 5);
        probe->Update(state, 99);           // not due
        probe->PacketSent(state, 99, 1082); // not due
        probe->PacketSent(state, 100, 64);  // due: next at 200
        probe->CnpReceived(state, 250);     // due: next at 350
        RdmaAckEvent ack;
        ack.time = 300;
        probe->AckReceived(state, ack);
        ack.time = 350;
        ack.ecnEcho = true;
        probe->AckReceived(state, ack); // due: next at 450
        probe->LossDetected(state, 400, false);
        probe->LossDetected(state, 450, true); // due

        const std::vector<std::string> expected{"init 5",
                                                "sent 99 1082",
                                                "update 100",
                                                "sent 100 64",
                                                "update 250",
                                                "cnp 250",
                                                "ack 300",
                                                "update 350",
                                                "ack 350",
                                                "nak 400",
                                                "update 450",
                                                "timeout 450"};
        NS_TEST_ASSERT_MSG_EQ(probe->calls.size(), expected.size(), "number of calls");
        for (std::size_t i = 0; i < expected.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(probe->calls[i], expected[i], "call " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(state.signals, 4, "a CNP, a marked ACK, a NAK, a timeout");
    }
};

/**
 * @ingroup roce-tests
 * @brief Algorithms that do not listen.
 */
class ConstantRateTestCase : public TestCase
{
  public:
    ConstantRateTestCase()
        : TestCase("no congestion control and a fixed rate ignore all signals")
    {
    }

  private:
    void DoRun() override
    {
        Check(ObjectFactory("ns3::RdmaNoCongestionControl"),
              400'000'000'000,
              RdmaCongestionState::UNLIMITED);
        ObjectFactory windowed("ns3::RdmaNoCongestionControl");
        windowed.Set("Window", UintegerValue(100'000));
        Check(windowed, 400'000'000'000, 100'000);
        Check(ObjectFactory("ns3::RdmaFixedRate"), 10'000'000'000, RdmaCongestionState::UNLIMITED);
        ObjectFactory fixed("ns3::RdmaFixedRate");
        fixed.Set("Rate", DataRateValue(DataRate("399999999999bps")));
        Check(fixed, 399'999'999'999, RdmaCongestionState::UNLIMITED);
    }

    /**
     * @param factory makes the algorithm
     * @param rate expected rate, bit/s
     * @param window expected window, bytes
     */
    void Check(const ObjectFactory& factory, uint64_t rate, uint64_t window)
    {
        auto ops = factory.Create<RdmaCongestionOps>();
        RdmaCongestionState state;
        state.lineRate = 400'000'000'000;
        state.pathMtu = 4096;
        ops->Init(state, 0);
        for (int i = 1; i <= 3; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(state.rate, rate, ops->GetName() << ": rate");
            NS_TEST_EXPECT_MSG_EQ(state.window, window, ops->GetName() << ": window");
            NS_TEST_EXPECT_MSG_EQ(state.nextUpdate,
                                  RdmaCongestionState::NEVER,
                                  ops->GetName() << ": no timer");
            ops->PacketSent(state, i * US, 4178);
            ops->CnpReceived(state, i * US);
            ops->LossDetected(state, i * US, true);
        }
        NS_TEST_EXPECT_MSG_EQ(state.signals, 6, ops->GetName() << ": signals are counted");
    }
};

/**
 * @ingroup roce-tests
 * @brief The receiver: how many CNPs for how many marked packets.
 */
class CnpGeneratorTestCase : public TestCase
{
  public:
    CnpGeneratorTestCase()
        : TestCase("CNP generator: interval, scopes, memory")
    {
    }

  private:
    void DoRun() override
    {
        auto generator = CreateObject<RdmaCnpGenerator>();
        NS_TEST_EXPECT_MSG_EQ(+generator->GetCnpDscp(), 48, "default DSCP");
        NS_TEST_EXPECT_MSG_EQ(generator->GetProcessingDelay(), 0, "default processing delay");

        // 4096-byte packets at 100 Gb/s come every 334.24 ns; each 150th comes 50.136 us after the
        // last CNP, the first such that is not earlier than 50 us: 10 ms / 50.136 us = 199.5.
        const RocePs packet = 334'240;
        NS_TEST_EXPECT_MSG_EQ(CountCnps("PER_QP", 1, 1, packet), 200, "one QP");
        NS_TEST_EXPECT_MSG_EQ(CountCnps("PER_QP", 2, 1, packet), 400, "two QPs of one sender");
        NS_TEST_EXPECT_MSG_EQ(CountCnps("PER_ADDRESS", 2, 1, packet), 200, "two QPs, per address");
        NS_TEST_EXPECT_MSG_EQ(CountCnps("PER_ADDRESS", 2, 2, packet), 400, "two senders");
        NS_TEST_EXPECT_MSG_EQ(CountCnps("PER_PORT", 2, 2, packet), 200, "two senders, per port");
        // Packets of 1 us: one exactly at the end of the interval is answered.
        NS_TEST_EXPECT_MSG_EQ(CountCnps("PER_QP", 1, 1, US), 200, "exactly 50 us");
        Boundaries();
        Memory();
    }

    /**
     * @param scope value of Scope
     * @param qps number of QPs, whose packets alternate
     * @param senders number of senders, who own the QPs in turn
     * @param spacing time between packets
     * @return CNPs in 10 ms if all packets are marked
     */
    uint64_t CountCnps(const std::string& scope, uint32_t qps, uint32_t senders, RocePs spacing)
    {
        auto generator = CreateObject<RdmaCnpGenerator>();
        generator->SetAttribute("Scope", StringValue(scope));
        uint64_t cnps = 0;
        uint64_t packets = 0;
        std::vector<RocePs> last(qps, -1);
        for (RocePs now = 0; now < 10'000 * US; now += spacing)
        {
            const auto qp = static_cast<uint32_t>(packets++ % qps);
            RoceAddressBytes peer{10, 0, 0, static_cast<uint8_t>(qp % senders)};
            if (generator->ShouldSend(100 + qp, peer, now))
            {
                cnps++;
                NS_TEST_EXPECT_MSG_EQ((last[qp] < 0 || now - last[qp] >= 50 * US),
                                      true,
                                      scope << ": interval at " << now);
                last[qp] = now;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(generator->GetSent(), cnps, scope << ": sent");
        NS_TEST_EXPECT_MSG_EQ(generator->GetSuppressed(), packets - cnps, scope << ": suppressed");
        return cnps;
    }

    /// The first mark, the last picosecond of the interval, and no interval.
    void Boundaries()
    {
        const RoceAddressBytes peer{};
        auto generator = CreateObject<RdmaCnpGenerator>();
        NS_TEST_EXPECT_MSG_EQ(generator->ShouldSend(1, peer, 7), true, "first mark");
        NS_TEST_EXPECT_MSG_EQ(generator->ShouldSend(2, peer, 7), true, "another QP");
        NS_TEST_EXPECT_MSG_EQ(generator->ShouldSend(1, peer, 50 * US + 6), false, "1 ps early");
        NS_TEST_EXPECT_MSG_EQ(generator->ShouldSend(1, peer, 50 * US + 7), true, "on time");
        NS_TEST_EXPECT_MSG_EQ(generator->ShouldSend(1, peer, 100 * US + 6),
                              false,
                              "counts from it");

        generator->SetAttribute("CnpInterval", TimeValue(Time(0)));
        for (int i = 0; i < 3; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(generator->ShouldSend(1, peer, 200 * US), true, "no interval");
        }
    }

    /// Many QPs, one each 100 ns: those of the last 50 us are remembered.
    void Memory()
    {
        auto generator = CreateObject<RdmaCnpGenerator>();
        for (uint32_t qpn = 0; qpn < 100'000; qpn++)
        {
            NS_TEST_ASSERT_MSG_EQ(generator->ShouldSend(qpn, RoceAddressBytes{}, qpn * US / 10),
                                  true,
                                  "each QP is new");
            NS_TEST_ASSERT_MSG_LT_OR_EQ(generator->GetRemembered(), 500, "memory");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Congestion control interface, trivial algorithms and the CNP generator.
 */
class RoceCongestionTestSuite : public TestSuite
{
  public:
    RoceCongestionTestSuite()
        : TestSuite("roce-congestion", Type::UNIT)
    {
        AddTestCase(new CongestionOpsTestCase());
        AddTestCase(new ConstantRateTestCase());
        AddTestCase(new CnpGeneratorTestCase());
    }
};

RoceCongestionTestSuite g_roceCongestionTestSuite; //!< the suite

} // namespace
