// Which loops may be split.
// RUN: soap-opt %s --soap-print-op-graph='function=loops' -o /dev/null | FileCheck %s
// RUN: soap-opt %s --soap-auto-parallel='topology=cpu-2 function=loops proposals=2' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#id = affine_map<(i, j) -> (i, j)>
#half = affine_map<(i, j) -> (i floordiv 2, j)>
#row = affine_map<(i, j) -> (i)>

func.func @loops(%x: tensor<4x6xf32>, %h: tensor<2x6xf32>) -> (tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %r = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%one : f32) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  // A map that divides: whole.
  // CHECK: up: generic
  // CHECK-NEXT: d0=4 serial, d1=6 attribute
  // REMARK: remark: 'linalg.generic' is not split along d0
  %up = linalg.generic {indexing_maps = [#half, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<2x6xf32>) outs(%e : tensor<4x6xf32>) attrs = {soap.name = "up"} {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<4x6xf32>
  // A product is no sum.
  // CHECK: product: reduce
  // CHECK-NEXT: d0=4 attribute, d1=6 serial
  %product = linalg.reduce ins(%x : tensor<4x6xf32>) outs(%f : tensor<4xf32>) dimensions = [1] {soap.name = "product"}
    (%a: f32, %acc: f32) {
      %p = arith.mulf %acc, %a : f32
      linalg.yield %p : f32
    }
  // A maximum that ignores NaN is none that parts can be folded by.
  // CHECK: maxnum: reduce
  // CHECK-NEXT: d0=4 attribute, d1=6 serial
  %maxnum = linalg.reduce ins(%x : tensor<4x6xf32>) outs(%f : tensor<4xf32>) dimensions = [1] {soap.name = "maxnum"}
    (%a: f32, %acc: f32) {
      %p = arith.maxnumf %acc, %a : f32
      linalg.yield %p : f32
    }
  // CHECK: maximum: reduce
  // CHECK-NEXT: d0=4 attribute, d1=6 reduction
  %maximum = linalg.reduce ins(%x : tensor<4x6xf32>) outs(%f : tensor<4xf32>) dimensions = [1] {soap.name = "maximum"}
    (%a: f32, %acc: f32) {
      %p = arith.maximumf %acc, %a : f32
      linalg.yield %p : f32
    }
  return %up, %product, %maxnum, %maximum : tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
