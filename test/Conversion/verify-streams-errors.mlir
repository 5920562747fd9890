// RUN: soap-opt %s --soap-verify-streams --split-input-file --verify-diagnostics

// Written on stream 0, sent on stream 1 too early.
func.func @early(%x: memref<16xf32>) attributes {soap.arena_bytes = 0 : i64, soap.streams = 2 : i64} {
  // expected-note @+1 {{that op is here}}
  soap.parallel_call @fill extent 16 grain 1 (%x) : memref<16xf32>
  // expected-error @+1 {{reads bytes [0, 64) of argument #0 on stream 1, and no event orders it after the op of stream 0 that writes them}}
  soap.send_buffer %x {soap.slot = 1 : i64, soap.stream = 1 : i64} : memref<16xf32>
  return
}
func.func private @fill(%x: memref<16xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %v = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    memref.store %v, %x[%i] : memref<16xf32>
  }
  return
}

// -----

// Memory that is used again while its last reader may still read: views of other shapes at the same place.
func.func @reuse(%arena: memref<128xi8>) attributes {soap.arena_bytes = 128 : i64, soap.streams = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %t = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
  %u = memref.view %arena[%c32][] : memref<128xi8> to memref<4x4xf32>
  // expected-note @+1 {{that op is here}}
  soap.send_buffer %t {soap.slot = 1 : i64, soap.stream = 1 : i64} : memref<16xf32>
  // expected-error @+1 {{writes bytes [32, 64) of argument #0 on stream 0, and no event orders it after the op of stream 1 that reads them}}
  soap.library_call "matmul_f32" [1, 4, 4, 4, 0, 0] outs(%u : memref<4x4xf32>)
  return
}

// -----

// The event was recorded before the op that it should wait for.
func.func @behind(%x: memref<16xf32>) attributes {soap.arena_bytes = 0 : i64, soap.streams = 2 : i64} {
  soap.record_event 0 on 1
  // expected-note @+1 {{that op is here}}
  soap.recv_buffer outs(%x : memref<16xf32>) {soap.slot = 1 : i64, soap.stream = 1 : i64}
  soap.wait_event 0 on 0
  // expected-error @+1 {{writes bytes [0, 64) of argument #0 on stream 0}}
  soap.recv_buffer outs(%x : memref<16xf32>) {soap.slot = 2 : i64}
  return
}

// -----

// A tile that a group receives is not there before the group's end.
func.func @group(%x: memref<16xf32>) attributes {soap.arena_bytes = 0 : i64, soap.streams = 1 : i64} {
  soap.begin_transfers
  // expected-note @+1 {{that op is here}}
  soap.recv_buffer outs(%x : memref<16xf32>) {soap.slot = 1 : i64}
  // expected-error @+1 {{reads bytes [0, 64) of argument #0 on stream 0}}
  soap.send_buffer %x {soap.slot = 2 : i64} : memref<16xf32>
  soap.end_transfers
  return
}

// -----

func.func @unrecorded(%x: memref<16xf32>) attributes {soap.arena_bytes = 0 : i64, soap.streams = 2 : i64} {
  // expected-error @+1 {{waits for event 3, which no op before it records}}
  soap.wait_event 3 on 0
  return
}

// -----

func.func @twice() attributes {soap.arena_bytes = 0 : i64, soap.streams = 2 : i64} {
  soap.record_event 0 on 1
  // expected-error @+1 {{records event 0 a second time}}
  soap.record_event 0 on 0
  return
}

// -----

func.func @stream(%x: memref<16xf32>) attributes {soap.arena_bytes = 0 : i64, soap.streams = 2 : i64} {
  // expected-error @+1 {{runs on stream 2, but its program has 2}}
  soap.recv_buffer outs(%x : memref<16xf32>) {soap.slot = 1 : i64, soap.stream = 2 : i64}
  return
}

// -----

func.func @endless(%x: memref<16xf32>) attributes {soap.arena_bytes = 0 : i64, soap.streams = 2 : i64} {
  soap.begin_transfers
  // expected-error @+1 {{is in a group of transfers that does not end}}
  soap.recv_buffer outs(%x : memref<16xf32>) {soap.slot = 1 : i64}
  return
}

// -----

func.func @nothing_begun() attributes {soap.arena_bytes = 0 : i64, soap.streams = 2 : i64} {
  // expected-error @+1 {{ends no group of transfers}}
  soap.end_transfers
  return
}

// -----

func.func @in_group() attributes {soap.arena_bytes = 0 : i64, soap.streams = 2 : i64} {
  soap.begin_transfers
  // expected-error @+1 {{stands in a group of transfers}}
  soap.record_event 0 on 0
  soap.end_transfers
  return
}

// -----

// expected-error @+1 {{program 'unordered' has no 'soap.streams': expected --soap-order-streams before}}
func.func @unordered() attributes {soap.arena_bytes = 0 : i64} {
  return
}

// -----

func.func @unplanned(%x: memref<16xf32>) attributes {soap.arena_bytes = 0 : i64, soap.streams = 1 : i64} {
  %t = memref.alloc() : memref<16xf32>
  // expected-error @+1 {{uses a buffer that is no known part of an argument: expected a program of --soap-plan-memory}}
  soap.send_buffer %t {soap.slot = 2 : i64} : memref<16xf32>
  return
}
