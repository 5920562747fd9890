// Kinds of arguments by number, and a batch size for dynamic dims.
// RUN: soap-opt %s --split-input-file --soap-mark-arguments='data=0 parameters=1-2 batch=8' | FileCheck %s
// RUN: not soap-opt %s --split-input-file --soap-mark-arguments='data=0,7' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not soap-opt %s --split-input-file --soap-mark-arguments='data=0 states=0' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not soap-opt %s --split-input-file --soap-mark-arguments='data=0 sample-dim=2' 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not soap-opt %s --split-input-file --soap-mark-arguments='function=other' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not soap-opt %s --split-input-file --soap-mark-arguments='parameters=2-1' 2>&1 | FileCheck %s --check-prefix=ORDER

// RANGE: option 'data=0,7': '7' is no argument of '@main', expected numbers and ranges from 0 to 2, such as 0,2-4
// TWICE: argument 0 is in 'data' and in 'states', expected one of them
// DIM: option 'sample-dim=2': argument 0 has type 'tensor<?x4xf32>', which has no such dim
// NAME: option 'function=other' names no function with a body
// ORDER: option 'parameters=2-1': '2-1' is no argument

// CHECK: func.func @main(%{{.*}}: tensor<8x4xf32> {soap.kind = "data", soap.sample_dim = 0 : i64}
// CHECK-SAME: %{{.*}}: tensor<4x3xf32> {soap.kind = "parameter"}
// CHECK-SAME: %{{.*}}: tensor<3xf32> {soap.kind = "parameter"}) -> tensor<8x3xf32>
// CHECK: linalg.matmul {{.*}} -> tensor<8x3xf32>
// CHECK: linalg.generic
// CHECK: -> tensor<8x3xf32>
// CHECK-NOT: tensor.cast
// CHECK: return %{{.*}} : tensor<8x3xf32>
func.func @main(%x: tensor<?x4xf32>, %w: tensor<4x3xf32>, %b: tensor<3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x3xf32>) outs(%f : tensor<?x3xf32>) -> tensor<?x3xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y, %b : tensor<?x3xf32>, tensor<3xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%a: f32, %c: f32, %old: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x3xf32>
  return %z : tensor<?x3xf32>
}
