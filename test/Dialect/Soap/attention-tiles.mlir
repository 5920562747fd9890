// The ops between the products of a tile of attention: printed and read, and every message of its verifiers.
// RUN: soap-opt %s -split-input-file -verify-diagnostics | soap-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @weights
func.func @weights(%p: tensor<2x4x8x6xf32>, %b: tensor<1x4x1x6xbf16>, %qs: tensor<2x8xi32>, %ks: tensor<2x6xi32>) -> tensor<2x4x8xf32> {
  // CHECK: soap.attention_weights %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {left = 3 : i64, offset = -2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1>, right = 0 : i64, scale = 5.000000e-01 : f64, softcap = 2.000000e+00 : f64} : (tensor<2x4x8x6xf32>, tensor<1x4x1x6xbf16>, tensor<2x8xi32>, tensor<2x6xi32>) -> (tensor<2x4x8x6xbf16>, tensor<2x4x8xf32>)
  %w, %lse = soap.attention_weights %p, %b, %qs, %ks {scale = 0.5, softcap = 2.0, left = 3 : i64, right = 0 : i64, offset = -2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1>}
    : (tensor<2x4x8x6xf32>, tensor<1x4x1x6xbf16>, tensor<2x8xi32>, tensor<2x6xi32>) -> (tensor<2x4x8x6xbf16>, tensor<2x4x8xf32>)
  // CHECK: soap.attention_weights_grad %arg0, %arg0, %lse, %lse {
  %g:3 = soap.attention_weights_grad %p, %p, %lse, %lse {scale = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}
    : (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x6xbf16>, tensor<2x4x8x6xbf16>, tensor<2x4x8x6xf32>)
  return %lse : tensor<2x4x8xf32>
}

// -----

func.func @rank(%p: tensor<4x8x6xf32>) {
  // expected-error@+1 {{'soap.attention_weights' op expected products of rank 4}}
  %w, %lse = soap.attention_weights %p {scale = 0.5, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<4x8x6xf32>) -> (tensor<4x8x6xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @weights_shape(%p: tensor<2x4x8x6xf32>) {
  // expected-error@+1 {{'soap.attention_weights' op expected weights}}
  %w, %lse = soap.attention_weights %p {scale = 0.5, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<2x4x8x6xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @lse_type(%p: tensor<2x4x8x6xf32>) {
  // expected-error@+1 {{'soap.attention_weights' op expected lse of type 'tensor<2x4x8xf32>', got 'tensor<2x4x8xbf16>'}}
  %w, %lse = soap.attention_weights %p {scale = 0.5, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<2x4x8x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xbf16>)
  return
}

// -----

func.func @bias(%p: tensor<2x4x8x6xf32>, %b: tensor<2x4x8xf32>) {
  // expected-error@+1 {{'soap.attention_weights' op expected a bias that broadcasts to 2x4x8x6, got 'tensor<2x4x8xf32>'}}
  %w, %lse = soap.attention_weights %p, %b {scale = 0.5, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @segments(%p: tensor<2x4x8x6xf32>, %s: tensor<2x8xi32>) {
  // expected-error@+1 {{'soap.attention_weights' op expected segments of both queries and keys, or of neither, got segments of queries only}}
  %w, %lse = soap.attention_weights %p, %s {scale = 0.5, operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<2x4x8x6xf32>, tensor<2x8xi32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @key_segments(%p: tensor<2x4x8x6xf32>, %s: tensor<2x8xi32>) {
  // expected-error@+1 {{'soap.attention_weights' op expected key segments}}
  %w, %lse = soap.attention_weights %p, %s, %s {scale = 0.5, operandSegmentSizes = array<i32: 1, 0, 1, 1>} : (tensor<2x4x8x6xf32>, tensor<2x8xi32>, tensor<2x8xi32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @dweights(%p: tensor<2x4x8x6xf32>, %d: tensor<2x4x8x6xbf16>, %l: tensor<2x4x8xf32>) {
  // expected-error@+1 {{'soap.attention_weights_grad' op expected dweights of type 'tensor<2x4x8x6xf32>', got 'tensor<2x4x8x6xbf16>'}}
  %g:2 = soap.attention_weights_grad %p, %d, %l, %l {scale = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>} : (tensor<2x4x8x6xf32>, tensor<2x4x8x6xbf16>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>)
  return
}

// -----

func.func @excess(%p: tensor<2x4x8x6xf32>, %l: tensor<2x4x8xf32>, %x: tensor<2x4x6xf32>) {
  // expected-error@+1 {{'soap.attention_weights_grad' op expected excess of type 'tensor<2x4x8xf32>', got 'tensor<2x4x6xf32>'}}
  %g:2 = soap.attention_weights_grad %p, %p, %l, %x {scale = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>} : (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8xf32>, tensor<2x4x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>)
  return
}

// -----

func.func @dscores(%p: tensor<2x4x8x6xf32>, %l: tensor<2x4x8xf32>) {
  // expected-error@+1 {{'soap.attention_weights_grad' op expected dscores of type 'tensor<2x4x8x6xf32>', got 'tensor<2x4x8x6xbf16>'}}
  %g:3 = soap.attention_weights_grad %p, %p, %l, %l {scale = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>} : (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8x6xbf16>)
  return
}
