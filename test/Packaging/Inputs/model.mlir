func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %y = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}
