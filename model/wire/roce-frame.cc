/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-frame.h"

#include <cstdint>
#include <new>

namespace ns3
{

static_assert(sizeof(RoceFrame) <= 128, "a frame must fit into two cache lines");

namespace
{

/**
 * Free list of one thread. Frames are recycled because a fabric creates and destroys one per
 * packet; the list holds no simulation state, so it cannot influence results.
 */
class FramePool
{
  public:
    ~FramePool()
    {
        while (m_free)
        {
            RoceFrame* frame = m_free;
            m_free = frame->next;
            delete frame;
        }
    }

    /// @return a fresh frame
    RoceFrame* Take()
    {
        m_live++;
        if (m_free)
        {
            RoceFrame* frame = m_free;
            m_free = frame->next;
            return new (frame) RoceFrame;
        }
        return new RoceFrame;
    }

    /// @param frame a frame that nobody uses any more
    void Give(RoceFrame* frame)
    {
        m_live--;
        frame->packet = nullptr;
        frame->next = m_free;
        m_free = frame;
    }

    /// @return frames in use
    uint64_t GetLive() const
    {
        return m_live;
    }

  private:
    RoceFrame* m_free{nullptr}; //!< recycled frames
    uint64_t m_live{0};         //!< frames in use
};

/// The pool of this thread.
thread_local FramePool t_pool;

} // namespace

void
RoceFrameRecycler::operator()(RoceFrame* frame) const
{
    t_pool.Give(frame);
}

RoceFramePtr
CreateRoceFrame()
{
    return RoceFramePtr(t_pool.Take());
}

uint64_t
GetLiveRoceFrames()
{
    return t_pool.GetLive();
}

} // namespace ns3
