#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %table = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<1x3xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x3xf32>) {
  ^bb0(%a: f32):
    %i = arith.fptosi %a : f32 to i64
    %index = arith.index_cast %i : i64 to index
    %inside = arith.cmpi slt, %index, %c3 : index
    cf.assert %inside, "index must be smaller than dim size"
    linalg.yield
  }
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1x3xf32>) outs(%e : tensor<1x3xf32>) {
  ^bb0(%a: f32, %old: f32):
    %i = arith.fptosi %a : f32 to i64
    %index = arith.index_cast %i : i64 to index
    %inside = arith.cmpi slt, %index, %c3 : index
    cf.assert %inside, "index must be smaller than dim size"
    %v = tensor.extract %table[%index] : tensor<3xf32>
    linalg.yield %v : f32
  } -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}
func.func @gather(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %table = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %i = arith.fptosi %x : tensor<1x3xf32> to tensor<1x3xi32>
  %indices = tensor.expand_shape %i [[0], [1, 2]] output_shape [1, 3, 1] : tensor<1x3xi32> into tensor<1x3x1xi32>
  %y = tensor.gather %table[%indices] gather_dims([0]) : (tensor<3xf32>, tensor<1x3x1xi32>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}
