/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_CLASS_QUEUES_H
#define ROCE_CLASS_QUEUES_H

#include "roce-class-scheduler.h"

#include "ns3/roce-frame.h"

#include <array>
#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * @ingroup roce
 * @brief The egress queues of a port: one FIFO per traffic class, served by a RoceClassScheduler.
 */
class RoceClassQueues
{
  public:
    static constexpr uint8_t N_CLASSES = RoceQosMap::N_CLASSES; //!< number of traffic classes

    /// @param map weights and strict classes; read now
    void SetQosMap(const RoceQosMap& map)
    {
        m_scheduler.SetQosMap(map);
    }

    /// @param frame the frame to append to the queue of its class
    void Push(RoceFramePtr frame)
    {
        const uint8_t c = frame->trafficClass;
        m_bytes[c] += frame->frameBytes;
        m_totalBytes += frame->frameBytes;
        m_backlog |= 1 << c;
        m_fifo[c].Push(std::move(frame));
    }

    /**
     * @param openClasses bit c is set if class c may be served
     * @return the next frame, or null if all open queues are empty
     */
    RoceFramePtr Pop(uint8_t openClasses)
    {
        const uint8_t candidates = m_backlog & openClasses;
        if (!candidates)
        {
            return nullptr;
        }
        const uint8_t c = m_scheduler.Pick(candidates, [this](uint8_t each) {
            return m_fifo[each].Front()->GetWireBytes();
        });
        return PopClass(c);
    }

    /**
     * @param trafficClass a class with a frame
     * @return its first frame, whatever the scheduler thinks
     */
    RoceFramePtr PopClass(uint8_t trafficClass)
    {
        RoceFramePtr frame = m_fifo[trafficClass].Pop();
        m_bytes[trafficClass] -= frame->frameBytes;
        m_totalBytes -= frame->frameBytes;
        if (m_fifo[trafficClass].IsEmpty())
        {
            m_backlog &= ~(1 << trafficClass);
            m_scheduler.NotifyEmpty(trafficClass);
        }
        return frame;
    }

    /// @return bit c is set if the queue of class c is not empty
    uint8_t GetBacklog() const
    {
        return m_backlog;
    }

    /**
     * @param trafficClass a class
     * @return bytes in its queue
     */
    uint64_t GetBytes(uint8_t trafficClass) const
    {
        return m_bytes[trafficClass];
    }

    /// @return bytes in all queues
    uint64_t GetTotalBytes() const
    {
        return m_totalBytes;
    }

  private:
    std::array<RoceFrameFifo, N_CLASSES> m_fifo; //!< frames
    std::array<uint64_t, N_CLASSES> m_bytes{};   //!< bytes by class
    uint64_t m_totalBytes{0};                    //!< bytes of all classes
    uint8_t m_backlog{0};                        //!< queues that are not empty
    RoceClassScheduler m_scheduler;              //!< chooses the class
};

} // namespace ns3

#endif /* ROCE_CLASS_QUEUES_H */
