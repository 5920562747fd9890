// Small updates of different parameters are one launch, at the place of the last one.
// RUN: soap-opt %s --soap-merge-updates | FileCheck %s
// RUN: soap-opt %s --soap-merge-updates=max-extent=16 | FileCheck %s --check-prefix=EXTENT
// RUN: soap-opt %s --soap-merge-updates=max-buffers=4 | FileCheck %s --check-prefix=BUFFERS
// RUN: soap-opt %s --soap-merge-updates=arguments=false | FileCheck %s --check-prefix=APART
// RUN: not soap-opt %s --soap-merge-updates=max-buffers=501 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: soap-opt %s --soap-merge-updates='neighbours=24 arguments=false' | FileCheck %s --check-prefix=NEAR
// MANY: error: expected max-buffers of 1 to 500, got 501

func.func private @update(%w: memref<24xf32>, %g: memref<24xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %w[%i] : memref<24xf32>
    %b = memref.load %g[%i] : memref<24xf32>
    %c = arith.subf %a, %b : f32
    memref.store %c, %w[%i] : memref<24xf32>
  }
  return
}
func.func private @small(%w: memref<4xf32>, %s: memref<f32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %w[%i] : memref<4xf32>
    %b = memref.load %s[] : memref<f32>
    %c = arith.subf %a, %b : f32
    memref.store %c, %w[%i] : memref<4xf32>
  }
  return
}

// CHECK-LABEL: func.func @program
// CHECK-NOT: soap.parallel_call @small
// CHECK: soap.library_call "other"
// CHECK: soap.parallel_call @kernel_updates extent 32 grain 1(%arg0, %arg1, %arg2, %arg4, %arg3, %arg4) {soap.fused_slots = array<i64: 0, 2>, soap.slot = 3 : i64, soap.update}
// CHECK-NEXT: soap.parallel_call @update extent 24 grain 16(%arg0, %arg1) {soap.slot = 4 : i64, soap.update}
// EXTENT-LABEL: func.func @program
// EXTENT: soap.parallel_call @update extent 24
// EXTENT: soap.parallel_call @kernel_updates extent 8 grain 1(%arg2, %arg4, %arg3, %arg4)
// EXTENT: soap.parallel_call @update extent 24
// BUFFERS-LABEL: func.func @program
// BUFFERS: soap.parallel_call @kernel_updates extent 28
// BUFFERS: soap.parallel_call @{{.*}}(%arg3, %arg4
func.func @program(%w1: memref<24xf32>, %g1: memref<24xf32>, %w2: memref<4xf32>, %w3: memref<4xf32>, %s: memref<f32>, %o: memref<4xf32>) {
  soap.parallel_call @update extent 24 grain 16(%w1, %g1) {soap.update, soap.slot = 0 : i64} : memref<24xf32>, memref<24xf32>
  soap.library_call "other" [] outs(%o : memref<4xf32>) {soap.slot = 1 : i64}
  soap.parallel_call @small extent 4 grain 1 (%w2, %s) {soap.update, soap.slot = 2 : i64} : memref<4xf32>, memref<f32>
  soap.parallel_call @small extent 4 grain 1 (%w3, %s) {soap.update, soap.slot = 3 : i64} : memref<4xf32>, memref<f32>
  // A second time the same weights.
  soap.parallel_call @update extent 24 grain 16(%w1, %g1) {soap.update, soap.slot = 4 : i64} : memref<24xf32>, memref<24xf32>
  return
}

// An op that reads an updated weight comes after the update.
// CHECK-LABEL: func.func @reader
// CHECK: soap.parallel_call @small extent 4 grain 1(%arg0, %arg2)
// CHECK-NEXT: soap.library_call "other"
// CHECK-NEXT: soap.parallel_call @small extent 4 grain 1(%arg1, %arg2)
func.func @reader(%w2: memref<4xf32>, %w3: memref<4xf32>, %s: memref<f32>) {
  soap.parallel_call @small extent 4 grain 1 (%w2, %s) {soap.update} : memref<4xf32>, memref<f32>
  soap.library_call "other" [] outs(%w2 : memref<4xf32>)
  soap.parallel_call @small extent 4 grain 1 (%w3, %s) {soap.update} : memref<4xf32>, memref<f32>
  return
}

// A launch that reads arguments alone moves up to the first of its kind, with the buffer that it writes; not above an op that writes its argument, and a launch that reads something else stays.
func.func private @round(%w: memref<24xf32>, %r: memref<24xbf16>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %w[%i] : memref<24xf32>
    %b = arith.truncf %a : f32 to bf16
    memref.store %b, %r[%i] : memref<24xbf16>
  }
  return
}
func.func private @round4(%w: memref<4xf32>, %r: memref<4xbf16>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %w[%i] : memref<4xf32>
    %b = arith.truncf %a : f32 to bf16
    memref.store %b, %r[%i] : memref<4xbf16>
  }
  return
}
// CHECK-LABEL: func.func @arguments
// CHECK: %[[A:.*]] = memref.alloc() : memref<24xbf16>
// CHECK: %[[B:.*]] = memref.alloc() : memref<4xbf16>
// CHECK-NEXT: soap.parallel_call @kernel_arguments extent 28 grain 1(%arg0, %[[A]], %arg1, %[[B]]) {soap.fused_slots = array<i64: 2>, soap.slot = 0 : i64}
// CHECK: soap.library_call "other" [] outs(%{{.*}} : memref<24xf32>)
// CHECK: soap.parallel_call @round extent 24
// CHECK: soap.library_call "other" [] outs(%arg1 : memref<4xf32>)
// CHECK: soap.parallel_call @round4 extent 4
// APART-LABEL: func.func @arguments
// APART-NOT: kernel_arguments
// APART: return
func.func @arguments(%w1: memref<24xf32>, %w2: memref<4xf32>) {
  %a = memref.alloc() : memref<24xbf16>
  soap.parallel_call @round extent 24 grain 16(%w1, %a) {soap.slot = 0 : i64} : memref<24xf32>, memref<24xbf16>
  %o = memref.alloc() : memref<24xf32>
  soap.library_call "other" [] outs(%o : memref<24xf32>) {soap.slot = 1 : i64}
  %b = memref.alloc() : memref<4xbf16>
  soap.parallel_call @round4 extent 4 grain 1 (%w2, %b) {soap.slot = 2 : i64} : memref<4xf32>, memref<4xbf16>
  %c = memref.alloc() : memref<24xbf16>
  soap.parallel_call @round extent 24 grain 16(%o, %c) {soap.slot = 3 : i64} : memref<24xf32>, memref<24xbf16>
  soap.library_call "other" [] outs(%w2 : memref<4xf32>) {soap.slot = 4 : i64}
  %d = memref.alloc() : memref<4xbf16>
  soap.parallel_call @round4 extent 4 grain 1 (%w2, %d) {soap.slot = 5 : i64} : memref<4xf32>, memref<4xbf16>
  return
}

// Launches that do not need each other are one, at the place of the last of them. Not: one whose result is needed
// before; a larger one; one that cannot be done four elements at a time with those that can.
// NEAR-LABEL: func.func @neighbours
// NEAR-NOT: soap.parallel_call @round
// NEAR: soap.library_call "other" [] outs(%arg4 : memref<24xf32>)
// NEAR: soap.parallel_call @kernel_neighbours{{.*}} extent 28 grain 1(%arg0, %[[A:.*]], %arg1, %[[B:.*]]) {soap.fused_slots = array<i64: 0>, soap.slot = 2 : i64}
// NEAR: soap.library_call "other" [] ins(%[[A]] : memref<24xbf16>)
// NEAR: soap.parallel_call @round extent 24 grain 16(%arg4, %[[A]])
// NEAR-NEXT: soap.parallel_call @first extent 4
// NEAR-NEXT: soap.parallel_call @large extent 32
// NEAR-NEXT: return
// CHECK-LABEL: func.func @neighbours
// CHECK-NOT: kernel_neighbours
func.func @neighbours(%x: memref<24xf32>, %y: memref<4xf32>, %c: memref<4xbf16>, %e: memref<32xf32>, %w: memref<24xf32>) {
  %a = memref.alloc() : memref<24xbf16>
  %b = memref.alloc() : memref<4xbf16>
  soap.parallel_call @round extent 24 grain 16(%x, %a) {soap.slot = 0 : i64} : memref<24xf32>, memref<24xbf16>
  soap.library_call "other" [] outs(%w : memref<24xf32>) {soap.slot = 1 : i64}
  soap.parallel_call @round4 extent 4 grain 1 (%y, %b) {soap.slot = 2 : i64} : memref<4xf32>, memref<4xbf16>
  soap.library_call "other" [] ins(%a : memref<24xbf16>) outs(%c : memref<4xbf16>) {soap.slot = 3 : i64}
  soap.parallel_call @round extent 24 grain 16(%w, %a) {soap.slot = 4 : i64} : memref<24xf32>, memref<24xbf16>
  soap.parallel_call @first extent 4 grain 1 (%w, %c) {soap.slot = 5 : i64} : memref<24xf32>, memref<4xbf16>
  soap.parallel_call @large extent 32 grain 1 (%e) {soap.slot = 6 : i64} : memref<32xf32>
  return
}
func.func private @first(%w: memref<24xf32>, %r: memref<4xbf16>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %w[%i] : memref<24xf32>
    %b = arith.truncf %a : f32 to bf16
    memref.store %b, %r[%i] : memref<4xbf16>
  }
  return
}
func.func private @large(%e: memref<32xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %e[%i] : memref<32xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %e[%i] : memref<32xf32>
  }
  return
}

// Halves of the list are told apart by the iteration; a bound is where an update begins.
// CHECK-LABEL: func.func private @kernel_updates
// CHECK-SAME: (%[[W1:.*]]: memref<24xf32>, %[[G1:.*]]: memref<24xf32>, %[[W2:.*]]: memref<4xf32>, %[[S2:.*]]: memref<f32>, %[[W3:.*]]: memref<4xf32>, %[[S3:.*]]: memref<f32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[I]], %c24
// CHECK: scf.if %[[FIRST]] {
// CHECK: memref.store %{{.*}}, %[[W1]][%[[I]]]
// CHECK: } else {
// CHECK: arith.cmpi ult, %[[I]], %c28
// CHECK: %[[J:.*]] = arith.subi %[[I]], %c24
// CHECK: memref.store %{{.*}}, %[[W2]][%[[J]]]
// CHECK: %[[K:.*]] = arith.subi %[[I]], %c28
// CHECK: memref.store %{{.*}}, %[[W3]][%[[K]]]
