#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing, configures and builds Soap into build/ (tools: build/bin).
#   scripts/build.sh                 the release preset
#   scripts/build.sh debug|asan      another preset of CMakePresets.json (assertions, fuzz, tsan), into build-debug, ...
#   scripts/build.sh test            what scripts/test.sh builds in a fresh clone: with assertions, quicker to compile
#   scripts/build.sh demo            the tools, quicker to compile, without tests, into build/
#   scripts/build.sh release soap-opt soap-run      only these targets
# SOAP_JOBS sets the number of compile jobs (default: one per core). SOAP_BATCH_SOURCES=ON compiles the sources of a
# library in batches: a third less for a clean build, more for a change.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '3,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
preset=${1:-release}
[ $# -eq 0 ] || shift
case "$preset" in
  release | demo | test) directory=build ;;
  debug | assertions | asan | fuzz | tsan) directory=build-$preset ;;
  *) echo "build: unknown preset '$preset', expected release, demo, test, debug, assertions, asan, fuzz or tsan" >&2; exit 2 ;;
esac

if [ "$preset" = demo ]; then
  scripts/install-deps.sh --demo
else
  scripts/install-deps.sh
  scripts/highs-env.sh "$directory" || echo "build: soap-solve has no integer programs"
fi
# Objects compiled in one build directory serve the others: paths relative to the project, precompiled headers allowed.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
jobs=${SOAP_JOBS:-$(nproc)}
echo "build: preset $preset in $directory, $jobs jobs"
cmake --preset "$preset" ${SOAP_BATCH_SOURCES:+-DSOAP_BATCH_SOURCES=$SOAP_BATCH_SOURCES} >"/tmp/soap-configure.$$" 2>&1 || { cat "/tmp/soap-configure.$$"; rm -f "/tmp/soap-configure.$$"; exit 1; }
tail -n 1 "/tmp/soap-configure.$$"
rm -f "/tmp/soap-configure.$$"
cmake --build "$directory" -j "$jobs" ${1:+--target "$@"}
