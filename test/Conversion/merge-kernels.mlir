// RUN: soap-opt %s --soap-lower-to-cpu | FileCheck %s

// Kernels of other shapes that are the same loops (vectorized ones see elements only) are emitted once and called twice; others
// stay.

// CHECK: llvm.func @forward
// CHECK: llvm.call @[[RELU:kernel_[0-9]+_relu]](
// CHECK: llvm.call @[[RELU]](
// CHECK: llvm.call @[[NEG:kernel_[0-9]+_neg]](
// CHECK: llvm.func internal @[[RELU]](
// CHECK-NOT: llvm.func internal @{{.*}}relu
// CHECK: llvm.func internal @[[NEG]](
// CHECK-NOT: llvm.func internal @{{.*}}relu
func.func @forward(%x: tensor<64x32xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %y: tensor<32x64xf32> {soap.kind = #soap.kind<parameter>, soap.name = "y"},
                   %z: tensor<32x64xf32> {soap.kind = #soap.kind<parameter>, soap.name = "z"}) -> (tensor<64x32xf32>, tensor<32x64xf32>, tensor<32x64xf32>) {
  %a = soap.relu %x {soap.name = "a"} : tensor<64x32xf32>
  %b = soap.relu %y {soap.name = "b"} : tensor<32x64xf32>
  %n = soap.neg %z {soap.name = "n"} : tensor<32x64xf32>
  return %a, %b, %n : tensor<64x32xf32>, tensor<32x64xf32>, tensor<32x64xf32>
}
