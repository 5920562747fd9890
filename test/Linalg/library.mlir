// Products and convolutions of linalg in f32 are calls of the library.
// RUN: soap-opt %s --soap-single-programs --soap-outline-kernels | FileCheck %s
// RUN: soap-opt %s --soap-single-programs --soap-outline-kernels='library=none' | FileCheck %s --check-prefix=NONE
// NONE-NOT: soap.library_call

// CHECK-LABEL: func.func @products
func.func @products(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<8x6xf32>, %d: tensor<8x6xf64>, %e: tensor<6x3xf64>)
    -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x3xf64>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x6xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x6xf32>) -> tensor<8x6xf32>
  // CHECK: soap.library_call "matmul_f32" [1, 8, 6, 4, 0, 0]
  %x = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%f0 : tensor<8x6xf32>) -> tensor<8x6xf32>
  // The init operand is added.
  // CHECK: soap.library_call "matmul_f32"
  // CHECK: soap.kernel_call @kernel_{{[0-9]+}}_add
  %y = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%c : tensor<8x6xf32>) -> tensor<8x6xf32>
  %zero64 = arith.constant 0.0 : f64
  %e1 = tensor.empty() : tensor<8x3xf64>
  %f1 = linalg.fill ins(%zero64 : f64) outs(%e1 : tensor<8x3xf64>) -> tensor<8x3xf64>
  // CHECK: soap.kernel_call @kernel_{{[0-9]+}}_matmul
  %z = linalg.matmul ins(%d, %e : tensor<8x6xf64>, tensor<6x3xf64>) outs(%f1 : tensor<8x3xf64>) -> tensor<8x3xf64>
  return %x, %y, %z : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x3xf64>
}

// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<2x3x9x9xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  // CHECK: soap.library_call "conv2d_f32"
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%x, %w : tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>) outs(%f : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  return %y : tensor<2x4x4x4xf32>
}

// 1-D and grouped ones, too: the numbers are the arguments of soap_rt_conv2d_f32.
// CHECK-LABEL: func.func @layouts
func.func @layouts(%a: tensor<2x3x9xf32>, %u: tensor<4x3x3xf32>, %b: tensor<2x9x9x6xf32>, %v: tensor<3x3x6xf32>,
                   %c: tensor<2x2x3x9x9xf32>, %w: tensor<5x2x3x3x3xf32>)
    -> (tensor<2x4x7xf32>, tensor<2x7x7x6xf32>, tensor<2x2x5x7x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x4x7xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  // CHECK: soap.library_call "conv2d_f32" [2, 1, 3, 1, 9, 4, 1, 7, 1, 3, 1, 1, 1, 1, 0, 0, 0, 0,
  %x = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
    ins(%a, %u : tensor<2x3x9xf32>, tensor<4x3x3xf32>) outs(%f0 : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  %e1 = tensor.empty() : tensor<2x7x7x6xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x7x7x6xf32>) -> tensor<2x7x7x6xf32>
  // Vectors along channels are faster than copies to the layout of the library.
  // CHECK: soap.kernel_call @kernel_{{[0-9]+}}_depthwise_conv_2d_nhwc_hwc
  %y = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%b, %v : tensor<2x9x9x6xf32>, tensor<3x3x6xf32>) outs(%f1 : tensor<2x7x7x6xf32>) -> tensor<2x7x7x6xf32>
  %e2 = tensor.empty() : tensor<2x2x5x7x7xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x2x5x7x7xf32>) -> tensor<2x2x5x7x7xf32>
  // CHECK: soap.library_call "conv2d_f32" [2, 2, 3, 9, 9, 5, 7, 7, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0,
  %z = linalg.conv_2d_ngchw_fgchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%c, %w : tensor<2x2x3x9x9xf32>, tensor<5x2x3x3x3xf32>) outs(%f2 : tensor<2x2x5x7x7xf32>) -> tensor<2x2x5x7x7xf32>
  return %x, %y, %z : tensor<2x4x7xf32>, tensor<2x7x7x6xf32>, tensor<2x2x5x7x7xf32>
}
