module {
  func.func @forward(%arg0: tensor<4x8xi32> {soap.kind = #soap.kind<data>, soap.name = "tokens", soap.sample_dim = 0 : i64}, %arg1: tensor<4x8xi32> {soap.kind = #soap.kind<data>, soap.name = "labels", soap.sample_dim = 0 : i64}, %arg2: tensor<40x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "table.weight"}, %arg3: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "norm.weight"}, %arg4: tensor<32x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "q.weight"}, %arg5: tensor<32x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "kv.weight"}, %arg6: tensor<32x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "o.weight"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.gather %arg2, %arg0 {soap.name = "table"} : (tensor<40x32xf32>, tensor<4x8xi32>) -> tensor<4x8x32xf32>
    %y, %rstd = soap.rms_norm %0, %arg3 {axis = 2 : i64, epsilon = 1.1920928955078125E-7 : f64, soap.name = "norm"} : (tensor<4x8x32xf32>, tensor<32xf32>) -> (tensor<4x8x32xf32>, tensor<4x8xf32>)
    %1 = soap.matmul %y, %arg4 {soap.name = "q", transpose_b} : (tensor<4x8x32xf32>, tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %2 = soap.reshape %1 {soap.name = "view"} : (tensor<4x8x32xf32>) -> tensor<4x8x4x8xf32>
    %3 = soap.transpose %2 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "permute"} : (tensor<4x8x4x8xf32>) -> tensor<4x4x8x8xf32>
    %4 = soap.matmul %y, %arg5 {soap.name = "kv", transpose_b} : (tensor<4x8x32xf32>, tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %5 = soap.reshape %4 {soap.name = "view_1"} : (tensor<4x8x32xf32>) -> tensor<4x8x2x2x8xf32>
    %6 = soap.transpose %5 {permutation = array<i64: 2, 0, 3, 1, 4>, soap.name = "permute_1"} : (tensor<4x8x2x2x8xf32>) -> tensor<2x4x2x8x8xf32>
    %7 = soap.slice %6 {sizes = array<i64: 1, 4, 2, 8, 8>, soap.name = "unbind.slice"} : (tensor<2x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
    %8 = soap.reshape %7 {soap.name = "unbind"} : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %9 = soap.slice %6 {offsets = array<i64: 1, 0, 0, 0, 0>, sizes = array<i64: 1, 4, 2, 8, 8>, soap.name = "unbind.slice_1"} : (tensor<2x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
    %10 = soap.reshape %9 {soap.name = "unbind.reshape"} : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %11 = soap.reshape %8 {soap.name = "scaled_dot_product_attention.reshape"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x1x8x8xf32>
    %12 = soap.reshape %11 {soap.name = "scaled_dot_product_attention.reshape_1"} : (tensor<4x2x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %13 = soap.broadcast %12 {axes = array<i64: 2>, soap.name = "scaled_dot_product_attention.broadcast"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x2x8x8xf32>
    %14 = soap.reshape %13 {soap.name = "scaled_dot_product_attention.reshape_2"} : (tensor<4x2x2x8x8xf32>) -> tensor<4x4x8x8xf32>
    %15 = soap.reshape %10 {soap.name = "scaled_dot_product_attention.reshape_3"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x1x8x8xf32>
    %16 = soap.reshape %15 {soap.name = "scaled_dot_product_attention.reshape_4"} : (tensor<4x2x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %17 = soap.broadcast %16 {axes = array<i64: 2>, soap.name = "scaled_dot_product_attention.broadcast_1"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x2x8x8xf32>
    %18 = soap.reshape %17 {soap.name = "scaled_dot_product_attention.reshape_5"} : (tensor<4x2x2x8x8xf32>) -> tensor<4x4x8x8xf32>
    %19 = soap.matmul %3, %14 {soap.name = "scaled_dot_product_attention.matmul", transpose_b} : tensor<4x4x8x8xf32>
    %20 = soap.scale %19 {factor = 0.35355339059327373 : f64, soap.name = "scaled_dot_product_attention.scale"} : tensor<4x4x8x8xf32>
    %21 = soap.constant {soap.name = "scaled_dot_product_attention.constant"} dense<0xFF800000> : tensor<f32>
    %22 = soap.constant {soap.name = "scaled_dot_product_attention.constant_1"} dense<[[1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00]]> : tensor<8x8xf32>
    %23 = soap.where %22, %20, %21 {soap.name = "scaled_dot_product_attention.where"} : (tensor<8x8xf32>, tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4x4x8x8xf32>
    %24 = soap.softmax %23 {axis = 3 : i64, soap.name = "scaled_dot_product_attention.softmax"} : tensor<4x4x8x8xf32>
    %25 = soap.matmul %24, %18 {soap.name = "scaled_dot_product_attention"} : tensor<4x4x8x8xf32>
    %26 = soap.transpose %25 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "permute_2"} : (tensor<4x4x8x8xf32>) -> tensor<4x8x4x8xf32>
    %27 = soap.reshape %26 {soap.name = "view_2"} : (tensor<4x8x4x8xf32>) -> tensor<4x8x32xf32>
    %28 = soap.matmul %27, %arg6 {soap.name = "o", transpose_b} : (tensor<4x8x32xf32>, tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %29 = soap.add %0, %28 {soap.name = "add"} : tensor<4x8x32xf32>
    %30 = soap.matmul %29, %arg2 {soap.name = "head", transpose_b} : (tensor<4x8x32xf32>, tensor<40x32xf32>) -> tensor<4x8x40xf32>
    %31 = soap.transpose %30 {permutation = array<i64: 0, 2, 1>, soap.name = "permute_3"} : (tensor<4x8x40xf32>) -> tensor<4x40x8xf32>
    %32 = soap.transpose %31 {permutation = array<i64: 0, 2, 1>, soap.name = "cross_entropy_loss.transpose"} : (tensor<4x40x8xf32>) -> tensor<4x8x40xf32>
    %33 = soap.cast %arg1 {soap.name = "cross_entropy_loss.cast"} : (tensor<4x8xi32>) -> tensor<4x8xf32>
    %34 = soap.constant {soap.name = "cross_entropy_loss.constant"} dense<-1.000000e+02> : tensor<f32>
    %35 = soap.equal %33, %34 {soap.name = "cross_entropy_loss.equal"} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %36 = soap.constant {soap.name = "cross_entropy_loss.constant_1"} dense<1.000000e+00> : tensor<f32>
    %37 = soap.sub %36, %35 {soap.name = "cross_entropy_loss.sub"} : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %38 = soap.reduce  sum %37 {axes = array<i64: 0, 1>, soap.name = "cross_entropy_loss.reduce"} : (tensor<4x8xf32>) -> tensor<f32>
    %39 = soap.constant {soap.name = "cross_entropy_loss.constant_2"} dense<-1.000000e+00> : tensor<f32>
    %40 = soap.where %37, %33, %39 {soap.name = "cross_entropy_loss.where"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %41 = soap.cast %40 {soap.name = "cross_entropy_loss.cast_1"} : (tensor<4x8xf32>) -> tensor<4x8xi32>
    %loss, %correct, %stats = soap.cross_entropy %32, %41 {scale = 1.000000e+00 : f64, soap.name = "cross_entropy_loss.cross_entropy"} : (tensor<4x8x40xf32>, tensor<4x8xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x4x8xf32>)
    %42 = soap.div %loss, %38 {soap.name = "cross_entropy_loss"} : tensor<f32>
    return %42 : tensor<f32>
  }
}

