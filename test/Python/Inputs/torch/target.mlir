module {
  func.func @forward(%arg0: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "state", soap.sample_dim = 0 : i64}, %arg1: tensor<8xi32> {soap.kind = #soap.kind<data>, soap.name = "action", soap.sample_dim = 0 : i64}, %arg2: tensor<8xf32> {soap.kind = #soap.kind<data>, soap.name = "reward", soap.sample_dim = 0 : i64}, %arg3: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "following", soap.sample_dim = 0 : i64}, %arg4: tensor<16x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "online.0.weight"}, %arg5: tensor<16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "online.0.bias"}, %arg6: tensor<3x16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "online.2.weight"}, %arg7: tensor<3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "online.2.bias"}, %arg8: tensor<16x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "target.0.weight"}, %arg9: tensor<16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "target.0.bias"}, %arg10: tensor<3x16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "target.2.weight"}, %arg11: tensor<3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "target.2.bias"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.stop_gradient %arg8 {soap.name = "target.0.weight.stop_gradient"} : tensor<16x6xf32>
    %1 = soap.stop_gradient %arg9 {soap.name = "target.0.bias.stop_gradient"} : tensor<16xf32>
    %2 = soap.stop_gradient %arg10 {soap.name = "target.2.weight.stop_gradient"} : tensor<3x16xf32>
    %3 = soap.stop_gradient %arg11 {soap.name = "target.2.bias.stop_gradient"} : tensor<3xf32>
    %4 = soap.matmul %arg0, %arg4 {soap.name = "online.0.matmul", transpose_b} : (tensor<8x6xf32>, tensor<16x6xf32>) -> tensor<8x16xf32>
    %5 = soap.bias_add %4, %arg5 {axis = 1 : i64, soap.name = "online.0"} : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    %6 = soap.relu %5 {soap.name = "online.1"} : tensor<8x16xf32>
    %7 = soap.matmul %6, %arg6 {soap.name = "online.2.matmul", transpose_b} : (tensor<8x16xf32>, tensor<3x16xf32>) -> tensor<8x3xf32>
    %8 = soap.bias_add %7, %arg7 {axis = 1 : i64, soap.name = "online.2"} : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
    %9 = soap.reshape %arg1 {soap.name = "unsqueeze"} : (tensor<8xi32>) -> tensor<8x1xi32>
    %10 = soap.cast %9 {soap.name = "gather.cast"} : (tensor<8x1xi32>) -> tensor<8x1xf32>
    %11 = soap.constant {soap.name = "gather.constant"} dense<0.000000e+00> : tensor<f32>
    %12 = soap.greater_equal %10, %11 {soap.name = "gather.greater_equal"} : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %13 = soap.constant {soap.name = "gather.constant_1"} dense<3.000000e+00> : tensor<f32>
    %14 = soap.add %10, %13 {soap.name = "gather.add"} : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %15 = soap.where %12, %10, %14 {soap.name = "gather.where"} : tensor<8x1xf32>
    %16 = soap.reshape %15 {soap.name = "gather.reshape"} : (tensor<8x1xf32>) -> tensor<8x1x1xf32>
    %17 = soap.constant {soap.name = "gather.constant_2"} dense<[0.000000e+00, 1.000000e+00, 2.000000e+00]> : tensor<3xf32>
    %18 = soap.equal %16, %17 {soap.name = "gather.equal"} : (tensor<8x1x1xf32>, tensor<3xf32>) -> tensor<8x1x3xf32>
    %19 = soap.reshape %8 {soap.name = "gather.reshape_1"} : (tensor<8x3xf32>) -> tensor<8x1x3xf32>
    %20 = soap.where %18, %19, %11 {soap.name = "gather.where_1"} : (tensor<8x1x3xf32>, tensor<8x1x3xf32>, tensor<f32>) -> tensor<8x1x3xf32>
    %21 = soap.reduce  sum %20 {axes = array<i64: 2>, soap.name = "gather"} : (tensor<8x1x3xf32>) -> tensor<8x1xf32>
    %22 = soap.reshape %21 {soap.name = "select"} : (tensor<8x1xf32>) -> tensor<8xf32>
    %23 = soap.matmul %arg3, %0 {soap.name = "target.0.matmul", transpose_b} : (tensor<8x6xf32>, tensor<16x6xf32>) -> tensor<8x16xf32>
    %24 = soap.bias_add %23, %1 {axis = 1 : i64, soap.name = "target.0"} : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    %25 = soap.relu %24 {soap.name = "target.1"} : tensor<8x16xf32>
    %26 = soap.matmul %25, %2 {soap.name = "target.2.matmul", transpose_b} : (tensor<8x16xf32>, tensor<3x16xf32>) -> tensor<8x3xf32>
    %27 = soap.bias_add %26, %3 {axis = 1 : i64, soap.name = "target.2"} : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
    %values, %indices = soap.top_k %27 {k = 1 : i64, soap.name = "max.top_k"} : (tensor<8x3xf32>) -> (tensor<8x1xf32>, tensor<8x1xi32>)
    %28 = soap.reshape %values {soap.name = "max"} : (tensor<8x1xf32>) -> tensor<8xf32>
    %29 = soap.scale %28 {factor = 9.000000e-01 : f64, soap.name = "mul"} : tensor<8xf32>
    %30 = soap.add %arg2, %29 {soap.name = "add"} : tensor<8xf32>
    %31 = soap.sub %22, %30 {soap.name = "sub"} : tensor<8xf32>
    %32 = soap.abs %31 {soap.name = "abs"} : tensor<8xf32>
    %33 = soap.constant {soap.name = "lt.constant"} dense<1.000000e+00> : tensor<f32>
    %34 = soap.greater %33, %32 {soap.name = "lt"} : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    %35 = soap.mul %32, %32 {soap.name = "pow"} : tensor<8xf32>
    %36 = soap.scale %35 {factor = 5.000000e-01 : f64, soap.name = "mul_1"} : tensor<8xf32>
    %37 = soap.constant {soap.name = "div.constant"} dense<1.000000e+00> : tensor<f32>
    %38 = soap.div %36, %37 {soap.name = "div"} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %39 = soap.constant {soap.name = "sub.constant"} dense<5.000000e-01> : tensor<f32>
    %40 = soap.sub %32, %39 {soap.name = "sub_1"} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %41 = soap.where %34, %38, %40 {soap.name = "where"} : tensor<8xf32>
    %42 = soap.reduce  sum %41 {axes = array<i64: 0>, soap.name = "mean.reduce"} : (tensor<8xf32>) -> tensor<f32>
    %43 = soap.scale %42 {factor = 1.250000e-01 : f64, soap.name = "mean"} : tensor<f32>
    return %43 : tensor<f32>
  }
}

