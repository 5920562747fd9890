// Elementwise ops: identities that keep every bit of the result.
// RUN: soap-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @add
func.func @add(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %zero = soap.constant dense<0.0> : tensor<2x3xf32>
  %negative = soap.constant dense<-0.0> : tensor<3xf32>
  // x + 0.0 is 0.0 where x is -0.0.
  // CHECK: %[[KEPT:.*]] = soap.add %arg0
  %0 = soap.add %x, %zero : tensor<2x3xf32>
  %1 = soap.add %x, %negative : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = soap.add %negative, %x : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = soap.bias_add %x, %negative {axis = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: return %[[KEPT]], %arg0, %arg0, %arg0
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @add_broadcasts
func.func @add_broadcasts(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %negative = soap.constant dense<-0.0> : tensor<2x3xf32>
  // CHECK: soap.add
  %0 = soap.add %x, %negative : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @sub
func.func @sub(%x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %zero = soap.constant dense<0.0> : tensor<4xf64>
  %negative = soap.constant dense<-0.0> : tensor<4xf64>
  %0 = soap.sub %x, %zero : tensor<4xf64>
  // CHECK: %[[KEPT:.*]] = soap.sub %arg0
  %1 = soap.sub %x, %negative : tensor<4xf64>
  // x - x is NaN for an infinity.
  // CHECK: %[[SELF:.*]] = soap.sub %arg0, %arg0
  %2 = soap.sub %x, %x : tensor<4xf64>
  // CHECK: return %arg0, %[[KEPT]], %[[SELF]]
  return %0, %1, %2 : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}

// CHECK-LABEL: @mul
func.func @mul(%x: tensor<4xbf16>) -> (tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) {
  %one = soap.constant dense<1.0> : tensor<bf16>
  %zero = soap.constant dense<0.0> : tensor<bf16>
  %0 = soap.mul %x, %one : (tensor<4xbf16>, tensor<bf16>) -> tensor<4xbf16>
  %1 = soap.mul %one, %x : (tensor<bf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %2 = soap.div %x, %one : (tensor<4xbf16>, tensor<bf16>) -> tensor<4xbf16>
  %3 = soap.scale %x {factor = 1.0 : f64} : tensor<4xbf16>
  // CHECK: %[[KEPT:.*]] = soap.mul %arg0
  %4 = soap.mul %x, %zero : (tensor<4xbf16>, tensor<bf16>) -> tensor<4xbf16>
  // CHECK: return %arg0, %arg0, %arg0, %arg0, %[[KEPT]]
  return %0, %1, %2, %3, %4 : tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>
}

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[RELU:.*]] = soap.relu %arg0
  // CHECK-NEXT: %[[ABS:.*]] = soap.abs %arg0
  // CHECK-NEXT: return %[[RELU]], %[[ABS]], %arg0, %arg0
  %0 = soap.relu %x : tensor<4xf32>
  %1 = soap.relu %0 : tensor<4xf32>
  %2 = soap.abs %x : tensor<4xf32>
  %3 = soap.abs %2 : tensor<4xf32>
  %4 = soap.neg %x : tensor<4xf32>
  %5 = soap.neg %4 : tensor<4xf32>
  %6 = soap.accumulate %x : tensor<4xf32>
  return %1, %3, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @choices
func.func @choices(%x: tensor<2xf32>, %y: tensor<2xf32>, %m: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %on = soap.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %off = soap.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %some = soap.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %0 = soap.where %on, %x, %y : tensor<2xf32>
  %1 = soap.where %off, %x, %y : tensor<2xf32>
  // CHECK: %[[KEPT:.*]] = soap.where
  %2 = soap.where %some, %x, %y : tensor<2xf32>
  %3 = soap.where %m, %x, %x : tensor<2xf32>
  %4 = soap.maximum %x, %x : tensor<2xf32>
  %5 = soap.minimum %y, %y : tensor<2xf32>
  // CHECK: return %arg0, %arg1, %[[KEPT]], %arg0, %arg0, %arg1
  return %0, %1, %2, %3, %4, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @casts
func.func @casts(%x: tensor<4xbf16>, %i: tensor<4xi8>)
    -> (tensor<4xbf16>, tensor<4xbf16>, tensor<4xf64>, tensor<4xbf16>, tensor<4xf16>, tensor<4xf32>) {
  %same = soap.cast %x : tensor<4xbf16>
  %wide = soap.cast %x : (tensor<4xbf16>) -> tensor<4xf32>
  %back = soap.cast %wide : (tensor<4xf32>) -> tensor<4xbf16>
  // CHECK-DAG: %[[WIDER:.*]] = soap.cast %arg0 : (tensor<4xbf16>) -> tensor<4xf64>
  %wider = soap.cast %wide : (tensor<4xf32>) -> tensor<4xf64>
  // The narrow type loses digits.
  // CHECK-DAG: %[[NARROW:.*]] = soap.cast %{{.*}} : (tensor<4xf16>) -> tensor<4xbf16>
  %half = soap.cast %x : (tensor<4xbf16>) -> tensor<4xf16>
  %narrow = soap.cast %half : (tensor<4xf16>) -> tensor<4xbf16>
  // No instruction converts between floats of one width.
  // CHECK-DAG: %[[WIDE:.*]] = soap.cast %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
  // CHECK-DAG: %[[OTHER:.*]] = soap.cast %[[WIDE]] : (tensor<4xf32>) -> tensor<4xf16>
  %other = soap.cast %wide : (tensor<4xf32>) -> tensor<4xf16>
  // CHECK-DAG: %[[INT:.*]] = soap.cast %arg1 : (tensor<4xi8>) -> tensor<4xf32>
  %long = soap.cast %i : (tensor<4xi8>) -> tensor<4xi32>
  %int = soap.cast %long : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK: return %arg0, %arg0, %[[WIDER]], %[[NARROW]], %[[OTHER]], %[[INT]]
  return %same, %back, %wider, %narrow, %other, %int
    : tensor<4xbf16>, tensor<4xbf16>, tensor<4xf64>, tensor<4xbf16>, tensor<4xf16>, tensor<4xf32>
}

// A training step gives dropout its step: without one it is not the identity yet.
// CHECK-LABEL: @dropout
func.func @dropout(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[KEPT:.*]] = soap.dropout %arg0
  %0 = soap.dropout %x {rate = 0.5 : f64, seed = 1 : i64} : tensor<4xf32>
  %1 = soap.dropout %x {rate = 0.0 : f64, seed = 1 : i64} : tensor<4xf32>
  // CHECK: return %[[KEPT]], %arg0
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
