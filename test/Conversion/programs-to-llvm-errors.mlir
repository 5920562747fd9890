// RUN: soap-opt %s --soap-programs-to-llvm -split-input-file -verify-diagnostics

func.func @f(%x: memref<4xf32>, %arena: memref<0xi8>) attributes {soap.arena_bytes = 0 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{has no lowering in a program: expected calls, sends, receives, copies and views of buffers}}
  %v = memref.load %x[%c0] : memref<4xf32>
  return
}

// -----

func.func @f(%n: index, %arena: memref<64xi8>) attributes {soap.arena_bytes = 64 : i64} {
  // expected-error @below {{must have a constant offset and shape}}
  %v = memref.view %arena[%n][] : memref<64xi8> to memref<4xf32>
  return
}

// -----

func.func @f(%x: memref<4xf32>, %y: memref<4xf32, strided<[2]>>, %arena: memref<0xi8>) attributes {soap.arena_bytes = 0 : i64} {
  // expected-error @below {{must copy a static row-major buffer}}
  memref.copy %x, %y : memref<4xf32> to memref<4xf32, strided<[2]>>
  return
}
