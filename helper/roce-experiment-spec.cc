/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-experiment-spec.h"

#include "roce-flow-generator.h"
#include "roce-flow-reader.h"
#include "roce-size-distribution.h"
#include "roce-text-input.h"
#include "roce-topology-reader.h"

#include "ns3/log.h"

#include <optional>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceExperimentSpec");

namespace
{

/**
 * @param text a text
 * @param separator a character
 * @return the parts between separators
 */
std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> parts(1);
    for (const char c : text)
    {
        if (c == separator)
        {
            parts.emplace_back();
        }
        else
        {
            parts.back().push_back(c);
        }
    }
    return parts;
}

/**
 * @param text digits
 * @return their value if it is from 1 to the largest number of nodes
 */
std::optional<uint32_t>
ParseCount(const std::string& text)
{
    const std::optional<uint64_t> value = RoceTextInput::ParseUnsigned(text);
    if (!value || *value == 0 || *value > RoceTopology::MAX_NODES)
    {
        return std::nullopt;
    }
    return static_cast<uint32_t>(*value);
}

/**
 * @param text a load such as 0.3 or 30%
 * @return the fraction if it is above 0 and at most 1
 */
std::optional<double>
ParseLoad(const std::string& text)
{
    const bool percent = !text.empty() && text.back() == '%';
    const std::optional<double> value =
        RoceTextInput::ParseDecimal(percent ? text.substr(0, text.size() - 1) : text);
    const double load = value.value_or(0) / (percent ? 100 : 1);
    return load > 0 && load <= 1 ? std::optional<double>(load) : std::nullopt;
}

} // namespace

bool
RoceExperimentSpec::IsBuiltIn(const std::string& text)
{
    const std::string word = text.substr(0, text.find(':'));
    return word.size() < text.size() &&
           (word == "star" || word == "leaf-spine" || word == "fat-tree" || word == "incast" ||
            word == "permutation" || word == "poisson");
}

bool
RoceExperimentSpec::Fail(const std::string& error)
{
    NS_LOG_FUNCTION(this << error);
    m_error = error;
    return false;
}

bool
RoceExperimentSpec::ReadTopology(const std::string& text, uint64_t rate, RocePs delay)
{
    NS_LOG_FUNCTION(this << text << rate << delay);
    m_error.clear();
    m_flows.clear();
    const std::vector<std::string> parts = Split(text, ':');
    if (!IsBuiltIn(text))
    {
        RoceTopologyReader reader;
        const bool good = reader.ReadFile(text);
        m_topology = reader.GetTopology();
        m_error = reader.GetError();
        return good;
    }
    const std::vector<std::string> numbers = Split(parts[1], 'x');
    std::vector<uint32_t> counts;
    for (const std::string& number : numbers)
    {
        if (const std::optional<uint32_t> count = ParseCount(number))
        {
            counts.push_back(*count);
        }
    }
    const bool plain = parts.size() == 2 && counts.size() == numbers.size();
    constexpr uint64_t MOST = RoceTopology::MAX_NODES;
    if (parts[0] == "star" && plain && counts.size() == 1 && counts[0] < MOST)
    {
        m_topology = RoceTopology::Star(counts[0], rate, delay);
        return true;
    }
    if (parts[0] == "leaf-spine" && plain && counts.size() == 3 &&
        uint64_t{counts[0]} * counts[2] + counts[0] + counts[1] <= MOST)
    {
        m_topology = RoceTopology::LeafSpine(counts[0], counts[1], counts[2], rate, delay);
        return true;
    }
    constexpr uint32_t LARGEST_K =
        256; // 4.2 million hosts; beyond that the cables do not fit anywhere
    if (parts[0] == "fat-tree" && plain && counts.size() == 1 && counts[0] % 2 == 0 &&
        counts[0] <= LARGEST_K)
    {
        m_topology = RoceTopology::FatTree(counts[0], rate, delay);
        return true;
    }
    return Fail("topology '" + text +
                "': expected star:N, leaf-spine:LxSxH (leaves, spines, hosts per leaf), fat-tree:K "
                "(K even, up to 256) or a file, with no more than " +
                std::to_string(MOST) + " nodes");
}

bool
RoceExperimentSpec::ReadFlows(const std::string& text, const RoceFlowGenerator& generator)
{
    NS_LOG_FUNCTION(this << text);
    m_error.clear();
    m_flows.clear();
    if (!IsBuiltIn(text))
    {
        RoceFlowReader reader;
        const bool good = reader.ReadFile(text, m_topology);
        m_flows = reader.GetFlows();
        m_error = reader.GetError();
        return good;
    }
    const std::vector<std::string> parts = Split(text, ':');
    const std::size_t hosts = m_topology.GetHosts().size();
    if (hosts < 2)
    {
        return Fail("flows '" + text + "': the topology has fewer than two hosts");
    }
    if (parts[0] == "incast" && parts.size() == 3)
    {
        const std::optional<uint32_t> senders = ParseCount(parts[1]);
        const std::optional<uint64_t> bytes = RoceTextInput::ParseBytes(parts[2]);
        if (senders && *senders >= hosts)
        {
            return Fail("flows '" + text + "': " + parts[1] +
                        " senders and a receiver need more than the " + std::to_string(hosts) +
                        " hosts of the topology");
        }
        if (senders && bytes)
        {
            m_flows = generator.Incast(m_topology, *senders, *bytes);
            return true;
        }
    }
    if (parts[0] == "permutation" && parts.size() == 2)
    {
        if (const std::optional<uint64_t> bytes = RoceTextInput::ParseBytes(parts[1]))
        {
            m_flows = generator.Permutation(m_topology, *bytes);
            return true;
        }
    }
    if (parts[0] == "poisson" && parts.size() == 4)
    {
        const std::optional<double> load = ParseLoad(parts[2]);
        const std::optional<RocePs> duration = RoceTextInput::ParseTime(parts[3]);
        if (load && duration)
        {
            RoceSizeDistribution sizes;
            if (!sizes.ReadFile(parts[1]))
            {
                return Fail(sizes.GetError());
            }
            m_flows = generator.Poisson(m_topology, sizes, *load, *duration);
            return true;
        }
    }
    return Fail(
        "flows '" + text +
        "': expected incast:N:BYTES, permutation:BYTES, poisson:CDF:LOAD:DURATION or a file "
        "(BYTES such as 1000000, 1MB or 1MiB; CDF a file; LOAD such as 0.3 or 30%; DURATION "
        "such as 2ms)");
}

const RoceTopology&
RoceExperimentSpec::GetTopology() const
{
    return m_topology;
}

const std::vector<RoceFlow>&
RoceExperimentSpec::GetFlows() const
{
    return m_flows;
}

const std::string&
RoceExperimentSpec::GetError() const
{
    return m_error;
}

} // namespace ns3
