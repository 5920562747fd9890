// Loops with independent iterations become functions of a range, whichever loop of the nest it is.
// RUN: soap-opt %s --soap-parallelize-kernels=min-work=100 -split-input-file | FileCheck %s
// RUN: soap-opt %s --soap-parallelize-kernels=min-work=1000000 -split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: soap-opt %s --soap-parallelize-kernels=min-work=100 --soap-programs-to-llvm -split-input-file | FileCheck %s --check-prefix=LLVM

// SMALL-NOT: soap.parallel_call

// One loop over all elements, in whole vectors.
// CHECK-LABEL: func.func private @scale
// CHECK-NOT: scf.for
// CHECK: soap.parallel_call @scale_loop extent 512 grain 16(%arg0, %arg1) : memref<512xf32>, memref<512xf32>
// CHECK-NEXT: return
// CHECK: func.func private @scale_loop(%[[X:.*]]: memref<512xf32> {llvm.noalias}, %[[Y:.*]]: memref<512xf32> {llvm.noalias}, %[[B:.*]]: index, %[[E:.*]]: index) attributes {passthrough = ["noinline"]}
// CHECK: scf.for %[[I:.*]] = %[[B]] to %[[E]] step
// CHECK-NEXT: memref.load %[[X]][%[[I]]]
func.func private @scale(%x: memref<512xf32> {llvm.noalias}, %y: memref<512xf32> {llvm.noalias}) attributes {passthrough = ["noinline"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  scf.for %i = %c0 to %c512 step %c1 {
    %a = memref.load %x[%i] : memref<512xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %y[%i] : memref<512xf32>
  }
  return
}
func.func @f(%x: memref<512xf32>, %y: memref<512xf32>, %arena: memref<0xi8>) attributes {soap.arena_bytes = 0 : i64} {
  soap.kernel_call @scale ins(%x : memref<512xf32>) outs(%y : memref<512xf32>)
  return
}

// -----

// A sum over rows: columns are independent of each other, rows are not. All threads walk along all rows.
// CHECK-LABEL: func.func private @sum
// CHECK: soap.parallel_call @sum_loop extent 128 grain 16
// CHECK: func.func private @sum_loop({{.*}}, %[[B:[a-z0-9]*]]: index, %[[E:[a-z0-9]*]]: index)
// CHECK: scf.for %{{.*}} = %c0 to %c32
// CHECK-NEXT: scf.for %{{.*}} = %[[B]] to %[[E]]
func.func private @sum(%x: memref<32x128xf32>, %y: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  scf.for %n = %c0 to %c32 step %c1 {
    scf.for %i = %c0 to %c128 step %c1 {
      %a = memref.load %x[%n, %i] : memref<32x128xf32>
      %b = memref.load %y[%i] : memref<128xf32>
      %c = arith.addf %a, %b : f32
      memref.store %c, %y[%i] : memref<128xf32>
    }
  }
  return
}
func.func @f(%x: memref<32x128xf32>, %y: memref<128xf32>, %arena: memref<0xi8>) attributes {soap.arena_bytes = 0 : i64} {
  soap.kernel_call @sum ins(%x : memref<32x128xf32>) outs(%y : memref<128xf32>)
  return
}

// -----

// Positions in digits: i * 64 + j says which i it is, and so does a position read two elements before none.
// CHECK-LABEL: func.func private @digits
// CHECK: soap.parallel_call @digits_loop extent 32 grain 1
// LLVM: llvm.func internal @digits(
// LLVM: llvm.call @soap_rt_parallel(
// LLVM: llvm.func internal @digits_loop(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// LLVM: llvm.func internal @digits_loop_range(%[[LIST:.*]]: !llvm.ptr, %[[B:.*]]: i64, %[[E:.*]]: i64)
// LLVM: llvm.call @digits_loop(%{{.*}}, %{{.*}}, %[[B]], %[[E]])
func.func private @digits(%x: memref<2048xf32>, %y: memref<2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c32 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %row = arith.muli %i, %c64 : index
      %at = arith.addi %row, %j : index
      %a = memref.load %x[%at] : memref<2048xf32>
      memref.store %a, %y[%at] : memref<2048xf32>
    }
  }
  return
}
func.func @f(%x: memref<2048xf32>, %y: memref<2048xf32>, %arena: memref<0xi8>) attributes {soap.arena_bytes = 0 : i64} {
  soap.kernel_call @digits ins(%x : memref<2048xf32>) outs(%y : memref<2048xf32>)
  return
}

// -----

// An iteration that reads what the one before has written; a position that two iterations share; a sum of all.
// CHECK-LABEL: func.func private @chain
// CHECK-NOT: soap.parallel_call
func.func private @chain(%y: memref<512xf32>, %z: memref<512xf32>, %s: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c255 = arith.constant 255 : index
  scf.for %i = %c0 to %c255 step %c1 {
    %a = memref.load %y[%i] : memref<512xf32>
    %next = arith.addi %i, %c1 : index
    memref.store %a, %y[%next] : memref<512xf32>
  }
  scf.for %i = %c0 to %c255 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %a = memref.load %y[%i] : memref<512xf32>
      %at = arith.addi %i, %j : index
      memref.store %a, %z[%at] : memref<512xf32>
    }
  }
  scf.for %i = %c0 to %c255 step %c1 {
    %a = memref.load %y[%i] : memref<512xf32>
    %b = memref.load %s[%c0] : memref<1xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %s[%c0] : memref<1xf32>
  }
  return
}
func.func @f(%y: memref<512xf32>, %z: memref<512xf32>, %s: memref<1xf32>, %arena: memref<0xi8>) attributes {soap.arena_bytes = 0 : i64} {
  soap.kernel_call @chain outs(%y, %z, %s : memref<512xf32>, memref<512xf32>, memref<1xf32>)
  return
}
