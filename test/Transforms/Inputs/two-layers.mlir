// Two linear layers with many weights and few samples, both on one device of two.
module attributes {soap.topology = #soap.topology<"p100-1x2">} {
  func.func @forward(%x: tensor<512x4096xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                     %w1: tensor<4096x4096xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w1"},
                     %w2: tensor<4096x4096xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w2"}) -> tensor<512x4096xf32> {
    %0 = soap.matmul %x, %w1 {soap.name = "fc1", soap.config = #soap.config<{}, devices = [0]>}
      : (tensor<512x4096xf32>, tensor<4096x4096xf32>) -> tensor<512x4096xf32>
    %1 = soap.matmul %0, %w2 {soap.name = "fc2", soap.config = #soap.config<{}, devices = [0]>}
      : (tensor<512x4096xf32>, tensor<4096x4096xf32>) -> tensor<512x4096xf32>
    return %1 : tensor<512x4096xf32>
  }
}
