func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = arith.cmpf olt, %x, %y {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<4x6xf32>
  %z = arith.select %c, %x, %y {soap.config = #soap.config<{d1 = 2}, devices = [0, 1]>}
    : tensor<4x6xi1>, tensor<4x6xf32>
  return %z : tensor<4x6xf32>
}
