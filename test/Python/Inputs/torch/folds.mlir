module {
  func.func @forward(%arg0: tensor<8x12xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %arg1: tensor<8xi32> {soap.kind = #soap.kind<data>, soap.name = "labels", soap.sample_dim = 0 : i64}, %arg2: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "scale"}, %arg3: tensor<2x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "rows"}, %arg4: tensor<32x12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "a.weight"}, %arg5: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "a.bias"}, %arg6: tensor<10x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "o.weight"}, %arg7: tensor<10xf32> {soap.kind = #soap.kind<parameter>, soap.name = "o.bias"}, %arg8: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "group.weight"}, %arg9: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "group.bias"}, %arg10: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "norm.weight"}, %arg11: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "norm.bias"}, %arg12: tensor<32xf32> {soap.kind = #soap.kind<state>, soap.name = "norm.running_mean"}, %arg13: tensor<32xf32> {soap.kind = #soap.kind<state>, soap.name = "norm.running_var"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.matmul %arg0, %arg4 {soap.name = "a.matmul", transpose_b} : (tensor<8x12xf32>, tensor<32x12xf32>) -> tensor<8x32xf32>
    %1 = soap.bias_add %0, %arg5 {axis = 1 : i64, soap.name = "a"} : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
    %2 = soap.batch_norm %1, %arg10, %arg11, %arg12, %arg13 {epsilon = 1.000000e-05 : f64, soap.name = "norm"} : (tensor<8x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
    %3 = soap.slice %arg3 {sizes = array<i64: 1, 32>, soap.name = "select.slice"} : (tensor<2x32xf32>) -> tensor<1x32xf32>
    %4 = soap.reshape %3 {soap.name = "select"} : (tensor<1x32xf32>) -> tensor<32xf32>
    %5 = soap.mul %2, %4 {soap.name = "mul"} : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
    %6 = soap.mul %5, %5 {soap.name = "pow"} : tensor<8x32xf32>
    %7 = soap.reduce  sum %6 {axes = array<i64: 1>, soap.name = "mean.reduce"} : (tensor<8x32xf32>) -> tensor<8xf32>
    %8 = soap.reshape %7 {soap.name = "mean.reshape"} : (tensor<8xf32>) -> tensor<8x1xf32>
    %9 = soap.scale %8 {factor = 3.125000e-02 : f64, soap.name = "mean"} : tensor<8x1xf32>
    %10 = soap.constant {soap.name = "add.constant"} dense<9.99999997E-7> : tensor<f32>
    %11 = soap.add %9, %10 {soap.name = "add"} : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %12 = soap.rsqrt %11 {soap.name = "rsqrt"} : tensor<8x1xf32>
    %13 = soap.mul %5, %12 {soap.name = "mul_1"} : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
    %14 = soap.constant {soap.name = "add.constant_1"} dense<1.000000e+00> : tensor<f32>
    %15 = soap.add %arg2, %14 {soap.name = "add_1"} : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
    %16 = soap.mul %13, %15 {soap.name = "mul_2"} : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
    %17 = soap.reshape %16 {soap.name = "group.reshape"} : (tensor<8x32xf32>) -> tensor<8x2x16xf32>
    %18 = soap.constant {soap.name = "group.constant"} dense<1.000000e+00> : tensor<16xf32>
    %19 = soap.constant {soap.name = "group.constant_1"} dense<0.000000e+00> : tensor<16xf32>
    %y, %mean, %rstd = soap.layer_norm %17, %18, %19 {axis = 2 : i64, epsilon = 1.000000e-05 : f64, soap.name = "group.layer_norm"} : (tensor<8x2x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x2x16xf32>, tensor<8x2xf32>, tensor<8x2xf32>)
    %20 = soap.reshape %y {soap.name = "group.reshape_1"} : (tensor<8x2x16xf32>) -> tensor<8x32xf32>
    %21 = soap.mul %20, %arg8 {soap.name = "group.mul"} : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
    %22 = soap.bias_add %21, %arg9 {axis = 1 : i64, soap.name = "group"} : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
    %23 = soap.slice %arg3 {offsets = array<i64: 1, 0>, sizes = array<i64: 1, 32>, soap.name = "select.slice_1"} : (tensor<2x32xf32>) -> tensor<1x32xf32>
    %24 = soap.reshape %23 {soap.name = "select_1"} : (tensor<1x32xf32>) -> tensor<32xf32>
    %25 = soap.mul %22, %24 {soap.name = "mul_3"} : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
    %26 = soap.tanh %25 {soap.name = "tanh"} : tensor<8x32xf32>
    %27 = soap.matmul %26, %arg6 {soap.name = "o.matmul", transpose_b} : (tensor<8x32xf32>, tensor<10x32xf32>) -> tensor<8x10xf32>
    %28 = soap.bias_add %27, %arg7 {axis = 1 : i64, soap.name = "o"} : (tensor<8x10xf32>, tensor<10xf32>) -> tensor<8x10xf32>
    %29 = soap.scale %28 {factor = 2.000000e+00 : f64, soap.name = "mul_4"} : tensor<8x10xf32>
    %30 = soap.cast %arg1 {soap.name = "cross_entropy_loss.cast"} : (tensor<8xi32>) -> tensor<8xf32>
    %31 = soap.constant {soap.name = "cross_entropy_loss.constant"} dense<-1.000000e+02> : tensor<f32>
    %32 = soap.equal %30, %31 {soap.name = "cross_entropy_loss.equal"} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %33 = soap.constant {soap.name = "cross_entropy_loss.constant_1"} dense<1.000000e+00> : tensor<f32>
    %34 = soap.sub %33, %32 {soap.name = "cross_entropy_loss.sub"} : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    %35 = soap.reduce  sum %34 {axes = array<i64: 0>, soap.name = "cross_entropy_loss.reduce"} : (tensor<8xf32>) -> tensor<f32>
    %36 = soap.constant {soap.name = "cross_entropy_loss.constant_2"} dense<-1.000000e+00> : tensor<f32>
    %37 = soap.where %34, %30, %36 {soap.name = "cross_entropy_loss.where"} : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %38 = soap.cast %37 {soap.name = "cross_entropy_loss.cast_1"} : (tensor<8xf32>) -> tensor<8xi32>
    %loss, %correct, %stats = soap.cross_entropy %29, %38 {scale = 1.000000e+00 : f64, soap.name = "cross_entropy_loss.cross_entropy"} : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x8xf32>)
    %39 = soap.div %loss, %35 {soap.name = "cross_entropy_loss"} : tensor<f32>
    return %39 : tensor<f32>
  }
}

