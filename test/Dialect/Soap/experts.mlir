// Ops of mixtures of experts: what is printed is parsed again.
// RUN: soap-opt %s | soap-opt | FileCheck %s

// CHECK-LABEL: func.func @layer
func.func @layer(%x: tensor<2x6x5xf32>, %logits: tensor<2x6x4xf32>, %dz: tensor<2x6x5xf32>) -> (tensor<2x6x5xf32>, tensor<2x6x4xf32>, tensor<2x4xf64>) {
  // CHECK: %[[V:.*]], %[[I:.*]] = soap.top_k %{{.*}} {k = 2 : i64} : (tensor<2x6x4xf32>) -> (tensor<2x6x2xf32>, tensor<2x6x2xi32>)
  %gates, %indices = soap.top_k %logits {k = 2 : i64} : (tensor<2x6x4xf32>) -> (tensor<2x6x2xf32>, tensor<2x6x2xi32>)
  // CHECK: %[[S:.*]], %[[T:.*]], %[[L:.*]] = soap.route %[[I]] : (tensor<2x6x2xi32>) -> (tensor<2x6x2xi32>, tensor<2x4x3xi32>, tensor<2x4xf64>)
  %slots, %tokens, %load = soap.route %indices : (tensor<2x6x2xi32>) -> (tensor<2x6x2xi32>, tensor<2x4x3xi32>, tensor<2x4xf64>)
  // CHECK: %[[Y:.*]] = soap.dispatch %{{.*}}, %[[S]], %[[T]] : (tensor<2x6x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>) -> tensor<4x2x3x5xf32>
  %y = soap.dispatch %x, %slots, %tokens : (tensor<2x6x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>) -> tensor<4x2x3x5xf32>
  // CHECK: soap.dispatch %{{.*}}, %[[S]], %[[T]], %[[V]]
  %u = soap.dispatch %x, %slots, %tokens, %gates : (tensor<2x6x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>, tensor<2x6x2xf32>) -> tensor<4x2x3x5xf32>
  // CHECK: soap.combine_experts %[[Y]], %[[S]], %[[T]], %[[V]] : (tensor<4x2x3x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>, tensor<2x6x2xf32>) -> tensor<2x6x5xf32>
  %z = soap.combine_experts %y, %slots, %tokens, %gates : (tensor<4x2x3x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>, tensor<2x6x2xf32>) -> tensor<2x6x5xf32>
  // A shard: the experts from the second one on.
  // CHECK: soap.combine_experts %{{.*}}, %[[S]], %{{.*}} {first_expert = 2 : i64}
  %half = soap.slice %u {offsets = array<i64: 2, 0, 0, 0>, sizes = array<i64: 2, 2, 3, 5>} : (tensor<4x2x3x5xf32>) -> tensor<2x2x3x5xf32>
  %s2, %t2, %l2 = soap.route %slots : (tensor<2x6x2xi32>) -> (tensor<2x6x2xi32>, tensor<2x2x3xi32>, tensor<2x2xf32>)
  %p = soap.combine_experts %half, %slots, %t2 {first_expert = 2 : i64} : (tensor<2x2x3x5xf32>, tensor<2x6x2xi32>, tensor<2x2x3xi32>) -> tensor<2x6x5xf32>
  %sum = soap.add %z, %p : tensor<2x6x5xf32>
  // CHECK: soap.gates_grad %{{.*}}, %[[Y]], %[[S]] : (tensor<2x6x5xf32>, tensor<4x2x3x5xf32>, tensor<2x6x2xi32>) -> tensor<2x6x2xf32>
  %dg = soap.gates_grad %dz, %y, %slots : (tensor<2x6x5xf32>, tensor<4x2x3x5xf32>, tensor<2x6x2xi32>) -> tensor<2x6x2xf32>
  // CHECK: soap.top_k_grad %{{.*}}, %[[I]] : (tensor<2x6x2xf32>, tensor<2x6x2xi32>) -> tensor<2x6x4xf32>
  %dl = soap.top_k_grad %dg, %indices : (tensor<2x6x2xf32>, tensor<2x6x2xi32>) -> tensor<2x6x4xf32>
  return %sum, %dl, %load : tensor<2x6x5xf32>, tensor<2x6x4xf32>, tensor<2x4xf64>
}
