// RUN: soap-opt %s --soap-build-training-step='optimizer=adamw learning-rate=0.5 beta1=0.8 beta2=0.75 epsilon=1e-6 weight-decay=0.01' | FileCheck %s
// RUN: soap-opt %s --soap-build-training-step='optimizer=adam' | FileCheck %s --check-prefix=ADAM
// RUN: soap-opt %s --soap-build-training-step='optimizer=sgd' | FileCheck %s --check-prefix=SGD

// One counter and two corrections for all parameters; dropout reads the same
// counter. Every position of a sequence has a label. @evaluate drops nothing.

// CHECK-LABEL: func.func @train_step
// CHECK-SAME: %[[STEP:[a-z0-9]+]]: tensor<i32> {soap.init = #soap.init<zeros>, soap.kind = #soap.kind<state>, soap.name = "step"}
// CHECK-SAME: %[[LABEL:[a-z0-9]+]]: tensor<4x3xi32> {soap.classes = 5 : i64, soap.kind = #soap.kind<label>, soap.name = "label", soap.sample_dim = 1 : i64}
// CHECK-SAME: {soap.init = #soap.init<zeros>, soap.kind = #soap.kind<state>, soap.name = "e.m"}
// CHECK-SAME: {soap.init = #soap.init<zeros>, soap.kind = #soap.kind<state>, soap.name = "e.v"}
// CHECK-SAME: tensor<i32> {soap.kind = #soap.kind<update>, soap.name = "step", soap.updates = 3 : i64})
// CHECK: %[[T:.+]] = soap.counter %[[STEP]] {soap.name = "step.counter"}
// CHECK: soap.dropout %{{.*}}, %[[T]] {rate = 2.500000e-01 : f64, seed = 1 : i64, soap.name = "drop"}
// CHECK: soap.cross_entropy %{{.*}}, %[[LABEL]] {scale = 0.08333{{[0-9]*}} : f64, soap.name = "loss"} : (tensor<4x3x5xf32>, tensor<4x3xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x4x3xf32>)
// CHECK: soap.dropout %{{.*}}, %[[T]] {rate = 2.500000e-01 : f64, seed = 1 : i64, soap.grad_of = "drop", soap.name = "drop.input_grad"}
// CHECK: soap.gather_grad %{{.*}} {soap.grad_of = "embed", soap.name = "embed.table_grad"}
// CHECK: %[[C1:.+]] = soap.bias_correction %[[T]] {beta = 8.000000e-01 : f64, soap.name = "step.correction1"}
// CHECK: %[[C2:.+]] = soap.bias_correction %[[T]] {beta = 7.500000e-01 : f64, soap.name = "step.correction2"}
// CHECK: soap.adam %{{.*}}, %[[C1]], %[[C2]] {beta1 = 8.000000e-01 : f64, beta2 = 7.500000e-01 : f64, decoupled,
// CHECK-SAME: soap.loop_map = {d0 = "v", d1 = "d0"}, soap.name = "e.adamw", soap.update_of = "embed"
// CHECK: soap.adam %{{.*}}, %[[C1]], %[[C2]]
// CHECK-LABEL: func.func @evaluate
// CHECK-NOT: soap.dropout
// CHECK-NOT: soap.counter

// ADAM-LABEL: func.func @train_step
// ADAM: soap.adam
// ADAM-NOT: decoupled

// Plain SGD has no counter of its own: dropout's is left.
// SGD-LABEL: func.func @train_step
// SGD: soap.counter
// SGD-NOT: soap.bias_correction
// SGD: soap.sgd
func.func @forward(%x: tensor<4x3xi32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 1 : i64},
                   %e: tensor<7x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "e"},
                   %w: tensor<6x5xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x3x5xf32> {
  %0 = soap.gather %e, %x {soap.name = "embed"} : (tensor<7x6xf32>, tensor<4x3xi32>) -> tensor<4x3x6xf32>
  %1 = soap.dropout %0 {rate = 2.5e-01 : f64, seed = 1 : i64, soap.name = "drop"} : tensor<4x3x6xf32>
  %2 = soap.matmul %1, %w {soap.name = "out"} : (tensor<4x3x6xf32>, tensor<6x5xf32>) -> tensor<4x3x5xf32>
  return %2 : tensor<4x3x5xf32>
}
