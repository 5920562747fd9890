#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing, builds Soap and runs every suite: unit tests, lit, bad input, integration.
#   scripts/test.sh                  the last line is "N passed, N failed"; the exit status says the same
#   scripts/test.sh --only TEXT      only the suites whose name contains TEXT
#   scripts/test.sh --seconds N      after N seconds no further suite starts; those left out are counted as skipped
# Comparisons with ONNX Runtime and JAX need Python packages from PyPI; without network they are skipped with a message.
set -uo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
give_up() {
  [ -z "${environment:-}" ] || kill "$environment" 2>/dev/null
  echo "test: $1"
  echo "0 passed, 1 failed"
  exit 1
}
start=$SECONDS
arguments=()
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds) seconds=${2:?test: --seconds needs a number}; shift 2 ;;
    *) arguments+=("$1"); shift ;;
  esac
done
# A complete release build is tested as it is; else the tools are built with assertions.
preset=test
if grep -qs CMAKE_BUILD_TYPE:STRING=Release build/CMakeCache.txt && grep -qs SOAP_QUICK_BUILD:BOOL=OFF build/CMakeCache.txt; then
  preset=release
fi
scripts/install-deps.sh || give_up "packages are missing"
# Mostly waiting for the network.
scripts/python-env.sh build &
environment=$!
scripts/build.sh $preset || give_up "the build failed"
scripts/build.sh $preset SoapFuzz || give_up "the build of the fuzz targets failed"
echo "test: built after $((SECONDS - start)) s"
wait $environment || echo "test: no ONNX Runtime or no JAX; their comparisons are skipped"
[ -z "${seconds:-}" ] || arguments+=(--seconds $((seconds - (SECONDS - start))))
python3 utils/run-suites.py --build build --roundtrip "${arguments[@]}"
status=$?
[ $status -le 1 ] || give_up "the test runner ended with status $status"
exit $status
