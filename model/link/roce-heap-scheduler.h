/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_HEAP_SCHEDULER_H
#define ROCE_HEAP_SCHEDULER_H

#include "ns3/scheduler.h"

#include <cstddef>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief An event scheduler for fabrics: a heap with four children per node.
 *
 * The order of events is exactly that of the schedulers of ns-3, so results do not change. It beats
 * the default MapScheduler because nothing is allocated per event and a node's children share a
 * cache line or two; removing an arbitrary event takes linear time, which the module does not need.
 * Choose it by Simulator::SetScheduler(), by the global value SchedulerType or by
 * RoceHelper::UseHeapScheduler().
 */
class RoceHeapScheduler : public Scheduler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RoceHeapScheduler();
    ~RoceHeapScheduler() override;

    void Insert(const Event& ev) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& ev) override;

  private:
    static constexpr std::size_t ARITY = 4; //!< children per node

    /**
     * Move an event towards the root until its parent is not later.
     * @param hole index of the free node to start from
     * @param ev the event
     */
    void SiftUp(std::size_t hole, const Event& ev);
    /**
     * Move an event away from the root until its children are not earlier.
     * @param hole index of the free node to start from
     * @param ev the event
     */
    void SiftDown(std::size_t hole, const Event& ev);

    std::vector<Event> m_heap; //!< node i has the children ARITY * i + 1 to ARITY * i + ARITY
};

} // namespace ns3

#endif /* ROCE_HEAP_SCHEDULER_H */
