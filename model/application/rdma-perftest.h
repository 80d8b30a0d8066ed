/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERFTEST_H
#define RDMA_PERFTEST_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/roce-clock.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief One measurement as the programs of the perftest suite do it (ib_write_bw, ib_send_lat
 * ...), between two connected NICs.
 *
 * Bandwidth: the client keeps TxDepth requests of each queue pair posted until all iterations have
 * completed. Latency of WRITE and SEND: client and server play ping-pong, and half of each round
 * trip is a sample. Latency of READ and atomics: one request after another, and all of the time
 * from the post to the completion is a sample. The software takes no time; what it waits for in
 * reality is part of the delays of RdmaEngine.
 *
 *     RdmaPerftest perftest(config, pairs);
 *     perftest.Start();
 *     Simulator::Run();
 *     double gbps = perftest.GetBandwidth().average / 1e9;
 */
class RdmaPerftest
{
  public:
    /// What is measured.
    enum Operation
    {
        WRITE,  //!< RDMA WRITE
        SEND,   //!< SEND
        READ,   //!< RDMA READ
        ATOMIC, //!< atomic fetch and add of 8 bytes
    };

    /// How it is measured.
    struct Config
    {
        Operation operation{WRITE}; //!< what is measured
        bool latency{false};        //!< latency, not bandwidth
        uint64_t size{65536};       //!< message length, bytes
        uint64_t iterations{1000};  //!< messages, per queue pair
        uint32_t txDepth{128};      //!< bandwidth: requests posted at most, per queue pair
        uint32_t postList{1};       //!< bandwidth: requests posted at a time
        uint32_t rxDepth{512};      //!< SEND: receive buffers, per queue pair
        uint32_t inlineBytes{0};    //!< messages up to this length are posted inline
    };

    /// What a bandwidth test finds.
    struct Bandwidth
    {
        uint64_t iterations{0}; //!< messages of all queue pairs
        double peak{0};         //!< best payload rate between any post and any completion, bit/s
        double average{0};      //!< payload rate from the first post to the last completion, bit/s
        double messageRate{0};  //!< messages in the same time, 1/s
    };

    /// What a latency test finds, picoseconds.
    struct Latency
    {
        uint64_t iterations{0};  //!< number of samples
        RocePs minimum{0};       //!< smallest sample
        RocePs maximum{0};       //!< largest sample
        RocePs typical{0};       //!< median
        double average{0};       //!< mean
        double deviation{0};     //!< standard deviation
        RocePs percentile99{0};  //!< 99 % of the samples are not above it (nearest rank)
        RocePs percentile999{0}; //!< 99.9 % of the samples are not above it (nearest rank)
    };

    /// Queue pair of the client and of the server.
    typedef std::pair<Ptr<RdmaQueuePair>, Ptr<RdmaQueuePair>> QueuePairs;

    /**
     * @param config how to measure
     * @param pairs connected queue pairs; a latency test uses the first one only
     */
    RdmaPerftest(const Config& config, const std::vector<QueuePairs>& pairs);
    ~RdmaPerftest();

    RdmaPerftest(const RdmaPerftest&) = delete;
    RdmaPerftest& operator=(const RdmaPerftest&) = delete;

    /// Post the first requests now.
    void Start();

    /// @return true if all iterations have completed with success
    bool IsDone() const;
    /// @return what went wrong, empty if nothing
    const std::string& GetError() const;

    /// @return the result of a bandwidth test that is done
    Bandwidth GetBandwidth() const;
    /// @return the result of a latency test that is done
    Latency GetLatency() const;

    /**
     * @param samples samples in any order, picoseconds, at least one
     * @return their statistics
     */
    static Latency Summarize(std::vector<RocePs> samples);

  private:
    /// @return a request of this test
    RdmaWorkRequest MakeRequest() const;
    /**
     * Post as many requests as the depth allows.
     * @param index number of the queue pair
     */
    void Fill(std::size_t index);
    /// @param completion something has completed at the client
    void ClientCompleted(const RdmaWorkCompletion& completion);
    /// @param completion something has completed at the server
    void ServerCompleted(const RdmaWorkCompletion& completion);
    /**
     * Ping-pong of WRITEs: the client's memory has changed.
     * @param when arrival of the last packet
     * @param bytes message length
     */
    void ClientWritten(Time when, uint64_t bytes);
    /**
     * Ping-pong of WRITEs: the server's memory has changed.
     * @param when arrival of the last packet
     * @param bytes message length
     */
    void ServerWritten(Time when, uint64_t bytes);
    /// Post the next ping.
    void Ping();
    /// @param end end of the current iteration
    void Pong(RocePs end);
    /// @param completion a completion with an error
    void Fail(const RdmaWorkCompletion& completion);
    /// @return true if iterations are answered by the software of the server
    bool IsPingPong() const;

    Config m_config;                 //!< how to measure
    std::vector<QueuePairs> m_pairs; //!< queue pairs
    std::vector<uint64_t> m_posted;  //!< requests posted, by queue pair
    std::vector<uint64_t> m_done;    //!< requests completed, by queue pair
    std::vector<RocePs> m_postTimes; //!< bandwidth: posts in their order
    std::vector<RocePs> m_doneTimes; //!< bandwidth: completions in their order
    std::vector<RocePs> m_samples;   //!< latency: the samples
    RocePs m_pinged{0};              //!< latency: start of the iteration
    std::string m_error;             //!< what went wrong
};

} // namespace ns3

#endif /* RDMA_PERFTEST_H */
