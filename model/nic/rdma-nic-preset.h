/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_PRESET_H
#define RDMA_NIC_PRESET_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <string>
#include <vector>

namespace ns3
{

class RdmaEngine;

/**
 * @ingroup roce
 * @brief A set of NIC delays: what the latency of an operation consists of besides the wire.
 *
 * | name    | doorbell | send   | fetch  | receive |
 * | ------- | -------- | ------ | ------ | ------- |
 * | none    | 0        | 0      | 0      | 0       |
 * | typical | 150 ns   | 250 ns | 400 ns | 450 ns  |
 *
 * `typical` is a NIC of the class of ConnectX-5 to 7 in a PCIe slot. An inline WRITE of 2 bytes
 * back to back takes doorbell + send + receive = 0.85 us and the wire (measured: 0.8 to 1.1 us), a
 * READ takes 1.95 us and the wire (two passes and one fetch; measured: 1.6 to 2 us). The sums are
 * what measurements tell; how they are divided is an assumption: a posted PCIe write 150 ns, a PCIe
 * read 400 ns, the rest for the NIC, whose receive side includes the write into memory that the
 * application polls.
 */
struct RdmaNicPreset
{
    std::string name;   //!< name of the preset
    Time doorbellDelay; //!< RdmaEngine::DoorbellDelay
    Time sendDelay;     //!< RdmaEngine::SendDelay
    Time fetchDelay;    //!< RdmaEngine::FetchDelay
    Time receiveDelay;  //!< RoceNetDevice::PipelineDelay of the port

    /**
     * Look a preset up; stop the program if it is not known.
     * @param name none or typical
     * @return the preset
     */
    static RdmaNicPreset Find(const std::string& name);
    /// @return names of all presets
    static std::vector<std::string> GetNames();

    /**
     * Give a NIC these delays, before its queue pairs are connected.
     * @param engine the NIC
     */
    void Apply(Ptr<RdmaEngine> engine) const;
};

} // namespace ns3

#endif /* RDMA_NIC_PRESET_H */
