module {
  func.func @forward(%arg0: tensor<8x6xi32> {soap.kind = #soap.kind<data>, soap.name = "words", soap.sample_dim = 0 : i64}, %arg1: tensor<8xi32> {soap.kind = #soap.kind<data>, soap.name = "labels", soap.sample_dim = 0 : i64}, %arg2: tensor<20x8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "words.weight"}, %arg3: tensor<12x8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "hidden.weight"}, %arg4: tensor<12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "hidden.bias"}, %arg5: tensor<12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "fixed.weight"}, %arg6: tensor<12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "fixed.bias"}, %arg7: tensor<12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "norm.weight"}, %arg8: tensor<12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "norm.bias"}, %arg9: tensor<3x12xf32> {soap.kind = #soap.kind<parameter>, soap.name = "out.weight"}, %arg10: tensor<3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "out.bias"}, %arg11: tensor<12xf32> {soap.kind = #soap.kind<state>, soap.name = "fixed.running_mean"}, %arg12: tensor<12xf32> {soap.kind = #soap.kind<state>, soap.name = "fixed.running_var"}, %arg13: tensor<12xf32> {soap.kind = #soap.kind<state>, soap.name = "norm.running_mean"}, %arg14: tensor<12xf32> {soap.kind = #soap.kind<state>, soap.name = "norm.running_var"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.stop_gradient %arg4 {soap.name = "hidden.bias.stop_gradient"} : tensor<12xf32>
    %1 = soap.gather %arg2, %arg0 {soap.name = "words.gather"} : (tensor<20x8xf32>, tensor<8x6xi32>) -> tensor<8x6x8xf32>
    %2 = soap.cast %arg0 {soap.name = "words.cast"} : (tensor<8x6xi32>) -> tensor<8x6xf32>
    %3 = soap.constant {soap.name = "words.constant"} dense<0.000000e+00> : tensor<f32>
    %4 = soap.equal %2, %3 {soap.name = "words.equal"} : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x6xf32>
    %5 = soap.reshape %4 {soap.name = "words.reshape"} : (tensor<8x6xf32>) -> tensor<8x6x1xf32>
    %6 = soap.stop_gradient %1 {soap.name = "words.stop_gradient"} : tensor<8x6x8xf32>
    %7 = soap.where %5, %6, %1 {soap.name = "words_1"} : (tensor<8x6x1xf32>, tensor<8x6x8xf32>, tensor<8x6x8xf32>) -> tensor<8x6x8xf32>
    %8 = soap.reduce  sum %7 {axes = array<i64: 1>, soap.name = "mean.reduce"} : (tensor<8x6x8xf32>) -> tensor<8x8xf32>
    %9 = soap.scale %8 {factor = 0.16666666666666666 : f64, soap.name = "mean"} : tensor<8x8xf32>
    %10 = soap.matmul %9, %arg3 {soap.name = "hidden.matmul", transpose_b} : (tensor<8x8xf32>, tensor<12x8xf32>) -> tensor<8x12xf32>
    %11 = soap.bias_add %10, %0 {axis = 1 : i64, soap.name = "hidden"} : (tensor<8x12xf32>, tensor<12xf32>) -> tensor<8x12xf32>
    %12 = soap.stop_gradient %arg11 {soap.name = "fixed.stop_gradient"} : tensor<12xf32>
    %13 = soap.stop_gradient %arg12 {soap.name = "fixed.stop_gradient_1"} : tensor<12xf32>
    %14 = soap.batch_norm %11, %arg5, %arg6, %12, %13 {epsilon = 1.000000e-05 : f64, soap.name = "fixed"} : (tensor<8x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<8x12xf32>
    %15 = soap.relu %14 {soap.name = "relu"} : tensor<8x12xf32>
    %16 = soap.batch_norm %15, %arg7, %arg8, %arg13, %arg14 {epsilon = 1.000000e-05 : f64, soap.batch_norm_momentum = 3.000000e-01 : f64, soap.name = "norm"} : (tensor<8x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<8x12xf32>
    %17 = soap.abs %16 {soap.name = "abs"} : tensor<8x12xf32>
    %18 = soap.reduce  sum %17 {axes = array<i64: 0, 1>, soap.name = "mean.reduce_1"} : (tensor<8x12xf32>) -> tensor<f32>
    %19 = soap.scale %18 {factor = 0.010416666666666666 : f64, soap.name = "mean_1"} : tensor<f32>
    %20 = soap.stop_gradient %19 {soap.name = "stop_gradient"} : tensor<f32>
    %21 = soap.constant {soap.name = "add.constant"} dense<1.000000e+00> : tensor<f32>
    %22 = soap.add %20, %21 {soap.name = "add"} : tensor<f32>
    %23 = soap.div %16, %22 {soap.name = "div"} : (tensor<8x12xf32>, tensor<f32>) -> tensor<8x12xf32>
    %24 = soap.matmul %23, %arg9 {soap.name = "out.matmul", transpose_b} : (tensor<8x12xf32>, tensor<3x12xf32>) -> tensor<8x3xf32>
    %25 = soap.bias_add %24, %arg10 {axis = 1 : i64, soap.name = "out"} : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
    %26 = soap.cast %arg1 {soap.name = "cross_entropy_loss.cast"} : (tensor<8xi32>) -> tensor<8xf32>
    %27 = soap.constant {soap.name = "cross_entropy_loss.constant"} dense<-1.000000e+02> : tensor<f32>
    %28 = soap.equal %26, %27 {soap.name = "cross_entropy_loss.equal"} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %29 = soap.constant {soap.name = "cross_entropy_loss.constant_1"} dense<1.000000e+00> : tensor<f32>
    %30 = soap.sub %29, %28 {soap.name = "cross_entropy_loss.sub"} : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    %31 = soap.reduce  sum %30 {axes = array<i64: 0>, soap.name = "cross_entropy_loss.reduce"} : (tensor<8xf32>) -> tensor<f32>
    %32 = soap.constant {soap.name = "cross_entropy_loss.constant_2"} dense<-1.000000e+00> : tensor<f32>
    %33 = soap.where %30, %26, %32 {soap.name = "cross_entropy_loss.where"} : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %34 = soap.cast %33 {soap.name = "cross_entropy_loss.cast_1"} : (tensor<8xf32>) -> tensor<8xi32>
    %loss, %correct, %stats = soap.cross_entropy %25, %34 {scale = 1.000000e+00 : f64, soap.name = "cross_entropy_loss.cross_entropy"} : (tensor<8x3xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x8xf32>)
    %35 = soap.div %loss, %31 {soap.name = "cross_entropy_loss"} : tensor<f32>
    return %35 : tensor<f32>
  }
}

