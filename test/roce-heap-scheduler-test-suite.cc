/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/object-factory.h"
#include "ns3/random-variable-stream.h"
#include "ns3/roce-heap-scheduler.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * The heap scheduler hands out events in exactly the order of the schedulers of ns-3.
 */

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief Random insertions and removals, compared with a sorted container.
 */
class HeapSchedulerOrderTestCase : public TestCase
{
  public:
    HeapSchedulerOrderTestCase()
        : TestCase("Random operations against a sorted container")
    {
    }

  private:
    void DoRun() override
    {
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(1);
        auto scheduler = CreateObject<RoceHeapScheduler>();
        std::map<Scheduler::EventKey, bool> expected;
        uint32_t uid = 0;
        for (uint32_t step = 0; step < 20000; step++)
        {
            // Grows first, shrinks to nothing at the end; many events share a time.
            const double insertion = step < 10000 ? 0.6 : 0.35;
            if (expected.empty() || random->GetValue() < insertion)
            {
                Scheduler::Event event{};
                event.key.m_ts = random->GetInteger(0, 500);
                event.key.m_uid = ++uid;
                event.key.m_context = 0;
                scheduler->Insert(event);
                expected[event.key] = true;
            }
            else if (random->GetValue() < 0.8)
            {
                const Scheduler::EventKey first = expected.begin()->first;
                NS_TEST_ASSERT_MSG_EQ(scheduler->PeekNext().key.m_uid, first.m_uid, "next");
                NS_TEST_ASSERT_MSG_EQ(scheduler->RemoveNext().key.m_uid, first.m_uid, "removed");
                expected.erase(expected.begin());
            }
            else
            {
                auto any = std::next(expected.begin(), random->GetInteger(0, expected.size() - 1));
                Scheduler::Event event{};
                event.key = any->first;
                scheduler->Remove(event);
                expected.erase(any);
            }
            NS_TEST_ASSERT_MSG_EQ(scheduler->IsEmpty(), expected.empty(), "empty at " << step);
        }
        while (!expected.empty())
        {
            NS_TEST_ASSERT_MSG_EQ(scheduler->RemoveNext().key.m_uid,
                                  expected.begin()->first.m_uid,
                                  "the rest");
            expected.erase(expected.begin());
        }
        NS_TEST_EXPECT_MSG_EQ(scheduler->IsEmpty(), true, "nothing left");
    }
};

/**
 * @ingroup roce-tests
 * @brief The same program under the default scheduler and under this one.
 */
class HeapSchedulerSimulatorTestCase : public TestCase
{
  public:
    HeapSchedulerSimulatorTestCase()
        : TestCase("A simulation runs in the same order as with the default scheduler")
    {
    }

  private:
    /**
     * Note the call and schedule another two.
     * @param id number of the event
     */
    void Call(uint32_t id)
    {
        m_calls.push_back(id);
        if (id < 2000)
        {
            Simulator::Schedule(NanoSeconds(id % 7),
                                &HeapSchedulerSimulatorTestCase::Call,
                                this,
                                2 * id);
            Simulator::Schedule(NanoSeconds(id % 3),
                                &HeapSchedulerSimulatorTestCase::Call,
                                this,
                                2 * id + 1);
        }
    }

    /**
     * @param type TypeId name of a scheduler
     * @return numbers of the events in the order in which they ran
     */
    std::vector<uint32_t> RunWith(std::string type)
    {
        m_calls.clear();
        Simulator::SetScheduler(ObjectFactory(type));
        Simulator::Schedule(NanoSeconds(1), &HeapSchedulerSimulatorTestCase::Call, this, 1);
        Simulator::Run();
        Simulator::Destroy();
        return m_calls;
    }

    void DoRun() override
    {
        const std::vector<uint32_t> expected = RunWith("ns3::MapScheduler");
        NS_TEST_EXPECT_MSG_EQ(expected.size(), 3999, "all events of the tree ran");
        NS_TEST_EXPECT_MSG_EQ((RunWith("ns3::RoceHeapScheduler") == expected), true, "same order");
    }

    std::vector<uint32_t> m_calls; //!< events in the order in which they ran
};

/**
 * @ingroup roce-tests
 * @brief Suite of the heap scheduler.
 */
class RoceHeapSchedulerTestSuite : public TestSuite
{
  public:
    RoceHeapSchedulerTestSuite()
        : TestSuite("roce-heap-scheduler", Type::UNIT)
    {
        AddTestCase(new HeapSchedulerOrderTestCase);
        AddTestCase(new HeapSchedulerSimulatorTestCase);
    }
};

RoceHeapSchedulerTestSuite g_roceHeapSchedulerTestSuite; //!< the one instance

} // namespace
