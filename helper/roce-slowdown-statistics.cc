/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-slowdown-statistics.h"

#include "ns3/log.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceSlowdownStatistics");

namespace
{

/**
 * @param sorted values in ascending order, at least one
 * @param fraction from 0 to 1
 * @return the value below which that fraction lies
 */
double
Percentile(const std::vector<double>& sorted, double fraction)
{
    const double position = fraction * static_cast<double>(sorted.size() - 1);
    const auto lower = static_cast<std::size_t>(std::floor(position));
    const std::size_t upper = std::min(lower + 1, sorted.size() - 1);
    return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - std::floor(position));
}

} // namespace

void
RoceSlowdownStatistics::Add(uint64_t bytes, double slowdown)
{
    m_samples.push_back({bytes, slowdown});
}

RoceSlowdownStatistics::Result
RoceSlowdownStatistics::GetResult() const
{
    return GetResult(0, UINT64_MAX);
}

RoceSlowdownStatistics::Result
RoceSlowdownStatistics::GetResult(uint64_t minimum, uint64_t limit) const
{
    NS_LOG_FUNCTION(this << minimum << limit);
    std::vector<double> values;
    for (const Sample& sample : m_samples)
    {
        if (sample.bytes >= minimum && sample.bytes < limit)
        {
            values.push_back(sample.slowdown);
        }
    }
    Result result;
    if (values.empty())
    {
        return result;
    }
    std::sort(values.begin(), values.end());
    result.flows = values.size();
    result.mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    result.p50 = Percentile(values, 0.50);
    result.p95 = Percentile(values, 0.95);
    result.p99 = Percentile(values, 0.99);
    result.maximum = values.back();
    return result;
}

} // namespace ns3
