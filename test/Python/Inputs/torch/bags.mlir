module {
  func.func @forward(%arg0: tensor<12xi32> {soap.kind = #soap.kind<data>, soap.name = "ids", soap.sample_dim = 0 : i64}, %arg1: tensor<4xi32> {soap.kind = #soap.kind<data>, soap.name = "offsets"}, %arg2: tensor<4xi32> {soap.kind = #soap.kind<data>, soap.name = "labels"}, %arg3: tensor<20x8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "bag.weight"}, %arg4: tensor<3x8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "out.weight"}, %arg5: tensor<3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "out.bias"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.gather %arg3, %arg0 {soap.name = "bag.gather"} : (tensor<20x8xf32>, tensor<12xi32>) -> tensor<12x8xf32>
    %1 = soap.cast %arg1 {soap.name = "bag.cast"} : (tensor<4xi32>) -> tensor<4xf32>
    %2 = soap.reshape %1 {soap.name = "bag.reshape"} : (tensor<4xf32>) -> tensor<4x1xf32>
    %3 = soap.constant {soap.name = "bag.constant"} dense<1.200000e+01> : tensor<1x1xf32>
    %4 = soap.slice %2 {offsets = array<i64: 1, 0>, sizes = array<i64: 3, 1>, soap.name = "bag.slice"} : (tensor<4x1xf32>) -> tensor<3x1xf32>
    %5 = soap.concat %4, %3 {axis = 0 : i64, soap.name = "bag.concat"} : (tensor<3x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
    %6 = soap.constant {soap.name = "bag.constant_1"} dense<[[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00, 9.000000e+00, 1.000000e+01, 1.100000e+01]]> : tensor<1x12xf32>
    %7 = soap.greater_equal %6, %2 {soap.name = "bag.greater_equal"} : (tensor<1x12xf32>, tensor<4x1xf32>) -> tensor<4x12xf32>
    %8 = soap.greater %5, %6 {soap.name = "bag.greater"} : (tensor<4x1xf32>, tensor<1x12xf32>) -> tensor<4x12xf32>
    %9 = soap.mul %7, %8 {soap.name = "bag.mul"} : tensor<4x12xf32>
    %10 = soap.matmul %9, %0 {soap.name = "bag.matmul"} : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    %11 = soap.reduce  sum %9 {axes = array<i64: 1>, soap.name = "bag.reduce"} : (tensor<4x12xf32>) -> tensor<4xf32>
    %12 = soap.reshape %11 {soap.name = "bag.reshape_1"} : (tensor<4xf32>) -> tensor<4x1xf32>
    %13 = soap.constant {soap.name = "bag.constant_2"} dense<0.000000e+00> : tensor<f32>
    %14 = soap.equal %12, %13 {soap.name = "bag.equal"} : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
    %15 = soap.constant {soap.name = "bag.constant_3"} dense<1.000000e+00> : tensor<f32>
    %16 = soap.where %14, %15, %12 {soap.name = "bag.where"} : (tensor<4x1xf32>, tensor<f32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %17 = soap.div %10, %16 {soap.name = "bag"} : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    %18 = soap.matmul %17, %arg4 {soap.name = "out.matmul", transpose_b} : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
    %19 = soap.bias_add %18, %arg5 {axis = 1 : i64, soap.name = "out"} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    %20 = soap.cast %arg2 {soap.name = "cross_entropy_loss.cast"} : (tensor<4xi32>) -> tensor<4xf32>
    %21 = soap.constant {soap.name = "cross_entropy_loss.constant"} dense<-1.000000e+02> : tensor<f32>
    %22 = soap.equal %20, %21 {soap.name = "cross_entropy_loss.equal"} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %23 = soap.constant {soap.name = "cross_entropy_loss.constant_1"} dense<1.000000e+00> : tensor<f32>
    %24 = soap.sub %23, %22 {soap.name = "cross_entropy_loss.sub"} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    %25 = soap.reduce  sum %24 {axes = array<i64: 0>, soap.name = "cross_entropy_loss.reduce"} : (tensor<4xf32>) -> tensor<f32>
    %26 = soap.constant {soap.name = "cross_entropy_loss.constant_2"} dense<-1.000000e+00> : tensor<f32>
    %27 = soap.where %24, %20, %26 {soap.name = "cross_entropy_loss.where"} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %28 = soap.cast %27 {soap.name = "cross_entropy_loss.cast_1"} : (tensor<4xf32>) -> tensor<4xi32>
    %loss, %correct, %stats = soap.cross_entropy %19, %28 {scale = 1.000000e+00 : f64, soap.name = "cross_entropy_loss.cross_entropy"} : (tensor<4x3xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x4xf32>)
    %29 = soap.div %loss, %25 {soap.name = "cross_entropy_loss"} : tensor<f32>
    return %29 : tensor<f32>
  }
}

