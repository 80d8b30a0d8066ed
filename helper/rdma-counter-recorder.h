/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_COUNTER_RECORDER_H
#define RDMA_COUNTER_RECORDER_H

#include "roce-csv-file.h"

#include "ns3/ptr.h"
#include "ns3/rdma-transport-state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class RdmaEngine;

/**
 * @ingroup roce
 * @brief Writes the counters of NICs and queue pairs to a file, under the names that Linux shows
 * for hardware (hw_counters of an RDMA port) where hardware has such a counter.
 *
 * A row holds the values up to the time of the call, so a series of rows is a time series.
 */
class RdmaCounterRecorder
{
  public:
    /// @param path name of the file
    explicit RdmaCounterRecorder(const std::string& path);

    /**
     * Write one row with the sums over all queue pairs of a NIC, destroyed ones included.
     * @param engine the NIC
     * @param node number of its node
     * @param port number of its port
     */
    void RecordDevice(Ptr<RdmaEngine> engine, uint32_t node, uint32_t port);
    /**
     * Write one row for each queue pair of a NIC that exists.
     * @param engine the NIC
     * @param node number of its node
     * @param port number of its port
     */
    void RecordQueuePairs(Ptr<RdmaEngine> engine, uint32_t node, uint32_t port);

    /// Hand all rows to the operating system.
    void Flush();

    /// @return names of the columns, in their order
    static std::vector<std::string> GetColumns();

  private:
    /**
     * @param node number of the node
     * @param port number of the port
     * @param qp what the row is about
     * @param counters the counters
     * @param late packets for queue pairs that do not exist
     * @param discards frames that a slow NIC had no room for
     */
    void WriteRow(uint32_t node,
                  uint32_t port,
                  const std::string& qp,
                  const RdmaCounters& counters,
                  uint64_t late,
                  uint64_t discards);

    RoceCsvFile m_file; //!< the file
};

} // namespace ns3

#endif /* RDMA_COUNTER_RECORDER_H */
