/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_COMPLETION_QUEUE_H
#define RDMA_COMPLETION_QUEUE_H

#include "rdma-work-completion.h"

#include "ns3/callback.h"
#include "ns3/object.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief A completion queue (ibv_cq): entries wait until they are polled, or are handed to a
 * callback at once.
 *
 * Nothing is lost: entries that arrive before a callback is set stay in the queue and can be
 * polled, and the queue has no limit.
 */
class RdmaCompletionQueue : public Object
{
  public:
    /// Called with each entry at the time of the completion.
    typedef Callback<void, const RdmaWorkCompletion&> CompletionCallback;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaCompletionQueue();
    ~RdmaCompletionQueue() override;

    /**
     * Take entries, oldest first (ibv_poll_cq).
     * @param maximum most entries to take
     * @return the entries
     */
    std::vector<RdmaWorkCompletion> Poll(std::size_t maximum);

    /// @return number of entries that wait to be polled
    std::size_t GetSize() const;

    /// @return number of entries that have ever been pushed
    uint64_t GetTotal() const;

    /// @param callback called with every further entry, which then does not wait to be polled
    void SetCallback(CompletionCallback callback);

    /// @param completion the new entry; called by queue pairs
    void Push(const RdmaWorkCompletion& completion);

  protected:
    void DoDispose() override;

  private:
    std::deque<RdmaWorkCompletion> m_entries; //!< waiting entries
    uint64_t m_total{0};                      //!< entries pushed so far
    CompletionCallback m_callback;            //!< takes entries at once
};

} // namespace ns3

#endif /* RDMA_COMPLETION_QUEUE_H */
