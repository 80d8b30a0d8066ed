/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-load-meter.h"

#include "ns3/abort.h"

#include <cmath>

namespace ns3
{

RoceLoadMeter::RoceLoadMeter(RocePs period)
    : m_period(period),
      m_end(period)
{
    NS_ABORT_MSG_UNLESS(period > 0,
                        "RoceLoadMeter: period of " << period << " ps; it must be positive");
}

double
RoceLoadMeter::AverageAt(RocePs now) const
{
    constexpr double WEIGHT = 0.25;
    const double average = m_average + (static_cast<double>(m_bytes) - m_average) * WEIGHT;
    const RocePs idlePeriods = (now - m_end) / m_period;
    return idlePeriods > 0 ? average * std::pow(1.0 - WEIGHT, static_cast<double>(idlePeriods))
                           : average;
}

void
RoceLoadMeter::ClosePeriods(RocePs now)
{
    m_average = AverageAt(now);
    m_bytes = 0;
    m_end += ((now - m_end) / m_period + 1) * m_period;
}

double
RoceLoadMeter::GetLoad(RocePs now) const
{
    const double bytesPerPeriod = now >= m_end ? AverageAt(now) : m_average;
    return bytesPerPeriod * 8.0 * 1e12 / static_cast<double>(m_period);
}

} // namespace ns3
