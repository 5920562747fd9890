// Two dense layers: 32 samples of 4 numbers to the logits of 2 classes.
func.func @forward(%x: tensor<32x4xf32> {soap.kind = "data", soap.name = "x", soap.sample_dim = 0 : i64},
                   %w1: tensor<4x16xf32> {soap.fan_in = 4 : i64, soap.kind = "parameter", soap.name = "w1"},
                   %w2: tensor<16x2xf32> {soap.fan_in = 16 : i64, soap.kind = "parameter", soap.name = "w2"}) -> tensor<32x2xf32> {
  %h = soap.matmul %x, %w1 {soap.name = "fc1"} : (tensor<32x4xf32>, tensor<4x16xf32>) -> tensor<32x16xf32>
  %r = soap.relu %h {soap.name = "relu"} : tensor<32x16xf32>
  %y = soap.matmul %r, %w2 {soap.name = "fc2"} : (tensor<32x16xf32>, tensor<16x2xf32>) -> tensor<32x2xf32>
  return %y : tensor<32x2xf32>
}
