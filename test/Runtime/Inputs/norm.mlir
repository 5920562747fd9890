// A product and a batch norm with running statistics.
func.func @forward(
    %x: tensor<16x24xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
    %w: tensor<24x10xf32> {soap.kind = #soap.kind<parameter>, soap.name = "fc.weight", soap.init = #soap.init<he>, soap.fan_in = 24 : i64, soap.fan_out = 10 : i64},
    %scale: tensor<10xf32> {soap.kind = #soap.kind<parameter>, soap.name = "norm.scale", soap.init = #soap.init<ones>},
    %shift: tensor<10xf32> {soap.kind = #soap.kind<parameter>, soap.name = "norm.shift", soap.init = #soap.init<zeros>},
    %mean: tensor<10xf32> {soap.kind = #soap.kind<state>, soap.name = "norm.mean", soap.init = #soap.init<zeros>},
    %variance: tensor<10xf32> {soap.kind = #soap.kind<state>, soap.name = "norm.variance", soap.init = #soap.init<ones>}) -> tensor<16x10xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<16x24xf32>, tensor<24x10xf32>) -> tensor<16x10xf32>
  %1 = soap.batch_norm %0, %scale, %shift, %mean, %variance {soap.name = "norm", epsilon = 1.0e-3 : f64}
     : (tensor<16x10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<16x10xf32>
  return %1 : tensor<16x10xf32>
}
