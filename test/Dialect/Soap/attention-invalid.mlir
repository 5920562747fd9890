// RUN: soap-opt %s --split-input-file --verify-diagnostics

func.func @heads(%q: tensor<1x4x3x2xf32>, %k: tensor<1x3x3x2xf32>) {
  // expected-error @+1 {{expected k with a number of heads that divides the 4 heads of q, got 3}}
  %o, %l = soap.attention %q, %k, %k {scale = 1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x4x3x2xf32>, tensor<1x3x3x2xf32>, tensor<1x3x3x2xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @width(%q: tensor<1x4x3x2xf32>, %k: tensor<1x4x3x5xf32>) {
  // expected-error @+1 {{expected k of shape 1x4x3x2, got 'tensor<1x4x3x5xf32>'}}
  %o, %l = soap.attention %q, %k, %k {scale = 1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x4x3x2xf32>, tensor<1x4x3x5xf32>, tensor<1x4x3x5xf32>) -> (tensor<1x4x3x5xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @bias(%q: tensor<1x4x3x2xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error @+1 {{expected a bias that broadcasts to 1x4x3x3, got 'tensor<1x2x3x3xf32>'}}
  %o, %l = soap.attention %q, %q, %q, %b {scale = 1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>} : (tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x2x3x3xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @segments(%q: tensor<1x4x3x2xf32>, %s: tensor<1x3xi32>) {
  // expected-error @+1 {{expected segments of both queries and keys, or of neither, got segments of queries only}}
  %o, %l = soap.attention %q, %q, %q, %s {scale = 1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>} : (tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x3xi32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @softcap(%q: tensor<1x4x3x2xf32>) {
  // expected-error @+1 {{'softcap' must be finite and not negative, got -1}}
  %o, %l = soap.attention %q, %q, %q {scale = 1.0 : f64, softcap = -1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @bound(%q: tensor<1x4x3x2xf32>) {
  // expected-error @+1 {{'left' must be in [-2^40, 2^40], got 9223372036854775807}}
  %o, %l = soap.attention %q, %q, %q {scale = 1.0 : f64, left = 9223372036854775807 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @statistics(%q: tensor<1x4x3x2xbf16>) {
  // expected-error @+1 {{result #1 must be 'tensor<1x4x3xf32>', got 'tensor<1x4x3xbf16>'}}
  %o, %l = soap.attention %q, %q, %q {scale = 1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x4x3x2xbf16>, tensor<1x4x3x2xbf16>, tensor<1x4x3x2xbf16>) -> (tensor<1x4x3x2xbf16>, tensor<1x4x3xbf16>)
  return
}

// -----

func.func @groups(%s: tensor<3x1x4x3xf32>) {
  // expected-error @+1 {{'groups' must divide the 4 heads, got 3}}
  %o, %l = soap.attention_result %s {groups = 3 : i64} : (tensor<3x1x4x3xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @gradient(%q: tensor<1x4x3x2xf32>, %l: tensor<1x4x3xf32>) {
  // expected-error @+1 {{expected dk of shape 1x4x3x2, got 'tensor<1x4x2x2xf32>'}}
  %a, %b, %c = soap.attention_grad %q, %q, %q, %q, %q, %l {scale = 1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x3x2xf32>)
  return
}

// -----

func.func @combine(%a: tensor<1x4xf32>) {
  // expected-error @+1 {{combiner 'log_sum_exp' needs tiles [2 or more, ...], got 'tensor<1x4xf32>'}}
  %t = soap.combine log_sum_exp %a {sources = [#soap.region<[0:1], [0:4]>]} : tensor<1x4xf32>
  return
}
