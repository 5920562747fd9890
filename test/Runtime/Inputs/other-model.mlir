func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x4xf32> {
  %0 = soap.matmul %x, %w : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
