/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_PORT_RECORDER_H
#define ROCE_PORT_RECORDER_H

#include "roce-csv-file.h"

#include "ns3/ptr.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-switch.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Writes the counters of ports at the end of a run to ports.csv and adds them up.
 *
 * It must outlive the simulation, because trace sinks point to it.
 */
class RocePortRecorder
{
  public:
    /// Sums over all ports and classes.
    struct Totals
    {
        uint64_t packetHops{0};    //!< frames received intact, without flow control frames
        uint64_t xoffSent{0};      //!< pause requests sent
        RocePs pausedTime{0};      //!< time ports were not allowed to send, picoseconds
        uint64_t ecnMarked{0};     //!< frames marked by switches
        uint64_t linkDrops{0};     //!< frames lost on links
        uint64_t maxQueueBytes{0}; //!< deepest egress queue of a switch, bytes
    };

    /// @param path name of the file
    explicit RocePortRecorder(const std::string& path);

    /**
     * Add a port, before the run.
     * @param device the port
     * @param node number of its node
     * @param port number of the port on its node
     * @param peer number of the node at the other end of the cable
     * @param owner the switch that the port belongs to, null on a host
     */
    void AddPort(Ptr<RoceNetDevice> device,
                 uint32_t node,
                 uint32_t port,
                 uint32_t peer,
                 Ptr<RoceSwitch> owner);

    /**
     * Write a row for every port and class that was used.
     * @param start start of the time that loads refer to, picoseconds
     * @param end end of that time, picoseconds
     * @return the sums
     */
    Totals Write(RocePs start, RocePs end);

  private:
    /// Frames that a switch received and dropped.
    struct SwitchDrops
    {
        Ptr<RoceSwitch> owner;                      //!< the switch
        std::vector<std::array<uint64_t, 8>> count; //!< by port and class
    };

    /// A port.
    struct Port
    {
        Ptr<RoceNetDevice> device;         //!< the port
        uint32_t node{0};                  //!< its node
        uint32_t port{0};                  //!< its number
        uint32_t peer{0};                  //!< node at the other end
        Ptr<RoceSwitch> owner;             //!< the switch, null on a host
        const SwitchDrops* drops{nullptr}; //!< frames the switch dropped, null on a host
    };

    /**
     * @param owner a switch
     * @return where its drops are counted
     */
    SwitchDrops* GetDrops(Ptr<RoceSwitch> owner);
    /**
     * Write the rows of a port.
     * @param port the port
     * @param duration time that loads refer to, picoseconds
     * @param [in,out] totals the sums
     */
    void WritePort(const Port& port, RocePs duration, Totals& totals);
    RoceCsvFile m_file;              //!< the file
    std::deque<SwitchDrops> m_drops; //!< by switch; a deque, because sinks point to elements
    std::vector<Port> m_ports;       //!< all ports
};

} // namespace ns3

#endif /* ROCE_PORT_RECORDER_H */
