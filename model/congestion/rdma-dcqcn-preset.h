/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCQCN_PRESET_H
#define RDMA_DCQCN_PRESET_H

#include "rdma-dcqcn.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup roce
 * @brief One column of the table of constants in the documentation of RdmaDcqcn.
 */
struct RdmaDcqcnPreset
{
    std::string name;             //!< value of the attribute Preset
    RdmaDcqcn::Variant variant;   //!< Variant
    RdmaDcqcn::TargetClamp clamp; //!< TargetRateClamp
    double gain;                  //!< Gain
    double initialAlpha;          //!< InitialAlpha
    int64_t alphaTimerUs;         //!< AlphaTimer, us
    int64_t rateDecreaseUs;       //!< RateDecreaseInterval, us
    int64_t rateTimerUs;          //!< RateTimer, us
    int64_t byteCounter;          //!< ByteCounter, bytes
    int64_t f;                    //!< F
    uint64_t rateAi;              //!< RateAi, bit/s
    uint64_t rateHai;             //!< RateHai, bit/s
    uint64_t perLineRate;         //!< line rate to which rateAi and rateHai refer, 0 for any
    uint64_t minRate;             //!< MinRate, bit/s

    /**
     * Look a preset up; abort if it is not known.
     * @param name paper, hpcc or nvidia
     * @return the preset
     */
    static RdmaDcqcnPreset Find(const std::string& name);
};

} // namespace ns3

#endif /* RDMA_DCQCN_PRESET_H */
