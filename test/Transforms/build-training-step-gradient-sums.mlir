// Gradients of weights are sums in f32: of each use, of all uses, and of what is made of weights alone.
// RUN: soap-opt %s --soap-build-training-step='precision=bf16 loss=softmax-cross-entropy' | FileCheck %s
// RUN: soap-opt %s --soap-build-training-step='precision=bf16 gradient-sums=bf16' | FileCheck %s --check-prefix=NARROW
// RUN: sed 's/xf32/xbf16/g' %s | soap-opt --soap-build-training-step | FileCheck %s --check-prefix=WEIGHTS
// RUN: sed 's/xf32/xbf16/g' %s | soap-opt --soap-build-training-step=gradient-sums=bf16 | FileCheck %s --check-prefix=NO-SUMS
// RUN: not soap-opt %s --soap-build-training-step='precision=bf16 gradient-sums=f8' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not soap-opt %s --soap-build-training-step='precision=bf16 gradient-sums=f16' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not soap-opt %s --soap-build-training-step='gradient-sums=bf16' 2>&1 | FileCheck %s --check-prefix=OTHER

// UNKNOWN: error: unknown gradient-sums 'f8', expected f32, bf16 or f16
// OTHER: error: option 'gradient-sums=[[TYPE:b?f16]]': no gradient has elements of [[TYPE]], expected 'precision=[[TYPE]]' or a parameter of that type

// CHECK-LABEL: func.func @train_step
// CHECK: %[[TURNED:.+]] = soap.matmul {{.*}}soap.name = "logits.weight_grad", soap.sum_type = f32, transpose_a} : (tensor<6x4xbf16>, tensor<6x5xbf16>) -> tensor<4x5xf32>
// CHECK: %[[HEAD:.+]] = soap.transpose %[[TURNED]] {{.*}} : (tensor<4x5xf32>) -> tensor<5x4xf32>
// CHECK: %[[BIAS:.+]] = soap.reduce sum {{.*}}soap.sum_type = f32} : (tensor<6x4xbf16>) -> tensor<4xf32>
// Gradients of activations stay as they are.
// CHECK: soap.matmul {{.*}}soap.name = "fc.input_grad"{{.*}} -> tensor<6x4xbf16>
// The sum over samples is rounded once for the product of weights.
// CHECK: %[[SUM:.+]] = soap.matmul {{.*}}soap.name = "fc.weight_grad", soap.sum_type = f32{{.*}} -> tensor<4x4xf32>
// CHECK: %[[ROUNDED:.+]] = soap.cast %[[SUM]] {soap.grad_of = "fc", soap.loop_map = {d0 = "k", d1 = "n"}, soap.name = "fc.weight_grad.rounded"}
// CHECK: %[[A:.+]] = soap.matmul %[[ROUNDED]], {{.*}}soap.sum_type = f32{{.*}} -> tensor<4x2xf32>
// CHECK: %[[B:.+]] = soap.matmul %{{.*}}, %[[ROUNDED]] {{.*}}soap.sum_type = f32{{.*}} -> tensor<2x4xf32>
// CHECK: %[[ROWS:.+]] = soap.gather_grad {{.*}}soap.sum_type = f32} : (tensor<6x4xbf16>, tensor<6xi32>) -> tensor<5x4xf32>
// CHECK: %[[TABLE:.+]] = soap.accumulate %[[HEAD]], %[[ROWS]] {{.*}} : tensor<5x4xf32>
// CHECK-NOT: soap.cast
// CHECK: soap.sgd %{{.*}}, %[[TABLE]] {{.*}}soap.name = "table.sgd"
// CHECK: soap.sgd %{{.*}}, %[[A]] {{.*}}soap.name = "a.sgd"
// CHECK: soap.sgd %{{.*}}, %[[B]] {{.*}}soap.name = "b.sgd"
// CHECK: soap.sgd %{{.*}}, %[[BIAS]] {{.*}}soap.name = "bias.sgd"

// NARROW: soap.training = "loss=softmax-cross-entropy precision=bf16 gradient-sums=bf16 optimizer=sgd
// NARROW-NOT: soap.sum_type
// NARROW: %[[ALL:.+]] = soap.accumulate {{.*}} : tensor<5x4xbf16>
// NARROW: soap.cast %[[ALL]] {soap.name = "table.bf16.input_grad", soap.update_of = "table.bf16"}

// Weights of 16 bits get their gradients rounded once.
// WEIGHTS-LABEL: func.func @train_step
// WEIGHTS: %[[SUM:.+]] = soap.accumulate {{.*}} : tensor<5x4xf32>
// WEIGHTS: %[[ONCE:.+]] = soap.cast %[[SUM]] {{{.*}}soap.update_of = "look_up"} : (tensor<5x4xf32>) -> tensor<5x4xbf16>
// WEIGHTS: soap.sgd %{{.*}}, %[[ONCE]] {{.*}} : tensor<5x4xbf16>

// NO-SUMS-NOT: soap.sum_type
// NO-SUMS: soap.accumulate {{.*}} : tensor<5x4xbf16>

// A table that is read by look-ups and, transposed, by a product; a product of two weights.
func.func @forward(%i: tensor<6xi32> {soap.kind = #soap.kind<data>, soap.name = "i", soap.sample_dim = 0 : i64},
                   %table: tensor<5x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "table"},
                   %a: tensor<4x2xf32> {soap.kind = #soap.kind<parameter>, soap.name = "a"},
                   %b: tensor<2x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "b"},
                   %bias: tensor<4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "bias"}) -> tensor<6x5xf32> {
  %0 = soap.gather %table, %i {soap.name = "look_up"} : (tensor<5x4xf32>, tensor<6xi32>) -> tensor<6x4xf32>
  %1 = soap.matmul %a, %b {soap.name = "merged"} : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %2 = soap.matmul %0, %1 {soap.name = "fc"} : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  %3 = soap.bias_add %2, %bias {axis = 1 : i64, soap.name = "add"} : (tensor<6x4xf32>, tensor<4xf32>) -> tensor<6x4xf32>
  %4 = soap.transpose %table {permutation = array<i64: 1, 0>, soap.name = "turned"} : (tensor<5x4xf32>) -> tensor<4x5xf32>
  %5 = soap.matmul %3, %4 {soap.name = "logits"} : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
  return %5 : tensor<6x5xf32>
}
