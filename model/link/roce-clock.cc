/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-clock.h"

#include <algorithm>

namespace ns3
{

const RoceClock::Scale&
RoceClock::GetScale()
{
    static const Scale scale{std::max<int64_t>(1, TimeStep(1).GetPicoSeconds()),
                             std::max<int64_t>(1, PicoSeconds(1).GetTimeStep())};
    return scale;
}

} // namespace ns3
