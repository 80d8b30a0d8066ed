/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-buffer-plan.h"

#include "ns3/roce-channel.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-shared-buffer.h"

#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @tparam T type of the value
 * @param value a value
 * @return it as text
 */
template <typename T>
std::string
ToText(const T& value)
{
    std::ostringstream os;
    os << value;
    return os.str();
}

/**
 * Write a row.
 * @param os where to write
 * @param cells the cells
 */
void
PrintRow(std::ostream& os, const std::vector<std::string>& cells)
{
    std::ostringstream row; // keeps the format of the stream as it is
    for (std::size_t i = 0; i < cells.size(); i++)
    {
        row << std::setw(i == 0 ? 6 : 10) << cells[i];
    }
    os << row.str() << "\n";
}

} // namespace

void
RoceBufferPlan::Print(Ptr<const RoceSwitch> pipeline, std::ostream& os)
{
    const std::string none = "-";
    Ptr<RoceSharedBuffer> buffer = pipeline->GetBuffer();
    if (!buffer)
    {
        os << "A switch without ports has no buffer plan.\n";
        return;
    }
    os << buffer->Describe();
    PrintRow(os,
             {"port",
              "Gb/s",
              "delay ns",
              "class",
              "reserve",
              "headroom",
              "alpha",
              "xoff",
              "kmin",
              "kmax",
              "pmax"});
    for (uint32_t i = 0; i < pipeline->GetNPorts(); i++)
    {
        const auto port = static_cast<uint16_t>(i);
        Ptr<RoceNetDevice> device = pipeline->GetPort(port);
        auto channel = DynamicCast<RoceChannel>(device->GetChannel());
        for (uint8_t c = 0; c < RoceSharedBuffer::N_CLASSES; c++)
        {
            const bool lossless = buffer->IsLossless(c);
            Ptr<RoceEcnMarker> marker = pipeline->GetMarker(port, c);
            if (!lossless && !marker)
            {
                continue;
            }
            RoceEcnMarker::Thresholds marks;
            if (marker)
            {
                marks = marker->GetThresholds();
            }
            PrintRow(os,
                     {ToText(port),
                      ToText(static_cast<double>(device->GetBitRate()) / 1e9),
                      channel ? ToText(static_cast<double>(channel->GetDelay()) / 1e3) : none,
                      ToText(+c),
                      ToText(buffer->GetReserve(port, c)),
                      lossless ? ToText(buffer->GetHeadroom(port, c)) : none,
                      lossless ? ToText(buffer->GetAlpha(port, c)) : none,
                      lossless ? ToText(buffer->GetXoffBytes(port, c)) : none,
                      marker ? ToText(marks.kmin) : none,
                      marker ? ToText(marks.kmax) : none,
                      marker ? ToText(marks.pmax) : none});
        }
    }
}

} // namespace ns3
