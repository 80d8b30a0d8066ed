/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr RocePs US = 1'000'000; //!< one microsecond

/**
 * @ingroup roce-tests
 * @brief Every constant in effect, for every preset, against the table of the documentation.
 */
class DcqcnPresetTestCase : public TestCase
{
  public:
    DcqcnPresetTestCase()
        : TestCase("defaults and presets against the documented table; the user's values win")
    {
    }

  private:
    /// Names and values.
    using Attributes = std::vector<std::pair<std::string, std::string>>;

    void DoRun() override
    {
        Check({}, "PAPER", "ALWAYS", {1.0 / 256, 1, 55, 50, 55, 10e6, 5}, {40, 200, 10});
        Check({{"Preset", "paper"}},
              "PAPER",
              "ALWAYS",
              {1.0 / 256, 1, 55, 50, 55, 10e6, 5},
              {40, 200, 10});
        // per 25 Gb/s of line rate: x 4 at 100 Gb/s
        Check({{"Preset", "hpcc"}},
              "NIC",
              "AFTER_INCREASE",
              {1.0 / 256, 1, 1, 4, 300, 0, 1},
              {20, 200, 1000});
        Check({{"Preset", "nvidia"}},
              "NIC",
              "AFTER_INCREASE",
              {5.0 / 1024, 1023.0 / 1024, 1, 4, 300, 32767, 1},
              {5, 50, 1});

        // Values that happen to be another preset's are the user's all the same, in any order.
        const std::vector<double> mixed{1.0 / 256, 1023.0 / 1024, 1, 4, 55, 32767, 5};
        Check({{"Gain", "0.00390625"},
               {"F", "5"},
               {"Preset", "nvidia"},
               {"RateTimer", "55us"},
               {"RateHai", "200Mbps"},
               {"Variant", "PAPER"}},
              "PAPER",
              "AFTER_INCREASE",
              mixed,
              {5, 200, 1});
        // ... and are not scaled with the line rate
        Check({{"Preset", "hpcc"}, {"RateAi", "5Mbps"}},
              "NIC",
              "AFTER_INCREASE",
              {1.0 / 256, 1, 1, 4, 300, 0, 1},
              {5, 200, 1000});
        Config::SetDefault("ns3::RdmaDcqcn::RateTimer", TimeValue(MicroSeconds(55)));
        Config::SetDefault("ns3::RdmaDcqcn::Preset", StringValue("hpcc"));
        Check({{"ByteCounter", "0"}},
              "NIC",
              "AFTER_INCREASE",
              {1.0 / 256, 1, 1, 4, 55, 0, 1},
              {20, 200, 1000});
        Config::Reset();

        // Attributes that are the same in all presets.
        const auto cc = CreateDcqcn({});
        NS_TEST_EXPECT_MSG_EQ(GetDouble(cc, "AlphaDivisor"), 2, "AlphaDivisor");
        NS_TEST_EXPECT_MSG_EQ(GetDouble(cc, "MinDecreaseFactor"), 0.5, "MinDecreaseFactor");
        NS_TEST_EXPECT_MSG_EQ(GetRate(cc, "MaxRate"), 0, "MaxRate");
        NS_TEST_EXPECT_MSG_EQ(GetRate(cc, "RateOnFirstCnp"), 0, "RateOnFirstCnp");
        NS_TEST_EXPECT_MSG_EQ(GetMicroSeconds(cc, "ReactionDelay"), 0, "ReactionDelay");
        NS_TEST_EXPECT_MSG_EQ(GetString(cc, "ScaleHyperIncrease"), "false", "ScaleHyper");
        NS_TEST_EXPECT_MSG_EQ(cc->GetName(), "DCQCN", "name");

        // A constant that is set before Init() is used.
        auto late = CreateObject<RdmaDcqcn>();
        late->SetAttribute("F", IntegerValue(0));
        late->SetAttribute("RateAi", DataRateValue(DataRate(1'000'000'000)));
        RdmaCongestionState state;
        state.lineRate = 40'000'000'000;
        late->Init(state, 0);
        late->CnpReceived(state, 0);
        late->CnpReceived(state, 1);
        late->Update(state, 1 + 55 * US);
        NS_TEST_EXPECT_MSG_EQ_TOL(late->GetCurrentRate(),
                                  (10e9 + 20e9 + 1e9) / 2,
                                  1,
                                  "F = 0: additive at once");
    }

    /**
     * @param attributes what the user sets, in this order
     * @return an initialized reaction point
     */
    static Ptr<RdmaDcqcn> CreateDcqcn(const Attributes& attributes)
    {
        ObjectFactory factory("ns3::RdmaDcqcn");
        for (const auto& [name, value] : attributes)
        {
            factory.Set(name, StringValue(value));
        }
        auto cc = factory.Create<RdmaDcqcn>();
        RdmaCongestionState state;
        state.lineRate = 100'000'000'000;
        state.pathMtu = 1024;
        cc->Init(state, 0);
        return cc;
    }

    /**
     * @param attributes what the user sets
     * @param variant expected Variant
     * @param clamp expected TargetRateClamp
     * @param numbers expected Gain, InitialAlpha, AlphaTimer, RateDecreaseInterval, RateTimer (us),
     *        ByteCounter, F
     * @param rates expected RateAi, RateHai, MinRate (Mb/s) at a line rate of 100 Gb/s
     */
    void Check(const Attributes& attributes,
               const std::string& variant,
               const std::string& clamp,
               const std::vector<double>& numbers,
               const std::vector<double>& rates)
    {
        const auto cc = CreateDcqcn(attributes);
        NS_TEST_EXPECT_MSG_EQ(GetString(cc, "Variant"), variant, "Variant");
        NS_TEST_EXPECT_MSG_EQ(GetString(cc, "TargetRateClamp"), clamp, "TargetRateClamp");
        NS_TEST_EXPECT_MSG_EQ(GetDouble(cc, "Gain"), numbers[0], "Gain");
        NS_TEST_EXPECT_MSG_EQ(GetDouble(cc, "InitialAlpha"), numbers[1], "InitialAlpha");
        NS_TEST_EXPECT_MSG_EQ(GetMicroSeconds(cc, "AlphaTimer"), numbers[2], "AlphaTimer");
        NS_TEST_EXPECT_MSG_EQ(GetMicroSeconds(cc, "RateDecreaseInterval"),
                              numbers[3],
                              "RateDecreaseInterval");
        NS_TEST_EXPECT_MSG_EQ(GetMicroSeconds(cc, "RateTimer"), numbers[4], "RateTimer");
        NS_TEST_EXPECT_MSG_EQ(GetInteger(cc, "ByteCounter"), numbers[5], "ByteCounter");
        NS_TEST_EXPECT_MSG_EQ(GetInteger(cc, "F"), numbers[6], "F");
        NS_TEST_EXPECT_MSG_EQ(GetRate(cc, "RateAi"), rates[0] * 1e6, "RateAi");
        NS_TEST_EXPECT_MSG_EQ(GetRate(cc, "RateHai"), rates[1] * 1e6, "RateHai");
        NS_TEST_EXPECT_MSG_EQ(GetRate(cc, "MinRate"), rates[2] * 1e6, "MinRate");
    }

    /**
     * @param cc the reaction point
     * @param name an attribute
     * @return its value as text
     */
    static std::string GetString(Ptr<RdmaDcqcn> cc, const std::string& name)
    {
        StringValue value;
        cc->GetAttribute(name, value);
        return value.Get();
    }

    /**
     * @param cc the reaction point
     * @param name an attribute
     * @return its value
     */
    static double GetDouble(Ptr<RdmaDcqcn> cc, const std::string& name)
    {
        DoubleValue value;
        cc->GetAttribute(name, value);
        return value.Get();
    }

    /**
     * @param cc the reaction point
     * @param name an attribute
     * @return its value
     */
    static double GetInteger(Ptr<RdmaDcqcn> cc, const std::string& name)
    {
        IntegerValue value;
        cc->GetAttribute(name, value);
        return static_cast<double>(value.Get());
    }

    /**
     * @param cc the reaction point
     * @param name an attribute
     * @return its value in microseconds
     */
    static double GetMicroSeconds(Ptr<RdmaDcqcn> cc, const std::string& name)
    {
        TimeValue value;
        cc->GetAttribute(name, value);
        return static_cast<double>(value.Get().GetNanoSeconds()) / 1000;
    }

    /**
     * @param cc the reaction point
     * @param name an attribute
     * @return its value in bit/s
     */
    static double GetRate(Ptr<RdmaDcqcn> cc, const std::string& name)
    {
        DataRateValue value;
        cc->GetAttribute(name, value);
        return static_cast<double>(value.Get().GetBitRate());
    }
};

/**
 * @ingroup roce-tests
 * @brief Constants of DCQCN.
 */
class RoceDcqcnPresetTestSuite : public TestSuite
{
  public:
    RoceDcqcnPresetTestSuite()
        : TestSuite("roce-dcqcn-preset", Type::UNIT)
    {
        AddTestCase(new DcqcnPresetTestCase());
    }
};

RoceDcqcnPresetTestSuite g_roceDcqcnPresetTestSuite; //!< the suite

} // namespace
