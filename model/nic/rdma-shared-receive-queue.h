/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SHARED_RECEIVE_QUEUE_H
#define RDMA_SHARED_RECEIVE_QUEUE_H

#include "rdma-work-request.h"

#include "ns3/callback.h"
#include "ns3/object.h"
#include "ns3/roce-clock.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup roce
 * @brief A posted receive buffer.
 */
struct RdmaReceiveBuffer
{
    RdmaReceiveRequest request; //!< the buffer
    RocePs posted{0};           //!< when it was posted
};

/**
 * @ingroup roce
 * @brief Receive buffers that several queue pairs take from, in the order of arrival (ibv_srq).
 */
class RdmaSharedReceiveQueue : public Object
{
  public:
    /// Called when fewer buffers than the limit are left (IBV_EVENT_SRQ_LIMIT_REACHED).
    typedef Callback<void> LimitCallback;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaSharedReceiveQueue();
    ~RdmaSharedReceiveQueue() override;

    /**
     * Append a buffer (ibv_post_srq_recv).
     * @param request the buffer
     */
    void PostReceive(const RdmaReceiveRequest& request);

    /// @return number of buffers
    std::size_t GetSize() const;

    /**
     * Be called once when the number of buffers has fallen below a limit (ibv_modify_srq).
     * @param limit number of buffers
     * @param callback whom to call
     */
    void ArmLimit(std::size_t limit, LimitCallback callback);

    /**
     * Take the oldest buffer; called by queue pairs.
     * @param [out] buffer the buffer
     * @return false if there is none
     */
    bool Take(RdmaReceiveBuffer& buffer);

  protected:
    void DoDispose() override;

  private:
    std::deque<RdmaReceiveBuffer> m_buffers; //!< oldest first
    std::size_t m_limit{0};                  //!< 0: not armed
    LimitCallback m_callback;                //!< whom to call
};

} // namespace ns3

#endif /* RDMA_SHARED_RECEIVE_QUEUE_H */
