#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The whole path once, on any machine: installs what is missing, builds the tools, imports examples/lenet.onnx, searches a
# parallelization strategy for four devices, trains on Fashion-MNIST under it, and compares with simpler strategies.
#   scripts/demo.sh                 files go to build/demo
#   SOAP_DEMO_EPOCHS=1 scripts/demo.sh      shorter
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
  ?*) echo "demo: unknown option '$1'" >&2; exit 2 ;;
esac
epochs=${SOAP_DEMO_EPOCHS:-5}
data=/usr/share/datasets/fashion-mnist
out=build/demo
begin=$SECONDS
step() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - begin)); }
# Shows a command, then runs it: what the demo does can be copied.
show() { printf '   %s\n' "$*"; "$@"; }

step "installing and building"
scripts/build.sh release soap-opt soap-translate soap-run SoapCompiler
mkdir -p $out
PATH=$PWD/build/bin:$PATH

step "importing the model, building the training step"
show soap-translate --import-onnx examples/lenet.onnx -o $out/lenet.mlir
# 937 batches of 64 in an epoch.
show soap-opt $out/lenet.mlir --soap-build-training-step="optimizer=sgd learning-rate=0.05 momentum=0.9 schedule=linear total-iterations=$((937 * epochs))" -o $out/step.mlir

step "strategies for the four devices of cpu-4: searched, data parallel, one device"
show soap-opt $out/step.mlir --soap-auto-parallel='topology=cpu-4 seed=1 time-limit=5' -o $out/searched.mlir
for preset in data-parallel single; do
  show soap-opt $out/step.mlir --soap-apply-strategy="preset=$preset topology=cpu-4" -o $out/$preset.mlir
done
for strategy in searched data-parallel single; do
  show soap-opt $out/$strategy.mlir --soap-simulate="report=$out/$strategy.simulated.json task-graph=$out/$strategy.tasks.json" -o /dev/null
done

step "measuring: 300 iterations of each"
for strategy in single data-parallel searched; do
  show soap-run $out/$strategy.mlir --data idx:$data --iterations 300 --report $out/$strategy.run.json --quiet
done
show soap-run $out/searched.mlir --data idx:$data --iterations 20 --trace $out/trace.json --quiet

step "training $epochs epochs under the searched strategy"
show soap-opt $out/searched.mlir --soap-partition -o $out/parts.mlir
show soap-opt $out/parts.mlir --soap-lower-to-cpu -o $out/lowered.mlir
show soap-run $out/lowered.mlir --data idx:$data --epochs "$epochs" --save-weights $out/weights.safetensors \
  --report $out/train.json

step "results"
python3 utils/demo-report.py $out
printf '\ndemo: finished after %d s\n' $((SECONDS - begin))
