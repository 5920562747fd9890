// Training steps in fp8 and mxfp8: layers read 8-bit floats, forward and in both gradients; the last one stays in bf16.
// RUN: soap-opt %s --soap-build-training-step='precision=fp8 optimizer=adam' | FileCheck %s
// RUN: soap-opt %s --soap-build-training-step='precision=fp8 gradient-sums=bf16' | FileCheck %s --check-prefix=NARROW
// RUN: soap-opt %s --soap-build-training-step='precision=mxfp8 accumulate=true' | FileCheck %s --check-prefix=BLOCKS
// RUN: soap-opt %s --soap-build-training-step=precision=fp8 --soap-apply-strategy='preset=data-parallel topology=h100-2' --soap-simulate 2>&1 | FileCheck %s --check-prefix=PRICED
// RUN: not soap-opt %s --soap-build-training-step=precision=fp8 --soap-apply-strategy='preset=data-parallel topology=a100-2' 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not soap-opt %s --soap-build-training-step=precision=fp8 --soap-apply-strategy='preset=single topology=cpu-1' --soap-partition --soap-lower-to-cuda=format=isa 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not soap-opt %s --soap-build-training-step='precision=fp8 loss-scale=2' 2>&1 | FileCheck %s --check-prefix=SCALE
// RUN: not soap-opt %s --soap-build-training-step=precision=fp8 --soap-plan-hybrid='topology=cpu-4 plan=data=2,tensor=2,samples=8' -o /dev/null 2>&1 | FileCheck %s --check-prefix=MICRO
// RUN: sed 's/64x/40x/g' %s | not soap-opt --soap-build-training-step=precision=mxfp8 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/tensor<96x/tensor<90x/g; s/96xf32/90xf32/g' %s | not soap-opt --soap-build-training-step=precision=fp8 2>&1 | FileCheck %s --check-prefix=SIZES

// SCALE: error: loss-scale and loss-scale-window are of precision 'f16', got precision 'fp8'
// DEVICE: error: multiplies 8-bit floats, which device type 'a100' of topology 'a100-2' does not: expected CPUs, or devices with a rate of f8 (h100, h200,
// GPU: error: 'soap.matmul_scaled' of 'f8E4M3FN' has no lowering to GPUs, expected '--soap-lower-to-cpu', or a training step of 'precision=bf16'
// MICRO: 2 microbatches: 'x.bf16.amax' is the largest element of all samples, expected one microbatch, or scales of blocks (precision=mxfp8)
// NONE: error: option 'precision=mxfp8': no product can read 8-bit floats, expected a layer before the last: a matmul of a parameter and an activation
// NONE: note: op 'fc1' has 40 contracted elements, expected a multiple of 32
// SIZES: error: option 'precision=fp8': no product can read 8-bit floats
// SIZES: note: op 'fc1' has 90 features of the result, expected a multiple of 16
// SIZES: note: op 'fc2' has 90 contracted elements, expected a multiple of 16
// PRICED: simulated time per iteration

// CHECK: soap.training = "loss=softmax-cross-entropy precision=fp8 optimizer=adam
// CHECK-LABEL: func.func @forward
// CHECK-NOT: f8
// CHECK-LABEL: func.func @train_step
// CHECK: %[[X:.+]] = soap.cast %{{.*}} {soap.name = "x.bf16"}
// CHECK: %[[XM:.+]] = soap.amax %[[X]] {soap.name = "x.bf16.amax"} : (tensor<32x64xbf16>) -> tensor<f32>
// CHECK: %[[XQ:.+]] = soap.quantize %[[X]], %[[XM]] {soap.name = "x.bf16.e4m3"} : (tensor<32x64xbf16>, tensor<f32>) -> tensor<32x64xf8E4M3FN>
// CHECK: %[[W:.+]] = soap.cast %{{.*}} {soap.name = "w.bf16"}
// CHECK: %[[WM:.+]] = soap.amax %[[W]]
// CHECK: %[[WQ:.+]] = soap.quantize %[[W]], %[[WM]] {{.*}} -> tensor<96x64xf8E4M3FN>
// CHECK: soap.matmul_scaled %[[XQ]], %[[WQ]], %[[XM]], %[[WM]] {soap.name = "fc1", transpose_b} : {{.*}} -> tensor<32x96xbf16>
// CHECK: %[[HM:.+]] = soap.amax %{{.*}} {soap.name = "act.amax"}
// CHECK: %[[HQ:.+]] = soap.quantize %{{.*}}, %[[HM]] {soap.name = "act.e4m3"}
// CHECK: soap.matmul_scaled %[[HQ]], %{{.*}} {soap.name = "fc2", transpose_b}
// CHECK: soap.matmul %{{.*}} {soap.name = "head", transpose_b} : (tensor<32x64xbf16>, tensor<10x64xbf16>) -> tensor<32x10xbf16>
// One cast of a gradient, for both products.
// CHECK: %[[DM:.+]] = soap.amax %{{.*}} {soap.grad_of = "fc2", soap.loop_map = {d0 = "m", d1 = "n"}, soap.name = "act2.input_grad.amax"}
// CHECK: %[[DQ:.+]] = soap.quantize %{{.*}}, %[[DM]] {soap.grad_of = "fc2", {{.*}}soap.name = "act2.input_grad.e5m2"} : {{.*}} -> tensor<32x64xf8E5M2>
// CHECK: soap.matmul_scaled %[[DQ]], %{{.*}} {soap.grad_of = "fc2", soap.loop_map = {k = "n", n = "k"}, soap.name = "fc2.input_grad"} : {{.*}} -> tensor<32x96xbf16>
// CHECK: soap.matmul_scaled %[[DQ]], %[[HQ]], %[[DM]], %[[HM]] {soap.grad_of = "fc2", {{.*}}soap.name = "fc2.weight_grad", transpose_a} : {{.*}} -> tensor<64x96xf32>
// CHECK: soap.matmul_scaled %{{.*}}, %[[XQ]], %{{.*}}, %[[XM]] {soap.grad_of = "fc1", {{.*}}soap.name = "fc1.weight_grad", transpose_a} : {{.*}} -> tensor<96x64xf32>
// CHECK-LABEL: func.func @evaluate
// CHECK: soap.matmul_scaled {{.*}}soap.name = "fc1"

// NARROW: soap.matmul_scaled {{.*}}soap.name = "fc2.weight_grad", transpose_a} : {{.*}} -> tensor<64x96xbf16>

// BLOCKS-LABEL: func.func @train_step
// Along the samples, for the gradient of the weight, and along the features.
// BLOCKS-DAG: %[[R:.+]] = soap.block_scales %{{.*}} {axis = 0 : i64, soap.name = "x.bf16.scales{{.*}}", type = f8E4M3FN} : (tensor<32x64xbf16>) -> tensor<1x64xf8E8M0FNU>
// BLOCKS-DAG: %[[C:.+]] = soap.block_scales %{{.*}} {axis = 1 : i64, soap.name = "x.bf16.scales{{.*}}", type = f8E4M3FN} : (tensor<32x64xbf16>) -> tensor<32x2xf8E8M0FNU>
// BLOCKS-DAG: %[[XC:.+]] = soap.quantize %{{.*}}, %[[C]]
// BLOCKS-DAG: %[[XR:.+]] = soap.quantize %{{.*}}, %[[R]]
// BLOCKS: soap.matmul_scaled %[[XC]], %{{.*}}, %[[C]], %{{.*}} {soap.name = "fc1", transpose_b}
// Weights along their other dim, in the backward pass.
// BLOCKS: soap.block_scales %{{.*}} {axis = 0 : i64, soap.grad_of = "fc2", soap.loop_map = {d0 = "n", d1 = "k"}, soap.name = "u.bf16.scales{{.*}}", type = f8E4M3FN} : (tensor<64x96xbf16>) -> tensor<2x96xf8E8M0FNU>
// BLOCKS-NOT: f8E5M2
// BLOCKS: soap.matmul_scaled %{{.*}}, %[[XR]], %{{.*}}, %[[R]] {soap.grad_of = "fc1", {{.*}}soap.name = "fc1.weight_grad"
// BLOCKS-LABEL: func.func @accumulate_step
// BLOCKS: soap.matmul_scaled {{.*}}soap.name = "fc1.weight_grad"
func.func @forward(%x: tensor<32x64xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<96x64xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"},
                   %u: tensor<64x96xf32> {soap.kind = #soap.kind<parameter>, soap.name = "u"},
                   %v: tensor<10x64xf32> {soap.kind = #soap.kind<parameter>, soap.name = "v"}) -> tensor<32x10xf32> {
  %0 = soap.matmul %x, %w {transpose_b, soap.name = "fc1"} : (tensor<32x64xf32>, tensor<96x64xf32>) -> tensor<32x96xf32>
  %1 = soap.tanh %0 {soap.name = "act"} : tensor<32x96xf32>
  %2 = soap.matmul %1, %u {transpose_b, soap.name = "fc2"} : (tensor<32x96xf32>, tensor<64x96xf32>) -> tensor<32x64xf32>
  %3 = soap.tanh %2 {soap.name = "act2"} : tensor<32x64xf32>
  %4 = soap.matmul %3, %v {transpose_b, soap.name = "head"} : (tensor<32x64xf32>, tensor<10x64xf32>) -> tensor<32x10xf32>
  return %4 : tensor<32x10xf32>
}
