// Generated kernels vectorize: elementwise chains, also with a bias, with exp, reductions, updates in place.
// RUN: soap-opt %s --soap-lower-to-cpu=threads=false | mlir-translate --mlir-to-llvmir | opt -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -S | FileCheck %s

// CHECK-LABEL: define internal {{.*}}@kernel_0_fused_relu
// CHECK: load <8 x float>
// CHECK: store <8 x float>
func.func @chain(%x: tensor<64x32x16x16xf32>, %b: tensor<32xf32>) -> tensor<64x32x16x16xf32> {
  %0 = soap.bias_add %x, %b {axis = 1 : i64} : (tensor<64x32x16x16xf32>, tensor<32xf32>) -> tensor<64x32x16x16xf32>
  %1 = soap.relu %0 : tensor<64x32x16x16xf32>
  return %1 : tensor<64x32x16x16xf32>
}

// CHECK-LABEL: define internal {{.*}}@kernel_1_fused_tanh
// CHECK: load <8 x float>
// CHECK-NOT: call {{.*}}expf
// CHECK: store <8 x float>
func.func @functions(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = soap.exp %x : tensor<1024xf32>
  %1 = soap.tanh %0 : tensor<1024xf32>
  return %1 : tensor<1024xf32>
}

// The gradient of a bias: a sum over samples and positions.
// CHECK-LABEL: define internal {{.*}}@kernel_2_reduce
// CHECK: fadd {{.*}}<8 x float>
func.func @bias_grad(%x: tensor<64x32x16x16xf32>) -> tensor<32xf32> {
  %0 = soap.reduce sum %x {axes = array<i64: 0, 2, 3>} : (tensor<64x32x16x16xf32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// CHECK-LABEL: define internal {{.*}}@kernel_3_sgd
// CHECK: store <8 x float>
func.func @update(%w: tensor<1024xf32>, %g: tensor<1024xf32>, %v: tensor<1024xf32>)
    -> (tensor<1024xf32> {soap.updates = 0 : i64}, tensor<1024xf32> {soap.updates = 2 : i64}) {
  %0, %1 = soap.sgd %w, %g, %v {learning_rate = 0.1 : f64, momentum = 0.9 : f64, weight_decay = 0.01 : f64}
         : (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>)
  return %0, %1 : tensor<1024xf32>, tensor<1024xf32>
}

// A sum over rows: one vector of columns at a time.
// CHECK-LABEL: define internal {{.*}}@kernel_4_reduce
// CHECK: fadd {{.*}}<8 x float>
func.func @column_sums(%x: tensor<64x1000xf32>) -> tensor<1000xf32> {
  %0 = soap.reduce sum %x {axes = array<i64: 0>} : (tensor<64x1000xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
