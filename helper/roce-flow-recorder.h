/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FLOW_RECORDER_H
#define ROCE_FLOW_RECORDER_H

#include "roce-csv-file.h"
#include "roce-flow.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Writes one row per flow that has ended to flows.csv, at once.
 */
class RoceFlowRecorder
{
  public:
    /// How a flow ended.
    struct Outcome
    {
        RocePs end{0};                    //!< completion: last acknowledgment at the sender
        RocePs idealFct{0};               //!< completion time if it had its path to itself
        uint64_t packets{0};              //!< data packets sent, with retransmissions
        uint64_t retransmittedPackets{0}; //!< data packets sent again
        uint64_t congestionSignals{0};    //!< congestion signals that the sender was given
        std::string status;               //!< SUCCESS, or the libibverbs status of the failure
    };

    /// @param path name of the file
    explicit RoceFlowRecorder(const std::string& path);

    /**
     * Write a row.
     * @param flow the flow
     * @param outcome how it ended
     */
    void Record(const RoceFlow& flow, const Outcome& outcome);

    /**
     * @param flow a flow
     * @param outcome how it ended
     * @return its slowdown
     */
    static double GetSlowdown(const RoceFlow& flow, const Outcome& outcome);

  private:
    RoceCsvFile m_file; //!< the file
};

} // namespace ns3

#endif /* ROCE_FLOW_RECORDER_H */
