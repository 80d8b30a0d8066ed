/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FLOW_RUNNER_H
#define ROCE_FLOW_RUNNER_H

#include "roce-flow.h"
#include "roce-slowdown-statistics.h"

#include "ns3/event-id.h"
#include "ns3/ptr.h"
#include "ns3/rdma-completion-queue.h"
#include "ns3/rdma-engine.h"
#include "ns3/rdma-queue-pair.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

class RoceFlowRecorder;

/**
 * @ingroup roce
 * @brief Runs the flows of an experiment, each as one RDMA WRITE on a queue pair of its own.
 *
 * The queue pair is created when the flow starts and destroyed some time after it has ended, so
 * memory follows the flows that are alive; only one start is scheduled at a time. When the last
 * flow has ended, the simulation is stopped (unless that is switched off).
 *
 * Identity: flows = completed + failed + unfinished.
 */
class RoceFlowRunner
{
  public:
    RoceFlowRunner();
    ~RoceFlowRunner();

    RoceFlowRunner(const RoceFlowRunner&) = delete;
    RoceFlowRunner& operator=(const RoceFlowRunner&) = delete;

    /**
     * Add a flow, before Start(). They may be added in any order.
     * @param flow the flow
     * @param source NIC port that sends it
     * @param destination NIC port that receives it
     * @param idealFct its completion time if it had its path to itself, picoseconds
     */
    void AddFlow(const RoceFlow& flow,
                 Ptr<RdmaEngine> source,
                 Ptr<RdmaEngine> destination,
                 RocePs idealFct);

    /**
     * @param trafficClass class of flows, 0 to 7
     * @param dscp DSCP of their packets (default: 8 times the class, and 26 for class 3)
     */
    void SetDscp(uint8_t trafficClass, uint8_t dscp);

    /// @param recorder hears of every flow that ends; may be null
    void SetRecorder(RoceFlowRecorder* recorder);

    /// @param stop true to stop the simulation when the last flow has ended (the default)
    void SetStopWhenDone(bool stop);

    /// Schedule the first flow.
    void Start();

    /// Destroy the queue pairs that are left. Called by the destructor, too.
    void Finish();

    /// @return number of flows
    uint64_t GetNFlows() const;
    /// @return number of flows that have started
    uint64_t GetNStarted() const;
    /// @return number of flows that ended with success
    uint64_t GetNCompleted() const;
    /// @return number of flows that ended with an error
    uint64_t GetNFailed() const;
    /// @return number of flows that have not ended
    uint64_t GetNUnfinished() const;
    /// @return payload of all flows, bytes
    uint64_t GetTotalBytes() const;
    /// @return payload of the flows that ended with success, bytes
    uint64_t GetCompletedBytes() const;
    /// @return payload acknowledged so far, of all flows, bytes
    uint64_t GetAckedBytes() const;
    /// @return start of the first flow, picoseconds; 0 if there is none
    RocePs GetFirstStart() const;
    /// @return end of the last flow that has ended, picoseconds; 0 if none has
    RocePs GetLastEnd() const;
    /// @return slowdowns of the flows that ended with success
    const RoceSlowdownStatistics& GetSlowdowns() const;

    /**
     * @param maximum most flows to name
     * @return the first flows, in order of their start, that have not ended
     */
    std::vector<RoceFlow> GetUnfinished(std::size_t maximum) const;

    /**
     * @param flow a flow that has not ended
     * @return payload acknowledged so far, bytes
     */
    uint64_t GetAckedBytes(const RoceFlow& flow) const;

  private:
    /// A flow and what is needed to run it.
    struct Job
    {
        RoceFlow flow;               //!< the flow
        Ptr<RdmaEngine> source;      //!< NIC port that sends
        Ptr<RdmaEngine> destination; //!< NIC port that receives
        RocePs idealFct;             //!< completion time alone
        bool ended;                  //!< completed or failed
    };

    /// The two ends of a connection.
    struct Connection
    {
        Ptr<RdmaQueuePair> sender;   //!< end that sends
        Ptr<RdmaQueuePair> receiver; //!< end that receives
    };

    /// Start all flows that are due, and schedule the next one.
    void StartDue();
    /**
     * Connect and post.
     * @param index index in m_jobs
     */
    void StartJob(uint64_t index);
    /**
     * @param job a flow
     * @param engine NIC port
     * @return a new queue pair for it
     */
    Ptr<RdmaQueuePair> CreateQueuePair(const Job& job, Ptr<RdmaEngine> engine) const;
    /// @param completion end of a flow
    void Completed(const RdmaWorkCompletion& completion);
    /// @param connection both queue pairs are destroyed
    static void Destroy(const Connection& connection);
    /// Destroy the connections of flows that have ended.
    void DestroyEnded();
    /// Schedule StartDue() for the next flow.
    void ScheduleNext();

    std::vector<Job> m_jobs;                //!< all flows, in order of their start
    std::map<uint64_t, Connection> m_live;  //!< by index in m_jobs
    std::vector<Connection> m_ended;        //!< connections to be destroyed
    std::array<uint8_t, 8> m_dscp{};        //!< DSCP by traffic class
    Ptr<RdmaCompletionQueue> m_completions; //!< of all senders
    RoceFlowRecorder* m_recorder{nullptr};  //!< writes rows
    RoceSlowdownStatistics m_slowdowns;     //!< of completed flows
    EventId m_nextStart;                    //!< start of the next flow
    bool m_stopWhenDone{true};              //!< stop after the last flow
    uint64_t m_started{0};                  //!< flows started
    uint64_t m_completed{0};                //!< flows ended with success
    uint64_t m_failed{0};                   //!< flows ended with an error
    uint64_t m_totalBytes{0};               //!< payload of all flows, bytes
    uint64_t m_completedBytes{0};           //!< payload of completed flows, bytes
    uint64_t m_failedBytes{0};              //!< payload of failed flows that was acknowledged
    RocePs m_lastEnd{0};                    //!< end of the last flow that has ended
};

} // namespace ns3

#endif /* ROCE_FLOW_RUNNER_H */
