/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_TOPOLOGY_READER_H
#define ROCE_TOPOLOGY_READER_H

#include "roce-topology.h"

#include <istream>
#include <string>

namespace ns3
{

class RoceTextInput;

/**
 * @ingroup roce
 * @brief Reads topology files in the format of the HPCC and ConWeave simulators.
 *
 * The first line is "nodes switches links", then come the numbers of the switches (on one line or
 * more), then one line "src dst rate delay error_rate" per link, for example "0 320 100Gbps 1000ns
 * 0". Nodes are numbered from 0; those not listed as switches are hosts. What follows the announced
 * number of links is ignored, as the published files end in explanations.
 */
class RoceTopologyReader
{
  public:
    /**
     * Read a file.
     * @param path name of the file
     * @return true if it is well formed; else GetError() says what is wrong
     */
    bool ReadFile(const std::string& path);

    /**
     * Read a text.
     * @param stream the text
     * @param name what to call it in errors
     * @return true if it is well formed; else GetError() says what is wrong
     */
    bool Read(std::istream& stream, const std::string& name);

    /// @return the plan that was read
    const RoceTopology& GetTopology() const;

    /// @return "file:line: reason" after a refusal, else an empty string
    const std::string& GetError() const;

  private:
    /**
     * Read everything up to the last announced link.
     * @param input the text
     * @return true if it is well formed
     */
    bool Parse(RoceTextInput& input);
    /**
     * Read the current line as a link.
     * @param input the text
     * @return true if it is well formed
     */
    bool ParseLink(RoceTextInput& input);

    RoceTopology m_topology; //!< what was read
    std::string m_error;     //!< why it was refused
};

} // namespace ns3

#endif /* ROCE_TOPOLOGY_READER_H */
