// RUN: soap-opt %s --soap-build-training-step='learning-rate=0.5 momentum=0.9 weight-decay=0.25 schedule=linear total-iterations=4' | FileCheck %s
// RUN: soap-opt %s --soap-build-training-step='optimizer=adam schedule=linear total-iterations=4' | FileCheck %s --check-prefix=ADAM

// max(0, 1 - (step - 1) / 4), once; it scales gradient and decay.

// CHECK-LABEL: func.func @train_step
// CHECK: %[[W:.+]] = soap.scale %{{.*}} {factor = 2.500000e-01 : f64, {{.*}}soap.name = "w.decay", soap.update_of = "fc"}
// CHECK: %[[G:.+]] = soap.add %{{.*}}, %[[W]]
// CHECK: %[[T:.+]] = soap.counter
// CHECK: %[[S:.+]] = soap.cast %[[T]] {soap.name = "schedule.step"} : (tensor<i32>) -> tensor<f32>
// CHECK: %[[D:.+]] = soap.scale %[[S]] {factor = -2.500000e-01 : f64, soap.name = "schedule.done"}
// CHECK: %[[ONE:.+]] = soap.constant {{.*}} dense<1.250000e+00> : tensor<f32>
// CHECK: %[[L:.+]] = soap.add %[[D]], %[[ONE]]
// CHECK: %[[F:.+]] = soap.maximum %[[L]], %{{.*}} {soap.name = "schedule.factor"}
// CHECK: %[[R:.+]] = soap.mul %[[G]], %[[F]] {{.*}}soap.name = "w.scheduled", soap.update_of = "fc"
// CHECK: soap.sgd %{{[^,]+}}, %[[R]], {{.*}}weight_decay = 0.000000e+00
// CHECK: soap.mul %{{[^,]+}}, %[[F]]

// ADAM-LABEL: func.func @train_step
// ADAM: %[[F:.+]] = soap.maximum {{.*}}soap.name = "schedule.factor"
// ADAM: %[[C:.+]] = soap.mul %{{[^,]+}}, %[[F]] {soap.name = "w.adam.rate"} : tensor<f32>
// ADAM: soap.adam %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %[[C]], %{{.*}}
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}, %b: tensor<4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "b"}) -> tensor<4x4xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : tensor<4x4xf32>
  %1 = soap.bias_add %0, %b {axis = 1 : i64, soap.name = "bias"} : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
