/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nic-preset.h"

#include "rdma-engine.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/roce-net-device.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNicPreset");

RdmaNicPreset
RdmaNicPreset::Find(const std::string& name)
{
    if (name == "none")
    {
        return {name, Time(), Time(), Time(), Time()};
    }
    NS_ABORT_MSG_IF(name != "typical",
                    "RdmaNicPreset: '" << name << "' is not known, there are none and typical");
    return {name, NanoSeconds(150), NanoSeconds(250), NanoSeconds(400), NanoSeconds(450)};
}

std::vector<std::string>
RdmaNicPreset::GetNames()
{
    return {"none", "typical"};
}

void
RdmaNicPreset::Apply(Ptr<RdmaEngine> engine) const
{
    NS_LOG_FUNCTION(engine << name);
    engine->SetAttribute("DoorbellDelay", TimeValue(doorbellDelay));
    engine->SetAttribute("SendDelay", TimeValue(sendDelay));
    engine->SetAttribute("FetchDelay", TimeValue(fetchDelay));
    engine->GetDevice()->SetAttribute("PipelineDelay", TimeValue(receiveDelay));
}

} // namespace ns3
