// A product whose arguments are not marked as data or parameters.
func.func @main(%x: tensor<512x256xf32>, %w: tensor<256x1024xf32>) -> tensor<512x1024xf32> {
  %empty = tensor.empty() : tensor<512x1024xf32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %y = linalg.matmul ins(%x, %w : tensor<512x256xf32>, tensor<256x1024xf32>) outs(%init : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  return %y : tensor<512x1024xf32>
}
