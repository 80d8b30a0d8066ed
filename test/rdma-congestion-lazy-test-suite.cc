/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief What happens to a flow: it sends a packet or is given a CNP.
 */
struct Input
{
    int64_t time;   //!< when, ns
    uint32_t bytes; //!< length of the packet, 0 for a CNP
};

/**
 * @ingroup roce-tests
 * @brief One line of a trace.
 */
struct Change
{
    int64_t time;     //!< when, ns
    uint64_t current; //!< Rc rounded, 0 in a trace of alpha
    uint64_t target;  //!< Rt rounded, 0 in a trace of alpha
    double alpha;     //!< alpha

    /**
     * @param other another line
     * @return true if all is equal to the last bit
     */
    bool operator==(const Change& other) const
    {
        return time == other.time && current == other.current && target == other.target &&
               alpha == other.alpha;
    }
};

/**
 * @ingroup roce-tests
 * @brief Constants that a reference needs.
 */
struct Constants
{
    bool nic;                     //!< rules of NICs
    double g;                     //!< g
    double alpha;                 //!< initial alpha
    int64_t alphaTimer;           //!< ns
    int64_t cutTimer;             //!< ns
    int64_t rateTimer;            //!< ns
    uint64_t byteCounter;         //!< bytes
    uint64_t f;                   //!< stages of fast recovery
    double ai;                    //!< bit/s
    double hai;                   //!< bit/s
    double min;                   //!< bit/s
    double max;                   //!< bit/s
    int64_t delay{0};             //!< reaction delay, ns
    double first{0};              //!< rate on first CNP, bit/s, 0 for none
    bool scale{false};            //!< hyper step grows with the stage
    RdmaDcqcn::TargetClamp clamp; //!< when the target follows
};

/**
 * @ingroup roce-tests
 * @brief DCQCN written the other way: every timer is a simulator event, and timers never rest.
 *
 * Written from the class documentation of RdmaDcqcn only. Several things may happen at one time;
 * their order is that of the documentation. To leave nothing to the event scheduler, one nanosecond
 * of the flow is PHASES ticks of the simulator, and each kind of event has its own.
 */
class EagerDcqcn
{
  public:
    /// Order of events at one time.
    enum Phase
    {
        ALPHA,
        CUT,
        RATE,
        DELAYED_CNP,
        INPUT,
        PHASES
    };

    /**
     * @param constants the constants
     */
    explicit EagerDcqcn(const Constants& constants)
        : k(constants),
          rc(constants.max),
          rt(constants.max),
          alpha(constants.alpha)
    {
    }

    /**
     * Schedule an input.
     * @param input the input
     */
    void Add(const Input& input)
    {
        At(input.time, INPUT, &EagerDcqcn::HandleInput, input);
    }

    Constants k;                    //!< the constants
    double rc;                      //!< Rc
    double rt;                      //!< Rt
    double alpha;                   //!< alpha
    std::vector<Change> rates;      //!< changes of rates
    std::vector<Change> alphas;     //!< changes of alpha
    std::vector<uint64_t> atInputs; //!< rate after each input

  private:
    /// @return time of the flow, ns
    static int64_t Now()
    {
        return Simulator::Now().GetNanoSeconds() / PHASES;
    }

    /**
     * @tparam F type of the member function
     * @tparam Args types of its arguments
     * @param time time of the flow, ns
     * @param phase kind of event
     * @param function what to call
     * @param args its arguments
     * @return the event
     */
    template <typename F, typename... Args>
    EventId At(int64_t time, Phase phase, F function, Args... args)
    {
        return Simulator::Schedule(NanoSeconds(time * PHASES + phase) - Simulator::Now(),
                                   function,
                                   this,
                                   args...);
    }

    /// @param input what happens
    void HandleInput(Input input)
    {
        if (input.bytes == 0)
        {
            if (k.delay == 0)
            {
                HandleCnp();
            }
            else
            {
                At(Now() + k.delay, DELAYED_CNP, &EagerDcqcn::HandleCnp);
            }
        }
        else if (!k.nic && m_started && k.byteCounter != 0)
        {
            m_sent += input.bytes;
            for (; m_sent >= k.byteCounter; m_sent -= k.byteCounter)
            {
                m_byteStage++;
                Raise();
            }
        }
        atInputs.push_back(std::llround(rc));
    }

    /// A CNP takes effect.
    void HandleCnp()
    {
        if (k.nic)
        {
            m_alphaFlag = m_cutFlag = true;
            if (!m_started)
            {
                m_started = true;
                m_alphaEvent = At(Now() + k.alphaTimer, ALPHA, &EagerDcqcn::AlphaExpires);
                At(Now() + k.cutTimer, CUT, &EagerDcqcn::CutExpires);
                if (k.first != 0)
                {
                    rt = rc = k.first;
                    Record();
                }
            }
            return;
        }
        m_started = true;
        Lower();
        alpha = (1 - k.g) * alpha + k.g;
        alphas.push_back({Now(), 0, 0, alpha});
        m_alphaEvent.Cancel();
        m_alphaEvent = At(Now() + k.alphaTimer, ALPHA, &EagerDcqcn::AlphaExpires);
        RestartRate();
        Record();
    }

    /// The alpha timer expires.
    void AlphaExpires()
    {
        const double old = alpha;
        alpha = (1 - k.g) * alpha;
        if (m_alphaFlag)
        {
            alpha += k.g;
        }
        m_alphaFlag = false;
        if (alpha != old)
        {
            alphas.push_back({Now(), 0, 0, alpha});
        }
        m_alphaEvent = At(Now() + k.alphaTimer, ALPHA, &EagerDcqcn::AlphaExpires);
    }

    /// The cut timer expires.
    void CutExpires()
    {
        At(Now() + k.cutTimer, CUT, &EagerDcqcn::CutExpires);
        if (m_cutFlag)
        {
            m_cutFlag = false;
            Lower();
            RestartRate();
            Record();
        }
    }

    /// Start the rate timer again.
    void RestartRate()
    {
        m_rateEvent.Cancel();
        m_rateEvent = At(Now() + k.rateTimer, RATE, &EagerDcqcn::RateExpires);
    }

    /// The rate timer expires.
    void RateExpires()
    {
        m_timerStage++;
        RestartRate();
        Raise();
    }

    /// Cut the rate.
    void Lower()
    {
        const bool follow =
            k.clamp == RdmaDcqcn::ALWAYS ||
            (k.clamp == RdmaDcqcn::AFTER_INCREASE && m_timerStage + m_byteStage > 0) ||
            (k.clamp == RdmaDcqcn::AFTER_BYTE_STAGE && m_byteStage > 0);
        if (follow)
        {
            rt = rc;
        }
        rc = std::max(rc * (1 - alpha / 2), k.min);
        m_timerStage = m_byteStage = m_sent = 0;
    }

    /// Raise the rate.
    void Raise()
    {
        if (rc == k.max)
        {
            return; // nowhere to go
        }
        const uint64_t less = std::min(m_timerStage, m_byteStage);
        const uint64_t more = std::max(m_timerStage, m_byteStage);
        if (k.nic)
        {
            rt += more > k.f + 1 ? k.hai : (more == k.f + 1 ? k.ai : 0);
        }
        else if (less > k.f)
        {
            rt += k.scale ? k.hai * static_cast<double>(less - k.f) : k.hai;
        }
        else if (more > k.f)
        {
            rt += k.ai;
        }
        rt = std::min(rt, k.max);
        rc = (rc + rt) / 2;
        if (k.max - rc < 0.5)
        {
            rt = rc = k.max;
        }
        Record();
    }

    /// Write a line of the trace of rates.
    void Record()
    {
        rates.push_back({Now(),
                         static_cast<uint64_t>(std::llround(rc)),
                         static_cast<uint64_t>(std::llround(rt)),
                         alpha});
    }

    uint64_t m_timerStage{0}; //!< timer stage
    uint64_t m_byteStage{0};  //!< byte stage
    uint64_t m_sent{0};       //!< bytes since the last byte stage
    bool m_started{false};    //!< a CNP came
    bool m_alphaFlag{false};  //!< a CNP came in this alpha period
    bool m_cutFlag{false};    //!< a CNP came in this cut period
    EventId m_alphaEvent;     //!< alpha timer
    EventId m_rateEvent;      //!< rate timer
};

/**
 * @ingroup roce-tests
 * @brief The same random life of a flow, lazily and with timers.
 */
class DcqcnLazyTestCase : public TestCase
{
  public:
    /**
     * @param name what is special
     * @param attributes attributes of RdmaDcqcn
     * @param constants the same for the reference
     */
    DcqcnLazyTestCase(const std::string& name,
                      std::vector<std::pair<std::string, std::string>> attributes,
                      const Constants& constants)
        : TestCase("lazy timers equal simulator events: " + name),
          m_attributes(std::move(attributes)),
          m_constants(constants)
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<Input> inputs = MakeInputs();
        const int64_t end = inputs.back().time;

        EagerDcqcn eager(m_constants);
        for (const auto& input : inputs)
        {
            eager.Add(input);
        }
        Simulator::Stop(NanoSeconds((end + 1) * EagerDcqcn::PHASES));
        Simulator::Run();
        Simulator::Destroy();

        // Once looked at only when something is reported, once at every time that was asked for.
        for (const bool punctual : {false, true})
        {
            Compare(inputs, eager, punctual);
        }
    }

    /// @return a random life of 3000 inputs with bursts of CNPs and silences
    std::vector<Input> MakeInputs() const
    {
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(4791);
        std::vector<Input> inputs;
        int64_t now = 0;
        for (int i = 0; i < 3000; i++)
        {
            const auto kind = random->GetInteger(0, 99);
            now += random->GetInteger(10, 3000);
            if (kind == 0)
            {
                now += random->GetInteger(500'000, 3'000'000); // silence
            }
            else if (kind < 40)
            {
                now = (now / 1000 + 1) * 1000; // a time at which timers expire, too
            }
            // CNPs come at one input in 8, but none in each fourth block of 250 inputs.
            const bool cnp = random->GetInteger(0, 7) == 0 && i / 250 % 4 != 3;
            inputs.push_back({now, cnp ? 0 : random->GetInteger(84, 4178)});
        }
        inputs.push_back({now + 1'000'000, 0}); // brings everything up to date
        return inputs;
    }

    /**
     * Run RdmaDcqcn and compare.
     * @param inputs the life
     * @param eager the reference, which has lived it
     * @param punctual whether to call Update() when it is due, like a QP with data to send
     */
    void Compare(const std::vector<Input>& inputs, const EagerDcqcn& eager, bool punctual)
    {
        ObjectFactory factory("ns3::RdmaDcqcn");
        for (const auto& [name, value] : m_attributes)
        {
            factory.Set(name, StringValue(value));
        }
        m_rates.clear();
        m_alphas.clear();
        auto cc = factory.Create<RdmaDcqcn>();
        cc->TraceConnectWithoutContext("Rate", MakeCallback(&DcqcnLazyTestCase::TraceRate, this));
        cc->TraceConnectWithoutContext("Alpha", MakeCallback(&DcqcnLazyTestCase::TraceAlpha, this));
        RdmaCongestionState state;
        state.lineRate = 100'000'000'000;
        state.pathMtu = 4096;
        cc->Init(state, 0);

        std::vector<uint64_t> atInputs;
        uint64_t updates = 0;
        for (const auto& input : inputs)
        {
            const RocePs now = input.time * 1000;
            while (punctual && state.nextUpdate <= now)
            {
                const RocePs due = state.nextUpdate;
                const std::size_t before = m_rates.size();
                const uint64_t rate = state.rate;
                cc->Update(state, due - 1);
                NS_TEST_ASSERT_MSG_EQ(m_rates.size(), before, "no change before nextUpdate");
                NS_TEST_ASSERT_MSG_EQ(state.rate, rate, "no change before nextUpdate");
                cc->Update(state, due);
                NS_TEST_ASSERT_MSG_GT(state.nextUpdate, due, "progress");
                updates++;
            }
            if (input.bytes == 0)
            {
                cc->CnpReceived(state, now);
            }
            else
            {
                cc->PacketSent(state, now, input.bytes);
            }
            atInputs.push_back(state.rate);
        }
        const int64_t end = inputs.back().time;
        NS_TEST_EXPECT_MSG_EQ((updates > 100), punctual, "updates were asked for");
        NS_TEST_EXPECT_MSG_GT(m_rates.size(), 300, "a life with changes");
        NS_TEST_EXPECT_MSG_EQ((m_rates == eager.rates), true, "trace of rates" << Where(eager));
        NS_TEST_EXPECT_MSG_EQ((atInputs == eager.atInputs), true, "rates at inputs");
        NS_TEST_EXPECT_MSG_EQ(cc->GetCurrentRate(), eager.rc, "Rc at the end");
        NS_TEST_EXPECT_MSG_EQ(cc->GetTargetRate(), eager.rt, "Rt at the end");
        NS_TEST_EXPECT_MSG_EQ(cc->GetAlpha(end * 1000), eager.alpha, "alpha at the end");
        // The last expiries of the alpha timer may not have been looked at.
        NS_TEST_EXPECT_MSG_GT(m_alphas.size(), 500, "alpha changes");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(m_alphas.size(), eager.alphas.size(), "trace of alpha");
        NS_TEST_EXPECT_MSG_EQ(std::equal(m_alphas.begin(), m_alphas.end(), eager.alphas.begin()),
                              true,
                              "trace of alpha");
    }

    /**
     * @param eager the reference
     * @return the first difference, for the message
     */
    std::string Where(const EagerDcqcn& eager) const
    {
        const auto size = std::min(m_rates.size(), eager.rates.size());
        for (std::size_t i = 0; i < size; i++)
        {
            if (!(m_rates[i] == eager.rates[i]))
            {
                return ": line " + std::to_string(i) + ", " + std::to_string(m_rates[i].time) +
                       " ns, " + std::to_string(m_rates[i].current) + " instead of " +
                       std::to_string(eager.rates[i].time) + " ns, " +
                       std::to_string(eager.rates[i].current);
            }
        }
        return ": " + std::to_string(m_rates.size()) + " lines instead of " +
               std::to_string(eager.rates.size());
    }

    /**
     * @param when time of the change
     * @param current Rc
     * @param target Rt
     * @param alpha alpha
     */
    void TraceRate(Time when, uint64_t current, uint64_t target, double alpha)
    {
        m_rates.push_back({when.GetNanoSeconds(), current, target, alpha});
    }

    /**
     * @param when time of the change
     * @param alpha alpha
     */
    void TraceAlpha(Time when, double alpha)
    {
        m_alphas.push_back({when.GetNanoSeconds(), 0, 0, alpha});
    }

    std::vector<std::pair<std::string, std::string>> m_attributes; //!< for RdmaDcqcn
    Constants m_constants;                                         //!< for the reference
    std::vector<Change> m_rates;                                   //!< trace of RdmaDcqcn
    std::vector<Change> m_alphas;                                  //!< trace of RdmaDcqcn
};

/**
 * @ingroup roce-tests
 * @brief Lazy evaluation of the timers of DCQCN.
 */
class RoceDcqcnLazyTestSuite : public TestSuite
{
  public:
    RoceDcqcnLazyTestSuite()
        : TestSuite("roce-dcqcn-lazy", Type::UNIT)
    {
        // clang-format off
        const Constants paper{false, 1.0 / 256, 1, 55'000, 50'000, 55'000, 10'000'000, 5,
                              40e6, 200e6, 10e6, 100e9, 0, 0, false, RdmaDcqcn::ALWAYS};
        const Constants hpcc{true, 1.0 / 256, 1, 1'000, 4'000, 300'000, 0, 1,
                             20e6, 200e6, 1e9, 100e9, 0, 0, false, RdmaDcqcn::AFTER_INCREASE};
        const Constants nvidia{true, 5.0 / 1024, 1023.0 / 1024, 1'000, 4'000, 300'000, 0, 1,
                               5e6, 50e6, 1e6, 100e9, 0, 0, false, RdmaDcqcn::AFTER_INCREASE};
        // clang-format on

        AddTestCase(new DcqcnLazyTestCase("preset paper", {}, paper));
        AddTestCase(new DcqcnLazyTestCase("preset hpcc", {{"Preset", "hpcc"}}, hpcc));
        AddTestCase(new DcqcnLazyTestCase("preset nvidia", {{"Preset", "nvidia"}}, nvidia));

        Constants bytes = paper;
        bytes.byteCounter = 20'000;
        bytes.f = 2;
        bytes.alphaTimer = 5'000;
        bytes.rateTimer = 5'000;
        bytes.scale = true;
        bytes.clamp = RdmaDcqcn::AFTER_BYTE_STAGE;
        AddTestCase(new DcqcnLazyTestCase("small byte counter and timers",
                                          {{"ByteCounter", "20000"},
                                           {"F", "2"},
                                           {"AlphaTimer", "5us"},
                                           {"RateTimer", "5us"},
                                           {"ScaleHyperIncrease", "true"},
                                           {"TargetRateClamp", "AFTER_BYTE_STAGE"}},
                                          bytes));
        Constants slow = paper;
        slow.byteCounter = 20'000;
        slow.delay = 55'000;
        slow.max = 40e9;
        AddTestCase(new DcqcnLazyTestCase(
            "reaction delay equal to the timers",
            {{"ByteCounter", "20000"}, {"ReactionDelay", "55us"}, {"MaxRate", "40Gbps"}},
            slow));
        Constants first = nvidia;
        first.delay = 7'000;
        first.first = 30e9;
        first.rateTimer = 8'000;
        AddTestCase(new DcqcnLazyTestCase("NIC with reaction delay and first rate",
                                          {{"Preset", "nvidia"},
                                           {"ReactionDelay", "7us"},
                                           {"RateOnFirstCnp", "30Gbps"},
                                           {"RateTimer", "8us"}},
                                          first));
    }
};

RoceDcqcnLazyTestSuite g_roceDcqcnLazyTestSuite; //!< the suite

} // namespace
