// Streams of programs, and the events between them.
// RUN: soap-opt %s --soap-order-streams --soap-verify-streams | FileCheck %s
// RUN: soap-opt %s --soap-order-streams=streams=3 --soap-verify-streams | FileCheck %s --check-prefix=THREE
// RUN: soap-opt %s --soap-order-streams=streams=1 --soap-verify-streams | FileCheck %s --check-prefix=ONE
// RUN: not soap-opt %s --soap-order-streams=streams=0 2>&1 | FileCheck %s --check-prefix=NONE
// ONE-NOT: soap.record_event
// ONE-NOT: soap.stream =
// ONE-NOT: soap.begin_transfers
// NONE: error: expected 1 to 64 streams, got 0

// The send waits for what makes its tile; the write over that tile for the send; the launch between them waits for neither.
// CHECK-LABEL: func.func @send_and_reuse
// CHECK-SAME: soap.streams = 2 : i64
// CHECK: soap.parallel_call @copy {{.*}}(%[[X:.*]], %[[T:.*]]) :
// CHECK-NEXT: soap.record_event 0 on 0
// CHECK-NEXT: soap.wait_event 0 on 1
// CHECK-NEXT: soap.send_buffer %[[T]] {soap.slot = 1 : i64, soap.stream = 1 : i64}
// CHECK-NEXT: soap.record_event 1 on 1
// CHECK-NEXT: soap.parallel_call @copy {{.*}}(%[[X]], %{{.*}}) :
// CHECK-NEXT: soap.wait_event 1 on 0
// CHECK-NEXT: soap.parallel_call @copy {{.*}}(%[[X]], %[[T]]) :
func.func @send_and_reuse(%x: memref<16xf32>, %arena: memref<256xi8>) attributes {soap.arena_bytes = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = memref.view %arena[%c0][] : memref<256xi8> to memref<16xf32>
  %u = memref.view %arena[%c64][] : memref<256xi8> to memref<16xf32>
  soap.parallel_call @copy extent 16 grain 1 (%x, %t) : memref<16xf32>, memref<16xf32>
  soap.send_buffer %t {soap.slot = 1 : i64} : memref<16xf32>
  soap.parallel_call @copy extent 16 grain 1 (%x, %u) : memref<16xf32>, memref<16xf32>
  soap.parallel_call @copy extent 16 grain 1 (%x, %t) : memref<16xf32>, memref<16xf32>
  return
}

// Messages that follow each other are a group, which waits as one, except one that needs what another one brings.
// CHECK-LABEL: func.func @groups
// CHECK: soap.begin_transfers
// CHECK-NEXT: soap.send_buffer %arg0
// CHECK-NEXT: soap.recv_buffer outs(%[[A:.*]] : memref<16xf32>)
// CHECK-NEXT: soap.end_transfers
// CHECK-NEXT: soap.send_buffer %[[A]]
// CHECK-NEXT: soap.record_event 0 on 1
// CHECK-NEXT: soap.wait_event 0 on 0
// CHECK-NEXT: soap.parallel_call @copy
func.func @groups(%x: memref<16xf32>, %y: memref<16xf32>, %arena: memref<64xi8>) attributes {soap.arena_bytes = 64 : i64} {
  %c0 = arith.constant 0 : index
  %t = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  soap.send_buffer %x {soap.slot = 0 : i64} : memref<16xf32>
  soap.recv_buffer outs(%t : memref<16xf32>) {soap.slot = 1 : i64}
  soap.send_buffer %t {soap.slot = 2 : i64} : memref<16xf32>
  soap.parallel_call @copy extent 16 grain 1 (%y, %t) : memref<16xf32>, memref<16xf32>
  return
}

// Two branches on two streams of three; what joins them waits for the other one.
// THREE-LABEL: func.func @branches
// THREE: soap.parallel_call @copy {{.*}}(%arg0, %[[A:.*]]) :
// THREE-NEXT: soap.parallel_call @copy {{.*}}(%arg0, %[[B:.*]]) {soap.stream = 1 : i64}
// THREE-NEXT: soap.record_event 0 on 1
// THREE: soap.parallel_call @copy {{.*}}(%[[A]], %[[C:.*]]) :
// THREE: soap.wait_event 0 on 0
// THREE-NEXT: soap.parallel_call @add {{.*}}(%[[C]], %[[B]]) :
func.func @branches(%x: memref<16xf32>, %arena: memref<192xi8>) attributes {soap.arena_bytes = 192 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %a = memref.view %arena[%c0][] : memref<192xi8> to memref<16xf32>
  %b = memref.view %arena[%c64][] : memref<192xi8> to memref<16xf32>
  %c = memref.view %arena[%c128][] : memref<192xi8> to memref<16xf32>
  soap.parallel_call @copy extent 16 grain 1 (%x, %a) : memref<16xf32>, memref<16xf32>
  soap.parallel_call @copy extent 16 grain 1 (%x, %b) : memref<16xf32>, memref<16xf32>
  soap.parallel_call @copy extent 16 grain 1 (%a, %c) : memref<16xf32>, memref<16xf32>
  soap.parallel_call @add extent 16 grain 1 (%c, %b) : memref<16xf32>, memref<16xf32>
  return
}

func.func private @copy(%x: memref<16xf32>, %y: memref<16xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %x[%i] : memref<16xf32>
    memref.store %v, %y[%i] : memref<16xf32>
  }
  return
}
func.func private @add(%x: memref<16xf32>, %y: memref<16xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %x[%i] : memref<16xf32>
    %w = memref.load %y[%i] : memref<16xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %y[%i] : memref<16xf32>
  }
  return
}
