/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-queue-recorder.h"

#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-compat.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceQueueRecorder");

RoceQueueRecorder::RoceQueueRecorder(const std::string& path,
                                     RocePs interval,
                                     uint64_t minimumBytes)
    : m_file(path, {"time_s", "node", "port", "class", "max_bytes", "bytes"}),
      m_interval(interval),
      m_minimumBytes(minimumBytes)
{
    NS_LOG_FUNCTION(this << path << interval << minimumBytes);
}

bool
RoceQueueRecorder::IsEnabled() const
{
    return m_interval > 0;
}

uint32_t
RoceQueueRecorder::AddQueue(uint32_t node, uint32_t port, uint8_t trafficClass)
{
    Queue queue;
    queue.node = node;
    queue.port = port;
    queue.trafficClass = trafficClass;
    m_queues.push_back(queue);
    return static_cast<uint32_t>(m_queues.size() - 1);
}

void
RoceQueueRecorder::Connect(Ptr<RoceSwitch> pipeline, uint32_t node)
{
    NS_LOG_FUNCTION(this << pipeline << node);
    const auto first = static_cast<uint32_t>(m_queues.size());
    for (uint32_t port = 0; port < pipeline->GetNPorts(); port++)
    {
        for (uint8_t trafficClass = 0; trafficClass < RoceSwitch::N_CLASSES; trafficClass++)
        {
            AddQueue(node, port, trafficClass);
        }
    }
    pipeline->TraceConnectWithoutContext(
        "QueueBytes",
        MakeRoceCallback<uint16_t, uint8_t, uint64_t, Time>(
            [this, first](uint16_t port, uint8_t trafficClass, uint64_t bytes, Time when) {
                Record(first + port * RoceSwitch::N_CLASSES + trafficClass,
                       bytes,
                       RoceClock::FromTime(when));
            }));
}

void
RoceQueueRecorder::Record(uint32_t queueNumber, uint64_t bytes, RocePs when)
{
    if (!IsEnabled())
    {
        return;
    }
    Queue& queue = m_queues[queueNumber];
    const RocePs interval = when / m_interval;
    if (interval != queue.interval)
    {
        Write(queue);
        queue.interval = interval;
        queue.maximum = queue.last; // it had that depth at the start of the interval
    }
    queue.last = bytes;
    queue.maximum = std::max(queue.maximum, bytes);
}

void
RoceQueueRecorder::Write(Queue& queue)
{
    const bool interesting = queue.maximum > m_minimumBytes;
    if (queue.interval < 0 || (!interesting && !queue.shown))
    {
        return;
    }
    queue.shown = interesting;
    m_file.AddSeconds(queue.interval * m_interval);
    m_file.AddInteger(queue.node);
    m_file.AddInteger(queue.port);
    m_file.AddInteger(queue.trafficClass);
    m_file.AddInteger(queue.maximum);
    m_file.AddInteger(queue.last);
    m_file.EndRow();
}

void
RoceQueueRecorder::Finish()
{
    NS_LOG_FUNCTION(this);
    for (Queue& queue : m_queues)
    {
        Write(queue);
        queue.interval = -1;
    }
    m_file.Flush();
}

} // namespace ns3
