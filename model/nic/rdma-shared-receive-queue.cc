/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-shared-receive-queue.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSharedReceiveQueue");
NS_OBJECT_ENSURE_REGISTERED(RdmaSharedReceiveQueue);

TypeId
RdmaSharedReceiveQueue::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaSharedReceiveQueue")
                            .SetParent<Object>()
                            .SetGroupName("Roce")
                            .AddConstructor<RdmaSharedReceiveQueue>();
    return tid;
}

RdmaSharedReceiveQueue::RdmaSharedReceiveQueue()
{
    NS_LOG_FUNCTION(this);
}

RdmaSharedReceiveQueue::~RdmaSharedReceiveQueue()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaSharedReceiveQueue::DoDispose()
{
    m_callback = LimitCallback();
    m_buffers.clear();
    Object::DoDispose();
}

void
RdmaSharedReceiveQueue::PostReceive(const RdmaReceiveRequest& request)
{
    NS_LOG_FUNCTION(this << request.wrId << request.length);
    m_buffers.push_back({request, RoceClock::Now()});
}

std::size_t
RdmaSharedReceiveQueue::GetSize() const
{
    return m_buffers.size();
}

void
RdmaSharedReceiveQueue::ArmLimit(std::size_t limit, LimitCallback callback)
{
    NS_LOG_FUNCTION(this << limit);
    m_limit = limit;
    m_callback = callback;
}

bool
RdmaSharedReceiveQueue::Take(RdmaReceiveBuffer& buffer)
{
    if (m_buffers.empty())
    {
        return false;
    }
    buffer = m_buffers.front();
    m_buffers.pop_front();
    if (m_buffers.size() < m_limit)
    {
        m_limit = 0; // one call per arming
        m_callback();
    }
    return true;
}

} // namespace ns3
