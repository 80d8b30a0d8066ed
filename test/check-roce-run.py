#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check roce-run from outside: its files, its exit status, what it refuses.

usage: check-roce-run.py [PROGRAM]

PROGRAM is the built roce-run; without it, roce-run in the directory that the environment variable
ROCE_BIN names. Needs only Python; the plots are checked if matplotlib is there.
"""

import csv
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(ROOT, "examples", "data")

FLOW_COLUMNS = {
    "id",
    "src",
    "dst",
    "bytes",
    "start_s",
    "end_s",
    "fct_s",
    "ideal_fct_s",
    "slowdown",
    "retransmitted_packets",
}
SUMMARY_KEYS = {
    "flows_total",
    "flows_completed",
    "flows_failed",
    "drops_lossless",
    "drops_lossy",
    "pfc_xoff_sent",
    "pfc_paused_s",
    "ecn_marked",
    "cnp_sent",
    "retransmitted_packets",
    "max_queue_bytes",
    "packet_hops",
    "events",
    "cpu_s",
    "wall_s",
    "sim_s",
}


class RoceRun(unittest.TestCase):
    """Runs of the program in a directory of their own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        """A name in the directory of the test."""
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        """A file in the directory of the test."""
        with open(self.path(name), "w", encoding="ascii", newline="") as file:
            file.write(text)
        return self.path(name)

    def run_program(self, *options, output="out"):
        """Run, return the finished process."""
        return subprocess.run(
            [PROGRAM, f"--output={self.path(output)}", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=300,
            check=False,
        )

    def result(self, *options, output="out", status=0):
        """Run, return flows and summary."""
        process = self.run_program(*options, output=output)
        self.assertEqual(process.returncode, status, process.stdout + process.stderr)
        with open(os.path.join(self.path(output), "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        return self.rows("flows.csv", output), summary

    def rows(self, name, output="out"):
        """Rows of a result file."""
        with open(os.path.join(self.path(output), name), newline="", encoding="ascii") as file:
            return list(csv.DictReader(file))

    def refused(self, text, *options):
        """The program must refuse and say so."""
        process = self.run_program(*options)
        self.assertEqual(process.returncode, 2, process.stdout + process.stderr)
        self.assertIn(text, process.stderr)
        self.assertFalse(os.path.exists(self.path("out")), "refused, but wrote results")

    def test_lone_flow(self):
        """A flow alone on its path takes the ideal time, over links of any rate."""
        for size in (0, 1, 1024, 1025, 100000, 1000000):
            flows, summary = self.result(
                "--topology=star:2", f"--flows=incast:1:{size}", "--cc=none"
            )
            self.assertEqual(len(flows), 1)
            self.assertTrue(FLOW_COLUMNS <= set(flows[0]))
            self.assertTrue(SUMMARY_KEYS <= set(summary), SUMMARY_KEYS - set(summary))
            self.assertTrue({"mean", "p50", "p95", "p99"} <= set(summary["slowdown"]))
            self.assertAlmostEqual(float(flows[0]["slowdown"]), 1, delta=1e-5)
            packets = max(1, -(-size // 1024))
            # Every packet and its acknowledgment cross two links.
            self.assertEqual(summary["packet_hops"], 4 * packets)
            self.assertEqual(int(flows[0]["packets"]), packets)
        topology = self.write(
            "mixed.txt",
            "5 3 4\r\n2 3 4\r\n0 2 400Gbps 2us 0\r\n2 3 100Gbps 1us 0\r\n3 4 200Gbps 500ns 0\r\n"
            "4 1 40Gbps 1us 0\r\n\r\nsome text\r\n",
        )
        flow_file = self.write("flows.txt", "1\r\n0 1 3 100 3000000 2.0000001\r\nmore text\r\n")
        flows, summary = self.result(
            f"--topology={topology}", f"--flows={flow_file}", "--cc=none", "--ecn=0"
        )
        self.assertEqual(flows[0]["start_s"], "2.000000100000")
        self.assertAlmostEqual(float(flows[0]["slowdown"]), 1, delta=1e-5)
        self.assertEqual(summary["drops_lossless"], 0)
        # Nothing happens before the first flow, and that costs nothing.
        self.assertLess(summary["events"], 60 * summary["packet_hops"])

    def test_incast(self):
        """Senders share the link of the receiver; nothing is lost; the flows end in the file."""
        flows, summary = self.result(
            "--topology=star:9", "--flows=incast:8:1MB", "--cc=none", "--buffer=2MB"
        )
        self.assertEqual(sorted(int(row["src"]) for row in flows), list(range(1, 9)))
        self.assertEqual({row["dst"] for row in flows}, {"0"})
        # 8 * 977 packets at 100 Gb/s on the last link: 8 MB in 691 us; fair within a few percent.
        for row in flows:
            self.assertAlmostEqual(float(row["fct_s"]), 691e-6, delta=0.1 * 691e-6)
        self.assertEqual(summary["flows_completed"], 8)
        self.assertEqual(summary["drops_lossless"], 0)
        self.assertGreater(summary["pfc_xoff_sent"], 0)
        self.assertGreater(summary["pfc_paused_s"], 0)
        self.assertGreater(summary["max_queue_bytes"], 100000)
        pfc = self.rows("pfc.csv")
        sent = [row for row in pfc if row["event"] == "xoff_sent"]
        self.assertEqual(len(sent), summary["pfc_xoff_sent"])
        nics = self.rows("counters.csv")
        self.assertEqual([int(row["node"]) for row in nics], list(range(len(nics))))
        for column, key in (
            ("np_cnp_sent", "cnp_sent"),
            ("retransmitted_packets", "retransmitted_packets"),
            ("naks_sent", "nak_sent"),
            ("local_ack_timeout_err", "timeouts"),
            ("bytes_acked", "bytes_total"),
        ):
            self.assertEqual(sum(int(row[column]) for row in nics), summary[key], column)
        ports = self.rows("ports.csv")
        self.assertEqual(sum(int(row["xoff_sent"]) for row in ports), summary["pfc_xoff_sent"])
        self.assertAlmostEqual(
            sum(float(row["paused_s"]) for row in ports), summary["pfc_paused_s"], delta=1e-9
        )
        self.assertEqual(
            max(int(row["max_queue_bytes"]) for row in ports), summary["max_queue_bytes"]
        )
        # Nothing on the way: every frame sent was received.
        self.assertEqual(
            sum(int(row["tx_frames"]) for row in ports), sum(int(row["rx_frames"]) for row in ports)
        )
        self.assertEqual(sum(int(row["rx_frames"]) for row in ports), summary["packet_hops"])
        queues = self.rows("queues.csv")
        self.assertEqual(
            max(int(row["max_bytes"]) for row in queues), summary["max_queue_bytes"]
        )
        # The receiver's port was busy all the time.
        busiest = max(float(row["tx_load"]) for row in ports)
        self.assertGreater(busiest, 0.95)
        self.assertLessEqual(busiest, 1.0)

    def test_congestion_control(self):
        """DCQCN: marks, notification packets, and shorter queues than without."""
        options = ("--topology=star:5", "--flows=incast:4:4MB")
        _, without = self.result(*options, "--cc=none", output="without")
        _, dcqcn = self.result(*options, "--cc=dcqcn", output="dcqcn")
        _, blind = self.result(*options, "--cc=dcqcn", "--ecn=0", output="blind")
        self.assertGreater(dcqcn["ecn_marked"], 0)
        self.assertGreater(dcqcn["cnp_sent"], 0)
        self.assertLess(dcqcn["max_queue_bytes"], without["max_queue_bytes"])
        self.assertEqual(blind["ecn_marked"], 0)
        self.assertEqual(blind["cnp_sent"], 0)

    def test_lossy(self):
        """Without PFC a small buffer drops, go-back-N repairs, and every flow still ends."""
        flows, summary = self.result(
            "--topology=star:5", "--flows=incast:4:1MB", "--pfc=0", "--cc=none", "--buffer=500kB"
        )
        self.assertEqual(len(flows), 4)
        self.assertGreater(summary["drops_lossy"], 0)
        self.assertEqual(summary["drops_lossless"], 0)
        self.assertEqual(summary["pfc_xoff_sent"], 0)
        self.assertGreater(summary["retransmitted_packets"], 0)
        self.assertEqual(self.rows("pfc.csv"), [])

    def test_error_rate(self):
        """Links with an error rate lose frames; the flows end nevertheless."""
        topology = self.write("t.txt", "3 1 2\n2\n0 2 100Gbps 1us 0.01\n1 2 100Gbps 1us 0\n")
        flow_file = self.write("f.txt", "1\n0 1 3 1000000 0\n")
        _, summary = self.result(f"--topology={topology}", f"--flows={flow_file}")
        self.assertGreater(summary["drops_link"], 0)
        self.assertEqual(summary["flows_completed"], 1)

    def test_poisson_and_plots(self):
        """A fabric with a random load, repeatable; the plots can be drawn."""
        cdf = os.path.join(DATA, "heavy-tail.txt")
        options = ("--topology=fat-tree:4", f"--flows=poisson:{cdf}:30%:100us")
        flows, summary = self.result(*options)
        self.assertEqual(summary["flows_total"], summary["flows_completed"])
        self.assertEqual(len(flows), summary["flows_total"])
        self.assertEqual(summary["drops_lossless"], 0)
        self.assertGreater(summary["slowdown"]["p50"], 0.999)
        self.result(*options, output="again")
        self.result(*options, "--seed=2", output="other")
        for name in ("flows.csv", "pfc.csv", "queues.csv", "ports.csv", "counters.csv"):
            with open(os.path.join(self.path("out"), name), encoding="ascii") as file:
                first = file.read()
            with open(os.path.join(self.path("again"), name), encoding="ascii") as file:
                self.assertEqual(first, file.read(), f"{name} is not repeatable")
        self.assertNotEqual(flows, self.rows("flows.csv", "other"), "the seed has no effect")
        if importlib.util.find_spec("matplotlib"):
            script = os.path.join(ROOT, "utils", "plot.py")
            subprocess.run([sys.executable, script, self.path("out")], check=True)
            for name in ("slowdown", "fct", "queues", "pauses", "load"):
                size = os.path.getsize(os.path.join(self.path("out"), name + ".png"))
                self.assertGreater(size, 5000, name)

    def hash_results(self, *options):
        """Run, return a hash of all results but the time it took."""
        _, summary = self.result(*options)
        for key in ("cpu_s", "wall_s", "packet_hops_per_cpu_s"):
            del summary[key]
        digest = hashlib.sha256(json.dumps(summary, sort_keys=True).encode())
        for name in ("flows.csv", "pfc.csv", "queues.csv", "ports.csv", "counters.csv"):
            with open(os.path.join(self.path("out"), name), "rb") as file:
                digest.update(file.read())
        return digest.hexdigest(), summary

    def test_repeatable(self):
        """Scenario P16: with losses and ECMP, ten processes write the same, another seed not."""
        hosts = "".join(f"{host} {8 + host // 4} 100Gbps 1us 0\n" for host in range(8))
        fabric = "".join(
            f"{leaf} {spine} 100Gbps 1us 0.005\n" for leaf in (8, 9) for spine in (10, 11, 12)
        )
        topology = self.write("t.txt", "13 5 14\n8 9 10 11 12\n" + hosts + fabric)
        options = (f"--topology={topology}", "--flows=permutation:200kB", "--lb=ecmp")
        first, summary = self.hash_results(*options)
        self.assertGreater(summary["drops_link"], 0)
        self.assertGreater(summary["retransmitted_packets"], 0)
        for _ in range(9):
            self.assertEqual(self.hash_results(*options)[0], first)
        self.assertNotEqual(self.hash_results(*options, "--seed=2")[0], first)

    def test_cost(self):
        """The benchmark runs, and an event serves nearly every packet-hop alone."""
        bench = [sys.executable, os.path.join(ROOT, "utils", "bench.py"), "--program", PROGRAM]
        for limit, status in (("1.3", 0), ("0.9", 1)):
            process = subprocess.run(
                bench + ["--repeat=1", f"--max-events={limit}"],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                universal_newlines=True,
                check=False,
            )
            self.assertEqual(process.returncode, status, process.stdout)

    def test_shipped_data(self):
        """The files in examples/data, every load balancer and every traffic class."""
        topology = f"--topology={os.path.join(DATA, 'leaf-spine-16.txt')}"
        flow_file = f"--flows={os.path.join(DATA, 'mixed-flows.txt')}"
        for balancer in ("ecmp", "dlb"):
            flows, summary = self.result(topology, flow_file, f"--lb={balancer}")
            self.assertEqual(len(flows), 63)
            self.assertEqual(summary["drops_lossless"], 0)
        classes = self.write("c.txt", "2\n1 0 0 100 50000 0\n2 0 5 100 50000 0\n")
        flows, summary = self.result("--topology=star:3", f"--flows={classes}")
        self.assertEqual(sorted(row["class"] for row in flows), ["0", "5"])

    def test_unfinished(self):
        """A run that is stopped says what is missing and fails; what is done is in the files."""
        flow_file = self.write("f.txt", "2\n1 0 3 1000 0\n2 0 3 1000000000 0\n")
        process = self.run_program("--topology=star:3", f"--flows={flow_file}", "--stop=1ms")
        self.assertEqual(process.returncode, 1, process.stdout + process.stderr)
        self.assertIn("1 of 2 flows", process.stderr)
        self.assertIn("flow 1 from 2 to 0", process.stderr)
        self.assertEqual([row["id"] for row in self.rows("flows.csv")], ["0"])

    def test_progress(self):
        """The progress line on request; rows of flows that have ended are there at once."""
        process = self.run_program("--topology=star:4", "--flows=incast:3:1MB", "--progress=1")
        self.assertRegex(process.stderr, r"time [0-9.]+ s, \d of 3 flows done, .* ETA ")
        flow_file = self.write("f.txt", "2\n1 0 3 1000 0\n2 0 3 1000000000000 0\n")
        options = ["--topology=star:3", f"--flows={flow_file}", f"--output={self.path('live')}"]
        rows = os.path.join(self.path("live"), "flows.csv")
        with subprocess.Popen(
            [PROGRAM, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as live:
            try:
                deadline = time.monotonic() + 60
                while not os.path.exists(rows) or not self.rows("flows.csv", "live"):
                    self.assertIsNone(live.poll(), "ended early")
                    self.assertLess(time.monotonic(), deadline, "no row while running")
                    time.sleep(0.05)
            finally:
                live.kill()
        self.assertEqual([row["id"] for row in self.rows("flows.csv", "live")], ["0"])

    def test_dead_link(self):
        """A flow that can never end fails with the status of libibverbs, and so does the run."""
        topology = self.write("t.txt", "3 1 2\n2\n0 2 100Gbps 1us 0.999999\n1 2 100Gbps 1us 0\n")
        flow_file = self.write("f.txt", "1\n0 1 3 1000 0\n")
        flows, summary = self.result(
            f"--topology={topology}", f"--flows={flow_file}", status=1
        )
        self.assertEqual(flows[0]["status"], "RETRY_EXC_ERR")
        self.assertEqual(summary["flows_failed"], 1)

    def test_refusals(self):
        """Malformed input is refused with file, line and reason."""
        good = "--topology=star:4"
        bad_topology = self.write("t.txt", "3 1 2\n2\n0 2 100 1us 0\n1 2 100Gbps 1us 0\n")
        self.refused(f"{bad_topology}:3: rate '100'", f"--topology={bad_topology}", "--flows=x")
        bad_flow = self.write("f.txt", "1\n0 4 3 100 10 2\n")
        self.refused(f"{bad_flow}:2: destination 4 is a switch", good, f"--flows={bad_flow}")
        bad_cdf = self.write("c.txt", "0 0\n1000 90\n")
        self.refused(
            f"{bad_cdf}:2: the last percentage must be 100",
            good,
            f"--flows=poisson:{bad_cdf}:0.3:1ms",
        )
        self.refused("no-such-file: cannot be opened", "--topology=no-such-file", "--flows=x")
        self.refused("--topology is missing", "--flows=incast:1:1")
        self.refused("--flows is missing", good)
        flows = "--flows=incast:3:1kB"
        self.refused("--rate", good, flows, "--rate=100")
        self.refused("--delay", good, flows, "--delay=1")
        self.refused("--mtu", good, flows, "--mtu=0")
        self.refused("--cc", good, flows, "--cc=cubic")
        self.refused("--cc", good, flows, "--cc=ns3::RoceEcmp")
        self.refused("--lb", good, flows, "--lb=ns3::RdmaDcqcn")
        self.refused("--buffer", good, flows, "--buffer=1Gbps")
        self.refused("--buffer", good, flows, "--buffer=0")
        # 4 ports: 8 reserves of 4096 B each, and the headroom of one class.
        self.refused("switch 4: RoceSharedBuffer: impossible plan", good, flows, "--buffer=100kB")
        self.refused("reserves        131072 B", good, flows, "--buffer=100kB")
        self.refused("of 100000 B", good, flows, "--buffer=100kB")
        self.refused("--stop", good, flows, "--stop=never")
        self.refused("--queue-interval", good, flows, "--queue-interval=10")
        file_topology = os.path.join(DATA, "leaf-spine-16.txt")
        self.refused("--rate", f"--topology={file_topology}", flows, "--rate=10Gbps")
        self.refused("--delay", f"--topology={file_topology}", flows, "--delay=1us")
        isolated = self.write("i.txt", "4 0 2\n0 1 1Gbps 1us 0\n2 3 1Gbps 1us 0\n")
        self.refused("cannot be reached", f"--topology={isolated}", flows)
        chain = self.write("h.txt", "3 0 2\n0 1 1Gbps 1us 0\n1 2 1Gbps 1us 0\n")
        ends = self.write("e.txt", "1\n0 2 3 1000 0\n")
        self.refused("no path from host 0 to host 2", f"--topology={chain}", f"--flows={ends}")
        self.refused("switch 70000 has 70000 links", "--topology=star:70000", flows)
        self.refused("'seed=3' is not an option", good, flows, "seed=3")
        process = self.run_program(good, flows, "--bufer=1MB")
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("bufer", process.stdout + process.stderr)

    def test_output(self):
        """A directory is made; one that cannot be made is an error."""
        self.result("--topology=star:2", "--flows=incast:1:1", output=os.path.join("a", "b"))
        self.write("file", "")
        process = self.run_program(
            "--topology=star:2", "--flows=incast:1:1", output=os.path.join("file", "x")
        )
        self.assertEqual(process.returncode, 2, process.stdout + process.stderr)
        self.assertIn("--output", process.stderr)


def main():
    """Find the program, run the tests."""
    global PROGRAM
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = os.path.abspath(sys.argv.pop(1))
    elif "ROCE_BIN" in os.environ:
        PROGRAM = os.path.join(os.environ["ROCE_BIN"], "roce-run")
    if not os.access(PROGRAM, os.X_OK):
        sys.exit(f"check-roce-run.py: '{PROGRAM}' is not a program\n{__doc__}")
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
