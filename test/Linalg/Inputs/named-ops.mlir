// Named ops with shards of their own; check_named_ops.py knows what they compute.
func.func @softmax(%x: tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %e = tensor.empty() : tensor<8x6xf32>
  %r = linalg.softmax {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>} dimension(1) ins(%x : tensor<8x6xf32>) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  %c = linalg.softmax {soap.config = #soap.config<{d1 = 3}, devices = [0, 1, 2]>} dimension(0) ins(%x : tensor<8x6xf32>) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %r, %c : tensor<8x6xf32>, tensor<8x6xf32>
}
func.func @pack(%x: tensor<8x6xf32>) -> (tensor<2x3x4x3xf32>, tensor<8x6xf32>) {
  %pad = arith.constant 7.0 : f32
  %e = tensor.empty() : tensor<2x3x4x3xf32>
  %p = linalg.pack %x padding_value(%pad : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 3] into %e {soap.config = #soap.config<{d0 = 2, d1 = 2}, devices = [0, 1, 2, 3]>} : tensor<8x6xf32> -> tensor<2x3x4x3xf32>
  %e2 = tensor.empty() : tensor<4x2x2x3xf32>
  %q = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %e2 {soap.config = #soap.config<{d0 = 3}, devices = [0, 1, 2]>} : tensor<8x6xf32> -> tensor<4x2x2x3xf32>
  %t = math.absf %q {soap.config = #soap.config<{d1 = 2, d3 = 2}, devices = [0, 1, 2, 3]>} : tensor<4x2x2x3xf32>
  %e3 = tensor.empty() : tensor<8x6xf32>
  %u = linalg.unpack %t inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %e3 {soap.config = #soap.config<{d0 = 2, d1 = 2}, devices = [3, 2, 1, 0]>} : tensor<4x2x2x3xf32> -> tensor<8x6xf32>
  return %p, %u : tensor<2x3x4x3xf32>, tensor<8x6xf32>
}
func.func @cropped(%x: tensor<2x3x4x3xf32> {soap.name = "packed"}) -> tensor<8x6xf32> {
  %e = tensor.empty() : tensor<8x6xf32>
  %u = linalg.unpack %x outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 3] into %e {soap.config = #soap.config<{}, devices = [2]>} : tensor<2x3x4x3xf32> -> tensor<8x6xf32>
  return %u : tensor<8x6xf32>
}
func.func @gather(%x: tensor<8x6xf32>, %i: tensor<4x2x1xi32>) -> (tensor<4x2x6xf32>, tensor<4x2x8x1xf32>) {
  %a = tensor.gather %x[%i] gather_dims([0]) {soap.config = #soap.config<{d0 = 2, d2 = 2}, devices = [0, 1, 2, 3]>} : (tensor<8x6xf32>, tensor<4x2x1xi32>) -> tensor<4x2x6xf32>
  %b = tensor.gather %x[%i] gather_dims([1]) {soap.config = #soap.config<{d1 = 2, d2 = 2}, devices = [0, 1, 2, 3]>} : (tensor<8x6xf32>, tensor<4x2x1xi32>) -> tensor<4x2x8x1xf32>
  return %a, %b : tensor<4x2x6xf32>, tensor<4x2x8x1xf32>
}
func.func @loop(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.sample_dim = 0 : i64}) -> tensor<8x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %y = scf.for %i = %c0 to %c8 step %c3 iter_args(%acc = %x) -> tensor<8x6xf32> {
    %row = tensor.extract_slice %acc[%i, 0] [1, 6] [1, 1] : tensor<8x6xf32> to tensor<1x6xf32>
    %twice = arith.addf %row, %row : tensor<1x6xf32>
    %next = tensor.insert_slice %twice into %acc[%i, 0] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<8x6xf32>
    scf.yield %next : tensor<8x6xf32>
  }
  return %y : tensor<8x6xf32>
}
