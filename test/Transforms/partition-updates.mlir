// An op whose result replaces an argument reads complete sums, however linear it is: devices keep no parts of a sum as
// tiles of a state.
// RUN: soap-opt %s --split-input-file --soap-apply-strategy='preset=data-parallel topology=h100-4' --soap-partition | FileCheck %s

// CHECK: func.func @train_step__0(
// CHECK: %[[PART:.*]] = soap.reduce sum
// CHECK: %[[SUM:.*]] = soap.all_reduce %[[PART]]
// CHECK: %[[NEW:.*]] = soap.add %{{.*}}, %[[SUM]]
// CHECK: return %[[NEW]]
func.func @train_step(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %g: tensor<4xf32> {soap.kind = #soap.kind<state>, soap.name = "g", soap.init = dense<1.0> : tensor<4xf32>}) -> (tensor<4xf32> {soap.kind = #soap.kind<update>, soap.updates = 1 : i64}) {
  %s = soap.reduce sum %x {axes = array<i64: 0>, soap.name = "sum"} : (tensor<8x4xf32>) -> tensor<4xf32>
  %n = soap.add %g, %s {soap.name = "acc"} : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// Plain descent: the gradient is complete before it is scaled or after, but before the difference.
// CHECK: func.func @train_step__0(
// CHECK: soap.all_reduce
// CHECK: %[[NEW:.*]] = soap.sub
// CHECK-NOT: soap.all_reduce
// CHECK: return %[[NEW]]
func.func @train_step(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w", soap.init = dense<1.0> : tensor<4xf32>}) -> (tensor<4xf32> {soap.kind = #soap.kind<update>, soap.updates = 1 : i64}) {
  %g = soap.reduce sum %x {axes = array<i64: 0>, soap.name = "sum"} : (tensor<8x4xf32>) -> tensor<4xf32>
  %d = soap.scale %g {factor = 1.000000e-01 : f64, soap.name = "scaled"} : tensor<4xf32>
  %n = soap.sub %w, %d {soap.name = "new"} : tensor<4xf32>
  return %n : tensor<4xf32>
}
