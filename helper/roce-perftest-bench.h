/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_PERFTEST_BENCH_H
#define ROCE_PERFTEST_BENCH_H

#include "roce-helper.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/rdma-perftest.h"
#include "ns3/roce-clock.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Two hosts with a number of switches between them, measured by RdmaPerftest: what the
 * program roce-perftest runs.
 *
 *     RocePerftestBench::Config config;
 *     config.hops = 1;
 *     RocePerftestBench bench(config);
 *     bench.PrintHeader(std::cout);
 *     bench.Measure(2, std::cout);
 *     Simulator::Destroy();
 *
 * Latency that Measure() finds for a WRITE or SEND of one packet of F frame bytes through n
 * store-and-forward switches at R bit/s, once ping and pong alternate:
 *
 *     max(doorbell + send + fetch, 86 x 8 / R) + (n + 1) ((F + 8) x 8 / R + delay) + n x switch
 * delay
 *     + receive
 *
 * where 86 bytes are the acknowledgment (66), preamble and gap, which occupy the line of the answer
 * first, and fetch is 0 for inline messages. A READ or atomic with a response of G frame bytes
 * takes
 *
 *     doorbell + send + (n + 1) ((F + 8) x 8 / R + delay) + n x switch delay + receive
 *     + send + fetch  + (n + 1) ((G + 8) x 8 / R + delay) + n x switch delay + receive
 */
class RocePerftestBench
{
  public:
    /// What to measure, and between what. The defaults are those of roce-perftest.
    struct Config
    {
        std::string test{"write_bw"};   //!< write, send, read or atomic, then _bw or _lat
        uint64_t rate{100'000'000'000}; //!< line rate, bit/s
        RocePs delay{10'000};       //!< propagation delay of each cable (10 ns: 2 m), picoseconds
        RocePs switchDelay{0};      //!< latency of each switch besides store and forward
        uint32_t hops{0};           //!< switches between the hosts
        uint32_t mtu{4096};         //!< path MTU, bytes
        uint32_t queuePairs{1};     //!< queue pairs of a bandwidth test
        uint64_t iterations{0};     //!< messages per queue pair; 0: see GetIterations()
        uint32_t txDepth{128};      //!< requests posted at most
        uint32_t postList{1};       //!< requests posted at a time
        int64_t inlineBytes{-1};    //!< inline limit; -1: 220 for latency, 0 for bandwidth
        std::string preset{"none"}; //!< NIC delays, see RdmaNicPreset
        bool roceV1{false};         //!< RoCEv1, which needs hops <= 1
    };

    /// @param config what to measure; the network is built and the queue pairs are connected
    explicit RocePerftestBench(const Config& config);

    /// @return names of all tests
    static std::vector<std::string> GetTests();
    /**
     * @param name name of a test
     * @return true if there is such a test
     */
    static bool IsTest(const std::string& name);

    /// @return true if latency is measured
    bool IsLatency() const;
    /**
     * Number of messages per queue pair: what was configured, or else 1000 for latency, and for
     * bandwidth 5000 as perftest, but not more than make 64 MiB, and at least 8.
     * @param size message length, bytes
     * @return the number
     */
    uint64_t GetIterations(uint64_t size) const;
    /// @return the message lengths of a sweep: powers of two from 2 B to 8 MiB; only 8 B for
    /// atomics
    std::vector<uint64_t> GetAllSizes() const;

    /// @param os where to write the title of the table to, in the layout of perftest
    void PrintHeader(std::ostream& os) const;
    /**
     * Measure and write a row of the table.
     * @param size message length, bytes
     * @param os where to
     * @return what went wrong, empty if nothing
     */
    std::string Measure(uint64_t size, std::ostream& os);
    /**
     * Measure bandwidth; stops the program if that is impossible.
     * @param size message length, bytes
     * @return the result
     */
    RdmaPerftest::Bandwidth MeasureBandwidth(uint64_t size);
    /**
     * Measure latency; stops the program if that is impossible.
     * @param size message length, bytes
     * @return the result
     */
    RdmaPerftest::Latency MeasureLatency(uint64_t size);

    /// @return what wired the network, for EnablePcap()
    RoceHelper& GetHelper();
    /// @return port of the client and port of the server
    const NetDeviceContainer& GetPorts() const;
    /// @return queue pairs at the client and at the server
    const std::vector<RdmaPerftest::QueuePairs>& GetQueuePairs() const;

  private:
    /// Create nodes, ports and addresses.
    void BuildNetwork();
    /**
     * @param size message length, bytes
     * @return how to measure
     */
    RdmaPerftest::Config MakeTest(uint64_t size) const;
    /**
     * Run a test to its end.
     * @param perftest the test
     * @return what went wrong, empty if nothing
     */
    static std::string Run(RdmaPerftest& perftest);

    Config m_config;                               //!< what to measure
    RoceHelper m_roce;                             //!< wires the network
    NodeContainer m_nodes;                         //!< client and server
    NetDeviceContainer m_ports;                    //!< their ports
    std::vector<RdmaPerftest::QueuePairs> m_pairs; //!< queue pairs
};

} // namespace ns3

#endif /* ROCE_PERFTEST_BENCH_H */
