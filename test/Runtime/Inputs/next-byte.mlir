// Four positions per sequence, 256 classes for each: logits of a position are linear in all numbers of the sequence.
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<4x1024xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w", soap.init = #soap.init<zeros>},
                   %b: tensor<1024xf32> {soap.kind = #soap.kind<parameter>, soap.name = "b", soap.init = #soap.init<zeros>}) -> tensor<32x256xf32> {
  %scaled = soap.scale %x {factor = 0.01 : f64, soap.name = "scale"} : tensor<8x4xf32>
  %y = soap.matmul %scaled, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x1024xf32>) -> tensor<8x1024xf32>
  %biased = soap.bias_add %y, %b {axis = 1 : i64, soap.name = "bias"} : (tensor<8x1024xf32>, tensor<1024xf32>) -> tensor<8x1024xf32>
  %z = soap.reshape %biased {soap.name = "flat"} : (tensor<8x1024xf32>) -> tensor<32x256xf32>
  return %z : tensor<32x256xf32>
}
