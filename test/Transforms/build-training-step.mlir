// RUN: soap-opt %s -split-input-file --soap-build-training-step='learning-rate=0.5 momentum=0.9 weight-decay=0.01' | FileCheck %s
// RUN: soap-opt %s -split-input-file --soap-build-training-step='learning-rate=0.5' | FileCheck %s --check-prefix=PLAIN
// RUN: soap-opt %s -split-input-file --soap-build-training-step='inference=true' | FileCheck %s --check-prefix=INFER
// RUN: soap-opt %s -split-input-file --soap-build-training-step | soap-opt -split-input-file | FileCheck %s --check-prefix=PLAIN

// An MLP: ops without names get one; the gradient of the input is not computed;
// updates are last, and say which argument they replace.

// CHECK-LABEL: func.func @forward
// CHECK: soap.matmul {{.*}} {soap.name = "fc1", transpose_b}
// CHECK: soap.bias_add {{.*}} {axis = 1 : i64, soap.name = "bias_add_0"}
// CHECK: soap.relu {{.*}} {soap.name = "relu_0"}

// CHECK-LABEL: func.func @train_step
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
// CHECK-SAME:  %[[W1:[a-z0-9]+]]: tensor<5x6xf32> {soap.init = #soap.init<he>, soap.kind = #soap.kind<parameter>, soap.name = "w1"},
// CHECK-SAME:  %[[B1:[a-z0-9]+]]: tensor<5xf32> {soap.kind = #soap.kind<parameter>, soap.name = "b1"},
// CHECK-SAME:  %[[W2:[a-z0-9]+]]: tensor<5x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w2"},
// CHECK-SAME:  %[[LABEL:[a-z0-9]+]]: tensor<8xi32> {soap.classes = 3 : i64, soap.kind = #soap.kind<label>, soap.name = "label", soap.sample_dim = 0 : i64},
// CHECK-SAME:  %[[V1:[a-z0-9]+]]: tensor<5x6xf32> {soap.init = #soap.init<zeros>, soap.kind = #soap.kind<state>, soap.name = "w1.velocity"},
// CHECK-SAME:  %[[VB:[a-z0-9]+]]: tensor<5xf32> {soap.init = #soap.init<zeros>, soap.kind = #soap.kind<state>, soap.name = "b1.velocity"},
// CHECK-SAME:  %[[V2:[a-z0-9]+]]: tensor<5x3xf32> {soap.init = #soap.init<zeros>, soap.kind = #soap.kind<state>, soap.name = "w2.velocity"})
// CHECK-SAME: -> (tensor<f32> {soap.kind = #soap.kind<loss>, soap.name = "loss"}, tensor<f32> {soap.kind = #soap.kind<correct>, soap.name = "correct"},
// CHECK-SAME:  tensor<5x6xf32> {soap.kind = #soap.kind<update>, soap.name = "w1", soap.updates = 1 : i64},
// CHECK-SAME:  tensor<5x6xf32> {soap.kind = #soap.kind<update>, soap.name = "w1.velocity", soap.updates = 5 : i64},
// CHECK-SAME:  tensor<5xf32> {soap.kind = #soap.kind<update>, soap.name = "b1", soap.updates = 2 : i64},
// CHECK-SAME:  tensor<5xf32> {soap.kind = #soap.kind<update>, soap.name = "b1.velocity", soap.updates = 6 : i64},
// CHECK-SAME:  tensor<5x3xf32> {soap.kind = #soap.kind<update>, soap.name = "w2", soap.updates = 3 : i64},
// CHECK-SAME:  tensor<5x3xf32> {soap.kind = #soap.kind<update>, soap.name = "w2.velocity", soap.updates = 7 : i64})
// CHECK-NEXT: %[[Y1:.+]] = soap.matmul %[[X]], %[[W1]] {soap.name = "fc1", transpose_b}
// CHECK-NEXT: %[[Z1:.+]] = soap.bias_add %[[Y1]], %[[B1]]
// CHECK-NEXT: %[[R1:.+]] = soap.relu %[[Z1]]
// CHECK-NEXT: %[[Y2:.+]] = soap.matmul %[[R1]], %[[W2]] {soap.name = "fc2"}
// CHECK-NEXT: %[[LOSS:.+]], %[[CORRECT:.+]], %[[STATS:.+]] = soap.cross_entropy %[[Y2]], %[[LABEL]] {scale = 1.250000e-01 : f64, soap.name = "loss"}
// CHECK-NEXT: %[[SEED:.+]] = soap.constant {soap.grad_of = "loss", soap.name = "loss.seed"} dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[DY2:.+]] = soap.cross_entropy_grad %[[SEED]], %[[Y2]], %[[LABEL]], %[[STATS]] {scale = 1.250000e-01 : f64, soap.grad_of = "loss", soap.name = "loss.input_grad"}
// CHECK-NEXT: %[[DR1:.+]] = soap.matmul %[[DY2]], %[[W2]] {soap.grad_of = "fc2", soap.loop_map = {k = "n", n = "k"}, soap.name = "fc2.input_grad", transpose_b}
// CHECK-NEXT: %[[DW2:.+]] = soap.matmul %[[R1]], %[[DY2]] {soap.grad_of = "fc2", soap.loop_map = {k = "m", m = "k"}, soap.name = "fc2.weight_grad", transpose_a}
// CHECK-NEXT: %[[DZ1:.+]] = soap.relu_grad %[[DR1]], %[[R1]] {soap.grad_of = "relu_0", soap.name = "relu_0.input_grad"}
// CHECK-NEXT: %[[DB1:.+]] = soap.reduce sum %[[DZ1]] {axes = array<i64: 0>, soap.grad_of = "bias_add_0", soap.name = "bias_add_0.bias_grad"}
// CHECK-NEXT: %[[DW1:.+]] = soap.matmul %[[DZ1]], %[[X]] {soap.grad_of = "fc1", soap.loop_map = {k = "m", m = "n", n = "k"}, soap.name = "fc1.weight_grad", transpose_a}
// CHECK-NEXT: %[[NW1:.+]], %[[NV1:.+]] = soap.sgd %[[W1]], %[[DW1]], %[[V1]] {learning_rate = 5.000000e-01 : f64, momentum = 9.000000e-01 : f64, soap.loop_map = {d0 = "n", d1 = "k"}, soap.name = "w1.sgd", soap.update_of = "fc1", weight_decay = 1.000000e-02 : f64}
// CHECK-NEXT: %[[NB1:.+]], %[[NVB:.+]] = soap.sgd %[[B1]], %[[DB1]], %[[VB]] {{.*}}soap.loop_map = {d0 = "d1"}, soap.name = "b1.sgd", soap.update_of = "bias_add_0"
// CHECK-NEXT: %[[NW2:.+]], %[[NV2:.+]] = soap.sgd %[[W2]], %[[DW2]], %[[V2]] {{.*}}soap.loop_map = {d0 = "k", d1 = "n"}, soap.name = "w2.sgd", soap.update_of = "fc2"
// CHECK-NEXT: return %[[LOSS]], %[[CORRECT]], %[[NW1]], %[[NV1]], %[[NB1]], %[[NVB]], %[[NW2]], %[[NV2]]

// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: tensor<8xi32> {soap.classes = 3 : i64, soap.kind = #soap.kind<label>, soap.name = "label", soap.sample_dim = 0 : i64})
// CHECK-SAME: -> (tensor<f32> {soap.kind = #soap.kind<loss>, soap.name = "loss"}, tensor<f32> {soap.kind = #soap.kind<correct>, soap.name = "correct"})
// CHECK: soap.name = "fc1"
// CHECK: soap.name = "bias_add_0"
// CHECK: soap.name = "relu_0"
// CHECK: soap.name = "fc2"
// CHECK-NEXT: soap.cross_entropy {{.*}}soap.name = "loss"
// CHECK-NEXT: return

// Without momentum there are no velocities.
// PLAIN-LABEL: func.func @train_step
// PLAIN-NOT: velocity
// PLAIN: %[[NEW:.+]] = soap.sgd %{{[^,]+}}, %{{[^,]+}} {
// PLAIN: return

// INFER-NOT: @train_step
// INFER-LABEL: func.func @evaluate
// INFER-NOT: @train_step
// INFER-NOT: soap.sgd
func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w1: tensor<5x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w1", soap.init = #soap.init<he>},
                   %b1: tensor<5xf32> {soap.kind = #soap.kind<parameter>, soap.name = "b1"},
                   %w2: tensor<5x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w2"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w1 {soap.name = "fc1", transpose_b} : (tensor<8x6xf32>, tensor<5x6xf32>) -> tensor<8x5xf32>
  %1 = soap.bias_add %0, %b1 {axis = 1 : i64} : (tensor<8x5xf32>, tensor<5xf32>) -> tensor<8x5xf32>
  %2 = soap.relu %1 : tensor<8x5xf32>
  %3 = soap.matmul %2, %w2 {soap.name = "fc2"} : (tensor<8x5xf32>, tensor<5x3xf32>) -> tensor<8x3xf32>
  return %3 : tensor<8x3xf32>
}

// -----

// A value with several uses: its gradients are accumulated. A parameter with
// several uses: accumulated once, then updated once.

// CHECK-LABEL: func.func @train_step
// CHECK: %[[DA:.+]] = soap.matmul {{.*}}soap.name = "b.input_grad"
// CHECK: %[[DW_B:.+]] = soap.matmul {{.*}}soap.name = "b.weight_grad"
// CHECK: %[[LHS:.+]] = soap.mul {{.*}}soap.name = "square.lhs_mul"
// CHECK: %[[RHS:.+]] = soap.mul {{.*}}soap.name = "square.rhs_mul"
// CHECK: %[[SUM:.+]] = soap.accumulate %[[DA]], %[[LHS]], %[[RHS]] {soap.grad_of = "a", soap.loop_map = {d0 = "m", d1 = "n"}, soap.name = "a.grad_sum"}
// CHECK: %[[DW_A:.+]] = soap.matmul {{.*}}soap.name = "a.weight_grad"
// CHECK-NEXT: %[[DW:.+]] = soap.accumulate %[[DW_B]], %[[DW_A]] {soap.grad_of = "a", soap.loop_map = {d0 = "k", d1 = "n"}, soap.name = "w.grad_sum"}
// CHECK-NEXT: soap.sgd %{{[^,]+}}, %[[DW]], {{.*}}soap.name = "w.sgd", soap.update_of = "a"
// CHECK-NEXT: return

// PLAIN: func.func @train_step
// INFER: func.func @evaluate
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x4xf32> {
  %0 = soap.matmul %x, %w {soap.name = "a"} : tensor<4x4xf32>
  %1 = soap.mul %0, %0 {soap.name = "square"} : tensor<4x4xf32>
  %2 = soap.matmul %0, %w {soap.name = "b"} : tensor<4x4xf32>
  %3 = soap.add %1, %2 {soap.name = "sum"} : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// Names that are taken: the loss, the label and gradients give way.

// CHECK-LABEL: func.func @train_step
// CHECK-SAME: soap.name = "label"
// CHECK-SAME: soap.kind = #soap.kind<label>, soap.name = "label_1"
// CHECK: soap.relu {{.*}}soap.name = "loss"
// CHECK: soap.relu {{.*}}soap.name = "loss.input_grad"
// CHECK: soap.relu {{.*}}soap.name = "relu_1"
// CHECK: soap.relu {{.*}}soap.name = "relu_0"
// CHECK: soap.cross_entropy {{.*}}soap.name = "loss_1"
// CHECK: soap.relu_grad {{.*}}soap.grad_of = "loss", soap.name = "loss.input_grad_1"

// PLAIN: func.func @train_step
// INFER: func.func @evaluate
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>, soap.name = "label", soap.sample_dim = 0 : i64},
                   %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x4xf32> {
  %0 = soap.matmul %x, %w : tensor<4x4xf32>
  %1 = soap.relu %0 {soap.name = "loss"} : tensor<4x4xf32>
  %2 = soap.relu %1 {soap.name = "loss.input_grad"} : tensor<4x4xf32>
  %3 = soap.relu %2 : tensor<4x4xf32>
  %4 = soap.relu %3 {soap.name = "relu_0"} : tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}

// -----

// A value that is taken apart has a gradient that is assembled, in the order
// of the parts, not of their uses. Where parts overlap, it is a sum.

// CHECK-LABEL: func.func @train_step
// CHECK-DAG: %[[FIRST:.+]] = soap.matmul {{.*}}soap.name = "use0.input_grad"
// CHECK-DAG: %[[SECOND:.+]] = soap.matmul {{.*}}soap.name = "use1.input_grad"
// CHECK-NOT: soap.pad
// CHECK: soap.concat %[[FIRST]], %[[SECOND]] {axis = 1 : i64, soap.grad_of = "h", soap.loop_map = {d0 = "m", d1 = "n"}, soap.name = "h.grad_sum"} : (tensor<4x2xf32>, tensor<4x4xf32>) -> tensor<4x6xf32>

// PLAIN: func.func @train_step
// INFER: func.func @evaluate
func.func @forward(%x: tensor<4x3xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<3x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"},
                   %w0: tensor<2x5xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w0"},
                   %w1: tensor<4x5xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w1"}) -> tensor<4x5xf32> {
  %h = soap.matmul %x, %w {soap.name = "h"} : (tensor<4x3xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  %p1 = soap.slice %h {offsets = array<i64: 0, 2>, sizes = array<i64: 4, 4>, soap.name = "part1"} : (tensor<4x6xf32>) -> tensor<4x4xf32>
  %y1 = soap.matmul %p1, %w1 {soap.name = "use1"} : (tensor<4x4xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %p0 = soap.slice %h {sizes = array<i64: 4, 2>, soap.name = "part0"} : (tensor<4x6xf32>) -> tensor<4x2xf32>
  %y0 = soap.matmul %p0, %w0 {soap.name = "use0"} : (tensor<4x2xf32>, tensor<2x5xf32>) -> tensor<4x5xf32>
  %y = soap.add %y0, %y1 {soap.name = "y"} : tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// -----

// CHECK-LABEL: func.func @train_step
// CHECK: soap.pad {{.*}}soap.name = "part0.input_grad"
// CHECK: soap.accumulate {{.*}}soap.name = "h.grad_sum"

// PLAIN: func.func @train_step
// INFER: func.func @evaluate
func.func @forward(%x: tensor<4x3xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<3x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x4xf32> {
  %h = soap.matmul %x, %w {soap.name = "h"} : (tensor<4x3xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  %p0 = soap.slice %h {sizes = array<i64: 4, 4>, soap.name = "part0"} : (tensor<4x6xf32>) -> tensor<4x4xf32>
  %p1 = soap.slice %h {offsets = array<i64: 0, 2>, sizes = array<i64: 4, 4>, soap.name = "part1"} : (tensor<4x6xf32>) -> tensor<4x4xf32>
  %y = soap.mul %p0, %p1 {soap.name = "y"} : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
