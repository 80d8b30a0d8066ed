/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"

#include "ns3/config.h"
#include "ns3/enum.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-switch.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief Which markers RoceHelper installs, and with which thresholds.
 */
class RoceEcnInstallTestCase : public TestCase
{
  public:
    RoceEcnInstallTestCase()
        : TestCase("Markers of switch ports")
    {
    }

  private:
    /**
     * @param fabric a fabric with a switch
     * @param c class
     * @param kmin expected Kmin of port 0, bytes
     * @param kmax expected Kmax, bytes
     * @param message what is checked
     */
    void Expect(const RoceFabricFixture& fabric,
                uint8_t c,
                uint64_t kmin,
                uint64_t kmax,
                const std::string& message)
    {
        auto marker = fabric.GetSwitch()->GetMarker(0, c);
        NS_TEST_ASSERT_MSG_NE(marker, nullptr, message << ": class " << +c << " marks");
        NS_TEST_EXPECT_MSG_EQ(marker->GetThresholds().kmin, kmin, message << ": Kmin");
        NS_TEST_EXPECT_MSG_EQ(marker->GetThresholds().kmax, kmax, message << ": Kmax");
    }

    void DoRun() override
    {
        {
            RoceFabricFixture fabric("25Gbps");
            fabric.Star(2);
            Expect(fabric, 3, 100'000, 400'000, "preset at the rate of the port");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch()->GetMarker(0, 0), nullptr, "lossy class");
        }
        {
            // Defaults of the attributes reach the markers that the helper makes.
            Config::SetDefault("ns3::RoceEcnMarker::Kmin", UintegerValue(1234));
            RoceFabricFixture fabric("25Gbps");
            fabric.Star(2);
            Config::SetDefault("ns3::RoceEcnMarker::Kmin",
                               UintegerValue(RoceEcnMarker::FROM_PRESET));
            Expect(fabric, 3, 1234, 400'000, "default of an attribute");
        }
        {
            RoceFabricFixture fabric("25Gbps");
            fabric.roce.SetEcnClasses(0x09);
            fabric.roce.SetEcnPreset(RoceEcnMarker::CISCO);
            fabric.roce.SetEcnAttribute(0, "Kmin", UintegerValue(7));
            fabric.Star(2);
            Expect(fabric, 0, 7, 3'000'000, "a lossy class with a threshold of its own");
            Expect(fabric, 3, 150'000, 3'000'000, "the others");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch()->GetMarker(0, 1), nullptr, "not asked for");
        }
        {
            RoceFabricFixture fabric("25Gbps");
            fabric.roce.SetEcnThresholds(10, 20, 0.5);
            fabric.roce.SetEcnPreset(RoceEcnMarker::HPCC);
            fabric.Star(2);
            Expect(fabric, 3, 100'000, 400'000, "a preset after thresholds");
        }
        {
            RoceFabricFixture fabric("25Gbps");
            fabric.roce.EnableEcn(false);
            fabric.Star(2);
            NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch()->GetMarker(0, 3), nullptr, "switched off");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Installing ECN.
 */
class RoceEcnInstallTestSuite : public TestSuite
{
  public:
    RoceEcnInstallTestSuite()
        : TestSuite("roce-ecn-install", Type::UNIT)
    {
        AddTestCase(new RoceEcnInstallTestCase);
    }
};

RoceEcnInstallTestSuite g_roceEcnInstallTestSuite; //!< the suite

} // namespace
