#!/usr/bin/env bash
# The long run, hours on two cores: scripts/test.sh with many more random cases, then the sanitizer build with all unit
# tests, lit, the hostile inputs and a sample of the integration suites. The last line is "N passed, N failed".
#   scripts/test-full.sh [--only TEXT]
set -uo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
passed=0
failed=0
# Runs the suites of one build and adds its last line to the sums.
suites() {
  local last
  last=$(python3 utils/run-suites.py "$@" | tee /dev/stderr | tail -n 1)
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
  if ! scripts/build.sh $preset; then
    echo "test-full: the $preset build failed"
    failed=$((failed + 1))
    continue
  fi
  scripts/python-env.sh $directory || echo "test-full: no ONNX Runtime; its comparisons are skipped"
  if [ $preset = release ]; then
    suites --build $directory --full --roundtrip "$@"
  else
    suites --build $directory --sample "$@"
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
