"builtin.module"() <{sym_name = "jit_function"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x9xf32>) -> (tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<8xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg11: tensor<8x9xf32>):
    %29 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<8x9xf32>) -> tensor<8x4xf32>
    %30 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<8x9xf32>) -> tensor<8x4xf32>
    %31 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 9>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<8x9xf32>) -> tensor<8x4xf32>
    %32 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 9>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<8x9xf32>) -> tensor<8x4xf32>
    %33 = "stablehlo.multiply"(%29, %31) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %34 = "stablehlo.multiply"(%31, %30) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %35 = "stablehlo.add"(%34, %32) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %36 = "stablehlo.slice"(%33) <{limit_indices = array<i64: 8, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<8x4xf32>) -> tensor<8x2xf32>
    %37 = "stablehlo.slice"(%35) <{limit_indices = array<i64: 8, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<8x4xf32>) -> tensor<8x2xf32>
    %38 = "stablehlo.slice"(%33) <{limit_indices = array<i64: 8, 4>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<8x4xf32>) -> tensor<8x2xf32>
    %39 = "stablehlo.slice"(%35) <{limit_indices = array<i64: 8, 4>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<8x4xf32>) -> tensor<8x2xf32>
    %40 = "stablehlo.multiply"(%36, %38) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
    %41 = "stablehlo.multiply"(%38, %37) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
    %42 = "stablehlo.add"(%41, %39) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
    %43 = "stablehlo.slice"(%42) <{limit_indices = array<i64: 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<8x2xf32>) -> tensor<8x1xf32>
    %44 = "stablehlo.slice"(%40) <{limit_indices = array<i64: 8, 2>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<8x2xf32>) -> tensor<8x1xf32>
    %45 = "stablehlo.slice"(%42) <{limit_indices = array<i64: 8, 2>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<8x2xf32>) -> tensor<8x1xf32>
    %46 = "stablehlo.multiply"(%44, %43) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %47 = "stablehlo.add"(%46, %45) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %48 = "stablehlo.slice"(%47) <{limit_indices = array<i64: 8, 0>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x1xf32>) -> tensor<8x0xf32>
    %49 = "stablehlo.slice"(%40) <{limit_indices = array<i64: 8, 2>, start_indices = array<i64: 0, 2>, strides = array<i64: 1, 2>}> : (tensor<8x2xf32>) -> tensor<8x0xf32>
    %50 = "stablehlo.slice"(%42) <{limit_indices = array<i64: 8, 2>, start_indices = array<i64: 0, 2>, strides = array<i64: 1, 2>}> : (tensor<8x2xf32>) -> tensor<8x0xf32>
    %51 = "stablehlo.multiply"(%49, %48) : (tensor<8x0xf32>, tensor<8x0xf32>) -> tensor<8x0xf32>
    %52 = "stablehlo.add"(%51, %50) : (tensor<8x0xf32>, tensor<8x0xf32>) -> tensor<8x0xf32>
    %53 = "stablehlo.slice"(%42) <{limit_indices = array<i64: 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x2xf32>) -> tensor<8x1xf32>
    %54 = "stablehlo.concatenate"(%53, %52) <{dimension = 1 : i64}> : (tensor<8x1xf32>, tensor<8x0xf32>) -> tensor<8x1xf32>
    %55 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %56 = "stablehlo.pad"(%54, %55) <{edge_padding_high = array<i64: 0, 1>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 1>}> : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x2xf32>
    %57 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %58 = "stablehlo.pad"(%47, %57) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 1>, interior_padding = array<i64: 0, 1>}> : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x2xf32>
    %59 = "stablehlo.add"(%56, %58) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
    %60 = "stablehlo.slice"(%59) <{limit_indices = array<i64: 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x2xf32>) -> tensor<8x1xf32>
    %61 = "stablehlo.slice"(%33) <{limit_indices = array<i64: 8, 4>, start_indices = array<i64: 0, 2>, strides = array<i64: 1, 2>}> : (tensor<8x4xf32>) -> tensor<8x1xf32>
    %62 = "stablehlo.slice"(%35) <{limit_indices = array<i64: 8, 4>, start_indices = array<i64: 0, 2>, strides = array<i64: 1, 2>}> : (tensor<8x4xf32>) -> tensor<8x1xf32>
    %63 = "stablehlo.multiply"(%61, %60) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %64 = "stablehlo.add"(%63, %62) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %65 = "stablehlo.slice"(%35) <{limit_indices = array<i64: 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x4xf32>) -> tensor<8x1xf32>
    %66 = "stablehlo.concatenate"(%65, %64) <{dimension = 1 : i64}> : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x2xf32>
    %67 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %68 = "stablehlo.pad"(%66, %67) <{edge_padding_high = array<i64: 0, 1>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 1>}> : (tensor<8x2xf32>, tensor<f32>) -> tensor<8x4xf32>
    %69 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %70 = "stablehlo.pad"(%59, %69) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 1>, interior_padding = array<i64: 0, 1>}> : (tensor<8x2xf32>, tensor<f32>) -> tensor<8x4xf32>
    %71 = "stablehlo.add"(%68, %70) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %72 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 9>, start_indices = array<i64: 0, 2>, strides = array<i64: 1, 2>}> : (tensor<8x9xf32>) -> tensor<8x4xf32>
    %73 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 9>, start_indices = array<i64: 0, 2>, strides = array<i64: 1, 2>}> : (tensor<8x9xf32>) -> tensor<8x4xf32>
    %74 = "stablehlo.multiply"(%72, %71) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %75 = "stablehlo.add"(%74, %73) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %76 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x9xf32>) -> tensor<8x1xf32>
    %77 = "stablehlo.concatenate"(%76, %75) <{dimension = 1 : i64}> : (tensor<8x1xf32>, tensor<8x4xf32>) -> tensor<8x5xf32>
    %78 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %79 = "stablehlo.pad"(%77, %78) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 1>}> : (tensor<8x5xf32>, tensor<f32>) -> tensor<8x9xf32>
    %80 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %81 = "stablehlo.pad"(%71, %80) <{edge_padding_high = array<i64: 0, 1>, edge_padding_low = array<i64: 0, 1>, interior_padding = array<i64: 0, 1>}> : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x9xf32>
    %82 = "stablehlo.add"(%79, %81) : (tensor<8x9xf32>, tensor<8x9xf32>) -> tensor<8x9xf32>
    %83 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 0>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x9xf32>) -> tensor<8x0xf32>
    %84 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %85 = "stablehlo.reduce"(%83, %84) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %181 = "stablehlo.add"(%arg12, %arg13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%181) : (tensor<f32>) -> ()
    }) : (tensor<8x0xf32>, tensor<f32>) -> tensor<8xf32>
    %86 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 0>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x9xf32>) -> tensor<8x0xf32>
    %87 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %88 = "stablehlo.broadcast_in_dim"(%87) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<0xf32>
    %89 = "stablehlo.dot_general"(%86, %88) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x0xf32>, tensor<0xf32>) -> tensor<8xf32>
    %90 = "stablehlo.add"(%85, %89) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %91 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 0>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x9xf32>) -> tensor<8x0xf32>
    %92 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %93 = "func.call"(%91, %92) <{callee = @_pad}> : (tensor<8x0xf32>, tensor<i32>) -> tensor<8x1xf32>
    %94 = "stablehlo.reshape"(%93) : (tensor<8x1xf32>) -> tensor<8xf32>
    %95 = "stablehlo.add"(%90, %94) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %96 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 7, 9>, start_indices = array<i64: 0, 0>, strides = array<i64: 2, 1>}> : (tensor<8x9xf32>) -> tensor<4x9xf32>
    %97 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 9>, start_indices = array<i64: 1, 0>, strides = array<i64: 2, 1>}> : (tensor<8x9xf32>) -> tensor<4x9xf32>
    %98 = "stablehlo.add"(%96, %97) : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
    %99 = "stablehlo.slice"(%98) <{limit_indices = array<i64: 3, 9>, start_indices = array<i64: 0, 0>, strides = array<i64: 2, 1>}> : (tensor<4x9xf32>) -> tensor<2x9xf32>
    %100 = "stablehlo.slice"(%98) <{limit_indices = array<i64: 4, 9>, start_indices = array<i64: 1, 0>, strides = array<i64: 2, 1>}> : (tensor<4x9xf32>) -> tensor<2x9xf32>
    %101 = "stablehlo.add"(%99, %100) : (tensor<2x9xf32>, tensor<2x9xf32>) -> tensor<2x9xf32>
    %102 = "stablehlo.slice"(%101) <{limit_indices = array<i64: 1, 9>, start_indices = array<i64: 0, 0>, strides = array<i64: 2, 1>}> : (tensor<2x9xf32>) -> tensor<1x9xf32>
    %103 = "stablehlo.slice"(%101) <{limit_indices = array<i64: 2, 9>, start_indices = array<i64: 1, 0>, strides = array<i64: 2, 1>}> : (tensor<2x9xf32>) -> tensor<1x9xf32>
    %104 = "stablehlo.add"(%102, %103) : (tensor<1x9xf32>, tensor<1x9xf32>) -> tensor<1x9xf32>
    %105 = "stablehlo.slice"(%104) <{limit_indices = array<i64: 0, 9>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<1x9xf32>) -> tensor<0x9xf32>
    %106 = "stablehlo.slice"(%101) <{limit_indices = array<i64: 2, 9>, start_indices = array<i64: 2, 0>, strides = array<i64: 2, 1>}> : (tensor<2x9xf32>) -> tensor<0x9xf32>
    %107 = "stablehlo.add"(%105, %106) : (tensor<0x9xf32>, tensor<0x9xf32>) -> tensor<0x9xf32>
    %108 = "stablehlo.slice"(%101) <{limit_indices = array<i64: 1, 9>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<2x9xf32>) -> tensor<1x9xf32>
    %109 = "stablehlo.concatenate"(%108, %107) <{dimension = 0 : i64}> : (tensor<1x9xf32>, tensor<0x9xf32>) -> tensor<1x9xf32>
    %110 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %111 = "stablehlo.pad"(%109, %110) <{edge_padding_high = array<i64: 1, 0>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 1, 0>}> : (tensor<1x9xf32>, tensor<f32>) -> tensor<2x9xf32>
    %112 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %113 = "stablehlo.pad"(%104, %112) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 1, 0>}> : (tensor<1x9xf32>, tensor<f32>) -> tensor<2x9xf32>
    %114 = "stablehlo.add"(%111, %113) : (tensor<2x9xf32>, tensor<2x9xf32>) -> tensor<2x9xf32>
    %115 = "stablehlo.slice"(%114) <{limit_indices = array<i64: 1, 9>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<2x9xf32>) -> tensor<1x9xf32>
    %116 = "stablehlo.slice"(%98) <{limit_indices = array<i64: 4, 9>, start_indices = array<i64: 2, 0>, strides = array<i64: 2, 1>}> : (tensor<4x9xf32>) -> tensor<1x9xf32>
    %117 = "stablehlo.add"(%115, %116) : (tensor<1x9xf32>, tensor<1x9xf32>) -> tensor<1x9xf32>
    %118 = "stablehlo.slice"(%98) <{limit_indices = array<i64: 1, 9>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x9xf32>) -> tensor<1x9xf32>
    %119 = "stablehlo.concatenate"(%118, %117) <{dimension = 0 : i64}> : (tensor<1x9xf32>, tensor<1x9xf32>) -> tensor<2x9xf32>
    %120 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %121 = "stablehlo.pad"(%119, %120) <{edge_padding_high = array<i64: 1, 0>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 1, 0>}> : (tensor<2x9xf32>, tensor<f32>) -> tensor<4x9xf32>
    %122 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %123 = "stablehlo.pad"(%114, %122) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 1, 0>}> : (tensor<2x9xf32>, tensor<f32>) -> tensor<4x9xf32>
    %124 = "stablehlo.add"(%121, %123) : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
    %125 = "stablehlo.slice"(%124) <{limit_indices = array<i64: 3, 9>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x9xf32>) -> tensor<3x9xf32>
    %126 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 8, 9>, start_indices = array<i64: 2, 0>, strides = array<i64: 2, 1>}> : (tensor<8x9xf32>) -> tensor<3x9xf32>
    %127 = "stablehlo.add"(%125, %126) : (tensor<3x9xf32>, tensor<3x9xf32>) -> tensor<3x9xf32>
    %128 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 1, 9>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x9xf32>) -> tensor<1x9xf32>
    %129 = "stablehlo.concatenate"(%128, %127) <{dimension = 0 : i64}> : (tensor<1x9xf32>, tensor<3x9xf32>) -> tensor<4x9xf32>
    %130 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %131 = "stablehlo.pad"(%129, %130) <{edge_padding_high = array<i64: 1, 0>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 1, 0>}> : (tensor<4x9xf32>, tensor<f32>) -> tensor<8x9xf32>
    %132 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %133 = "stablehlo.pad"(%124, %132) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 1, 0>}> : (tensor<4x9xf32>, tensor<f32>) -> tensor<8x9xf32>
    %134 = "stablehlo.add"(%131, %133) : (tensor<8x9xf32>, tensor<8x9xf32>) -> tensor<8x9xf32>
    %135 = "stablehlo.reverse"(%arg11) <{dimensions = array<i64: 1>}> : (tensor<8x9xf32>) -> tensor<8x9xf32>
    %136 = "stablehlo.slice"(%135) <{limit_indices = array<i64: 8, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<8x9xf32>) -> tensor<8x4xf32>
    %137 = "stablehlo.slice"(%135) <{limit_indices = array<i64: 8, 9>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<8x9xf32>) -> tensor<8x4xf32>
    %138 = "stablehlo.maximum"(%136, %137) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %139 = "stablehlo.slice"(%138) <{limit_indices = array<i64: 8, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<8x4xf32>) -> tensor<8x2xf32>
    %140 = "stablehlo.slice"(%138) <{limit_indices = array<i64: 8, 4>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<8x4xf32>) -> tensor<8x2xf32>
    %141 = "stablehlo.maximum"(%139, %140) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
    %142 = "stablehlo.slice"(%141) <{limit_indices = array<i64: 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<8x2xf32>) -> tensor<8x1xf32>
    %143 = "stablehlo.slice"(%141) <{limit_indices = array<i64: 8, 2>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<8x2xf32>) -> tensor<8x1xf32>
    %144 = "stablehlo.maximum"(%142, %143) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %145 = "stablehlo.slice"(%144) <{limit_indices = array<i64: 8, 0>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x1xf32>) -> tensor<8x0xf32>
    %146 = "stablehlo.slice"(%141) <{limit_indices = array<i64: 8, 2>, start_indices = array<i64: 0, 2>, strides = array<i64: 1, 2>}> : (tensor<8x2xf32>) -> tensor<8x0xf32>
    %147 = "stablehlo.maximum"(%145, %146) : (tensor<8x0xf32>, tensor<8x0xf32>) -> tensor<8x0xf32>
    %148 = "stablehlo.slice"(%141) <{limit_indices = array<i64: 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x2xf32>) -> tensor<8x1xf32>
    %149 = "stablehlo.concatenate"(%148, %147) <{dimension = 1 : i64}> : (tensor<8x1xf32>, tensor<8x0xf32>) -> tensor<8x1xf32>
    %150 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %151 = "stablehlo.pad"(%149, %150) <{edge_padding_high = array<i64: 0, 1>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 1>}> : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x2xf32>
    %152 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %153 = "stablehlo.pad"(%144, %152) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 1>, interior_padding = array<i64: 0, 1>}> : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x2xf32>
    %154 = "stablehlo.add"(%151, %153) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
    %155 = "stablehlo.slice"(%154) <{limit_indices = array<i64: 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x2xf32>) -> tensor<8x1xf32>
    %156 = "stablehlo.slice"(%138) <{limit_indices = array<i64: 8, 4>, start_indices = array<i64: 0, 2>, strides = array<i64: 1, 2>}> : (tensor<8x4xf32>) -> tensor<8x1xf32>
    %157 = "stablehlo.maximum"(%155, %156) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %158 = "stablehlo.slice"(%138) <{limit_indices = array<i64: 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x4xf32>) -> tensor<8x1xf32>
    %159 = "stablehlo.concatenate"(%158, %157) <{dimension = 1 : i64}> : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x2xf32>
    %160 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %161 = "stablehlo.pad"(%159, %160) <{edge_padding_high = array<i64: 0, 1>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 1>}> : (tensor<8x2xf32>, tensor<f32>) -> tensor<8x4xf32>
    %162 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %163 = "stablehlo.pad"(%154, %162) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 1>, interior_padding = array<i64: 0, 1>}> : (tensor<8x2xf32>, tensor<f32>) -> tensor<8x4xf32>
    %164 = "stablehlo.add"(%161, %163) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %165 = "stablehlo.slice"(%135) <{limit_indices = array<i64: 8, 9>, start_indices = array<i64: 0, 2>, strides = array<i64: 1, 2>}> : (tensor<8x9xf32>) -> tensor<8x4xf32>
    %166 = "stablehlo.maximum"(%164, %165) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %167 = "stablehlo.slice"(%135) <{limit_indices = array<i64: 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x9xf32>) -> tensor<8x1xf32>
    %168 = "stablehlo.concatenate"(%167, %166) <{dimension = 1 : i64}> : (tensor<8x1xf32>, tensor<8x4xf32>) -> tensor<8x5xf32>
    %169 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %170 = "stablehlo.pad"(%168, %169) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 1>}> : (tensor<8x5xf32>, tensor<f32>) -> tensor<8x9xf32>
    %171 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %172 = "stablehlo.pad"(%164, %171) <{edge_padding_high = array<i64: 0, 1>, edge_padding_low = array<i64: 0, 1>, interior_padding = array<i64: 0, 1>}> : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x9xf32>
    %173 = "stablehlo.add"(%170, %172) : (tensor<8x9xf32>, tensor<8x9xf32>) -> tensor<8x9xf32>
    %174 = "stablehlo.reverse"(%173) <{dimensions = array<i64: 1>}> : (tensor<8x9xf32>) -> tensor<8x9xf32>
    %175 = "func.call"(%arg11) <{callee = @cumlogsumexp}> : (tensor<8x9xf32>) -> tensor<8x9xf32>
    %176 = "stablehlo.constant"() <{value = dense<2.000000e+02> : tensor<f32>}> : () -> tensor<f32>
    %177 = "stablehlo.broadcast_in_dim"(%176) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x9xf32>
    %178 = "stablehlo.multiply"(%177, %arg11) : (tensor<8x9xf32>, tensor<8x9xf32>) -> tensor<8x9xf32>
    %179 = "func.call"(%178) <{callee = @cumlogsumexp_0}> : (tensor<8x9xf32>) -> tensor<8x9xf32>
    %180 = "func.call"(%arg11) <{callee = @cumprod}> : (tensor<8x9xf32>) -> tensor<8x9xf32>
    "func.return"(%82, %134, %174, %175, %179, %180, %95) : (tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>, tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x0xf32>, tensor<i32>) -> tensor<8x1xf32>, res_attrs = [{}], sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<8x0xf32>, %arg10: tensor<i32>):
    %27 = "stablehlo.convert"(%arg10) : (tensor<i32>) -> tensor<f32>
    %28 = "stablehlo.pad"(%arg9, %27) <{edge_padding_high = array<i64: 0, 1>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<8x0xf32>, tensor<f32>) -> tensor<8x1xf32>
    "func.return"(%28) : (tensor<8x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x9xf32>) -> tensor<8x9xf32>, sym_name = "cumlogsumexp", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<8x9xf32>):
    %15 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.reduce_window"(%arg6, %15) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [8, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 9>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %17 = "stablehlo.maximum"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %18 = "stablehlo.subtract"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %19 = "stablehlo.compare"(%18, %18) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %20 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %21 = "stablehlo.abs"(%18) : (tensor<f32>) -> tensor<f32>
      %22 = "stablehlo.negate"(%21) : (tensor<f32>) -> tensor<f32>
      %23 = "stablehlo.exponential"(%22) : (tensor<f32>) -> tensor<f32>
      %24 = "stablehlo.log_plus_one"(%23) : (tensor<f32>) -> tensor<f32>
      %25 = "stablehlo.add"(%17, %24) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %26 = "stablehlo.select"(%19, %20, %25) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%26) : (tensor<f32>) -> ()
    }) : (tensor<8x9xf32>, tensor<f32>) -> tensor<8x9xf32>
    "func.return"(%16) : (tensor<8x9xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x9xf32>) -> tensor<8x9xf32>, sym_name = "cumlogsumexp_0", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<8x9xf32>):
    %3 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.reduce_window"(%arg3, %3) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 7], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 8, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %5 = "stablehlo.maximum"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %6 = "stablehlo.subtract"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %7 = "stablehlo.compare"(%6, %6) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %8 = "stablehlo.add"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %9 = "stablehlo.abs"(%6) : (tensor<f32>) -> tensor<f32>
      %10 = "stablehlo.negate"(%9) : (tensor<f32>) -> tensor<f32>
      %11 = "stablehlo.exponential"(%10) : (tensor<f32>) -> tensor<f32>
      %12 = "stablehlo.log_plus_one"(%11) : (tensor<f32>) -> tensor<f32>
      %13 = "stablehlo.add"(%5, %12) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %14 = "stablehlo.select"(%7, %8, %13) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%14) : (tensor<f32>) -> ()
    }) : (tensor<8x9xf32>, tensor<f32>) -> tensor<8x9xf32>
    "func.return"(%4) : (tensor<8x9xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x9xf32>) -> tensor<8x9xf32>, sym_name = "cumprod", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x9xf32>):
    %0 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [8, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 9>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = "stablehlo.multiply"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) : (tensor<8x9xf32>, tensor<f32>) -> tensor<8x9xf32>
    "func.return"(%1) : (tensor<8x9xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
