// An op without a model gets a message, with what is expected instead.
// RUN: soap-opt %s --split-input-file --soap-print-op-graph='function=main' --verify-diagnostics

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant true
  // expected-error @below {{'scf.if' has no iteration space, expected an op that implements 'IterationSpaceOpInterface'}}
  %y = scf.if %c -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @above {{'arg0' has type 'tensor<?xf32>', expected a static shape (import with '--batch' to fix the batch size, or run '--soap-mark-arguments' with 'batch=N' or 'sizes=ARGUMENT.DIM:N')}}
  %y = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-note @below {{the value is here}}
func.func @main(%ids: tensor<4xi32>, %table: tensor<9xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{has a region that reads a value of type 'tensor<9xf32>' from outside, expected an operand of the op}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<4xi32>) outs(%e : tensor<4xf32>) {
  ^bb0(%id: i32, %old: f32):
    %i = arith.index_cast %id : i32 to index
    %part = tensor.extract_slice %table[%i] [1] [1] : tensor<9xf32> to tensor<1xf32>
    %zero = arith.constant 0 : index
    %v = tensor.extract %part[%zero] : tensor<1xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'tensor.extract' has no iteration space}}
  %s = tensor.extract %x[%c0] : tensor<4xf32>
  %y = tensor.from_elements %s : tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @main(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  // expected-error @above {{'arg0' has type 'tensor<0x4xf32>', expected at least one element and at most 2^44}}
  %y = math.exp %x : tensor<0x4xf32>
  return %y : tensor<0x4xf32>
}

// -----

func.func @main(%x: tensor<8388608x8388608xf32>) -> tensor<8388608x8388608xf32> {
  // expected-error @above {{expected at least one element and at most 2^44}}
  %y = math.exp %x : tensor<8388608x8388608xf32>
  return %y : tensor<8388608x8388608xf32>
}

// -----

func.func @main(%x: f32) -> tensor<4xf32> {
  // expected-error @above {{'arg0' has type 'f32', expected a ranked tensor of integers or floats}}
  %y = tensor.splat %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
