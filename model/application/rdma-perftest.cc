/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perftest.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/rdma-work-request.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPerftest");

RdmaPerftest::RdmaPerftest(const Config& config, const std::vector<QueuePairs>& pairs)
    : m_config(config),
      m_pairs(pairs)
{
    NS_ABORT_MSG_IF(pairs.empty(), "RdmaPerftest: needs at least one pair of queue pairs");
    NS_ABORT_MSG_IF(config.iterations == 0 || config.txDepth == 0 || config.rxDepth == 0 ||
                        config.postList == 0,
                    "RdmaPerftest: iterations, depths and post list must not be 0");
    NS_ABORT_MSG_IF(config.postList > config.txDepth,
                    "RdmaPerftest: a post list of " << config.postList
                                                    << " exceeds the depth of the send queue, "
                                                    << config.txDepth);
    if (m_config.operation == ATOMIC)
    {
        m_config.size = RdmaWorkRequest::ATOMIC_BYTES;
    }
    if (m_config.latency)
    {
        m_pairs.resize(1);
    }
    m_posted.resize(m_pairs.size());
    m_done.resize(m_pairs.size());
    for (const auto& [client, server] : m_pairs)
    {
        client->GetSendCompletionQueue()->SetCallback(
            MakeCallback(&RdmaPerftest::ClientCompleted, this));
        server->GetSendCompletionQueue()->SetCallback(
            MakeCallback(&RdmaPerftest::ServerCompleted, this));
    }
    if (IsPingPong() && m_config.operation == WRITE)
    {
        m_pairs[0].first->TraceConnectWithoutContext(
            "MessageReceived",
            MakeCallback(&RdmaPerftest::ClientWritten, this));
        m_pairs[0].second->TraceConnectWithoutContext(
            "MessageReceived",
            MakeCallback(&RdmaPerftest::ServerWritten, this));
    }
}

RdmaPerftest::~RdmaPerftest()
{
    for (const auto& [client, server] : m_pairs)
    {
        for (const auto& qp : {client, server})
        {
            if (auto queue = qp->GetSendCompletionQueue()) // null after Simulator::Destroy()
            {
                queue->SetCallback(RdmaCompletionQueue::CompletionCallback());
            }
        }
    }
    if (IsPingPong() && m_config.operation == WRITE)
    {
        m_pairs[0].first->TraceDisconnectWithoutContext(
            "MessageReceived",
            MakeCallback(&RdmaPerftest::ClientWritten, this));
        m_pairs[0].second->TraceDisconnectWithoutContext(
            "MessageReceived",
            MakeCallback(&RdmaPerftest::ServerWritten, this));
    }
}

bool
RdmaPerftest::IsPingPong() const
{
    return m_config.latency && (m_config.operation == WRITE || m_config.operation == SEND);
}

RdmaWorkRequest
RdmaPerftest::MakeRequest() const
{
    RdmaWorkRequest request;
    switch (m_config.operation)
    {
    case WRITE:
        request = RdmaWorkRequest::Write(m_config.size);
        break;
    case SEND:
        request = RdmaWorkRequest::Send(m_config.size);
        break;
    case READ:
        request = RdmaWorkRequest::Read(m_config.size);
        break;
    case ATOMIC:
        request = RdmaWorkRequest::FetchAndAdd(1, 0);
        break;
    }
    request.inlineData = !request.HasResponse() && m_config.size <= m_config.inlineBytes;
    return request;
}

void
RdmaPerftest::Start()
{
    NS_LOG_FUNCTION(this);
    if (m_config.operation == SEND)
    {
        for (const auto& [client, server] : m_pairs)
        {
            // Buffers of an earlier, larger or smaller, test may be left.
            for (const auto& qp : {client, server})
            {
                for (auto n = qp->GetReceiveQueueLength(); n < m_config.rxDepth; n++)
                {
                    qp->PostReceive({0, RdmaRequester::MAX_MESSAGE_BYTES});
                }
            }
        }
    }
    if (m_config.latency)
    {
        Ping();
        return;
    }
    for (std::size_t i = 0; i < m_pairs.size(); i++)
    {
        Fill(i);
    }
}

// --- bandwidth ---

void
RdmaPerftest::Fill(std::size_t index)
{
    const RocePs now = RoceClock::Now();
    RdmaWorkRequest request = MakeRequest();
    request.wrId = index;
    while (m_posted[index] < m_config.iterations)
    {
        const uint64_t list =
            std::min<uint64_t>(m_config.postList, m_config.iterations - m_posted[index]);
        if (m_posted[index] - m_done[index] + list > m_config.txDepth)
        {
            break;
        }
        for (uint64_t i = 0; i < list; i++)
        {
            m_posted[index]++;
            m_postTimes.push_back(now);
            m_pairs[index].first->PostSend(request);
        }
    }
}

void
RdmaPerftest::ClientCompleted(const RdmaWorkCompletion& completion)
{
    if (!completion.IsSuccess())
    {
        Fail(completion);
        return;
    }
    if (completion.opcode == RdmaWcOpcode::RECV)
    {
        m_pairs[0].first->PostReceive({0, RdmaRequester::MAX_MESSAGE_BYTES});
        Pong(RoceClock::FromTime(completion.completed));
        return;
    }
    const std::size_t index = completion.wrId;
    m_done[index]++;
    if (!m_config.latency)
    {
        m_doneTimes.push_back(RoceClock::FromTime(completion.completed));
        Fill(index);
    }
    else if (!IsPingPong())
    {
        Pong(RoceClock::FromTime(completion.completed));
    }
}

void
RdmaPerftest::ServerCompleted(const RdmaWorkCompletion& completion)
{
    if (!completion.IsSuccess())
    {
        Fail(completion);
        return;
    }
    if (completion.opcode != RdmaWcOpcode::RECV)
    {
        return;
    }
    for (const auto& [client, server] : m_pairs)
    {
        if (server->GetId() == completion.qpId)
        {
            server->PostReceive({0, RdmaRequester::MAX_MESSAGE_BYTES});
        }
    }
    if (m_config.latency)
    {
        m_pairs[0].second->PostSend(MakeRequest());
    }
}

RdmaPerftest::Bandwidth
RdmaPerftest::GetBandwidth() const
{
    NS_ABORT_MSG_IF(m_config.latency || !IsDone(), "RdmaPerftest: there is no bandwidth (yet)");
    // As perftest does: the shortest time per message between any post and any later completion.
    // All pairs are looked at up to this many messages, then a part of them.
    constexpr std::size_t EXHAUSTIVE = 4096;
    const std::size_t n = m_doneTimes.size();
    const std::size_t step = n / EXHAUSTIVE + 1;
    const auto seconds = [](RocePs time) { return static_cast<double>(time) / RoceClock::SECOND; };
    const double total = seconds(m_doneTimes.back() - m_postTimes.front());
    double best = total / static_cast<double>(n);
    for (std::size_t i = 0; i < n; i += step)
    {
        for (std::size_t j = i; j < n; j += step)
        {
            const double time = seconds(m_doneTimes[j] - m_postTimes[i]);
            best = std::min(best, time / static_cast<double>(j - i + 1));
        }
    }
    const double bits = 8 * static_cast<double>(m_config.size);
    Bandwidth result;
    result.iterations = n;
    result.peak = bits / best;
    result.average = bits * static_cast<double>(n) / total;
    result.messageRate = static_cast<double>(n) / total;
    return result;
}

// --- latency ---

void
RdmaPerftest::Ping()
{
    m_pinged = RoceClock::Now();
    m_pairs[0].first->PostSend(MakeRequest());
}

void
RdmaPerftest::Pong(RocePs end)
{
    const RocePs time = end - m_pinged;
    m_samples.push_back(IsPingPong() ? time / 2 : time);
    if (m_samples.size() < m_config.iterations)
    {
        Ping();
    }
}

void
RdmaPerftest::ClientWritten(Time when, uint64_t)
{
    Pong(RoceClock::FromTime(when));
}

void
RdmaPerftest::ServerWritten(Time, uint64_t)
{
    m_pairs[0].second->PostSend(MakeRequest());
}

RdmaPerftest::Latency
RdmaPerftest::GetLatency() const
{
    NS_ABORT_MSG_IF(!m_config.latency || !IsDone(), "RdmaPerftest: there is no latency (yet)");
    return Summarize(m_samples);
}

RdmaPerftest::Latency
RdmaPerftest::Summarize(std::vector<RocePs> samples)
{
    NS_ABORT_MSG_IF(samples.empty(), "RdmaPerftest: no samples");
    std::sort(samples.begin(), samples.end());
    const auto n = static_cast<double>(samples.size());
    const auto rank = [&](double fraction) {
        return samples[static_cast<std::size_t>(std::ceil(n * fraction)) - 1];
    };
    Latency result;
    result.iterations = samples.size();
    result.minimum = samples.front();
    result.maximum = samples.back();
    result.typical = samples[samples.size() / 2];
    result.average = std::accumulate(samples.begin(), samples.end(), 0.0) / n;
    double squares = 0;
    for (const RocePs sample : samples)
    {
        const double difference = static_cast<double>(sample) - result.average;
        squares += difference * difference;
    }
    result.deviation = std::sqrt(squares / n);
    result.percentile99 = rank(0.99);
    result.percentile999 = rank(0.999);
    return result;
}

// --- the end ---

void
RdmaPerftest::Fail(const RdmaWorkCompletion& completion)
{
    if (m_error.empty())
    {
        std::ostringstream text;
        text << "queue pair " << completion.qpNumber << " ended with " << completion.status;
        m_error = text.str();
    }
}

bool
RdmaPerftest::IsDone() const
{
    if (!m_error.empty())
    {
        return false;
    }
    return m_config.latency ? m_samples.size() == m_config.iterations
                            : m_doneTimes.size() == m_config.iterations * m_pairs.size();
}

const std::string&
RdmaPerftest::GetError() const
{
    return m_error;
}

} // namespace ns3
