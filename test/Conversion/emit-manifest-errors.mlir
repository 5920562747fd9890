// RUN: soap-opt %s --soap-emit-manifest -split-input-file -verify-diagnostics

// expected-error @below {{has no 'soap.programs' to make a manifest of}}
module {
}

// -----

// expected-error @below {{'soap.programs' has a table without a proper 'entry'}}
module attributes {soap.programs = [{tensors = [], ranks = []}]} {
}

// -----

// expected-error @below {{'soap.programs' names 'absent', which is not a program of the module}}
module attributes {soap.programs = [{entry = "f", tensors = [],
  schedule = {names = [], kinds = [], start_ns = array<i64>, end_ns = array<i64>},
  ranks = [{device = 0 : i64, program = @absent, tasks = array<i64>, peers = array<i64>, transfers = array<i64>, args = [], results = []}]}]} {
}

// -----

module attributes {soap.programs = [{entry = "f", tensors = [],
  schedule = {names = [], kinds = [], start_ns = array<i64>, end_ns = array<i64>},
  ranks = [{device = 0 : i64, program = @f, tasks = array<i64>, peers = array<i64>, transfers = array<i64>, args = [], results = []}]}]} {
  // expected-error @below {{program 'f' has no arena: run soap-plan-memory before}}
  func.func @f() {
    return
  }
}

// -----

// expected-error @below {{'soap.programs' has a schedule with lists of different lengths}}
module attributes {soap.programs = [{entry = "f", tensors = [], ranks = [],
  schedule = {names = ["a"], kinds = [], start_ns = array<i64>, end_ns = array<i64>}}]} {
}

// -----

// expected-error @below {{'soap.programs' has a schedule with lists of different lengths}}
module attributes {soap.programs = [{entry = "f", tensors = [], ranks = [],
  schedule = {names = ["a"], kinds = ["relu"], start_ns = array<i64: 0>, end_ns = array<i64: 1>, shapes = ["s"],
  shape = array<i64>}}]} {
}

// -----

// expected-error @below {{'soap.programs' has a task of shape 1: expected a number of 'shapes', of which there are 1, or -1}}
module attributes {soap.programs = [{entry = "f", tensors = [], ranks = [],
  schedule = {names = ["a"], kinds = ["relu"], start_ns = array<i64: 0>, end_ns = array<i64: 1>, shapes = ["s"],
  shape = array<i64: 1>}}]} {
}

// -----

// expected-error @below {{tensor 'x' has type 'f32': expected a tensor of static shape}}
module attributes {soap.programs = [{entry = "f", tensors = [{name = "x", type = f32}], ranks = [],
  schedule = {names = [], kinds = [], start_ns = array<i64>, end_ns = array<i64>}}]} {
}

// -----

// expected-error @below {{'soap.programs' has 'ranks' that are no array of dictionaries}}
module attributes {soap.programs = [{entry = "f", tensors = [], ranks = [1]}]} {
}

// -----

// expected-error @below {{'soap.programs' has a rank on device 9223372036854775807: expected 0 to 2147483647}}
module attributes {soap.programs = [{entry = "f", tensors = [], ranks = [{device = 9223372036854775807 : i64}]}]} {
}

// -----

// expected-error @below {{'soap.programs' has a rank on device -1: expected 0 to 2147483647}}
module attributes {soap.programs = [{entry = "f", tensors = [], ranks = [{device = -1 : i64}]}]} {
}

// -----

// expected-error @below {{initial value of 'x' has elements of type 'index': expected integers or floats of at most 64 bits}}
module attributes {soap.programs = [{entry = "f", tensors = [{name = "x", type = tensor<2xf32>, init = dense<[1, 2]> : tensor<2xindex>}], ranks = [],
  schedule = {names = [], kinds = [], start_ns = array<i64>, end_ns = array<i64>}}]} {
}

// -----

// expected-error @below {{initial value of 'x' has elements of type 'complex<f32>': expected integers or floats of at most 64 bits}}
module attributes {soap.programs = [{entry = "f", tensors = [{name = "x", type = tensor<2xf32>, init = dense<[(1.0, 2.0), (2.0, 3.0)]> : tensor<2xcomplex<f32>>}], ranks = [],
  schedule = {names = [], kinds = [], start_ns = array<i64>, end_ns = array<i64>}}]} {
}

// -----

// expected-error @below {{initial value of 'x' has elements of type 'i128': expected integers or floats of at most 64 bits}}
module attributes {soap.programs = [{entry = "f", tensors = [{name = "x", type = tensor<2xf32>, init = dense<7> : tensor<2xi128>}], ranks = [],
  schedule = {names = [], kinds = [], start_ns = array<i64>, end_ns = array<i64>}}]} {
}
