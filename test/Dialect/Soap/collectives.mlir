// RUN: soap-opt %s | soap-opt | FileCheck %s
// RUN: soap-opt %s --mlir-print-op-generic | soap-opt | FileCheck %s
// Ops of several devices, as one of them sees them.

// CHECK-LABEL: @program
func.func @program(%x: tensor<8xf32>, %m: tensor<4x6xf32>, %i: tensor<3xi32>) -> tensor<8xf32> {
  // CHECK: soap.all_reduce %{{.*}} {soap.slot = 0 : i64} : tensor<8xf32>
  %sum = soap.all_reduce %x {soap.slot = 0 : i64} : tensor<8xf32>
  // CHECK: soap.reduce_to_root %{{.*}} : tensor<8xf32> -> tensor<8xf32>
  %root = soap.reduce_to_root %sum : tensor<8xf32> -> tensor<8xf32>
  // CHECK: soap.reduce_to_root %{{.*}} : tensor<8xf32>{{$}}
  soap.reduce_to_root %root : tensor<8xf32>
  // CHECK: soap.reduce_scatter %{{.*}} [#soap.region<[0:3]>, #soap.region<[3:8]>] : tensor<8xf32> -> tensor<3xf32>
  %part = soap.reduce_scatter %x [#soap.region<[0:3]>, #soap.region<[3:8]>] : tensor<8xf32> -> tensor<3xf32>
  // CHECK: soap.all_gather %{{.*}} : tensor<3xi32> -> tensor<3xi32>, tensor<2xi32>
  %p:2 = soap.all_gather %i : tensor<3xi32> -> tensor<3xi32>, tensor<2xi32>
  // CHECK: soap.all_to_all %{{.*}} [#soap.region<[0:3], [0:6]>, #soap.region<[3:4], [0:6]>] : tensor<4x6xf32> -> tensor<3x6xf32>, tensor<3x6xf32>
  %e:2 = soap.all_to_all %m [#soap.region<[0:3], [0:6]>, #soap.region<[3:4], [0:6]>] : tensor<4x6xf32> -> tensor<3x6xf32>, tensor<3x6xf32>
  // CHECK: soap.gather_to_root %{{.*}} : tensor<3xi32> -> tensor<3xi32>, tensor<3xi32>
  %g:2 = soap.gather_to_root %i : tensor<3xi32> -> tensor<3xi32>, tensor<3xi32>
  // CHECK: soap.gather_to_root %{{.*}} : tensor<3xi32>{{$}}
  soap.gather_to_root %i : tensor<3xi32>
  // CHECK: soap.broadcast_from_root %{{.*}} {source = #soap.region<[0:4], [2:6]>} : tensor<4x6xf32>
  soap.broadcast_from_root %m {source = #soap.region<[0:4], [2:6]>} : tensor<4x6xf32>
  // CHECK: soap.broadcast_from_root -> tensor<4x4xf32>
  %b = soap.broadcast_from_root -> tensor<4x4xf32>
  return %sum : tensor<8xf32>
}

// CHECK-LABEL: @lowered
func.func @lowered(%x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<8xf32> {
  // CHECK: soap.collective_buffer all_reduce outs(%{{.*}} : tensor<8xf32>) -> tensor<8xf32>
  %sum = soap.collective_buffer all_reduce outs(%x : tensor<8xf32>) -> tensor<8xf32>
  // CHECK: soap.collective_buffer all_gather ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<8xf32>) -> tensor<8xf32>
  %all = soap.collective_buffer all_gather ins(%y : tensor<4xf32>) outs(%sum : tensor<8xf32>) -> tensor<8xf32>
  // CHECK: soap.collective_buffer broadcast_from_root ins(%{{.*}} : tensor<8xf32>)
  soap.collective_buffer broadcast_from_root ins(%all : tensor<8xf32>)
  return %all : tensor<8xf32>
}
