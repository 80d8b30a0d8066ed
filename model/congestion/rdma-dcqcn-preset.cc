/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dcqcn-preset.h"

#include "ns3/abort.h"

namespace ns3
{

namespace
{

constexpr uint64_t MBPS = 1'000'000; //!< one Mb/s

/// @return the deployed values of the DCQCN paper; R_HAI of its authors' simulator
RdmaDcqcnPreset
MakePaper()
{
    RdmaDcqcnPreset preset;
    preset.name = "paper";
    preset.variant = RdmaDcqcn::PAPER;
    preset.clamp = RdmaDcqcn::ALWAYS;
    preset.gain = 1.0 / 256;
    preset.initialAlpha = 1;
    preset.alphaTimerUs = 55;
    preset.rateDecreaseUs = 50; // the paper has no such timer; its CNP interval does the same
    preset.rateTimerUs = 55;
    preset.byteCounter = 10'000'000;
    preset.f = 5;
    preset.rateAi = 40 * MBPS;
    preset.rateHai = 200 * MBPS;
    preset.perLineRate = 0;
    preset.minRate = 10 * MBPS;
    return preset;
}

/// @return the configuration "dcqcn" of the simulator published with HPCC
RdmaDcqcnPreset
MakeHpcc()
{
    RdmaDcqcnPreset preset;
    preset.name = "hpcc";
    preset.variant = RdmaDcqcn::NIC;
    preset.clamp = RdmaDcqcn::AFTER_INCREASE;
    preset.gain = 1.0 / 256;
    preset.initialAlpha = 1;
    preset.alphaTimerUs = 1;
    preset.rateDecreaseUs = 4;
    preset.rateTimerUs = 300;
    preset.byteCounter = 0;
    preset.f = 1;
    preset.rateAi = 5 * MBPS;
    preset.rateHai = 50 * MBPS;
    preset.perLineRate = 25'000 * MBPS;
    preset.minRate = 1000 * MBPS;
    return preset;
}

/// @return the firmware defaults that NVIDIA documents and mlxconfig prints
RdmaDcqcnPreset
MakeNvidia()
{
    RdmaDcqcnPreset preset;
    preset.name = "nvidia";
    preset.variant = RdmaDcqcn::NIC;
    preset.clamp = RdmaDcqcn::AFTER_INCREASE;
    preset.gain = 5.0 / 1024;
    preset.initialAlpha = 1023.0 / 1024;
    preset.alphaTimerUs = 1;
    preset.rateDecreaseUs = 4;
    preset.rateTimerUs = 300;
    preset.byteCounter = 32767;
    preset.f = 1;
    preset.rateAi = 5 * MBPS;
    preset.rateHai = 50 * MBPS;
    preset.perLineRate = 0;
    preset.minRate = 1 * MBPS;
    return preset;
}

} // namespace

RdmaDcqcnPreset
RdmaDcqcnPreset::Find(const std::string& name)
{
    std::string known;
    for (const auto& preset : {MakePaper(), MakeHpcc(), MakeNvidia()})
    {
        if (name == preset.name)
        {
            return preset;
        }
        known += " " + preset.name;
    }
    NS_ABORT_MSG("ns3::RdmaDcqcn: unknown Preset \"" << name << "\"; known are:" << known);
    return {}; // for compilers that do not see that the line above does not return
}

} // namespace ns3
