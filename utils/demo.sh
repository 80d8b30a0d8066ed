#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs what is missing, builds the module, simulates a small data center and draws the results.
# Needs nothing but Debian or Ubuntu, with root or sudo.
#
#   utils/demo.sh [options of roce-run, e.g. --lb=dlb --seed=2; --help lists them]
#
# Environment:
#   NS3_DIR     ns-3 source tree to build against (else an installed ns-3, from NS3_PREFIX or the
#               distribution's package libns3-dev, else a release that is downloaded)
#   ROCE_CACHE  where a downloaded tree is kept (~/.cache/roce)
#   ROCE_JOBS   compilers at a time (all processors)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [[ "${1:-}" == -h ]]; then
    sed -n '4,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit
fi

build="$ROOT/build"
results="$ROOT/results/demo"

is_built() {
    compgen -G "$1/build/lib/libns3*-core*.so" >/dev/null
}

# Is there, or can be installed, a package with a usable ns-3?
have_package() {
    local name=libns3-dev
    [[ ! -e /usr/include/ns3/core-module.h ]] || return 0
    command -v apt-get >/dev/null || return 1
    apt-cache show "$name" >/dev/null 2>&1 || as_root apt-get update -q
    apt-cache show "$name" >/dev/null 2>&1
}

# Sets ns3_options, which tell CMake where ns-3 is.
choose_ns3() {
    ns3_options=(-DNS3_DIR= -DNS3_PREFIX=)
    if [[ -n "${NS3_DIR:-}" ]]; then
        find_tree
    elif [[ -n "${NS3_PREFIX:-}" ]]; then
        ns3_options=(-DNS3_DIR= "-DNS3_PREFIX=$NS3_PREFIX")
        return
    elif have_package; then
        need /usr/include/ns3/core-module.h libns3-dev
        return
    else
        need ccache ccache
        find_tree
    fi
    if ! is_built "$NS3"; then
        link_module
        build_tree
    fi
    ns3_options=(-DNS3_PREFIX= "-DNS3_DIR=$NS3")
}

need g++ g++ cmake cmake ninja ninja-build python3 python3 python:matplotlib python3-matplotlib
choose_ns3

step "configuring" \
    "read CMake's message above; if this folder was moved or copied, remove $build and run the command again"
generator=(-G Ninja)
[[ ! -e "$build/CMakeCache.txt" ]] || generator=() # as it was configured before
cmake -S "$ROOT" -B "$build" "${generator[@]}" "${ns3_options[@]}"

step "building the module and roce-run (about two minutes of processor time, the first time)" \
    "the compiler's messages are above; where memory ran out, try ROCE_JOBS=1"
cmake --build "$build" --target roce-run -j "${ROCE_JOBS:-$(nproc)}" 2>&1 | progress

step "simulating: 16 hosts, 100 Gb/s, two layers of switches, flows of a heavy-tailed size at 60 % load" \
    "read the message above; $build/bin/roce-run --help lists the options"
"$build/bin/roce-run" \
    --topology="$ROOT/examples/data/leaf-spine-16.txt" \
    --flows="poisson:$ROOT/examples/data/heavy-tail.txt:0.6:2ms" --buffer=4MB \
    --output="$results" "$@"

step "drawing" "the numbers are in $results all the same; to draw them again: $ROOT/utils/plot.py $results"
python "$ROOT/utils/plot.py" "$results"

echo
echo "Results are in $results:"
ls -1 "$results"
echo
echo "Your own experiment: $build/bin/roce-run --help"
