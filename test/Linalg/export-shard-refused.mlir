// Strategies that no grid of devices has are refused, with the op that is not on it.
// RUN: soap-opt %s --split-input-file --soap-export-shard --verify-diagnostics

// expected-error @below {{no grid has this strategy: op 'exp_1' runs on devices [0], expected each of the 2 devices of the strategy once}}
func.func @alone(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.exp %x {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<4xf32>
  %z = math.exp %y {soap.config = #soap.config<{}, devices = [0]>} : tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// expected-error @below {{no grid has this strategy: op 'exp_0' cuts its loop 'd0' of extent 5 into 2 pieces of different sizes, expected equal ones}}
func.func @uneven(%x: tensor<5xf32>) -> tensor<5xf32> {
  %y = math.exp %x {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// expected-error @below {{no grid has this strategy: op 'exp_0' has its pieces on devices [1, 0], which are no axes of one grid with the ops before it}}
func.func @reversed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.exp %x {soap.config = #soap.config<{d0 = 2}, devices = [1, 0]>} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @below {{no grid has this strategy: the strategy uses devices [0, 2], expected devices from 0 on without gaps}}
func.func @gap(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.exp %x {soap.config = #soap.config<{d0 = 2}, devices = [0, 2]>} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @halo(%x: tensor<10xf32>) -> tensor<8xf32> {
  // expected-error @below {{'tensor.extract_slice' op 'extract_slice_0' needs an operand of type 'tensor<10xf32>' in parts that overlap or are no blocks of its dims, which no sharding of a grid has}}
  %y = tensor.extract_slice %x[1] [8] [1] {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<10xf32> to tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @position(%x: tensor<4xf32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<4xi32>) attrs = {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} {
  ^bb0(%old: i32):
    // expected-error @below {{is the position along loop 'd0' of op 'generic_0', which is cut: upstream's partition does not add where the shard begins}}
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'math.exp' has no 'soap.config', expected one on every op}}
  %y = math.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Digits of a reshaped dim: a cut of the first one is a cut of the dim, a cut of the second one is not.
func.func @digits(%x: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<24xf32>) {
  %y = tensor.collapse_shape %x [[0, 1]] {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<4x6xf32> into tensor<24xf32>
  // expected-error @below {{'tensor.collapse_shape' op 'collapse_shape_1' needs a result of type 'tensor<24xf32>' in parts that overlap or are no blocks of its dims}}
  %z = tensor.collapse_shape %x [[0, 1]] {soap.config = #soap.config<{d1 = 2}, devices = [0, 1]>} : tensor<4x6xf32> into tensor<24xf32>
  return %y, %z : tensor<24xf32>, tensor<24xf32>
}
