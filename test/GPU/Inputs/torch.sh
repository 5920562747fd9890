#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A stand-in for a Python with PyTorch: prints as torch_step.py does, of a network of PARAMETERS weights. TORCH=none:
# there is none; TORCH=fails: no mode works.
network=$2 batch=$4 precision=$6
if [ "${TORCH:-}" = none ]; then
  echo "torch_step: python: no PyTorch: No module named 'torch'" >&2
  exit 3
fi
if [ "${TORCH:-}" = fails ]; then
  echo '{"modes": {"graph": {"error": "OutOfMemoryError: CUDA out of memory"}}}'
  exit 1
fi
echo "{\"network\": \"$network\", \"batch\": $batch, \"precision\": \"$precision\", \"parameters\": $PARAMETERS, \"best\": \"graph\",
 \"modes\": {\"graph\": {\"ms\": 0.002, \"best_ms\": 0.001, \"layout\": \"nhwc\"}, \"compile\": {\"ms\": 0.5, \"best_ms\": 0.4}}}" | tr -d '\n'
echo
