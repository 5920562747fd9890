module {
  func.func @forward(%arg0: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %arg1: tensor<8xi32> {soap.kind = #soap.kind<data>, soap.name = "labels", soap.sample_dim = 0 : i64}, %arg2: tensor<8x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "a.weight"}, %arg3: tensor<8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "a.bias"}, %arg4: tensor<4x8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "b.weight"}, %arg5: tensor<4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "b.bias"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.transpose %arg2 {permutation = array<i64: 1, 0>, soap.name = "permute"} : (tensor<8x6xf32>) -> tensor<6x8xf32>
    %1 = soap.matmul %arg0, %0 {soap.name = "addmm.matmul"} : (tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
    %2 = soap.add %1, %arg3 {soap.name = "addmm"} : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
    %3 = soap.scale %2 {factor = 2.000000e+00 : f64, soap.name = "mul"} : tensor<8x8xf32>
    %4 = soap.abs %3 {soap.name = "round.abs"} : tensor<8x8xf32>
    %5 = soap.constant {soap.name = "round.constant"} dense<0x4B000000> : tensor<f32>
    %6 = soap.greater %5, %4 {soap.name = "round.greater"} : (tensor<f32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %7 = soap.constant {soap.name = "round.constant_1"} dense<0.000000e+00> : tensor<f32>
    %8 = soap.where %6, %3, %7 {soap.name = "round.where"} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %9 = soap.cast %8 {soap.name = "round.cast"} : (tensor<8x8xf32>) -> tensor<8x8xi32>
    %10 = soap.cast %9 {soap.name = "round.cast_1"} : (tensor<8x8xi32>) -> tensor<8x8xf32>
    %11 = soap.stop_gradient %3 {soap.name = "round.stop_gradient"} : tensor<8x8xf32>
    %12 = soap.where %6, %10, %11 {soap.name = "round.where_1"} : tensor<8x8xf32>
    %13 = soap.greater %12, %3 {soap.name = "round.greater_1"} : tensor<8x8xf32>
    %14 = soap.constant {soap.name = "round.constant_2"} dense<1.000000e+00> : tensor<f32>
    %15 = soap.sub %12, %14 {soap.name = "round.sub"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %16 = soap.where %13, %15, %12 {soap.name = "round.where_2"} : tensor<8x8xf32>
    %17 = soap.sub %3, %16 {soap.name = "round.sub_1"} : tensor<8x8xf32>
    %18 = soap.add %16, %14 {soap.name = "round.add"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %19 = soap.scale %16 {factor = 5.000000e-01 : f64, soap.name = "round.scale"} : tensor<8x8xf32>
    %20 = soap.abs %19 {soap.name = "round.abs_1"} : tensor<8x8xf32>
    %21 = soap.greater %5, %20 {soap.name = "round.greater_2"} : (tensor<f32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %22 = soap.where %21, %19, %7 {soap.name = "round.where_3"} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %23 = soap.cast %22 {soap.name = "round.cast_2"} : (tensor<8x8xf32>) -> tensor<8x8xi32>
    %24 = soap.cast %23 {soap.name = "round.cast_3"} : (tensor<8x8xi32>) -> tensor<8x8xf32>
    %25 = soap.stop_gradient %19 {soap.name = "round.stop_gradient_1"} : tensor<8x8xf32>
    %26 = soap.where %21, %24, %25 {soap.name = "round.where_4"} : tensor<8x8xf32>
    %27 = soap.greater %26, %19 {soap.name = "round.greater_3"} : tensor<8x8xf32>
    %28 = soap.sub %26, %14 {soap.name = "round.sub_2"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %29 = soap.where %27, %28, %26 {soap.name = "round.where_5"} : tensor<8x8xf32>
    %30 = soap.scale %29 {factor = 2.000000e+00 : f64, soap.name = "round.scale_1"} : tensor<8x8xf32>
    %31 = soap.equal %16, %30 {soap.name = "round.equal"} : tensor<8x8xf32>
    %32 = soap.where %31, %16, %18 {soap.name = "round.where_6"} : tensor<8x8xf32>
    %33 = soap.constant {soap.name = "round.constant_3"} dense<5.000000e-01> : tensor<f32>
    %34 = soap.greater %17, %33 {soap.name = "round.greater_4"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %35 = soap.where %34, %18, %16 {soap.name = "round.where_7"} : tensor<8x8xf32>
    %36 = soap.equal %17, %33 {soap.name = "round.equal_1"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %37 = soap.where %36, %32, %35 {soap.name = "round"} : tensor<8x8xf32>
    %38 = soap.constant {soap.name = "div.constant"} dense<2.000000e+00> : tensor<f32>
    %39 = soap.div %37, %38 {soap.name = "div"} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %40 = soap.sub %39, %2 {soap.name = "sub"} : tensor<8x8xf32>
    %41 = soap.add %2, %40 {soap.name = "add"} : tensor<8x8xf32>
    %42 = soap.transpose %arg4 {permutation = array<i64: 1, 0>, soap.name = "permute_1"} : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %43 = soap.matmul %41, %42 {soap.name = "addmm.matmul_1"} : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %44 = soap.add %43, %arg5 {soap.name = "addmm_1"} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %45 = soap.reduce  max %44 {axes = array<i64: 1>, soap.name = "log_softmax.reduce"} : (tensor<8x4xf32>) -> tensor<8xf32>
    %46 = soap.reshape %45 {soap.name = "log_softmax.reshape"} : (tensor<8xf32>) -> tensor<8x1xf32>
    %47 = soap.stop_gradient %46 {soap.name = "log_softmax.stop_gradient"} : tensor<8x1xf32>
    %48 = soap.abs %47 {soap.name = "log_softmax.abs"} : tensor<8x1xf32>
    %49 = soap.constant {soap.name = "log_softmax.constant"} dense<3.000000e+38> : tensor<f32>
    %50 = soap.greater %48, %49 {soap.name = "log_softmax.greater"} : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %51 = soap.constant {soap.name = "log_softmax.constant_1"} dense<0.000000e+00> : tensor<f32>
    %52 = soap.where %50, %51, %47 {soap.name = "log_softmax.where"} : (tensor<8x1xf32>, tensor<f32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %53 = soap.sub %44, %52 {soap.name = "log_softmax.sub"} : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
    %54 = soap.exp %53 {soap.name = "log_softmax.exp"} : tensor<8x4xf32>
    %55 = soap.reduce  sum %54 {axes = array<i64: 1>, soap.name = "log_softmax.reduce_1"} : (tensor<8x4xf32>) -> tensor<8xf32>
    %56 = soap.reshape %55 {soap.name = "log_softmax.reshape_1"} : (tensor<8xf32>) -> tensor<8x1xf32>
    %57 = soap.log %56 {soap.name = "log_softmax.log"} : tensor<8x1xf32>
    %58 = soap.add %57, %52 {soap.name = "log_softmax.add"} : tensor<8x1xf32>
    %59 = soap.sub %44, %58 {soap.name = "log_softmax"} : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
    %60 = soap.cast %arg1 {soap.name = "nll_loss_forward.cast"} : (tensor<8xi32>) -> tensor<8xf32>
    %61 = soap.constant {soap.name = "nll_loss_forward.constant"} dense<-1.000000e+02> : tensor<f32>
    %62 = soap.equal %60, %61 {soap.name = "nll_loss_forward.equal"} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %63 = soap.constant {soap.name = "nll_loss_forward.constant_1"} dense<1.000000e+00> : tensor<f32>
    %64 = soap.sub %63, %62 {soap.name = "nll_loss_forward.sub"} : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    %65 = soap.reshape %60 {soap.name = "nll_loss_forward.reshape"} : (tensor<8xf32>) -> tensor<8x1xf32>
    %66 = soap.constant {soap.name = "nll_loss_forward.constant_2"} dense<[[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]]> : tensor<1x4xf32>
    %67 = soap.equal %65, %66 {soap.name = "nll_loss_forward.equal_1"} : (tensor<8x1xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
    %68 = soap.constant {soap.name = "nll_loss_forward.constant_3"} dense<0.000000e+00> : tensor<f32>
    %69 = soap.where %67, %59, %68 {soap.name = "nll_loss_forward.where"} : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %70 = soap.reduce  sum %69 {axes = array<i64: 1>, soap.name = "nll_loss_forward.reduce"} : (tensor<8x4xf32>) -> tensor<8xf32>
    %71 = soap.neg %70 {soap.name = "nll_loss_forward.neg"} : tensor<8xf32>
    %72 = soap.where %64, %71, %68 {soap.name = "nll_loss_forward.where_1"} : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %73 = soap.reduce  sum %64 {axes = array<i64: 0>, soap.name = "nll_loss_forward.reduce_1"} : (tensor<8xf32>) -> tensor<f32>
    %74 = soap.reduce  sum %72 {axes = array<i64: 0>, soap.name = "nll_loss_forward.reduce_2"} : (tensor<8xf32>) -> tensor<f32>
    %75 = soap.div %74, %73 {soap.name = "nll_loss_forward"} : tensor<f32>
    %76 = soap.constant {soap.name = "div.constant_1"} dense<1.000000e+00> : tensor<f32>
    %77 = soap.div %76, %73 {soap.name = "div_1"} : tensor<f32>
    %78 = soap.reshape %arg1 {soap.name = "unsqueeze"} : (tensor<8xi32>) -> tensor<8x1xi32>
    %79 = soap.cast %78 {soap.name = "ne.cast"} : (tensor<8x1xi32>) -> tensor<8x1xf32>
    %80 = soap.constant {soap.name = "ne.constant"} dense<-1.000000e+02> : tensor<f32>
    %81 = soap.equal %79, %80 {soap.name = "ne.equal"} : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %82 = soap.constant {soap.name = "ne.constant_1"} dense<1.000000e+00> : tensor<f32>
    %83 = soap.sub %82, %81 {soap.name = "ne"} : (tensor<f32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %84 = soap.constant {soap.name = "where.constant"} dense<0.000000e+00> : tensor<f32>
    %85 = soap.where %83, %79, %84 {soap.name = "where"} : (tensor<8x1xf32>, tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %86 = soap.constant {soap.name = "scatter.constant"} dense<0.000000e+00> : tensor<8x4xf32>
    %87 = soap.constant {soap.name = "scatter.constant_1"} dense<-1.000000e+00> : tensor<f32>
    %88 = soap.reshape %87 {soap.name = "scatter.reshape"} : (tensor<f32>) -> tensor<1xf32>
    %89 = soap.broadcast %88 {axes = array<i64: 0>, soap.name = "scatter.broadcast"} : (tensor<1xf32>) -> tensor<8x1xf32>
    %90 = soap.constant {soap.name = "scatter.constant_2"} dense<0.000000e+00> : tensor<f32>
    %91 = soap.greater_equal %85, %90 {soap.name = "scatter.greater_equal"} : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %92 = soap.constant {soap.name = "scatter.constant_3"} dense<4.000000e+00> : tensor<f32>
    %93 = soap.add %85, %92 {soap.name = "scatter.add"} : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %94 = soap.where %91, %85, %93 {soap.name = "scatter.where"} : tensor<8x1xf32>
    %95 = soap.reshape %94 {soap.name = "scatter.reshape_1"} : (tensor<8x1xf32>) -> tensor<8x1x1xf32>
    %96 = soap.constant {soap.name = "scatter.constant_4"} dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<4xf32>
    %97 = soap.equal %95, %96 {soap.name = "scatter.equal"} : (tensor<8x1x1xf32>, tensor<4xf32>) -> tensor<8x1x4xf32>
    %98 = soap.reshape %89 {soap.name = "scatter.reshape_2"} : (tensor<8x1xf32>) -> tensor<8x1x1xf32>
    %99 = soap.reduce  sum %97 {axes = array<i64: 1>, soap.name = "scatter.reduce"} : (tensor<8x1x4xf32>) -> tensor<8x4xf32>
    %100 = soap.where %97, %98, %90 {soap.name = "scatter.where_1"} : (tensor<8x1x4xf32>, tensor<8x1x1xf32>, tensor<f32>) -> tensor<8x1x4xf32>
    %101 = soap.reduce  sum %100 {axes = array<i64: 1>, soap.name = "scatter.reduce_1"} : (tensor<8x1x4xf32>) -> tensor<8x4xf32>
    %102 = soap.constant {soap.name = "scatter.constant_5"} dense<1.000000e+00> : tensor<f32>
    %103 = soap.maximum %99, %102 {soap.name = "scatter.maximum"} : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %104 = soap.div %101, %103 {soap.name = "scatter.div"} : tensor<8x4xf32>
    %105 = soap.where %99, %104, %86 {soap.name = "scatter"} : tensor<8x4xf32>
    %106 = soap.equal %79, %80 {soap.name = "ne.equal_1"} : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %107 = soap.sub %82, %106 {soap.name = "ne_1"} : (tensor<f32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %108 = soap.constant {soap.name = "where.constant_1"} dense<0.000000e+00> : tensor<f32>
    %109 = soap.where %107, %77, %108 {soap.name = "where_1"} : (tensor<8x1xf32>, tensor<f32>, tensor<f32>) -> tensor<8x1xf32>
    %110 = soap.mul %105, %109 {soap.name = "mul_1"} : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
    %111 = soap.exp %59 {soap.name = "exp"} : tensor<8x4xf32>
    %112 = soap.reduce  sum %110 {axes = array<i64: 1>, soap.name = "sum.reduce"} : (tensor<8x4xf32>) -> tensor<8xf32>
    %113 = soap.reshape %112 {soap.name = "sum"} : (tensor<8xf32>) -> tensor<8x1xf32>
    %114 = soap.mul %111, %113 {soap.name = "mul_2"} : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
    %115 = soap.sub %110, %114 {soap.name = "sub_1"} : tensor<8x4xf32>
    %116 = soap.transpose %42 {permutation = array<i64: 1, 0>, soap.name = "permute_2"} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %117 = soap.matmul %115, %116 {soap.name = "mm"} : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %118 = soap.transpose %115 {permutation = array<i64: 1, 0>, soap.name = "permute_3"} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %119 = soap.matmul %118, %41 {soap.name = "mm_1"} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %120 = soap.transpose %119 {permutation = array<i64: 1, 0>, soap.name = "permute_4"} : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %121 = soap.reduce  sum %115 {axes = array<i64: 0>, soap.name = "sum.reduce_1"} : (tensor<8x4xf32>) -> tensor<4xf32>
    %122 = soap.reshape %121 {soap.name = "sum_1"} : (tensor<4xf32>) -> tensor<1x4xf32>
    %123 = soap.reshape %122 {soap.name = "view"} : (tensor<1x4xf32>) -> tensor<4xf32>
    %124 = soap.transpose %120 {permutation = array<i64: 1, 0>, soap.name = "permute_5"} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %125 = soap.transpose %117 {permutation = array<i64: 1, 0>, soap.name = "permute_6"} : tensor<8x8xf32>
    %126 = soap.matmul %125, %arg0 {soap.name = "mm_2"} : (tensor<8x8xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %127 = soap.transpose %126 {permutation = array<i64: 1, 0>, soap.name = "permute_7"} : (tensor<8x6xf32>) -> tensor<6x8xf32>
    %128 = soap.reduce  sum %117 {axes = array<i64: 0>, soap.name = "sum.reduce_2"} : (tensor<8x8xf32>) -> tensor<8xf32>
    %129 = soap.reshape %128 {soap.name = "sum_2"} : (tensor<8xf32>) -> tensor<1x8xf32>
    %130 = soap.reshape %129 {soap.name = "view_1"} : (tensor<1x8xf32>) -> tensor<8xf32>
    %131 = soap.transpose %127 {permutation = array<i64: 1, 0>, soap.name = "permute_8"} : (tensor<6x8xf32>) -> tensor<8x6xf32>
    %132 = soap.stop_gradient %75 {soap.name = "gradients.stop_gradient"} : tensor<f32>
    %133 = soap.stop_gradient %131 {soap.name = "gradients.stop_gradient_1"} : tensor<8x6xf32>
    %134 = soap.mul %133, %arg2 {soap.name = "gradients.mul"} : tensor<8x6xf32>
    %135 = soap.reduce  sum %134 {axes = array<i64: 0, 1>, soap.name = "gradients.reduce"} : (tensor<8x6xf32>) -> tensor<f32>
    %136 = soap.stop_gradient %135 {soap.name = "gradients.stop_gradient_2"} : tensor<f32>
    %137 = soap.sub %135, %136 {soap.name = "gradients.sub"} : tensor<f32>
    %138 = soap.add %132, %137 {soap.name = "gradients.add"} : tensor<f32>
    %139 = soap.stop_gradient %130 {soap.name = "gradients.stop_gradient_3"} : tensor<8xf32>
    %140 = soap.mul %139, %arg3 {soap.name = "gradients.mul_1"} : tensor<8xf32>
    %141 = soap.reduce  sum %140 {axes = array<i64: 0>, soap.name = "gradients.reduce_1"} : (tensor<8xf32>) -> tensor<f32>
    %142 = soap.stop_gradient %141 {soap.name = "gradients.stop_gradient_4"} : tensor<f32>
    %143 = soap.sub %141, %142 {soap.name = "gradients.sub_1"} : tensor<f32>
    %144 = soap.add %138, %143 {soap.name = "gradients.add_1"} : tensor<f32>
    %145 = soap.stop_gradient %124 {soap.name = "gradients.stop_gradient_5"} : tensor<4x8xf32>
    %146 = soap.mul %145, %arg4 {soap.name = "gradients.mul_2"} : tensor<4x8xf32>
    %147 = soap.reduce  sum %146 {axes = array<i64: 0, 1>, soap.name = "gradients.reduce_2"} : (tensor<4x8xf32>) -> tensor<f32>
    %148 = soap.stop_gradient %147 {soap.name = "gradients.stop_gradient_6"} : tensor<f32>
    %149 = soap.sub %147, %148 {soap.name = "gradients.sub_2"} : tensor<f32>
    %150 = soap.add %144, %149 {soap.name = "gradients.add_2"} : tensor<f32>
    %151 = soap.stop_gradient %123 {soap.name = "gradients.stop_gradient_7"} : tensor<4xf32>
    %152 = soap.mul %151, %arg5 {soap.name = "gradients.mul_3"} : tensor<4xf32>
    %153 = soap.reduce  sum %152 {axes = array<i64: 0>, soap.name = "gradients.reduce_3"} : (tensor<4xf32>) -> tensor<f32>
    %154 = soap.stop_gradient %153 {soap.name = "gradients.stop_gradient_8"} : tensor<f32>
    %155 = soap.sub %153, %154 {soap.name = "gradients.sub_3"} : tensor<f32>
    %156 = soap.add %150, %155 {soap.name = "gradients.add_3"} : tensor<f32>
    return %156 : tensor<f32>
  }
}

