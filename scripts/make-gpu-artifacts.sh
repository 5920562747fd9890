#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes the artifacts that scripts/check-gpu.sh runs on a machine with GPUs, for any x86-64 processor with AVX2: small
# and whole networks, lowered for a chip, with their host references; training steps of the networks at the sizes of the
# goals, for GPUs alone, in tf32 and bf16; a network that no GPU holds; 200 cases with the weights that they
# should end with. Large networks come without weights: check-gpu.sh makes them there. The folder also has files that
# such a machine may lack: Fashion-MNIST, and the libraries CLI11, nlohmann-json and zlib, which the runtime needs.
#   scripts/make-gpu-artifacts.sh DIR [CHIP]     (default sm_90)
#   SOAP_CASES=200   how many cases; SOAP_IMAGES=40000   how many training images
#   SOAP_SMALL_ONLY=1   no networks of full size
#   SOAP_BUILD=build   where the compiler is; SOAP_JOBS=N   so many at a time (default: cores)
#   SOAP_MISSING=1   what is in DIR stays, after a run that was cut off
#   SOAP_FASHION_MNIST=/usr/share/datasets/fashion-mnist   its files, if they are there
set -euo pipefail
case "${1:-}" in
  -h | --help | "") sed -n '3,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
source=$(cd "$(dirname "$0")/.." && pwd)
directory=$1
chip=${2:-sm_90}
bin=${SOAP_BUILD:-$source/build}/bin
jobs=${SOAP_JOBS:-$(nproc)}
missing=${SOAP_MISSING:+--missing}
mkdir -p "$directory"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# NAME NETWORK BATCH OPTIONS OPTIONS-OF-THE-STEP PASS OPTIONS-OF-THE-LOWERING, where PASS places the step on devices
make_step() {
  if [ -n "$missing" ] && [ -e "$directory/$1.soapx" ]; then
    return
  fi
  "$bin/soap-translate" --generate="$2" --batch="$3" ${4:+--option="$4"} -o "$work/model.mlir"
  "$bin/soap-opt" "$work/model.mlir" --soap-build-training-step="learning-rate=0.01 momentum=0.9 $5" "$6" \
    --soap-partition --soap-lower-to-cuda="chip=$chip $7" -o "$work/lowered.mlir"
  "$bin/soap-translate" --emit-artifact --artifact-cpu=x86-64-v3 "$work/lowered.mlir" -o "$directory/$1.soapx"
  echo "$directory/$1.soapx"
}
# NAME NETWORK BATCH OPTIONS PRESET TOPOLOGY [OPTIONS OF THE LOWERING]
make_artifact() {
  make_step "$1" "$2" "$3" "$4" "" "--soap-apply-strategy=preset=$5 topology=$6" "${7:-}"
}

# Headers and libraries that the other machine may lack.
mkdir -p "$directory/libraries/include" "$directory/libraries/lib"
carry() {
  local file
  for file in $2; do
    if [ -e "$file" ]; then
      cp -rL "$file" "$directory/$1"
    fi
  done
}
carry libraries/include "/usr/include/CLI /usr/include/nlohmann /usr/include/zlib.h /usr/include/zconf.h"
carry libraries/lib "/usr/lib/x86_64-linux-gnu/libz.a"
data=${SOAP_FASHION_MNIST:-/usr/share/datasets/fashion-mnist}
if [ -d "$data" ]; then
  python3 "$source/utils/cut-idx.py" "$data" "$directory/fashion-mnist" "${SOAP_IMAGES:-40000}"
fi

# One launch.
if [ -z "$missing" ] || [ ! -e "$directory/kernel.soapx" ]; then
  "$bin/soap-opt" "$source/utils/gpu-kernel.mlir" --soap-apply-strategy='preset=single topology=h100-1x1' \
    --soap-partition --soap-lower-to-cuda="chip=$chip" -o "$work/lowered.mlir"
  "$bin/soap-translate" --emit-artifact --artifact-cpu=x86-64-v3 "$work/lowered.mlir" -o "$directory/kernel.soapx"
  echo "$directory/kernel.soapx"
fi
# Small ones, on one device and on four.
while read -r name network batch options; do
  make_artifact "$name-1" "$network" "$batch" "$options" single h100-1x1
  make_artifact "$name-4" "$network" "$batch" "$options" data-parallel h100-1x4
  make_artifact "$name-4e" "$network" "$batch" "$options" expert h100-1x4
done <<'LIST'
lenet lenet 64
rnnlm-small rnnlm 8 length=8,lstm-chunk=4,layers=2,hidden=32,vocabulary=50
gpt-small gpt 4 length=16,layers=2,heads=2,head-width=8,vocabulary=50
resnet-small resnet-101 8 image=64,classes=10,width=8,stage1=1,stage2=1,stage3=1,stage4=1
alexnet-small alexnet 8 image=63,classes=10,divide=8
LIST
# Pooling and norms by cuDNN, with channels first and last.
small_resnet=image=64,classes=10,width=8,stage1=1,stage2=1,stage3=1,stage4=1
make_artifact lenet-1-pooling lenet 64 "" single h100-1x1 "library-pooling=all"
make_artifact resnet-small-1-images resnet-101 8 "$small_resnet" single h100-1x1 "library-pooling=all library-norms=true layout=nchw"
make_artifact resnet-small-4m-images resnet-101 8 "$small_resnet" model-parallel h100-1x4 "library-pooling=all library-norms=true layout=nhwc"
# Stages of a pipeline with replicas, a step with tensors of bf16, experts on devices of their own: on four devices.
small_gpt=length=16,layers=2,heads=2,head-width=8,vocabulary=50
make_step gpt-small-4-pipeline gpt 8 "$small_gpt" "" "--soap-pipeline=topology=h100-1x4 stages=2 microbatches=2 inside=data-parallel summary=false" ""
make_step gpt-small-4-bf16 gpt 8 "$small_gpt" precision=bf16 "--soap-apply-strategy=preset=data-parallel topology=h100-1x4" ""
# A rounding of bf16 is 2^-8.
echo '{"tolerance": 0.1}' > "$directory/gpt-small-4-bf16.json"
# Both experts take every token: rounding changes no choice.
make_step mixtral-small-4 mixtral 4 length=8,layers=1,heads=2,kv-heads=1,head-width=4,mlp-width=16,experts=2,top-k=2,capacity=100,vocabulary=20,rope-base=100 "" \
  "--soap-apply-strategy=preset=expert topology=h100-1x4" ""
# Logits of 216 GB.
mkdir -p "$directory/memory"
make_artifact memory/gpt-too-large gpt 1024 layers=1 single h100-1x1
if [ -z "${SOAP_SMALL_ONLY:-}" ]; then
  # Artifacts of the benchmarks, for times; and whole networks for weights, of few samples, as the CPU there computes
  # them, too.
  python3 "$source/utils/gpu-training.py" "${bin%/bin}" "$directory/training" --chip "$chip" --jobs "$jobs" $missing
  make_artifact alexnet alexnet 8 "" single h100-1x1
  make_artifact resnet-101 resnet-101 8 "" single h100-1x1
  # A hundred norms amplify rounding: on the CPU two lowerings differ by 0.16 after one iteration, by 1.4 after three.
  echo '{"iterations": 1, "tolerance": 0.5}' > "$directory/resnet-101.json"
fi
python3 "$source/utils/gpu-cases.py" "${bin%/bin}" "$directory/cases" --count "${SOAP_CASES:-200}" --chip "$chip" --jobs "$jobs" $missing
