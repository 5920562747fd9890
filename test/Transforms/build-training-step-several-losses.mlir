// Several results: labels by number, the sum of the losses with their factors, measures by labels.
// RUN: soap-opt %s --soap-build-training-step='loss=softmax-cross-entropy,mse,none loss-weights=1,0.5,0 metrics=top-2,mean-absolute-error' | FileCheck %s
// RUN: soap-opt %s --soap-build-training-step='loss=none,none,output' | FileCheck %s --check-prefix=OUTPUT
// RUN: not soap-opt %s --soap-build-training-step='loss=mse,mse' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not soap-opt %s --soap-build-training-step='loss=none,none,mse' 2>&1 | FileCheck %s --check-prefix=SCALAR

// COUNT: error: 'loss' names 2 losses, expected one for each of the 3 results of '@forward', or 'none'
// SCALAR: error: result #2 of '@forward' is 'tensor<f32>', expected a tensor of floats of static shape [samples, ..] for 'loss=mse'

// CHECK-LABEL: func.func @train_step
// CHECK-SAME: tensor<8xi32> {soap.classes = 3 : i64, soap.kind = #soap.kind<label>, soap.name = "label_0", soap.sample_dim = 0 : i64}
// CHECK-SAME: tensor<8x2xf32> {soap.kind = #soap.kind<label>, soap.name = "label_1", soap.sample_dim = 0 : i64}
// CHECK-SAME: -> (tensor<f32> {soap.kind = #soap.kind<loss>, soap.name = "loss"}
// CHECK: %[[FIRST:.+]], %{{.*}}, %{{.*}} = soap.cross_entropy %{{.*}} {scale = 1.250000e-01 : f64, soap.name = "loss_0"}
// CHECK: %[[SECOND:.+]] = soap.scale %{{.*}} {factor = 5.000000e-01 : f64, soap.name = "loss_1.term"}
// CHECK: soap.add %[[FIRST]], %[[SECOND]] {soap.name = "loss"}

// In evaluation, each is the mean over what counts.
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: soap.name = "counted@label_0"
// CHECK-SAME: soap.name = "top-2@label_0"
// CHECK-SAME: soap.name = "counted@label_1"
// CHECK-SAME: soap.name = "mean-absolute-error@label_1"

// OUTPUT-LABEL: func.func @train_step
// OUTPUT-NOT: #soap.kind<label>
// OUTPUT: soap.name = "batch_loss"
func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<6x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"},
                   %v: tensor<6x2xf32> {soap.kind = #soap.kind<parameter>, soap.name = "v"}) -> (tensor<8x3xf32>, tensor<8x2xf32>, tensor<f32>) {
  %0 = soap.matmul %x, %w {soap.name = "classes"} : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  %1 = soap.matmul %x, %v {soap.name = "values"} : (tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  %2 = soap.reduce sum %1 {axes = array<i64: 0, 1>, soap.name = "total"} : (tensor<8x2xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<8x3xf32>, tensor<8x2xf32>, tensor<f32>
}
