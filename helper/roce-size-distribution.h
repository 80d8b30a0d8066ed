/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SIZE_DISTRIBUTION_H
#define ROCE_SIZE_DISTRIBUTION_H

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{

class RoceTextInput;

/**
 * @ingroup roce
 * @brief A distribution of flow sizes given by points of its cumulative distribution function.
 *
 * Read from files of lines "bytes percent" with percent from 0 to 100, as published for WebSearch,
 * FbHdp, AliStorage2019 and Solar2022. Between two points sizes are uniformly distributed; if the
 * first point has a percentage above 0, that share of the flows has exactly that size.
 */
class RoceSizeDistribution
{
  public:
    /// A point of the cumulative distribution function.
    struct Point
    {
        double bytes{0};   //!< size, bytes
        double percent{0}; //!< share of flows that are not larger, percent
    };

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

    /// @return the points in ascending order
    const std::vector<Point>& GetPoints() const;

    /// @return mean size, bytes
    double GetMean() const;

    /**
     * The inverse of the cumulative distribution function.
     * @param percent from 0 to 100
     * @return the size, rounded to whole bytes and at least 1
     */
    uint64_t GetSize(double percent) const;

    /// @return "file:line: reason" after a refusal, else an empty string
    const std::string& GetError() const;

  private:
    /**
     * Read all points.
     * @param input the text
     * @return true if they are well formed
     */
    bool Parse(RoceTextInput& input);

    std::vector<Point> m_points; //!< points, ascending
    std::string m_error;         //!< why the text was refused
};

} // namespace ns3

#endif /* ROCE_SIZE_DISTRIBUTION_H */
