/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_PFC_RECORDER_H
#define ROCE_PFC_RECORDER_H

#include "roce-csv-file.h"

#include "ns3/nstime.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Writes every pause and resume request that a port sends or receives to pfc.csv.
 *
 * It must outlive the simulation, because trace sinks point to it.
 */
class RocePfcRecorder
{
  public:
    /// @param path name of the file
    explicit RocePfcRecorder(const std::string& path);

    /**
     * Listen to a port.
     * @param flowControl flow control of the port
     * @param node number of its node
     * @param port number of the port
     */
    void Connect(Ptr<PfcFlowControl> flowControl, uint32_t node, uint32_t port);

    /**
     * Write a row.
     * @param node number of the node
     * @param port number of the port
     * @param trafficClass class that is paused or resumed
     * @param sent true if the port sent the request, false if it received it
     * @param pause length of the pause that is asked for, 0 for a resume, picoseconds
     * @param when time of the event
     */
    void Record(uint32_t node,
                uint32_t port,
                uint8_t trafficClass,
                bool sent,
                RocePs pause,
                RocePs when);

    /// @return number of pause requests sent
    uint64_t GetXoffSent() const;

    /// Hand all rows to the operating system.
    void Flush();

  private:
    RoceCsvFile m_file;     //!< the file
    uint64_t m_xoffSent{0}; //!< pause requests sent
};

} // namespace ns3

#endif /* ROCE_PFC_RECORDER_H */
