// A small network with a convolution, a flattening and a linear layer: what the strategy passes are tested on.
func.func @forward(
    %x: tensor<8x1x8x8xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
    %w: tensor<4x1x3x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "conv.weight"},
    %b: tensor<4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "conv.bias"},
    %v: tensor<64x10xf32> {soap.kind = #soap.kind<parameter>, soap.name = "fc.weight"}) -> tensor<8x10xf32> {
  %0 = soap.conv2d %x, %w {soap.name = "conv", strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>}
     : (tensor<8x1x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<8x4x8x8xf32>
  %1 = soap.bias_add %0, %b {soap.name = "bias", axis = 1 : i64} : (tensor<8x4x8x8xf32>, tensor<4xf32>) -> tensor<8x4x8x8xf32>
  %2 = soap.relu %1 {soap.name = "relu"} : tensor<8x4x8x8xf32>
  %3 = soap.max_pool2d %2 {soap.name = "pool", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
     : (tensor<8x4x8x8xf32>) -> tensor<8x4x4x4xf32>
  %4 = soap.reshape %3 {soap.name = "flatten"} : (tensor<8x4x4x4xf32>) -> tensor<8x64xf32>
  %5 = soap.matmul %4, %v {soap.name = "fc"} : (tensor<8x64xf32>, tensor<64x10xf32>) -> tensor<8x10xf32>
  return %5 : tensor<8x10xf32>
}
