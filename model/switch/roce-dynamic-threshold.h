/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_DYNAMIC_THRESHOLD_H
#define ROCE_DYNAMIC_THRESHOLD_H

#include "roce-buffer-threshold.h"

namespace ns3
{

/**
 * @ingroup roce
 * @brief Dynamic threshold (Choudhury and Hahne, 1998): reserve + alpha * free bytes of the pool.
 *
 * With n classes at their limit in a pool of B bytes each holds alpha B / (1 + n alpha) of it. A
 * paused class resumes XonOffset bytes below the limit of that moment.
 */
class RoceDynamicThreshold : public RoceBufferThreshold
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ~RoceDynamicThreshold() override;

    uint64_t GetLimit(const Share& share) const override;
    uint64_t GetResume(const Share& share) const override;
};

} // namespace ns3

#endif /* ROCE_DYNAMIC_THRESHOLD_H */
