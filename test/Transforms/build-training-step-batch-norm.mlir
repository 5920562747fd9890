// RUN: soap-opt %s --soap-build-training-step='learning-rate=0.5 batch-norm-momentum=0.25' | FileCheck %s

// Batch norm on running statistics trains on the batch's statistics and updates the
// running ones; batch norm on other statistics stays as it is.

// CHECK-LABEL: func.func @train_step
// CHECK-SAME: %[[MEAN:[a-z0-9]+]]: tensor<3xf32> {soap.init = #soap.init<zeros>, soap.kind = #soap.kind<state>, soap.name = "bn.mean"}
// CHECK-SAME: %[[VAR:[a-z0-9]+]]: tensor<3xf32> {soap.init = #soap.init<ones>, soap.kind = #soap.kind<state>, soap.name = "bn.var"}
// CHECK-SAME: {soap.kind = #soap.kind<update>, soap.name = "bn.mean", soap.updates = 4 : i64}
// CHECK-SAME: {soap.kind = #soap.kind<update>, soap.name = "bn.var", soap.updates = 5 : i64}
// CHECK: %{{.+}}, %[[STATS:.+]] = soap.batch_norm_train {{.*}}{epsilon = 1.000000e-03 : f64, soap.name = "bn"}
// CHECK: soap.batch_norm {{.*}}soap.name = "frozen"
// CHECK: soap.mul {{.*}}soap.name = "frozen.input_grad"
// CHECK: soap.batch_norm_grad {{.*}}, %[[STATS]], {{.*}}{epsilon = 1.000000e-03 : f64, soap.grad_of = "bn", soap.name = "bn.grad"}
// CHECK: soap.conv2d_weight_grad {{.*}}soap.name = "conv.weight_grad"
// CHECK-NEXT: soap.sgd {{.*}}soap.loop_map = {d0 = "o", d1 = "i", d2 = "kh", d3 = "kw"}, soap.name = "w.sgd", soap.update_of = "conv"
// CHECK-NEXT: soap.sgd {{.*}}soap.loop_map = {d0 = "c"}, soap.name = "gamma.sgd", soap.update_of = "bn"
// CHECK-NEXT: soap.sgd {{.*}}soap.name = "beta.sgd"
// CHECK-NEXT: soap.running_stats_update %[[MEAN]], %[[VAR]], %[[STATS]] {momentum = 2.500000e-01 : f64, soap.name = "bn.running_stats", soap.update_of = "bn"}
// CHECK-NEXT: return

// CHECK-LABEL: func.func @evaluate
// CHECK-NOT: batch_norm_train
// CHECK: soap.batch_norm {{.*}}soap.name = "bn"
// CHECK: return
func.func @forward(%x: tensor<4x2x3x3xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<3x2x1x1xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"},
                   %gamma: tensor<3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "gamma"},
                   %beta: tensor<3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "beta"},
                   %mean: tensor<3xf32> {soap.kind = #soap.kind<state>, soap.name = "bn.mean", soap.init = #soap.init<zeros>},
                   %var: tensor<3xf32> {soap.kind = #soap.kind<state>, soap.name = "bn.var", soap.init = #soap.init<ones>}) -> tensor<4x3xf32> {
  %0 = soap.conv2d %x, %w {soap.name = "conv", strides = array<i64: 1, 1>}
     : (tensor<4x2x3x3xf32>, tensor<3x2x1x1xf32>) -> tensor<4x3x3x3xf32>
  %1 = soap.batch_norm %0, %gamma, %beta, %mean, %var {soap.name = "bn", epsilon = 1.0e-3 : f64}
     : (tensor<4x3x3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x3x3xf32>
  %c = soap.constant {soap.name = "ones"} dense<1.0> : tensor<3xf32>
  %2 = soap.batch_norm %1, %c, %c, %c, %c {soap.name = "frozen", epsilon = 1.0e-3 : f64}
     : (tensor<4x3x3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x3x3xf32>
  %3 = soap.reduce sum %2 {axes = array<i64: 2, 3>} : (tensor<4x3x3x3xf32>) -> tensor<4x3xf32>
  return %3 : tensor<4x3xf32>
}
