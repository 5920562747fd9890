// RUN: soap-opt %s --soap-build-training-step | FileCheck %s
// RUN: soap-opt %s --soap-build-training-step='batch-norm-momentum=0.25' | FileCheck %s --check-prefix=GIVEN

// The running statistics of a batch norm move as its model says, by 0.1 where it says nothing; the option is for all.

// CHECK-LABEL: func.func @train_step
// CHECK: soap.batch_norm_train {{.*}}{epsilon = 1.000000e-03 : f64, soap.name = "bn"}
// CHECK: soap.running_stats_update {{.*}} {momentum = 1.000000e-02 : f64, soap.name = "bn.running_stats", soap.update_of = "bn"}
// CHECK: soap.running_stats_update {{.*}} {momentum = 1.000000e-01 : f64, soap.name = "plain.running_stats"
// GIVEN: soap.running_stats_update {{.*}} {momentum = 2.500000e-01 : f64, soap.name = "bn.running_stats"
// GIVEN: soap.running_stats_update {{.*}} {momentum = 2.500000e-01 : f64, soap.name = "plain.running_stats"
func.func @forward(%x: tensor<4x3xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %gamma: tensor<3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "gamma"},
                   %beta: tensor<3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "beta"},
                   %mean: tensor<3xf32> {soap.kind = #soap.kind<state>, soap.name = "bn.mean"},
                   %var: tensor<3xf32> {soap.kind = #soap.kind<state>, soap.name = "bn.var"},
                   %mean1: tensor<3xf32> {soap.kind = #soap.kind<state>, soap.name = "plain.mean"},
                   %var1: tensor<3xf32> {soap.kind = #soap.kind<state>, soap.name = "plain.var"}) -> tensor<4x3xf32> {
  %0 = soap.batch_norm %x, %gamma, %beta, %mean, %var {soap.name = "bn", epsilon = 1.0e-3 : f64, soap.batch_norm_momentum = 0.01 : f64}
     : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = soap.batch_norm %0, %gamma, %beta, %mean1, %var1 {soap.name = "plain", epsilon = 1.0e-3 : f64}
     : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
