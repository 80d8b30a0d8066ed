/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FLOW_READER_H
#define ROCE_FLOW_READER_H

#include "roce-flow.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{

class RoceTextInput;
class RoceTopology;

/**
 * @ingroup roce
 * @brief Reads flow files in the formats of the HPCC and ConWeave simulators.
 *
 * The first line is the number of flows, then comes one line per flow: "src dst pg dport size
 * start" (HPCC) or "src dst pg size start" (ConWeave), told apart by the number of fields. src and
 * dst are hosts of the topology, pg is the traffic class, size is in bytes (64 bits), start in
 * seconds. The destination port of HPCC is checked and then ignored: flows are told apart by their
 * queue pairs. Start times may be in any order. What follows the announced number of flows is
 * ignored, as the published files end in spare flows and explanations.
 */
class RoceFlowReader
{
  public:
    /**
     * Read a file.
     * @param path name of the file
     * @param topology the network that the flows run in
     * @return true if it is well formed; else GetError() says what is wrong
     */
    bool ReadFile(const std::string& path, const RoceTopology& topology);

    /**
     * Read a text.
     * @param stream the text
     * @param name what to call it in errors
     * @param topology the network that the flows run in
     * @return true if it is well formed; else GetError() says what is wrong
     */
    bool Read(std::istream& stream, const std::string& name, const RoceTopology& topology);

    /// @return the flows in the order of the file
    const std::vector<RoceFlow>& GetFlows() const;

    /// @return "file:line: reason" after a refusal, else an empty string
    const std::string& GetError() const;

  private:
    /**
     * Read everything up to the last announced flow.
     * @param input the text
     * @param topology the network that the flows run in
     * @return true if it is well formed
     */
    bool Parse(RoceTextInput& input, const RoceTopology& topology);
    /**
     * Read the current line as a flow.
     * @param input the text
     * @param topology the network that the flows run in
     * @return true if it is well formed
     */
    bool ParseFlow(RoceTextInput& input, const RoceTopology& topology);
    /**
     * Read a field of the current line as a host.
     * @param input the text
     * @param field number of the field
     * @param topology the network
     * @param what what the host is, for the error
     * @param [out] host the node number
     * @return true if it is a host
     */
    bool ParseHost(RoceTextInput& input,
                   std::size_t field,
                   const RoceTopology& topology,
                   const std::string& what,
                   uint32_t& host) const;

    std::vector<RoceFlow> m_flows; //!< what was read
    std::string m_error;           //!< why it was refused
};

} // namespace ns3

#endif /* ROCE_FLOW_READER_H */
