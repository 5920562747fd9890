module {
  func.func @forward(%arg0: tensor<4x7xi32> {soap.kind = #soap.kind<data>, soap.name = "chosen", soap.sample_dim = 0 : i64}, %arg1: tensor<4x7xi32> {soap.kind = #soap.kind<data>, soap.name = "rejected", soap.sample_dim = 0 : i64}, %arg2: tensor<30x16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "policy.0.weight"}, %arg3: tensor<16x16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "policy.1.weight"}, %arg4: tensor<16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "policy.1.bias"}, %arg5: tensor<30x16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "policy.3.weight"}, %arg6: tensor<30xf32> {soap.kind = #soap.kind<parameter>, soap.name = "policy.3.bias"}, %arg7: tensor<30x16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "reference.0.weight"}, %arg8: tensor<16x16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "reference.1.weight"}, %arg9: tensor<16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "reference.1.bias"}, %arg10: tensor<30x16xf32> {soap.kind = #soap.kind<parameter>, soap.name = "reference.3.weight"}, %arg11: tensor<30xf32> {soap.kind = #soap.kind<parameter>, soap.name = "reference.3.bias"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.stop_gradient %arg7 {soap.name = "reference.0.weight.stop_gradient"} : tensor<30x16xf32>
    %1 = soap.stop_gradient %arg8 {soap.name = "reference.1.weight.stop_gradient"} : tensor<16x16xf32>
    %2 = soap.stop_gradient %arg9 {soap.name = "reference.1.bias.stop_gradient"} : tensor<16xf32>
    %3 = soap.stop_gradient %arg10 {soap.name = "reference.3.weight.stop_gradient"} : tensor<30x16xf32>
    %4 = soap.stop_gradient %arg11 {soap.name = "reference.3.bias.stop_gradient"} : tensor<30xf32>
    %5 = soap.cast %arg0 {soap.name = "slice.cast"} : (tensor<4x7xi32>) -> tensor<4x7xf32>
    %6 = soap.slice %5 {sizes = array<i64: 4, 6>, soap.name = "slice"} : (tensor<4x7xf32>) -> tensor<4x6xf32>
    %7 = soap.cast %6 {soap.name = "embedding.cast"} : (tensor<4x6xf32>) -> tensor<4x6xi32>
    %8 = soap.gather %0, %7 {soap.name = "embedding"} : (tensor<30x16xf32>, tensor<4x6xi32>) -> tensor<4x6x16xf32>
    %9 = soap.matmul %8, %1 {soap.name = "linear.matmul", transpose_b} : (tensor<4x6x16xf32>, tensor<16x16xf32>) -> tensor<4x6x16xf32>
    %10 = soap.bias_add %9, %2 {axis = 2 : i64, soap.name = "linear"} : (tensor<4x6x16xf32>, tensor<16xf32>) -> tensor<4x6x16xf32>
    %11 = soap.tanh %10 {soap.name = "tanh"} : tensor<4x6x16xf32>
    %12 = soap.matmul %11, %3 {soap.name = "linear.matmul_1", transpose_b} : (tensor<4x6x16xf32>, tensor<30x16xf32>) -> tensor<4x6x30xf32>
    %13 = soap.bias_add %12, %4 {axis = 2 : i64, soap.name = "linear_1"} : (tensor<4x6x30xf32>, tensor<30xf32>) -> tensor<4x6x30xf32>
    %14 = soap.reduce  max %13 {axes = array<i64: 2>, soap.name = "log_softmax.reduce"} : (tensor<4x6x30xf32>) -> tensor<4x6xf32>
    %15 = soap.reshape %14 {soap.name = "log_softmax.reshape"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %16 = soap.stop_gradient %15 {soap.name = "log_softmax.stop_gradient"} : tensor<4x6x1xf32>
    %17 = soap.abs %16 {soap.name = "log_softmax.abs"} : tensor<4x6x1xf32>
    %18 = soap.constant {soap.name = "log_softmax.constant"} dense<3.000000e+38> : tensor<f32>
    %19 = soap.greater %17, %18 {soap.name = "log_softmax.greater"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %20 = soap.constant {soap.name = "log_softmax.constant_1"} dense<0.000000e+00> : tensor<f32>
    %21 = soap.where %19, %20, %16 {soap.name = "log_softmax.where"} : (tensor<4x6x1xf32>, tensor<f32>, tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
    %22 = soap.sub %13, %21 {soap.name = "log_softmax.sub"} : (tensor<4x6x30xf32>, tensor<4x6x1xf32>) -> tensor<4x6x30xf32>
    %23 = soap.exp %22 {soap.name = "log_softmax.exp"} : tensor<4x6x30xf32>
    %24 = soap.reduce  sum %23 {axes = array<i64: 2>, soap.name = "log_softmax.reduce_1"} : (tensor<4x6x30xf32>) -> tensor<4x6xf32>
    %25 = soap.reshape %24 {soap.name = "log_softmax.reshape_1"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %26 = soap.log %25 {soap.name = "log_softmax.log"} : tensor<4x6x1xf32>
    %27 = soap.add %26, %21 {soap.name = "log_softmax.add"} : tensor<4x6x1xf32>
    %28 = soap.sub %13, %27 {soap.name = "log_softmax"} : (tensor<4x6x30xf32>, tensor<4x6x1xf32>) -> tensor<4x6x30xf32>
    %29 = soap.slice %5 {offsets = array<i64: 0, 1>, sizes = array<i64: 4, 6>, soap.name = "slice_1"} : (tensor<4x7xf32>) -> tensor<4x6xf32>
    %30 = soap.reshape %29 {soap.name = "unsqueeze"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %31 = soap.constant {soap.name = "gather.constant"} dense<0.000000e+00> : tensor<f32>
    %32 = soap.greater_equal %30, %31 {soap.name = "gather.greater_equal"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %33 = soap.constant {soap.name = "gather.constant_1"} dense<3.000000e+01> : tensor<f32>
    %34 = soap.add %30, %33 {soap.name = "gather.add"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %35 = soap.where %32, %30, %34 {soap.name = "gather.where"} : tensor<4x6x1xf32>
    %36 = soap.reshape %35 {soap.name = "gather.reshape"} : (tensor<4x6x1xf32>) -> tensor<4x6x1x1xf32>
    %37 = soap.constant {soap.name = "gather.constant_2"} dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00, 9.000000e+00, 1.000000e+01, 1.100000e+01, 1.200000e+01, 1.300000e+01, 1.400000e+01, 1.500000e+01, 1.600000e+01, 1.700000e+01, 1.800000e+01, 1.900000e+01, 2.000000e+01, 2.100000e+01, 2.200000e+01, 2.300000e+01, 2.400000e+01, 2.500000e+01, 2.600000e+01, 2.700000e+01, 2.800000e+01, 2.900000e+01]> : tensor<30xf32>
    %38 = soap.equal %36, %37 {soap.name = "gather.equal"} : (tensor<4x6x1x1xf32>, tensor<30xf32>) -> tensor<4x6x1x30xf32>
    %39 = soap.reshape %28 {soap.name = "gather.reshape_1"} : (tensor<4x6x30xf32>) -> tensor<4x6x1x30xf32>
    %40 = soap.where %38, %39, %31 {soap.name = "gather.where_1"} : (tensor<4x6x1x30xf32>, tensor<4x6x1x30xf32>, tensor<f32>) -> tensor<4x6x1x30xf32>
    %41 = soap.reduce  sum %40 {axes = array<i64: 3>, soap.name = "gather"} : (tensor<4x6x1x30xf32>) -> tensor<4x6x1xf32>
    %42 = soap.reshape %41 {soap.name = "select"} : (tensor<4x6x1xf32>) -> tensor<4x6xf32>
    %43 = soap.reduce  sum %42 {axes = array<i64: 1>, soap.name = "sum"} : (tensor<4x6xf32>) -> tensor<4xf32>
    %44 = soap.cast %arg1 {soap.name = "slice.cast_1"} : (tensor<4x7xi32>) -> tensor<4x7xf32>
    %45 = soap.slice %44 {sizes = array<i64: 4, 6>, soap.name = "slice_2"} : (tensor<4x7xf32>) -> tensor<4x6xf32>
    %46 = soap.cast %45 {soap.name = "embedding.cast_1"} : (tensor<4x6xf32>) -> tensor<4x6xi32>
    %47 = soap.gather %0, %46 {soap.name = "embedding_1"} : (tensor<30x16xf32>, tensor<4x6xi32>) -> tensor<4x6x16xf32>
    %48 = soap.matmul %47, %1 {soap.name = "linear.matmul_2", transpose_b} : (tensor<4x6x16xf32>, tensor<16x16xf32>) -> tensor<4x6x16xf32>
    %49 = soap.bias_add %48, %2 {axis = 2 : i64, soap.name = "linear_2"} : (tensor<4x6x16xf32>, tensor<16xf32>) -> tensor<4x6x16xf32>
    %50 = soap.tanh %49 {soap.name = "tanh_1"} : tensor<4x6x16xf32>
    %51 = soap.matmul %50, %3 {soap.name = "linear.matmul_3", transpose_b} : (tensor<4x6x16xf32>, tensor<30x16xf32>) -> tensor<4x6x30xf32>
    %52 = soap.bias_add %51, %4 {axis = 2 : i64, soap.name = "linear_3"} : (tensor<4x6x30xf32>, tensor<30xf32>) -> tensor<4x6x30xf32>
    %53 = soap.reduce  max %52 {axes = array<i64: 2>, soap.name = "log_softmax.reduce_2"} : (tensor<4x6x30xf32>) -> tensor<4x6xf32>
    %54 = soap.reshape %53 {soap.name = "log_softmax.reshape_2"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %55 = soap.stop_gradient %54 {soap.name = "log_softmax.stop_gradient_1"} : tensor<4x6x1xf32>
    %56 = soap.abs %55 {soap.name = "log_softmax.abs_1"} : tensor<4x6x1xf32>
    %57 = soap.greater %56, %18 {soap.name = "log_softmax.greater_1"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %58 = soap.where %57, %20, %55 {soap.name = "log_softmax.where_1"} : (tensor<4x6x1xf32>, tensor<f32>, tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
    %59 = soap.sub %52, %58 {soap.name = "log_softmax.sub_1"} : (tensor<4x6x30xf32>, tensor<4x6x1xf32>) -> tensor<4x6x30xf32>
    %60 = soap.exp %59 {soap.name = "log_softmax.exp_1"} : tensor<4x6x30xf32>
    %61 = soap.reduce  sum %60 {axes = array<i64: 2>, soap.name = "log_softmax.reduce_3"} : (tensor<4x6x30xf32>) -> tensor<4x6xf32>
    %62 = soap.reshape %61 {soap.name = "log_softmax.reshape_3"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %63 = soap.log %62 {soap.name = "log_softmax.log_1"} : tensor<4x6x1xf32>
    %64 = soap.add %63, %58 {soap.name = "log_softmax.add_1"} : tensor<4x6x1xf32>
    %65 = soap.sub %52, %64 {soap.name = "log_softmax_1"} : (tensor<4x6x30xf32>, tensor<4x6x1xf32>) -> tensor<4x6x30xf32>
    %66 = soap.slice %44 {offsets = array<i64: 0, 1>, sizes = array<i64: 4, 6>, soap.name = "slice_3"} : (tensor<4x7xf32>) -> tensor<4x6xf32>
    %67 = soap.reshape %66 {soap.name = "unsqueeze_1"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %68 = soap.greater_equal %67, %31 {soap.name = "gather.greater_equal_1"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %69 = soap.add %67, %33 {soap.name = "gather.add_1"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %70 = soap.where %68, %67, %69 {soap.name = "gather.where_2"} : tensor<4x6x1xf32>
    %71 = soap.reshape %70 {soap.name = "gather.reshape_2"} : (tensor<4x6x1xf32>) -> tensor<4x6x1x1xf32>
    %72 = soap.equal %71, %37 {soap.name = "gather.equal_1"} : (tensor<4x6x1x1xf32>, tensor<30xf32>) -> tensor<4x6x1x30xf32>
    %73 = soap.reshape %65 {soap.name = "gather.reshape_3"} : (tensor<4x6x30xf32>) -> tensor<4x6x1x30xf32>
    %74 = soap.where %72, %73, %31 {soap.name = "gather.where_3"} : (tensor<4x6x1x30xf32>, tensor<4x6x1x30xf32>, tensor<f32>) -> tensor<4x6x1x30xf32>
    %75 = soap.reduce  sum %74 {axes = array<i64: 3>, soap.name = "gather_1"} : (tensor<4x6x1x30xf32>) -> tensor<4x6x1xf32>
    %76 = soap.reshape %75 {soap.name = "select_1"} : (tensor<4x6x1xf32>) -> tensor<4x6xf32>
    %77 = soap.reduce  sum %76 {axes = array<i64: 1>, soap.name = "sum_1"} : (tensor<4x6xf32>) -> tensor<4xf32>
    %78 = soap.sub %43, %77 {soap.name = "sub"} : tensor<4xf32>
    %79 = soap.stop_gradient %78 {soap.name = "stop_gradient"} : tensor<4xf32>
    %80 = soap.slice %5 {sizes = array<i64: 4, 6>, soap.name = "slice_4"} : (tensor<4x7xf32>) -> tensor<4x6xf32>
    %81 = soap.cast %80 {soap.name = "policy.0.embedding.cast"} : (tensor<4x6xf32>) -> tensor<4x6xi32>
    %82 = soap.gather %arg2, %81 {soap.name = "policy.0.embedding"} : (tensor<30x16xf32>, tensor<4x6xi32>) -> tensor<4x6x16xf32>
    %83 = soap.matmul %82, %arg3 {soap.name = "policy.1.linear.matmul", transpose_b} : (tensor<4x6x16xf32>, tensor<16x16xf32>) -> tensor<4x6x16xf32>
    %84 = soap.bias_add %83, %arg4 {axis = 2 : i64, soap.name = "policy.1.linear"} : (tensor<4x6x16xf32>, tensor<16xf32>) -> tensor<4x6x16xf32>
    %85 = soap.tanh %84 {soap.name = "policy.2.tanh"} : tensor<4x6x16xf32>
    %86 = soap.matmul %85, %arg5 {soap.name = "policy.3.linear.matmul", transpose_b} : (tensor<4x6x16xf32>, tensor<30x16xf32>) -> tensor<4x6x30xf32>
    %87 = soap.bias_add %86, %arg6 {axis = 2 : i64, soap.name = "policy.3.linear"} : (tensor<4x6x30xf32>, tensor<30xf32>) -> tensor<4x6x30xf32>
    %88 = soap.reduce  max %87 {axes = array<i64: 2>, soap.name = "log_softmax.reduce_4"} : (tensor<4x6x30xf32>) -> tensor<4x6xf32>
    %89 = soap.reshape %88 {soap.name = "log_softmax.reshape_4"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %90 = soap.stop_gradient %89 {soap.name = "log_softmax.stop_gradient_2"} : tensor<4x6x1xf32>
    %91 = soap.abs %90 {soap.name = "log_softmax.abs_2"} : tensor<4x6x1xf32>
    %92 = soap.greater %91, %18 {soap.name = "log_softmax.greater_2"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %93 = soap.where %92, %20, %90 {soap.name = "log_softmax.where_2"} : (tensor<4x6x1xf32>, tensor<f32>, tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
    %94 = soap.sub %87, %93 {soap.name = "log_softmax.sub_2"} : (tensor<4x6x30xf32>, tensor<4x6x1xf32>) -> tensor<4x6x30xf32>
    %95 = soap.exp %94 {soap.name = "log_softmax.exp_2"} : tensor<4x6x30xf32>
    %96 = soap.reduce  sum %95 {axes = array<i64: 2>, soap.name = "log_softmax.reduce_5"} : (tensor<4x6x30xf32>) -> tensor<4x6xf32>
    %97 = soap.reshape %96 {soap.name = "log_softmax.reshape_5"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %98 = soap.log %97 {soap.name = "log_softmax.log_2"} : tensor<4x6x1xf32>
    %99 = soap.add %98, %93 {soap.name = "log_softmax.add_2"} : tensor<4x6x1xf32>
    %100 = soap.sub %87, %99 {soap.name = "log_softmax_2"} : (tensor<4x6x30xf32>, tensor<4x6x1xf32>) -> tensor<4x6x30xf32>
    %101 = soap.slice %5 {offsets = array<i64: 0, 1>, sizes = array<i64: 4, 6>, soap.name = "slice_5"} : (tensor<4x7xf32>) -> tensor<4x6xf32>
    %102 = soap.reshape %101 {soap.name = "unsqueeze_2"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %103 = soap.greater_equal %102, %31 {soap.name = "gather.greater_equal_2"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %104 = soap.add %102, %33 {soap.name = "gather.add_2"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %105 = soap.where %103, %102, %104 {soap.name = "gather.where_4"} : tensor<4x6x1xf32>
    %106 = soap.reshape %105 {soap.name = "gather.reshape_4"} : (tensor<4x6x1xf32>) -> tensor<4x6x1x1xf32>
    %107 = soap.equal %106, %37 {soap.name = "gather.equal_2"} : (tensor<4x6x1x1xf32>, tensor<30xf32>) -> tensor<4x6x1x30xf32>
    %108 = soap.reshape %100 {soap.name = "gather.reshape_5"} : (tensor<4x6x30xf32>) -> tensor<4x6x1x30xf32>
    %109 = soap.where %107, %108, %31 {soap.name = "gather.where_5"} : (tensor<4x6x1x30xf32>, tensor<4x6x1x30xf32>, tensor<f32>) -> tensor<4x6x1x30xf32>
    %110 = soap.reduce  sum %109 {axes = array<i64: 3>, soap.name = "gather_2"} : (tensor<4x6x1x30xf32>) -> tensor<4x6x1xf32>
    %111 = soap.reshape %110 {soap.name = "select_2"} : (tensor<4x6x1xf32>) -> tensor<4x6xf32>
    %112 = soap.reduce  sum %111 {axes = array<i64: 1>, soap.name = "sum_2"} : (tensor<4x6xf32>) -> tensor<4xf32>
    %113 = soap.slice %44 {sizes = array<i64: 4, 6>, soap.name = "slice_6"} : (tensor<4x7xf32>) -> tensor<4x6xf32>
    %114 = soap.cast %113 {soap.name = "policy.0.embedding.cast_1"} : (tensor<4x6xf32>) -> tensor<4x6xi32>
    %115 = soap.gather %arg2, %114 {soap.name = "policy.0.embedding_1"} : (tensor<30x16xf32>, tensor<4x6xi32>) -> tensor<4x6x16xf32>
    %116 = soap.matmul %115, %arg3 {soap.name = "policy.1.linear.matmul_1", transpose_b} : (tensor<4x6x16xf32>, tensor<16x16xf32>) -> tensor<4x6x16xf32>
    %117 = soap.bias_add %116, %arg4 {axis = 2 : i64, soap.name = "policy.1.linear_1"} : (tensor<4x6x16xf32>, tensor<16xf32>) -> tensor<4x6x16xf32>
    %118 = soap.tanh %117 {soap.name = "policy.2.tanh_1"} : tensor<4x6x16xf32>
    %119 = soap.matmul %118, %arg5 {soap.name = "policy.3.linear.matmul_1", transpose_b} : (tensor<4x6x16xf32>, tensor<30x16xf32>) -> tensor<4x6x30xf32>
    %120 = soap.bias_add %119, %arg6 {axis = 2 : i64, soap.name = "policy.3.linear_1"} : (tensor<4x6x30xf32>, tensor<30xf32>) -> tensor<4x6x30xf32>
    %121 = soap.reduce  max %120 {axes = array<i64: 2>, soap.name = "log_softmax.reduce_6"} : (tensor<4x6x30xf32>) -> tensor<4x6xf32>
    %122 = soap.reshape %121 {soap.name = "log_softmax.reshape_6"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %123 = soap.stop_gradient %122 {soap.name = "log_softmax.stop_gradient_3"} : tensor<4x6x1xf32>
    %124 = soap.abs %123 {soap.name = "log_softmax.abs_3"} : tensor<4x6x1xf32>
    %125 = soap.greater %124, %18 {soap.name = "log_softmax.greater_3"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %126 = soap.where %125, %20, %123 {soap.name = "log_softmax.where_3"} : (tensor<4x6x1xf32>, tensor<f32>, tensor<4x6x1xf32>) -> tensor<4x6x1xf32>
    %127 = soap.sub %120, %126 {soap.name = "log_softmax.sub_3"} : (tensor<4x6x30xf32>, tensor<4x6x1xf32>) -> tensor<4x6x30xf32>
    %128 = soap.exp %127 {soap.name = "log_softmax.exp_3"} : tensor<4x6x30xf32>
    %129 = soap.reduce  sum %128 {axes = array<i64: 2>, soap.name = "log_softmax.reduce_7"} : (tensor<4x6x30xf32>) -> tensor<4x6xf32>
    %130 = soap.reshape %129 {soap.name = "log_softmax.reshape_7"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %131 = soap.log %130 {soap.name = "log_softmax.log_3"} : tensor<4x6x1xf32>
    %132 = soap.add %131, %126 {soap.name = "log_softmax.add_3"} : tensor<4x6x1xf32>
    %133 = soap.sub %120, %132 {soap.name = "log_softmax_3"} : (tensor<4x6x30xf32>, tensor<4x6x1xf32>) -> tensor<4x6x30xf32>
    %134 = soap.slice %44 {offsets = array<i64: 0, 1>, sizes = array<i64: 4, 6>, soap.name = "slice_7"} : (tensor<4x7xf32>) -> tensor<4x6xf32>
    %135 = soap.reshape %134 {soap.name = "unsqueeze_3"} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %136 = soap.greater_equal %135, %31 {soap.name = "gather.greater_equal_3"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %137 = soap.add %135, %33 {soap.name = "gather.add_3"} : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    %138 = soap.where %136, %135, %137 {soap.name = "gather.where_6"} : tensor<4x6x1xf32>
    %139 = soap.reshape %138 {soap.name = "gather.reshape_6"} : (tensor<4x6x1xf32>) -> tensor<4x6x1x1xf32>
    %140 = soap.equal %139, %37 {soap.name = "gather.equal_3"} : (tensor<4x6x1x1xf32>, tensor<30xf32>) -> tensor<4x6x1x30xf32>
    %141 = soap.reshape %133 {soap.name = "gather.reshape_7"} : (tensor<4x6x30xf32>) -> tensor<4x6x1x30xf32>
    %142 = soap.where %140, %141, %31 {soap.name = "gather.where_7"} : (tensor<4x6x1x30xf32>, tensor<4x6x1x30xf32>, tensor<f32>) -> tensor<4x6x1x30xf32>
    %143 = soap.reduce  sum %142 {axes = array<i64: 3>, soap.name = "gather_3"} : (tensor<4x6x1x30xf32>) -> tensor<4x6x1xf32>
    %144 = soap.reshape %143 {soap.name = "select_3"} : (tensor<4x6x1xf32>) -> tensor<4x6xf32>
    %145 = soap.reduce  sum %144 {axes = array<i64: 1>, soap.name = "sum_3"} : (tensor<4x6xf32>) -> tensor<4xf32>
    %146 = soap.sub %112, %145 {soap.name = "sub_1"} : tensor<4xf32>
    %147 = soap.sub %146, %79 {soap.name = "sub_2"} : tensor<4xf32>
    %148 = soap.scale %147 {factor = 5.000000e-01 : f64, soap.name = "mul"} : tensor<4xf32>
    %149 = soap.neg %148 {soap.name = "log_sigmoid.neg"} : tensor<4xf32>
    %150 = soap.softplus %149 {soap.name = "log_sigmoid.softplus"} : tensor<4xf32>
    %151 = soap.neg %150 {soap.name = "log_sigmoid"} : tensor<4xf32>
    %152 = soap.reduce  sum %151 {axes = array<i64: 0>, soap.name = "mean.reduce"} : (tensor<4xf32>) -> tensor<f32>
    %153 = soap.scale %152 {factor = 2.500000e-01 : f64, soap.name = "mean"} : tensor<f32>
    %154 = soap.neg %153 {soap.name = "neg"} : tensor<f32>
    return %154 : tensor<f32>
  }
}

