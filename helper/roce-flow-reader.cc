/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-flow-reader.h"

#include "roce-text-input.h"
#include "roce-topology.h"

#include "ns3/log.h"

#include <fstream>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceFlowReader");

namespace
{

constexpr std::size_t HPCC_FIELDS = 6;     //!< src dst pg dport size start
constexpr std::size_t CONWEAVE_FIELDS = 5; //!< src dst pg size start

} // namespace

bool
RoceFlowReader::ReadFile(const std::string& path, const RoceTopology& topology)
{
    NS_LOG_FUNCTION(this << path);
    std::ifstream file(path);
    if (!file)
    {
        m_error = path + ": cannot be opened";
        return false;
    }
    return Read(file, path, topology);
}

bool
RoceFlowReader::Read(std::istream& stream, const std::string& name, const RoceTopology& topology)
{
    NS_LOG_FUNCTION(this << name);
    m_flows.clear();
    RoceTextInput input(stream, name);
    const bool good = Parse(input, topology);
    m_error = input.GetError();
    return good;
}

bool
RoceFlowReader::Parse(RoceTextInput& input, const RoceTopology& topology)
{
    if (!input.NextLine())
    {
        return input.Fail("the file is empty; expected the number of flows");
    }
    if (input.GetFields().size() != 1)
    {
        return input.Fail("expected the number of flows alone, found " +
                          std::to_string(input.GetFields().size()) + " fields");
    }
    uint64_t announced = 0;
    if (!input.ReadUnsigned(0, "number of flows", std::numeric_limits<uint32_t>::max(), announced))
    {
        return false;
    }
    std::size_t width = 0;
    for (uint64_t found = 0; found < announced; found++)
    {
        if (!input.NextLine())
        {
            return input.Fail("the file ends after " + std::to_string(found) + " of " +
                              std::to_string(announced) + " announced flows");
        }
        const std::size_t fields = input.GetFields().size();
        if (fields != HPCC_FIELDS && fields != CONWEAVE_FIELDS)
        {
            return input.Fail("expected a flow 'src dst pg dport size start' or 'src dst pg size "
                              "start', found " +
                              std::to_string(fields) + (fields == 1 ? " field" : " fields"));
        }
        width = found == 0 ? fields : width;
        if (fields != width)
        {
            return input.Fail("found " + std::to_string(fields) + " fields after flows of " +
                              std::to_string(width) + " fields");
        }
        if (!ParseFlow(input, topology))
        {
            return false;
        }
    }
    return true;
}

bool
RoceFlowReader::ParseFlow(RoceTextInput& input, const RoceTopology& topology)
{
    const bool hasPort = input.GetFields().size() == HPCC_FIELDS;
    const std::size_t sizeField = hasPort ? 4 : 3;
    RoceFlow flow;
    flow.id = m_flows.size();
    uint64_t trafficClass = 0;
    uint64_t port = 0;
    if (!ParseHost(input, 0, topology, "source", flow.source) ||
        !ParseHost(input, 1, topology, "destination", flow.destination))
    {
        return false;
    }
    if (flow.source == flow.destination)
    {
        return input.Fail("flow from host " + input.GetFields()[0] + " to itself");
    }
    if (!input.ReadUnsigned(2, "traffic class (pg)", 7, trafficClass) ||
        (hasPort && !input.ReadUnsigned(3, "destination port", 65535, port)) ||
        !input.ReadUnsigned(sizeField,
                            "size",
                            static_cast<uint64_t>(std::numeric_limits<int64_t>::max()),
                            flow.bytes))
    {
        return false;
    }
    flow.trafficClass = static_cast<uint8_t>(trafficClass);
    const std::string& start = input.GetFields()[sizeField + 1];
    const std::optional<RocePs> time = RoceTextInput::ParseSeconds(start);
    if (!time)
    {
        return input.Fail("start '" + start +
                          "' is not a number of seconds from 0 to 9200000 (106 days)");
    }
    flow.start = *time;
    m_flows.push_back(flow);
    return true;
}

bool
RoceFlowReader::ParseHost(RoceTextInput& input,
                          std::size_t field,
                          const RoceTopology& topology,
                          const std::string& what,
                          uint32_t& host) const
{
    uint64_t node = 0;
    if (!input.ReadUnsigned(field, what, std::numeric_limits<uint32_t>::max(), node))
    {
        return false;
    }
    if (node >= topology.GetNNodes())
    {
        return input.Fail(what + " " + std::to_string(node) + " does not exist: the topology has " +
                          std::to_string(topology.GetNNodes()) + " nodes, numbered from 0");
    }
    host = static_cast<uint32_t>(node);
    if (topology.IsSwitch(host))
    {
        return input.Fail(what + " " + std::to_string(node) +
                          " is a switch; flows run between hosts");
    }
    return true;
}

const std::vector<RoceFlow>&
RoceFlowReader::GetFlows() const
{
    return m_flows;
}

const std::string&
RoceFlowReader::GetError() const
{
    return m_error;
}

} // namespace ns3
