func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<6x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"})
    -> (tensor<8x3xf32> {soap.kind = #soap.kind<output>, soap.name = "logits"}) {
  %0 = soap.dropout %x {rate = 0.5 : f64, seed = 1 : i64, soap.name = "drop"} : tensor<8x6xf32>
  %1 = soap.matmul %0, %w {soap.name = "fc"} : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  %2 = soap.dropout %1 {rate = 0.5 : f64, seed = 2 : i64, soap.name = "drop2"} : tensor<8x3xf32>
  return %2 : tensor<8x3xf32>
}
