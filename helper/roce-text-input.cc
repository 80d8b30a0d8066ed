/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-text-input.h"

#include "ns3/log.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceTextInput");

namespace
{

/// The largest integer up to which every result of a decimal calculation is accepted.
constexpr long double LIMIT = 9.2e18L;

/// A unit of measurement and its size.
using Unit = std::pair<const char*, long double>;

/**
 * Split a number from its unit.
 *
 * @param text a number directly followed by letters
 * @param [out] unit the letters
 * @return the number, or nothing if there is none
 */
std::optional<long double>
SplitUnit(const std::string& text, std::string& unit)
{
    std::size_t end = 0;
    bool digits = false;
    for (; end < text.size(); end++)
    {
        const char c = text[end];
        const bool exponent =
            (c == 'e' || c == 'E') && digits && end + 1 < text.size() &&
            (std::isdigit(static_cast<unsigned char>(text[end + 1])) ||
             ((text[end + 1] == '-' || text[end + 1] == '+') && end + 2 < text.size()));
        if (exponent)
        {
            end++; // the sign or the first digit after the e
            continue;
        }
        if (!std::isdigit(static_cast<unsigned char>(c)) && c != '.')
        {
            break;
        }
        digits = digits || c != '.';
    }
    if (!digits)
    {
        return std::nullopt;
    }
    const std::string number = text.substr(0, end);
    unit = text.substr(end);
    char* rest = nullptr;
    const long double value = std::strtold(number.c_str(), &rest);
    if (*rest || !std::isfinite(value))
    {
        return std::nullopt;
    }
    return value;
}

/**
 * @param text a number directly followed by a unit
 * @param units the units to know
 * @return the number in the basic unit, or nothing
 */
template <std::size_t N>
std::optional<long double>
ParseWithUnit(const std::string& text, const std::array<Unit, N>& units)
{
    std::string unit;
    const std::optional<long double> number = SplitUnit(text, unit);
    if (!number)
    {
        return std::nullopt;
    }
    for (const Unit& known : units)
    {
        if (unit == known.first)
        {
            const long double value = *number * known.second;
            return value <= LIMIT ? std::optional<long double>(value) : std::nullopt;
        }
    }
    return std::nullopt;
}

/**
 * @param value a number
 * @return it as an integer if it is one (within what decimal fractions allow), else nothing
 */
std::optional<uint64_t>
AsWhole(std::optional<long double> value)
{
    if (!value)
    {
        return std::nullopt;
    }
    const long double whole = std::round(*value);
    if (std::fabs(whole - *value) > 1e-6L)
    {
        return std::nullopt;
    }
    return static_cast<uint64_t>(whole);
}

} // namespace

RoceTextInput::RoceTextInput(std::istream& stream, const std::string& name)
    : m_stream(stream),
      m_name(name)
{
    NS_LOG_FUNCTION(this << name);
}

bool
RoceTextInput::NextLine()
{
    std::string line;
    while (std::getline(m_stream, line))
    {
        m_line++;
        m_fields.clear();
        std::istringstream words(line); // white space includes the CR of a CR LF
        std::string word;
        while (words >> word)
        {
            m_fields.push_back(word);
        }
        if (!m_fields.empty())
        {
            return true;
        }
    }
    m_fields.clear();
    return false;
}

uint64_t
RoceTextInput::GetLine() const
{
    return m_line;
}

const std::vector<std::string>&
RoceTextInput::GetFields() const
{
    return m_fields;
}

bool
RoceTextInput::Fail(const std::string& reason)
{
    NS_LOG_FUNCTION(this << reason);
    if (m_error.empty())
    {
        m_error = m_name + ":" + std::to_string(m_line) + ": " + reason;
    }
    return false;
}

const std::string&
RoceTextInput::GetError() const
{
    return m_error;
}

bool
RoceTextInput::ReadUnsigned(std::size_t field,
                            const std::string& what,
                            uint64_t maximum,
                            uint64_t& value)
{
    const std::string& text = m_fields.at(field);
    const std::optional<uint64_t> parsed = ParseUnsigned(text);
    if (!parsed)
    {
        return Fail(what + " '" + text + "' is not a whole number from 0 to " +
                    std::to_string(maximum));
    }
    if (*parsed > maximum)
    {
        return Fail(what + " " + text + " is larger than " + std::to_string(maximum));
    }
    value = *parsed;
    return true;
}

bool
RoceTextInput::ReadDecimal(std::size_t field, const std::string& what, double& value)
{
    const std::string& text = m_fields.at(field);
    const std::optional<double> parsed = ParseDecimal(text);
    if (!parsed)
    {
        return Fail(what + " '" + text + "' is not a number that is 0 or more");
    }
    value = *parsed;
    return true;
}

std::optional<uint64_t>
RoceTextInput::ParseUnsigned(const std::string& text)
{
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (text.empty() || result.ec != std::errc() || result.ptr != end)
    {
        return std::nullopt;
    }
    return value;
}

std::optional<double>
RoceTextInput::ParseDecimal(const std::string& text)
{
    std::string unit;
    const std::optional<long double> number = SplitUnit(text, unit);
    if (!number || !unit.empty())
    {
        return std::nullopt;
    }
    return static_cast<double>(*number);
}

std::optional<uint64_t>
RoceTextInput::ParseBytes(const std::string& text)
{
    if (const auto plain = ParseUnsigned(text))
    {
        return plain;
    }
    static constexpr std::array UNITS{Unit{"", 1},
                                      Unit{"B", 1},
                                      Unit{"kB", 1e3L},
                                      Unit{"KB", 1e3L},
                                      Unit{"MB", 1e6L},
                                      Unit{"GB", 1e9L},
                                      Unit{"TB", 1e12L},
                                      Unit{"KiB", 1024.0L},
                                      Unit{"MiB", 1048576.0L},
                                      Unit{"GiB", 1073741824.0L},
                                      Unit{"TiB", 1099511627776.0L}};
    return AsWhole(ParseWithUnit(text, UNITS));
}

std::optional<uint64_t>
RoceTextInput::ParseRate(const std::string& text)
{
    static constexpr std::array UNITS{
        Unit{"bps", 1},     Unit{"kbps", 1e3L},  Unit{"Kbps", 1e3L}, Unit{"Mbps", 1e6L},
        Unit{"Gbps", 1e9L}, Unit{"Tbps", 1e12L}, Unit{"b/s", 1},     Unit{"kb/s", 1e3L},
        Unit{"Kb/s", 1e3L}, Unit{"Mb/s", 1e6L},  Unit{"Gb/s", 1e9L}, Unit{"Tb/s", 1e12L},
        Unit{"Bps", 8},     Unit{"kBps", 8e3L},  Unit{"KBps", 8e3L}, Unit{"MBps", 8e6L},
        Unit{"GBps", 8e9L}, Unit{"TBps", 8e12L}, Unit{"B/s", 8},     Unit{"kB/s", 8e3L},
        Unit{"KB/s", 8e3L}, Unit{"MB/s", 8e6L},  Unit{"GB/s", 8e9L}, Unit{"TB/s", 8e12L}};
    const std::optional<uint64_t> rate = AsWhole(ParseWithUnit(text, UNITS));
    return rate && *rate > 0 ? rate : std::nullopt;
}

std::optional<RocePs>
RoceTextInput::ParseTime(const std::string& text)
{
    static constexpr std::array UNITS{Unit{"s", 1e12L},
                                      Unit{"ms", 1e9L},
                                      Unit{"us", 1e6L},
                                      Unit{"ns", 1e3L},
                                      Unit{"ps", 1}};
    const std::optional<long double> value = ParseWithUnit(text, UNITS);
    if (!value)
    {
        return std::nullopt;
    }
    return static_cast<RocePs>(std::round(*value));
}

std::optional<RocePs>
RoceTextInput::ParseSeconds(const std::string& text)
{
    static constexpr std::array UNITS{Unit{"", 1e12L}};
    const std::optional<long double> value = ParseWithUnit(text, UNITS);
    if (!value)
    {
        return std::nullopt;
    }
    return static_cast<RocePs>(std::round(*value));
}

} // namespace ns3
