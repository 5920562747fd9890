func.func @forward(%x: tensor<64x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}) -> tensor<64x4xf32> {
  %0 = soap.softmax %x {axis = 1 : i64, soap.name = "<a & b>"} : tensor<64x4xf32>
  %1 = soap.softmax %0 {axis = 1 : i64, soap.name = "\22c\22\01'\FF"} : tensor<64x4xf32>
  return %1 : tensor<64x4xf32>
}
