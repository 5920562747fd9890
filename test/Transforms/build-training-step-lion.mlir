// RUN: soap-opt %s --soap-build-training-step='optimizer=lion learning-rate=0.5 weight-decay=0.25' | FileCheck %s
// RUN: soap-opt %s --soap-build-training-step='optimizer=lion learning-rate=0.5 weight-decay=0.25 beta2=0.75 warmup-iterations=4' | FileCheck %s --check-prefix=WARM
// RUN: soap-opt %s --soap-build-training-step='optimizer=lion' | soap-opt - --soap-apply-strategy='preset=zero topology=cpu-4' | soap-opt - --soap-partition -o /dev/null
// RUN: not soap-opt %s --soap-build-training-step='optimizer=lion momentum=0.9' 2>&1 | FileCheck %s --check-prefix=MOMENTUM

// One state for each parameter. Both means begin at the same distance of the
// gradient from the old one.

// CHECK: soap.training = "loss=softmax-cross-entropy optimizer=lion learning-rate=0.5 beta1=0.9 beta2=0.99 weight-decay=0.25"
// CHECK-LABEL: func.func @train_step
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<6x5xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<6x5xf32> {soap.init = #soap.init<zeros>, soap.kind = #soap.kind<state>, soap.name = "w.m"}
// CHECK: %[[APART:.+]] = soap.sub %{{.*}}, %[[M]] {{.*}}soap.name = "w.apart"
// CHECK: %[[FIRST:.+]] = soap.scale %[[APART]] {factor = 0.09999999{{[0-9]*}} : f64
// CHECK: %[[MEAN:.+]] = soap.add %[[M]], %[[FIRST]] {{.*}}soap.name = "w.mean"
// CHECK: %[[SIGN:.+]] = soap.sign %[[MEAN]]
// CHECK: %[[NEW:.+]] = soap.sgd %[[W]], %[[SIGN]] {learning_rate = 5.000000e-01 : f64, momentum = 0.000000e+00 : f64, {{.*}}soap.name = "w.lion", soap.update_of = "fc", weight_decay = 2.500000e-01 : f64}
// CHECK: %[[SECOND:.+]] = soap.scale %[[APART]] {factor = 0.01
// CHECK: %[[NEXT:.+]] = soap.add %[[M]], %[[SECOND]] {{.*}}soap.name = "w.m_next"
// CHECK: return %{{.*}}, %{{.*}}, %[[NEW]], %[[NEXT]]

// The schedule scales the sign and the decay.
// WARM: beta2=0.75 weight-decay=0.25 warmup-iterations=4"
// WARM: %[[SIGN:.+]] = soap.sign
// WARM: %[[DECAY:.+]] = soap.scale %{{.*}} {factor = 2.500000e-01
// WARM: %[[SUM:.+]] = soap.add %[[SIGN]], %[[DECAY]]
// WARM: soap.name = "w.scheduled"
// WARM: soap.sgd {{.*}}weight_decay = 0.000000e+00

// MOMENTUM: error: momentum is of optimizer 'sgd', not 'lion', which has beta1
func.func @forward(%x: tensor<4x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<6x5xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x5xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
