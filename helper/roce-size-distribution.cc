/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-size-distribution.h"

#include "roce-text-input.h"

#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceSizeDistribution");

namespace
{

constexpr double ALL = 100.0; //!< all flows, percent

} // namespace

bool
RoceSizeDistribution::ReadFile(const std::string& path)
{
    NS_LOG_FUNCTION(this << path);
    std::ifstream file(path);
    if (!file)
    {
        m_error = path + ": cannot be opened";
        return false;
    }
    return Read(file, path);
}

bool
RoceSizeDistribution::Read(std::istream& stream, const std::string& name)
{
    NS_LOG_FUNCTION(this << name);
    m_points.clear();
    RoceTextInput input(stream, name);
    const bool good = Parse(input);
    m_error = input.GetError();
    return good;
}

bool
RoceSizeDistribution::Parse(RoceTextInput& input)
{
    while (input.NextLine())
    {
        const std::vector<std::string>& fields = input.GetFields();
        if (fields.size() != 2)
        {
            return input.Fail("expected 'bytes percent', found " + std::to_string(fields.size()) +
                              (fields.size() == 1 ? " field" : " fields"));
        }
        Point point;
        if (!input.ReadDecimal(0, "size", point.bytes) ||
            !input.ReadDecimal(1, "percentage", point.percent))
        {
            return false;
        }
        if (point.percent > ALL)
        {
            return input.Fail("percentage " + fields[1] + " is above 100");
        }
        constexpr double LARGEST = 9e15; // whole numbers are exact in a double up to here
        if (point.bytes > LARGEST)
        {
            return input.Fail("size " + fields[0] + " is above 9e15 bytes");
        }
        if (!m_points.empty() && point.bytes < m_points.back().bytes)
        {
            return input.Fail("size " + fields[0] + " is below the size of the line before");
        }
        if (!m_points.empty() && point.percent < m_points.back().percent)
        {
            return input.Fail("percentage " + fields[1] +
                              " is below the percentage of the line before");
        }
        m_points.push_back(point);
    }
    if (m_points.empty())
    {
        return input.Fail("the file is empty; expected lines 'bytes percent'");
    }
    if (m_points.back().percent != ALL)
    {
        return input.Fail("the last percentage must be 100" +
                          std::string(m_points.back().percent == 1
                                          ? "; the column is in percent, not a fraction"
                                          : ""));
    }
    if (m_points.back().bytes < 1)
    {
        return input.Fail("all sizes are 0");
    }
    return true;
}

const std::vector<RoceSizeDistribution::Point>&
RoceSizeDistribution::GetPoints() const
{
    return m_points;
}

double
RoceSizeDistribution::GetMean() const
{
    NS_ASSERT_MSG(!m_points.empty(), "no distribution was read");
    double sum = m_points.front().bytes * m_points.front().percent;
    for (std::size_t i = 1; i < m_points.size(); i++)
    {
        sum += (m_points[i].percent - m_points[i - 1].percent) *
               (m_points[i].bytes + m_points[i - 1].bytes) / 2;
    }
    return sum / ALL;
}

uint64_t
RoceSizeDistribution::GetSize(double percent) const
{
    NS_ASSERT_MSG(!m_points.empty(), "no distribution was read");
    const auto upper =
        std::lower_bound(m_points.begin(), m_points.end(), percent, [](const Point& p, double x) {
            return p.percent < x;
        });
    double bytes = m_points.back().bytes;
    if (upper == m_points.begin())
    {
        bytes = upper->bytes;
    }
    else if (upper != m_points.end())
    {
        const auto lower = upper - 1;
        bytes = lower->bytes + (upper->bytes - lower->bytes) * (percent - lower->percent) /
                                   (upper->percent - lower->percent);
    }
    return std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(bytes)));
}

const std::string&
RoceSizeDistribution::GetError() const
{
    return m_error;
}

} // namespace ns3
