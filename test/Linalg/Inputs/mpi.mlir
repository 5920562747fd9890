// A product, a relu and sums along the samples; the parameter is halved in every step.
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<8x12xf32> {soap.kind = #soap.kind<data>, soap.sample_dim = 0 : i64}, %w: tensor<12x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"})
    -> (tensor<8x6xf32>, tensor<12xf32>, tensor<12x6xf32> {soap.kind = #soap.kind<update>, soap.updates = 1 : i64}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  %h = linalg.matmul ins(%x, %w : tensor<8x12xf32>, tensor<12x6xf32>) outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<8x6xf32>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%a: f32, %old: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<8x6xf32>
  %e1 = tensor.empty() : tensor<12xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<12xf32>) -> tensor<12xf32>
  %s = linalg.reduce ins(%x : tensor<8x12xf32>) outs(%f1 : tensor<12xf32>) dimensions = [0]
    (%a: f32, %acc: f32) {
      %n = arith.addf %a, %acc : f32
      linalg.yield %n : f32
    }
  %half = arith.constant dense<0.5> : tensor<12x6xf32>
  %next = arith.mulf %w, %half : tensor<12x6xf32>
  return %y, %s, %next : tensor<8x6xf32>, tensor<12xf32>, tensor<12x6xf32>
}
