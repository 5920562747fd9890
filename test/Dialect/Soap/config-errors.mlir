// Configs and regions: the parser points at the key, the op's verifier says
// why its space refuses the config (docs/Configs.md).
// RUN: soap-opt %s -split-input-file -verify-diagnostics

// unknown-loop
func.func @unknown_loop(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'soap.matmul' op has a bad config: 'q' is not a loop of the op, whose loops are m, n, k}}
  %0 = soap.matmul %x, %x {soap.config = #soap.config<{q = 2}, devices = [0, 1]>} : tensor<4x4xf32>
  return
}

// -----

// degree-not-positive
func.func @degree(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{degree of loop 'm' must be at least 1, got 0}}
  %0 = soap.matmul %x, %x {soap.config = #soap.config<{m = 0}, devices = []>} : tensor<4x4xf32>
  return
}

// -----

// replicas-not-positive
func.func @replicas(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{replicas must be at least 1, got -1}}
  %0 = soap.matmul %x, %x {soap.config = #soap.config<{}, replicas = -1, devices = []>} : tensor<4x4xf32>
  return
}

// -----

// device-count
func.func @device_count(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{has a bad config: expected 6 devices, replicas times the product of the degrees, got 2}}
  %0 = soap.matmul %x, %x {soap.config = #soap.config<{m = 3}, replicas = 2, devices = [0, 1]>} : tensor<4x4xf32>
  return
}

// -----

// device-count, where the product overflows
func.func @overflow(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{has a bad config: expected 9223372036854775807 devices}}
  %0 = soap.matmul %x, %x {soap.config = #soap.config<{m = 4294967296, n = 4294967296}, replicas = 3, devices = [0, 1]>} : tensor<4x4xf32>
  return
}

// -----

// device-out-of-range
func.func @device(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{device must be in [0, 2147483647], got -1}}
  %0 = soap.matmul %x, %x {soap.config = #soap.config<{m = 2}, devices = [0, -1]>} : tensor<4x4xf32>
  return
}

// -----

// serial-loop-cut
func.func @serial(%x: tensor<1x1x8x8xf32>) {
  // expected-error@+1 {{has a bad config: loop 'kh' is serial and may not be split, got degree 2}}
  %0 = soap.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, soap.config = #soap.config<{kh = 2}, devices = [0, 1]>}
    : (tensor<1x1x8x8xf32>) -> tensor<1x1x4x4xf32>
  return
}

// -----

func.func @twice(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{loop 'm' appears twice}}
  %0 = soap.relu %x {soap.config = #soap.config<{m = 2, m = 2}, devices = [0, 1, 2, 3]>} : tensor<4x4xf32>
  return
}

// -----

func.func @no_devices(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{expected 'devices'}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, on = [0, 1]>} : tensor<4x4xf32>
  return
}

// -----

func.func @degree_is_no_number(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{expected integer value}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = two}, devices = [0, 1]>} : tensor<4x4xf32>
  return
}

// -----

// expected-error@+1 {{'func.func' op argument #0: has a bad config: 'd2' is not a loop of the op, whose loops are d0, d1}}
func.func @argument(%x: tensor<4x4xf32> {soap.config = #soap.config<{d2 = 2}, devices = [0, 1]>}) {
  return
}

// -----

// expected-error@+1 {{argument #0: has a bad config: expected 2 devices}}
func.func @argument_devices(%x: tensor<4x4xf32> {soap.config = #soap.config<{d1 = 2}, devices = [0]>}) {
  return
}

// -----

// expected-error@+1 {{argument #0: 'soap.config' must be a '#soap.config', got "all"}}
func.func @argument_type(%x: tensor<4x4xf32> {soap.config = "all"}) {
  return
}

// -----

// expected-error@+1 {{argument #0: expected a ranked tensor, got 'i32'}}
func.func @argument_scalar(%x: i32 {soap.config = #soap.config<{}, devices = [0]>}) {
  return
}

// -----

func.func @config_type(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'soap.config' must be a '#soap.config', got [0, 1]}}
  %0 = soap.relu %x {soap.config = [0, 1]} : tensor<4x4xf32>
  return
}

// -----

func.func @no_loops(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'func.return' op has no loops, so it takes no 'soap.config'}}
  return {soap.config = #soap.config<{}, devices = [0]>}
}

// -----

// expected-error@+1 {{interval '2:2' must satisfy 0 <= lo < hi}}
#empty = #soap.region<[0:1], [2:2]>

// -----

// expected-error@+1 {{interval '1:3' must begin after the end of the one before it, 2}}
#overlap = #soap.region<[0:2, 1:3]>

// -----

// Intervals that touch are one.
// expected-error@+1 {{interval '2:3' must begin after the end of the one before it, 2}}
#touching = #soap.region<[0:2, 2:3]>

// -----

// expected-error@+1 {{interval '-1:3' must satisfy 0 <= lo < hi}}
#negative = #soap.region<[-1:3]>
