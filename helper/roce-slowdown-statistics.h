/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SLOWDOWN_STATISTICS_H
#define ROCE_SLOWDOWN_STATISTICS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Mean and percentiles of the slowdown of flows, in all and by size.
 *
 * The slowdown of a flow is its completion time divided by the ideal one. Percentiles interpolate
 * linearly between the two nearest flows, as numpy.percentile does by default.
 */
class RoceSlowdownStatistics
{
  public:
    /// What is known about a set of flows.
    struct Result
    {
        uint64_t flows{0}; //!< number of flows; all else is 0 if there is none
        double mean{0};    //!< mean slowdown
        double p50{0};     //!< median slowdown
        double p95{0};     //!< 95th percentile
        double p99{0};     //!< 99th percentile
        double maximum{0}; //!< largest slowdown
    };

    /**
     * Add a flow.
     * @param bytes its size
     * @param slowdown its slowdown
     */
    void Add(uint64_t bytes, double slowdown);

    /// @return the result of all flows
    Result GetResult() const;

    /**
     * @param minimum smallest size of interest, bytes
     * @param limit sizes of interest are below this one, bytes
     * @return the result of flows of that size
     */
    Result GetResult(uint64_t minimum, uint64_t limit) const;

  private:
    /// A flow.
    struct Sample
    {
        uint64_t bytes;  //!< size
        double slowdown; //!< slowdown
    };

    std::vector<Sample> m_samples; //!< all flows
};

} // namespace ns3

#endif /* ROCE_SLOWDOWN_STATISTICS_H */
