// Rows of products become multiples of 16 bytes, in all products and launches that have them, or in none.
// RUN: soap-opt %s --soap-pad-products=min-work=0 --split-input-file | FileCheck %s
// RUN: soap-opt %s --soap-pad-products --split-input-file | FileCheck %s --check-prefix=SMALL --implicit-check-not=padded
// RUN: not soap-opt %s --soap-pad-products=min-work=-1 --split-input-file 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// SMALL: soap.library_call "matmul" [1, 6, 31, 16,
// NEGATIVE: error: option 'min-work=-1': expected a number of at least 0

// Logits of 31 classes: 32 for bf16, since their gradient is read in bf16. The weight has rows of 16, which are whole:
// it has more of them, zeros, since a product sums over them. The gradient of the weight is read by its flat places.
// CHECK-LABEL: func.func @classes
// CHECK: %[[W:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x16xbf16>
// CHECK: soap.parallel_call @cast_padded extent 496 grain 1(%arg1, %[[W]])
// CHECK: %[[Y:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x3x32xf32>
// CHECK-NEXT: soap.parallel_call @pad_rows extent 16 grain 1(%[[W]]) {soap.slot = 1 : i64}
// CHECK-NEXT: soap.library_call "matmul" [1, 6, 32, 16, 0, 1, 2, 0, 0, 0] ins(%arg0, %[[W]] : memref<6x16xbf16>, memref<32x16xbf16>) outs(%[[Y]] : memref<2x3x32xf32>)
// CHECK: %[[D:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x3x32xbf16>
// CHECK-NEXT: soap.parallel_call @grad_padded extent 186 grain 1(%[[Y]], %[[D]])
// CHECK-NEXT: soap.parallel_call @pad_rows_{{[0-9]+}} extent 6 grain 1(%[[D]]) {soap.slot = 3 : i64}
// CHECK-NEXT: soap.library_call "matmul" [1, 6, 16, 32, 0, 0, 2, 0, 0, 0] ins(%[[D]], %[[W]] : memref<2x3x32xbf16>, memref<32x16xbf16>) outs(%arg2 : memref<6x16xf32>)
// CHECK-NEXT: %[[G:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x16xf32>
// CHECK-NEXT: soap.library_call "matmul" [1, 32, 16, 6, 1, 0, 2, 0, 0, 0] ins(%[[D]], %arg0 : memref<2x3x32xbf16>, memref<6x16xbf16>) outs(%[[G]] : memref<32x16xf32>)
// CHECK-NEXT: soap.parallel_call @copy_padded extent 496 grain 1(%[[G]], %arg3)
func.func @classes(%x: memref<6x16xbf16>, %w32: memref<31x16xf32>, %dx: memref<6x16xf32>, %out: memref<31x16xf32>) {
  %w = memref.alloc() {alignment = 64 : i64} : memref<31x16xbf16>
  soap.parallel_call @cast extent 496 grain 1(%w32, %w) : memref<31x16xf32>, memref<31x16xbf16>
  %y = memref.alloc() {alignment = 64 : i64} : memref<2x3x31xf32>
  soap.library_call "matmul" [1, 6, 31, 16, 0, 1, 2, 0, 0, 0] ins(%x, %w : memref<6x16xbf16>, memref<31x16xbf16>) outs(%y : memref<2x3x31xf32>) {soap.slot = 1 : i64}
  %d = memref.alloc() {alignment = 64 : i64} : memref<2x3x31xbf16>
  soap.parallel_call @grad extent 186 grain 1(%y, %d) : memref<2x3x31xf32>, memref<2x3x31xbf16>
  soap.library_call "matmul" [1, 6, 16, 31, 0, 0, 2, 0, 0, 0] ins(%d, %w : memref<2x3x31xbf16>, memref<31x16xbf16>) outs(%dx : memref<6x16xf32>) {soap.slot = 3 : i64}
  %flat = memref.collapse_shape %d [[0, 1, 2]] : memref<2x3x31xbf16> into memref<186xbf16>
  %rows = memref.expand_shape %flat [[0, 1]] output_shape [6, 31] : memref<186xbf16> into memref<6x31xbf16>
  %g = memref.alloc() {alignment = 64 : i64} : memref<31x16xf32>
  soap.library_call "matmul" [1, 31, 16, 6, 1, 0, 2, 0, 0, 0] ins(%rows, %x : memref<6x31xbf16>, memref<6x16xbf16>) outs(%g : memref<31x16xf32>) {soap.slot = 4 : i64}
  soap.parallel_call @copy extent 496 grain 1(%g, %out) : memref<31x16xf32>, memref<31x16xf32>
  return
}
func.func private @cast(%a: memref<31x16xf32>, %b: memref<31x16xbf16>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %from = memref.collapse_shape %a [[0, 1]] : memref<31x16xf32> into memref<496xf32>
  %to = memref.collapse_shape %b [[0, 1]] : memref<31x16xbf16> into memref<496xbf16>
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %from[%i] : memref<496xf32>
    %n = arith.truncf %v : f32 to bf16
    memref.store %n, %to[%i] : memref<496xbf16>
  }
  return
}
// Elements by all their indices stay; flat ones are moved behind longer rows.
// CHECK-LABEL: func.func private @grad_padded(%arg0: memref<2x3x32xf32>, %arg1: memref<2x3x32xbf16>
// CHECK: %[[TO:.*]] = memref.collapse_shape %arg1 {{.*}} into memref<192xbf16>
// CHECK: memref.load %arg0[%{{.*}}, %{{.*}}, %{{.*}}] : memref<2x3x32xf32>
// CHECK: %[[ROW:.*]] = arith.divui %[[I:.*]], %[[C31:.*]] : index
// CHECK: %[[COLUMN:.*]] = arith.remui %[[I]], %[[C31]] : index
// CHECK: %[[BEGIN:.*]] = arith.muli %[[ROW]], %{{.*}} : index
// CHECK: %[[AT:.*]] = arith.addi %[[BEGIN]], %[[COLUMN]] : index
// CHECK: memref.store %{{.*}}, %[[TO]][%[[AT]]] : memref<192xbf16>
func.func private @grad(%a: memref<2x3x31xf32>, %b: memref<2x3x31xbf16>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c31 = arith.constant 31 : index
  %to = memref.collapse_shape %b [[0, 1, 2]] : memref<2x3x31xbf16> into memref<186xbf16>
  scf.for %i = %begin to %end step %c1 {
    %k = arith.remui %i, %c31 : index
    %r = arith.divui %i, %c31 : index
    %s = arith.divui %r, %c3 : index
    %t = arith.remui %r, %c3 : index
    %v = memref.load %a[%s, %t, %k] : memref<2x3x31xf32>
    %n = arith.truncf %v : f32 to bf16
    memref.store %n, %to[%i] : memref<186xbf16>
  }
  return
}
func.func private @copy(%a: memref<31x16xf32>, %b: memref<31x16xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %from = memref.collapse_shape %a [[0, 1]] : memref<31x16xf32> into memref<496xf32>
  %to = memref.collapse_shape %b [[0, 1]] : memref<31x16xf32> into memref<496xf32>
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %from[%i] : memref<496xf32>
    memref.store %v, %to[%i] : memref<496xf32>
  }
  return
}

// -----

// Arguments are copied, an operand once for both products, with zeros behind it.
// CHECK-LABEL: func.func @arguments
// CHECK: %[[W:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x16xf32>
// CHECK-NEXT: soap.parallel_call @copy_padded extent 512 grain 1(%arg1, %[[W]])
// CHECK-NEXT: %[[Y:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6x32xf32>
// CHECK-NEXT: soap.library_call "matmul" [1, 6, 32, 16, 0, 1, 1, 0, 0, 0] ins(%arg0, %[[W]] : {{.*}}) outs(%[[Y]] :
// CHECK-NEXT: soap.parallel_call @copy_unpadded extent 186 grain 1(%[[Y]], %arg2)
// CHECK-NEXT: %[[D:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6x32xf32>
// CHECK-NEXT: soap.parallel_call @copy_padded_{{[0-9]+}} extent 192 grain 1(%arg3, %[[D]])
// CHECK-NEXT: soap.library_call "matmul" [1, 6, 16, 32, 0, 0, 1, 0, 0, 0] ins(%[[D]], %[[W]] :
func.func @arguments(%x: memref<6x16xf32>, %w: memref<31x16xf32>, %y: memref<6x31xf32>, %d: memref<6x31xf32>, %dx: memref<6x16xf32>) {
  soap.library_call "matmul" [1, 6, 31, 16, 0, 1, 1, 0, 0, 0] ins(%x, %w : memref<6x16xf32>, memref<31x16xf32>) outs(%y : memref<6x31xf32>) {soap.slot = 1 : i64}
  soap.library_call "matmul" [1, 6, 16, 31, 0, 0, 1, 0, 0, 0] ins(%d, %w : memref<6x31xf32>, memref<31x16xf32>) outs(%dx : memref<6x16xf32>) {soap.slot = 3 : i64}
  return
}

// -----

// Sent logits stay, and a result of a product that another one sums over: what lies behind it is not 0. So do extents
// of which more than an eighth would be added, and products of many matrices.
// CHECK-LABEL: func.func @sent
// CHECK: soap.library_call "matmul" [1, 6, 31, 16,
// CHECK-LABEL: func.func @chain
// CHECK: soap.library_call "matmul" [1, 6, 31, 16,
// CHECK: soap.library_call "matmul" [1, 6, 16, 31,
// CHECK-LABEL: func.func @narrow
// CHECK: soap.library_call "matmul" [1, 6, 5, 16,
// CHECK-LABEL: func.func @many
// CHECK: soap.library_call "matmul" [2, 6, 31, 16,
func.func @sent(%x: memref<6x16xf32>, %w: memref<31x16xf32>) {
  %y = memref.alloc() : memref<6x31xf32>
  soap.library_call "matmul" [1, 6, 31, 16, 0, 1, 1, 0, 0, 0] ins(%x, %w : memref<6x16xf32>, memref<31x16xf32>) outs(%y : memref<6x31xf32>) {soap.slot = 1 : i64}
  soap.send_buffer %y {soap.slot = 2 : i64} : memref<6x31xf32>
  return
}
func.func @chain(%x: memref<6x16xf32>, %w: memref<31x16xf32>, %v: memref<31x16xf32>, %z: memref<6x16xf32>) {
  %y = memref.alloc() : memref<6x31xf32>
  soap.library_call "matmul" [1, 6, 31, 16, 0, 1, 1, 0, 0, 0] ins(%x, %w : memref<6x16xf32>, memref<31x16xf32>) outs(%y : memref<6x31xf32>) {soap.slot = 1 : i64}
  soap.library_call "matmul" [1, 6, 16, 31, 0, 0, 1, 0, 0, 0] ins(%y, %v : memref<6x31xf32>, memref<31x16xf32>) outs(%z : memref<6x16xf32>) {soap.slot = 2 : i64}
  return
}
func.func @narrow(%x: memref<6x16xf32>, %w: memref<5x16xf32>, %y: memref<6x5xf32>) {
  soap.library_call "matmul" [1, 6, 5, 16, 0, 1, 1, 0, 0, 0] ins(%x, %w : memref<6x16xf32>, memref<5x16xf32>) outs(%y : memref<6x5xf32>) {soap.slot = 1 : i64}
  return
}
func.func @many(%x: memref<2x6x16xf32>, %w: memref<2x31x16xf32>, %y: memref<2x6x31xf32>) {
  soap.library_call "matmul" [2, 6, 31, 16, 0, 1, 1, 0, 0, 0] ins(%x, %w : memref<2x6x16xf32>, memref<2x31x16xf32>) outs(%y : memref<2x6x31xf32>) {soap.slot = 1 : i64}
  return
}

// -----

// The column of a row that a loop goes along needs no division.
// CHECK-LABEL: func.func private @rows_padded(
// CHECK: scf.for %[[COLUMN:.*]] = %{{.*}} to %c31
// CHECK: %[[BEGIN:.*]] = arith.muli %[[ROW:.*]], %c32{{.*}} : index
// CHECK: %[[AT:.*]] = arith.addi %[[BEGIN]], %[[COLUMN]] : index
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[AT]]] : memref<192xf32>
// CHECK-NOT: arith.divui
// CHECK: return
func.func @along(%x: memref<6xf32>, %w: memref<31x16xf32>, %z: memref<6x16xf32>) {
  %y = memref.alloc() : memref<6x31xf32>
  soap.parallel_call @rows extent 6 grain 1(%x, %y) : memref<6xf32>, memref<6x31xf32>
  soap.library_call "matmul" [1, 6, 16, 31, 0, 0, 1, 0, 0, 0] ins(%y, %w : memref<6x31xf32>, memref<31x16xf32>) outs(%z : memref<6x16xf32>) {soap.slot = 1 : i64}
  return
}
func.func private @rows(%x: memref<6xf32>, %y: memref<6x31xf32>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %to = memref.collapse_shape %y [[0, 1]] : memref<6x31xf32> into memref<186xf32>
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %x[%i] : memref<6xf32>
    %first = arith.muli %i, %c31 : index
    scf.for %j = %c0 to %c31 step %c1 {
      %at = arith.addi %first, %j : index
      memref.store %v, %to[%at] : memref<186xf32>
    }
  }
  return
}
