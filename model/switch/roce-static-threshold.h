/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_STATIC_THRESHOLD_H
#define ROCE_STATIC_THRESHOLD_H

#include "roce-buffer-threshold.h"

namespace ns3
{

/**
 * @ingroup roce
 * @brief Fixed thresholds: pause (or drop) at Xoff bytes, resume at Xon bytes.
 */
class RoceStaticThreshold : public RoceBufferThreshold
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ~RoceStaticThreshold() override;

    uint64_t GetLimit(const Share& share) const override;
    uint64_t GetResume(const Share& share) const override;

  protected:
    void NotifyConstructionCompleted() override;

  private:
    uint64_t m_xoff{0}; //!< limit, bytes
    uint64_t m_xon{0};  //!< bytes at which a paused class is resumed
};

} // namespace ns3

#endif /* ROCE_STATIC_THRESHOLD_H */
