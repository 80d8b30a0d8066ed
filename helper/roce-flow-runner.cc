/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-flow-runner.h"

#include "roce-flow-recorder.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-clock.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceFlowRunner");

RoceFlowRunner::RoceFlowRunner()
    : m_completions(CreateObject<RdmaCompletionQueue>())
{
    NS_LOG_FUNCTION(this);
    constexpr uint8_t DATA_CLASS = 3;
    constexpr uint8_t DATA_DSCP = 26; // the usual DSCP of RoCE data, also in class 3
    for (uint8_t trafficClass = 0; trafficClass < m_dscp.size(); trafficClass++)
    {
        m_dscp[trafficClass] = trafficClass == DATA_CLASS ? DATA_DSCP : trafficClass * 8;
    }
    m_completions->SetCallback(MakeCallback(&RoceFlowRunner::Completed, this));
}

RoceFlowRunner::~RoceFlowRunner()
{
    NS_LOG_FUNCTION(this);
    Finish();
}

void
RoceFlowRunner::AddFlow(const RoceFlow& flow,
                        Ptr<RdmaEngine> source,
                        Ptr<RdmaEngine> destination,
                        RocePs idealFct)
{
    NS_ABORT_MSG_UNLESS(source && destination && source != destination,
                        "flow " << flow.id << " needs two different NIC ports");
    NS_ABORT_MSG_UNLESS(flow.trafficClass < m_dscp.size(),
                        "flow " << flow.id << " has traffic class " << +flow.trafficClass
                                << "; there are 0 to " << m_dscp.size() - 1);
    m_jobs.push_back({flow, source, destination, idealFct, false});
    m_totalBytes += flow.bytes;
}

void
RoceFlowRunner::SetDscp(uint8_t trafficClass, uint8_t dscp)
{
    m_dscp.at(trafficClass) = dscp;
}

void
RoceFlowRunner::SetRecorder(RoceFlowRecorder* recorder)
{
    m_recorder = recorder;
}

void
RoceFlowRunner::SetStopWhenDone(bool stop)
{
    m_stopWhenDone = stop;
}

void
RoceFlowRunner::Start()
{
    NS_LOG_FUNCTION(this);
    std::sort(m_jobs.begin(), m_jobs.end(), [](const Job& a, const Job& b) {
        return std::tie(a.flow.start, a.flow.id) < std::tie(b.flow.start, b.flow.id);
    });
    ScheduleNext();
}

void
RoceFlowRunner::ScheduleNext()
{
    if (m_started < m_jobs.size())
    {
        const Time delay =
            TimeStep(RoceClock::ToTick(m_jobs[m_started].flow.start)) - Simulator::Now();
        m_nextStart =
            Simulator::Schedule(std::max(delay, Time(0)), &RoceFlowRunner::StartDue, this);
    }
}

void
RoceFlowRunner::StartDue()
{
    DestroyEnded();
    const RocePs now = RoceClock::Now();
    while (m_started < m_jobs.size() && m_jobs[m_started].flow.start <= now)
    {
        StartJob(m_started++);
    }
    ScheduleNext();
}

Ptr<RdmaQueuePair>
RoceFlowRunner::CreateQueuePair(const Job& job, Ptr<RdmaEngine> engine) const
{
    Ptr<RdmaQueuePair> qp = engine->CreateQueuePair();
    qp->SetAttribute("Dscp", UintegerValue(m_dscp[job.flow.trafficClass]));
    qp->SetSendCompletionQueue(m_completions);
    qp->ModifyToInit();
    return qp;
}

void
RoceFlowRunner::StartJob(uint64_t index)
{
    const Job& job = m_jobs[index];
    NS_LOG_INFO("start of flow " << job.flow.id << ", " << job.flow.bytes << " bytes");
    Connection connection;
    connection.sender = CreateQueuePair(job, job.source);
    connection.receiver = CreateQueuePair(job, job.destination);
    connection.sender->ModifyToRtr(connection.receiver->GetLocal());
    connection.receiver->ModifyToRtr(connection.sender->GetLocal());
    connection.receiver->ModifyToRts();
    connection.sender->ModifyToRts();
    m_live.emplace(index, connection);
    connection.sender->PostSend(RdmaWorkRequest::Write(job.flow.bytes, index));
}

void
RoceFlowRunner::Completed(const RdmaWorkCompletion& completion)
{
    const auto live = m_live.find(completion.wrId);
    if (live == m_live.end())
    {
        return; // flushed by Destroy()
    }
    Job& job = m_jobs[completion.wrId];
    NS_LOG_INFO("end of flow " << job.flow.id << ": " << completion.status);
    const Connection connection = live->second;
    m_live.erase(live);
    m_ended.push_back(connection);
    job.ended = true;

    const RdmaCounters& counters = connection.sender->GetCounters();
    RoceFlow flow = job.flow;
    flow.start = RoceClock::FromTime(completion.posted);
    RoceFlowRecorder::Outcome outcome;
    outcome.end = RoceClock::FromTime(completion.completed);
    outcome.idealFct = job.idealFct;
    outcome.packets = counters.packetsSent;
    outcome.retransmittedPackets = counters.retransmittedPackets;
    outcome.congestionSignals = connection.sender->GetCongestionSignals();
    outcome.status = GetRdmaWcStatusName(completion.status);
    m_lastEnd = std::max(m_lastEnd, outcome.end);
    if (completion.IsSuccess())
    {
        m_completed++;
        m_completedBytes += flow.bytes;
        m_slowdowns.Add(flow.bytes, RoceFlowRecorder::GetSlowdown(flow, outcome));
    }
    else
    {
        m_failed++;
        m_failedBytes += counters.bytesAcked;
    }
    if (m_recorder)
    {
        m_recorder->Record(flow, outcome);
    }
    if (GetNUnfinished() == 0 && m_stopWhenDone)
    {
        Simulator::Stop();
    }
}

void
RoceFlowRunner::Destroy(const Connection& connection)
{
    for (const Ptr<RdmaQueuePair>& qp : {connection.sender, connection.receiver})
    {
        if (qp->GetEngine()) // no more after Simulator::Destroy()
        {
            qp->GetEngine()->DestroyQueuePair(qp);
        }
    }
}

void
RoceFlowRunner::DestroyEnded()
{
    for (const Connection& connection : m_ended)
    {
        Destroy(connection);
    }
    m_ended.clear();
}

void
RoceFlowRunner::Finish()
{
    NS_LOG_FUNCTION(this);
    m_nextStart.Cancel();
    DestroyEnded();
    std::map<uint64_t, Connection> live;
    live.swap(m_live);
    for (const auto& [index, connection] : live)
    {
        Destroy(connection);
    }
}

uint64_t
RoceFlowRunner::GetNFlows() const
{
    return m_jobs.size();
}

uint64_t
RoceFlowRunner::GetNStarted() const
{
    return m_started;
}

uint64_t
RoceFlowRunner::GetNCompleted() const
{
    return m_completed;
}

uint64_t
RoceFlowRunner::GetNFailed() const
{
    return m_failed;
}

uint64_t
RoceFlowRunner::GetNUnfinished() const
{
    return m_jobs.size() - m_completed - m_failed;
}

uint64_t
RoceFlowRunner::GetTotalBytes() const
{
    return m_totalBytes;
}

uint64_t
RoceFlowRunner::GetCompletedBytes() const
{
    return m_completedBytes;
}

uint64_t
RoceFlowRunner::GetAckedBytes() const
{
    uint64_t bytes = m_completedBytes + m_failedBytes;
    for (const auto& [index, connection] : m_live)
    {
        bytes += connection.sender->GetCounters().bytesAcked;
    }
    return bytes;
}

uint64_t
RoceFlowRunner::GetAckedBytes(const RoceFlow& flow) const
{
    for (const auto& [index, connection] : m_live)
    {
        if (m_jobs[index].flow.id == flow.id)
        {
            return connection.sender->GetCounters().bytesAcked;
        }
    }
    return 0;
}

RocePs
RoceFlowRunner::GetFirstStart() const
{
    RocePs first = m_jobs.empty() ? 0 : m_jobs.front().flow.start;
    for (const Job& job : m_jobs)
    {
        first = std::min(first, job.flow.start);
    }
    return first;
}

RocePs
RoceFlowRunner::GetLastEnd() const
{
    return m_lastEnd;
}

const RoceSlowdownStatistics&
RoceFlowRunner::GetSlowdowns() const
{
    return m_slowdowns;
}

std::vector<RoceFlow>
RoceFlowRunner::GetUnfinished(std::size_t maximum) const
{
    std::vector<RoceFlow> flows;
    for (const Job& job : m_jobs)
    {
        if (flows.size() == maximum)
        {
            break;
        }
        if (!job.ended)
        {
            flows.push_back(job.flow);
        }
    }
    return flows;
}

} // namespace ns3
