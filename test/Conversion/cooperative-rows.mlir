// A warp shares a row whose elements are computed again from a reduction over it: its lanes take elements in turn.
// RUN: soap-opt %s -split-input-file --soap-parallelize-kernels='flatten min-work=0' | FileCheck %s
// RUN: soap-opt %s -split-input-file --soap-parallelize-kernels='flatten min-work=0' --soap-finish-kernels --soap-inline-kernels --soap-kernels-to-gpu=kernels=launches | FileCheck %s --check-prefix=GPU
// RUN: soap-opt %s -split-input-file --soap-parallelize-kernels='flatten min-work=0' --soap-finish-kernels --soap-inline-kernels --soap-kernels-to-gpu=kernels=launches --soap-lower-gpu-kernels='chip=sm_80 format=isa' | FileCheck %s --check-prefix=PTX

// Rows of softmax's gradient. In the host's form the first of 32 iterations does the row.
// CHECK-LABEL: func.func private @rows(
// CHECK: soap.parallel_call @rows_loop extent 3200 grain 1(
// CHECK: func.func private @rows_loop({{.*}} attributes {soap.lanes}
// CHECK: scf.for %[[I:.*]] = %arg4 to %arg5
// CHECK: %[[LANE:.*]] = arith.remui %[[I]], %{{.*}}
// CHECK: %[[ROW:.*]] = arith.divui %[[I]], %{{.*}}
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %{{.*}}
// CHECK: scf.if %[[FIRST]] {
// CHECK: %[[SUM:.*]] = scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: memref.load %arg0[%[[ROW]], %[[J]]]
// CHECK: } {soap.lanes}

// A lane keeps its three elements of both operands: no loop, and nothing is loaded twice.
// GPU-LABEL: gpu.func @rows_loop
// GPU: %[[LANE:.*]] = arith.remui
// GPU: arith.addi %[[LANE]], %c0
// GPU: arith.addi %[[LANE]], %c32
// GPU: %[[LAST:.*]] = arith.addi %[[LANE]], %c64
// GPU: memref.load %arg0[%{{.*}}, %[[LAST]]]
// GPU: %[[ALL:.*]] = gpu.subgroup_reduce add %{{.*}} uniform : (f32) -> f32
// GPU: %[[SUM:.*]] = arith.addf %{{.*}}, %[[ALL]] : f32
// GPU: scf.if %{{.*}} {
// GPU: memref.store %[[SUM]], %arg2
// GPU-NOT: scf.for
// GPU: gpu.return
// PTX-LABEL: .entry rows_loop(
// PTX-COUNT-6: ld.global
// PTX: shfl.sync.bfly.b32
// PTX-NOT: ld.global
// PTX: ret;
func.func @program(%dy: memref<100x96xf32>, %y: memref<100x96xf32>, %dx: memref<100x96xf32>, %s: memref<100xf32>) {
  soap.kernel_call @rows ins(%dy, %y : memref<100x96xf32>, memref<100x96xf32>) outs(%dx, %s : memref<100x96xf32>, memref<100xf32>)
  return
}
func.func private @rows(%dy: memref<100x96xf32> {llvm.noalias}, %y: memref<100x96xf32> {llvm.noalias}, %dx: memref<100x96xf32> {llvm.noalias}, %s: memref<100xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  scf.for %r = %c0 to %c100 step %c1 {
    %sum = scf.for %j = %c0 to %c96 step %c1 iter_args(%acc = %zero) -> (f32) {
      %a = memref.load %dy[%r, %j] : memref<100x96xf32>
      %b = memref.load %y[%r, %j] : memref<100x96xf32>
      %p = arith.mulf %a, %b : f32
      %n = arith.addf %acc, %p : f32
      scf.yield %n : f32
    }
    memref.store %sum, %s[%r] : memref<100xf32>
    scf.for %j = %c0 to %c96 step %c1 {
      %a = memref.load %dy[%r, %j] : memref<100x96xf32>
      %b = memref.load %y[%r, %j] : memref<100x96xf32>
      %d = arith.subf %a, %sum : f32
      %p = arith.mulf %b, %d : f32
      memref.store %p, %dx[%r, %j] : memref<100x96xf32>
    }
  }
  return
}

// -----

// A product reads its second operand across the sum, so an element stays with a thread.
// CHECK-LABEL: func.func private @product(
// CHECK: soap.parallel_call @product_loop extent 640 grain
// CHECK-NOT: soap.lanes
func.func @other(%a: memref<8x96xf32>, %b: memref<96x80xf32>, %y: memref<8x80xf32>) {
  soap.kernel_call @product ins(%a, %b : memref<8x96xf32>, memref<96x80xf32>) outs(%y : memref<8x80xf32>)
  return
}
func.func private @product(%a: memref<8x96xf32>, %b: memref<96x80xf32>, %y: memref<8x80xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c80 = arith.constant 80 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c80 step %c1 {
      %sum = scf.for %k = %c0 to %c96 step %c1 iter_args(%acc = %zero) -> (f32) {
        %u = memref.load %a[%i, %k] : memref<8x96xf32>
        %v = memref.load %b[%k, %j] : memref<96x80xf32>
        %p = arith.mulf %u, %v : f32
        %n = arith.addf %acc, %p : f32
        scf.yield %n : f32
      }
      memref.store %sum, %y[%i, %j] : memref<8x80xf32>
    }
  }
  return
}

// -----

// Elements of a row that the reduction writes and others read are not a lane's alone.
// CHECK-LABEL: func.func private @kept(
// CHECK: soap.parallel_call @kept_loop extent 100 grain 1
// CHECK-NOT: soap.lanes
func.func @third(%x: memref<100x96xf32>, %y: memref<100x96xf32>) {
  soap.kernel_call @kept ins(%x : memref<100x96xf32>) outs(%y : memref<100x96xf32>)
  return
}
func.func private @kept(%x: memref<100x96xf32>, %y: memref<100x96xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  scf.for %r = %c0 to %c100 step %c1 {
    %sum = scf.for %j = %c0 to %c96 step %c1 iter_args(%acc = %zero) -> (f32) {
      %a = memref.load %x[%r, %j] : memref<100x96xf32>
      %e = math.exp %a : f32
      memref.store %e, %y[%r, %j] : memref<100x96xf32>
      %n = arith.addf %acc, %e : f32
      scf.yield %n : f32
    }
    scf.for %j = %c0 to %c96 step %c1 {
      %a = memref.load %y[%r, %j] : memref<100x96xf32>
      %p = arith.divf %a, %sum : f32
      memref.store %p, %y[%r, %j] : memref<100x96xf32>
    }
  }
  return
}

// -----

// Rows of 100: lanes have three or four elements in registers. In the last 32, lanes behind the end load the last element
// and neither fold nor store.
// CHECK-LABEL: func.func private @uneven(
// CHECK: soap.parallel_call @uneven_loop extent 3200 grain 1
// GPU-LABEL: gpu.func @uneven_loop
// GPU: %[[LANE:.*]] = arith.remui
// GPU: %[[AT:.*]] = arith.addi %[[LANE]], %c96
// GPU: %[[INSIDE:.*]] = arith.cmpi slt, %[[AT]], %c100
// GPU: %[[CLOSE:.*]] = arith.minsi %[[AT]], %c99
// GPU: memref.load %arg0[%{{.*}}, %[[CLOSE]]]
// GPU: %[[SUM:.*]] = arith.addf
// GPU: %[[OWN:.*]] = arith.select %[[INSIDE]], %[[SUM]], %
// GPU: %[[ALL:.*]] = gpu.subgroup_reduce add %[[OWN]] uniform : (f32) -> f32
// GPU: arith.addf %{{.*}}, %[[ALL]] : f32
// GPU: scf.if
// GPU-NEXT: memref.store
func.func @fourth(%x: memref<100x100xf32>, %y: memref<100x100xf32>) {
  soap.kernel_call @uneven ins(%x : memref<100x100xf32>) outs(%y : memref<100x100xf32>)
  return
}
func.func private @uneven(%x: memref<100x100xf32>, %y: memref<100x100xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  scf.for %r = %c0 to %c100 step %c1 {
    %sum = scf.for %j = %c0 to %c100 step %c1 iter_args(%acc = %zero) -> (f32) {
      %a = memref.load %x[%r, %j] : memref<100x100xf32>
      %n = arith.addf %acc, %a : f32
      scf.yield %n : f32
    }
    scf.for %j = %c0 to %c100 step %c1 {
      %a = memref.load %x[%r, %j] : memref<100x100xf32>
      %d = arith.subf %a, %sum : f32
      memref.store %d, %y[%r, %j] : memref<100x100xf32>
    }
  }
  return
}

// -----

// A row of more elements than a lane keeps: eight loads are under way, before the first store. Behind the loop are the
// last 20 elements, which twelve lanes have not.
// CHECK-LABEL: func.func private @long(
// CHECK: soap.parallel_call @long_loop extent 65536 grain 1(
// GPU-LABEL: gpu.func @long_loop
// GPU: scf.for %{{.*}} = %{{.*}} to %c1280{{.*}} step %c256
// GPU-COUNT-8: memref.load %arg1
// GPU-NOT: memref.load
// GPU-COUNT-8: memref.store %{{.*}}, %arg2
// GPU: memref.load %arg1
// GPU-NOT: memref.load
// GPU: scf.if
// GPU-NEXT: memref.store %{{.*}}, %arg2
// GPU-NOT: memref.store
// GPU: gpu.return
// The division stays outside of the loop.
// PTX-LABEL: .entry long_loop(
// PTX: rcp.rn.f32
// PTX-NOT: div.rn.f32
// PTX: ret;
func.func @tables(%x: memref<2048x1300xf32>, %s: memref<2048xf32>, %y: memref<2048x1300xf32>) {
  soap.kernel_call @long ins(%x, %s : memref<2048x1300xf32>, memref<2048xf32>) outs(%y : memref<2048x1300xf32>)
  return
}
func.func private @long(%x: memref<2048x1300xf32> {llvm.noalias}, %s: memref<2048xf32> {llvm.noalias}, %y: memref<2048x1300xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1300 = arith.constant 1300 : index
  %c2048 = arith.constant 2048 : index
  %one = arith.constant 1.0 : f32
  scf.for %r = %c0 to %c2048 step %c1 {
    %sum = memref.load %s[%r] : memref<2048xf32>
    %inverse = arith.divf %one, %sum : f32
    scf.for %j = %c0 to %c1300 step %c1 {
      %a = memref.load %x[%r, %j] : memref<2048x1300xf32>
      %p = arith.mulf %a, %inverse fastmath<reassoc,contract> : f32
      memref.store %p, %y[%r, %j] : memref<2048x1300xf32>
    }
  }
  return
}
