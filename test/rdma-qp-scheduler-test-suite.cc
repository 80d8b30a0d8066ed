/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"

#include "ns3/rdma-work-request.h"
#include "ns3/roce-compat.h"
#include "ns3/roce-frame.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/resource.h>
#endif

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief Queue pairs that always have something to send share the NIC by bytes, whatever the size
 * of their packets, in proportion to their weights.
 *
 * A round gives each queue pair 256 B times its weight, and it may overdraw that by one packet. So
 * at any time bytes / weight of two of them differ by no more than a packet each, divided by the
 * weight, and what one earns in a round.
 */
class RdmaByteFairnessTestCase : public TestCase
{
  public:
    /// One queue pair.
    struct Share
    {
        uint32_t pathMtu; //!< payload of a packet, bytes
        uint32_t weight;  //!< share
        bool read{false}; //!< what it sends are READ responses
    };

    /**
     * @param name what is different
     * @param shares queue pairs
     */
    RdmaByteFairnessTestCase(const std::string& name, const std::vector<Share>& shares)
        : TestCase(name),
          m_shares(shares)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Pair();
        std::vector<Ptr<RdmaQueuePair>> qps;
        uint32_t weights = 0;
        for (const auto& share : m_shares)
        {
            weights += share.weight;
            for (uint32_t host = 0; host < 2; host++)
            {
                fabric.GetEngine(host)->SetQueuePairAttribute("PathMtu",
                                                              UintegerValue(share.pathMtu));
                fabric.GetEngine(host)->SetQueuePairAttribute("Weight",
                                                              UintegerValue(share.weight));
            }
            const auto pair = fabric.Connect(0, 1);
            qps.push_back(pair.first);
            if (share.read)
            {
                pair.second->PostSend(RdmaWorkRequest::Read(100'000'000));
            }
            else
            {
                pair.first->PostSend(RdmaWorkRequest::Write(100'000'000));
            }
        }
        for (uint32_t step = 1; step <= 5; step++)
        {
            Simulator::Stop(MicroSeconds(200));
            Simulator::Run();
            double total = 0;
            std::vector<double> bytes;
            for (uint32_t i = 0; i < qps.size(); i++)
            {
                const auto& counters = qps[i]->GetCounters();
                const auto wire = static_cast<double>(
                    counters.bytesSent + 82 * counters.packetsSent + (m_shares[i].read ? 4 : 16));
                bytes.push_back(wire);
                total += wire;
            }
            // READ requests take some microseconds to come and their senders start later, so count
            // from the first step.
            if (m_start.empty())
            {
                m_start = bytes;
                m_startTotal = total;
                continue;
            }
            for (uint32_t i = 0; i < qps.size(); i++)
            {
                const auto& share = m_shares[i];
                const double got = bytes[i] - m_start[i];
                const double fair = (total - m_startTotal) * share.weight / weights;
                // Largest packet, once for this one and once, weighted, for the others.
                const double tolerance = 2 * 4178.0 + 4178.0 * share.weight + 256.0 * share.weight;
                NS_TEST_EXPECT_MSG_EQ_TOL(got, fair, tolerance, "queue pair " << i);
            }
            NS_TEST_EXPECT_MSG_EQ_TOL(total - m_startTotal,
                                      (step - 1) * 2'500'000.0,
                                      2 * 4178.0,
                                      "the line is full");
        }
    }

    std::vector<Share> m_shares; //!< queue pairs
    std::vector<double> m_start; //!< wire bytes at the end of the first step
    double m_startTotal{0};      //!< sum of them
};

/**
 * @ingroup roce-tests
 * @brief Queue pairs that have nothing to send cost nothing: the same events at the same times with
 * 10,000 of them, and bytes still go to those that send.
 */
class RdmaIdleQueuePairsTestCase : public TestCase
{
  public:
    /// @param idle number of idle queue pairs
    explicit RdmaIdleQueuePairsTestCase(uint32_t idle)
        : TestCase(std::to_string(idle) + " idle queue pairs"),
          m_idle(idle)
    {
    }

  private:
    /// What a run gives.
    struct Outcome
    {
        uint64_t events;               //!< simulator events
        std::vector<RocePs> completed; //!< times of completions
    };

    void DoRun() override
    {
        const Outcome few = RunWith(0, false);
        const Outcome unused = RunWith(m_idle, false);
        NS_TEST_EXPECT_MSG_EQ(unused.events, few.events, "events with unused queue pairs");
        NS_TEST_EXPECT_MSG_EQ((unused.completed == few.completed), true, "times are the same");
        const Outcome used = RunWith(m_idle, true);
        NS_TEST_EXPECT_MSG_EQ((used.completed == few.completed), true, "also if they were used");
        // Local ACK timeouts of the past are cleared away every 5 ms, all at once.
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(used.events),
                                  static_cast<double>(few.events),
                                  4,
                                  "events with queue pairs that were used before");
    }

    /**
     * @param idle number of idle queue pairs
     * @param used they have been used before
     * @return events and times of the part that matters
     */
    Outcome RunWith(uint32_t idle, bool used)
    {
        RoceFabricFixture fabric;
        fabric.Pair();
        std::vector<RoceFabricFixture::QueuePairs> others;
        for (uint32_t i = 0; i < idle; i++)
        {
            others.push_back(fabric.Connect(0, 1));
            if (used)
            {
                others.back().first->PostSend(RdmaWorkRequest::Write(1));
            }
        }
        const auto a = fabric.Connect(0, 1);
        const auto b = fabric.Connect(0, 1);
        Simulator::Stop(MilliSeconds(2));
        Simulator::Run();
        const RocePs start = RoceClock::Now();
        const uint64_t before = Simulator::GetEventCount();
        for (uint32_t i = 0; i < 10; i++)
        {
            a.first->PostSend(RdmaWorkRequest::Write(50'000));
            b.first->PostSend(RdmaWorkRequest::Write(100));
        }
        Simulator::Stop(MicroSeconds(200));
        Simulator::Run();
        Outcome outcome{Simulator::GetEventCount() - before, {}};
        for (const auto& qp : {a.first, b.first})
        {
            for (const auto& done : qp->GetSendCompletionQueue()->Poll(100))
            {
                outcome.completed.push_back(RoceClock::FromTime(done.completed) - start);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(outcome.completed.size(), 20, "all complete");
        return outcome;
    }

    uint32_t m_idle; //!< number of idle queue pairs
};

/**
 * @ingroup roce-tests
 * @brief Many queue pairs between two hosts are opened, used and closed, batch by batch; memory
 * does not grow with their number, and a number is not used again too early.
 */
class RdmaManyQueuePairsTestCase : public TestCase
{
  public:
    /**
     * @param total number of queue pairs
     * @param batch how many at a time
     */
    RdmaManyQueuePairsTestCase(uint32_t total, uint32_t batch)
        : TestCase(std::to_string(total) + " queue pairs, " + std::to_string(batch) + " at a time"),
          m_total(total),
          m_batch(batch)
    {
    }

  private:
    /// @return most memory that the process has used so far, KiB; 0 if that is unknown
    static uint64_t GetPeakKib()
    {
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) // which keeps what is freed
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return static_cast<uint64_t>(usage.ru_maxrss);
#else
        return 0;
#endif
    }

    void DoRun() override
    {
        const uint64_t frames = GetLiveRoceFrames();
        uint64_t after = 0;
        {
            RoceFabricFixture fabric;
            fabric.Pair();
            const Ptr<RdmaEngine> a = fabric.GetEngine(0);
            const Ptr<RdmaEngine> b = fabric.GetEngine(1);
            for (uint32_t done = 0; done < m_total; done += m_batch)
            {
                if (done >= 2 * m_batch && after == 0)
                {
                    after = GetPeakKib();
                }
                RunBatch(fabric, done);
                NS_TEST_ASSERT_MSG_EQ(a->GetNQueuePairs(), 0, "all are closed");
            }
            NS_TEST_EXPECT_MSG_EQ(b->GetNQueuePairs(), 0, "at both ends");
            NS_TEST_EXPECT_MSG_EQ(a->GetCounters().completed, 2 * uint64_t{m_total}, "requests");
            NS_TEST_EXPECT_MSG_EQ(b->GetCounters().messagesReceived,
                                  2 * uint64_t{m_total},
                                  "messages");
            NS_TEST_EXPECT_MSG_EQ(a->GetCounters().failed, 0, "none fails");
            NS_TEST_EXPECT_MSG_EQ(b->GetLatePackets(), 0, "none is late");
        }
        NS_TEST_EXPECT_MSG_EQ(GetLiveRoceFrames(), frames, "no frame is left");
        if (after > 0)
        {
            // What stays of a closed queue pair is a slot in a table and a note of its number.
            const uint64_t bytes = (GetPeakKib() - after) * 1024;
            NS_TEST_EXPECT_MSG_LT(bytes, uint64_t{m_total} * 128 + 4'000'000, "memory");
        }
    }

    /**
     * @param fabric two hosts
     * @param done queue pairs used before
     */
    void RunBatch(const RoceFabricFixture& fabric, uint32_t done)
    {
        std::vector<RoceFabricFixture::QueuePairs> qps;
        for (uint32_t i = 0; i < m_batch; i++)
        {
            qps.push_back(fabric.Connect(0, 1));
            // Nothing has rested for a second: all numbers are new.
            NS_TEST_EXPECT_MSG_EQ(qps.back().first->GetNumber(),
                                  RdmaEngine::FIRST_NUMBER + done + i,
                                  "number");
            qps.back().first->PostSend(RdmaWorkRequest::Write(1500));
            qps.back().first->PostSend(RdmaWorkRequest::Write(1));
        }
        Simulator::Stop(MicroSeconds(10) + NanoSeconds(400) * m_batch);
        Simulator::Run();
        for (const auto& [first, second] : qps)
        {
            NS_TEST_EXPECT_MSG_EQ(first->GetSendCompletionQueue()->GetSize(), 2, "both complete");
            fabric.GetEngine(0)->DestroyQueuePair(first);
            fabric.GetEngine(1)->DestroyQueuePair(second);
        }
    }

    uint32_t m_total; //!< number of queue pairs
    uint32_t m_batch; //!< how many at a time
};

/**
 * @ingroup roce-tests
 * @brief Queue pair scheduler test suite.
 */
class RdmaQpSchedulerTestSuite : public TestSuite
{
  public:
    RdmaQpSchedulerTestSuite();
};

RdmaQpSchedulerTestSuite::RdmaQpSchedulerTestSuite()
    : TestSuite("roce-qp-scheduler", Type::UNIT)
{
    typedef RdmaByteFairnessTestCase Fair;
    AddTestCase(new Fair("same", {{1024, 1}, {1024, 1}, {1024, 1}}));
    AddTestCase(new Fair("packets of 256 and 4096 B", {{256, 1}, {4096, 1}}));
    AddTestCase(new Fair("five sizes", {{256, 1}, {512, 1}, {1024, 1}, {2048, 1}, {4096, 1}}));
    AddTestCase(new Fair("weights 1 and 3", {{1024, 1}, {1024, 3}}));
    AddTestCase(new Fair("weights 1 and 3, large and small packets", {{4096, 1}, {256, 3}}));
    AddTestCase(new Fair("weights 3 and 1, large and small packets", {{4096, 3}, {256, 1}}));
    AddTestCase(new Fair("weights 5, 15 and 20", {{1024, 5}, {4096, 15}, {512, 20}}));
    AddTestCase(
        new Fair("READ responses and WRITEs", {{1024, 1, true}, {4096, 1}, {512, 2, true}}));
    AddTestCase(new RdmaIdleQueuePairsTestCase(100));
    AddTestCase(new RdmaIdleQueuePairsTestCase(10'000), rocecompat::EXTENSIVE);
    AddTestCase(new RdmaManyQueuePairsTestCase(1000, 100));
    AddTestCase(new RdmaManyQueuePairsTestCase(100'000, 1000), rocecompat::EXTENSIVE);
}

RdmaQpSchedulerTestSuite g_rdmaQpSchedulerTestSuite; //!< registers the suite

} // namespace
