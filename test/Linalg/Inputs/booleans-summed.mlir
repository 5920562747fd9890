func.func @main(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %f = tensor.empty() : tensor<4xi1>
  %g = linalg.fill ins(%false : i1) outs(%f : tensor<4xi1>) -> tensor<4xi1>
  %c = arith.cmpf olt, %x, %x {soap.config = #soap.config<{}, devices = [0]>} : tensor<4x6xf32>
  %s = linalg.reduce ins(%c : tensor<4x6xi1>) outs(%g : tensor<4xi1>) dimensions = [1]
    {soap.config = #soap.config<{d1 = 2}, devices = [0, 1]>}
    (%a: i1, %acc: i1) {
      %n = arith.addi %a, %acc : i1
      linalg.yield %n : i1
    }
  %y = arith.uitofp %s {soap.config = #soap.config<{}, devices = [0]>} : tensor<4xi1> to tensor<4xf32>
  return %y : tensor<4xf32>
}
