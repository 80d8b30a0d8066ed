/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SERVICE_PAIR_H
#define RDMA_SERVICE_PAIR_H

#include "roce-fabric-fixture.h"

#include "ns3/rdma-completion-queue.h"
#include "ns3/rdma-work-request.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce-tests
 * @brief Queue pairs of any transport service at the first two hosts of a fabric.
 */
class RdmaServicePair
{
  public:
    static constexpr uint32_t QKEY = 0x11111111; //!< default Q_Key

    /**
     * Bring up queue pairs at hosts 0 and 1.
     * @param fabric the fabric
     * @param service transport service
     * @return the queue pairs, ready to send
     */
    static RoceFabricFixture::QueuePairs Connect(const RoceFabricFixture& fabric,
                                                 RdmaService service)
    {
        auto a = fabric.GetEngine(0)->CreateQueuePair(service);
        auto b = fabric.GetEngine(1)->CreateQueuePair(service);
        for (const auto& qp : {a, b})
        {
            qp->ModifyToInit();
            if (service == RdmaService::UD)
            {
                qp->ModifyToRtr();
            }
            else
            {
                qp->ModifyToRtr((qp == a ? b : a)->GetLocal());
            }
            qp->ModifyToRts();
            qp->SetReceiveCompletionQueue(CreateObject<RdmaCompletionQueue>());
        }
        return {a, b};
    }

    /**
     * @param to queue pair that gets it
     * @param bytes payload
     * @param id work request ID
     * @return a datagram
     */
    static RdmaWorkRequest MakeDatagram(Ptr<RdmaQueuePair> to, uint64_t bytes, uint64_t id = 0)
    {
        RdmaWorkRequest request = RdmaWorkRequest::Send(bytes, id);
        const RdmaPeer peer = to->GetLocal();
        request.remoteIp = peer.address;
        request.remoteEtherType = peer.etherType;
        request.remoteQpNumber = peer.number;
        request.remoteQKey = QKEY;
        return request;
    }
};

} // namespace ns3

#endif /* RDMA_SERVICE_PAIR_H */
