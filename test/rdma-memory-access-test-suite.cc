/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-wire-log.h"
#include "roce-fabric-fixture.h"

#include "ns3/rdma-memory-table.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-frame.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MIDDLE = RoceFabricFixture::MIDDLE; //!< frame without extension and payload
constexpr uint32_t REQUEST = MIDDLE + 16;              //!< frame of a READ request: RETH
constexpr uint32_t ANSWER = MIDDLE + 4;                //!< the same with AETH

/**
 * @ingroup roce-tests
 * @brief What the responder thinks of keys, bounds, rights and addresses.
 */
class RdmaMemoryAccessTestCase : public TestCase
{
  public:
    static constexpr uint64_t BASE = 0x100000; //!< address of the region
    static constexpr uint64_t LENGTH = 10'000; //!< its length, bytes

    /// One access.
    struct Setup
    {
        std::string name;                              //!< what is tried
        uint8_t access{RDMA_ALL_ACCESS};               //!< rights of the region
        RdmaOperation operation{RdmaOperation::WRITE}; //!< what is done
        int64_t offset{0};                             //!< from BASE
        uint64_t length{1000};                         //!< bytes
        RdmaWcStatus status{RdmaWcStatus::SUCCESS};    //!< expected
        bool badKey{false};                            //!< a key that was never given out
        bool deregister{false};                        //!< the region is gone before
        bool invalidate{false};                        //!< a SEND makes the key invalid
        uint8_t flags{RDMA_ALL_ACCESS};                //!< rights of the queue pair
    };

    /// @param setup the access
    explicit RdmaMemoryAccessTestCase(const Setup& setup)
        : TestCase(setup.name),
          m_setup(setup)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Pair();
        fabric.GetEngine(1)->SetQueuePairAttribute("AccessFlags", UintegerValue(m_setup.flags));
        const auto qps = fabric.Connect(0, 1);
        RdmaMemoryTable& memory = fabric.GetEngine(1)->GetMemory();
        const uint32_t key = memory.Register(BASE, LENGTH, m_setup.access, true).rKey;
        const uint32_t other = memory.Register(0, 1 << 20, RDMA_ALL_ACCESS, false).rKey;
        NS_TEST_EXPECT_MSG_NE(key, other, "keys differ");
        if (m_setup.deregister)
        {
            NS_TEST_EXPECT_MSG_EQ(memory.Deregister(key), true, "it was there");
            NS_TEST_EXPECT_MSG_EQ(memory.Deregister(key), false, "and is not any more");
        }
        qps.second->SetReceiveCompletionQueue(CreateObject<RdmaCompletionQueue>());
        qps.second->PostReceive({1, 100});
        qps.second->PostReceive({2, 100});
        RdmaWorkRequest request;
        request.wrId = 7;
        request.operation = m_setup.operation;
        request.length = m_setup.length;
        request.remoteAddress = BASE + static_cast<uint64_t>(m_setup.offset);
        request.rKey = m_setup.badKey ? 0xdead : key;
        request.swapAdd = 5;
        if (m_setup.invalidate)
        {
            RdmaWorkRequest send = RdmaWorkRequest::Send(10, 6);
            send.operation = RdmaOperation::SEND_WITH_INV;
            send.invalidateKey = key;
            send.signaled = false;
            qps.first->PostSend(send);
        }
        // Something before that takes long to answer: it must not suffer.
        auto read = RdmaWorkRequest::Read(20'000, 5);
        read.rKey = other;
        read.remoteAddress = memory.Find(other)->address;
        const bool canRead = m_setup.flags & RDMA_REMOTE_READ;
        if (canRead)
        {
            qps.first->PostSend(read);
        }
        qps.first->PostSend(request);
        request.wrId = 8;
        qps.first->PostSend(request);
        Simulator::Run();

        const bool fails = m_setup.status != RdmaWcStatus::SUCCESS;
        const auto sent = qps.first->GetSendCompletionQueue()->Poll(5);
        NS_TEST_ASSERT_MSG_EQ(sent.size(), (canRead ? 3 : 2), "all complete");
        if (canRead)
        {
            NS_TEST_EXPECT_MSG_EQ(sent[0].status, RdmaWcStatus::SUCCESS, "the one before");
        }
        const auto& done = sent[canRead ? 1 : 0];
        NS_TEST_EXPECT_MSG_EQ(done.wrId, 7, "the request");
        NS_TEST_EXPECT_MSG_EQ(done.status, m_setup.status, "its status");
        NS_TEST_EXPECT_MSG_EQ(sent.back().status,
                              (fails ? RdmaWcStatus::WR_FLUSH_ERR : RdmaWcStatus::SUCCESS),
                              "the one behind");
        const bool responderFails = qps.second->GetState() == RdmaQpState::ERR;
        NS_TEST_EXPECT_MSG_EQ(responderFails, fails, "state of the responder");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().naksSent, (fails ? 1 : 0), "NAKs");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().localAckTimeoutErr, 0, "no timeout");
        const auto received = qps.second->GetReceiveCompletionQueue()->Poll(5);
        NS_TEST_EXPECT_MSG_EQ(received.size(),
                              (fails ? 2U : 0U) + (m_setup.invalidate && !fails ? 1U : 0U),
                              "an error flushes the receive queue");
        if (m_setup.invalidate)
        {
            NS_TEST_ASSERT_MSG_EQ(received.empty(), false, "the SEND has arrived");
            NS_TEST_EXPECT_MSG_EQ(received[0].status, RdmaWcStatus::SUCCESS, "with success");
            NS_TEST_EXPECT_MSG_EQ(received[0].hasInvalidate, true, "says what it has done");
            NS_TEST_EXPECT_MSG_EQ(received[0].invalidatedKey, key, "to which key");
            NS_TEST_EXPECT_MSG_EQ((memory.Find(key) == nullptr), true, "the region is gone");
        }
    }

    Setup m_setup; //!< the access
};

/**
 * @ingroup roce-tests
 * @brief A region goes away in the middle of a message: the NIC does not touch it any more.
 *
 * 100 packets between two hosts; the region is deregistered while packet 50 is on the line. Every
 * packet of a WRITE is checked as it arrives, every packet of a READ response as it starts.
 */
class RdmaRevokedMemoryTestCase : public TestCase
{
  public:
    /// @param operation WRITE or READ
    explicit RdmaRevokedMemoryTestCase(RdmaOperation operation)
        : TestCase(std::string("region goes away during a ") +
                   (operation == RdmaOperation::READ ? "READ" : "WRITE")),
          m_operation(operation)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t LENGTH = 100 * 1024;
        RoceFabricFixture fabric;
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        RdmaMemoryTable& memory = fabric.GetEngine(1)->GetMemory();
        const uint32_t key = memory.Register(1 << 20, LENGTH, RDMA_ALL_ACCESS, true).rKey;
        RdmaWorkRequest request = RdmaWorkRequest::Write(LENGTH, 1);
        request.operation = m_operation;
        request.remoteAddress = 1 << 20;
        request.rKey = key;
        qps.first->PostSend(request);
        const bool isRead = m_operation == RdmaOperation::READ;
        // Start of packet 50 at the responder, or end of packet 49: one 1024 B slot is 88.48 ns.
        const RocePs when = isRead ? fabric.Flight(REQUEST) + fabric.Slot(ANSWER + 1024) +
                                         49 * fabric.Slot(MIDDLE + 1024)
                                   : fabric.Slot(REQUEST + 1024) + 48 * fabric.Slot(MIDDLE + 1024) +
                                         fabric.Flight(MIDDLE + 1024);
        Simulator::Schedule(PicoSeconds(when + 40'000),
                            &RdmaRevokedMemoryTestCase::Revoke,
                            this,
                            fabric.GetEngine(1),
                            key);
        Simulator::Run();
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ(completions[0].status, RdmaWcStatus::REM_ACCESS_ERR, "refused");
        const auto& counters = (isRead ? qps.first : qps.second)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.bytesReceived,
                              (isRead ? 51 : 50) * 1024,
                              "nothing after that");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().naksSent, 1, "one NAK");
        NS_TEST_EXPECT_MSG_EQ((qps.second->GetState() == RdmaQpState::ERR), true, "responder");
        NS_TEST_EXPECT_MSG_EQ((qps.first->GetState() == RdmaQpState::ERR), true, "requester");
    }

    /**
     * @param engine the responder
     * @param key key of the region
     */
    void Revoke(Ptr<RdmaEngine> engine, uint32_t key)
    {
        engine->CatchUp(RoceClock::Now());
        engine->GetMemory().Deregister(key);
    }

    RdmaOperation m_operation; //!< WRITE or READ
};

/**
 * @ingroup roce-tests
 * @brief Bytes arrive as they were sent: WRITE, READ, SEND and atomics on the same memory, without
 * loss and with loss; opcodes and byte counts of completions.
 */
class RdmaPayloadTestCase : public TestCase
{
  public:
    /**
     * @param loss every so many frames one is lost, 0: none
     * @param recovery TypeId name of the loss recovery
     */
    RdmaPayloadTestCase(uint32_t loss, const std::string& recovery)
        : TestCase("payload, one frame lost of " + std::to_string(loss) + ", " + recovery),
          m_loss(loss),
          m_recovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t LENGTH = 30'001;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(3));
        fabric.roce.SetRecovery(m_recovery);
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        qps.second->SetReceiveCompletionQueue(CreateObject<RdmaCompletionQueue>());
        fabric.GetCable(0)->SetScript(
            [this, next = uint32_t{0}](const RoceFrame&, uint8_t) mutable {
                next++;
                return m_loss && next % m_loss == 0 ? RoceScriptedChannel::DROP
                                                    : RoceScriptedChannel::PASS;
            });
        RdmaMemoryTable& memory = fabric.GetEngine(1)->GetMemory();
        const RdmaMemoryRegion& region = memory.Register(0, 2 * LENGTH, RDMA_ALL_ACCESS, true);
        const uint64_t address = region.address;
        qps.second->PostReceive({1, LENGTH});
        qps.second->PostReceive({2, 0});
        qps.second->PostReceive({3, LENGTH});
        qps.second->PostReceive({4, LENGTH});

        const Ptr<Packet> written = RdmaWireLog::MakePayload(LENGTH, 1);
        const Ptr<Packet> sent = RdmaWireLog::MakePayload(LENGTH, 2);
        const std::vector<std::pair<RdmaOperation, RdmaWcOpcode>> operations{
            {RdmaOperation::WRITE, RdmaWcOpcode::RDMA_WRITE},
            {RdmaOperation::SEND, RdmaWcOpcode::SEND},
            {RdmaOperation::WRITE_WITH_IMM, RdmaWcOpcode::RDMA_WRITE},
            {RdmaOperation::READ, RdmaWcOpcode::RDMA_READ},
            {RdmaOperation::FETCH_AND_ADD, RdmaWcOpcode::FETCH_ADD},
            {RdmaOperation::COMPARE_AND_SWAP, RdmaWcOpcode::COMP_SWAP},
            {RdmaOperation::SEND_WITH_IMM, RdmaWcOpcode::SEND},
            {RdmaOperation::READ, RdmaWcOpcode::RDMA_READ},
            {RdmaOperation::SEND_WITH_INV, RdmaWcOpcode::SEND}};
        const uint64_t word = (address + LENGTH + 7) / 8 * 8; // within the second half
        for (uint32_t i = 0; i < operations.size(); i++)
        {
            RdmaWorkRequest request;
            request.wrId = i;
            request.operation = operations[i].first;
            request.length = request.IsAtomic() ? 8 : LENGTH;
            // The WRITE with immediate data goes one byte behind the WRITE.
            request.remoteAddress = request.IsAtomic() ? word : address + (i == 2 ? 1 : 0);
            request.rKey = region.rKey;
            request.immediate = 100 + i;
            request.invalidateKey = region.rKey;
            request.payload = request.IsSend() ? sent : request.IsWrite() ? written : nullptr;
            request.swapAdd = 0x0102030405060708;
            request.fence = request.operation == RdmaOperation::SEND_WITH_INV;
            qps.first->PostSend(request);
        }
        Simulator::Run();

        std::vector<uint8_t> expected = RdmaWireLog::GetBytes(written);
        expected.insert(expected.begin(), expected[0]); // the second WRITE, one byte later
        expected.resize(LENGTH);
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(20);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), operations.size(), "all complete");
        for (uint32_t i = 0; i < completions.size(); i++)
        {
            const auto& done = completions[i];
            const bool isAtomic = i == 4 || i == 5;
            NS_TEST_EXPECT_MSG_EQ(done.status, RdmaWcStatus::SUCCESS, "status of " << i);
            NS_TEST_EXPECT_MSG_EQ(done.wrId, i, "order");
            NS_TEST_EXPECT_MSG_EQ((done.opcode == operations[i].second), true, "opcode of " << i);
            NS_TEST_EXPECT_MSG_EQ(done.byteLength, (isAtomic ? 8 : LENGTH), "length of " << i);
            if (i == 3)
            {
                NS_TEST_EXPECT_MSG_EQ((RdmaWireLog::GetBytes(done.payload) == expected),
                                      true,
                                      "READ after both WRITEs");
            }
        }
        // Of the word, the second WRITE has filled none but at most its last byte before LENGTH.
        NS_TEST_EXPECT_MSG_EQ(completions[5].atomicResult,
                              completions[4].atomicResult + 0x0102030405060708,
                              "the swap sees the sum");
        const auto received = qps.second->GetReceiveCompletionQueue()->Poll(9);
        NS_TEST_ASSERT_MSG_EQ(received.size(), 4, "buffers");
        for (uint32_t i = 0; i < 4; i++)
        {
            const bool isWrite = i == 1;
            const auto opcode = isWrite ? RdmaWcOpcode::RECV_RDMA_WITH_IMM : RdmaWcOpcode::RECV;
            NS_TEST_EXPECT_MSG_EQ(received[i].wrId, i + 1, "buffers in order");
            NS_TEST_EXPECT_MSG_EQ((received[i].opcode == opcode), true, "opcode of buffer " << i);
            NS_TEST_EXPECT_MSG_EQ(received[i].byteLength, LENGTH, "length in buffer " << i);
            NS_TEST_EXPECT_MSG_EQ(received[i].hasImmediate, (i == 1 || i == 2), "immediate " << i);
            NS_TEST_EXPECT_MSG_EQ(received[i].hasInvalidate, (i == 3), "invalidate " << i);
            NS_TEST_EXPECT_MSG_EQ(received[i].hasGrh, false, "no GRH on connections");
            NS_TEST_EXPECT_MSG_EQ((RdmaWireLog::GetBytes(received[i].payload) ==
                                   RdmaWireLog::GetBytes(isWrite ? nullptr : sent)),
                                  true,
                                  "payload in buffer " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(received[1].immediate, 102, "immediate data of the WRITE");
        NS_TEST_EXPECT_MSG_EQ(received[2].immediate, 106, "immediate data of the SEND");
    }

    uint32_t m_loss;        //!< every so many frames one is lost
    std::string m_recovery; //!< loss recovery
};

/**
 * @ingroup roce-tests
 * @brief Memory access and payload test suite.
 */
class RdmaMemoryAccessTestSuite : public TestSuite
{
  public:
    RdmaMemoryAccessTestSuite();

  private:
    /// Keys, bounds and rights.
    void AddAccesses();
};

RdmaMemoryAccessTestSuite::RdmaMemoryAccessTestSuite()
    : TestSuite("roce-memory-access", Type::UNIT)
{
    AddAccesses();
    for (const char* recovery :
         {"ns3::RdmaGoBackN", "ns3::RdmaSelectiveRepeat", "ns3::RdmaGoBackZero"})
    {
        AddTestCase(new RdmaPayloadTestCase(0, recovery));
        AddTestCase(new RdmaPayloadTestCase(101, recovery));
    }
    // Go-back-0 would not get through a message of 30 packets. A period that is a number of frames
    // in which a READ and its repetition come around would hit the same response again and again.
    AddTestCase(new RdmaPayloadTestCase(13, "ns3::RdmaGoBackN"));
    AddTestCase(new RdmaPayloadTestCase(13, "ns3::RdmaSelectiveRepeat"));
    AddTestCase(new RdmaRevokedMemoryTestCase(RdmaOperation::WRITE));
    AddTestCase(new RdmaRevokedMemoryTestCase(RdmaOperation::READ));
}

void
RdmaMemoryAccessTestSuite::AddAccesses()
{
    typedef RdmaMemoryAccessTestCase Case;
    constexpr auto REFUSED = RdmaWcStatus::REM_ACCESS_ERR;
    constexpr auto INVALID = RdmaWcStatus::REM_INV_REQ_ERR;
    const auto add = [this](const std::string& name, const std::function<void(Case::Setup&)>& set) {
        Case::Setup setup;
        setup.name = name;
        set(setup);
        AddTestCase(new Case(setup));
    };
    const std::vector<std::pair<RdmaOperation, uint8_t>> operations{
        {RdmaOperation::WRITE, RDMA_REMOTE_WRITE},
        {RdmaOperation::READ, RDMA_REMOTE_READ},
        {RdmaOperation::FETCH_AND_ADD, RDMA_REMOTE_ATOMIC},
        {RdmaOperation::COMPARE_AND_SWAP, RDMA_REMOTE_ATOMIC}};
    for (const auto& [operation, right] : operations)
    {
        const bool isAtomic = operation >= RdmaOperation::COMPARE_AND_SWAP;
        const uint64_t length = isAtomic ? 8 : 3000;
        const auto basic = [operation = operation, length](Case::Setup& setup) {
            setup.operation = operation;
            setup.length = length;
        };
        const std::string name = "operation " + std::to_string(static_cast<int>(operation)) + ": ";
        add(name + "first bytes", basic);
        add(name + "last bytes", [&](Case::Setup& setup) {
            basic(setup);
            setup.offset = static_cast<int64_t>(Case::LENGTH - length);
        });
        add(name + "one step behind the end", [&](Case::Setup& setup) {
            basic(setup);
            setup.offset = static_cast<int64_t>(Case::LENGTH - length) + (isAtomic ? 8 : 1);
            setup.status = REFUSED;
        });
        add(name + "one step before the start", [&](Case::Setup& setup) {
            basic(setup);
            setup.offset = isAtomic ? -8 : -1;
            setup.status = REFUSED;
        });
        add(name + "unknown key", [&](Case::Setup& setup) {
            basic(setup);
            setup.badKey = true;
            setup.status = REFUSED;
        });
        add(name + "no right to the region", [&, right = right](Case::Setup& setup) {
            basic(setup);
            setup.access = RDMA_ALL_ACCESS & ~right;
            setup.status = REFUSED;
        });
        add(name + "just the right to the region", [&, right = right](Case::Setup& setup) {
            basic(setup);
            setup.access = right;
        });
        add(name + "deregistered", [&](Case::Setup& setup) {
            basic(setup);
            setup.deregister = true;
            setup.status = REFUSED;
        });
        add(name + "invalidated by SEND", [&](Case::Setup& setup) {
            basic(setup);
            setup.invalidate = true;
            setup.status = REFUSED;
        });
        add(name + "queue pair without the right", [&, right = right](Case::Setup& setup) {
            basic(setup);
            setup.flags = RDMA_ALL_ACCESS & ~right;
            setup.status = INVALID;
        });
        if (isAtomic)
        {
            add(name + "misaligned", [&](Case::Setup& setup) {
                basic(setup);
                setup.offset = 4;
                setup.status = INVALID;
            });
        }
        else
        {
            add(name + "no bytes need no key", [&](Case::Setup& setup) {
                basic(setup);
                setup.length = 0;
                setup.badKey = true;
            });
        }
    }
}

RdmaMemoryAccessTestSuite g_rdmaMemoryAccessTestSuite; //!< registers the suite

} // namespace
