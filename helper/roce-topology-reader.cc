/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-topology-reader.h"

#include "roce-text-input.h"

#include "ns3/log.h"

#include <fstream>
#include <limits>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceTopologyReader");

bool
RoceTopologyReader::ReadFile(const std::string& path)
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
RoceTopologyReader::Read(std::istream& stream, const std::string& name)
{
    NS_LOG_FUNCTION(this << name);
    m_topology = RoceTopology();
    RoceTextInput input(stream, name);
    const bool good = Parse(input);
    m_error = input.GetError();
    return good;
}

bool
RoceTopologyReader::Parse(RoceTextInput& input)
{
    if (!input.NextLine())
    {
        return input.Fail("the file is empty; expected 'nodes switches links'");
    }
    if (input.GetFields().size() != 3)
    {
        return input.Fail("expected the three numbers 'nodes switches links', found " +
                          std::to_string(input.GetFields().size()) + " fields");
    }
    uint64_t nodes = 0;
    uint64_t switches = 0;
    uint64_t links = 0;
    constexpr uint64_t ANY = std::numeric_limits<uint32_t>::max();
    if (!input.ReadUnsigned(0, "number of nodes", RoceTopology::MAX_NODES, nodes) ||
        !input.ReadUnsigned(1, "number of switches", ANY, switches) ||
        !input.ReadUnsigned(2, "number of links", ANY, links))
    {
        return false;
    }
    if (switches >= nodes)
    {
        return input.Fail(std::to_string(switches) + " switches among " + std::to_string(nodes) +
                          " nodes leave no host");
    }

    std::vector<bool> isSwitch(nodes, false);
    for (uint64_t found = 0; found < switches;)
    {
        if (!input.NextLine())
        {
            return input.Fail("the file ends after " + std::to_string(found) + " of " +
                              std::to_string(switches) + " announced switch numbers");
        }
        if (input.GetFields().size() > switches - found)
        {
            return input.Fail("more switch numbers than the " + std::to_string(switches) +
                              " announced");
        }
        for (std::size_t i = 0; i < input.GetFields().size(); i++)
        {
            uint64_t node = 0;
            if (!input.ReadUnsigned(i, "switch number", nodes - 1, node))
            {
                return false;
            }
            if (isSwitch[node])
            {
                return input.Fail("switch " + std::to_string(node) + " is listed twice");
            }
            isSwitch[node] = true;
            found++;
        }
    }
    for (const bool is : isSwitch)
    {
        m_topology.AddNode(is);
    }

    for (uint64_t found = 0; found < links; found++)
    {
        if (!input.NextLine())
        {
            return input.Fail("the file ends after " + std::to_string(found) + " of " +
                              std::to_string(links) + " announced links");
        }
        if (!ParseLink(input))
        {
            return false;
        }
    }
    const std::string problem = m_topology.FindProblem();
    return problem.empty() || input.Fail(problem);
}

bool
RoceTopologyReader::ParseLink(RoceTextInput& input)
{
    const std::vector<std::string>& fields = input.GetFields();
    if (fields.size() != 5)
    {
        return input.Fail("expected a link 'src dst rate delay error_rate', found " +
                          std::to_string(fields.size()) + " fields");
    }
    RoceTopologyLink link;
    uint64_t first = 0;
    uint64_t second = 0;
    if (!input.ReadUnsigned(0, "node", m_topology.GetNNodes() - 1, first) ||
        !input.ReadUnsigned(1, "node", m_topology.GetNNodes() - 1, second))
    {
        return false;
    }
    if (first == second)
    {
        return input.Fail("link from node " + fields[0] + " to itself");
    }
    link.first = static_cast<uint32_t>(first);
    link.second = static_cast<uint32_t>(second);
    const std::optional<uint64_t> rate = RoceTextInput::ParseRate(fields[2]);
    if (!rate)
    {
        return input.Fail("rate '" + fields[2] +
                          "' is not a positive number with a unit, such as 100Gbps");
    }
    link.rate = *rate;
    const std::optional<RocePs> delay = RoceTextInput::ParseTime(fields[3]);
    if (!delay)
    {
        return input.Fail("delay '" + fields[3] +
                          "' is not a number that is 0 or more with a unit, such as 1000ns");
    }
    link.delay = *delay;
    if (!input.ReadDecimal(4, "error rate", link.errorRate))
    {
        return false;
    }
    if (link.errorRate >= 1)
    {
        return input.Fail("error rate " + fields[4] + " is a probability and must be below 1");
    }
    m_topology.AddLink(link);
    return true;
}

const RoceTopology&
RoceTopologyReader::GetTopology() const
{
    return m_topology;
}

const std::string&
RoceTopologyReader::GetError() const
{
    return m_error;
}

} // namespace ns3
