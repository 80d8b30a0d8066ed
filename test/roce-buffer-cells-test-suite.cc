/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/object-factory.h"
#include "ns3/roce-shared-buffer.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>

using namespace ns3;

namespace
{

constexpr uint8_t LOSSLESS = 3; //!< a class that is paused
constexpr uint8_t LOSSY = 0;    //!< a class whose tail is dropped

/**
 * @ingroup roce-tests
 * @brief A buffer that allots cells charges whole cells, to everything.
 */
class RoceBufferCellsTestCase : public TestCase
{
  public:
    RoceBufferCellsTestCase()
        : TestCase("A frame takes whole cells")
    {
    }

  private:
    /**
     * Sink of Drop.
     * @param inPort ingress port
     * @param outPort egress port
     * @param cls class
     * @param bytes length of the frame
     * @param reason why
     */
    void Drop(uint16_t inPort,
              uint16_t outPort,
              uint8_t cls,
              uint32_t bytes,
              RoceSharedBuffer::Reason reason)
    {
        NS_TEST_EXPECT_MSG_EQ(inPort, 0, "ingress port");
        NS_TEST_EXPECT_MSG_EQ(outPort, 1, "egress port");
        NS_TEST_EXPECT_MSG_EQ(cls, LOSSY, "class");
        NS_TEST_EXPECT_MSG_EQ(bytes, 64, "the length of the frame, not of its cells");
        NS_TEST_EXPECT_MSG_EQ(reason, RoceSharedBuffer::EGRESS_LIMIT, "reason");
        m_drops++;
    }

    void DoRun() override
    {
        auto buffer = CreateObjectWithAttributes<RoceSharedBuffer>("TotalBytes",
                                                                   UintegerValue(254 * 100),
                                                                   "CellBytes",
                                                                   UintegerValue(254),
                                                                   "Reserve",
                                                                   UintegerValue(0));
        buffer->Configure(2);
        buffer->TraceConnectWithoutContext("Drop",
                                           MakeCallback(&RoceBufferCellsTestCase::Drop, this));
        NS_TEST_EXPECT_MSG_EQ(buffer->GetMemory(1), 254, "one byte");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetMemory(254), 254, "a full cell");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetMemory(255), 508, "one byte more");

        buffer->Admit(0, 1, LOSSLESS, 1086); // 4.28 cells
        buffer->Admit(0, 1, LOSSLESS, 64);
        NS_TEST_EXPECT_MSG_EQ(buffer->GetUsedBytes(), 6 * 254, "in the switch");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetIngressBytes(0, LOSSLESS), 6 * 254, "at ingress");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetEgressBytes(1, LOSSLESS), 6 * 254, "at egress");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedUsed(), 6 * 254, "of the pool");
        buffer->Check();
        buffer->Release(0, 1, LOSSLESS, 1086);
        NS_TEST_EXPECT_MSG_EQ(buffer->GetUsedBytes(), 254, "five cells are back");
        buffer->Release(0, 1, LOSSLESS, 64);
        NS_TEST_EXPECT_MSG_EQ(buffer->GetUsedBytes(), 0, "and the last");

        // EgressAlpha 1: k cells may be held if k <= 100 - (k - 1) were free before the last, 50.
        uint32_t admitted = 0;
        while (buffer->Admit(0, 1, LOSSY, 64).IsAdmitted())
        {
            admitted++;
        }
        NS_TEST_EXPECT_MSG_EQ(admitted, 50, "64-byte frames in half of 100 cells");
        NS_TEST_EXPECT_MSG_EQ(m_drops, 1, "one is refused");
        NS_TEST_EXPECT_MSG_NE(buffer->Describe().find("cells of 254 B"), std::string::npos, "plan");
        buffer->Check();
    }

    uint32_t m_drops{0}; //!< frames refused
};

/**
 * @ingroup roce-tests
 * @brief Buffer memory in cells.
 */
class RoceBufferCellsTestSuite : public TestSuite
{
  public:
    RoceBufferCellsTestSuite()
        : TestSuite("roce-buffer-cells", Type::UNIT)
    {
        AddTestCase(new RoceBufferCellsTestCase);
    }
};

RoceBufferCellsTestSuite g_roceBufferCellsTestSuite; //!< the suite

} // namespace
