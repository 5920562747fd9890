// RUN: soap-opt %s --soap-outline-kernels -split-input-file -verify-diagnostics
// RUN: not soap-opt %s -split-input-file --soap-outline-kernels=library=mkl 2>&1 | FileCheck %s
// CHECK: error: unknown library 'mkl': expected onednn, cuda or none

func.func @f(%x: tensor<4xf80>) -> tensor<4xf80> {
  // expected-error @below {{element type 'f80' has no lowering: expected f16, bf16, f32, f64 or an integer of whole bytes, up to i64}}
  %y = soap.relu %x : tensor<4xf80>
  return %y : tensor<4xf80>
}

// -----

// expected-error @below {{program 'f' must be straight-line code}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = soap.relu %x : tensor<4xf32>
  cf.br ^end
^end:
  return %y : tensor<4xf32>
}
