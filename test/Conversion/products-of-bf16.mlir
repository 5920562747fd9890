// Products of bf16 are calls of the library, which computes them as they are; with library=onednn-f32, and where it has
// no function, they are products of f32 between conversions.
// RUN: soap-opt %s --soap-narrow-products='precision=f32 keep-narrow' --soap-outline-kernels=layout=nchw | FileCheck %s
// RUN: soap-opt %s --soap-narrow-products=precision=f32 --soap-outline-kernels=layout=nchw | FileCheck %s --check-prefix=WIDE
// RUN: soap-opt %s --soap-lower-to-cpu | FileCheck %s --check-prefix=CODE
// RUN: soap-opt %s --soap-lower-to-cpu=library=onednn-f32 | FileCheck %s --check-prefix=WIDECODE
// CODE-DAG: llvm.call @soap_rt_matmul_bf16(
// CODE-DAG: llvm.call @soap_rt_matmul_bf16_f32(
// CODE-DAG: llvm.call @soap_rt_conv2d_bf16
// CODE-DAG: llvm.call @soap_rt_conv2d_input_grad_bf16
// CODE-DAG: llvm.call @soap_rt_conv2d_weight_grad_bf16
// WIDECODE-NOT: _bf16(
// WIDECODE: llvm.call @soap_rt_matmul_f32
// WIDECODE-NOT: _bf16(

module attributes {soap.topology = #soap.topology<"cpu-1">} {

// CHECK-LABEL: func.func @matmul
// CHECK-NOT: kernel_call
// CHECK: soap.library_call "matmul_bf16" [1, 4, 2, 8, 0, 1] ins(%arg0, %arg1 : tensor<4x8xbf16>, tensor<2x8xbf16>) outs({{.*}} : tensor<4x2xbf16>) {soap.slot = 0 : i64}
// CHECK-NOT: kernel_call
// CHECK: return
// WIDE-LABEL: func.func @matmul
// WIDE: soap.library_call "matmul_f32" [1, 4, 2, 8, 0, 1]
func.func @matmul(%x: tensor<4x8xbf16>, %w: tensor<2x8xbf16>) -> tensor<4x2xbf16> {
  %y = soap.matmul %x, %w {transpose_b, soap.slot = 0 : i64} : (tensor<4x8xbf16>, tensor<2x8xbf16>) -> tensor<4x2xbf16>
  return %y : tensor<4x2xbf16>
}

// f16 has no function, nor have batches of transposed matrices that share one.
// CHECK-LABEL: func.func @others
// CHECK: soap.library_call "matmul_f32"
// CHECK-NOT: matmul_bf16"
// CHECK: return
func.func @others(%x: tensor<4x8xf16>, %w: tensor<8x2xf16>, %a: tensor<3x8x4xbf16>, %b: tensor<8x2xbf16>) -> (tensor<4x2xf16>, tensor<3x4x2xbf16>) {
  %y = soap.matmul %x, %w {soap.slot = 0 : i64} : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16>
  %z = soap.matmul %a, %b {transpose_a, soap.slot = 1 : i64} : (tensor<3x8x4xbf16>, tensor<8x2xbf16>) -> tensor<3x4x2xbf16>
  return %y, %z : tensor<4x2xf16>, tensor<3x4x2xbf16>
}

// CHECK-LABEL: func.func @convolutions
// CHECK: soap.library_call "conv2d_bf16" [2, 1, 3, 6, 6, 5, 6, 6, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]
// CHECK: soap.library_call "conv2d_input_grad_bf16"
// CHECK: soap.library_call "conv2d_weight_grad_bf16"
func.func @convolutions(%x: tensor<2x3x6x6xbf16>, %w: tensor<5x3x3x3xbf16>) -> (tensor<2x3x6x6xbf16>, tensor<5x3x3x3xbf16>) {
  %y = soap.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, soap.slot = 0 : i64} : (tensor<2x3x6x6xbf16>, tensor<5x3x3x3xbf16>) -> tensor<2x5x6x6xbf16>
  %dx = soap.conv2d_input_grad %y, %w {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, soap.slot = 1 : i64} : (tensor<2x5x6x6xbf16>, tensor<5x3x3x3xbf16>) -> tensor<2x3x6x6xbf16>
  %dw = soap.conv2d_weight_grad %x, %y {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, soap.slot = 2 : i64} : (tensor<2x3x6x6xbf16>, tensor<2x5x6x6xbf16>) -> tensor<5x3x3x3xbf16>
  return %dx, %dw : tensor<2x3x6x6xbf16>, tensor<5x3x3x3xbf16>
}

// Sums in f32: the result of a product as it is, the result of a convolution as the library has rounded it.
// CHECK-LABEL: func.func @sums
// CHECK: soap.library_call "matmul_bf16_f32" [1, 4, 2, 8, 0, 1] ins({{.*}} : tensor<4x8xbf16>, tensor<2x8xbf16>) outs({{.*}} : tensor<4x2xf32>)
// CHECK: soap.library_call "conv2d_weight_grad_bf16" {{.*}} outs({{.*}} : tensor<5x3x3x3xbf16>)
// CHECK: return {{.*}} : tensor<4x2xf32>, tensor<5x3x3x3xf32>
// WIDE-LABEL: func.func @sums
// WIDE: soap.library_call "matmul_f32" [1, 4, 2, 8, 0, 1]
// WIDE: soap.library_call "conv2d_weight_grad_f32"
// WIDE: return {{.*}} : tensor<4x2xf32>, tensor<5x3x3x3xf32>
func.func @sums(%x: tensor<4x8xbf16>, %w: tensor<2x8xbf16>, %image: tensor<2x3x6x6xbf16>, %dy: tensor<2x5x6x6xbf16>) -> (tensor<4x2xf32>, tensor<5x3x3x3xf32>) {
  %y = soap.matmul %x, %w {transpose_b, soap.slot = 0 : i64, soap.sum_type = f32} : (tensor<4x8xbf16>, tensor<2x8xbf16>) -> tensor<4x2xf32>
  %dw = soap.conv2d_weight_grad %image, %dy {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, soap.slot = 1 : i64, soap.sum_type = f32} : (tensor<2x3x6x6xbf16>, tensor<2x5x6x6xbf16>) -> tensor<5x3x3x3xf32>
  return %y, %dw : tensor<4x2xf32>, tensor<5x3x3x3xf32>
}
}
