// Where an iteration loads, computes and stores the element of its number, it does four; LLVM joins their accesses.
// RUN: soap-opt %s --soap-widen-kernels=min-extent=64 | FileCheck %s
// RUN: soap-opt %s --soap-widen-kernels | FileCheck %s --check-prefix=FEW
// RUN: not soap-opt %s --soap-widen-kernels=min-extent=2 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: error: expected min-extent of at least 4, got 2
// FEW-NOT: _by_4

// CHECK-LABEL: func.func @program
// CHECK: soap.parallel_call @scale_by_4 extent 128 grain 4(%{{.*}}, %arg1)
// The second buffer begins at 8 bytes.
// CHECK: soap.parallel_call @scale extent 512 grain 16(
// Positions of a bias are digits of the iteration's number, of which its own position consists.
// CHECK: soap.parallel_call @bias_by_4 extent 128 grain 1(
// Neighbours, other numbers of elements, and other elements of what is written are not its own.
// CHECK: soap.parallel_call @shift extent 512 grain 16(
// CHECK: soap.parallel_call @scale_part extent 66 grain 16(
// CHECK: soap.parallel_call @transpose extent 512 grain 16(
func.func @program(%arena: memref<8192xi8>, %y: memref<512xf32>, %b: memref<4xf32>, %i: memref<2x4x64xf32>, %s: memref<66xf32>) attributes {soap.arena_bytes = 8192 : i64} {
  %c64 = arith.constant 64 : index
  %c8 = arith.constant 8 : index
  %x = memref.view %arena[%c64][] : memref<8192xi8> to memref<512xf32>
  %z = memref.view %arena[%c8][] : memref<8192xi8> to memref<512xf32>
  soap.parallel_call @scale extent 512 grain 16(%x, %y) : memref<512xf32>, memref<512xf32>
  soap.parallel_call @scale extent 512 grain 16(%z, %y) : memref<512xf32>, memref<512xf32>
  soap.parallel_call @bias extent 512 grain 1(%i, %b) : memref<2x4x64xf32>, memref<4xf32>
  soap.parallel_call @shift extent 512 grain 16(%x, %y) : memref<512xf32>, memref<512xf32>
  soap.parallel_call @scale_part extent 66 grain 16(%s) : memref<66xf32>
  soap.parallel_call @transpose extent 512 grain 16(%x, %i) : memref<512xf32>, memref<2x4x64xf32>
  return
}

func.func private @scale(%x: memref<512xf32>, %y: memref<512xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %x[%i] : memref<512xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %y[%i] : memref<512xf32>
  }
  return
}
func.func private @bias(%x: memref<2x4x64xf32>, %b: memref<4xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %begin to %end step %c1 {
    %p = arith.remui %i, %c64 : index
    %r = arith.divui %i, %c64 : index
    %c = arith.remui %r, %c4 : index
    %n = arith.divui %r, %c4 : index
    %v = memref.load %x[%n, %c, %p] : memref<2x4x64xf32>
    %a = memref.load %b[%c] : memref<4xf32>
    %w = arith.addf %v, %a : f32
    memref.store %w, %x[%n, %c, %p] : memref<2x4x64xf32>
  }
  return
}
func.func private @shift(%x: memref<512xf32>, %y: memref<512xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %j = arith.xori %i, %c1 : index
    %v = memref.load %x[%i] : memref<512xf32>
    memref.store %v, %y[%j] : memref<512xf32>
  }
  return
}
func.func private @scale_part(%x: memref<66xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %x[%i] : memref<66xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %x[%i] : memref<66xf32>
  }
  return
}
func.func private @transpose(%x: memref<512xf32>, %y: memref<2x4x64xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %begin to %end step %c1 {
    %c = arith.remui %i, %c4 : index
    %r = arith.divui %i, %c4 : index
    %p = arith.remui %r, %c64 : index
    %n = arith.divui %r, %c64 : index
    %v = memref.load %x[%i] : memref<512xf32>
    memref.store %v, %y[%n, %c, %p] : memref<2x4x64xf32>
  }
  return
}

// CHECK-LABEL: func.func private @scale_by_4(
// CHECK-SAME: %[[X:.*]]: memref<512xf32> {llvm.align = 16 : i64}, %[[Y:.*]]: memref<512xf32> {llvm.align = 16 : i64}, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK: scf.for %[[Q:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[I0:.*]] = arith.muli %[[Q]], %{{.*}} overflow<nsw, nuw>
// CHECK: %[[I1:.*]] = arith.addi %[[I0]], %{{.*}} overflow<nsw, nuw>
// CHECK: memref.load %[[X]][%[[I0]]]
// CHECK-NEXT: memref.load %[[X]][%[[I1]]]
// CHECK-NEXT: memref.load %[[X]]
// CHECK-NEXT: memref.load %[[X]]
// CHECK-COUNT-4: arith.addf
// CHECK: memref.store %{{.*}}, %[[Y]][%[[I0]]]
// CHECK-NEXT: memref.store %{{.*}}, %[[Y]][%[[I1]]]
// CHECK-LABEL: func.func private @bias_by_4(
// CHECK: %[[ROW:.*]] = memref.collapse_shape
// CHECK-COUNT-4: memref.load %[[ROW]]
// CHECK-COUNT-4: memref.load %{{.*}} : memref<4xf32>
// CHECK-COUNT-4: memref.store %{{.*}} : memref<512xf32>
