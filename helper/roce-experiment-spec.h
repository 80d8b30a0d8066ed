/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_EXPERIMENT_SPEC_H
#define ROCE_EXPERIMENT_SPEC_H

#include "roce-flow.h"
#include "roce-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class RoceFlowGenerator;

/**
 * @ingroup roce
 * @brief Understands the one-word descriptions of networks and workloads that roce-run takes.
 *
 * A network is "star:N", "leaf-spine:LxSxH", "fat-tree:K" or the name of a topology file. A
 * workload is "incast:N:BYTES", "permutation:BYTES", "poisson:CDF:LOAD:DURATION" or the name of a
 * flow file.
 */
class RoceExperimentSpec
{
  public:
    /**
     * @param text description of a network or a workload
     * @return true if it names a builder or generator, false if it is taken as the name of a file
     */
    static bool IsBuiltIn(const std::string& text);

    /**
     * Make or read a network.
     * @param text its description
     * @param rate rate of every link of a built-in network, bit/s
     * @param delay propagation delay of every link of a built-in network, picoseconds
     * @return true on success; else GetError() says what is wrong
     */
    bool ReadTopology(const std::string& text, uint64_t rate, RocePs delay);

    /**
     * Make or read a workload for the network that was read before.
     * @param text its description
     * @param generator what generates the flows
     * @return true on success; else GetError() says what is wrong
     */
    bool ReadFlows(const std::string& text, const RoceFlowGenerator& generator);

    /// @return the network
    const RoceTopology& GetTopology() const;

    /// @return the flows
    const std::vector<RoceFlow>& GetFlows() const;

    /// @return what is wrong after a failure, else an empty string
    const std::string& GetError() const;

  private:
    /**
     * Remember an error.
     * @param error what is wrong
     * @return false
     */
    bool Fail(const std::string& error);

    RoceTopology m_topology;       //!< the network
    std::vector<RoceFlow> m_flows; //!< the flows
    std::string m_error;           //!< what is wrong
};

} // namespace ns3

#endif /* ROCE_EXPERIMENT_SPEC_H */
