// A function of linalg is searched, partitioned into the same ops on tiles, and lowered.
// RUN: soap-opt %s --soap-apply-strategy='topology=cpu-2 preset=single' --soap-partition | FileCheck %s
// RUN: soap-opt %s --soap-auto-parallel='topology=cpu-4 function=main proposals=20' --soap-partition --soap-lower-to-cpu | FileCheck %s --check-prefix=LOWERED

// CHECK: func.func @main__0
// CHECK: linalg.fill
// CHECK: linalg.matmul {soap.slot = 0 : i64}
// CHECK: linalg.generic
// CHECK: arith.constant
// CHECK: arith.maximumf
// CHECK: linalg.matmul {soap.slot = 2 : i64}

// LOWERED: soap.manifest
// LOWERED-NOT: linalg.
// LOWERED: llvm.func @main__0

func.func @main(%x: tensor<8x12xf32>, %w: tensor<12x16xf32>, %b: tensor<16xf32>, %v: tensor<16x6xf32>) -> tensor<8x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x16xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %h = linalg.matmul ins(%x, %w : tensor<8x12xf32>, tensor<12x16xf32>) outs(%f0 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%h, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%e0 : tensor<8x16xf32>) {
  ^bb0(%a: f32, %bias: f32, %old: f32):
    %s = arith.addf %a, %bias : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<8x16xf32>
  %e1 = tensor.empty() : tensor<8x6xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %y = linalg.matmul ins(%r, %v : tensor<8x16xf32>, tensor<16x6xf32>) outs(%f1 : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}
