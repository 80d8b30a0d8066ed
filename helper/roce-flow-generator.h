/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FLOW_GENERATOR_H
#define ROCE_FLOW_GENERATOR_H

#include "roce-flow.h"

#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class RoceSizeDistribution;
class RoceTopology;

/**
 * @ingroup roce
 * @brief Makes the usual workloads: incast, permutation, and Poisson arrivals with sizes from a
 * file.
 *
 * Everything random comes from four streams (permutation, gaps, sizes, destinations), so that the
 * same seed gives the same flows on every machine and a change of one does not shift the others.
 */
class RoceFlowGenerator
{
  public:
    RoceFlowGenerator();

    /**
     * Assign fixed random streams.
     * @param stream first stream to use
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Hosts 1 to N send to host 0, all at time 0.
     * @param topology the network; it needs at least senders + 1 hosts
     * @param senders number of senders N, at least 1
     * @param bytes size of every flow, bytes
     * @return the flows
     */
    std::vector<RoceFlow> Incast(const RoceTopology& topology,
                                 uint32_t senders,
                                 uint64_t bytes) const;

    /**
     * Every host sends one flow and receives one flow, none from itself, all at time 0. All such
     * permutations are equally likely.
     * @param topology the network; it needs at least two hosts
     * @param bytes size of every flow, bytes
     * @return the flows
     */
    std::vector<RoceFlow> Permutation(const RoceTopology& topology, uint64_t bytes) const;

    /**
     * Every host starts flows as a Poisson process of its own, to uniformly chosen other hosts.
     * @param topology the network; it needs at least two hosts
     * @param sizes distribution of sizes
     * @param load mean payload rate that each host offers, as a fraction of its NIC rate
     * @param duration length of the arrival process, picoseconds
     * @return the flows in order of their start
     */
    std::vector<RoceFlow> Poisson(const RoceTopology& topology,
                                  const RoceSizeDistribution& sizes,
                                  double load,
                                  RocePs duration) const;

  private:
    Ptr<UniformRandomVariable> m_permutation;  //!< shuffles
    Ptr<ExponentialRandomVariable> m_gaps;     //!< time between arrivals, in means
    Ptr<UniformRandomVariable> m_sizes;        //!< position in the size distribution
    Ptr<UniformRandomVariable> m_destinations; //!< choice of the destination
};

} // namespace ns3

#endif /* ROCE_FLOW_GENERATOR_H */
