// TOSA by upstream's pipeline to linalg; what comes out is a program as any other.
// RUN: soap-opt %s --pass-pipeline='builtin.module(func.func(tosa-to-linalg-named, canonicalize, tosa-to-linalg, tosa-to-arith, tosa-to-tensor), canonicalize)' -o %t.linalg.mlir
// RUN: soap-opt %t.linalg.mlir --soap-mark-arguments='data=0 parameters=1-2' --soap-auto-parallel='topology=cpu-2 function=main proposals=20' \
// RUN:   --soap-partition --soap-lower-to-cpu -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK: llvm.func @main__0

func.func @main(%x: tensor<1x8x4xf32>, %w: tensor<1x4x6xf32>, %b: tensor<1x1x6xf32>) -> tensor<1x8x6xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %x, %w, %zp, %zp : (tensor<1x8x4xf32>, tensor<1x4x6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x6xf32>
  %1 = tosa.add %0, %b : (tensor<1x8x6xf32>, tensor<1x1x6xf32>) -> tensor<1x8x6xf32>
  %2 = tosa.tanh %1 : (tensor<1x8x6xf32>) -> tensor<1x8x6xf32>
  return %2 : tensor<1x8x6xf32>
}
