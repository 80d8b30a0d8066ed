#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measure what roce-run costs per packet-hop, alone or next to another simulator.

usage: bench.py [--program FILE] [--workload NAME] [--repeat N] [--callgrind]
                [--peer WORKLOAD HOPS COMMAND] [--peer-empty WORKLOAD COMMAND]
                [--max-events X] [--max-instructions X] [--min-ratio X] [--json FILE]

The workloads are the incasts in examples/data: incast-2to1 and incast-16to1. doc/performance.rst says
what is measured and how to compare. Exit status: 0 done, 1 a limit is exceeded, 2 something failed.
Needs nothing but Python; --callgrind needs valgrind.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(ROOT, "examples", "data")
WORKLOADS = ["incast-2to1", "incast-16to1"]

# The algorithm and constants of the common configuration of the simulators we compare with: 32 MiB of
# buffer, DCQCN as NICs do it, a notification for every marked packet.
SETTINGS = [
    "--mtu=1024",
    "--cc=dcqcn",
    "--pfc=1",
    "--ecn=1",
    "--buffer=32MiB",
    "--queue-interval=0",
    "--progress=0",
    "--ns3::RoceEcnMarker::Preset=HPCC",
    "--ns3::RdmaDcqcn::Preset=hpcc",
    "--ns3::RdmaCnpGenerator::CnpInterval=0",
]


def fail(message):
    print(f"bench.py: {message}", file=sys.stderr)
    sys.exit(2)


def run(command):
    """Run a command (a list, or text for the shell) and return its processor seconds."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, shell=isinstance(command, str), stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            tail = errors.read().decode(errors="replace")[-2000:]
            fail(f"exit status {process.returncode} of: {command}\n{tail}")
    return usage.ru_utime + usage.ru_stime


def count_instructions(command, scratch):
    """Run a command under callgrind and return the instructions of all its processes."""
    if not shutil.which("valgrind"):
        fail("--callgrind needs valgrind; install it with 'apt-get install valgrind'")
    folder = tempfile.mkdtemp(dir=scratch)
    if isinstance(command, str):
        command = ["sh", "-c", command]
    run(
        ["valgrind", "--tool=callgrind", "--trace-children=yes"]
        + [f"--callgrind-out-file={folder}/out.%p"]
        + command
    )
    total = 0
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found = re.findall(r"^totals: (\d+)", file.read(), re.MULTILINE)
        total += sum(int(number) for number in found)
    return total


def write_one_packet_flows(source, target):
    """Copy a flow file with one byte for each flow: all of the set-up, nearly none of the work."""
    with open(source, encoding="utf-8") as file:
        first, *rows = [line.split() for line in file if line.strip()]
    with open(target, "w", encoding="utf-8") as file:
        print(*first, file=file)
        for row in rows:
            row[-2] = "1"
            print(*row, file=file)


class Subject:
    """A simulator with a workload: a full run and, if known, a run that does nothing."""

    def __init__(self, full, empty=None, hops=None):
        self.full = full
        self.empty = empty
        self.hops = hops
        self.full_cpu = []
        self.empty_cpu = []
        self.instructions = None

    def measure(self):
        self.full_cpu.append(run(self.full))
        if self.empty:
            self.empty_cpu.append(run(self.empty))

    def measure_instructions(self, scratch):
        self.instructions = count_instructions(self.full, scratch)
        if self.empty:
            self.instructions -= count_instructions(self.empty, scratch)

    def get_speed(self, net):
        cpu = statistics.median(self.full_cpu)
        if net:
            cpu -= statistics.median(self.empty_cpu)
        return self.hops / max(cpu, 1e-6)

    def describe(self):
        """Figures by name, for the table and the JSON file."""
        figures = {"packet_hops": self.hops, "packet_hops_per_cpu_s": self.get_speed(False)}
        if self.empty:
            figures["packet_hops_per_cpu_s_net"] = self.get_speed(True)
        if self.instructions is not None:
            name = "instructions_per_hop" + ("_net" if self.empty else "")
            figures[name] = self.instructions / self.hops
        figures["cpu_s"] = self.full_cpu
        figures["cpu_s_empty"] = self.empty_cpu
        return figures


def make_own(program, workload, scratch):
    """The subject that is roce-run, and the folder of its results."""
    flows = os.path.join(DATA, workload + "-flows.txt")
    empty_flows = os.path.join(scratch, workload + "-empty.txt")
    write_one_packet_flows(flows, empty_flows)
    results = os.path.join(scratch, workload)
    common = [program, f"--topology={DATA}/{workload}-topology.txt"] + SETTINGS
    return (
        Subject(
            common + [f"--flows={flows}", f"--output={results}"],
            common + [f"--flows={empty_flows}", f"--output={results}-empty"],
        ),
        results,
    )


def bench(workload, options, scratch):
    """Measure one workload and return its figures."""
    own, results = make_own(options.program, workload, scratch)
    peer = None
    for name, hops, command in options.peer:
        if name == workload:
            empty = [text for other, text in options.peer_empty if other == workload]
            peer = Subject(command, empty[0] if empty else None, int(hops))
    # In turn, so that a busy moment of the machine hits all alike; the first round warms up.
    for repeat in range(options.repeat + 1):
        for subject in [own] + ([peer] if peer else []):
            subject.measure()
            if repeat == 0:
                subject.full_cpu.clear()
                subject.empty_cpu.clear()
    with open(os.path.join(results, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    own.hops = summary["packet_hops"]
    if options.callgrind:
        for subject in [own] + ([peer] if peer else []):
            subject.measure_instructions(scratch)
    figures = {"workload": workload, "own": own.describe()}
    figures["own"]["events_per_hop"] = summary["events"] / summary["packet_hops"]
    if peer:
        figures["peer"] = peer.describe()
        figures["ratio"] = own.get_speed(False) / peer.get_speed(False)
        if peer.empty:
            figures["ratio_net"] = own.get_speed(True) / peer.get_speed(True)
    return figures


def find_excess(figures, options):
    """Sentences about limits that do not hold."""
    own = figures["own"]
    excess = []
    if options.max_events is not None and own["events_per_hop"] > options.max_events:
        excess.append(f"more than {options.max_events} events per packet-hop")
    if options.max_instructions is not None:
        if own["instructions_per_hop_net"] > options.max_instructions:
            excess.append(f"more than {options.max_instructions} instructions per packet-hop")
    if options.min_ratio is not None and "ratio" in figures:
        if figures.get("ratio_net", figures["ratio"]) < options.min_ratio:
            excess.append(f"less than {options.min_ratio} times the speed of the peer")
    return [f"{figures['workload']}: {sentence}" for sentence in excess]


def print_table(figures):
    print(figures["workload"])
    for who in ("own", "peer"):
        for name, value in figures.get(who, {}).items():
            if not isinstance(value, list):
                text = f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"
                print(f"  {who:5} {name:28} {text:>18}")
    for name in ("ratio", "ratio_net"):
        if name in figures:
            print(f"  {name:34} {figures[name]:>18.2f}")


def read_options():
    parser = argparse.ArgumentParser(description="Cost of roce-run per packet-hop.")
    parser.add_argument(
        "--program",
        default=os.path.join(ROOT, "build", "bin", "roce-run"),
        help="roce-run, built with optimization against an ns-3 without logs and asserts",
    )
    parser.add_argument(
        "--workload", action="append", choices=WORKLOADS, help="what to run (default: all)"
    )
    parser.add_argument("--repeat", type=int, default=5, help="runs of each, the median counts")
    parser.add_argument("--callgrind", action="store_true", help="count instructions, too (slow)")
    parser.add_argument(
        "--peer",
        nargs=3,
        action="append",
        default=[],
        metavar=("WORKLOAD", "HOPS", "COMMAND"),
        help="shell command that runs the same workload, and the packet-hops it then simulates",
    )
    parser.add_argument(
        "--peer-empty",
        nargs=2,
        action="append",
        default=[],
        metavar=("WORKLOAD", "COMMAND"),
        help="the same without flows, to compare net of the start-up",
    )
    parser.add_argument("--max-events", type=float, help="limit per packet-hop")
    parser.add_argument("--max-instructions", type=float, help="limit per packet-hop, net")
    parser.add_argument("--min-ratio", type=float, help="least speed relative to the peer, net if possible")
    parser.add_argument("--json", help="file to write all figures to")
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        fail(f"no program {options.program}; build it (README.md) or give --program")
    if options.repeat < 1:
        fail(f"--repeat {options.repeat}: expected 1 or more")
    if options.max_instructions is not None and not options.callgrind:
        fail("--max-instructions needs --callgrind")
    for name in [peer[0] for peer in options.peer + options.peer_empty]:
        if name not in WORKLOADS:
            fail(f"unknown workload {name}; known are {', '.join(WORKLOADS)}")
    for _, hops, _ in options.peer:
        if not hops.isdigit() or int(hops) == 0:
            fail(f"--peer: {hops} is not a number of packet-hops")
    return options


def main():
    options = read_options()
    everything = []
    excess = []
    with tempfile.TemporaryDirectory() as scratch:
        for workload in options.workload or WORKLOADS:
            figures = bench(workload, options, scratch)
            print_table(figures)
            everything.append(figures)
            excess += find_excess(figures, options)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(everything, file, indent=2)
            file.write("\n")
    for sentence in excess:
        print(f"bench.py: {sentence}", file=sys.stderr)
    return 1 if excess else 0


if __name__ == "__main__":
    sys.exit(main())
