/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_QUEUE_RECORDER_H
#define ROCE_QUEUE_RECORDER_H

#include "roce-csv-file.h"

#include "ns3/ptr.h"
#include "ns3/roce-switch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Writes the depth of queues over time to queues.csv, thinned out.
 *
 * Time is divided into intervals. A queue whose depth changed in an interval gets one row: start of
 * the interval, largest depth within, depth at its end. Between rows the depth stays what it was at
 * the end of the last one. Nothing is polled, and queues that are idle cost nothing. It must
 * outlive the simulation, because trace sinks point to it.
 *
 * A queue that never holds more than MinimumBytes in an interval, and did not in the one before,
 * gets no row: frames that just pass through would fill the file.
 */
class RoceQueueRecorder
{
  public:
    /**
     * @param path name of the file
     * @param interval length of an interval, picoseconds; 0 records nothing
     * @param minimumBytes depth up to which a queue is not of interest, bytes
     */
    RoceQueueRecorder(const std::string& path, RocePs interval, uint64_t minimumBytes);

    /// @return true if anything is to be recorded
    bool IsEnabled() const;

    /**
     * Add a queue.
     * @param node number of the node
     * @param port number of the port
     * @param trafficClass class of the queue
     * @return number of the queue for Record()
     */
    uint32_t AddQueue(uint32_t node, uint32_t port, uint8_t trafficClass);

    /**
     * Listen to all egress queues of a switch whose ports are all installed.
     * @param pipeline the switch
     * @param node number of its node
     */
    void Connect(Ptr<RoceSwitch> pipeline, uint32_t node);

    /**
     * The depth of a queue has changed.
     * @param queue number of the queue
     * @param bytes its new depth
     * @param when true time of the change, not before that of the last change of this queue
     */
    void Record(uint32_t queue, uint64_t bytes, RocePs when);

    /// Write the intervals that have not ended yet.
    void Finish();

  private:
    /// What is known about a queue.
    struct Queue
    {
        uint32_t node{0};        //!< node
        uint32_t port{0};        //!< port
        uint8_t trafficClass{0}; //!< class
        bool shown{false};       //!< the last interval gave a row with a depth of interest
        RocePs interval{-1};     //!< number of the current interval, -1 before the first change
        uint64_t last{0};        //!< current depth, bytes
        uint64_t maximum{0};     //!< largest depth in the current interval, bytes
    };

    /**
     * Write the row of a queue's current interval if it is of interest.
     * @param queue the queue
     */
    void Write(Queue& queue);

    RoceCsvFile m_file;          //!< the file
    RocePs m_interval;           //!< length of an interval, picoseconds
    uint64_t m_minimumBytes;     //!< depth that is not of interest, bytes
    std::vector<Queue> m_queues; //!< all queues
};

} // namespace ns3

#endif /* ROCE_QUEUE_RECORDER_H */
