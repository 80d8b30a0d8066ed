/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_HELPER_H
#define ROCE_HELPER_H

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/ptr.h"
#include "ns3/rdma-engine.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-qos-map.h"
#include "ns3/roce-switch.h"
#include "ns3/trace-helper.h"

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Wires nodes with RoCE links, in the manner of PointToPointHelper.
 *
 * A node that has a RoceSwitch (RoceSwitchNode is born with one) gets a switch port, any other node
 * gets a NIC port with an RdmaEngine. One QoS map is shared by everything that a helper installs;
 * PFC, buffer headroom and ECN thresholds follow from it and from the rate and length of the cable.
 * A buffer that cannot hold the headroom of its ports is refused at once, with the arithmetic.
 */
class RoceHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    RoceHelper();
    ~RoceHelper() override;

    // --- configuration ---

    /**
     * @param name attribute of RoceNetDevice, such as DataRate
     * @param value its value in ports installed from now on
     */
    void SetDeviceAttribute(std::string name, const AttributeValue& value);
    /**
     * @param name attribute of RoceChannel, such as Delay
     * @param value its value in cables installed from now on
     */
    void SetChannelAttribute(std::string name, const AttributeValue& value);
    /**
     * @param name attribute of RdmaEngine
     * @param value its value in NICs installed from now on
     */
    void SetEngineAttribute(std::string name, const AttributeValue& value);
    /**
     * @param name attribute of RdmaQueuePair, such as PathMtu
     * @param value its value in queue pairs of NICs installed from now on
     */
    void SetQueuePairAttribute(std::string name, const AttributeValue& value);
    /**
     * @param name attribute of RdmaCnpGenerator, such as CnpInterval
     * @param value its value in NICs installed from now on
     */
    void SetCnpAttribute(std::string name, const AttributeValue& value);
    /**
     * @param name attribute of RdmaInputBuffer, such as Rate
     * @param value its value in NICs installed from now on
     */
    void SetReceiverAttribute(std::string name, const AttributeValue& value);
    /**
     * @param name attribute of PfcFlowControl, such as ResponseTime
     * @param value its value in ports installed from now on
     */
    void SetPfcAttribute(std::string name, const AttributeValue& value);
    /**
     * @param name attribute of RoceSharedBuffer, such as TotalBytes
     * @param value its value in switches that get their first port from now on
     */
    void SetBufferAttribute(std::string name, const AttributeValue& value);

    /**
     * Use another kind of cable, and forget attributes set by SetChannelAttribute().
     * @tparam Ts attribute names and values
     * @param type TypeId name of a RoceChannel
     * @param args attribute names and values
     */
    template <typename... Ts>
    void SetChannel(std::string type, Ts&&... args);
    /**
     * @tparam Ts attribute names and values
     * @param type TypeId name of an RdmaCongestionOps
     * @param args attribute names and values
     */
    template <typename... Ts>
    void SetCongestionControl(std::string type, Ts&&... args);
    /**
     * @tparam Ts attribute names and values
     * @param type TypeId name of an RdmaRecoveryOps
     * @param args attribute names and values
     */
    template <typename... Ts>
    void SetRecovery(std::string type, Ts&&... args);
    /**
     * @tparam Ts attribute names and values
     * @param type TypeId name of a RoceLoadBalancer
     * @param args attribute names and values
     */
    template <typename... Ts>
    void SetLoadBalancer(std::string type, Ts&&... args);

    /// @param map map from marking to class of everything installed from now on
    void SetQosMap(Ptr<RoceQosMap> map);
    /// @return map from marking to class
    Ptr<RoceQosMap> GetQosMap() const;
    /// @param enable false: no port sends or obeys PFC, so all classes can lose frames
    void EnablePfc(bool enable);
    /// @param enable false: no switch marks
    void EnableEcn(bool enable);
    /**
     * @param classes bit c is set if switches mark in class c; without this call they mark in the
     *        lossless classes of the map
     */
    void SetEcnClasses(uint8_t classes);
    /**
     * Use published thresholds and forget others.
     * @param preset the set (default: HPCC)
     */
    void SetEcnPreset(RoceEcnMarker::Preset preset);
    /**
     * @param kmin queue length up to which nothing is marked, bytes
     * @param kmax queue length above which everything is marked, bytes
     * @param pmax marking probability at kmax
     */
    void SetEcnThresholds(uint64_t kmin, uint64_t kmax, double pmax);
    /**
     * @param name attribute of RoceEcnMarker
     * @param value its value in markers installed from now on
     */
    void SetEcnAttribute(std::string name, const AttributeValue& value);
    /**
     * @param trafficClass the class, 0 to 7
     * @param name attribute of RoceEcnMarker
     * @param value its value in markers of this class installed from now on
     */
    void SetEcnAttribute(uint8_t trafficClass, std::string name, const AttributeValue& value);
    /**
     * @param bytes headroom of each lossless class of each switch port installed from now on;
     *        AUTOMATIC computes it from the cable
     */
    void SetHeadroom(uint64_t bytes);
    /// Headroom from rate, length, frame sizes and response time of the cable, see RoceHeadroom.
    static constexpr uint64_t AUTOMATIC = UINT64_MAX;
    /// @param enable false: no interface to queue discs, so that none is installed on NIC ports
    void EnableFlowControl(bool enable);
    /**
     * @param enable false: Install() accepts a buffer that is too small for its ports (default
     * true: it stops the program), for programs that ask RoceSharedBuffer::GetProblem() themselves
     * when all ports are there
     */
    void EnableBufferCheck(bool enable);

    // --- wiring ---

    /**
     * Connect two nodes by a cable.
     * @param a a node
     * @param b another node
     * @return the port of a and the port of b
     */
    NetDeviceContainer Install(Ptr<Node> a, Ptr<Node> b) const;
    /**
     * Connect each node of a container to one node by a cable of its own.
     * @param nodes the nodes, hosts for instance
     * @param hub the one node, a switch for instance
     * @return the ports of the nodes, in their order; those of the hub are not included
     */
    NetDeviceContainer Install(NodeContainer nodes, Ptr<Node> hub) const;
    /**
     * Connect each node of one container to each node of another (as leaves to spines).
     * @param left nodes
     * @param right other nodes
     * @return for each cable the port of the left node and that of the right node
     */
    NetDeviceContainer Install(NodeContainer left, NodeContainer right) const;

    /**
     * Connect two queue pairs of the reliable connection service, which are then ready to send.
     * @param a port of one end
     * @param b port of the other end
     * @return the queue pair at a and the one at b
     */
    std::pair<Ptr<RdmaQueuePair>, Ptr<RdmaQueuePair>> ConnectQueuePairs(Ptr<NetDevice> a,
                                                                        Ptr<NetDevice> b) const;

    /**
     * Assign fixed streams to all random variables of switches and of error models of ports.
     * @param nodes the nodes
     * @param stream first stream to use
     * @return number of streams used
     */
    int64_t AssignStreams(NodeContainer nodes, int64_t stream) const;

    /**
     * @param device a port of a NIC
     * @return its transport engine
     */
    static Ptr<RdmaEngine> GetEngine(Ptr<NetDevice> device);
    /**
     * Write how switches share their memory and where they pause and mark, see RoceBufferPlan.
     * @param nodes switches; other nodes are passed over
     * @param os where to write
     */
    static void PrintBufferPlan(NodeContainer nodes, std::ostream& os);
    /// Use RoceHeapScheduler, which makes fabrics faster and changes no result. Call it before
    /// Run().
    static void UseHeapScheduler();
    /**
     * @param n number of switches
     * @return as many new switch nodes
     */
    static NodeContainer CreateSwitches(uint32_t n);
    /**
     * @param node a node
     * @return its switch
     */
    static Ptr<RoceSwitch> GetSwitch(Ptr<Node> node);

  private:
    /**
     * Create a port on a node.
     * @param node the node
     * @return the port, without cable
     */
    Ptr<RoceNetDevice> CreatePort(Ptr<Node> node) const;
    /**
     * Make a port part of a switch.
     * @param pipeline the switch
     * @param device the port
     */
    void AddToSwitch(Ptr<RoceSwitch> pipeline, Ptr<RoceNetDevice> device) const;
    /**
     * Make a port a NIC.
     * @param device the port
     */
    void AddEngine(Ptr<RoceNetDevice> device) const;
    /**
     * Set what depends on the cable: headroom and markers of a switch port.
     * @param device the port, plugged in
     */
    void ConfigureSwitchPort(Ptr<RoceNetDevice> device) const;

    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> nd,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> nd,
                             bool explicitFilename) override;

    ObjectFactory m_deviceFactory;     //!< makes ports
    ObjectFactory m_channelFactory;    //!< makes cables
    ObjectFactory m_engineFactory;     //!< makes transport engines
    ObjectFactory m_pfcFactory;        //!< makes flow controls
    ObjectFactory m_bufferFactory;     //!< makes switch buffers
    ObjectFactory m_balancerFactory;   //!< makes load balancers
    ObjectFactory m_congestionFactory; //!< makes congestion controls
    ObjectFactory m_recoveryFactory;   //!< makes loss recoveries
    std::array<ObjectFactory, RoceQosMap::N_CLASSES> m_markerFactories; //!< make markers, by class
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_queuePairAttributes; //!< see setter
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_cnpAttributes;       //!< see setter
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_receiverAttributes;  //!< see setter
    Ptr<RoceQosMap> m_map;               //!< shared by everything installed
    bool m_pfc{true};                    //!< PFC on lossless classes
    bool m_ecn{true};                    //!< markers on switch ports
    std::optional<uint8_t> m_ecnClasses; //!< bit mask of classes with markers, if given
    uint64_t m_headroom{AUTOMATIC};      //!< headroom per lossless class and port
    bool m_flowControl{true};            //!< interface to queue discs
    bool m_bufferCheck{true};            //!< refuse impossible buffer plans
};

/***************************************************************
 *  Implementation of the templates declared above.
 ***************************************************************/

template <typename... Ts>
void
RoceHelper::SetChannel(std::string type, Ts&&... args)
{
    m_channelFactory = ObjectFactory(type, std::forward<Ts>(args)...);
}

template <typename... Ts>
void
RoceHelper::SetCongestionControl(std::string type, Ts&&... args)
{
    m_congestionFactory = ObjectFactory(type, std::forward<Ts>(args)...);
}

template <typename... Ts>
void
RoceHelper::SetRecovery(std::string type, Ts&&... args)
{
    m_recoveryFactory = ObjectFactory(type, std::forward<Ts>(args)...);
}

template <typename... Ts>
void
RoceHelper::SetLoadBalancer(std::string type, Ts&&... args)
{
    m_balancerFactory = ObjectFactory(type, std::forward<Ts>(args)...);
}

} // namespace ns3

#endif /* ROCE_HELPER_H */
