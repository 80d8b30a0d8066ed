/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-counter-recorder.h"

#include "ns3/log.h"
#include "ns3/rdma-engine.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/roce-clock.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaCounterRecorder");

namespace
{

/// A column with a counter.
struct Column
{
    const char* name;                 //!< its name
    uint64_t RdmaCounters::* counter; //!< where the value is
};

/// All columns with counters of queue pairs.
constexpr Column COLUMNS[] = {
    {"posted", &RdmaCounters::posted},
    {"completed", &RdmaCounters::completed},
    {"failed", &RdmaCounters::failed},
    {"packets_sent", &RdmaCounters::packetsSent},
    {"retransmitted_packets", &RdmaCounters::retransmittedPackets},
    {"bytes_sent", &RdmaCounters::bytesSent},
    {"bytes_acked", &RdmaCounters::bytesAcked},
    {"acks_received", &RdmaCounters::acksReceived},
    {"packet_seq_err", &RdmaCounters::packetSeqErr},
    {"implied_nak_seq_err", &RdmaCounters::impliedNakSeqErr},
    {"rnr_naks_received", &RdmaCounters::rnrNaksReceived},
    {"rnr_nak_retry_err", &RdmaCounters::rnrNakRetryErr},
    {"local_ack_timeout_err", &RdmaCounters::localAckTimeoutErr},
    {"rp_cnp_handled", &RdmaCounters::cnpHandled},
    {"packets_received", &RdmaCounters::packetsReceived},
    {"bytes_received", &RdmaCounters::bytesReceived},
    {"messages_received", &RdmaCounters::messagesReceived},
    {"dropped_packets", &RdmaCounters::droppedPackets},
    {"out_of_sequence", &RdmaCounters::outOfSequence},
    {"duplicate_request", &RdmaCounters::duplicateRequest},
    {"acks_sent", &RdmaCounters::acksSent},
    {"naks_sent", &RdmaCounters::naksSent},
    {"rnr_naks_sent", &RdmaCounters::rnrNaksSent},
    {"np_ecn_marked_roce_packets", &RdmaCounters::ecnMarkedPackets},
    {"np_cnp_sent", &RdmaCounters::cnpSent},
};

} // namespace

std::vector<std::string>
RdmaCounterRecorder::GetColumns()
{
    std::vector<std::string> names{"time_s", "node", "port", "qp"};
    for (const Column& column : COLUMNS)
    {
        names.emplace_back(column.name);
    }
    names.emplace_back("late_packets");
    names.emplace_back("rx_discards");
    return names;
}

RdmaCounterRecorder::RdmaCounterRecorder(const std::string& path)
    : m_file(path, GetColumns())
{
    NS_LOG_FUNCTION(this << path);
}

void
RdmaCounterRecorder::RecordDevice(Ptr<RdmaEngine> engine, uint32_t node, uint32_t port)
{
    NS_LOG_FUNCTION(this << engine << node << port);
    WriteRow(node,
             port,
             "all",
             engine->GetCounters(),
             engine->GetLatePackets(),
             engine->GetInputBuffer()->GetDrops());
}

void
RdmaCounterRecorder::RecordQueuePairs(Ptr<RdmaEngine> engine, uint32_t node, uint32_t port)
{
    NS_LOG_FUNCTION(this << engine << node << port);
    uint32_t left = engine->GetNQueuePairs();
    for (uint32_t number = RdmaEngine::FIRST_NUMBER; left > 0; number++)
    {
        if (auto qp = engine->FindQueuePair(number))
        {
            left--;
            WriteRow(node, port, std::to_string(number), qp->GetCounters(), 0, 0);
        }
    }
}

void
RdmaCounterRecorder::WriteRow(uint32_t node,
                              uint32_t port,
                              const std::string& qp,
                              const RdmaCounters& counters,
                              uint64_t late,
                              uint64_t discards)
{
    m_file.AddSeconds(RoceClock::Now());
    m_file.AddInteger(node);
    m_file.AddInteger(port);
    m_file.AddText(qp);
    for (const Column& column : COLUMNS)
    {
        m_file.AddInteger(counters.*column.counter);
    }
    m_file.AddInteger(late);
    m_file.AddInteger(discards);
    m_file.EndRow();
}

void
RdmaCounterRecorder::Flush()
{
    m_file.Flush();
}

} // namespace ns3
