// An iteration of several batches: @accumulate_step adds gradients, @train_step adds its own, takes the mean, clips and
// updates. Batch norm updates its running statistics after each batch, and dropout counts batches.
// RUN: soap-opt %s --soap-build-training-step='accumulate=true clip-norm=2 optimizer=adam freeze=scale' | FileCheck %s

// CHECK: module attributes {soap.training = "loss=softmax-cross-entropy freeze=scale clip-norm=2 optimizer=adam learning-rate=0.01 beta1=0.9 beta2=0.999 epsilon=1e-08"}

// CHECK-LABEL: func.func @train_step
// CHECK-SAME: %[[SUM:[^:]+]]: tensor<6x3xf32> {soap.init = #soap.init<zeros>, soap.kind = #soap.kind<state>, soap.name = "w.gradient"}
// CHECK-SAME: soap.name = "batches"
// CHECK-SAME: soap.name = "step"
// CHECK: soap.counter %{{.*}} {soap.name = "batch_step.counter"}
// CHECK: %[[ALL:.+]] = soap.add %{{.*}} {soap.name = "batches.sum"}
// CHECK: %[[SHARE:.+]] = soap.reciprocal %[[ALL]]
// CHECK: %[[TOTAL:.+]] = soap.add %[[SUM]], %{{.*}} {{{.*}}soap.name = "w.gradient.sum", soap.update_of = "fc"}
// CHECK: %[[MEAN:.+]] = soap.mul %[[TOTAL]], %[[SHARE]]
// CHECK: soap.scale %[[SUM]] {factor = 0.000000e+00 : f64, {{.*}}soap.name = "w.gradient.reset"
// CHECK: %[[SQUARE:.+]] = soap.mul %[[MEAN]], %[[MEAN]]
// CHECK: soap.reduce sum %[[SQUARE]]
// CHECK: %[[FACTOR:.+]] = soap.minimum %{{.*}} {soap.name = "clip.factor"}
// CHECK: %[[CLIPPED:.+]] = soap.mul %[[MEAN]], %[[FACTOR]]
// CHECK: soap.adam %{{[^,]+}}, %[[CLIPPED]]
// The parameter that is frozen has no update.
// CHECK-NOT: soap.adam
// CHECK: soap.running_stats_update

// CHECK-LABEL: func.func @accumulate_step
// CHECK-SAME: %[[ADDED:[^:]+]]: tensor<6x3xf32> {soap.init = #soap.init<zeros>, soap.kind = #soap.kind<state>, soap.name = "w.gradient"}
// CHECK-NOT: soap.name = "step"
// CHECK: soap.counter %{{.*}} {soap.name = "batch_step.counter"}
// CHECK: soap.sgd %[[ADDED]], %{{.*}} {learning_rate = -1.000000e+00 : f64, momentum = 0.000000e+00 : f64, {{.*}}soap.name = "w.gradient.sum", {{.*}}weight_decay = 0.000000e+00 : f64}
// CHECK: soap.add %{{.*}} {soap.name = "batches.sum"}
// CHECK-NOT: soap.adam
// CHECK: soap.running_stats_update
// CHECK-LABEL: func.func @evaluate
func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %scale: tensor<6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "scale"},
                   %mean: tensor<6xf32> {soap.kind = #soap.kind<state>, soap.name = "mean"}, %var: tensor<6xf32> {soap.kind = #soap.kind<state>, soap.name = "var"},
                   %w: tensor<6x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.dropout %x {rate = 0.5 : f64, seed = 1 : i64, soap.name = "drop"} : tensor<8x6xf32>
  %1 = soap.batch_norm %0, %scale, %scale, %mean, %var {epsilon = 1.0e-5 : f64, soap.name = "norm"} : (tensor<8x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<8x6xf32>
  %2 = soap.matmul %1, %w {soap.name = "fc"} : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  return %2 : tensor<8x3xf32>
}
