// Scaled casts and products of 8-bit floats: syntax, and every message.
// RUN: soap-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @tensors
func.func @tensors(%x: tensor<8x64xbf16>, %w: tensor<16x64xbf16>) -> tensor<8x16xbf16> {
  // CHECK: %[[M:.+]] = soap.amax %{{.*}} : (tensor<8x64xbf16>) -> tensor<f32>
  %m = soap.amax %x : (tensor<8x64xbf16>) -> tensor<f32>
  %n = soap.amax %w : (tensor<16x64xbf16>) -> tensor<f32>
  // CHECK: soap.quantize %{{.*}}, %[[M]] : (tensor<8x64xbf16>, tensor<f32>) -> tensor<8x64xf8E5M2>
  %q = soap.quantize %x, %m : (tensor<8x64xbf16>, tensor<f32>) -> tensor<8x64xf8E5M2>
  %r = soap.quantize %w, %n : (tensor<16x64xbf16>, tensor<f32>) -> tensor<16x64xf8E4M3FN>
  // CHECK: soap.matmul_scaled %{{.*}}, %{{.*}}, %[[M]], %{{.*}} {transpose_b} : (tensor<8x64xf8E5M2>, tensor<16x64xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x16xbf16>
  %y = soap.matmul_scaled %q, %r, %m, %n {transpose_b} : (tensor<8x64xf8E5M2>, tensor<16x64xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x16xbf16>
  return %y : tensor<8x16xbf16>
}

// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<2x64x8xbf16>, %w: tensor<16x64xf8E4M3FN>, %s: tensor<16x2xf8E8M0FNU>) -> tensor<2x8x16xf32> {
  // CHECK: soap.block_scales %{{.*}} {axis = 1 : i64, type = f8E4M3FN} : (tensor<2x64x8xbf16>) -> tensor<2x2x8xf8E8M0FNU>
  %t = soap.block_scales %x {axis = 1 : i64, type = f8E4M3FN} : (tensor<2x64x8xbf16>) -> tensor<2x2x8xf8E8M0FNU>
  %q = soap.quantize %x, %t : (tensor<2x64x8xbf16>, tensor<2x2x8xf8E8M0FNU>) -> tensor<2x64x8xf8E4M3FN>
  // CHECK: soap.matmul_scaled %{{.*}} {k_factors = array<i64: 2, 32>, transpose_a, transpose_b}
  %y = soap.matmul_scaled %q, %w, %t, %s {transpose_a, transpose_b, k_factors = array<i64: 2, 32>}
     : (tensor<2x64x8xf8E4M3FN>, tensor<16x64xf8E4M3FN>, tensor<2x2x8xf8E8M0FNU>, tensor<16x2xf8E8M0FNU>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// CHECK-LABEL: func.func @programs
func.func @programs(%q: tensor<8x64xf8E4M3FN>, %s: tensor<8x2xf8E8M0FNU>, %y: tensor<8x16xf32>, %m: tensor<f32>) {
  // CHECK: soap.dequantize %{{.*}} : (tensor<8x64xf8E4M3FN>) -> tensor<8x64xbf16>
  %0 = soap.dequantize %q : (tensor<8x64xf8E4M3FN>) -> tensor<8x64xbf16>
  // CHECK: soap.dequantize %{{.*}}, %{{.*}} : (tensor<8x64xf8E4M3FN>, tensor<8x2xf8E8M0FNU>) -> tensor<8x64xbf16>
  %1 = soap.dequantize %q, %s : (tensor<8x64xf8E4M3FN>, tensor<8x2xf8E8M0FNU>) -> tensor<8x64xbf16>
  // CHECK: soap.unscale %{{.*}} {a_type = f8E4M3FN, b_type = f8E5M2} : (tensor<8x16xf32>, tensor<f32>, tensor<f32>) -> tensor<8x16xbf16>
  %2 = soap.unscale %y, %m, %m {a_type = f8E4M3FN, b_type = f8E5M2} : (tensor<8x16xf32>, tensor<f32>, tensor<f32>) -> tensor<8x16xbf16>
  return
}

// -----

func.func @amax_rank(%x: tensor<8xbf16>) {
  // expected-error@+1 {{'soap.amax' op expected a result of rank 0, got 'tensor<1xf32>'}}
  %0 = soap.amax %x : (tensor<8xbf16>) -> tensor<1xf32>
  return
}

// -----

func.func @axis(%x: tensor<8x64xbf16>) {
  // expected-error@+1 {{'soap.block_scales' op 'axis' must be in [0, 2), got 2}}
  %0 = soap.block_scales %x {axis = 2 : i64, type = f8E4M3FN} : (tensor<8x64xbf16>) -> tensor<8x2xf8E8M0FNU>
  return
}

// -----

func.func @block(%x: tensor<8x48xbf16>) {
  // expected-error@+1 {{'soap.block_scales' op has 48 elements along dim 1, expected a multiple of the 32 of a block}}
  %0 = soap.block_scales %x {axis = 1 : i64, type = f8E4M3FN} : (tensor<8x48xbf16>) -> tensor<8x1xf8E8M0FNU>
  return
}

// -----

func.func @type(%x: tensor<8x64xbf16>) {
  // expected-error@+1 {{'soap.block_scales' op 'type' is 'bf16', expected f8E4M3FN or f8E5M2}}
  %0 = soap.block_scales %x {axis = 1 : i64, type = bf16} : (tensor<8x64xbf16>) -> tensor<8x2xf8E8M0FNU>
  return
}

// -----

func.func @scales_shape(%x: tensor<8x64xbf16>) {
  // expected-error@+1 {{'soap.block_scales' op expected a result of shape 8x2, got 'tensor<8x1xf8E8M0FNU>'}}
  %0 = soap.block_scales %x {axis = 1 : i64, type = f8E5M2} : (tensor<8x64xbf16>) -> tensor<8x1xf8E8M0FNU>
  return
}

// -----

func.func @quantize_scales(%x: tensor<8x64xbf16>, %s: tensor<2x64xf8E8M0FNU>) {
  // expected-error@+1 {{'soap.quantize' op expected scales of type tensor<f32>, or of f8E8M0FNU with the shape 8x64 with a 32nd of one dim, got 'tensor<2x64xf8E8M0FNU>'}}
  %0 = soap.quantize %x, %s : (tensor<8x64xbf16>, tensor<2x64xf8E8M0FNU>) -> tensor<8x64xf8E4M3FN>
  return
}

// -----

func.func @quantize_shape(%x: tensor<8x64xbf16>, %m: tensor<f32>) {
  // expected-error@+1 {{'soap.quantize' op expected a result of shape 8x64, got 'tensor<64x8xf8E4M3FN>'}}
  %0 = soap.quantize %x, %m : (tensor<8x64xbf16>, tensor<f32>) -> tensor<64x8xf8E4M3FN>
  return
}

// -----

func.func @batch(%a: tensor<2x8x64xf8E4M3FN>, %b: tensor<3x64x4xf8E4M3FN>, %m: tensor<f32>) {
  // expected-error@+1 {{expected operands of rank 2 or more, the batch dims of b the first of a's, got shapes 2x8x64 and 3x64x4}}
  %0 = soap.matmul_scaled %a, %b, %m, %m : (tensor<2x8x64xf8E4M3FN>, tensor<3x64x4xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<2x8x4xbf16>
  return
}

// -----

func.func @contracted(%a: tensor<8x64xf8E4M3FN>, %b: tensor<4x64xf8E4M3FN>, %m: tensor<f32>) {
  // expected-error@+1 {{contracted dims differ: 64 of shape 8x64 and 4 of shape 4x64}}
  %0 = soap.matmul_scaled %a, %b, %m, %m : (tensor<8x64xf8E4M3FN>, tensor<4x64xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x4xbf16>
  return
}

// -----

func.func @wrong_axis(%a: tensor<64x64xf8E4M3FN>, %s: tensor<2x64xf8E8M0FNU>, %t: tensor<64x2xf8E8M0FNU>) {
  // expected-error@+1 {{has scales of a along dim 0, expected the contracted dim 1}}
  %0 = soap.matmul_scaled %a, %a, %s, %s : (tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<2x64xf8E8M0FNU>, tensor<2x64xf8E8M0FNU>) -> tensor<64x64xbf16>
  return
}

// -----

func.func @mixed(%a: tensor<64x64xf8E4M3FN>, %m: tensor<f32>, %s: tensor<2x64xf8E8M0FNU>) {
  // expected-error@+1 {{has scales of types 'tensor<f32>' and 'tensor<2x64xf8E8M0FNU>', expected both of tensors or both of blocks}}
  %0 = soap.matmul_scaled %a, %a, %m, %s : (tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<f32>, tensor<2x64xf8E8M0FNU>) -> tensor<64x64xbf16>
  return
}

// -----

func.func @factors(%a: tensor<64x8xf8E4M3FN>, %m: tensor<f32>) {
  // expected-error@+1 {{'k_factors' [2, 16]: expected positive numbers whose product is 64, the contracted dim}}
  %0 = soap.matmul_scaled %a, %a, %m, %m {transpose_a, k_factors = array<i64: 2, 16>} : (tensor<64x8xf8E4M3FN>, tensor<64x8xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x8xbf16>
  return
}

// -----

func.func @factors_of_blocks(%a: tensor<64x8xf8E4M3FN>, %s: tensor<2x8xf8E8M0FNU>) {
  // expected-error@+1 {{'k_factors' [4, 16]: expected a last one that is a multiple of the 32 of a block}}
  %0 = soap.matmul_scaled %a, %a, %s, %s {transpose_a, k_factors = array<i64: 4, 16>} : (tensor<64x8xf8E4M3FN>, tensor<64x8xf8E4M3FN>, tensor<2x8xf8E8M0FNU>, tensor<2x8xf8E8M0FNU>) -> tensor<8x8xbf16>
  return
}

// -----

func.func @product_shape(%a: tensor<8x64xf8E4M3FN>, %b: tensor<64x4xf8E4M3FN>, %m: tensor<f32>) {
  // expected-error@+1 {{'soap.matmul_scaled' op expected a result of shape 8x4, got 'tensor<4x8xbf16>'}}
  %0 = soap.matmul_scaled %a, %b, %m, %m : (tensor<8x64xf8E4M3FN>, tensor<64x4xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<4x8xbf16>
  return
}

// -----

// A block is not split.
func.func @config(%x: tensor<8x64xbf16>) {
  // expected-error@+1 {{'soap.block_scales' op has a bad config: loop 'in_block' is serial and may not be split, got degree 2}}
  %0 = soap.block_scales %x {axis = 1 : i64, type = f8E4M3FN, soap.config = #soap.config<{in_block = 2}, devices = [0, 1]>} : (tensor<8x64xbf16>) -> tensor<8x2xf8E8M0FNU>
  return
}

// -----

func.func @unscale_rank(%y: tensor<8xf32>, %m: tensor<1xf32>, %n: tensor<f32>) {
  // expected-error@+1 {{'soap.unscale' op expected a maximum of a of rank 0, got 'tensor<1xf32>'}}
  %0 = soap.unscale %y, %m, %n {a_type = f8E4M3FN, b_type = f8E4M3FN} : (tensor<8xf32>, tensor<1xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @dequantize_shape(%q: tensor<8x64xf8E4M3FN>) {
  // expected-error@+1 {{'soap.dequantize' op expected a result of shape 8x64, got 'tensor<64xbf16>'}}
  %0 = soap.dequantize %q : (tensor<8x64xf8E4M3FN>) -> tensor<64xbf16>
  return
}
