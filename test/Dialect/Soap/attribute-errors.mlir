// Every message of the verifier of discardable attributes.
// RUN: soap-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{argument #0: 'soap.kind' must be one of #soap.kind<data>, #soap.kind<label>, #soap.kind<parameter>, #soap.kind<state>, #soap.kind<positions>, got "weight"}}
func.func @kind(%x: tensor<2xf32> {soap.kind = "weight"}) {
  return
}

// -----

// expected-error@+1 {{argument #0: 'soap.name' must be a string that is not empty, got ""}}
func.func @name(%x: tensor<2xf32> {soap.name = ""}) {
  return
}

// -----

// expected-error@+1 {{argument #1: 'soap.sample_dim' must be in [0, 1], got 2}}
func.func @sample_dim(%y: f32, %x: tensor<2x2xf32> {soap.sample_dim = 2 : i64}) {
  return
}

// -----

// expected-error@+1 {{'soap.sample_dim' must be an i64, got 0 : i32}}
func.func @sample_dim_type(%x: tensor<2x2xf32> {soap.sample_dim = 0 : i32}) {
  return
}

// -----

// expected-error@+1 {{argument #0: 'soap.init' must be one of #soap.init<he>, #soap.init<glorot>, #soap.init<zeros>, #soap.init<ones>, #soap.init<default>, got "random"}}
func.func @init(%x: tensor<2xf32> {soap.init = "random"}) {
  return
}

// -----

// expected-error@+1 {{argument #0: 'soap.init' of type 'tensor<3xf32>' does not fit an argument of type 'tensor<2xf32>'}}
func.func @init_type(%x: tensor<2xf32> {soap.init = dense<0.0> : tensor<3xf32>}) {
  return
}

// -----

// expected-error@+1 {{'soap.fan_in' must be in [1, 1099511627776], got 0}}
func.func @fan_in(%x: tensor<2xf32> {soap.fan_in = 0 : i64}) {
  return
}

// -----

// Labels do not count from the end, as data may.
// expected-error@+1 {{'soap.classes' must be in [1, 1099511627776], got -3}}
func.func @classes(%x: tensor<2xi32> {soap.kind = #soap.kind<data>, soap.classes = -3 : i64}, %y: tensor<2xi32> {soap.kind = #soap.kind<label>, soap.classes = -3 : i64}) {
  return
}

// -----

// expected-error@+1 {{result #0: 'soap.kind' must be one of #soap.kind<loss>, #soap.kind<correct>, #soap.kind<output>, #soap.kind<update>, got #soap.kind<data>}}
func.func @result_kind(%x: tensor<2xf32>) -> (tensor<2xf32> {soap.kind = #soap.kind<data>}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{result #0: 'soap.updates' must be in [0, 0], got 1}}
func.func @updates(%x: tensor<2xf32>) -> (tensor<2xf32> {soap.updates = 1 : i64}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{result #0: 'soap.updates' names argument #1 of type 'tensor<3xf32>', got a result of type 'tensor<2xf32>'}}
func.func @updates_type(%x: tensor<2xf32>, %y: tensor<3xf32>) -> (tensor<2xf32> {soap.updates = 1 : i64}) {
  return %x : tensor<2xf32>
}

// -----

func.func @op_name(%x: tensor<2xf32>) {
  // expected-error@+1 {{'soap.name' must be a string that is not empty, got 1 : i64}}
  %0 = soap.relu %x {soap.name = 1 : i64} : tensor<2xf32>
  return
}

// -----

func.func @loop_map(%x: tensor<2xf32>) {
  // expected-error@+1 {{'soap.loop_map' must map loop names to strings, got {d0 = 1 : i64}}}
  %0 = soap.relu %x {soap.loop_map = {d0 = 1 : i64}} : tensor<2xf32>
  return
}

// -----

func.func @slot(%x: tensor<2xf32>) {
  // expected-error@+1 {{'soap.slot' must be in [0, 1099511627776], got -1}}
  %0 = soap.relu %x {soap.slot = -1 : i64} : tensor<2xf32>
  return
}

// -----

// expected-error@+1 {{'soap.manifest' must be a string that is not empty}}
module attributes {soap.manifest = 1 : i64} {}

// -----

// expected-error@+1 {{'soap.programs' must be an array of dictionaries}}
module attributes {soap.programs = [1]} {}

// -----

func.func @unknown(%x: tensor<2xf32>) {
  // expected-error@+1 {{'soap.relu' op unknown attribute 'soap.confg'}}
  %0 = soap.relu %x {soap.confg = #soap.config<{}, devices = [0]>} : tensor<2xf32>
  return
}

// -----

// expected-error@+1 {{'func.func' op argument #0: unknown attribute 'soap.updates'}}
func.func @unknown_argument(%x: tensor<2xf32> {soap.updates = 0 : i64}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op result #0: unknown attribute 'soap.sample_dim'}}
func.func @unknown_result(%x: tensor<2xf32>) -> (tensor<2xf32> {soap.sample_dim = 0 : i64}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{'soap.fused_slots' must be an array<i64>, got 1 : i64}}
module attributes {soap.fused_slots = 1 : i64} {}

// -----

// expected-error@+1 {{'soap.pipeline' must be #soap.pipeline<microbatches = N, schedule = S, replicas = [R, ...]> with N of at least 1, S "1f1b" or "gpipe", and, if any, R of at least 1, got {microbatches = 0 : i64, schedule = "1f1b"}}}
module attributes {soap.pipeline = {microbatches = 0 : i64, schedule = "1f1b"}} {}

// -----

// expected-error@+1 {{'soap.pipeline' must be #soap.pipeline<}}
module attributes {soap.pipeline = {microbatches = 4 : i64, schedule = "zigzag"}} {}

// -----

// expected-error@+1 {{argument #0: 'soap.updated' must be a unit attribute, got true}}
func.func @updated(%x: tensor<2xf32> {soap.updated = true}) {
  return
}

// -----

func.func @keep(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'soap.keep' must be one of #soap.keep<both>, #soap.keep<before>, #soap.keep<after>, got "never"}}
  %0 = soap.relu %x {soap.keep = "never"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{argument #0: 'soap.keep' must be one of #soap.keep<both>, #soap.keep<before>, got #soap.keep<after>}}
func.func @keep_argument(%x: tensor<4xf32> {soap.keep = #soap.keep<after>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'soap.precision' must be one of #soap.precision<f32>, #soap.precision<tf32>, #soap.precision<bf16>, got "f16"}}
module attributes {soap.precision = "f16"} {
}

// -----

// expected-error@+1 {{'soap.precision' needs a module}}
func.func @precision(%x: tensor<2xf32>) attributes {soap.precision = #soap.precision<f32>} {
  return
}

// -----

func.func @momentum(%x: tensor<4x3xf32>, %c: tensor<3xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{'soap.batch_norm_momentum' must be an f64 in [0, 1], got 1.500000e+00 : f64}}
  %y = soap.batch_norm %x, %c, %c, %c, %c {epsilon = 1.0e-3 : f64, soap.batch_norm_momentum = 1.5 : f64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @momentum_elsewhere(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{is no 'soap.batch_norm', so it takes no 'soap.batch_norm_momentum'}}
  %y = soap.relu %x {soap.batch_norm_momentum = 0.5 : f64} : tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

// expected-error@+1 {{'soap.stages': expected a list of stages, each a dictionary with a string 'first' and an array of i32 'devices'}}
module attributes {soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = []} {}

// -----

// expected-error@+1 {{'soap.stages': stage 0 must be a dictionary with a string 'first' and an array of i32 'devices'}}
module attributes {soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "", devices = array<i32: 0>}]} {}

// -----

// expected-error@+1 {{'soap.stages': stage 1 must be a dictionary with a string 'first' and an array of i32 'devices'}}
module attributes {soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "a", devices = array<i32: 0>}, {first = "b", devices = array<i64: 0>}]} {}

// -----

// expected-error@+1 {{'soap.stages': stage 0 has device -1, expected numbers of at least 0}}
module attributes {soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "a", devices = array<i32: -1>}]} {}

// -----

// expected-error@+1 {{'soap.stages': stage 0 has device 1 twice}}
module attributes {soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "a", devices = array<i32: 1, 1>}]} {}

// -----

// expected-error@+1 {{'soap.stages': stage 1 shares device 1 with stage 0, expected the same devices or none in common}}
module attributes {soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "a", devices = array<i32: 0, 1>}, {first = "b", devices = array<i32: 1, 2>}]} {}

// -----

// expected-error@+1 {{'soap.stages' needs a 'soap.pipeline' without replicas}}
module attributes {soap.stages = [{first = "a", devices = array<i32: 0>}]} {}

// -----

// expected-error @below {{argument #0: 'soap.memory' must be "host" (absent: the memory of the device), got "disk"}}
func.func @memory(%arg0: tensor<4xf32> {soap.kind = #soap.kind<state>, soap.memory = "disk"}) {
  return
}

// -----

// expected-error @below {{argument #0: 'soap.memory' needs a state of an optimizer (soap.kind = #soap.kind<state>)}}
func.func @memory_of_weight(%arg0: tensor<4xf32> {soap.kind = #soap.kind<parameter>, soap.memory = "host"}) {
  return
}

// -----

func.func @sum_of_maxima(%x: tensor<4x2xbf16>) -> tensor<2xf32> {
  // expected-error @below {{takes no 'soap.sum_type', which is of a matmul, a reduce with sums, a conv2d_weight_grad or a gather_grad}}
  %0 = soap.reduce max %x {axes = array<i64: 0>, soap.sum_type = f32} : (tensor<4x2xbf16>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @sum_of_other_type(%x: tensor<4x2xbf16>) -> tensor<2xf64> {
  // expected-error @below {{'soap.sum_type' must be f32, got f64}}
  %0 = soap.reduce sum %x {axes = array<i64: 0>, soap.sum_type = f64} : (tensor<4x2xbf16>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// -----

func.func @sum_of_wide(%x: tensor<4x2xf32>) -> tensor<2xf32> {
  // expected-error @below {{'soap.sum_type' needs operands with floats of fewer than 32 bits, got 'f32'}}
  %0 = soap.reduce sum %x {axes = array<i64: 0>, soap.sum_type = f32} : (tensor<4x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @sum_that_is_narrow(%dy: tensor<4x6xbf16>, %i: tensor<4xi32>) -> tensor<8x6xbf16> {
  // expected-error @below {{has elements of 'bf16', expected 'f32', its 'soap.sum_type'}}
  %0 = soap.gather_grad %dy, %i {soap.sum_type = f32} : (tensor<4x6xbf16>, tensor<4xi32>) -> tensor<8x6xbf16>
  return %0 : tensor<8x6xbf16>
}

// -----

func.func @sum_without_type(%dy: tensor<4x6xbf16>, %i: tensor<4xi32>) -> tensor<8x6xf32> {
  // expected-error @below {{operands and results must have one floating-point type, got 'bf16' and 'f32'}}
  %0 = soap.gather_grad %dy, %i : (tensor<4x6xbf16>, tensor<4xi32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
