// A small network with a hidden layer, on which tests train.
func.func @forward(
    %x: tensor<16x24xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
    %w1: tensor<24x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "fc1.weight", soap.init = #soap.init<he>, soap.fan_in = 24 : i64, soap.fan_out = 32 : i64},
    %b1: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "fc1.bias", soap.init = #soap.init<zeros>},
    %w2: tensor<32x10xf32> {soap.kind = #soap.kind<parameter>, soap.name = "fc2.weight", soap.init = #soap.init<he>, soap.fan_in = 32 : i64, soap.fan_out = 10 : i64}) -> tensor<16x10xf32> {
  %0 = soap.matmul %x, %w1 {soap.name = "fc1"} : (tensor<16x24xf32>, tensor<24x32xf32>) -> tensor<16x32xf32>
  %1 = soap.bias_add %0, %b1 {axis = 1 : i64, soap.name = "fc1.add"} : (tensor<16x32xf32>, tensor<32xf32>) -> tensor<16x32xf32>
  %2 = soap.relu %1 {soap.name = "relu1"} : tensor<16x32xf32>
  %3 = soap.matmul %2, %w2 {soap.name = "fc2"} : (tensor<16x32xf32>, tensor<32x10xf32>) -> tensor<16x10xf32>
  return %3 : tensor<16x10xf32>
}
