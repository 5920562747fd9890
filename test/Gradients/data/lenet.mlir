// LeNet in float64, batch 4: the model of lenet.safetensors (utils/record_gradients.py).
func.func @forward(
    %x: tensor<4x1x28x28xf64> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
    %conv1_weight: tensor<6x1x5x5xf64> {soap.kind = #soap.kind<parameter>, soap.name = "conv1.weight"},
    %conv1_bias: tensor<6xf64> {soap.kind = #soap.kind<parameter>, soap.name = "conv1.bias"},
    %conv2_weight: tensor<16x6x5x5xf64> {soap.kind = #soap.kind<parameter>, soap.name = "conv2.weight"},
    %conv2_bias: tensor<16xf64> {soap.kind = #soap.kind<parameter>, soap.name = "conv2.bias"},
    %fc1_weight: tensor<120x400xf64> {soap.kind = #soap.kind<parameter>, soap.name = "fc1.weight"},
    %fc1_bias: tensor<120xf64> {soap.kind = #soap.kind<parameter>, soap.name = "fc1.bias"},
    %fc2_weight: tensor<84x120xf64> {soap.kind = #soap.kind<parameter>, soap.name = "fc2.weight"},
    %fc2_bias: tensor<84xf64> {soap.kind = #soap.kind<parameter>, soap.name = "fc2.bias"},
    %fc3_weight: tensor<10x84xf64> {soap.kind = #soap.kind<parameter>, soap.name = "fc3.weight"},
    %fc3_bias: tensor<10xf64> {soap.kind = #soap.kind<parameter>, soap.name = "fc3.bias"}
) -> (tensor<4x10xf64> {soap.kind = #soap.kind<output>, soap.name = "logits"}) {
  %conv1 = soap.conv2d %x, %conv1_weight {strides = array<i64: 1, 1>, padding = array<i64: 2, 2, 2, 2>, soap.name = "conv1"}
    : (tensor<4x1x28x28xf64>, tensor<6x1x5x5xf64>) -> tensor<4x6x28x28xf64>
  %conv1_add = soap.bias_add %conv1, %conv1_bias {axis = 1 : i64, soap.name = "conv1.add"}
    : (tensor<4x6x28x28xf64>, tensor<6xf64>) -> tensor<4x6x28x28xf64>
  %relu1 = soap.relu %conv1_add {soap.name = "relu1"} : tensor<4x6x28x28xf64>
  %pool1 = soap.max_pool2d %relu1 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, soap.name = "pool1"}
    : (tensor<4x6x28x28xf64>) -> tensor<4x6x14x14xf64>
  %conv2 = soap.conv2d %pool1, %conv2_weight {strides = array<i64: 1, 1>, soap.name = "conv2"}
    : (tensor<4x6x14x14xf64>, tensor<16x6x5x5xf64>) -> tensor<4x16x10x10xf64>
  %conv2_add = soap.bias_add %conv2, %conv2_bias {axis = 1 : i64, soap.name = "conv2.add"}
    : (tensor<4x16x10x10xf64>, tensor<16xf64>) -> tensor<4x16x10x10xf64>
  %relu2 = soap.relu %conv2_add {soap.name = "relu2"} : tensor<4x16x10x10xf64>
  %pool2 = soap.max_pool2d %relu2 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, soap.name = "pool2"}
    : (tensor<4x16x10x10xf64>) -> tensor<4x16x5x5xf64>
  %flatten = soap.reshape %pool2 {soap.name = "flatten"}
    : (tensor<4x16x5x5xf64>) -> tensor<4x400xf64>
  %fc1 = soap.matmul %flatten, %fc1_weight {transpose_b, soap.name = "fc1"}
    : (tensor<4x400xf64>, tensor<120x400xf64>) -> tensor<4x120xf64>
  %fc1_add = soap.bias_add %fc1, %fc1_bias {axis = 1 : i64, soap.name = "fc1.add"}
    : (tensor<4x120xf64>, tensor<120xf64>) -> tensor<4x120xf64>
  %relu3 = soap.relu %fc1_add {soap.name = "relu3"} : tensor<4x120xf64>
  %fc2 = soap.matmul %relu3, %fc2_weight {transpose_b, soap.name = "fc2"}
    : (tensor<4x120xf64>, tensor<84x120xf64>) -> tensor<4x84xf64>
  %fc2_add = soap.bias_add %fc2, %fc2_bias {axis = 1 : i64, soap.name = "fc2.add"}
    : (tensor<4x84xf64>, tensor<84xf64>) -> tensor<4x84xf64>
  %relu4 = soap.relu %fc2_add {soap.name = "relu4"} : tensor<4x84xf64>
  %fc3 = soap.matmul %relu4, %fc3_weight {transpose_b, soap.name = "fc3"}
    : (tensor<4x84xf64>, tensor<10x84xf64>) -> tensor<4x10xf64>
  %fc3_add = soap.bias_add %fc3, %fc3_bias {axis = 1 : i64, soap.name = "fc3.add"}
    : (tensor<4x10xf64>, tensor<10xf64>) -> tensor<4x10xf64>
  return %fc3_add : tensor<4x10xf64>
}
