module {
  func.func @forward(%arg0: tensor<8x12xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %arg1: tensor<8xi32> {soap.kind = #soap.kind<data>, soap.name = "labels", soap.sample_dim = 0 : i64}, %arg2: tensor<2x12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "a"}, %arg3: tensor<16x2xf32> {soap.kind = #soap.kind<parameter>, soap.name = "b"}, %arg4: tensor<16x12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "base.0.weight"}, %arg5: tensor<16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "base.0.bias"}, %arg6: tensor<5x16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "base.2.weight"}, %arg7: tensor<5xf32> {soap.kind = #soap.kind<parameter>, soap.name = "base.2.bias"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.stop_gradient %arg4 {soap.name = "base.0.weight.stop_gradient"} : tensor<16x12xf32>
    %1 = soap.stop_gradient %arg5 {soap.name = "base.0.bias.stop_gradient"} : tensor<16xf32>
    %2 = soap.stop_gradient %arg6 {soap.name = "base.2.weight.stop_gradient"} : tensor<5x16xf32>
    %3 = soap.stop_gradient %arg7 {soap.name = "base.2.bias.stop_gradient"} : tensor<5xf32>
    %4 = soap.matmul %arg0, %0 {soap.name = "base.0.matmul", transpose_b} : (tensor<8x12xf32>, tensor<16x12xf32>) -> tensor<8x16xf32>
    %5 = soap.bias_add %4, %1 {axis = 1 : i64, soap.name = "base.0"} : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    %6 = soap.transpose %arg2 {permutation = array<i64: 1, 0>, soap.name = "permute"} : (tensor<2x12xf32>) -> tensor<12x2xf32>
    %7 = soap.matmul %arg0, %6 {soap.name = "matmul"} : (tensor<8x12xf32>, tensor<12x2xf32>) -> tensor<8x2xf32>
    %8 = soap.transpose %arg3 {permutation = array<i64: 1, 0>, soap.name = "permute_1"} : (tensor<16x2xf32>) -> tensor<2x16xf32>
    %9 = soap.matmul %7, %8 {soap.name = "matmul_1"} : (tensor<8x2xf32>, tensor<2x16xf32>) -> tensor<8x16xf32>
    %10 = soap.scale %9 {factor = 2.000000e+00 : f64, soap.name = "mul"} : tensor<8x16xf32>
    %11 = soap.add %5, %10 {soap.name = "add"} : tensor<8x16xf32>
    %12 = soap.gelu %11 {soap.name = "base.1"} : tensor<8x16xf32>
    %13 = soap.matmul %12, %2 {soap.name = "base.2.matmul", transpose_b} : (tensor<8x16xf32>, tensor<5x16xf32>) -> tensor<8x5xf32>
    %14 = soap.bias_add %13, %3 {axis = 1 : i64, soap.name = "base.2"} : (tensor<8x5xf32>, tensor<5xf32>) -> tensor<8x5xf32>
    %15 = soap.cast %arg1 {soap.name = "cross_entropy_loss.cast"} : (tensor<8xi32>) -> tensor<8xf32>
    %16 = soap.constant {soap.name = "cross_entropy_loss.constant"} dense<-1.000000e+02> : tensor<f32>
    %17 = soap.equal %15, %16 {soap.name = "cross_entropy_loss.equal"} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %18 = soap.constant {soap.name = "cross_entropy_loss.constant_1"} dense<1.000000e+00> : tensor<f32>
    %19 = soap.sub %18, %17 {soap.name = "cross_entropy_loss.sub"} : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    %20 = soap.reduce  sum %19 {axes = array<i64: 0>, soap.name = "cross_entropy_loss.reduce"} : (tensor<8xf32>) -> tensor<f32>
    %21 = soap.constant {soap.name = "cross_entropy_loss.constant_2"} dense<-1.000000e+00> : tensor<f32>
    %22 = soap.where %19, %15, %21 {soap.name = "cross_entropy_loss.where"} : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %23 = soap.cast %22 {soap.name = "cross_entropy_loss.cast_1"} : (tensor<8xf32>) -> tensor<8xi32>
    %loss, %correct, %stats = soap.cross_entropy %14, %23 {scale = 1.000000e+00 : f64, soap.name = "cross_entropy_loss.cross_entropy"} : (tensor<8x5xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x8xf32>)
    %24 = soap.div %loss, %20 {soap.name = "cross_entropy_loss"} : tensor<f32>
    return %24 : tensor<f32>
  }
}

