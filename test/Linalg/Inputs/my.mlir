func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %a = my.axpy %x, %y {a = 2.0} : tensor<4x6xf32>
  %cum = my.cumsum %a : tensor<4x6xf32>
  %z = arith.addf %cum, %x : tensor<4x6xf32>
  return %z : tensor<4x6xf32>
}
