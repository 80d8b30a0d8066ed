/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-helper.h"

#include "roce-buffer-plan.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/error-model.h"
#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/pointer.h"
#include "ns3/roce-channel.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-headroom.h"
#include "ns3/roce-shared-buffer.h"
#include "ns3/roce-switch-node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceHelper");

namespace
{

/// Ethernet header and FCS around the layer-3 MTU, bytes.
constexpr uint32_t ETHERNET_BYTES = 18;

/**
 * Stop the program if a queue pair of RoCEv1 would have to be routed.
 * @param a port of one end
 * @param b port of the other end
 */
void
CheckSegment(Ptr<RdmaEngine> a, Ptr<RdmaEngine> b)
{
    RoceAddressBytes address;
    uint16_t etherType = 0;
    a->GetAddress(address, etherType);
    if (etherType != RoceFrameCodec::ETHERTYPE_ROCE_V1)
    {
        return;
    }
    const Ptr<RoceNetDevice> left = a->GetDevice()->GetLinkPeer();
    const Ptr<RoceNetDevice> right = b->GetDevice()->GetLinkPeer();
    const bool sameCable = left == b->GetDevice();
    const bool sameSwitch = left && right && left->GetNode() == right->GetNode() &&
                            left->GetNode()->GetObject<RoceSwitch>();
    NS_ABORT_MSG_UNLESS(sameCable || sameSwitch,
                        "RoceHelper: RoCEv1 cannot be routed, so the ports on nodes "
                            << a->GetDevice()->GetNode()->GetId() << " and "
                            << b->GetDevice()->GetNode()->GetId()
                            << " must be on one cable or on one switch; they are not, use RoCEv2 "
                               "(attribute RoceVersion of RdmaEngine)");
}

} // namespace

RoceHelper::RoceHelper()
    : m_map(CreateObject<RoceQosMap>())
{
    m_deviceFactory.SetTypeId("ns3::RoceNetDevice");
    m_channelFactory.SetTypeId("ns3::RoceChannel");
    m_engineFactory.SetTypeId("ns3::RdmaEngine");
    m_pfcFactory.SetTypeId("ns3::PfcFlowControl");
    m_bufferFactory.SetTypeId("ns3::RoceSharedBuffer");
    m_balancerFactory.SetTypeId("ns3::RoceEcmp");
    m_congestionFactory.SetTypeId("ns3::RdmaNoCongestionControl");
    m_recoveryFactory.SetTypeId("ns3::RdmaGoBackN");
    for (ObjectFactory& factory : m_markerFactories)
    {
        factory.SetTypeId("ns3::RoceEcnMarker");
    }
}

RoceHelper::~RoceHelper() = default;

// --- configuration ---

void
RoceHelper::SetDeviceAttribute(std::string name, const AttributeValue& value)
{
    m_deviceFactory.Set(name, value);
}

void
RoceHelper::SetChannelAttribute(std::string name, const AttributeValue& value)
{
    m_channelFactory.Set(name, value);
}

void
RoceHelper::SetEngineAttribute(std::string name, const AttributeValue& value)
{
    m_engineFactory.Set(name, value);
}

void
RoceHelper::SetPfcAttribute(std::string name, const AttributeValue& value)
{
    m_pfcFactory.Set(name, value);
}

void
RoceHelper::SetBufferAttribute(std::string name, const AttributeValue& value)
{
    m_bufferFactory.Set(name, value);
}

void
RoceHelper::SetEcnAttribute(std::string name, const AttributeValue& value)
{
    for (ObjectFactory& factory : m_markerFactories)
    {
        factory.Set(name, value);
    }
}

void
RoceHelper::SetEcnAttribute(uint8_t trafficClass, std::string name, const AttributeValue& value)
{
    NS_ABORT_MSG_IF(trafficClass >= RoceQosMap::N_CLASSES,
                    "RoceHelper: no traffic class " << +trafficClass << "; they are 0 to 7");
    m_markerFactories[trafficClass].Set(name, value);
}

void
RoceHelper::SetEcnClasses(uint8_t classes)
{
    m_ecnClasses = classes;
}

void
RoceHelper::SetQueuePairAttribute(std::string name, const AttributeValue& value)
{
    ObjectFactory check("ns3::RdmaQueuePair");
    check.Set(name, value); // refuses an unknown name or a bad value now
    m_queuePairAttributes.emplace_back(name, value.Copy());
}

void
RoceHelper::SetCnpAttribute(std::string name, const AttributeValue& value)
{
    ObjectFactory check("ns3::RdmaCnpGenerator");
    check.Set(name, value); // refuses an unknown name or a bad value now
    m_cnpAttributes.emplace_back(name, value.Copy());
}

void
RoceHelper::SetReceiverAttribute(std::string name, const AttributeValue& value)
{
    ObjectFactory check("ns3::RdmaInputBuffer");
    check.Set(name, value); // refuses an unknown name or a bad value now
    m_receiverAttributes.emplace_back(name, value.Copy());
}

void
RoceHelper::SetQosMap(Ptr<RoceQosMap> map)
{
    NS_ABORT_MSG_IF(!map, "RoceHelper: the QoS map must not be null");
    m_map = map;
}

Ptr<RoceQosMap>
RoceHelper::GetQosMap() const
{
    return m_map;
}

void
RoceHelper::EnablePfc(bool enable)
{
    m_pfc = enable;
}

void
RoceHelper::EnableEcn(bool enable)
{
    m_ecn = enable;
}

void
RoceHelper::SetEcnPreset(RoceEcnMarker::Preset preset)
{
    SetEcnAttribute("Preset", EnumValue(preset));
    SetEcnAttribute("Kmin", UintegerValue(RoceEcnMarker::FROM_PRESET));
    SetEcnAttribute("Kmax", UintegerValue(RoceEcnMarker::FROM_PRESET));
    SetEcnAttribute("Pmax", DoubleValue(-1.0));
}

void
RoceHelper::SetEcnThresholds(uint64_t kmin, uint64_t kmax, double pmax)
{
    SetEcnAttribute("Unit", EnumValue(RoceEcnMarker::BYTES));
    SetEcnAttribute("Kmin", UintegerValue(kmin));
    SetEcnAttribute("Kmax", UintegerValue(kmax));
    SetEcnAttribute("Pmax", DoubleValue(pmax));
}

void
RoceHelper::SetHeadroom(uint64_t bytes)
{
    m_headroom = bytes;
}

void
RoceHelper::EnableFlowControl(bool enable)
{
    m_flowControl = enable;
}

void
RoceHelper::EnableBufferCheck(bool enable)
{
    m_bufferCheck = enable;
}

// --- wiring ---

Ptr<RoceNetDevice>
RoceHelper::CreatePort(Ptr<Node> node) const
{
    auto device = m_deviceFactory.Create<RoceNetDevice>();
    device->SetAddress(Mac48Address::Allocate());
    node->AddDevice(device);
    auto gate = m_pfcFactory.Create<PfcFlowControl>();
    gate->SetEnabledClasses(m_pfc ? m_map->GetLosslessClasses() : 0);
    device->SetFlowControl(gate);
    if (auto pipeline = node->GetObject<RoceSwitch>())
    {
        AddToSwitch(pipeline, device);
    }
    else
    {
        AddEngine(device);
    }
    return device;
}

void
RoceHelper::AddToSwitch(Ptr<RoceSwitch> pipeline, Ptr<RoceNetDevice> device) const
{
    if (pipeline->GetNPorts() == 0)
    {
        if (!pipeline->GetQosMap())
        {
            pipeline->SetQosMap(m_map);
        }
        if (!pipeline->GetBuffer())
        {
            auto buffer = m_bufferFactory.Create<RoceSharedBuffer>();
            buffer->SetAttribute("LosslessClasses",
                                 UintegerValue(m_pfc ? m_map->GetLosslessClasses() : 0));
            pipeline->SetBuffer(buffer);
        }
        if (!pipeline->GetLoadBalancer())
        {
            pipeline->SetLoadBalancer(m_balancerFactory.Create<RoceLoadBalancer>());
        }
    }
    pipeline->AddPort(device);
}

void
RoceHelper::AddEngine(Ptr<RoceNetDevice> device) const
{
    auto engine = m_engineFactory.Create<RdmaEngine>();
    engine->SetQosMap(m_map);
    engine->SetCongestionControl(m_congestionFactory);
    engine->SetRecovery(m_recoveryFactory);
    for (const auto& [name, value] : m_queuePairAttributes)
    {
        engine->SetQueuePairAttribute(name, *value);
    }
    for (const auto& [name, value] : m_cnpAttributes)
    {
        engine->GetCnpGenerator()->SetAttribute(name, *value);
    }
    for (const auto& [name, value] : m_receiverAttributes)
    {
        engine->GetInputBuffer()->SetAttribute(name, *value);
    }
    engine->SetDevice(device);
    if (m_flowControl)
    {
        auto queueInterface = CreateObjectWithAttributes<NetDeviceQueueInterface>(
            "NTxQueues",
            UintegerValue(RoceQosMap::N_CLASSES));
        device->AggregateObject(queueInterface);
        engine->SetQueueInterface(queueInterface);
    }
}

void
RoceHelper::ConfigureSwitchPort(Ptr<RoceNetDevice> device) const
{
    auto pipeline = device->GetNode()->GetObject<RoceSwitch>();
    if (!pipeline)
    {
        return;
    }
    const uint16_t port = device->GetPortNumber();
    Ptr<RoceNetDevice> peer = device->GetLinkPeer();
    auto peerGate = DynamicCast<PfcFlowControl>(peer->GetFlowControl());
    auto channel = DynamicCast<RoceChannel>(device->GetChannel());
    TimeValue pipelineDelay;
    device->GetAttribute("PipelineDelay", pipelineDelay);

    RoceHeadroom::Link link;
    link.rate = peer->GetBitRate();
    // What is inside the receive pipeline has not been counted yet; it is there once, the cable is
    // counted twice.
    link.delay = channel->GetDelay() + RoceClock::FromTime(pipelineDelay.Get()) / 2;
    link.localFrameBytes = device->GetMtu() + ETHERNET_BYTES;
    link.peerFrameBytes = peer->GetMtu() + ETHERNET_BYTES;
    link.cellBytes = pipeline->GetBuffer()->GetCellBytes();
    link.responseTime = peerGate ? RoceClock::FromTime(peerGate->GetResponseTime()) : 0;
    // Where thresholds allow more than the pool has, the frame that finds it exhausted is the one
    // to trigger XOFF and is the first in headroom.
    const uint64_t headroom =
        m_headroom == AUTOMATIC
            ? RoceHeadroom::GetBytes(link) + pipeline->GetBuffer()->GetMemory(link.peerFrameBytes)
            : m_headroom;

    for (uint8_t c = 0; c < RoceQosMap::N_CLASSES; c++)
    {
        if (pipeline->GetBuffer()->IsLossless(c))
        {
            pipeline->GetBuffer()->SetHeadroom(port, c, headroom);
        }
        const bool marks = m_ecnClasses ? (*m_ecnClasses >> c) & 1 : m_map->IsLossless(c);
        if (m_ecn && marks)
        {
            pipeline->SetMarker(port, c, m_markerFactories[c].Create<RoceEcnMarker>());
        }
    }
    if (m_bufferCheck)
    {
        pipeline->GetBuffer()->Validate();
    }
}

NetDeviceContainer
RoceHelper::Install(Ptr<Node> a, Ptr<Node> b) const
{
    NS_LOG_FUNCTION(this << a << b);
    NS_ABORT_MSG_IF(a == b, "RoceHelper: cannot connect node " << a->GetId() << " to itself");
    Ptr<RoceNetDevice> left = CreatePort(a);
    Ptr<RoceNetDevice> right = CreatePort(b);
    auto channel = m_channelFactory.Create<RoceChannel>();
    left->Attach(channel);
    right->Attach(channel);
    ConfigureSwitchPort(left);
    ConfigureSwitchPort(right);
    NetDeviceContainer ports(left);
    ports.Add(right);
    return ports;
}

NetDeviceContainer
RoceHelper::Install(NodeContainer nodes, Ptr<Node> hub) const
{
    NetDeviceContainer ports;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        ports.Add(Install(*node, hub).Get(0));
    }
    return ports;
}

NetDeviceContainer
RoceHelper::Install(NodeContainer left, NodeContainer right) const
{
    NetDeviceContainer ports;
    for (auto a = left.Begin(); a != left.End(); ++a)
    {
        for (auto b = right.Begin(); b != right.End(); ++b)
        {
            ports.Add(Install(*a, *b));
        }
    }
    return ports;
}

Ptr<RdmaEngine>
RoceHelper::GetEngine(Ptr<NetDevice> device)
{
    auto engine = device->GetObject<RdmaEngine>();
    NS_ABORT_MSG_IF(!engine,
                    "RoceHelper: device " << device->GetIfIndex() << " of node "
                                          << device->GetNode()->GetId()
                                          << " is not a NIC port installed by RoceHelper");
    return engine;
}

void
RoceHelper::PrintBufferPlan(NodeContainer nodes, std::ostream& os)
{
    for (auto it = nodes.Begin(); it != nodes.End(); ++it)
    {
        if (auto pipeline = (*it)->GetObject<RoceSwitch>())
        {
            os << "Switch, node " << (*it)->GetId() << "\n";
            RoceBufferPlan::Print(pipeline, os);
        }
    }
}

void
RoceHelper::UseHeapScheduler()
{
    Simulator::SetScheduler(ObjectFactory("ns3::RoceHeapScheduler"));
}

NodeContainer
RoceHelper::CreateSwitches(uint32_t n)
{
    NodeContainer switches;
    for (uint32_t i = 0; i < n; i++)
    {
        switches.Add(CreateObject<RoceSwitchNode>());
    }
    return switches;
}

Ptr<RoceSwitch>
RoceHelper::GetSwitch(Ptr<Node> node)
{
    auto pipeline = node->GetObject<RoceSwitch>();
    NS_ABORT_MSG_IF(!pipeline, "RoceHelper: node " << node->GetId() << " has no RoceSwitch");
    return pipeline;
}

std::pair<Ptr<RdmaQueuePair>, Ptr<RdmaQueuePair>>
RoceHelper::ConnectQueuePairs(Ptr<NetDevice> a, Ptr<NetDevice> b) const
{
    NS_LOG_FUNCTION(this << a << b);
    CheckSegment(GetEngine(a), GetEngine(b));
    Ptr<RdmaQueuePair> left = GetEngine(a)->CreateQueuePair();
    Ptr<RdmaQueuePair> right = GetEngine(b)->CreateQueuePair();
    left->ModifyToInit();
    right->ModifyToInit();
    left->ModifyToRtr(right->GetLocal());
    right->ModifyToRtr(left->GetLocal());
    left->ModifyToRts();
    right->ModifyToRts();
    return {left, right};
}

int64_t
RoceHelper::AssignStreams(NodeContainer nodes, int64_t stream) const
{
    int64_t next = stream;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        if (auto pipeline = (*node)->GetObject<RoceSwitch>())
        {
            next += pipeline->AssignStreams(next);
        }
        for (uint32_t i = 0; i < (*node)->GetNDevices(); i++)
        {
            if (auto device = DynamicCast<RoceNetDevice>((*node)->GetDevice(i)))
            {
                PointerValue value;
                device->GetAttribute("ReceiveErrorModel", value);
                if (auto rateModel = value.Get<RateErrorModel>())
                {
                    next += rateModel->AssignStreams(next);
                }
            }
        }
    }
    return next - stream;
}

// --- traces ---

void
RoceHelper::EnablePcapInternal(std::string prefix,
                               Ptr<NetDevice> nd,
                               bool promiscuous,
                               bool explicitFilename)
{
    auto device = DynamicCast<RoceNetDevice>(nd);
    if (!device)
    {
        NS_LOG_INFO("Device " << nd << " is not a RoceNetDevice");
        return;
    }
    PcapHelper pcap;
    const std::string name = explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    Ptr<PcapFileWrapper> file = pcap.CreateFile(name, std::ios::out, PcapHelper::DLT_EN10MB);
    pcap.HookDefaultSink<RoceNetDevice>(device, promiscuous ? "PromiscSniffer" : "Sniffer", file);
}

void
RoceHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                std::string prefix,
                                Ptr<NetDevice> nd,
                                bool explicitFilename)
{
    auto device = DynamicCast<RoceNetDevice>(nd);
    if (!device)
    {
        NS_LOG_INFO("Device " << nd << " is not a RoceNetDevice");
        return;
    }
    Packet::EnablePrinting();
    AsciiTraceHelper ascii;
    if (!stream)
    {
        const std::string name =
            explicitFilename ? prefix : ascii.GetFilenameFromDevice(prefix, device);
        stream = ascii.CreateFileStream(name);
        ascii.HookDefaultReceiveSinkWithoutContext<RoceNetDevice>(device, "MacRx", stream);
        ascii.HookDefaultDequeueSinkWithoutContext<RoceNetDevice>(device, "PhyTxBegin", stream);
        ascii.HookDefaultDropSinkWithoutContext<RoceNetDevice>(device, "PhyRxDrop", stream);
        return;
    }
    const std::string context = "/NodeList/" + std::to_string(nd->GetNode()->GetId()) +
                                "/DeviceList/" + std::to_string(nd->GetIfIndex()) +
                                "/$ns3::RoceNetDevice/";
    ascii.HookDefaultReceiveSinkWithContext<RoceNetDevice>(device,
                                                           context + "MacRx",
                                                           "MacRx",
                                                           stream);
    ascii.HookDefaultDequeueSinkWithContext<RoceNetDevice>(device,
                                                           context + "PhyTxBegin",
                                                           "PhyTxBegin",
                                                           stream);
    ascii.HookDefaultDropSinkWithContext<RoceNetDevice>(device,
                                                        context + "PhyRxDrop",
                                                        "PhyRxDrop",
                                                        stream);
}

} // namespace ns3
