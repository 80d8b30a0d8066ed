#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the results of roce-run.

usage: plot.py DIR

Reads flows.csv, pfc.csv, queues.csv, ports.csv and summary.json in DIR and writes slowdown.png, fct.png,
queues.png, pauses.png and load.png beside them. A file that is missing or has no rows gives a picture
that says so. Needs matplotlib and numpy.
"""

import argparse
import csv
import json
import os
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
except ImportError as missing:
    sys.exit(
        f"plot.py: {missing.name} is missing; install it with 'apt-get install python3-matplotlib' "
        "or 'pip install matplotlib'"
    )

TOP_QUEUES = 8
TOP_PAUSES = 24
TOP_PORTS = 40
SIZE_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B"))
TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def read_rows(directory, name):
    """Rows of a CSV file as dictionaries; none if there is no such file."""
    path = os.path.join(directory, name)
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="ascii") as file:
        # A run that was killed may have left half a row at the end.
        return [row for row in csv.DictReader(file) if None not in row.values()]


def read_summary(directory):
    """Contents of summary.json; empty if there is none (yet)."""
    path = os.path.join(directory, "summary.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def column(rows, name):
    """A column of numbers."""
    return np.array([float(row[name]) for row in rows])


def scale(values, units):
    """The largest unit that keeps the largest value at or above one."""
    largest = float(np.max(values)) if len(values) else 0.0
    for size, name in units:
        if largest >= size:
            return size, name
    return units[-1]


def format_size(size, _position=None):
    """A number of bytes with a unit."""
    for unit, name in SIZE_UNITS:
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size:g} B"


def new_figure(title, subtitle):
    """A figure with a title and, smaller, what was run."""
    figure, axes = plt.subplots(figsize=(9, 5.5), constrained_layout=True)
    decorate(figure, axes, title, subtitle)
    return figure, axes


def decorate(figure, axes, title, subtitle):
    """Title, what was run, grid."""
    figure.suptitle(title + (f"\n{subtitle}" if subtitle else ""), fontsize=11)
    axes.grid(True, which="major", alpha=0.35)
    axes.set_axisbelow(True)


def say(axes, text):
    """Write a text instead of a curve."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", fontsize=14)
    axes.set_xticks([])
    axes.set_yticks([])


def shorten(text):
    """Without directories and namespaces."""
    parts = [part.rsplit("/", 1)[-1] for part in text.replace("ns3::", "").split(":")]
    return ":".join(parts)


def describe(summary):
    """One line about the run."""
    config = summary.get("config", {})
    return ", ".join(
        f"{key} {shorten(str(config[key]))}"
        for key in ("topology", "flows", "cc", "lb")
        if key in config
    )


def plot_slowdown(rows, subtitle):
    """Percentiles of the slowdown in bins of equal numbers of flows."""
    figure, axes = new_figure("Slowdown by flow size", subtitle)
    done = [row for row in rows if row.get("status", "SUCCESS") == "SUCCESS"]
    if not done:
        say(axes, "no completed flows")
        return figure
    sizes = np.maximum(column(done, "bytes"), 1)
    slowdowns = column(done, "slowdown")
    order = np.argsort(sizes, kind="stable")
    sizes, slowdowns = sizes[order], slowdowns[order]
    bins = int(np.clip(len(sizes) // 20, 1, 20))
    centers, percentiles = [], []
    start = 0
    for number in range(1, bins + 1):
        end = len(sizes) * number // bins
        # Flows of one size stay together, else a bin would depend on the order of the file.
        end = max(end, int(np.searchsorted(sizes, sizes[min(end, len(sizes)) - 1], "right")))
        if end > start:
            centers.append(np.exp(np.mean(np.log(sizes[start:end]))))
            percentiles.append(np.percentile(slowdowns[start:end], (50, 95, 99)))
            start = end
    percentiles = np.array(percentiles)
    axes.scatter(sizes, slowdowns, s=4, color="0.75", label="single flows", zorder=1)
    for index, (name, marker) in enumerate((("p50", "o"), ("p95", "s"), ("p99", "^"))):
        axes.plot(centers, percentiles[:, index], marker=marker, label=name, zorder=2)
    axes.axhline(1, color="black", linewidth=0.8, linestyle=":", label="alone on its path")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(format_size)
    axes.xaxis.set_minor_formatter("")
    axes.yaxis.set_major_formatter("{x:g}")
    low, high = axes.get_ylim()
    ticks = [base * 10.0**e for e in range(-1, 5) for base in (1, 2, 5)]
    axes.set_yticks([tick for tick in ticks if low <= tick <= high])
    axes.yaxis.set_minor_formatter("")
    axes.set_xlabel("flow size")
    axes.set_ylabel("slowdown (FCT / ideal FCT)")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=8)
    return figure


def plot_fct(rows, subtitle):
    """Cumulative distribution of completion times, in all and by size."""
    figure, axes = new_figure("Flow completion time", subtitle)
    done = [row for row in rows if row.get("status", "SUCCESS") == "SUCCESS"]
    if not done:
        say(axes, "no completed flows")
        return figure
    fcts = column(done, "fct_s")
    sizes = column(done, "bytes")
    unit, name = scale([np.median(fcts)], TIME_UNITS)
    groups = (
        ("all flows", 0, np.inf),
        ("below 100 kB", 0, 1e5),
        ("100 kB to 1 MB", 1e5, 1e6),
        ("1 MB and more", 1e6, np.inf),
    )
    for label, low, high in groups:
        chosen = np.sort(fcts[(sizes >= low) & (sizes < high)]) / unit
        if len(chosen) and (label == "all flows" or len(chosen) < len(fcts)):
            share = np.arange(1, len(chosen) + 1) / len(chosen)
            # The curve starts at 0 for the fastest flow.
            axes.step(
                np.concatenate(([chosen[0]], chosen)),
                np.concatenate(([0], share)),
                where="post",
                label=f"{label} ({len(chosen)})",
                linewidth=2 if label == "all flows" else 1.2,
                color="black" if label == "all flows" else None,
            )
    if np.max(fcts) > 20 * np.min(fcts):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(f"flow completion time [{name}]")
    axes.set_ylabel("share of flows")
    axes.legend(loc="lower right")
    return figure


def plot_queues(rows, window, subtitle):
    """Depth over time of the queues that were deepest."""
    figure, axes = new_figure("Queue depth (largest in each interval)", subtitle)
    if not rows:
        say(axes, "no queue built up (or queues were not recorded)")
        return figure
    queues = {}
    for row in rows:
        queues.setdefault((row["node"], row["port"], row["class"]), []).append(row)
    peaks = {key: max(float(row["max_bytes"]) for row in value) for key, value in queues.items()}
    top = sorted(peaks, key=lambda key: (-peaks[key], key))[:TOP_QUEUES]
    size_unit, size_name = scale([peaks[top[0]]], SIZE_UNITS)
    times = [column(queues[key], "time_s") for key in top]
    start = window[0] if window else min(time[0] for time in times)
    last = max(time[-1] for time in times)
    gaps = np.concatenate([np.diff(time) for time in times])
    interval = np.min(gaps[gaps > 0]) if np.any(gaps > 0) else 1e-5
    time_unit, time_name = scale([last + interval - start], TIME_UNITS)
    for key, time in zip(top, times):
        x, y = [], []
        maxima = column(queues[key], "max_bytes")
        ends = column(queues[key], "bytes")
        for i, begin in enumerate(time):
            # The largest depth for one interval, then the depth at its end until the next row.
            x.append(begin)
            y.append(maxima[i])
            if i + 1 == len(time) or time[i + 1] - begin > 1.5 * interval:
                x.append(begin + interval)
                y.append(ends[i])
        axes.step(
            (np.array(x) - start) / time_unit,
            np.array(y) / size_unit,
            where="post",
            linewidth=1,
            label=f"node {key[0]} port {key[1]} class {key[2]}",
        )
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"time since the first flow [{time_name}]")
    axes.set_ylabel(f"queue depth [{size_name}]")
    more = f" (top {len(top)} of {len(queues)})" if len(queues) > len(top) else ""
    axes.legend(
        fontsize=8,
        title="queue" + more,
        title_fontsize=8,
        loc="upper left",
        bbox_to_anchor=(1, 1),  # beside the curves, which can be anywhere
    )
    return figure


def find_pauses(rows, end):
    """Times at which each (node, port, class) was not allowed to send."""
    pauses = {}
    running = {}
    for row in rows:
        if not row["event"].endswith("_received"):
            continue
        key = (int(row["node"]), int(row["port"]), int(row["class"]))
        time = float(row["time_s"])
        if key in running and running[key][1] <= time:
            pauses.setdefault(key, []).append(running.pop(key))  # it had expired before
        if row["event"].startswith("xoff"):
            begin = running[key][0] if key in running else time
            running[key] = (begin, time + float(row["pause_s"]))
        elif key in running:
            pauses.setdefault(key, []).append((running.pop(key)[0], time))
    for key, (begin, until) in running.items():
        pauses.setdefault(key, []).append((begin, min(until, end) if end else until))
    return pauses


def plot_pauses(rows, window, subtitle):
    """One bar per pause, one line per port and class."""
    figure, axes = new_figure("PFC: when ports were not allowed to send", subtitle)
    pauses = find_pauses(rows, window[1] if window else None)
    if not pauses:
        say(axes, "no pauses")
        return figure
    totals = {key: sum(b - a for a, b in value) for key, value in pauses.items()}
    top = sorted(totals, key=lambda key: (-totals[key], key))[:TOP_PAUSES]
    start = window[0] if window else min(value[0][0] for value in pauses.values())
    # Flows may go on long after the last pause, which would leave the bars too thin to be seen.
    last = max(b for value in pauses.values() for _, b in value)
    end = start + 1.02 * (last - start)
    unit, name = scale([end - start], TIME_UNITS)
    total_unit, total_name = scale(list(totals.values()), TIME_UNITS)
    classes = sorted({key[2] for key in top})
    colors = {cls: f"C{cls}" for cls in classes}
    for line, key in enumerate(reversed(top)):
        bars = [((a - start) / unit, max(b - a, 0) / unit) for a, b in pauses[key]]
        axes.broken_barh(bars, (line - 0.4, 0.8), facecolors=colors[key[2]])
    axes.set_yticks(range(len(top)))
    axes.set_yticklabels(
        [
            f"node {node} port {port} class {cls}: {totals[node, port, cls] / total_unit:.3g} "
            f"{total_name}"
            for node, port, cls in reversed(top)
        ],
        fontsize=7,
    )
    axes.set_xlim(0, (end - start) / unit)
    axes.set_ylim(-0.6, len(top) - 0.4)
    ran = f", flows ran for {(window[1] - start) / unit:.3g} {name}" if window else ""
    axes.set_xlabel(f"time since the first flow [{name}]{ran}")
    more = f", the {len(top)} with the longest pauses of {len(totals)}" if len(totals) > len(top) else ""
    axes.set_ylabel("paused sender and its total pause" + more, fontsize=8)
    handles = [plt.Rectangle((0, 0), 1, 1, color=colors[cls]) for cls in classes]
    axes.legend(
        handles,
        [f"class {cls}" for cls in classes],
        loc="upper left",
        bbox_to_anchor=(1, 1),
        fontsize=8,
    )
    return figure


def plot_load(rows, subtitle):
    """Load of the busiest ports, split by class, and of all ports in order."""
    figure, (axes, overview) = plt.subplots(
        1, 2, figsize=(11, 5.5), constrained_layout=True, gridspec_kw={"width_ratios": [4, 1]}
    )
    decorate(figure, axes, "Link load while flows were running", subtitle)
    ports = {}
    for row in rows:
        key = (int(row["node"]), int(row["port"]))
        port = ports.setdefault(key, {"type": row["node_type"], "peer": row["peer"], "load": {}})
        load = float(row["tx_load"])
        port["load"][int(row["class"])] = port["load"].get(int(row["class"]), 0) + 100 * load
    totals = {key: sum(port["load"].values()) for key, port in ports.items()}
    used = [key for key in totals if totals[key] > 0]
    if not used:
        say(axes, "no traffic")
        overview.remove()
        return figure
    top = sorted(used, key=lambda key: (-totals[key], key))[:TOP_PORTS]
    bottom = np.zeros(len(top))
    for cls in sorted({cls for key in top for cls in ports[key]["load"]}):
        height = np.array([ports[key]["load"].get(cls, 0) for key in top])
        if np.any(height > 0):
            axes.bar(
                range(len(top)),
                height,
                bottom=bottom,
                width=0.8,
                label=f"class {cls}",
                color=f"C{cls}",
            )
            bottom += height
    axes.set_xticks(range(len(top)))
    labels = [f"{ports[key]['type'][0]}{key[0]} to {ports[key]['peer']}" for key in top]
    axes.set_xticklabels(labels, rotation=90, fontsize=7)
    axes.set_xlim(-0.6, len(top) - 0.4)
    axes.set_ylim(0, 105 if max(totals.values()) > 50 else None)
    axes.axhline(100, color="black", linewidth=0.8, linestyle=":")
    more = f" (busiest {len(top)} of {len(used)} used)" if len(used) > len(top) else ""
    axes.set_xlabel("sending port: h host, s switch, node number, and the node it sends to" + more)
    axes.set_ylabel("load [% of the line rate]")
    axes.legend()
    overview.plot(
        100 * np.arange(1, len(used) + 1) / len(used),
        sorted((totals[key] for key in used), reverse=True),
        color="black",
    )
    overview.set_title(f"all {len(used)} used ports, in order", fontsize=9)
    overview.set_xlabel("share of ports [%]")
    overview.set_ylim(axes.get_ylim())
    overview.grid(alpha=0.35)
    return figure


def main():
    """Draw everything."""
    parser = argparse.ArgumentParser(
        description="Draw slowdown by size, FCT distribution, queue depth, pauses and link load of a "
        "roce-run result."
    )
    parser.add_argument("directory", metavar="DIR", help="what roce-run was told as --output")
    directory = parser.parse_args().directory
    if not os.path.isfile(os.path.join(directory, "flows.csv")):
        sys.exit(f"plot.py: there is no flows.csv in {directory}; is it the --output of roce-run?")
    flows = read_rows(directory, "flows.csv")
    summary = read_summary(directory)
    subtitle = describe(summary)
    window = None
    if flows:
        window = (min(column(flows, "start_s")), max(column(flows, "end_s")))
    figures = {
        "slowdown.png": plot_slowdown(flows, subtitle),
        "fct.png": plot_fct(flows, subtitle),
        "queues.png": plot_queues(read_rows(directory, "queues.csv"), window, subtitle),
        "pauses.png": plot_pauses(read_rows(directory, "pfc.csv"), window, subtitle),
        "load.png": plot_load(read_rows(directory, "ports.csv"), subtitle),
    }
    for name, figure in figures.items():
        path = os.path.join(directory, name)
        figure.savefig(path, dpi=110)
        plt.close(figure)
        print(path)


if __name__ == "__main__":
    main()
