#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The whole path once, on any machine: installs what is missing, builds the tools, imports examples/lenet.onnx, finds a
# parallelization strategy for four devices, trains on Fashion-MNIST under it, and compares with simpler strategies.
#   scripts/demo.sh                 files go to build/demo
#   scripts/demo.sh --built BUILD OUT       with the tools of BUILD, files go to OUT
#   SOAP_DEMO_EPOCHS=1 SOAP_DEMO_ITERATIONS=50 scripts/demo.sh      shorter
# The build is the quick one (scripts/build.sh demo); scripts/build.sh makes the complete one.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
  --built) [ $# -eq 3 ] || { echo "demo: expected --built BUILD OUT" >&2; exit 2; } ;;
  ?*) echo "demo: unknown option '$1'" >&2; exit 2 ;;
esac
epochs=${SOAP_DEMO_EPOCHS:-5}
iterations=${SOAP_DEMO_ITERATIONS:-300}
data=/usr/share/datasets/fashion-mnist
build=${2:-$PWD/build}
out=${3:-build/demo}
begin=$SECONDS
step() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - begin)); }
# Shows a command, then runs it: what the demo does can be copied. Words with blanks are --pass='options'.
show() {
  local word text=""
  for word in "$@"; do
    [[ $word != *" "* ]] || word="${word%%=*}='${word#*=}'"
    text+=" $word"
  done
  printf '  %s\n' "$text"
  "$@"
}

# Reads what ninja prints with NINJA_STATUS='[%f/%t %e] ', and prints in place of its steps which part of it is done
# and how many minutes are left. Other lines, such as errors, stay.
progress() {
  local line done total left text last=""
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\ +([0-9]+)[.0-9]*\]\  ]]; then
      done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
      # The first steps are short.
      [ $((done * 20)) -ge "$total" ] || continue
      left=$((BASH_REMATCH[3] * (total - done) / done))
      text="   built $((100 * done / total / 5 * 5)) %, about $(((left + 59) / 60)) min left"
      [ "$text" = "$last" ] || printf '%s\n' "$text"
      last=$text
    elif [ -n "$line" ]; then
      printf '   %s\n' "$line"
    fi
  done
}

if [ $# -eq 0 ]; then
  step "installing and building"
  targets=(soap-opt soap-translate soap-run SoapCompiler)
  export NINJA_STATUS='[%f/%t %e] '
  scripts/build.sh demo "${targets[@]}" 2>&1 | progress || {
    echo "demo: the quick build failed; building file by file"
    scripts/build.sh release "${targets[@]}" 2>&1 | progress
  }
  unset NINJA_STATUS
fi
mkdir -p "$out"
PATH=$build/bin:$PATH

step "importing the model, building the training step"
printf '   The commands are for this folder, with %s in the PATH.\n' "$build/bin"
show soap-translate --import-onnx examples/lenet.onnx -o $out/lenet.mlir
# 937 batches of 64 in an epoch.
show soap-opt $out/lenet.mlir --soap-build-training-step="optimizer=sgd learning-rate=0.05 momentum=0.9 schedule=linear total-iterations=$((937 * epochs))" -o $out/step.mlir

step "strategies for the four devices of cpu-4: searched, data parallel, one device"
show soap-opt $out/step.mlir --soap-auto-parallel="topology=cpu-4 seed=1 time-limit=5 report=$out/search.json progress-svg=$out/progress.svg" -o $out/searched.mlir
for preset in data-parallel single; do
  show soap-opt $out/step.mlir --soap-apply-strategy="preset=$preset topology=cpu-4" -o $out/$preset.mlir
done
show soap-opt $out/searched.mlir --soap-simulate="report=$out/searched.simulated.json task-graph=$out/searched.tasks.json" -o /dev/null
for preset in data-parallel single; do
  show soap-opt $out/$preset.mlir --soap-simulate="report=$out/$preset.simulated.json summary=false" -o /dev/null
done
show soap-translate --strategy-to-svg $out/searched.mlir -o $out/strategy.svg
show soap-translate --describe-topology=cpu-4 --topology-as=svg -o $out/topology.svg
show soap-plan --page $out/searched.mlir --search-report $out/search.json --beside $out/data-parallel.mlir -o $out/plan.html

step "measuring: $iterations iterations of each"
for strategy in single data-parallel searched; do
  show soap-run train $out/$strategy.mlir --data idx:$data --iterations "$iterations" --report $out/$strategy.run.json --quiet
done
show soap-run train $out/searched.mlir --data idx:$data --iterations 20 --trace $out/trace.json --quiet

step "training $epochs epochs under the searched strategy"
show soap-opt $out/searched.mlir --soap-partition -o $out/parts.mlir
show soap-opt $out/parts.mlir --soap-lower-to-cpu -o $out/lowered.mlir
show soap-run train $out/lowered.mlir --data idx:$data --epochs "$epochs" --save-weights $out/weights.safetensors \
  --report $out/train.json

step "results"
python3 utils/demo-report.py $out
printf '\ndemo: finished after %d s\n' $((SECONDS - begin))
