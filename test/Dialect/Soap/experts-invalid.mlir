// Every message of the verifiers of mixtures of experts.
// RUN: soap-opt %s -split-input-file -verify-diagnostics

func.func @too_many(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'soap.top_k' op 'k' must be in [1, 8], the extent of the last dim of 'tensor<4x8xf32>', got 9}}
  %0:2 = soap.top_k %x {k = 9 : i64} : (tensor<4x8xf32>) -> (tensor<4x9xf32>, tensor<4x9xi32>)
  return
}

// -----

func.func @none(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'soap.top_k' op 'k' must be in [1, 8]}}
  %0:2 = soap.top_k %x {k = 0 : i64} : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  return
}

// -----

func.func @scalar(%x: tensor<f32>) {
  // expected-error@+1 {{'soap.top_k' op expected x of rank 1 or more, with at most 2147483647 elements in a row, got 'tensor<f32>'}}
  %0:2 = soap.top_k %x {k = 1 : i64} : (tensor<f32>) -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @grad_rows(%dy: tensor<4x2xf32>, %i: tensor<4x2xi32>) {
  // expected-error@+1 {{'soap.top_k_grad' op expected dx of the shape of dy except the last dim, got 'tensor<3x8xf32>' and 'tensor<4x2xf32>'}}
  %0 = soap.top_k_grad %dy, %i : (tensor<4x2xf32>, tensor<4x2xi32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @grad_indices(%dy: tensor<4x2xf32>, %i: tensor<4x3xi32>) {
  // expected-error@+1 {{'soap.top_k_grad' op expected indices of shape 4x2, got 'tensor<4x3xi32>'}}
  %0 = soap.top_k_grad %dy, %i : (tensor<4x2xf32>, tensor<4x3xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @grad_scalar(%dy: tensor<f32>, %i: tensor<i32>) {
  // expected-error@+1 {{'soap.top_k_grad' op expected dy of rank 1 or more, got a scalar}}
  %0 = soap.top_k_grad %dy, %i : (tensor<f32>, tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @route_rank(%i: tensor<6x2xi32>) {
  // expected-error@+1 {{'soap.route' op expected indices of rank 3, got 'tensor<6x2xi32>'}}
  %0:3 = soap.route %i : (tensor<6x2xi32>) -> (tensor<6x2xi32>, tensor<2x4x3xi32>, tensor<2x4xf32>)
  return
}

// -----

func.func @route_more_choices(%i: tensor<2x6x5xi32>) {
  // expected-error@+1 {{'soap.route' op a token has 5 choices of 4 experts, expected at most 4}}
  %0:3 = soap.route %i : (tensor<2x6x5xi32>) -> (tensor<2x6x5xi32>, tensor<2x4x3xi32>, tensor<2x4xf32>)
  return
}

// -----

func.func @route_no_place(%i: tensor<2x6x2xi32>) {
  // expected-error@+1 {{'tensor<2x4x0xi32>' has a dim of extent 0}}
  %0:3 = soap.route %i : (tensor<2x6x2xi32>) -> (tensor<2x6x2xi32>, tensor<2x4x0xi32>, tensor<2x4xf32>)
  return
}

// -----

func.func @route_samples(%i: tensor<2x6x2xi32>) {
  // expected-error@+1 {{'soap.route' op expected tokens of shape 2x4x3, got 'tensor<1x4x3xi32>'}}
  %0:3 = soap.route %i : (tensor<2x6x2xi32>) -> (tensor<2x6x2xi32>, tensor<1x4x3xi32>, tensor<2x4xf32>)
  return
}

// -----

func.func @route_load(%i: tensor<2x6x2xi32>) {
  // expected-error@+1 {{'soap.route' op expected a load of shape 2x4, got 'tensor<2x3xf32>'}}
  %0:3 = soap.route %i : (tensor<2x6x2xi32>) -> (tensor<2x6x2xi32>, tensor<2x4x3xi32>, tensor<2x3xf32>)
  return
}

// -----

func.func @route_narrow_load(%i: tensor<2x6x2xi32>) {
  // expected-error@+1 {{'soap.route' op expected a load of f32 or f64, got 'tensor<2x4xbf16>'}}
  %0:3 = soap.route %i : (tensor<2x6x2xi32>) -> (tensor<2x6x2xi32>, tensor<2x4x3xi32>, tensor<2x4xbf16>)
  return
}

// -----

func.func @route_long(%i: tensor<1x16777216x2xi32>) {
  // expected-error@+1 {{'soap.route' op 16777216 tokens with 2 choices each, expected at most 16777216 choices in a sample}}
  %0:3 = soap.route %i : (tensor<1x16777216x2xi32>) -> (tensor<1x16777216x2xi32>, tensor<1x4x3xi32>, tensor<1x4xf32>)
  return
}

// -----

func.func @route_places(%i: tensor<1x6x2xi32>) {
  // expected-error@+1 {{'soap.route' op 4 experts of 1073741824 places, expected at most 2147483647 places in a sample}}
  %0:3 = soap.route %i : (tensor<1x6x2xi32>) -> (tensor<1x6x2xi32>, tensor<1x4x1073741824xi32>, tensor<1x4xf32>)
  return
}

// -----

func.func @dispatch_rank(%x: tensor<6x5xf32>, %s: tensor<2x6x2xi32>, %t: tensor<2x4x3xi32>) {
  // expected-error@+1 {{'soap.dispatch' op expected x of rank 3, got 'tensor<6x5xf32>'}}
  %0 = soap.dispatch %x, %s, %t : (tensor<6x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>) -> tensor<4x2x3x5xf32>
  return
}

// -----

func.func @dispatch_slots(%x: tensor<2x6x5xf32>, %s: tensor<2x5x2xi32>, %t: tensor<2x4x3xi32>) {
  // expected-error@+1 {{'soap.dispatch' op expected slots of shape 2x6x2, got 'tensor<2x5x2xi32>'}}
  %0 = soap.dispatch %x, %s, %t : (tensor<2x6x5xf32>, tensor<2x5x2xi32>, tensor<2x4x3xi32>) -> tensor<4x2x3x5xf32>
  return
}

// -----

func.func @dispatch_samples(%x: tensor<2x6x5xf32>, %s: tensor<2x6x2xi32>, %t: tensor<2x4x3xi32>) {
  // expected-error@+1 {{'soap.dispatch' op expected a result of shape 4x2x3x5, got 'tensor<4x1x3x5xf32>'}}
  %0 = soap.dispatch %x, %s, %t : (tensor<2x6x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>) -> tensor<4x1x3x5xf32>
  return
}

// -----

func.func @dispatch_places(%x: tensor<2x6x5xf32>, %s: tensor<2x6x2xi32>, %t: tensor<2x4x3xi32>) {
  // expected-error@+1 {{'soap.dispatch' op expected a result of rank 4, got 'tensor<4x6x5xf32>'}}
  %0 = soap.dispatch %x, %s, %t : (tensor<2x6x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>) -> tensor<4x6x5xf32>
  return
}

// -----

func.func @dispatch_width(%x: tensor<2x6x5xf32>, %s: tensor<2x6x2xi32>, %t: tensor<2x4x3xi32>) {
  // expected-error@+1 {{'soap.dispatch' op expected a result of shape 4x2x3x5, got 'tensor<4x2x3x4xf32>'}}
  %0 = soap.dispatch %x, %s, %t : (tensor<2x6x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>) -> tensor<4x2x3x4xf32>
  return
}

// -----

func.func @dispatch_tokens(%x: tensor<2x6x5xf32>, %s: tensor<2x6x2xi32>, %t: tensor<2x4x2xi32>) {
  // expected-error@+1 {{'soap.dispatch' op expected tokens of shape 2x4x3, got 'tensor<2x4x2xi32>'}}
  %0 = soap.dispatch %x, %s, %t : (tensor<2x6x5xf32>, tensor<2x6x2xi32>, tensor<2x4x2xi32>) -> tensor<4x2x3x5xf32>
  return
}

// -----

func.func @combine_gates(%y: tensor<4x2x3x5xf32>, %s: tensor<2x6x2xi32>, %t: tensor<2x4x3xi32>, %g: tensor<2x6x3xf32>) {
  // expected-error@+1 {{'soap.combine_experts' op expected gates of shape 2x6x2, got 'tensor<2x6x3xf32>'}}
  %0 = soap.combine_experts %y, %s, %t, %g : (tensor<4x2x3x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>, tensor<2x6x3xf32>) -> tensor<2x6x5xf32>
  return
}

// -----

func.func @combine_first(%y: tensor<4x2x3x5xf32>, %s: tensor<2x6x2xi32>, %t: tensor<2x4x3xi32>) {
  // expected-error@+1 {{'soap.combine_experts' op 'first_expert' must be in [0, 2147483647], got -1}}
  %0 = soap.combine_experts %y, %s, %t {first_expert = -1 : i64} : (tensor<4x2x3x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>) -> tensor<2x6x5xf32>
  return
}

// -----

func.func @gates_result(%x: tensor<2x6x5xf32>, %y: tensor<4x2x3x5xf32>, %s: tensor<2x6x2xi32>) {
  // expected-error@+1 {{'soap.gates_grad' op expected a result of shape 2x6x2, got 'tensor<2x6x4xf32>'}}
  %0 = soap.gates_grad %x, %y, %s : (tensor<2x6x5xf32>, tensor<4x2x3x5xf32>, tensor<2x6x2xi32>) -> tensor<2x6x4xf32>
  return
}
