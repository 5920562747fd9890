// Tiles that devices gather and fold lie in one row, and so do tiles that they gather and assemble: one kernel, whatever their number.
// RUN: soap-opt %s --soap-outline-kernels -split-input-file | FileCheck %s
// The bits of the loop in the kernel equal the bits of a kernel that reads every piece alone.
// RUN: soap-opt %s --soap-outline-kernels --soap-bufferize-programs -split-input-file | FileCheck %s --check-prefix=BUFFERS

// CHECK-LABEL: func.func @statistics
// CHECK: %[[ROW:.*]] = soap.collective_buffer gather_to_root ins(%arg0 : tensor<3x4xf32>) outs(%{{.*}} : tensor<36xf32>)
// CHECK-NOT: tensor.extract_slice
// CHECK: soap.kernel_call @[[FOLD:.*]] ins(%[[ROW]] : tensor<36xf32>) outs(%{{.*}} : tensor<3x4xf32>) {soap.slot = 1 : i64}
// CHECK: func.func private @[[FOLD]](%[[X:.*]]: memref<36xf32>{{.*}}, %[[Y:.*]]: memref<3x4xf32>
// CHECK: scf.for %[[C:.*]] = %c0 to %c4
// CHECK: memref.load %[[X]][%[[C]]]
// CHECK: %[[SUM:.*]]:3 = scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args
// CHECK: memref.store %[[SUM]]#0, %[[Y]][%c0, %[[C]]]
// CHECK: memref.store %[[SUM]]#2, %[[Y]][%c2, %[[C]]]
// BUFFERS-LABEL: func.func @statistics
// BUFFERS-NOT: memref.subview
// BUFFERS: return
func.func @statistics(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %p:3 = soap.gather_to_root %x {soap.slot = 0 : i64} : tensor<3x4xf32> -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
  %c = soap.combine moments %p#0, %p#1, %p#2 {soap.slot = 1 : i64, sources = [#soap.region<[0:3], [0:4]>, #soap.region<[0:3], [0:4]>, #soap.region<[0:3], [0:4]>]} : tensor<3x4xf32>
  return %c : tensor<3x4xf32>
}

// -----

// Elements that fold alone.
// CHECK-LABEL: func.func @maximum
// CHECK: %[[ROW:.*]] = soap.collective_buffer gather_to_root
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: soap.kernel_call @[[FOLD:.*]] ins(%[[ROW]] : tensor<8xf32>)
// CHECK: func.func private @[[FOLD]]
// CHECK: scf.for %[[I:.*]] = %c0 to %c4
// CHECK-NOT: scf.for
// CHECK: arith.maximumf
func.func @maximum(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %p:2 = soap.gather_to_root %x : tensor<2x2xf32> -> tensor<2x2xf32>, tensor<2x2xf32>
  %c = soap.combine max %p#0, %p#1 {sources = [#soap.region<[0:2], [0:2]>, #soap.region<[0:2], [0:2]>]} : tensor<2x2xf32>
  return %c : tensor<2x2xf32>
}

// -----

// Another order, and a part of a piece: views.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: tensor.extract_slice
// CHECK-COUNT-2: soap.kernel_call
func.func @others(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %p:3 = soap.gather_to_root %x : tensor<4xf32> -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  %c = soap.combine max %p#1, %p#0 {sources = [#soap.region<[0:4]>, #soap.region<[0:4]>]} : tensor<4xf32>
  %d = soap.combine max %p#0, %p#2 {sources = [#soap.region<[0:2]>, #soap.region<[2:4]>]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<2xf32>
  return %c, %d : tensor<4xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @gathered
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @gathered(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %p:2 = soap.all_gather %x : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  %a = soap.assemble %p#0, %p#1 {sources = [#soap.region<[0:2], [0:3]>, #soap.region<[0:2], [0:3]>], targets = [#soap.region<[0:2], [0:3]>, #soap.region<[2:4], [0:3]>]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %a : tensor<4x3xf32>
}

// -----

// Rows are parts of the tile, and what is gathered lies in the order in which it is wanted: no copy on either side of the exchange.
// CHECK-LABEL: func.func @exchanged
// CHECK: %[[ROW:.*]] = soap.collective_buffer all_to_all ins(%arg0 : tensor<4x3xf32>) outs(%{{.*}} : tensor<12xf32>)
// CHECK-NOT: soap.kernel_call
// CHECK: tensor.expand_shape %[[ROW]]
// CHECK: return
func.func @exchanged(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %p:2 = soap.all_to_all %x [#soap.region<[0:2], [0:3]>, #soap.region<[2:4], [0:3]>] {soap.slot = 0 : i64} : tensor<4x3xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  %a = soap.assemble %p#0, %p#1 {soap.slot = 1 : i64, sources = [#soap.region<[0:2], [0:3]>, #soap.region<[0:2], [0:3]>], targets = [#soap.region<[0:2], [0:3]>, #soap.region<[2:4], [0:3]>]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %a : tensor<4x3xf32>
}

// -----

// Columns are packed, pieces of two sizes are buffers of their own.
// CHECK-LABEL: func.func @columns
// CHECK-COUNT-2: soap.kernel_call @{{.*}} ins(%arg0 : tensor<4x3xf32>)
// CHECK: soap.collective_buffer all_to_all ins(%{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<4x1xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<3x2xf32>)
func.func @columns(%x: tensor<4x3xf32>) -> tensor<7x2xf32> {
  %p:2 = soap.all_to_all %x [#soap.region<[0:4], [0:2]>, #soap.region<[0:4], [2:3]>] {soap.slot = 0 : i64} : tensor<4x3xf32> -> tensor<4x2xf32>, tensor<3x2xf32>
  %a = soap.assemble %p#0, %p#1 {soap.slot = 1 : i64, sources = [#soap.region<[0:4], [0:2]>, #soap.region<[0:3], [0:2]>], targets = [#soap.region<[0:4], [0:2]>, #soap.region<[4:7], [0:2]>]} : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<7x2xf32>
  return %a : tensor<7x2xf32>
}
