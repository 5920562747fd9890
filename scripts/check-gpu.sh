#!/usr/bin/env bash
# For a machine with GPUs and without LLVM: builds the runtime, runs the artifacts of a folder (scripts/make-gpu-artifacts.sh) with the
# twins of their kernels on the CPU and on the first GPU - several devices as virtual ones - and prints a table: how far the
# weights are apart after a few iterations, and milliseconds per iteration. The last line is "N passed, N failed".
#   scripts/check-gpu.sh DIR [BUILD]     (default build-gpu)
#   SOAP_ITERATIONS=3   iterations that are compared; SOAP_TIMED=20   iterations that are timed; SOAP_TOLERANCE=1e-3
set -uo pipefail
case "${1:-}" in
  -h | --help | "") sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
source=$(cd "$(dirname "$0")/.." && pwd)
directory=$1
build=${2:-$source/build-gpu}
log=$build/configure.log
mkdir -p "$build"
if ! { cmake -S "$source" -B "$build" -DSOAP_RUNTIME_ONLY=ON -DCMAKE_BUILD_TYPE=Release && cmake --build "$build" -j; } > "$log" 2>&1; then
  tail -n 20 "$log"
  echo "check-gpu: the runtime cannot be built, see $log"
  exit 1
fi
if ! grep -q "Backend cuda: yes" "$log"; then
  grep -E "Backend cuda|GPU kernels" "$log"
  echo "check-gpu: no CUDA toolkit or no cuDNN was found"
  exit 1
fi

run=$build/bin/soap-run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
milliseconds() {
  python3 -c 'import json, sys; print("%.3f" % json.load(open(sys.argv[1]))["milliseconds_per_iteration"]["median"])' "$1"
}
# NAME ITERATIONS FLAGS...: runs the artifact, writes NAME.safetensors and NAME.json.
train() {
  local name=$1 iterations=$2
  shift 2
  "$run" "$artifact" --data synthetic --iterations "$iterations" --quiet --timeout 600 --report "$work/$name.json" \
    --save-weights "$work/$name.safetensors" "$@" 2> "$work/$name.log"
}
printf '%-20s %-8s %-44s %12s %12s\n' artifact result "largest difference of weights" "CPU ms" "GPU ms"
for artifact in "$directory"/*.soapx; do
  name=$(basename "$artifact" .soapx)
  result=failed cpu=- gpu=- difference=-
  if ! train cpu "${SOAP_ITERATIONS:-3}"; then
    difference=$(tail -n 1 "$work/cpu.log")
  elif ! train gpu "${SOAP_ITERATIONS:-3}" --backend cuda --virtual-devices; then
    difference=$(tail -n 1 "$work/gpu.log")
  else
    difference=$(python3 "$source/utils/compare-weights.py" "$work/gpu.safetensors" "$work/cpu.safetensors" "${SOAP_TOLERANCE:-1e-3}") && result=passed
    cpu=$(milliseconds "$work/cpu.json")
    train timed "${SOAP_TIMED:-20}" --backend cuda --virtual-devices && gpu=$(milliseconds "$work/timed.json")
  fi
  if [ $result = passed ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  printf '%-20s %-8s %-44s %12s %12s\n' "$name" "$result" "$difference" "$cpu" "$gpu"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
