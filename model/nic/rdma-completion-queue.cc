/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-completion-queue.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaCompletionQueue");
NS_OBJECT_ENSURE_REGISTERED(RdmaCompletionQueue);

TypeId
RdmaCompletionQueue::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaCompletionQueue")
                            .SetParent<Object>()
                            .SetGroupName("Roce")
                            .AddConstructor<RdmaCompletionQueue>();
    return tid;
}

RdmaCompletionQueue::RdmaCompletionQueue()
{
    NS_LOG_FUNCTION(this);
}

RdmaCompletionQueue::~RdmaCompletionQueue()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaCompletionQueue::DoDispose()
{
    m_callback = CompletionCallback();
    m_entries.clear();
    Object::DoDispose();
}

std::vector<RdmaWorkCompletion>
RdmaCompletionQueue::Poll(std::size_t maximum)
{
    NS_LOG_FUNCTION(this << maximum);
    std::vector<RdmaWorkCompletion> taken;
    while (taken.size() < maximum && !m_entries.empty())
    {
        taken.push_back(m_entries.front());
        m_entries.pop_front();
    }
    return taken;
}

std::size_t
RdmaCompletionQueue::GetSize() const
{
    return m_entries.size();
}

uint64_t
RdmaCompletionQueue::GetTotal() const
{
    return m_total;
}

void
RdmaCompletionQueue::SetCallback(CompletionCallback callback)
{
    m_callback = callback;
}

void
RdmaCompletionQueue::Push(const RdmaWorkCompletion& completion)
{
    NS_LOG_FUNCTION(this << completion.wrId << completion.status);
    m_total++;
    if (m_callback.IsNull())
    {
        m_entries.push_back(completion);
    }
    else
    {
        m_callback(completion);
    }
}

} // namespace ns3
