module {
  func.func @forward(%arg0: tensor<12x8xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %arg1: tensor<12x2xi32> {soap.kind = #soap.kind<data>, soap.name = "edges", soap.sample_dim = 0 : i64}, %arg2: tensor<12xi32> {soap.kind = #soap.kind<data>, soap.name = "labels", soap.sample_dim = 0 : i64}, %arg3: tensor<10x8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "layer.weight"}, %arg4: tensor<10xf32> {soap.kind = #soap.kind<parameter>, soap.name = "layer.bias"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.matmul %arg0, %arg3 {soap.name = "layer.matmul", transpose_b} : (tensor<12x8xf32>, tensor<10x8xf32>) -> tensor<12x10xf32>
    %1 = soap.bias_add %0, %arg4 {axis = 1 : i64, soap.name = "layer"} : (tensor<12x10xf32>, tensor<10xf32>) -> tensor<12x10xf32>
    %2 = soap.cast %arg1 {soap.name = "select.cast"} : (tensor<12x2xi32>) -> tensor<12x2xf32>
    %3 = soap.slice %2 {offsets = array<i64: 0, 1>, sizes = array<i64: 12, 1>, soap.name = "select.slice"} : (tensor<12x2xf32>) -> tensor<12x1xf32>
    %4 = soap.reshape %3 {soap.name = "select"} : (tensor<12x1xf32>) -> tensor<12xf32>
    %5 = soap.slice %2 {sizes = array<i64: 12, 1>, soap.name = "select.slice_1"} : (tensor<12x2xf32>) -> tensor<12x1xf32>
    %6 = soap.reshape %5 {soap.name = "select_1"} : (tensor<12x1xf32>) -> tensor<12xf32>
    %7 = soap.constant {soap.name = "index.constant"} dense<0.000000e+00> : tensor<f32>
    %8 = soap.greater_equal %6, %7 {soap.name = "index.greater_equal"} : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
    %9 = soap.constant {soap.name = "index.constant_1"} dense<1.200000e+01> : tensor<f32>
    %10 = soap.add %6, %9 {soap.name = "index.add"} : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
    %11 = soap.where %8, %6, %10 {soap.name = "index.where"} : tensor<12xf32>
    %12 = soap.cast %11 {soap.name = "index.cast"} : (tensor<12xf32>) -> tensor<12xi32>
    %13 = soap.gather %1, %12 {soap.name = "index"} : (tensor<12x10xf32>, tensor<12xi32>) -> tensor<12x10xf32>
    %14 = soap.constant {soap.name = "index_add.constant"} dense<0.000000e+00> : tensor<12x10xf32>
    %15 = soap.constant {soap.name = "index_add.constant_1"} dense<0.000000e+00> : tensor<f32>
    %16 = soap.greater_equal %4, %15 {soap.name = "index_add.greater_equal"} : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
    %17 = soap.constant {soap.name = "index_add.constant_2"} dense<1.200000e+01> : tensor<f32>
    %18 = soap.add %4, %17 {soap.name = "index_add.add"} : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
    %19 = soap.where %16, %4, %18 {soap.name = "index_add.where"} : tensor<12xf32>
    %20 = soap.greater_equal %19, %15 {soap.name = "index_add.greater_equal_1"} : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
    %21 = soap.add %19, %17 {soap.name = "index_add.add_1"} : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
    %22 = soap.where %20, %19, %21 {soap.name = "index_add.where_1"} : tensor<12xf32>
    %23 = soap.reshape %22 {soap.name = "index_add.reshape"} : (tensor<12xf32>) -> tensor<12x1xf32>
    %24 = soap.constant {soap.name = "index_add.constant_3"} dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00, 9.000000e+00, 1.000000e+01, 1.100000e+01]> : tensor<12xf32>
    %25 = soap.equal %23, %24 {soap.name = "index_add.equal"} : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
    %26 = soap.matmul %25, %13 {soap.name = "index_add.matmul", transpose_a} : (tensor<12x12xf32>, tensor<12x10xf32>) -> tensor<12x10xf32>
    %27 = soap.add %14, %26 {soap.name = "index_add"} : tensor<12x10xf32>
    %28 = soap.add %1, %27 {soap.name = "add"} : tensor<12x10xf32>
    %29 = soap.cast %arg2 {soap.name = "cross_entropy_loss.cast"} : (tensor<12xi32>) -> tensor<12xf32>
    %30 = soap.constant {soap.name = "cross_entropy_loss.constant"} dense<-1.000000e+02> : tensor<f32>
    %31 = soap.equal %29, %30 {soap.name = "cross_entropy_loss.equal"} : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
    %32 = soap.constant {soap.name = "cross_entropy_loss.constant_1"} dense<1.000000e+00> : tensor<f32>
    %33 = soap.sub %32, %31 {soap.name = "cross_entropy_loss.sub"} : (tensor<f32>, tensor<12xf32>) -> tensor<12xf32>
    %34 = soap.reduce  sum %33 {axes = array<i64: 0>, soap.name = "cross_entropy_loss.reduce"} : (tensor<12xf32>) -> tensor<f32>
    %35 = soap.constant {soap.name = "cross_entropy_loss.constant_2"} dense<-1.000000e+00> : tensor<f32>
    %36 = soap.where %33, %29, %35 {soap.name = "cross_entropy_loss.where"} : (tensor<12xf32>, tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
    %37 = soap.cast %36 {soap.name = "cross_entropy_loss.cast_1"} : (tensor<12xf32>) -> tensor<12xi32>
    %loss, %correct, %stats = soap.cross_entropy %28, %37 {scale = 1.000000e+00 : f64, soap.name = "cross_entropy_loss.cross_entropy"} : (tensor<12x10xf32>, tensor<12xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x12xf32>)
    %38 = soap.div %loss, %34 {soap.name = "cross_entropy_loss"} : tensor<f32>
    return %38 : tensor<f32>
  }
}

