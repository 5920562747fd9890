module {
  func.func @forward(%arg0: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %arg1: tensor<8xi32> {soap.kind = #soap.kind<data>, soap.name = "labels", soap.sample_dim = 0 : i64}, %arg2: tensor<8x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "a.weight"}, %arg3: tensor<8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "a.bias"}, %arg4: tensor<4x8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "b.weight"}, %arg5: tensor<4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "b.bias"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.matmul %arg0, %arg2 {soap.name = "a.matmul", transpose_b} : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x8xf32>
    %1 = soap.bias_add %0, %arg3 {axis = 1 : i64, soap.name = "a"} : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
    %2 = soap.scale %1 {factor = 2.000000e+00 : f64, soap.name = "mul"} : tensor<8x8xf32>
    %3 = soap.abs %2 {soap.name = "round.abs"} : tensor<8x8xf32>
    %4 = soap.constant {soap.name = "round.constant"} dense<0x4B000000> : tensor<f32>
    %5 = soap.greater %4, %3 {soap.name = "round.greater"} : (tensor<f32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = soap.constant {soap.name = "round.constant_1"} dense<0.000000e+00> : tensor<f32>
    %7 = soap.where %5, %2, %6 {soap.name = "round.where"} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %8 = soap.cast %7 {soap.name = "round.cast"} : (tensor<8x8xf32>) -> tensor<8x8xi32>
    %9 = soap.cast %8 {soap.name = "round.cast_1"} : (tensor<8x8xi32>) -> tensor<8x8xf32>
    %10 = soap.stop_gradient %2 {soap.name = "round.stop_gradient"} : tensor<8x8xf32>
    %11 = soap.where %5, %9, %10 {soap.name = "round.where_1"} : tensor<8x8xf32>
    %12 = soap.greater %11, %2 {soap.name = "round.greater_1"} : tensor<8x8xf32>
    %13 = soap.constant {soap.name = "round.constant_2"} dense<1.000000e+00> : tensor<f32>
    %14 = soap.sub %11, %13 {soap.name = "round.sub"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %15 = soap.where %12, %14, %11 {soap.name = "round.where_2"} : tensor<8x8xf32>
    %16 = soap.sub %2, %15 {soap.name = "round.sub_1"} : tensor<8x8xf32>
    %17 = soap.add %15, %13 {soap.name = "round.add"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %18 = soap.scale %15 {factor = 5.000000e-01 : f64, soap.name = "round.scale"} : tensor<8x8xf32>
    %19 = soap.abs %18 {soap.name = "round.abs_1"} : tensor<8x8xf32>
    %20 = soap.greater %4, %19 {soap.name = "round.greater_2"} : (tensor<f32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %21 = soap.where %20, %18, %6 {soap.name = "round.where_3"} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %22 = soap.cast %21 {soap.name = "round.cast_2"} : (tensor<8x8xf32>) -> tensor<8x8xi32>
    %23 = soap.cast %22 {soap.name = "round.cast_3"} : (tensor<8x8xi32>) -> tensor<8x8xf32>
    %24 = soap.stop_gradient %18 {soap.name = "round.stop_gradient_1"} : tensor<8x8xf32>
    %25 = soap.where %20, %23, %24 {soap.name = "round.where_4"} : tensor<8x8xf32>
    %26 = soap.greater %25, %18 {soap.name = "round.greater_3"} : tensor<8x8xf32>
    %27 = soap.sub %25, %13 {soap.name = "round.sub_2"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %28 = soap.where %26, %27, %25 {soap.name = "round.where_5"} : tensor<8x8xf32>
    %29 = soap.scale %28 {factor = 2.000000e+00 : f64, soap.name = "round.scale_1"} : tensor<8x8xf32>
    %30 = soap.equal %15, %29 {soap.name = "round.equal"} : tensor<8x8xf32>
    %31 = soap.where %30, %15, %17 {soap.name = "round.where_6"} : tensor<8x8xf32>
    %32 = soap.constant {soap.name = "round.constant_3"} dense<5.000000e-01> : tensor<f32>
    %33 = soap.greater %16, %32 {soap.name = "round.greater_4"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %34 = soap.where %33, %17, %15 {soap.name = "round.where_7"} : tensor<8x8xf32>
    %35 = soap.equal %16, %32 {soap.name = "round.equal_1"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %36 = soap.where %35, %31, %34 {soap.name = "round"} : tensor<8x8xf32>
    %37 = soap.constant {soap.name = "div.constant"} dense<2.000000e+00> : tensor<f32>
    %38 = soap.div %36, %37 {soap.name = "div"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %39 = soap.sub %38, %1 {soap.name = "sub"} : tensor<8x8xf32>
    %40 = soap.stop_gradient %39 {soap.name = "stop_gradient"} : tensor<8x8xf32>
    %41 = soap.add %1, %40 {soap.name = "add"} : tensor<8x8xf32>
    %42 = soap.matmul %41, %arg4 {soap.name = "b.matmul", transpose_b} : (tensor<8x8xf32>, tensor<4x8xf32>) -> tensor<8x4xf32>
    %43 = soap.bias_add %42, %arg5 {axis = 1 : i64, soap.name = "b"} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %44 = soap.cast %arg1 {soap.name = "cross_entropy_loss.cast"} : (tensor<8xi32>) -> tensor<8xf32>
    %45 = soap.constant {soap.name = "cross_entropy_loss.constant"} dense<-1.000000e+02> : tensor<f32>
    %46 = soap.equal %44, %45 {soap.name = "cross_entropy_loss.equal"} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %47 = soap.constant {soap.name = "cross_entropy_loss.constant_1"} dense<1.000000e+00> : tensor<f32>
    %48 = soap.sub %47, %46 {soap.name = "cross_entropy_loss.sub"} : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    %49 = soap.reduce  sum %48 {axes = array<i64: 0>, soap.name = "cross_entropy_loss.reduce"} : (tensor<8xf32>) -> tensor<f32>
    %50 = soap.constant {soap.name = "cross_entropy_loss.constant_2"} dense<-1.000000e+00> : tensor<f32>
    %51 = soap.where %48, %44, %50 {soap.name = "cross_entropy_loss.where"} : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %52 = soap.cast %51 {soap.name = "cross_entropy_loss.cast_1"} : (tensor<8xf32>) -> tensor<8xi32>
    %loss, %correct, %stats = soap.cross_entropy %43, %52 {scale = 1.000000e+00 : f64, soap.name = "cross_entropy_loss.cross_entropy"} : (tensor<8x4xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x8xf32>)
    %53 = soap.div %loss, %49 {soap.name = "cross_entropy_loss"} : tensor<f32>
    return %53 : tensor<f32>
  }
}

