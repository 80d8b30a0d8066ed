#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the module inside an ns-3 tree. Needs nothing but Debian or Ubuntu, with root or sudo.
#
#   utils/test.sh
#
# Environment:
#   NS3_DIR     ns-3 source tree to use (else the tree whose contrib/ holds the module, else the
#               distribution's source package of ns-3, else a release from nsnam.org)
#   ROCE_CACHE  where the downloaded tree and the Python packages are kept (~/.cache/roce)
#   ROCE_JOBS   compilers at a time (all processors)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if (($#)); then
    sed -n '4,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    [[ "$1" == -h || "$1" == --help ]]
    exit
fi

passed=0
failed=0

# count NAME COMMAND...: runs it in a scratch folder, shows the end of its output and counts it.
count() {
    local name="$1" log="$scratch/log"
    shift
    if (cd "$scratch" && timeout 900 "$@") >"$log" 2>&1 </dev/null; then
        tail -n 5 "$log" | sed 's/^/    /'
        echo "PASS $name"
        passed=$((passed + 1))
    else
        tail -n 60 "$log" | sed 's/^/    /'
        echo "FAIL $name"
        failed=$((failed + 1))
    fi
}

# Whatever was compiled in this run gave no warning; ccache repeats those of what it remembers.
check_warnings() {
    step "looking for compiler warnings"
    # The build's log names a file, then shows what the compiler said about it.
    count "no warning from the compiler" awk '
        /^\[[0-9]+\/[0-9]+\] / { ours = /contrib\/roce\// }
        ours && /warning:/ { print; found = 1 }
        END { exit found }' "$NS3/build/roce-build.log"
}

run_suites() {
    local log="$scratch/suites" totals
    step "running the test suites"
    in_tree python ./test.py --no-build -s 'roce-*' 2>&1 | tee "$log" || true
    # "9 of 9 tests passed (9 passed, 0 skipped, 0 failed, 0 crashed, 0 valgrind errors)"
    totals="$(sed -n -E 's/.*\(([0-9]+) passed, [0-9]+ skipped, ([0-9]+) failed, ([0-9]+) crashed.*/\1 \2 \3/p' "$log")"
    if [[ -z "$totals" ]]; then
        echo "FAIL test.py gave no summary"
        failed=$((failed + 1))
        return
    fi
    read -r good bad crashed <<<"$totals"
    passed=$((passed + good))
    failed=$((failed + bad + crashed))
}

# The built examples under their plain names, in $bin.
link_examples() {
    local source name program built="$NS3/build/contrib/roce/examples" prefix profile
    prefix="ns$(lock VERSION)"
    profile="$(lock BUILD_PROFILE)"
    bin="$NS3/build/roce-bin"
    rm -rf "$bin"
    mkdir -p "$bin"
    for source in "$ROOT"/examples/*.cc; do
        name="$(basename "$source" .cc)"
        for program in "$built/$prefix-$name-$profile" "$built/$prefix-$name"; do
            [[ ! -x "$program" ]] || ln -sf "$program" "$bin/$name"
        done
    done
}

run_examples() {
    local command
    step "running the examples"
    while read -r command; do
        # shellcheck disable=SC2086 # an entry is a program and its arguments
        count "$command" "$bin/"$command
    done < <(python - "$ROOT/test/examples-to-run.py" <<'END'
import runpy, sys
for name, run, _ in runpy.run_path(sys.argv[1])["cpp_examples"]:
    if run == "True":
        print(name)
END
    )
}

run_python_checks() {
    local check
    step "running the Python checks"
    for check in "$ROOT"/test/check-*.py; do
        count "$(basename "$check")" \
            env ROCE_BIN="$bin" PYTHONDONTWRITEBYTECODE=1 "$(python_program)" "$check"
    done
}

# The bindings read the headers when they run, so ns-3 needs no configuration for them, only cppyy, of
# the version that fits the release. PyPI's takes a minute to build and stays in the cache.
run_python_example() {
    local version=3.5.0 minor environment bindings="$NS3/build/bindings/python"
    step "running the Python example"
    minor="$(lock VERSION)"
    minor="${minor#3.}"
    minor="${minor%%[!0-9]*}"
    if ((minor < 42)); then
        version=2.4.2
    elif ((minor < 45)); then
        version=3.1.2
    fi
    environment="$CACHE/cppyy-$version"
    if ! "$environment/bin/python" -c 'import cppyy' >/dev/null 2>&1; then
        need python:ensurepip python3-venv "$(python -c \
            'import sysconfig; print(sysconfig.get_path("include") + "/Python.h")')" python3-dev
        if ! { python -m venv "$environment" && "$environment/bin/pip" install -q "cppyy==$version"; }; then
            echo "SKIP roce-first.py: cppyy $version could not be installed; see above"
            return
        fi
    fi
    mkdir -p "$bindings/ns"
    cp "$NS3/bindings/python/ns__init__.py" "$bindings/ns/__init__.py"
    count roce-first.py env PYTHONPATH="$bindings" "$environment/bin/python" "$ROOT/examples/roce-first.py"
}

need g++ g++ cmake cmake ninja ninja-build ccache ccache python3 python3 \
    tshark tshark python:scapy python3-scapy python:matplotlib python3-matplotlib
find_tree
link_module
build_tree

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

check_warnings
run_suites
link_examples
run_examples
run_python_checks
run_python_example

echo
echo "$passed passed, $failed failed"
exit $((failed > 0))
