// A network with each kind of op once, for calibrate.test.
func.func @forward(
    %image: tensor<8x1x6x6xf32> {soap.kind = #soap.kind<data>, soap.name = "image", soap.sample_dim = 0 : i64},
    %filter: tensor<4x1x3x3xf32> {soap.init = #soap.init<ones>, soap.kind = #soap.kind<parameter>, soap.name = "conv.weight"},
    %weight: tensor<4x16xf32> {soap.init = #soap.init<ones>, soap.kind = #soap.kind<parameter>, soap.name = "fc.weight"})
    -> (tensor<8x4xf32> {soap.kind = #soap.kind<output>, soap.name = "logits"}) {
  %conv = soap.conv2d %image, %filter {soap.name = "conv", strides = array<i64: 1, 1>} : (tensor<8x1x6x6xf32>, tensor<4x1x3x3xf32>) -> tensor<8x4x4x4xf32>
  %pool = soap.max_pool2d %conv {kernel = array<i64: 2, 2>, soap.name = "pool", strides = array<i64: 2, 2>} : (tensor<8x4x4x4xf32>) -> tensor<8x4x2x2xf32>
  %flat = soap.reshape %pool {soap.name = "flatten"} : (tensor<8x4x2x2xf32>) -> tensor<8x16xf32>
  %logits = soap.matmul %flat, %weight {soap.name = "fc", transpose_b} : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
  return %logits : tensor<8x4xf32>
}
