// A sum in memory, by a thread: after its first load, each of 4096 iterations waits for what the thread has just stored,
// 0.03 us from L1, while loads of the other buffer are under way, four at a time, 0.3 us from L2: 123 + 307 us. Where
// both buffers may be one, each iteration waits for a load: 123 + 1229 us. A sum at another place than was stored waits
// for L2, and so does one at a place that moves.
// RUN: soap-opt %s --soap-audit-launches='chip=h100 bandwidth=1e12' -o /dev/null 2>&1 | FileCheck %s
// CHECK-DAG: {{ +[0-9.]+% +0.432 +1 +32 +4096 .*}} sum (chain
// CHECK-DAG: {{ +[0-9.]+% +1.353 +1 +32 +4096 .*}} sum_of_one (chain
// CHECK-DAG: {{ +[0-9.]+% +1.230 +1 +32 +4096 .*}} elsewhere (chain
// CHECK-DAG: {{ +[0-9.]+% +1.230 +1 +32 +4095 .*}} moving (chain
module {
  func.func @train(%v: memref<4096xf32>, %t: memref<2xf32>, %u: memref<4096xf32>, %arena: memref<64xi8>) attributes {soap.arena_bytes = 64 : i64} {
    soap.parallel_call @sum extent 1 grain 1(%v, %t) : memref<4096xf32>, memref<2xf32>
    soap.parallel_call @sum_of_one extent 1 grain 1(%v, %t) : memref<4096xf32>, memref<2xf32>
    soap.parallel_call @elsewhere extent 1 grain 1(%v, %t) : memref<4096xf32>, memref<2xf32>
    soap.parallel_call @moving extent 1 grain 1(%v, %u) : memref<4096xf32>, memref<4096xf32>
    return
  }
  func.func private @sum(%x: memref<4096xf32>, %y: memref<2xf32> {llvm.noalias}, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4096 = arith.constant 4096 : index
    scf.for %j = %c0 to %c4096 step %c1 {
      %s = memref.load %y[%c0] : memref<2xf32>
      %a = memref.load %x[%j] : memref<4096xf32>
      %b = arith.addf %s, %a : f32
      memref.store %b, %y[%c0] : memref<2xf32>
    }
    return
  }
  func.func private @sum_of_one(%x: memref<4096xf32>, %y: memref<2xf32>, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4096 = arith.constant 4096 : index
    scf.for %j = %c0 to %c4096 step %c1 {
      %s = memref.load %y[%c0] : memref<2xf32>
      %a = memref.load %x[%j] : memref<4096xf32>
      %b = arith.addf %s, %a : f32
      memref.store %b, %y[%c0] : memref<2xf32>
    }
    return
  }
  func.func private @elsewhere(%x: memref<4096xf32>, %y: memref<2xf32> {llvm.noalias}, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4096 = arith.constant 4096 : index
    scf.for %j = %c0 to %c4096 step %c1 {
      %s = memref.load %y[%c0] : memref<2xf32>
      %a = memref.load %x[%j] : memref<4096xf32>
      %b = arith.addf %s, %a : f32
      memref.store %b, %y[%c1] : memref<2xf32>
    }
    return
  }
  func.func private @moving(%x: memref<4096xf32>, %y: memref<4096xf32> {llvm.noalias}, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4096 = arith.constant 4096 : index
    scf.for %j = %c1 to %c4096 step %c1 {
      %i = arith.subi %j, %c1 : index
      %s = memref.load %y[%i] : memref<4096xf32>
      %a = memref.load %x[%j] : memref<4096xf32>
      %b = arith.addf %s, %a : f32
      memref.store %b, %y[%j] : memref<4096xf32>
    }
    return
  }
}
