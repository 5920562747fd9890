// RUN: soap-opt %s --soap-plan-memory -split-input-file -verify-diagnostics

func.func @f(%n: index) {
  // expected-error @below {{of type 'memref<?xf32>' has no place in an arena: expected a static row-major buffer of numbers}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

// expected-error @below {{program 'f' must be straight-line code}}
func.func @f() {
  cf.br ^end
^end:
  return
}

// -----

func.func @f(%x: memref<4xf32>) {
  // expected-error @below {{'absent' does not name a function}}
  soap.kernel_call @absent outs(%x : memref<4xf32>)
  return
}

// -----

func.func @f(%x: memref<4xf32>) {
  // expected-error @below {{'k' takes 2 arguments, but there are 1 operands}}
  soap.kernel_call @k outs(%x : memref<4xf32>)
  return
}
func.func private @k(memref<4xf32>, memref<4xf32>)
