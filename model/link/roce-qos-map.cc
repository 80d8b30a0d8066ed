/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-qos-map.h"

#include "ns3/abort.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/roce-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceQosMap");
NS_OBJECT_ENSURE_REGISTERED(RoceQosMap);

TypeId
RoceQosMap::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceQosMap")
            .SetParent<Object>()
            .SetGroupName("Roce")
            .AddConstructor<RoceQosMap>()
            .AddAttribute(
                "Trust",
                "The field that decides the traffic class of an arriving frame.",
                EnumValue(RoceQosMap::TRUST_DSCP),
                MakeRoceEnumAccessor<RoceQosMap::Trust>(&RoceQosMap::m_trust),
                MakeEnumChecker(RoceQosMap::TRUST_DSCP, "Dscp", RoceQosMap::TRUST_PCP, "Pcp"))
            .AddAttribute("LosslessClasses",
                          "Bit mask of the traffic classes that PFC protects "
                          "(default: class 3, the usual RoCE class).",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&RoceQosMap::SetLosslessClasses,
                                               &RoceQosMap::GetLosslessClasses),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute(
                "StrictClasses",
                "Bit mask of the traffic classes with strict priority, the higher class "
                "first (default: 6 for CNPs and 7 for network control).",
                UintegerValue((1 << 6) | (1 << 7)),
                MakeUintegerAccessor(&RoceQosMap::SetStrictClasses, &RoceQosMap::GetStrictClasses),
                MakeUintegerChecker<uint8_t>())
            .AddAttribute("Weights",
                          "Weights of classes 0 to 7 in the deficit round robin of the classes "
                          "without strict priority: eight numbers from 1 to 1000.",
                          StringValue("1,1,1,1,1,1,1,1"),
                          MakeStringAccessor(&RoceQosMap::SetWeights, &RoceQosMap::GetWeights),
                          MakeStringChecker());
    return tid;
}

RoceQosMap::RoceQosMap()
{
    for (uint8_t dscp = 0; dscp < N_DSCP; dscp++)
    {
        m_dscpClass[dscp] = dscp >> 3;
    }
    for (uint8_t pcp = 0; pcp < N_CLASSES; pcp++)
    {
        m_pcpClass[pcp] = pcp;
    }
}

uint8_t
RoceQosMap::GetDscpClass(uint8_t dscp) const
{
    NS_ABORT_MSG_IF(dscp >= N_DSCP, "RoceQosMap: DSCP " << +dscp << " is not within 0 to 63");
    return m_dscpClass[dscp];
}

void
RoceQosMap::SetDscpClass(uint8_t dscp, uint8_t trafficClass)
{
    NS_LOG_FUNCTION(this << +dscp << +trafficClass);
    NS_ABORT_MSG_IF(dscp >= N_DSCP, "RoceQosMap: DSCP " << +dscp << " is not within 0 to 63");
    NS_ABORT_MSG_IF(trafficClass >= N_CLASSES,
                    "RoceQosMap: class " << +trafficClass << " of DSCP " << +dscp
                                         << " is not within 0 to 7");
    m_dscpClass[dscp] = trafficClass;
}

void
RoceQosMap::SetPcpClass(uint8_t pcp, uint8_t trafficClass)
{
    NS_LOG_FUNCTION(this << +pcp << +trafficClass);
    NS_ABORT_MSG_IF(pcp >= N_CLASSES || trafficClass >= N_CLASSES,
                    "RoceQosMap: PCP " << +pcp << " or class " << +trafficClass
                                       << " is not within 0 to 7");
    m_pcpClass[pcp] = trafficClass;
}

void
RoceQosMap::SetLosslessClasses(uint8_t classes)
{
    NS_LOG_FUNCTION(this << +classes);
    m_lossless = classes;
}

void
RoceQosMap::SetStrictClasses(uint8_t classes)
{
    NS_LOG_FUNCTION(this << +classes);
    m_strict = classes;
}

uint32_t
RoceQosMap::GetWeight(uint8_t trafficClass) const
{
    NS_ABORT_MSG_IF(trafficClass >= N_CLASSES,
                    "RoceQosMap: class " << +trafficClass << " is not within 0 to 7");
    return m_weight[trafficClass];
}

void
RoceQosMap::SetWeight(uint8_t trafficClass, uint32_t weight)
{
    NS_LOG_FUNCTION(this << +trafficClass << weight);
    NS_ABORT_MSG_IF(trafficClass >= N_CLASSES,
                    "RoceQosMap: class " << +trafficClass << " is not within 0 to 7");
    NS_ABORT_MSG_IF(weight < 1 || weight > 1000,
                    "RoceQosMap: weight " << weight << " of class " << +trafficClass
                                          << " is not within 1 to 1000");
    m_weight[trafficClass] = weight;
}

void
RoceQosMap::SetWeights(std::string weights)
{
    std::string text = weights;
    for (auto& c : text)
    {
        c = c == ',' ? ' ' : c;
    }
    std::istringstream stream(text);
    uint32_t weight;
    uint8_t n = 0;
    while (n < N_CLASSES && stream >> weight)
    {
        SetWeight(n++, weight);
    }
    stream.clear();
    std::string rest;
    NS_ABORT_MSG_IF(n < N_CLASSES || stream >> rest,
                    "RoceQosMap: Weights '" << weights << "' must be eight numbers from 1 to 1000");
}

std::string
RoceQosMap::GetWeights() const
{
    std::ostringstream text;
    for (uint8_t c = 0; c < N_CLASSES; c++)
    {
        text << (c ? "," : "") << m_weight[c];
    }
    return text.str();
}

} // namespace ns3
