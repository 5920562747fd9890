module {
  func.func @forward(%arg0: tensor<8x5xi32> {soap.kind = #soap.kind<data>, soap.name = "ids", soap.sample_dim = 0 : i64}, %arg1: tensor<8xf32> {soap.kind = #soap.kind<data>, soap.name = "target", soap.sample_dim = 0 : i64}, %arg2: tensor<40x1xf32> {soap.kind = #soap.kind<parameter>, soap.name = "linear.weight"}, %arg3: tensor<40x8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "table.weight"}, %arg4: tensor<16x40xf32> {soap.kind = #soap.kind<parameter>, soap.name = "deep.0.weight"}, %arg5: tensor<16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "deep.0.bias"}, %arg6: tensor<16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "deep.1.weight"}, %arg7: tensor<16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "deep.1.bias"}, %arg8: tensor<1x16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "deep.3.weight"}, %arg9: tensor<1xf32> {soap.kind = #soap.kind<parameter>, soap.name = "deep.3.bias"}, %arg10: tensor<16xf32> {soap.kind = #soap.kind<state>, soap.name = "deep.1.running_mean"}, %arg11: tensor<16xf32> {soap.kind = #soap.kind<state>, soap.name = "deep.1.running_var"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.cast %arg0 {soap.name = "add.cast"} : (tensor<8x5xi32>) -> tensor<8x5xf32>
    %1 = soap.constant {soap.name = "add.constant"} dense<[0.000000e+00, 8.000000e+00, 1.600000e+01, 2.400000e+01, 3.200000e+01]> : tensor<5xf32>
    %2 = soap.add %0, %1 {soap.name = "add"} : (tensor<8x5xf32>, tensor<5xf32>) -> tensor<8x5xf32>
    %3 = soap.cast %2 {soap.name = "table.cast"} : (tensor<8x5xf32>) -> tensor<8x5xi32>
    %4 = soap.gather %arg3, %3 {soap.name = "table"} : (tensor<40x8xf32>, tensor<8x5xi32>) -> tensor<8x5x8xf32>
    %5 = soap.reduce  sum %4 {axes = array<i64: 1>, soap.name = "sum"} : (tensor<8x5x8xf32>) -> tensor<8x8xf32>
    %6 = soap.mul %5, %5 {soap.name = "pow"} : tensor<8x8xf32>
    %7 = soap.mul %4, %4 {soap.name = "pow_1"} : tensor<8x5x8xf32>
    %8 = soap.reduce  sum %7 {axes = array<i64: 1>, soap.name = "sum_1"} : (tensor<8x5x8xf32>) -> tensor<8x8xf32>
    %9 = soap.sub %6, %8 {soap.name = "sub"} : tensor<8x8xf32>
    %10 = soap.reduce  sum %9 {axes = array<i64: 1>, soap.name = "sum_2"} : (tensor<8x8xf32>) -> tensor<8xf32>
    %11 = soap.scale %10 {factor = 5.000000e-01 : f64, soap.name = "mul"} : tensor<8xf32>
    %12 = soap.gather %arg2, %3 {soap.name = "linear"} : (tensor<40x1xf32>, tensor<8x5xi32>) -> tensor<8x5x1xf32>
    %13 = soap.reduce  sum %12 {axes = array<i64: 1, 2>, soap.name = "sum_3"} : (tensor<8x5x1xf32>) -> tensor<8xf32>
    %14 = soap.add %13, %11 {soap.name = "add_1"} : tensor<8xf32>
    %15 = soap.reshape %4 {soap.name = "view"} : (tensor<8x5x8xf32>) -> tensor<8x40xf32>
    %16 = soap.matmul %15, %arg4 {soap.name = "deep.0.matmul", transpose_b} : (tensor<8x40xf32>, tensor<16x40xf32>) -> tensor<8x16xf32>
    %17 = soap.bias_add %16, %arg5 {axis = 1 : i64, soap.name = "deep.0"} : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    %18 = soap.batch_norm %17, %arg6, %arg7, %arg10, %arg11 {epsilon = 1.000000e-05 : f64, soap.name = "deep.1"} : (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    %19 = soap.relu %18 {soap.name = "deep.2"} : tensor<8x16xf32>
    %20 = soap.matmul %19, %arg8 {soap.name = "deep.3.matmul", transpose_b} : (tensor<8x16xf32>, tensor<1x16xf32>) -> tensor<8x1xf32>
    %21 = soap.bias_add %20, %arg9 {axis = 1 : i64, soap.name = "deep.3"} : (tensor<8x1xf32>, tensor<1xf32>) -> tensor<8x1xf32>
    %22 = soap.reshape %21 {soap.name = "select"} : (tensor<8x1xf32>) -> tensor<8xf32>
    %23 = soap.add %14, %22 {soap.name = "add_2"} : tensor<8xf32>
    %24 = soap.constant {soap.name = "sub.constant"} dense<1.000000e+00> : tensor<f32>
    %25 = soap.sub %24, %arg1 {soap.name = "sub_1"} : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    %26 = soap.mul %25, %23 {soap.name = "mul_1"} : tensor<8xf32>
    %27 = soap.neg %23 {soap.name = "log_sigmoid.neg"} : tensor<8xf32>
    %28 = soap.softplus %27 {soap.name = "log_sigmoid.softplus"} : tensor<8xf32>
    %29 = soap.neg %28 {soap.name = "log_sigmoid"} : tensor<8xf32>
    %30 = soap.sub %26, %29 {soap.name = "sub_2"} : tensor<8xf32>
    %31 = soap.reduce  sum %30 {axes = array<i64: 0>, soap.name = "mean.reduce"} : (tensor<8xf32>) -> tensor<f32>
    %32 = soap.scale %31 {factor = 1.250000e-01 : f64, soap.name = "mean"} : tensor<f32>
    return %32 : tensor<f32>
  }
}

