// Sums over any axes have threads enough and move each byte about once, in f32 and bf16: over a middle and the first
// axis, of few columns, of two axes side by side and apart, and of all. A thread a sum would take 189 ms for the last.
// RUN: soap-opt %s --soap-lower-to-cuda='chip=sm_90 until=launches' -o %t.mlir
// RUN: soap-opt %t.mlir --soap-audit-launches='chip=h200 program=axis rows=1 max-share=0.5 max-ratio=1.4 max-total-ratio=1.4' -o /dev/null
// RUN: soap-opt %t.mlir --soap-audit-launches='chip=h200 program=few rows=3' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: soap-opt %t.mlir --soap-audit-launches='chip=h200 program=all rows=3' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: sed "s/xf32/xbf16/g; s/<f32>/<bf16>/g" %s | soap-opt --soap-lower-to-cuda='chip=sm_90 until=launches' -o %t.mlir
// RUN: soap-opt %t.mlir --soap-audit-launches='chip=h200 program=axis rows=1 max-share=0.5 max-ratio=2 max-total-ratio=2' -o /dev/null
// RUN: soap-opt %t.mlir --soap-audit-launches='chip=h200 program=few rows=3' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: soap-opt %t.mlir --soap-audit-launches='chip=h200 program=all rows=3' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// FEW: step 0.0{{[0-4].*}} ms: 2 launches
// A warp a part of 4,096 elements, threads for 32 parts of these, and one for the rest.
// ALL-DAG: {{ 65536 +128 .*}} kernel_{{.*}}_reduce_loop
// ALL-DAG: {{ 1024 +2 .*}} kernel_{{.*}}_reduce_loop
// ALL-DAG: {{ 32 +32 .*}} kernel_{{.*}}_reduce_rest
// ALL: step 0.0{{[0-2].*}} ms: 3 launches
func.func @axis_middle(%x: tensor<64x512x256xf32>) -> tensor<64x256xf32> {
  %a = soap.reduce sum %x {axes = array<i64: 1>} : (tensor<64x512x256xf32>) -> tensor<64x256xf32>
  return %a : tensor<64x256xf32>
}
func.func @axis_first(%x: tensor<8192x2048xf32>) -> tensor<2048xf32> {
  %a = soap.reduce sum %x {axes = array<i64: 0>} : (tensor<8192x2048xf32>) -> tensor<2048xf32>
  return %a : tensor<2048xf32>
}
func.func @axis_two(%x: tensor<64x128x1000xf32>) -> tensor<1000xf32> {
  %a = soap.reduce sum %x {axes = array<i64: 0, 1>} : (tensor<64x128x1000xf32>) -> tensor<1000xf32>
  return %a : tensor<1000xf32>
}
func.func @axis_outer(%x: tensor<64x128x56x56xf32>) -> tensor<128xf32> {
  %a = soap.reduce sum %x {axes = array<i64: 0, 2, 3>} : (tensor<64x128x56x56xf32>) -> tensor<128xf32>
  return %a : tensor<128xf32>
}
func.func @axis_odd(%x: tensor<513x77x333xf32>) -> tensor<513x333xf32> {
  %a = soap.reduce sum %x {axes = array<i64: 1>} : (tensor<513x77x333xf32>) -> tensor<513x333xf32>
  return %a : tensor<513x333xf32>
}
func.func @few(%x: tensor<1048576x10xf32>) -> tensor<10xf32> {
  %a = soap.reduce sum %x {axes = array<i64: 0>} : (tensor<1048576x10xf32>) -> tensor<10xf32>
  return %a : tensor<10xf32>
}
func.func @all(%x: tensor<4096x2048xf32>) -> tensor<1xf32> {
  %a = soap.reduce sum %x {axes = array<i64: 0, 1>} : (tensor<4096x2048xf32>) -> tensor<f32>
  %b = soap.reshape %a : (tensor<f32>) -> tensor<1xf32>
  return %b : tensor<1xf32>
}
