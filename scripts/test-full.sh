#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The long run, hours on two cores: scripts/test.sh with many more random cases, then the sanitizer build with all unit
# tests, lit, hostile inputs and a sample of the integration suites, a minute of fuzzing for every reader, and the
# runtime's threads under the thread sanitizer. The last line is "N passed, N failed".
#   scripts/test-full.sh [--only TEXT]
set -uo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
passed=0
failed=0
# Runs a command and adds its last line, "N passed, N failed", to the sums.
count() {
  local last
  last=$("$@" | tee /dev/stderr | tail -n 1)
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1))
  fi
}

for preset in release asan; do
  directory=build
  [ $preset = release ] || directory=build-$preset
  if ! { scripts/build.sh $preset && scripts/build.sh $preset SoapFuzz; }; then
    echo "test-full: the $preset build failed"
    failed=$((failed + 1))
    continue
  fi
  scripts/python-env.sh $directory || echo "test-full: no ONNX Runtime or no JAX; their comparisons are skipped"
  if [ $preset = release ]; then
    count python3 utils/run-suites.py --build $directory --full --roundtrip "$@"
  else
    count python3 utils/run-suites.py --build $directory --sample "$@"
  fi
done

# Every reader for a minute, and the threads of the runtime.
if [ $# -eq 0 ]; then
  if scripts/build.sh fuzz SoapFuzz; then
    count python3 test/Fuzz/run.py build-fuzz --seconds=60
  else
    echo "test-full: the fuzz build failed"
    failed=$((failed + 1))
  fi
  if scripts/build.sh tsan SoapThreadTests; then
    count python3 utils/run-suites.py --build build-tsan --only "unit: Runtime"
  else
    echo "test-full: the tsan build failed"
    failed=$((failed + 1))
  fi
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
