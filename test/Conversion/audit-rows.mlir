// Softmax and norms of rows of any length move each byte about once: rows of 49 as in windows of attention, of 1,000
// classes, which fill no whole warps, and of 4,096.
// RUN: soap-opt %s --soap-lower-to-cuda='chip=sm_90 until=launches' -o %t.mlir
// RUN: soap-opt %t.mlir --soap-audit-launches='chip=h200 program=windows rows=3 max-total-ratio=2.1 max-ratio=2.4 max-uncoalesced=0.01' -o /dev/null
// RUN: soap-opt %t.mlir --soap-audit-launches='chip=h200 program=classes rows=3 max-total-ratio=1.1 max-ratio=1.1 max-uncoalesced=0.01' -o /dev/null
// RUN: soap-opt %t.mlir --soap-audit-launches='chip=h200 program=long rows=3 max-total-ratio=1.1 max-ratio=1.1 max-uncoalesced=0.01' -o /dev/null
// Over an axis that is not the last one, a thread has a column, and reads it three times. A thread an element would move
// 4.8 GB.
// RUN: soap-opt %t.mlir --soap-audit-launches='chip=h200 program=columns rows=3 max-ratio=8 max-uncoalesced=0.01' -o /dev/null 2>&1 | FileCheck %s
// CHECK: {{ 32768 +768 +67.11 +134.22 .*}} kernel_{{.*}}softmax_loop
func.func @columns(%x: tensor<32x256x1024xf32>) -> tensor<32x256x1024xf32> {
  %a = soap.softmax %x {axis = 1 : i64} : tensor<32x256x1024xf32>
  return %a : tensor<32x256x1024xf32>
}
func.func @windows(%x: tensor<171168x49xf32>, %d: tensor<171168x49xf32>, %g: tensor<49xf32>) -> (tensor<171168x49xf32>, tensor<171168x49xf32>, tensor<171168x49xf32>) {
  %a = soap.softmax %x {axis = 1 : i64} : tensor<171168x49xf32>
  %b = soap.softmax_grad %d, %x {axis = 1 : i64} : tensor<171168x49xf32>
  %c, %m, %v = soap.layer_norm %x, %g, %g {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<171168x49xf32>, tensor<49xf32>, tensor<49xf32>) -> (tensor<171168x49xf32>, tensor<171168xf32>, tensor<171168xf32>)
  return %a, %b, %c : tensor<171168x49xf32>, tensor<171168x49xf32>, tensor<171168x49xf32>
}
func.func @classes(%x: tensor<8384x1000xf32>, %d: tensor<8384x1000xf32>, %g: tensor<1000xf32>) -> (tensor<8384x1000xf32>, tensor<8384x1000xf32>, tensor<8384x1000xf32>) {
  %a = soap.softmax %x {axis = 1 : i64} : tensor<8384x1000xf32>
  %b = soap.softmax_grad %d, %x {axis = 1 : i64} : tensor<8384x1000xf32>
  %c, %m, %v = soap.layer_norm %x, %g, %g {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<8384x1000xf32>, tensor<1000xf32>, tensor<1000xf32>) -> (tensor<8384x1000xf32>, tensor<8384xf32>, tensor<8384xf32>)
  return %a, %b, %c : tensor<8384x1000xf32>, tensor<8384x1000xf32>, tensor<8384x1000xf32>
}
func.func @long(%x: tensor<2048x4096xf32>, %g: tensor<4096xf32>) -> (tensor<2048x4096xf32>, tensor<2048x4096xf32>) {
  %a = soap.softmax %x {axis = 1 : i64} : tensor<2048x4096xf32>
  %c, %m, %v = soap.layer_norm %x, %g, %g {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2048x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) -> (tensor<2048x4096xf32>, tensor<2048xf32>, tensor<2048xf32>)
  return %a, %c : tensor<2048x4096xf32>, tensor<2048x4096xf32>
}
