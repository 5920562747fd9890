module {
  func.func @forward(%arg0: tensor<4x8xi32> {soap.kind = #soap.kind<data>, soap.name = "input_ids", soap.sample_dim = 0 : i64}, %arg1: tensor<4x8xi32> {soap.kind = #soap.kind<data>, soap.name = "labels", soap.sample_dim = 0 : i64}, %arg2: tensor<64x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.embed_tokens.weight"}, %arg3: tensor<32x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.0.self_attn.q_proj.weight"}, %arg4: tensor<16x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.0.self_attn.k_proj.weight"}, %arg5: tensor<16x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.0.self_attn.v_proj.weight"}, %arg6: tensor<32x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.0.self_attn.o_proj.weight"}, %arg7: tensor<48x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.0.mlp.gate_proj.weight"}, %arg8: tensor<48x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.0.mlp.up_proj.weight"}, %arg9: tensor<32x48xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.0.mlp.down_proj.weight"}, %arg10: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.0.input_layernorm.weight"}, %arg11: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.0.post_attention_layernorm.weight"}, %arg12: tensor<32x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.1.self_attn.q_proj.weight"}, %arg13: tensor<16x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.1.self_attn.k_proj.weight"}, %arg14: tensor<16x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.1.self_attn.v_proj.weight"}, %arg15: tensor<32x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.1.self_attn.o_proj.weight"}, %arg16: tensor<48x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.1.mlp.gate_proj.weight"}, %arg17: tensor<48x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.1.mlp.up_proj.weight"}, %arg18: tensor<32x48xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.1.mlp.down_proj.weight"}, %arg19: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.1.input_layernorm.weight"}, %arg20: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.layers.1.post_attention_layernorm.weight"}, %arg21: tensor<32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "model.norm.weight"}, %arg22: tensor<64x32xf32> {soap.kind = #soap.kind<parameter>, soap.name = "lm_head.weight"}) -> (tensor<f32> {soap.kind = #soap.kind<output>, soap.name = "output"}) {
    %0 = soap.gather %arg2, %arg0 {soap.name = "model.embed_tokens.gather"} : (tensor<64x32xf32>, tensor<4x8xi32>) -> tensor<4x8x32xf32>
    %1 = soap.cast %arg0 {soap.name = "model.embed_tokens.cast"} : (tensor<4x8xi32>) -> tensor<4x8xf32>
    %2 = soap.constant {soap.name = "model.embed_tokens.constant"} dense<0.000000e+00> : tensor<f32>
    %3 = soap.equal %1, %2 {soap.name = "model.embed_tokens.equal"} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %4 = soap.reshape %3 {soap.name = "model.embed_tokens.reshape"} : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %5 = soap.stop_gradient %0 {soap.name = "model.embed_tokens.stop_gradient"} : tensor<4x8x32xf32>
    %6 = soap.where %4, %5, %0 {soap.name = "model.embed_tokens"} : (tensor<4x8x1xf32>, tensor<4x8x32xf32>, tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
    %7 = soap.mul %6, %6 {soap.name = "model.layers.0.input_layernorm.pow"} : tensor<4x8x32xf32>
    %8 = soap.reduce  sum %7 {axes = array<i64: 2>, soap.name = "model.layers.0.input_layernorm.mean.reduce"} : (tensor<4x8x32xf32>) -> tensor<4x8xf32>
    %9 = soap.reshape %8 {soap.name = "model.layers.0.input_layernorm.mean.reshape"} : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %10 = soap.scale %9 {factor = 3.125000e-02 : f64, soap.name = "model.layers.0.input_layernorm.mean"} : tensor<4x8x1xf32>
    %11 = soap.constant {soap.name = "model.layers.0.input_layernorm.add.constant"} dense<9.99999997E-7> : tensor<f32>
    %12 = soap.add %10, %11 {soap.name = "model.layers.0.input_layernorm.add"} : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8x1xf32>
    %13 = soap.rsqrt %12 {soap.name = "model.layers.0.input_layernorm.rsqrt"} : tensor<4x8x1xf32>
    %14 = soap.mul %6, %13 {soap.name = "model.layers.0.input_layernorm.mul"} : (tensor<4x8x32xf32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
    %15 = soap.mul %arg10, %14 {soap.name = "model.layers.0.input_layernorm.mul_1"} : (tensor<32xf32>, tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
    %16 = soap.matmul %15, %arg3 {soap.name = "model.layers.0.self_attn.q_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %17 = soap.reshape %16 {soap.name = "model.layers.0.self_attn.view"} : (tensor<4x8x32xf32>) -> tensor<4x8x4x8xf32>
    %18 = soap.transpose %17 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "model.layers.0.self_attn.permute"} : (tensor<4x8x4x8xf32>) -> tensor<4x4x8x8xf32>
    %19 = soap.matmul %15, %arg4 {soap.name = "model.layers.0.self_attn.k_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
    %20 = soap.reshape %19 {soap.name = "model.layers.0.self_attn.view_1"} : (tensor<4x8x16xf32>) -> tensor<4x8x2x8xf32>
    %21 = soap.transpose %20 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "model.layers.0.self_attn.permute_1"} : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
    %22 = soap.matmul %15, %arg5 {soap.name = "model.layers.0.self_attn.v_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
    %23 = soap.reshape %22 {soap.name = "model.layers.0.self_attn.view_2"} : (tensor<4x8x16xf32>) -> tensor<4x8x2x8xf32>
    %24 = soap.transpose %23 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "model.layers.0.self_attn.permute_2"} : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
    %25 = soap.constant {soap.name = "model.layers.0.self_attn.mul.constant"} dense<[[[[1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00], [0.540302336, 0.995004177, 0.999949991, 0.999999523, 0.540302336, 0.995004177, 0.999949991, 0.999999523], [-0.416146845, 0.980066597, 9.998000e-01, 0.999998033, -0.416146845, 0.980066597, 9.998000e-01, 0.999998033], [-0.989992499, 0.955336511, 0.999550044, 0.999995529, -0.989992499, 0.955336511, 0.999550044, 0.999995529], [-0.653643608, 0.921060979, 0.999200105, 9.999920e-01, -0.653643608, 0.921060979, 0.999200105, 9.999920e-01], [0.2836622, 0.87758255, 0.998750269, 0.999987483, 0.2836622, 0.87758255, 0.998750269, 0.999987483], [0.960170269, 0.825335621, 0.998200535, 0.999981999, 0.960170269, 0.825335621, 0.998200535, 0.999981999], [0.753902256, 0.764842212, 9.975510e-01, 0.999975502, 0.753902256, 0.764842212, 9.975510e-01, 0.999975502]]]]> : tensor<1x1x8x8xf32>
    %26 = soap.mul %18, %25 {soap.name = "model.layers.0.self_attn.mul"} : (tensor<4x4x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x4x8x8xf32>
    %27 = soap.slice %18 {sizes = array<i64: 4, 4, 8, 4>, soap.name = "model.layers.0.self_attn.slice"} : (tensor<4x4x8x8xf32>) -> tensor<4x4x8x4xf32>
    %28 = soap.slice %18 {offsets = array<i64: 0, 0, 0, 4>, sizes = array<i64: 4, 4, 8, 4>, soap.name = "model.layers.0.self_attn.slice_1"} : (tensor<4x4x8x8xf32>) -> tensor<4x4x8x4xf32>
    %29 = soap.neg %28 {soap.name = "model.layers.0.self_attn.neg"} : tensor<4x4x8x4xf32>
    %30 = soap.concat %29, %27 {axis = 3 : i64, soap.name = "model.layers.0.self_attn.cat"} : (tensor<4x4x8x4xf32>, tensor<4x4x8x4xf32>) -> tensor<4x4x8x8xf32>
    %31 = soap.constant {soap.name = "model.layers.0.self_attn.mul.constant_1"} dense<[[[[0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [0.841470957, 0.0998334214, 0.00999983306, 9.99999931E-4, 0.841470957, 0.0998334214, 0.00999983306, 9.99999931E-4], [0.909297406, 0.198669329, 0.0199986659, 0.0019999987, 0.909297406, 0.198669329, 0.0199986659, 0.0019999987], [1.411200e-01, 0.295520216, 2.999550e-02, 0.0029999956, 1.411200e-01, 0.295520216, 2.999550e-02, 0.0029999956], [-0.756802499, 0.389418364, 0.0399893336, 0.00399998948, -0.756802499, 0.389418364, 0.0399893336, 0.00399998948], [-0.958924293, 0.47942555, 0.0499791652, 0.0049999794, -0.958924293, 0.47942555, 0.0499791652, 0.0049999794], [-0.279415488, 0.564642489, 0.0599640049, 0.0059999642, -0.279415488, 0.564642489, 0.0599640049, 0.0059999642], [0.656986594, 0.644217669, 0.0699428469, 0.00699994294, 0.656986594, 0.644217669, 0.0699428469, 0.00699994294]]]]> : tensor<1x1x8x8xf32>
    %32 = soap.mul %30, %31 {soap.name = "model.layers.0.self_attn.mul_1"} : (tensor<4x4x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x4x8x8xf32>
    %33 = soap.add %26, %32 {soap.name = "model.layers.0.self_attn.add"} : tensor<4x4x8x8xf32>
    %34 = soap.mul %21, %25 {soap.name = "model.layers.0.self_attn.mul_2"} : (tensor<4x2x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %35 = soap.slice %21 {sizes = array<i64: 4, 2, 8, 4>, soap.name = "model.layers.0.self_attn.slice_2"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x4xf32>
    %36 = soap.slice %21 {offsets = array<i64: 0, 0, 0, 4>, sizes = array<i64: 4, 2, 8, 4>, soap.name = "model.layers.0.self_attn.slice_3"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x4xf32>
    %37 = soap.neg %36 {soap.name = "model.layers.0.self_attn.neg_1"} : tensor<4x2x8x4xf32>
    %38 = soap.concat %37, %35 {axis = 3 : i64, soap.name = "model.layers.0.self_attn.cat_1"} : (tensor<4x2x8x4xf32>, tensor<4x2x8x4xf32>) -> tensor<4x2x8x8xf32>
    %39 = soap.mul %38, %31 {soap.name = "model.layers.0.self_attn.mul_3"} : (tensor<4x2x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %40 = soap.add %34, %39 {soap.name = "model.layers.0.self_attn.add_1"} : tensor<4x2x8x8xf32>
    %41 = soap.reshape %40 {soap.name = "model.layers.0.self_attn.unsqueeze"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x1x8x8xf32>
    %42 = soap.reshape %41 {soap.name = "model.layers.0.self_attn.expand.reshape"} : (tensor<4x2x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %43 = soap.broadcast %42 {axes = array<i64: 2>, soap.name = "model.layers.0.self_attn.expand"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x2x8x8xf32>
    %44 = soap.reshape %43 {soap.name = "model.layers.0.self_attn.view_3"} : (tensor<4x2x2x8x8xf32>) -> tensor<4x4x8x8xf32>
    %45 = soap.reshape %24 {soap.name = "model.layers.0.self_attn.unsqueeze_1"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x1x8x8xf32>
    %46 = soap.reshape %45 {soap.name = "model.layers.0.self_attn.expand.reshape_1"} : (tensor<4x2x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %47 = soap.broadcast %46 {axes = array<i64: 2>, soap.name = "model.layers.0.self_attn.expand_1"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x2x8x8xf32>
    %48 = soap.reshape %47 {soap.name = "model.layers.0.self_attn.view_4"} : (tensor<4x2x2x8x8xf32>) -> tensor<4x4x8x8xf32>
    %49 = soap.matmul %33, %44 {soap.name = "model.layers.0.self_attn.scaled_dot_product_attention.matmul", transpose_b} : tensor<4x4x8x8xf32>
    %50 = soap.scale %49 {factor = 0.35355339059327379 : f64, soap.name = "model.layers.0.self_attn.scaled_dot_product_attention.scale"} : tensor<4x4x8x8xf32>
    %51 = soap.constant {soap.name = "model.layers.0.self_attn.scaled_dot_product_attention.constant"} dense<0xFF800000> : tensor<f32>
    %52 = soap.constant {soap.name = "model.layers.0.self_attn.scaled_dot_product_attention.constant_1"} dense<[[1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00]]> : tensor<8x8xf32>
    %53 = soap.where %52, %50, %51 {soap.name = "model.layers.0.self_attn.scaled_dot_product_attention.where"} : (tensor<8x8xf32>, tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4x4x8x8xf32>
    %54 = soap.softmax %53 {axis = 3 : i64, soap.name = "model.layers.0.self_attn.scaled_dot_product_attention.softmax"} : tensor<4x4x8x8xf32>
    %55 = soap.matmul %54, %48 {soap.name = "model.layers.0.self_attn.scaled_dot_product_attention"} : tensor<4x4x8x8xf32>
    %56 = soap.transpose %55 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "model.layers.0.self_attn.permute_3"} : (tensor<4x4x8x8xf32>) -> tensor<4x8x4x8xf32>
    %57 = soap.reshape %56 {soap.name = "model.layers.0.self_attn.view_5"} : (tensor<4x8x4x8xf32>) -> tensor<4x8x32xf32>
    %58 = soap.matmul %57, %arg6 {soap.name = "model.layers.0.self_attn.o_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %59 = soap.add %6, %58 {soap.name = "model.layers.0.add"} : tensor<4x8x32xf32>
    %60 = soap.mul %59, %59 {soap.name = "model.layers.0.post_attention_layernorm.pow"} : tensor<4x8x32xf32>
    %61 = soap.reduce  sum %60 {axes = array<i64: 2>, soap.name = "model.layers.0.post_attention_layernorm.mean.reduce"} : (tensor<4x8x32xf32>) -> tensor<4x8xf32>
    %62 = soap.reshape %61 {soap.name = "model.layers.0.post_attention_layernorm.mean.reshape"} : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %63 = soap.scale %62 {factor = 3.125000e-02 : f64, soap.name = "model.layers.0.post_attention_layernorm.mean"} : tensor<4x8x1xf32>
    %64 = soap.constant {soap.name = "model.layers.0.post_attention_layernorm.add.constant"} dense<9.99999997E-7> : tensor<f32>
    %65 = soap.add %63, %64 {soap.name = "model.layers.0.post_attention_layernorm.add"} : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8x1xf32>
    %66 = soap.rsqrt %65 {soap.name = "model.layers.0.post_attention_layernorm.rsqrt"} : tensor<4x8x1xf32>
    %67 = soap.mul %59, %66 {soap.name = "model.layers.0.post_attention_layernorm.mul"} : (tensor<4x8x32xf32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
    %68 = soap.mul %arg11, %67 {soap.name = "model.layers.0.post_attention_layernorm.mul_1"} : (tensor<32xf32>, tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
    %69 = soap.matmul %68, %arg7 {soap.name = "model.layers.0.mlp.gate_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<48x32xf32>) -> tensor<4x8x48xf32>
    %70 = soap.sigmoid %69 {soap.name = "model.layers.0.mlp.act_fn.sigmoid"} : tensor<4x8x48xf32>
    %71 = soap.mul %69, %70 {soap.name = "model.layers.0.mlp.act_fn"} : tensor<4x8x48xf32>
    %72 = soap.matmul %68, %arg8 {soap.name = "model.layers.0.mlp.up_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<48x32xf32>) -> tensor<4x8x48xf32>
    %73 = soap.mul %71, %72 {soap.name = "model.layers.0.mlp"} : tensor<4x8x48xf32>
    %74 = soap.matmul %73, %arg9 {soap.name = "model.layers.0.mlp.down_proj", transpose_b} : (tensor<4x8x48xf32>, tensor<32x48xf32>) -> tensor<4x8x32xf32>
    %75 = soap.add %59, %74 {soap.name = "model.layers.0.add_1"} : tensor<4x8x32xf32>
    %76 = soap.mul %75, %75 {soap.name = "model.layers.1.input_layernorm.pow"} : tensor<4x8x32xf32>
    %77 = soap.reduce  sum %76 {axes = array<i64: 2>, soap.name = "model.layers.1.input_layernorm.mean.reduce"} : (tensor<4x8x32xf32>) -> tensor<4x8xf32>
    %78 = soap.reshape %77 {soap.name = "model.layers.1.input_layernorm.mean.reshape"} : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %79 = soap.scale %78 {factor = 3.125000e-02 : f64, soap.name = "model.layers.1.input_layernorm.mean"} : tensor<4x8x1xf32>
    %80 = soap.constant {soap.name = "model.layers.1.input_layernorm.add.constant"} dense<9.99999997E-7> : tensor<f32>
    %81 = soap.add %79, %80 {soap.name = "model.layers.1.input_layernorm.add"} : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8x1xf32>
    %82 = soap.rsqrt %81 {soap.name = "model.layers.1.input_layernorm.rsqrt"} : tensor<4x8x1xf32>
    %83 = soap.mul %75, %82 {soap.name = "model.layers.1.input_layernorm.mul"} : (tensor<4x8x32xf32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
    %84 = soap.mul %arg19, %83 {soap.name = "model.layers.1.input_layernorm.mul_1"} : (tensor<32xf32>, tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
    %85 = soap.matmul %84, %arg12 {soap.name = "model.layers.1.self_attn.q_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %86 = soap.reshape %85 {soap.name = "model.layers.1.self_attn.view"} : (tensor<4x8x32xf32>) -> tensor<4x8x4x8xf32>
    %87 = soap.transpose %86 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "model.layers.1.self_attn.permute"} : (tensor<4x8x4x8xf32>) -> tensor<4x4x8x8xf32>
    %88 = soap.matmul %84, %arg13 {soap.name = "model.layers.1.self_attn.k_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
    %89 = soap.reshape %88 {soap.name = "model.layers.1.self_attn.view_1"} : (tensor<4x8x16xf32>) -> tensor<4x8x2x8xf32>
    %90 = soap.transpose %89 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "model.layers.1.self_attn.permute_1"} : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
    %91 = soap.matmul %84, %arg14 {soap.name = "model.layers.1.self_attn.v_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
    %92 = soap.reshape %91 {soap.name = "model.layers.1.self_attn.view_2"} : (tensor<4x8x16xf32>) -> tensor<4x8x2x8xf32>
    %93 = soap.transpose %92 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "model.layers.1.self_attn.permute_2"} : (tensor<4x8x2x8xf32>) -> tensor<4x2x8x8xf32>
    %94 = soap.constant {soap.name = "model.layers.1.self_attn.mul.constant"} dense<[[[[1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00], [0.540302336, 0.995004177, 0.999949991, 0.999999523, 0.540302336, 0.995004177, 0.999949991, 0.999999523], [-0.416146845, 0.980066597, 9.998000e-01, 0.999998033, -0.416146845, 0.980066597, 9.998000e-01, 0.999998033], [-0.989992499, 0.955336511, 0.999550044, 0.999995529, -0.989992499, 0.955336511, 0.999550044, 0.999995529], [-0.653643608, 0.921060979, 0.999200105, 9.999920e-01, -0.653643608, 0.921060979, 0.999200105, 9.999920e-01], [0.2836622, 0.87758255, 0.998750269, 0.999987483, 0.2836622, 0.87758255, 0.998750269, 0.999987483], [0.960170269, 0.825335621, 0.998200535, 0.999981999, 0.960170269, 0.825335621, 0.998200535, 0.999981999], [0.753902256, 0.764842212, 9.975510e-01, 0.999975502, 0.753902256, 0.764842212, 9.975510e-01, 0.999975502]]]]> : tensor<1x1x8x8xf32>
    %95 = soap.mul %87, %94 {soap.name = "model.layers.1.self_attn.mul"} : (tensor<4x4x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x4x8x8xf32>
    %96 = soap.slice %87 {sizes = array<i64: 4, 4, 8, 4>, soap.name = "model.layers.1.self_attn.slice"} : (tensor<4x4x8x8xf32>) -> tensor<4x4x8x4xf32>
    %97 = soap.slice %87 {offsets = array<i64: 0, 0, 0, 4>, sizes = array<i64: 4, 4, 8, 4>, soap.name = "model.layers.1.self_attn.slice_1"} : (tensor<4x4x8x8xf32>) -> tensor<4x4x8x4xf32>
    %98 = soap.neg %97 {soap.name = "model.layers.1.self_attn.neg"} : tensor<4x4x8x4xf32>
    %99 = soap.concat %98, %96 {axis = 3 : i64, soap.name = "model.layers.1.self_attn.cat"} : (tensor<4x4x8x4xf32>, tensor<4x4x8x4xf32>) -> tensor<4x4x8x8xf32>
    %100 = soap.constant {soap.name = "model.layers.1.self_attn.mul.constant_1"} dense<[[[[0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [0.841470957, 0.0998334214, 0.00999983306, 9.99999931E-4, 0.841470957, 0.0998334214, 0.00999983306, 9.99999931E-4], [0.909297406, 0.198669329, 0.0199986659, 0.0019999987, 0.909297406, 0.198669329, 0.0199986659, 0.0019999987], [1.411200e-01, 0.295520216, 2.999550e-02, 0.0029999956, 1.411200e-01, 0.295520216, 2.999550e-02, 0.0029999956], [-0.756802499, 0.389418364, 0.0399893336, 0.00399998948, -0.756802499, 0.389418364, 0.0399893336, 0.00399998948], [-0.958924293, 0.47942555, 0.0499791652, 0.0049999794, -0.958924293, 0.47942555, 0.0499791652, 0.0049999794], [-0.279415488, 0.564642489, 0.0599640049, 0.0059999642, -0.279415488, 0.564642489, 0.0599640049, 0.0059999642], [0.656986594, 0.644217669, 0.0699428469, 0.00699994294, 0.656986594, 0.644217669, 0.0699428469, 0.00699994294]]]]> : tensor<1x1x8x8xf32>
    %101 = soap.mul %99, %100 {soap.name = "model.layers.1.self_attn.mul_1"} : (tensor<4x4x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x4x8x8xf32>
    %102 = soap.add %95, %101 {soap.name = "model.layers.1.self_attn.add"} : tensor<4x4x8x8xf32>
    %103 = soap.mul %90, %94 {soap.name = "model.layers.1.self_attn.mul_2"} : (tensor<4x2x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %104 = soap.slice %90 {sizes = array<i64: 4, 2, 8, 4>, soap.name = "model.layers.1.self_attn.slice_2"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x4xf32>
    %105 = soap.slice %90 {offsets = array<i64: 0, 0, 0, 4>, sizes = array<i64: 4, 2, 8, 4>, soap.name = "model.layers.1.self_attn.slice_3"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x4xf32>
    %106 = soap.neg %105 {soap.name = "model.layers.1.self_attn.neg_1"} : tensor<4x2x8x4xf32>
    %107 = soap.concat %106, %104 {axis = 3 : i64, soap.name = "model.layers.1.self_attn.cat_1"} : (tensor<4x2x8x4xf32>, tensor<4x2x8x4xf32>) -> tensor<4x2x8x8xf32>
    %108 = soap.mul %107, %100 {soap.name = "model.layers.1.self_attn.mul_3"} : (tensor<4x2x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %109 = soap.add %103, %108 {soap.name = "model.layers.1.self_attn.add_1"} : tensor<4x2x8x8xf32>
    %110 = soap.reshape %109 {soap.name = "model.layers.1.self_attn.unsqueeze"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x1x8x8xf32>
    %111 = soap.reshape %110 {soap.name = "model.layers.1.self_attn.expand.reshape"} : (tensor<4x2x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %112 = soap.broadcast %111 {axes = array<i64: 2>, soap.name = "model.layers.1.self_attn.expand"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x2x8x8xf32>
    %113 = soap.reshape %112 {soap.name = "model.layers.1.self_attn.view_3"} : (tensor<4x2x2x8x8xf32>) -> tensor<4x4x8x8xf32>
    %114 = soap.reshape %93 {soap.name = "model.layers.1.self_attn.unsqueeze_1"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x1x8x8xf32>
    %115 = soap.reshape %114 {soap.name = "model.layers.1.self_attn.expand.reshape_1"} : (tensor<4x2x1x8x8xf32>) -> tensor<4x2x8x8xf32>
    %116 = soap.broadcast %115 {axes = array<i64: 2>, soap.name = "model.layers.1.self_attn.expand_1"} : (tensor<4x2x8x8xf32>) -> tensor<4x2x2x8x8xf32>
    %117 = soap.reshape %116 {soap.name = "model.layers.1.self_attn.view_4"} : (tensor<4x2x2x8x8xf32>) -> tensor<4x4x8x8xf32>
    %118 = soap.matmul %102, %113 {soap.name = "model.layers.1.self_attn.scaled_dot_product_attention.matmul", transpose_b} : tensor<4x4x8x8xf32>
    %119 = soap.scale %118 {factor = 0.35355339059327379 : f64, soap.name = "model.layers.1.self_attn.scaled_dot_product_attention.scale"} : tensor<4x4x8x8xf32>
    %120 = soap.constant {soap.name = "model.layers.1.self_attn.scaled_dot_product_attention.constant"} dense<0xFF800000> : tensor<f32>
    %121 = soap.constant {soap.name = "model.layers.1.self_attn.scaled_dot_product_attention.constant_1"} dense<[[1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00]]> : tensor<8x8xf32>
    %122 = soap.where %121, %119, %120 {soap.name = "model.layers.1.self_attn.scaled_dot_product_attention.where"} : (tensor<8x8xf32>, tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4x4x8x8xf32>
    %123 = soap.softmax %122 {axis = 3 : i64, soap.name = "model.layers.1.self_attn.scaled_dot_product_attention.softmax"} : tensor<4x4x8x8xf32>
    %124 = soap.matmul %123, %117 {soap.name = "model.layers.1.self_attn.scaled_dot_product_attention"} : tensor<4x4x8x8xf32>
    %125 = soap.transpose %124 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "model.layers.1.self_attn.permute_3"} : (tensor<4x4x8x8xf32>) -> tensor<4x8x4x8xf32>
    %126 = soap.reshape %125 {soap.name = "model.layers.1.self_attn.view_5"} : (tensor<4x8x4x8xf32>) -> tensor<4x8x32xf32>
    %127 = soap.matmul %126, %arg15 {soap.name = "model.layers.1.self_attn.o_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<32x32xf32>) -> tensor<4x8x32xf32>
    %128 = soap.add %75, %127 {soap.name = "model.layers.1.add"} : tensor<4x8x32xf32>
    %129 = soap.mul %128, %128 {soap.name = "model.layers.1.post_attention_layernorm.pow"} : tensor<4x8x32xf32>
    %130 = soap.reduce  sum %129 {axes = array<i64: 2>, soap.name = "model.layers.1.post_attention_layernorm.mean.reduce"} : (tensor<4x8x32xf32>) -> tensor<4x8xf32>
    %131 = soap.reshape %130 {soap.name = "model.layers.1.post_attention_layernorm.mean.reshape"} : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %132 = soap.scale %131 {factor = 3.125000e-02 : f64, soap.name = "model.layers.1.post_attention_layernorm.mean"} : tensor<4x8x1xf32>
    %133 = soap.constant {soap.name = "model.layers.1.post_attention_layernorm.add.constant"} dense<9.99999997E-7> : tensor<f32>
    %134 = soap.add %132, %133 {soap.name = "model.layers.1.post_attention_layernorm.add"} : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8x1xf32>
    %135 = soap.rsqrt %134 {soap.name = "model.layers.1.post_attention_layernorm.rsqrt"} : tensor<4x8x1xf32>
    %136 = soap.mul %128, %135 {soap.name = "model.layers.1.post_attention_layernorm.mul"} : (tensor<4x8x32xf32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
    %137 = soap.mul %arg20, %136 {soap.name = "model.layers.1.post_attention_layernorm.mul_1"} : (tensor<32xf32>, tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
    %138 = soap.matmul %137, %arg16 {soap.name = "model.layers.1.mlp.gate_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<48x32xf32>) -> tensor<4x8x48xf32>
    %139 = soap.sigmoid %138 {soap.name = "model.layers.1.mlp.act_fn.sigmoid"} : tensor<4x8x48xf32>
    %140 = soap.mul %138, %139 {soap.name = "model.layers.1.mlp.act_fn"} : tensor<4x8x48xf32>
    %141 = soap.matmul %137, %arg17 {soap.name = "model.layers.1.mlp.up_proj", transpose_b} : (tensor<4x8x32xf32>, tensor<48x32xf32>) -> tensor<4x8x48xf32>
    %142 = soap.mul %140, %141 {soap.name = "model.layers.1.mlp"} : tensor<4x8x48xf32>
    %143 = soap.matmul %142, %arg18 {soap.name = "model.layers.1.mlp.down_proj", transpose_b} : (tensor<4x8x48xf32>, tensor<32x48xf32>) -> tensor<4x8x32xf32>
    %144 = soap.add %128, %143 {soap.name = "model.layers.1.add_1"} : tensor<4x8x32xf32>
    %145 = soap.mul %144, %144 {soap.name = "model.norm.pow"} : tensor<4x8x32xf32>
    %146 = soap.reduce  sum %145 {axes = array<i64: 2>, soap.name = "model.norm.mean.reduce"} : (tensor<4x8x32xf32>) -> tensor<4x8xf32>
    %147 = soap.reshape %146 {soap.name = "model.norm.mean.reshape"} : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %148 = soap.scale %147 {factor = 3.125000e-02 : f64, soap.name = "model.norm.mean"} : tensor<4x8x1xf32>
    %149 = soap.constant {soap.name = "model.norm.add.constant"} dense<9.99999997E-7> : tensor<f32>
    %150 = soap.add %148, %149 {soap.name = "model.norm.add"} : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8x1xf32>
    %151 = soap.rsqrt %150 {soap.name = "model.norm.rsqrt"} : tensor<4x8x1xf32>
    %152 = soap.mul %144, %151 {soap.name = "model.norm.mul"} : (tensor<4x8x32xf32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
    %153 = soap.mul %arg21, %152 {soap.name = "model.norm.mul_1"} : (tensor<32xf32>, tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
    %154 = soap.matmul %153, %arg22 {soap.name = "lm_head", transpose_b} : (tensor<4x8x32xf32>, tensor<64x32xf32>) -> tensor<4x8x64xf32>
    %155 = soap.reshape %154 {soap.name = "view"} : (tensor<4x8x64xf32>) -> tensor<32x64xf32>
    %156 = soap.reshape %arg1 {soap.name = "view_1"} : (tensor<4x8xi32>) -> tensor<32xi32>
    %157 = soap.cast %156 {soap.name = "cross_entropy_loss.cast"} : (tensor<32xi32>) -> tensor<32xf32>
    %158 = soap.constant {soap.name = "cross_entropy_loss.constant"} dense<-1.000000e+02> : tensor<f32>
    %159 = soap.equal %157, %158 {soap.name = "cross_entropy_loss.equal"} : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
    %160 = soap.constant {soap.name = "cross_entropy_loss.constant_1"} dense<1.000000e+00> : tensor<f32>
    %161 = soap.sub %160, %159 {soap.name = "cross_entropy_loss.sub"} : (tensor<f32>, tensor<32xf32>) -> tensor<32xf32>
    %162 = soap.reduce  sum %161 {axes = array<i64: 0>, soap.name = "cross_entropy_loss.reduce"} : (tensor<32xf32>) -> tensor<f32>
    %163 = soap.constant {soap.name = "cross_entropy_loss.constant_2"} dense<-1.000000e+00> : tensor<f32>
    %164 = soap.where %161, %157, %163 {soap.name = "cross_entropy_loss.where"} : (tensor<32xf32>, tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
    %165 = soap.cast %164 {soap.name = "cross_entropy_loss.cast_1"} : (tensor<32xf32>) -> tensor<32xi32>
    %loss, %correct, %stats = soap.cross_entropy %155, %165 {scale = 1.000000e+00 : f64, soap.name = "cross_entropy_loss.cross_entropy"} : (tensor<32x64xf32>, tensor<32xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x32xf32>)
    %166 = soap.div %loss, %162 {soap.name = "cross_entropy_loss"} : tensor<f32>
    return %166 : tensor<f32>
  }
}

