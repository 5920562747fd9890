module {
  func.func @forward(%arg0: tensor<4x8xi32> {soap.kind = #soap.kind<data>, soap.name = "tokens", soap.sample_dim = 0 : i64}, %arg1: tensor<4x8xi32> {soap.kind = #soap.kind<data>, soap.name = "labels", soap.sample_dim = 0 : i64}, %arg2: tensor<40x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "table.weight"}, %arg3: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "norm.weight"}, %arg4: tensor<32x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "q.weight"}, %arg5: tensor<32x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "kv.weight"}, %arg6: tensor<32x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "o.weight"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.gather %arg2, %arg0 {soap.name = "embedding"} : (tensor<40x32xf32>, tensor<4x8xi32>) -> tensor<4x8x32xf32>
    %1 = soap.mul %0, %0 {soap.name = "pow"} : tensor<4x8x32xf32>
    %2 = soap.reduce  sum %1 {axes = array<i64: 2>, soap.name = "mean.reduce"} : (tensor<4x8x32xf32>) -> tensor<4x8xf32>
    %3 = soap.reshape %2 {soap.name = "mean.reshape"} : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %4 = soap.scale %3 {factor = 3.125000e-02 : f64, soap.name = "mean"} : tensor<4x8x1xf32>
    %5 = soap.constant {soap.name = "add.constant"} dense<1.1920929E-7> : tensor<f32>
    %6 = soap.add %4, %5 {soap.name = "add"} : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8x1xf32>
    %7 = soap.rsqrt %6 {soap.name = "rsqrt"} : tensor<4x8x1xf32>
    %8 = soap.mul %0, %7 {soap.name = "mul"} : (tensor<4x8x32xf32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
    %9 = soap.mul %8, %arg3 {soap.name = "mul_1"} : (tensor<4x8x32xf32>, tensor<32xf32>) -> tensor<4x8x32xf32>
    %10 = soap.transpose %arg4 {permutation = array<i64: 1, 0>, soap.name = "permute"} : tensor<32x32xf32>
    %11 = soap.reshape %9 {soap.name = "view"} : (tensor<4x8x32xf32>) -> tensor<32x32xf32>
    %12 = soap.matmul %11, %10 {soap.name = "mm"} : tensor<32x32xf32>
    %13 = soap.reshape %12 {soap.name = "view_1"} : (tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %14 = soap.reshape %13 {soap.name = "view_2"} : (tensor<4x8x32xf32>) -> tensor<4x8x4x8xf32>
    %15 = soap.transpose %14 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "permute_1"} : (tensor<4x8x4x8xf32>) -> tensor<4x4x8x8xf32>
    %16 = soap.transpose %arg5 {permutation = array<i64: 1, 0>, soap.name = "permute_2"} : tensor<32x32xf32>
    %17 = soap.reshape %9 {soap.name = "view_3"} : (tensor<4x8x32xf32>) -> tensor<32x32xf32>
    %18 = soap.matmul %17, %16 {soap.name = "mm_1"} : tensor<32x32xf32>
    %19 = soap.reshape %18 {soap.name = "view_4"} : (tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %20 = soap.reshape %19 {soap.name = "view_5"} : (tensor<4x8x32xf32>) -> tensor<4x8x2x2x8xf32>
    %21 = soap.transpose %20 {permutation = array<i64: 2, 0, 3, 1, 4>, soap.name = "permute_3"} : (tensor<4x8x2x2x8xf32>) -> tensor<2x4x2x8x8xf32>
    %22 = soap.slice %21 {sizes = array<i64: 1, 4, 2, 8, 8>, soap.name = "unbind.slice"} : (tensor<2x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
    %23 = soap.reshape %22 {soap.name = "unbind"} : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %24 = soap.slice %21 {offsets = array<i64: 1, 0, 0, 0, 0>, sizes = array<i64: 1, 4, 2, 8, 8>, soap.name = "unbind.slice_1"} : (tensor<2x4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
    %25 = soap.reshape %24 {soap.name = "unbind.reshape"} : (tensor<1x4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %26 = soap.scale %15 {factor = 0.59460355750136051 : f64, soap.name = "mul_2"} : tensor<4x4x8x8xf32>
    %27 = soap.reshape %23 {soap.name = "unsqueeze"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x1x8x8xf32>
    %28 = soap.reshape %27 {soap.name = "expand.reshape"} : (tensor<4x2x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %29 = soap.broadcast %28 {axes = array<i64: 2>, soap.name = "expand"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x2x8x8xf32>
    %30 = soap.reshape %29 {soap.name = "view_6"} : (tensor<4x2x2x8x8xf32>) -> tensor<4x4x8x8xf32>
    %31 = soap.reshape %25 {soap.name = "unsqueeze_1"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x1x8x8xf32>
    %32 = soap.reshape %31 {soap.name = "expand.reshape_1"} : (tensor<4x2x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %33 = soap.broadcast %32 {axes = array<i64: 2>, soap.name = "expand_1"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x2x8x8xf32>
    %34 = soap.reshape %33 {soap.name = "view_7"} : (tensor<4x2x2x8x8xf32>) -> tensor<4x4x8x8xf32>
    %35 = soap.transpose %30 {permutation = array<i64: 0, 1, 3, 2>, soap.name = "permute_4"} : tensor<4x4x8x8xf32>
    %36 = soap.scale %35 {factor = 0.59460355750136051 : f64, soap.name = "mul_3"} : tensor<4x4x8x8xf32>
    %37 = soap.reshape %26 {soap.name = "view_8"} : (tensor<4x4x8x8xf32>) -> tensor<16x8x8xf32>
    %38 = soap.reshape %36 {soap.name = "view_9"} : (tensor<4x4x8x8xf32>) -> tensor<16x8x8xf32>
    %39 = soap.matmul %37, %38 {soap.name = "bmm"} : tensor<16x8x8xf32>
    %40 = soap.reshape %39 {soap.name = "view_10"} : (tensor<16x8x8xf32>) -> tensor<4x4x8x8xf32>
    %41 = soap.constant {soap.name = "add.constant_1"} dense<[[0.000000e+00, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.000000e+00, 0.000000e+00, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0xFF800000, 0xFF800000, 0xFF800000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0xFF800000, 0xFF800000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0xFF800000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00]]> : tensor<8x8xf32>
    %42 = soap.add %40, %41 {soap.name = "add_1"} : (tensor<4x4x8x8xf32>, tensor<8x8xf32>) -> tensor<4x4x8x8xf32>
    %43 = soap.softmax %42 {axis = 3 : i64, soap.name = "softmax"} : tensor<4x4x8x8xf32>
    %44 = soap.constant {soap.name = "eq.constant"} dense<0xFF800000> : tensor<f32>
    %45 = soap.equal %42, %44 {soap.name = "eq"} : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4x4x8x8xf32>
    %46 = soap.constant {soap.name = "logical_not.constant"} dense<0.000000e+00> : tensor<f32>
    %47 = soap.equal %45, %46 {soap.name = "logical_not"} : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4x4x8x8xf32>
    %48 = soap.reduce  max %47 {axes = array<i64: 3>, soap.name = "any.reduce"} : (tensor<4x4x8x8xf32>) -> tensor<4x4x8xf32>
    %49 = soap.reshape %48 {soap.name = "any"} : (tensor<4x4x8xf32>) -> tensor<4x4x8x1xf32>
    %50 = soap.equal %49, %46 {soap.name = "logical_not_1"} : (tensor<4x4x8x1xf32>, tensor<f32>) -> tensor<4x4x8x1xf32>
    %51 = soap.constant {soap.name = "where.constant"} dense<0.000000e+00> : tensor<4x4x8x8xf32>
    %52 = soap.where %50, %51, %43 {soap.name = "where"} : (tensor<4x4x8x1xf32>, tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
    %53 = soap.reshape %52 {soap.name = "view_11"} : (tensor<4x4x8x8xf32>) -> tensor<16x8x8xf32>
    %54 = soap.reshape %34 {soap.name = "view_12"} : (tensor<4x4x8x8xf32>) -> tensor<16x8x8xf32>
    %55 = soap.matmul %53, %54 {soap.name = "bmm_1"} : tensor<16x8x8xf32>
    %56 = soap.reshape %55 {soap.name = "view_13"} : (tensor<16x8x8xf32>) -> tensor<4x4x8x8xf32>
    %57 = soap.transpose %56 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "permute_5"} : (tensor<4x4x8x8xf32>) -> tensor<4x8x4x8xf32>
    %58 = soap.reshape %57 {soap.name = "view_14"} : (tensor<4x8x4x8xf32>) -> tensor<4x8x32xf32>
    %59 = soap.transpose %arg6 {permutation = array<i64: 1, 0>, soap.name = "permute_6"} : tensor<32x32xf32>
    %60 = soap.reshape %58 {soap.name = "view_15"} : (tensor<4x8x32xf32>) -> tensor<32x32xf32>
    %61 = soap.matmul %60, %59 {soap.name = "mm_2"} : tensor<32x32xf32>
    %62 = soap.reshape %61 {soap.name = "view_16"} : (tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %63 = soap.add %0, %62 {soap.name = "add_2"} : tensor<4x8x32xf32>
    %64 = soap.transpose %arg2 {permutation = array<i64: 1, 0>, soap.name = "permute_7"} : (tensor<40x32xf32>) -> tensor<32x40xf32>
    %65 = soap.reshape %63 {soap.name = "view_17"} : (tensor<4x8x32xf32>) -> tensor<32x32xf32>
    %66 = soap.matmul %65, %64 {soap.name = "mm_3"} : (tensor<32x32xf32>, tensor<32x40xf32>) -> tensor<32x40xf32>
    %67 = soap.reshape %66 {soap.name = "view_18"} : (tensor<32x40xf32>) -> tensor<4x8x40xf32>
    %68 = soap.transpose %67 {permutation = array<i64: 0, 2, 1>, soap.name = "permute_8"} : (tensor<4x8x40xf32>) -> tensor<4x40x8xf32>
    %69 = soap.reduce  max %68 {axes = array<i64: 1>, soap.name = "log_softmax.reduce"} : (tensor<4x40x8xf32>) -> tensor<4x8xf32>
    %70 = soap.reshape %69 {soap.name = "log_softmax.reshape"} : (tensor<4x8xf32>) -> tensor<4x1x8xf32>
    %71 = soap.stop_gradient %70 {soap.name = "log_softmax.stop_gradient"} : tensor<4x1x8xf32>
    %72 = soap.abs %71 {soap.name = "log_softmax.abs"} : tensor<4x1x8xf32>
    %73 = soap.constant {soap.name = "log_softmax.constant"} dense<3.000000e+38> : tensor<f32>
    %74 = soap.greater %72, %73 {soap.name = "log_softmax.greater"} : (tensor<4x1x8xf32>, tensor<f32>) -> tensor<4x1x8xf32>
    %75 = soap.constant {soap.name = "log_softmax.constant_1"} dense<0.000000e+00> : tensor<f32>
    %76 = soap.where %74, %75, %71 {soap.name = "log_softmax.where"} : (tensor<4x1x8xf32>, tensor<f32>, tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
    %77 = soap.sub %68, %76 {soap.name = "log_softmax.sub"} : (tensor<4x40x8xf32>, tensor<4x1x8xf32>) -> tensor<4x40x8xf32>
    %78 = soap.exp %77 {soap.name = "log_softmax.exp"} : tensor<4x40x8xf32>
    %79 = soap.reduce  sum %78 {axes = array<i64: 1>, soap.name = "log_softmax.reduce_1"} : (tensor<4x40x8xf32>) -> tensor<4x8xf32>
    %80 = soap.reshape %79 {soap.name = "log_softmax.reshape_1"} : (tensor<4x8xf32>) -> tensor<4x1x8xf32>
    %81 = soap.log %80 {soap.name = "log_softmax.log"} : tensor<4x1x8xf32>
    %82 = soap.add %81, %76 {soap.name = "log_softmax.add"} : tensor<4x1x8xf32>
    %83 = soap.sub %68, %82 {soap.name = "log_softmax"} : (tensor<4x40x8xf32>, tensor<4x1x8xf32>) -> tensor<4x40x8xf32>
    %84 = soap.reshape %83 {soap.name = "view_19"} : (tensor<4x40x8xf32>) -> tensor<4x40x1x8xf32>
    %85 = soap.reshape %arg1 {soap.name = "view_20"} : (tensor<4x8xi32>) -> tensor<4x1x8xi32>
    %86 = soap.transpose %84 {permutation = array<i64: 0, 2, 3, 1>, soap.name = "nll_loss2d_forward.transpose"} : (tensor<4x40x1x8xf32>) -> tensor<4x1x8x40xf32>
    %87 = soap.cast %85 {soap.name = "nll_loss2d_forward.cast"} : (tensor<4x1x8xi32>) -> tensor<4x1x8xf32>
    %88 = soap.constant {soap.name = "nll_loss2d_forward.constant"} dense<-1.000000e+02> : tensor<f32>
    %89 = soap.equal %87, %88 {soap.name = "nll_loss2d_forward.equal"} : (tensor<4x1x8xf32>, tensor<f32>) -> tensor<4x1x8xf32>
    %90 = soap.constant {soap.name = "nll_loss2d_forward.constant_1"} dense<1.000000e+00> : tensor<f32>
    %91 = soap.sub %90, %89 {soap.name = "nll_loss2d_forward.sub"} : (tensor<f32>, tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
    %92 = soap.reshape %87 {soap.name = "nll_loss2d_forward.reshape"} : (tensor<4x1x8xf32>) -> tensor<4x1x8x1xf32>
    %93 = soap.constant {soap.name = "nll_loss2d_forward.constant_2"} dense<[[[[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00, 9.000000e+00, 1.000000e+01, 1.100000e+01, 1.200000e+01, 1.300000e+01, 1.400000e+01, 1.500000e+01, 1.600000e+01, 1.700000e+01, 1.800000e+01, 1.900000e+01, 2.000000e+01, 2.100000e+01, 2.200000e+01, 2.300000e+01, 2.400000e+01, 2.500000e+01, 2.600000e+01, 2.700000e+01, 2.800000e+01, 2.900000e+01, 3.000000e+01, 3.100000e+01, 3.200000e+01, 3.300000e+01, 3.400000e+01, 3.500000e+01, 3.600000e+01, 3.700000e+01, 3.800000e+01, 3.900000e+01]]]]> : tensor<1x1x1x40xf32>
    %94 = soap.equal %92, %93 {soap.name = "nll_loss2d_forward.equal_1"} : (tensor<4x1x8x1xf32>, tensor<1x1x1x40xf32>) -> tensor<4x1x8x40xf32>
    %95 = soap.constant {soap.name = "nll_loss2d_forward.constant_3"} dense<0.000000e+00> : tensor<f32>
    %96 = soap.where %94, %86, %95 {soap.name = "nll_loss2d_forward.where"} : (tensor<4x1x8x40xf32>, tensor<4x1x8x40xf32>, tensor<f32>) -> tensor<4x1x8x40xf32>
    %97 = soap.reduce  sum %96 {axes = array<i64: 3>, soap.name = "nll_loss2d_forward.reduce"} : (tensor<4x1x8x40xf32>) -> tensor<4x1x8xf32>
    %98 = soap.neg %97 {soap.name = "nll_loss2d_forward.neg"} : tensor<4x1x8xf32>
    %99 = soap.where %91, %98, %95 {soap.name = "nll_loss2d_forward.where_1"} : (tensor<4x1x8xf32>, tensor<4x1x8xf32>, tensor<f32>) -> tensor<4x1x8xf32>
    %100 = soap.reduce  sum %91 {axes = array<i64: 0, 1, 2>, soap.name = "nll_loss2d_forward.reduce_1"} : (tensor<4x1x8xf32>) -> tensor<f32>
    %101 = soap.reduce  sum %99 {axes = array<i64: 0, 1, 2>, soap.name = "nll_loss2d_forward.reduce_2"} : (tensor<4x1x8xf32>) -> tensor<f32>
    %102 = soap.div %101, %100 {soap.name = "nll_loss2d_forward"} : tensor<f32>
    %103 = soap.constant {soap.name = "div.constant"} dense<1.000000e+00> : tensor<f32>
    %104 = soap.div %103, %100 {soap.name = "div"} : tensor<f32>
    %105 = soap.reshape %85 {soap.name = "unsqueeze_2"} : (tensor<4x1x8xi32>) -> tensor<4x1x1x8xi32>
    %106 = soap.cast %105 {soap.name = "ne.cast"} : (tensor<4x1x1x8xi32>) -> tensor<4x1x1x8xf32>
    %107 = soap.constant {soap.name = "ne.constant"} dense<-1.000000e+02> : tensor<f32>
    %108 = soap.equal %106, %107 {soap.name = "ne.equal"} : (tensor<4x1x1x8xf32>, tensor<f32>) -> tensor<4x1x1x8xf32>
    %109 = soap.constant {soap.name = "ne.constant_1"} dense<1.000000e+00> : tensor<f32>
    %110 = soap.sub %109, %108 {soap.name = "ne"} : (tensor<f32>, tensor<4x1x1x8xf32>) -> tensor<4x1x1x8xf32>
    %111 = soap.constant {soap.name = "where.constant_1"} dense<0.000000e+00> : tensor<f32>
    %112 = soap.where %110, %106, %111 {soap.name = "where_1"} : (tensor<4x1x1x8xf32>, tensor<4x1x1x8xf32>, tensor<f32>) -> tensor<4x1x1x8xf32>
    %113 = soap.constant {soap.name = "scatter.constant"} dense<0.000000e+00> : tensor<1x1x1x1xf32>
    %114 = soap.reshape %113 {soap.name = "scatter.reshape"} : (tensor<1x1x1x1xf32>) -> tensor<1xf32>
    %115 = soap.broadcast %114 {axes = array<i64: 0, 1, 3>, soap.name = "scatter.broadcast"} : (tensor<1xf32>) -> tensor<4x40x1x8xf32>
    %116 = soap.constant {soap.name = "scatter.constant_1"} dense<-1.000000e+00> : tensor<f32>
    %117 = soap.reshape %116 {soap.name = "scatter.reshape_1"} : (tensor<f32>) -> tensor<1x1xf32>
    %118 = soap.broadcast %117 {axes = array<i64: 0, 3>, soap.name = "scatter.broadcast_1"} : (tensor<1x1xf32>) -> tensor<4x1x1x8xf32>
    %119 = soap.transpose %118 {permutation = array<i64: 0, 2, 3, 1>, soap.name = "scatter.transpose"} : (tensor<4x1x1x8xf32>) -> tensor<4x1x8x1xf32>
    %120 = soap.transpose %112 {permutation = array<i64: 0, 2, 3, 1>, soap.name = "scatter.transpose_1"} : (tensor<4x1x1x8xf32>) -> tensor<4x1x8x1xf32>
    %121 = soap.transpose %115 {permutation = array<i64: 0, 2, 3, 1>, soap.name = "scatter.transpose_2"} : (tensor<4x40x1x8xf32>) -> tensor<4x1x8x40xf32>
    %122 = soap.constant {soap.name = "scatter.constant_2"} dense<0.000000e+00> : tensor<f32>
    %123 = soap.greater_equal %120, %122 {soap.name = "scatter.greater_equal"} : (tensor<4x1x8x1xf32>, tensor<f32>) -> tensor<4x1x8x1xf32>
    %124 = soap.constant {soap.name = "scatter.constant_3"} dense<4.000000e+01> : tensor<f32>
    %125 = soap.add %120, %124 {soap.name = "scatter.add"} : (tensor<4x1x8x1xf32>, tensor<f32>) -> tensor<4x1x8x1xf32>
    %126 = soap.where %123, %120, %125 {soap.name = "scatter.where"} : tensor<4x1x8x1xf32>
    %127 = soap.reshape %126 {soap.name = "scatter.reshape_2"} : (tensor<4x1x8x1xf32>) -> tensor<4x1x8x1x1xf32>
    %128 = soap.constant {soap.name = "scatter.constant_4"} dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00, 9.000000e+00, 1.000000e+01, 1.100000e+01, 1.200000e+01, 1.300000e+01, 1.400000e+01, 1.500000e+01, 1.600000e+01, 1.700000e+01, 1.800000e+01, 1.900000e+01, 2.000000e+01, 2.100000e+01, 2.200000e+01, 2.300000e+01, 2.400000e+01, 2.500000e+01, 2.600000e+01, 2.700000e+01, 2.800000e+01, 2.900000e+01, 3.000000e+01, 3.100000e+01, 3.200000e+01, 3.300000e+01, 3.400000e+01, 3.500000e+01, 3.600000e+01, 3.700000e+01, 3.800000e+01, 3.900000e+01]> : tensor<40xf32>
    %129 = soap.equal %127, %128 {soap.name = "scatter.equal"} : (tensor<4x1x8x1x1xf32>, tensor<40xf32>) -> tensor<4x1x8x1x40xf32>
    %130 = soap.reshape %119 {soap.name = "scatter.reshape_3"} : (tensor<4x1x8x1xf32>) -> tensor<4x1x8x1x1xf32>
    %131 = soap.reduce  sum %129 {axes = array<i64: 3>, soap.name = "scatter.reduce"} : (tensor<4x1x8x1x40xf32>) -> tensor<4x1x8x40xf32>
    %132 = soap.where %129, %130, %122 {soap.name = "scatter.where_1"} : (tensor<4x1x8x1x40xf32>, tensor<4x1x8x1x1xf32>, tensor<f32>) -> tensor<4x1x8x1x40xf32>
    %133 = soap.reduce  sum %132 {axes = array<i64: 3>, soap.name = "scatter.reduce_1"} : (tensor<4x1x8x1x40xf32>) -> tensor<4x1x8x40xf32>
    %134 = soap.constant {soap.name = "scatter.constant_5"} dense<1.000000e+00> : tensor<f32>
    %135 = soap.maximum %131, %134 {soap.name = "scatter.maximum"} : (tensor<4x1x8x40xf32>, tensor<f32>) -> tensor<4x1x8x40xf32>
    %136 = soap.div %133, %135 {soap.name = "scatter.div"} : tensor<4x1x8x40xf32>
    %137 = soap.where %131, %136, %121 {soap.name = "scatter.where_2"} : tensor<4x1x8x40xf32>
    %138 = soap.transpose %137 {permutation = array<i64: 0, 3, 1, 2>, soap.name = "scatter"} : (tensor<4x1x8x40xf32>) -> tensor<4x40x1x8xf32>
    %139 = soap.equal %106, %107 {soap.name = "ne.equal_1"} : (tensor<4x1x1x8xf32>, tensor<f32>) -> tensor<4x1x1x8xf32>
    %140 = soap.sub %109, %139 {soap.name = "ne_1"} : (tensor<f32>, tensor<4x1x1x8xf32>) -> tensor<4x1x1x8xf32>
    %141 = soap.constant {soap.name = "where.constant_2"} dense<0.000000e+00> : tensor<f32>
    %142 = soap.where %140, %104, %141 {soap.name = "where_2"} : (tensor<4x1x1x8xf32>, tensor<f32>, tensor<f32>) -> tensor<4x1x1x8xf32>
    %143 = soap.mul %138, %142 {soap.name = "mul_4"} : (tensor<4x40x1x8xf32>, tensor<4x1x1x8xf32>) -> tensor<4x40x1x8xf32>
    %144 = soap.reshape %143 {soap.name = "view_21"} : (tensor<4x40x1x8xf32>) -> tensor<4x40x8xf32>
    %145 = soap.exp %83 {soap.name = "exp"} : tensor<4x40x8xf32>
    %146 = soap.reduce  sum %144 {axes = array<i64: 1>, soap.name = "sum.reduce"} : (tensor<4x40x8xf32>) -> tensor<4x8xf32>
    %147 = soap.reshape %146 {soap.name = "sum"} : (tensor<4x8xf32>) -> tensor<4x1x8xf32>
    %148 = soap.mul %145, %147 {soap.name = "mul_5"} : (tensor<4x40x8xf32>, tensor<4x1x8xf32>) -> tensor<4x40x8xf32>
    %149 = soap.sub %144, %148 {soap.name = "sub"} : tensor<4x40x8xf32>
    %150 = soap.transpose %149 {permutation = array<i64: 0, 2, 1>, soap.name = "permute_9"} : (tensor<4x40x8xf32>) -> tensor<4x8x40xf32>
    %151 = soap.reshape %150 {soap.name = "view_22"} : (tensor<4x8x40xf32>) -> tensor<32x40xf32>
    %152 = soap.transpose %151 {permutation = array<i64: 1, 0>, soap.name = "permute_10"} : (tensor<32x40xf32>) -> tensor<40x32xf32>
    %153 = soap.matmul %152, %65 {soap.name = "mm_4"} : (tensor<40x32xf32>, tensor<32x32xf32>) -> tensor<40x32xf32>
    %154 = soap.transpose %153 {permutation = array<i64: 1, 0>, soap.name = "permute_11"} : (tensor<40x32xf32>) -> tensor<32x40xf32>
    %155 = soap.transpose %64 {permutation = array<i64: 1, 0>, soap.name = "permute_12"} : (tensor<32x40xf32>) -> tensor<40x32xf32>
    %156 = soap.matmul %151, %155 {soap.name = "mm_5"} : (tensor<32x40xf32>, tensor<40x32xf32>) -> tensor<32x32xf32>
    %157 = soap.reshape %156 {soap.name = "view_23"} : (tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %158 = soap.transpose %154 {permutation = array<i64: 1, 0>, soap.name = "permute_13"} : (tensor<32x40xf32>) -> tensor<40x32xf32>
    %159 = soap.reshape %157 {soap.name = "view_24"} : (tensor<4x8x32xf32>) -> tensor<32x32xf32>
    %160 = soap.transpose %159 {permutation = array<i64: 1, 0>, soap.name = "permute_14"} : tensor<32x32xf32>
    %161 = soap.matmul %160, %60 {soap.name = "mm_6"} : tensor<32x32xf32>
    %162 = soap.transpose %161 {permutation = array<i64: 1, 0>, soap.name = "permute_15"} : tensor<32x32xf32>
    %163 = soap.transpose %59 {permutation = array<i64: 1, 0>, soap.name = "permute_16"} : tensor<32x32xf32>
    %164 = soap.matmul %159, %163 {soap.name = "mm_7"} : tensor<32x32xf32>
    %165 = soap.reshape %164 {soap.name = "view_25"} : (tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %166 = soap.transpose %162 {permutation = array<i64: 1, 0>, soap.name = "permute_17"} : tensor<32x32xf32>
    %167 = soap.reshape %165 {soap.name = "view_26"} : (tensor<4x8x32xf32>) -> tensor<4x8x4x8xf32>
    %168 = soap.transpose %167 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "permute_18"} : (tensor<4x8x4x8xf32>) -> tensor<4x4x8x8xf32>
    %169 = soap.reshape %168 {soap.name = "view_27"} : (tensor<4x4x8x8xf32>) -> tensor<16x8x8xf32>
    %170 = soap.transpose %53 {permutation = array<i64: 0, 2, 1>, soap.name = "permute_19"} : tensor<16x8x8xf32>
    %171 = soap.matmul %170, %169 {soap.name = "bmm_2"} : tensor<16x8x8xf32>
    %172 = soap.transpose %54 {permutation = array<i64: 0, 2, 1>, soap.name = "permute_20"} : tensor<16x8x8xf32>
    %173 = soap.matmul %169, %172 {soap.name = "bmm_3"} : tensor<16x8x8xf32>
    %174 = soap.reshape %171 {soap.name = "view_28"} : (tensor<16x8x8xf32>) -> tensor<4x4x8x8xf32>
    %175 = soap.reshape %173 {soap.name = "view_29"} : (tensor<16x8x8xf32>) -> tensor<4x4x8x8xf32>
    %176 = soap.mul %175, %52 {soap.name = "mul_6"} : tensor<4x4x8x8xf32>
    %177 = soap.reduce  sum %176 {axes = array<i64: 3>, soap.name = "sum.reduce_1"} : (tensor<4x4x8x8xf32>) -> tensor<4x4x8xf32>
    %178 = soap.reshape %177 {soap.name = "sum_1"} : (tensor<4x4x8xf32>) -> tensor<4x4x8x1xf32>
    %179 = soap.mul %52, %178 {soap.name = "mul_7"} : (tensor<4x4x8x8xf32>, tensor<4x4x8x1xf32>) -> tensor<4x4x8x8xf32>
    %180 = soap.sub %176, %179 {soap.name = "sub_1"} : tensor<4x4x8x8xf32>
    %181 = soap.reshape %180 {soap.name = "view_30"} : (tensor<4x4x8x8xf32>) -> tensor<16x8x8xf32>
    %182 = soap.transpose %37 {permutation = array<i64: 0, 2, 1>, soap.name = "permute_21"} : tensor<16x8x8xf32>
    %183 = soap.matmul %182, %181 {soap.name = "bmm_4"} : tensor<16x8x8xf32>
    %184 = soap.transpose %38 {permutation = array<i64: 0, 2, 1>, soap.name = "permute_22"} : tensor<16x8x8xf32>
    %185 = soap.matmul %181, %184 {soap.name = "bmm_5"} : tensor<16x8x8xf32>
    %186 = soap.reshape %183 {soap.name = "view_31"} : (tensor<16x8x8xf32>) -> tensor<4x4x8x8xf32>
    %187 = soap.reshape %185 {soap.name = "view_32"} : (tensor<16x8x8xf32>) -> tensor<4x4x8x8xf32>
    %188 = soap.scale %186 {factor = 0.59460355750136051 : f64, soap.name = "mul_8"} : tensor<4x4x8x8xf32>
    %189 = soap.transpose %188 {permutation = array<i64: 0, 1, 3, 2>, soap.name = "permute_23"} : tensor<4x4x8x8xf32>
    %190 = soap.reshape %174 {soap.name = "view_33"} : (tensor<4x4x8x8xf32>) -> tensor<4x2x2x8x8xf32>
    %191 = soap.reduce  sum %190 {axes = array<i64: 2>, soap.name = "sum.reduce_2"} : (tensor<4x2x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %192 = soap.reshape %191 {soap.name = "sum_2"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x1x8x8xf32>
    %193 = soap.reshape %192 {soap.name = "squeeze"} : (tensor<4x2x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %194 = soap.reshape %189 {soap.name = "view_34"} : (tensor<4x4x8x8xf32>) -> tensor<4x2x2x8x8xf32>
    %195 = soap.reduce  sum %194 {axes = array<i64: 2>, soap.name = "sum.reduce_3"} : (tensor<4x2x2x8x8xf32>) -> tensor<4x2x8x8xf32>
    %196 = soap.reshape %195 {soap.name = "sum_3"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x1x8x8xf32>
    %197 = soap.reshape %196 {soap.name = "squeeze_1"} : (tensor<4x2x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %198 = soap.scale %187 {factor = 0.59460355750136051 : f64, soap.name = "mul_9"} : tensor<4x4x8x8xf32>
    %199 = soap.reshape %197 {soap.name = "stack.reshape"} : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
    %200 = soap.reshape %193 {soap.name = "stack.reshape_1"} : (tensor<4x2x8x8xf32>) -> tensor<1x4x2x8x8xf32>
    %201 = soap.concat %199, %200 {axis = 0 : i64, soap.name = "stack"} : (tensor<1x4x2x8x8xf32>, tensor<1x4x2x8x8xf32>) -> tensor<2x4x2x8x8xf32>
    %202 = soap.transpose %201 {permutation = array<i64: 1, 3, 0, 2, 4>, soap.name = "permute_24"} : (tensor<2x4x2x8x8xf32>) -> tensor<4x8x2x2x8xf32>
    %203 = soap.reshape %202 {soap.name = "view_35"} : (tensor<4x8x2x2x8xf32>) -> tensor<4x8x32xf32>
    %204 = soap.reshape %203 {soap.name = "view_36"} : (tensor<4x8x32xf32>) -> tensor<32x32xf32>
    %205 = soap.transpose %204 {permutation = array<i64: 1, 0>, soap.name = "permute_25"} : tensor<32x32xf32>
    %206 = soap.matmul %205, %17 {soap.name = "mm_8"} : tensor<32x32xf32>
    %207 = soap.transpose %206 {permutation = array<i64: 1, 0>, soap.name = "permute_26"} : tensor<32x32xf32>
    %208 = soap.transpose %16 {permutation = array<i64: 1, 0>, soap.name = "permute_27"} : tensor<32x32xf32>
    %209 = soap.matmul %204, %208 {soap.name = "mm_9"} : tensor<32x32xf32>
    %210 = soap.reshape %209 {soap.name = "view_37"} : (tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %211 = soap.transpose %207 {permutation = array<i64: 1, 0>, soap.name = "permute_28"} : tensor<32x32xf32>
    %212 = soap.transpose %198 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "permute_29"} : (tensor<4x4x8x8xf32>) -> tensor<4x8x4x8xf32>
    %213 = soap.reshape %212 {soap.name = "view_38"} : (tensor<4x8x4x8xf32>) -> tensor<4x8x32xf32>
    %214 = soap.reshape %213 {soap.name = "view_39"} : (tensor<4x8x32xf32>) -> tensor<32x32xf32>
    %215 = soap.transpose %214 {permutation = array<i64: 1, 0>, soap.name = "permute_30"} : tensor<32x32xf32>
    %216 = soap.matmul %215, %11 {soap.name = "mm_10"} : tensor<32x32xf32>
    %217 = soap.transpose %216 {permutation = array<i64: 1, 0>, soap.name = "permute_31"} : tensor<32x32xf32>
    %218 = soap.transpose %10 {permutation = array<i64: 1, 0>, soap.name = "permute_32"} : tensor<32x32xf32>
    %219 = soap.matmul %214, %218 {soap.name = "mm_11"} : tensor<32x32xf32>
    %220 = soap.reshape %219 {soap.name = "view_40"} : (tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %221 = soap.add %210, %220 {soap.name = "add_3"} : tensor<4x8x32xf32>
    %222 = soap.transpose %217 {permutation = array<i64: 1, 0>, soap.name = "permute_33"} : tensor<32x32xf32>
    %223 = soap.mul %221, %8 {soap.name = "mul_10"} : tensor<4x8x32xf32>
    %224 = soap.mul %221, %arg3 {soap.name = "mul_11"} : (tensor<4x8x32xf32>, tensor<32xf32>) -> tensor<4x8x32xf32>
    %225 = soap.reduce  sum %223 {axes = array<i64: 0, 1>, soap.name = "sum.reduce_4"} : (tensor<4x8x32xf32>) -> tensor<32xf32>
    %226 = soap.reshape %225 {soap.name = "sum_4"} : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %227 = soap.reshape %226 {soap.name = "view_41"} : (tensor<1x1x32xf32>) -> tensor<32xf32>
    %228 = soap.mul %224, %0 {soap.name = "mul_12"} : tensor<4x8x32xf32>
    %229 = soap.mul %224, %7 {soap.name = "mul_13"} : (tensor<4x8x32xf32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
    %230 = soap.reduce  sum %228 {axes = array<i64: 2>, soap.name = "sum.reduce_5"} : (tensor<4x8x32xf32>) -> tensor<4x8xf32>
    %231 = soap.reshape %230 {soap.name = "sum_5"} : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %232 = soap.add %157, %229 {soap.name = "add_4"} : tensor<4x8x32xf32>
    %233 = soap.mul %7, %7 {soap.name = "pow.mul"} : tensor<4x8x1xf32>
    %234 = soap.mul %233, %7 {soap.name = "pow_1"} : tensor<4x8x1xf32>
    %235 = soap.scale %231 {factor = -5.000000e-01 : f64, soap.name = "mul_14"} : tensor<4x8x1xf32>
    %236 = soap.mul %235, %234 {soap.name = "mul_15"} : tensor<4x8x1xf32>
    %237 = soap.reshape %236 {soap.name = "expand.reshape_2"} : (tensor<4x8x1xf32>) -> tensor<4x8xf32>
    %238 = soap.broadcast %237 {axes = array<i64: 2>, soap.name = "expand_2"} : (tensor<4x8xf32>) -> tensor<4x8x32xf32>
    %239 = soap.constant {soap.name = "div.constant_1"} dense<3.200000e+01> : tensor<f32>
    %240 = soap.div %238, %239 {soap.name = "div_1"} : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8x32xf32>
    %241 = soap.scale %0 {factor = 2.000000e+00 : f64, soap.name = "mul_16"} : tensor<4x8x32xf32>
    %242 = soap.mul %240, %241 {soap.name = "mul_17"} : tensor<4x8x32xf32>
    %243 = soap.add %232, %242 {soap.name = "add_5"} : tensor<4x8x32xf32>
    %244 = soap.cast %arg0 {soap.name = "ge.cast"} : (tensor<4x8xi32>) -> tensor<4x8xf32>
    %245 = soap.constant {soap.name = "ge.constant"} dense<0.000000e+00> : tensor<f32>
    %246 = soap.greater_equal %244, %245 {soap.name = "ge"} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %247 = soap.constant {soap.name = "lt.constant"} dense<4.000000e+01> : tensor<f32>
    %248 = soap.greater %247, %244 {soap.name = "lt"} : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %249 = soap.mul %246, %248 {soap.name = "bitwise_and"} : tensor<4x8xf32>
    %250 = soap.constant {soap.name = "ne.constant_2"} dense<-1.000000e+00> : tensor<f32>
    %251 = soap.equal %244, %250 {soap.name = "ne.equal_2"} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %252 = soap.sub %109, %251 {soap.name = "ne_2"} : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %253 = soap.mul %249, %252 {soap.name = "bitwise_and_1"} : tensor<4x8xf32>
    %254 = soap.reshape %253 {soap.name = "unsqueeze_3"} : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %255 = soap.constant {soap.name = "clamp.constant"} dense<-4.000000e+01> : tensor<f32>
    %256 = soap.greater_equal %255, %244 {soap.name = "clamp.greater_equal"} : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %257 = soap.where %256, %255, %244 {soap.name = "clamp.where"} : (tensor<4x8xf32>, tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %258 = soap.constant {soap.name = "clamp.constant_1"} dense<3.900000e+01> : tensor<f32>
    %259 = soap.greater_equal %257, %258 {soap.name = "clamp.greater_equal_1"} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %260 = soap.where %259, %258, %257 {soap.name = "clamp"} : (tensor<4x8xf32>, tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %261 = soap.constant {soap.name = "bitwise_not.constant"} dense<0.000000e+00> : tensor<f32>
    %262 = soap.equal %254, %261 {soap.name = "bitwise_not"} : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8x1xf32>
    %263 = soap.constant {soap.name = "masked_fill.constant"} dense<0.000000e+00> : tensor<f32>
    %264 = soap.where %262, %263, %243 {soap.name = "masked_fill"} : (tensor<4x8x1xf32>, tensor<f32>, tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
    %265 = soap.constant {soap.name = "index_put.constant"} dense<0.000000e+00> : tensor<1x1xf32>
    %266 = soap.reshape %265 {soap.name = "index_put.reshape"} : (tensor<1x1xf32>) -> tensor<f32>
    %267 = soap.broadcast %266 {axes = array<i64: 0, 1>, soap.name = "index_put.broadcast"} : (tensor<f32>) -> tensor<40x32xf32>
    %268 = soap.constant {soap.name = "index_put.constant_1"} dense<0.000000e+00> : tensor<f32>
    %269 = soap.greater_equal %260, %268 {soap.name = "index_put.greater_equal"} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %270 = soap.constant {soap.name = "index_put.constant_2"} dense<4.000000e+01> : tensor<f32>
    %271 = soap.add %260, %270 {soap.name = "index_put.add"} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %272 = soap.where %269, %260, %271 {soap.name = "index_put.where"} : tensor<4x8xf32>
    %273 = soap.reshape %264 {soap.name = "index_put.reshape_1"} : (tensor<4x8x32xf32>) -> tensor<32x32xf32>
    %274 = soap.reshape %272 {soap.name = "index_put.reshape_2"} : (tensor<4x8xf32>) -> tensor<32xf32>
    %275 = soap.greater_equal %274, %268 {soap.name = "index_put.greater_equal_1"} : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
    %276 = soap.add %274, %270 {soap.name = "index_put.add_1"} : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
    %277 = soap.where %275, %274, %276 {soap.name = "index_put.where_1"} : tensor<32xf32>
    %278 = soap.reshape %277 {soap.name = "index_put.reshape_3"} : (tensor<32xf32>) -> tensor<32x1xf32>
    %279 = soap.constant {soap.name = "index_put.constant_3"} dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00, 9.000000e+00, 1.000000e+01, 1.100000e+01, 1.200000e+01, 1.300000e+01, 1.400000e+01, 1.500000e+01, 1.600000e+01, 1.700000e+01, 1.800000e+01, 1.900000e+01, 2.000000e+01, 2.100000e+01, 2.200000e+01, 2.300000e+01, 2.400000e+01, 2.500000e+01, 2.600000e+01, 2.700000e+01, 2.800000e+01, 2.900000e+01, 3.000000e+01, 3.100000e+01, 3.200000e+01, 3.300000e+01, 3.400000e+01, 3.500000e+01, 3.600000e+01, 3.700000e+01, 3.800000e+01, 3.900000e+01]> : tensor<40xf32>
    %280 = soap.equal %278, %279 {soap.name = "index_put.equal"} : (tensor<32x1xf32>, tensor<40xf32>) -> tensor<32x40xf32>
    %281 = soap.matmul %280, %273 {soap.name = "index_put.matmul", transpose_a} : (tensor<32x40xf32>, tensor<32x32xf32>) -> tensor<40x32xf32>
    %282 = soap.add %267, %281 {soap.name = "index_put"} : tensor<40x32xf32>
    %283 = soap.add %158, %282 {soap.name = "add_6"} : tensor<40x32xf32>
    %284 = soap.stop_gradient %102 {soap.name = "gradients.stop_gradient"} : tensor<f32>
    %285 = soap.stop_gradient %283 {soap.name = "gradients.stop_gradient_1"} : tensor<40x32xf32>
    %286 = soap.mul %285, %arg2 {soap.name = "gradients.mul"} : tensor<40x32xf32>
    %287 = soap.reduce  sum %286 {axes = array<i64: 0, 1>, soap.name = "gradients.reduce"} : (tensor<40x32xf32>) -> tensor<f32>
    %288 = soap.stop_gradient %287 {soap.name = "gradients.stop_gradient_2"} : tensor<f32>
    %289 = soap.sub %287, %288 {soap.name = "gradients.sub"} : tensor<f32>
    %290 = soap.add %284, %289 {soap.name = "gradients.add"} : tensor<f32>
    %291 = soap.stop_gradient %227 {soap.name = "gradients.stop_gradient_3"} : tensor<32xf32>
    %292 = soap.mul %291, %arg3 {soap.name = "gradients.mul_1"} : tensor<32xf32>
    %293 = soap.reduce  sum %292 {axes = array<i64: 0>, soap.name = "gradients.reduce_1"} : (tensor<32xf32>) -> tensor<f32>
    %294 = soap.stop_gradient %293 {soap.name = "gradients.stop_gradient_4"} : tensor<f32>
    %295 = soap.sub %293, %294 {soap.name = "gradients.sub_1"} : tensor<f32>
    %296 = soap.add %290, %295 {soap.name = "gradients.add_1"} : tensor<f32>
    %297 = soap.stop_gradient %222 {soap.name = "gradients.stop_gradient_5"} : tensor<32x32xf32>
    %298 = soap.mul %297, %arg4 {soap.name = "gradients.mul_2"} : tensor<32x32xf32>
    %299 = soap.reduce  sum %298 {axes = array<i64: 0, 1>, soap.name = "gradients.reduce_2"} : (tensor<32x32xf32>) -> tensor<f32>
    %300 = soap.stop_gradient %299 {soap.name = "gradients.stop_gradient_6"} : tensor<f32>
    %301 = soap.sub %299, %300 {soap.name = "gradients.sub_2"} : tensor<f32>
    %302 = soap.add %296, %301 {soap.name = "gradients.add_2"} : tensor<f32>
    %303 = soap.stop_gradient %211 {soap.name = "gradients.stop_gradient_7"} : tensor<32x32xf32>
    %304 = soap.mul %303, %arg5 {soap.name = "gradients.mul_3"} : tensor<32x32xf32>
    %305 = soap.reduce  sum %304 {axes = array<i64: 0, 1>, soap.name = "gradients.reduce_3"} : (tensor<32x32xf32>) -> tensor<f32>
    %306 = soap.stop_gradient %305 {soap.name = "gradients.stop_gradient_8"} : tensor<f32>
    %307 = soap.sub %305, %306 {soap.name = "gradients.sub_3"} : tensor<f32>
    %308 = soap.add %302, %307 {soap.name = "gradients.add_3"} : tensor<f32>
    %309 = soap.stop_gradient %166 {soap.name = "gradients.stop_gradient_9"} : tensor<32x32xf32>
    %310 = soap.mul %309, %arg6 {soap.name = "gradients.mul_4"} : tensor<32x32xf32>
    %311 = soap.reduce  sum %310 {axes = array<i64: 0, 1>, soap.name = "gradients.reduce_4"} : (tensor<32x32xf32>) -> tensor<f32>
    %312 = soap.stop_gradient %311 {soap.name = "gradients.stop_gradient_10"} : tensor<f32>
    %313 = soap.sub %311, %312 {soap.name = "gradients.sub_4"} : tensor<f32>
    %314 = soap.add %308, %313 {soap.name = "gradients.add_4"} : tensor<f32>
    return %314 : tensor<f32>
  }
}

