// Ops on constants.
// RUN: soap-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @moved
func.func @moved() -> (tensor<6xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<4x2xf32>, tensor<3x2xi32>) {
  %c = soap.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %s = soap.constant dense<7.0> : tensor<2xf32>
  %i = soap.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  // CHECK-DAG: %[[FLAT:.*]] = soap.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00]> : tensor<6xf32>
  %0 = soap.reshape %c : (tensor<2x3xf32>) -> tensor<6xf32>
  // CHECK-DAG: %[[TURNED:.*]] = soap.constant dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
  %1 = soap.transpose %c {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK-DAG: %[[PART:.*]] = soap.constant {soap.name = "part"} dense<[4.000000e+00, 6.000000e+00]> : tensor<2xf32>
  %2 = soap.slice %c {offsets = array<i64: 1, 0>, sizes = array<i64: 1, 2>, strides = array<i64: 1, 2>} : (tensor<2x3xf32>) -> tensor<1x2xf32>
  %3 = soap.reshape %2 {soap.name = "part"} : (tensor<1x2xf32>) -> tensor<2xf32>
  // CHECK-DAG: %[[ALL:.*]] = soap.constant dense<7.000000e+00> : tensor<4x2xf32>
  %4 = soap.broadcast %s {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<4x2xf32>
  // CHECK-DAG: %[[INT:.*]] = soap.constant dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %5 = soap.reshape %i : (tensor<6xi32>) -> tensor<3x2xi32>
  // CHECK: return %[[FLAT]], %[[TURNED]], %[[PART]], %[[ALL]], %[[INT]]
  return %0, %1, %3, %4, %5 : tensor<6xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<4x2xf32>, tensor<3x2xi32>
}

// CHECK-LABEL: @computed
func.func @computed() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf64>, tensor<2xf32>) {
  %a = soap.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = soap.constant dense<3.0> : tensor<f32>
  %zero = soap.constant dense<0.0> : tensor<2xf64>
  // CHECK-DAG: %[[SUM:.*]] = soap.constant dense<[4.000000e+00, 5.000000e+00]> : tensor<2xf32>
  %0 = soap.add %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK-DAG: %[[DIFFERENCE:.*]] = soap.constant dense<[2.000000e+00, 1.000000e+00]> : tensor<2xf32>
  %1 = soap.sub %b, %a : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  // 1/3 and 2/3, rounded to nearest: 11184811 * 2^-25 and 11184811 * 2^-24.
  // CHECK-DAG: %[[QUOTIENT:.*]] = soap.constant dense<[0.333333343, 0.666666686]> : tensor<2xf32>
  %2 = soap.div %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK-DAG: %[[NEGATIVE:.*]] = soap.constant dense<-0.000000e+00> : tensor<2xf64>
  %3 = soap.neg %zero : tensor<2xf64>
  // CHECK-DAG: %[[PRODUCT:.*]] = soap.constant dense<[3.000000e+00, 6.000000e+00]> : tensor<2xf32>
  %4 = soap.mul %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: return %[[SUM]], %[[DIFFERENCE]], %[[QUOTIENT]], %[[NEGATIVE]], %[[PRODUCT]]
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf64>, tensor<2xf32>
}

// The bits of NaNs and denormal numbers depend on the device; types that kernels do not compute in are left to them.
// CHECK-LABEL: @left
func.func @left() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>) {
  %zero = soap.constant dense<0.0> : tensor<2xf32>
  %small = soap.constant dense<1.0e-20> : tensor<2xf32>
  %half = soap.constant dense<1.5> : tensor<2xbf16>
  // CHECK: soap.div
  %0 = soap.div %zero, %zero : tensor<2xf32>
  // CHECK: soap.mul {{.*}}tensor<2xf32>
  %1 = soap.mul %small, %small : tensor<2xf32>
  // CHECK: soap.mul {{.*}}tensor<2xbf16>
  %2 = soap.mul %half, %half : tensor<2xbf16>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>
}

// Elements that a broadcast would repeat stay one constant; equal constants with configs stay two.
// CHECK-LABEL: @kept
func.func @kept() -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK: soap.constant
  %c = soap.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: soap.broadcast
  %0 = soap.broadcast %c {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<4x2xf32>
  // CHECK: soap.constant {{.*}}devices = [0]
  %1 = soap.constant {soap.config = #soap.config<{}, devices = [0]>} dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: soap.constant {{.*}}devices = [1]
  %2 = soap.constant {soap.config = #soap.config<{}, devices = [1]>} dense<[1.0, 2.0]> : tensor<2xf32>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>
}
