#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What roce-first.cc does, in Python.

Sixteen hosts on one switch; fifteen of them write 1 MiB to host 0 at the same time. Run it inside an
ns-3 tree that was configured with --enable-python-bindings:

    ./ns3 run contrib/roce/examples/roce-first.py
"""

import glob
import os
import sys

try:
    from ns import ns
except ImportError as error:
    sys.exit(
        f"roce-first.py: cannot import ns ({error}). Configure ns-3 with --enable-python-bindings "
        "(needs the Python package cppyy), build it, and run this through ./ns3 run."
    )


def load_roce():
    """Load the module where the bindings do not do it: contributed ones, ns-3.37 to 3.41."""
    if hasattr(ns, "RoceHelper"):
        return
    build = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(
        sys.modules["ns"].__file__)))))
    libraries = [
        path for path in glob.glob(os.path.join(build, "lib", "libns3*-roce*.so")) if "test" not in path
    ]
    if len(libraries) != 1:
        sys.exit(f"roce-first.py: expected one roce library in {build}/lib, found {libraries}")
    ns.cppyy.load_library(libraries[0])
    ns.cppyy.include("ns3/roce-module.h")


def main():
    load_roce()
    n_hosts = 16
    size = 1 << 20

    hosts = ns.NodeContainer()
    hosts.Create(n_hosts)
    switches = ns.RoceHelper.CreateSwitches(1)

    roce = ns.RoceHelper()
    roce.SetDeviceAttribute("DataRate", ns.StringValue("100Gbps"))
    roce.SetChannelAttribute("Delay", ns.StringValue("1us"))
    roce.SetCongestionControl("ns3::RdmaDcqcn")
    nics = roce.Install(hosts, switches.Get(0))

    stack = ns.InternetStackHelper()
    stack.Install(hosts)
    addresses = ns.Ipv4AddressHelper()
    addresses.SetBase(ns.Ipv4Address("10.0.0.0"), ns.Ipv4Mask("255.255.0.0"))
    addresses.Assign(nics)
    ns.RoceRoutingHelper.PopulateForwardingTables()

    senders = []
    for i in range(1, n_hosts):
        pair = roce.ConnectQueuePairs(nics.Get(i), nics.Get(0))
        pair.first.PostSend(ns.RdmaWorkRequest.Write(size, i))
        senders.append(pair.first)

    ns.Simulator.Run()

    for qp in senders:
        for done in qp.GetSendCompletionQueue().Poll(1):
            took = (done.completed - done.posted).GetNanoSeconds() / 1000
            print(
                f"host {done.wrId}: {done.byteLength} bytes, "
                f"{ns.GetRdmaWcStatusName(done.status)} after {took} us"
            )
    pipeline = ns.RoceHelper.GetSwitch(switches.Get(0))
    print(f"dropped {pipeline.GetTotalDrops(True)}, marked {pipeline.GetTotalMarked()}")
    ns.Simulator.Destroy()


if __name__ == "__main__":
    main()
