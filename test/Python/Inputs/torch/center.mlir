module {
  func.func @forward(%arg0: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %arg1: tensor<8xi32> {soap.kind = #soap.kind<data>, soap.name = "labels", soap.sample_dim = 0 : i64}, %arg2: tensor<3x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "l.weight"}, %arg3: tensor<3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "l.bias"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.matmul %arg0, %arg2 {soap.name = "l.matmul", transpose_b} : (tensor<8x6xf32>, tensor<3x6xf32>) -> tensor<8x3xf32>
    %1 = soap.bias_add %0, %arg3 {axis = 1 : i64, soap.name = "l"} : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
    %2 = soap.reduce  sum %1 {axes = array<i64: 0>, soap.name = "sum.reduce"} : (tensor<8x3xf32>) -> tensor<3xf32>
    %3 = soap.reshape %2 {soap.name = "sum"} : (tensor<3xf32>) -> tensor<1x3xf32>
    %4 = soap.constant {soap.name = "div.constant"} dense<8.000000e+00> : tensor<f32>
    %5 = soap.div %3, %4 {soap.name = "div"} : (tensor<1x3xf32>, tensor<f32>) -> tensor<1x3xf32>
    %6 = soap.sub %1, %5 {soap.name = "sub"} : (tensor<8x3xf32>, tensor<1x3xf32>) -> tensor<8x3xf32>
    %7 = soap.cast %arg1 {soap.name = "cross_entropy_loss.cast"} : (tensor<8xi32>) -> tensor<8xf32>
    %8 = soap.constant {soap.name = "cross_entropy_loss.constant"} dense<-1.000000e+02> : tensor<f32>
    %9 = soap.equal %7, %8 {soap.name = "cross_entropy_loss.equal"} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %10 = soap.constant {soap.name = "cross_entropy_loss.constant_1"} dense<1.000000e+00> : tensor<f32>
    %11 = soap.sub %10, %9 {soap.name = "cross_entropy_loss.sub"} : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    %12 = soap.reduce  sum %11 {axes = array<i64: 0>, soap.name = "cross_entropy_loss.reduce"} : (tensor<8xf32>) -> tensor<f32>
    %13 = soap.constant {soap.name = "cross_entropy_loss.constant_2"} dense<-1.000000e+00> : tensor<f32>
    %14 = soap.where %11, %7, %13 {soap.name = "cross_entropy_loss.where"} : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %15 = soap.cast %14 {soap.name = "cross_entropy_loss.cast_1"} : (tensor<8xf32>) -> tensor<8xi32>
    %loss, %correct, %stats = soap.cross_entropy %6, %15 {scale = 1.000000e+00 : f64, soap.name = "cross_entropy_loss.cross_entropy"} : (tensor<8x3xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x8xf32>)
    %16 = soap.div %loss, %12 {soap.name = "cross_entropy_loss"} : tensor<f32>
    return %16 : tensor<f32>
  }
}

