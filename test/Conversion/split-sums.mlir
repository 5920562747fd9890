// Long reductions are split where few iterations are independent.
// RUN: soap-opt %s --soap-split-sums='threads=128 min-work=512' | FileCheck %s
// RUN: not soap-opt %s --soap-split-sums=threads=0 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: expected at least 1 thread, got 0

// Four sums of 1024 in 32 parts each, in f64, whose rows no warp shares, which start at 0; the sum starts where it did.
// CHECK-LABEL: func.func private @rows
// CHECK: %[[PARTS:.*]] = memref.alloca() : memref<4x32xf64>
// CHECK: scf.for %[[ROW:.*]] = %c0{{.*}} to %c4
// CHECK: scf.for %[[PART:.*]] = %{{.*}} to %c32
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} to %c32{{.*}} iter_args(%{{.*}} = %[[ZERO]])
// Parts side by side read side by side.
// CHECK: %[[FIRST:.*]] = arith.muli %[[I]], %c32
// CHECK: %[[AT:.*]] = arith.addi %[[FIRST]], %[[PART]]
// CHECK: memref.load %arg0[%[[ROW]], %[[AT]]]
// CHECK: memref.store %[[SUM]], %[[PARTS]][%[[ROW]], %[[PART]]]
// CHECK: scf.for %[[ROW2:.*]] = %c0{{.*}} to %c4
// CHECK: scf.for %[[P:.*]] = %{{.*}} to %c32{{.*}} iter_args(%[[ACC:.*]] = %cst)
// CHECK: %[[V:.*]] = memref.load %[[PARTS]][%[[ROW2]], %[[P]]]
// CHECK: arith.addf %[[ACC]], %[[V]] fastmath<reassoc> : f64
func.func private @rows(%x: memref<4x1024xf64>, %y: memref<4xf64>) {
  %cst = arith.constant 1.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %s = scf.for %j = %c0 to %c1024 step %c1 iter_args(%a = %cst) -> (f64) {
      %v = memref.load %x[%i, %j] : memref<4x1024xf64>
      %b = arith.addf %a, %v fastmath<reassoc> : f64
      scf.yield %b : f64
    }
    memref.store %s, %y[%i] : memref<4xf64>
  }
  return
}
// A maximum and a sum over all, in nested loops: each iteration of the outer one in two parts, which warps share. One
// thread folds, so the parts are about the root of the elements.
// CHECK-LABEL: func.func private @all
// CHECK-DAG: memref.alloca() : memref<16xf32>
// CHECK-DAG: memref.alloca() : memref<16xf32>
// CHECK: scf.for %[[PART:.*]] = %{{.*}} to %c16
// CHECK-DAG: %[[ADD:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[MAX:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[OUTER:.*]] = arith.divui %[[PART]], %c2
// CHECK: %[[INNER:.*]] = arith.remui %[[PART]], %c2
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c32{{.*}} iter_args(%{{.*}} = %[[ADD]], %{{.*}} = %[[MAX]])
// CHECK: %[[FIRST:.*]] = arith.muli %[[INNER]], %c32
// CHECK: %[[AT:.*]] = arith.addi %[[FIRST]], %[[I]]
// CHECK: memref.load %arg0[%[[OUTER]], %[[AT]]]
func.func private @all(%x: memref<8x64xf32>, %y: memref<f32>, %z: memref<f32>) {
  %cst = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %s:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %cst, %m = %cst) -> (f32, f32) {
    %t:2 = scf.for %j = %c0 to %c64 step %c1 iter_args(%a1 = %a, %m1 = %m) -> (f32, f32) {
      %v = memref.load %x[%i, %j] : memref<8x64xf32>
      %n = arith.maximumf %m1, %v : f32
      %b = arith.addf %v, %a1 : f32
      scf.yield %b, %n : f32, f32
    }
    scf.yield %t#0, %t#1 : f32, f32
  }
  memref.store %s#0, %y[] : memref<f32>
  memref.store %s#1, %z[] : memref<f32>
  return
}
// The value depends on the sum so far: no sum of parts.
// CHECK-LABEL: func.func private @chained
// CHECK-NOT: memref.alloca
func.func private @chained(%x: memref<1024xf32>, %y: memref<f32>) {
  %cst = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %s = scf.for %i = %c0 to %c1024 step %c1 iter_args(%a = %cst) -> (f32) {
    %v = memref.load %x[%i] : memref<1024xf32>
    %h = arith.mulf %a, %v : f32
    %b = arith.addf %a, %h : f32
    scf.yield %b : f32
  }
  memref.store %s, %y[] : memref<f32>
  return
}
// It reads what its nest writes. The sum before it reads what a later op writes, and is split.
// CHECK-LABEL: func.func private @own
// CHECK-COUNT-1: memref.alloca
// CHECK-NOT: memref.alloca
func.func private @own(%x: memref<1024xf32>) {
  %cst = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %s = scf.for %i = %c0 to %c1024 step %c1 iter_args(%a = %cst) -> (f32) {
    %v = memref.load %x[%i] : memref<1024xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  memref.store %s, %x[%c0] : memref<1024xf32>
  scf.for %j = %c0 to %c1024 step %c1 {
    %t = scf.for %i = %c0 to %c1024 step %c1 iter_args(%a = %cst) -> (f32) {
      %v = memref.load %x[%i] : memref<1024xf32>
      %b = arith.addf %a, %v : f32
      scf.yield %b : f32
    }
    memref.store %t, %x[%j] : memref<1024xf32>
  }
  return
}
// Short, and enough independent ones.
// CHECK-LABEL: func.func private @short
// CHECK-NOT: memref.alloca
func.func private @short(%x: memref<4x64xf32>, %y: memref<4xf32>, %u: memref<128x1024xf32>, %v: memref<128xf32>) {
  %cst = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %s = scf.for %j = %c0 to %c64 step %c1 iter_args(%a = %cst) -> (f32) {
      %w = memref.load %x[%i, %j] : memref<4x64xf32>
      %b = arith.addf %a, %w : f32
      scf.yield %b : f32
    }
    memref.store %s, %y[%i] : memref<4xf32>
  }
  scf.for %i = %c0 to %c128 step %c1 {
    %s = scf.for %j = %c0 to %c1024 step %c1 iter_args(%a = %cst) -> (f32) {
      %w = memref.load %u[%i, %j] : memref<128x1024xf32>
      %b = arith.addf %a, %w : f32
      scf.yield %b : f32
    }
    memref.store %s, %v[%i] : memref<128xf32>
  }
  return
}
// A mean, and a sum that reads it: the mean gets a nest of its own, which a warp per column folds, and the parts of the
// second sum read it.
// CHECK-LABEL: func.func private @twice
// CHECK: memref.alloca() : memref<2x64xf32>
// CHECK: %[[MEANS:.*]] = memref.alloca() : memref<2xf32>
// CHECK: %[[FIRSTS:.*]] = memref.alloca() : memref<2x64xf32>
// CHECK: memref.load %arg0[
// CHECK: memref.store %{{.*}}, %[[FIRSTS]][
// CHECK: memref.load %[[FIRSTS]][
// CHECK: memref.store %{{.*}}, %[[MEANS]][
// CHECK-NOT: memref.load %[[FIRSTS]][
// CHECK: memref.load %[[MEANS]][
// CHECK: memref.load %arg0[
// CHECK-NOT: memref.load %[[FIRSTS]][
// CHECK: return
func.func private @twice(%x: memref<4096x2xf32>, %y: memref<2xf32>) {
  %cst = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4096 = arith.constant 4096 : index
  scf.for %c = %c0 to %c2 step %c1 {
    %mean = scf.for %i = %c0 to %c4096 step %c1 iter_args(%a = %cst) -> (f32) {
      %v = memref.load %x[%i, %c] : memref<4096x2xf32>
      %b = arith.addf %a, %v : f32
      scf.yield %b : f32
    }
    %s = scf.for %i = %c0 to %c4096 step %c1 iter_args(%a = %cst) -> (f32) {
      %v = memref.load %x[%i, %c] : memref<4096x2xf32>
      %d = arith.subf %v, %mean : f32
      %b = arith.addf %a, %d : f32
      scf.yield %b : f32
    }
    memref.store %s, %y[%c] : memref<2xf32>
  }
  return
}
func.func @program(%x: memref<4x1024xf32>, %y: memref<4xf32>, %a: memref<8x64xf32>, %f: memref<f32>, %g: memref<f32>, %r: memref<1024xf32>, %s: memref<4x64xf32>, %u: memref<128x1024xf32>, %v: memref<128xf32>) {
  soap.kernel_call @rows ins(%x : memref<4x1024xf32>) outs(%y : memref<4xf32>)
  soap.kernel_call @all ins(%a : memref<8x64xf32>) outs(%f, %g : memref<f32>, memref<f32>)
  soap.kernel_call @chained ins(%r : memref<1024xf32>) outs(%f : memref<f32>)
  soap.kernel_call @own outs(%r : memref<1024xf32>) {in_place}
  %z = memref.alloc() : memref<4096x2xf32>
  %w = memref.alloc() : memref<2xf32>
  soap.kernel_call @twice ins(%z : memref<4096x2xf32>) outs(%w : memref<2xf32>)
  soap.kernel_call @short ins(%s : memref<4x64xf32>) outs(%y, %u, %v : memref<4xf32>, memref<128x1024xf32>, memref<128xf32>)
  return
}
