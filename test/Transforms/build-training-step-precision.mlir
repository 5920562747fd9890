// Types of a step in bf16: working copies and gradients of activations are bf16, weights and their gradients, statistics, losses and updates f32.
// RUN: soap-opt %s --soap-build-training-step='precision=bf16 optimizer=adam' | FileCheck %s
// RUN: soap-opt %s --soap-build-training-step='precision=f16 loss-scale=1024 loss-scale-window=50' | FileCheck %s --check-prefix=F16
// RUN: soap-opt %s --soap-build-training-step='precision=tf32' | FileCheck %s --check-prefix=TF32
// RUN: not soap-opt %s --soap-build-training-step='precision=fp4' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not soap-opt %s --soap-build-training-step='precision=bf16 loss-scale=2' 2>&1 | FileCheck %s --check-prefix=SCALE
// RUN: not soap-opt %s --soap-build-training-step='precision=f16 loss-scale=0.5' 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not soap-opt %s --soap-build-training-step='precision=f16 loss-scale=nan' 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not soap-opt %s --soap-build-training-step='precision=f16 loss-scale-window=0' 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: not soap-opt %s --soap-set-precision=precision=tf32 --soap-build-training-step='precision=bf16' 2>&1 | FileCheck %s --check-prefix=MODULE
// RUN: sed 's/f32/f64/g' %s | not soap-opt --soap-build-training-step='precision=bf16' 2>&1 | FileCheck %s --check-prefix=WIDE

// RUN: sed 's/soap.exp /soap.softplus /' %s | soap-opt --soap-build-training-step='precision=bf16' | FileCheck %s --check-prefix=SOFTPLUS
// SOFTPLUS: soap.softplus %{{.*}} : tensor<8x16xf32>

// UNKNOWN: error: unknown precision 'fp4', expected f32, tf32, bf16, f16, fp8 or mxfp8
// SCALE: error: loss-scale and loss-scale-window are of precision 'f16', got precision 'bf16'
// SMALL: error: loss-scale is 5.0{{.*}}, expected a number in [1, 2^24]
// NAN: error: loss-scale is nan, expected a number in [1, 2^24]
// WINDOW: error: loss-scale-window is 0, expected a number in [1, 2^24]
// MODULE: error: option 'precision=bf16': the module has 'soap.precision' tf32, expected f32 or none
// WIDE: error: argument 'x' has elements of 'f64', expected f32 for 'precision=bf16', which says where narrower floats are

// CHECK: soap.training = "loss=softmax-cross-entropy precision=bf16 optimizer=adam
// CHECK-LABEL: func.func @forward
// CHECK-NOT: bf16
// CHECK-LABEL: func.func @train_step
// CHECK-SAME: tensor<16x12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}
// CHECK-SAME: tensor<16x12xf32> {soap.init = #soap.init<zeros>, soap.kind = #soap.kind<state>, soap.name = "w.m"}
// CHECK-DAG: %[[X:.+]] = soap.cast %{{.*}} {soap.name = "x.bf16"} : (tensor<8x12xf32>) -> tensor<8x12xbf16>
// CHECK-DAG: %[[W:.+]] = soap.cast %{{.*}} {soap.name = "w.bf16"} : (tensor<16x12xf32>) -> tensor<16x12xbf16>
// CHECK: soap.matmul %[[X]], %[[W]] {{.*}} -> tensor<8x16xbf16>
// CHECK: soap.layer_norm {{.*}} : (tensor<8x16xbf16>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x16xbf16>, tensor<8xf32>, tensor<8xf32>)
// CHECK: soap.softmax %{{.*}} : tensor<8x16xbf16>
// exp is f32, and the product with it is narrow again.
// CHECK: %[[EXP:.+]] = soap.exp %{{.*}} : tensor<8x16xf32>
// CHECK: soap.cast %[[EXP]] {soap.name = "exp.bf16"}
// CHECK: soap.cross_entropy %{{.*}} : (tensor<8x4xbf16>, tensor<8xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x8xf32>)
// CHECK: %[[GRAD:.+]] = soap.matmul {{.*}}soap.name = "fc1.weight_grad", soap.sum_type = f32{{.*}} -> tensor<16x12xf32>
// CHECK: soap.adam %{{.*}}, %[[GRAD]], {{.*}}soap.name = "w.adam"{{.*}} -> (tensor<16x12xf32>, tensor<16x12xf32>, tensor<16x12xf32>)
// CHECK-LABEL: func.func @evaluate
// CHECK: soap.matmul {{.*}} -> tensor<8x16xbf16>

// Iterations that overflow keep the old values, the number of the iteration among them.
// F16: soap.training = "loss=softmax-cross-entropy precision=f16 loss-scale=1024 loss-scale-window=50 optimizer=sgd
// F16-LABEL: func.func @train_step
// F16-SAME: %[[OLD:[^:]+]]: tensor<16x12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}
// F16-SAME: tensor<f32> {soap.init = dense<1.024000e+03> : tensor<f32>, soap.kind = #soap.kind<state>, soap.name = "loss_scale"}
// F16-SAME: soap.name = "loss_scale_good_steps"
// F16: %[[FINITE:.+]] = soap.greater_equal %{{.*}} {soap.name = "loss_scale.finite"}
// F16: %[[NEW:.+]] = soap.sgd %[[OLD]], {{.*}}soap.name = "w.sgd"
// F16: soap.where %[[FINITE]], %[[NEW]], %[[OLD]] {{{.*}}soap.name = "w.finite"

// TF32: module attributes {soap.precision = #soap.precision<tf32>, soap.training = "loss=softmax-cross-entropy precision=tf32
// TF32-NOT: f16
func.func @forward(%x: tensor<8x12xf32> {soap.kind = #soap.kind<data>, soap.name = "x"},
                   %w: tensor<16x12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"},
                   %gamma: tensor<16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "gamma"},
                   %beta: tensor<16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "beta"},
                   %v: tensor<4x16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "v"}) -> tensor<8x4xf32> {
  %0 = soap.matmul %x, %w {transpose_b, soap.name = "fc1"} : (tensor<8x12xf32>, tensor<16x12xf32>) -> tensor<8x16xf32>
  %1:3 = soap.layer_norm %0, %gamma, %beta {axis = 1 : i64, epsilon = 1.0e-5 : f64, soap.name = "norm"} : (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>)
  %2 = soap.softmax %1#0 {axis = 1 : i64, soap.name = "softmax"} : tensor<8x16xf32>
  %3 = soap.exp %2 {soap.name = "exp"} : tensor<8x16xf32>
  %4 = soap.matmul %3, %v {transpose_b, soap.name = "fc2"} : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
