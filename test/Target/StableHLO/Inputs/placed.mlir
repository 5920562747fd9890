"builtin.module"() <{sym_name = "jit_step"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 2 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}], function_type = (tensor<16x32xf32>, tensor<32x8xf32>, tensor<24x16xf32>, tensor<24xi32>) -> (tensor<f32>, tensor<16x32xf32>, tensor<32x8xf32>), res_attrs = [{jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, []>}, {jax.result_info = "result[1]['w1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}, {jax.result_info = "result[1]['w2']", sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg25: tensor<16x32xf32>, %arg26: tensor<32x8xf32>, %arg27: tensor<24x16xf32>, %arg28: tensor<24xi32>):
    %61 = "stablehlo.dot_general"(%arg27, %arg25) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x16xf32>, tensor<16x32xf32>) -> tensor<24x32xf32>
    %62 = "stablehlo.tanh"(%61) : (tensor<24x32xf32>) -> tensor<24x32xf32>
    %63 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x32xf32>
    %65 = "stablehlo.subtract"(%64, %62) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %66 = "sdy.sharding_constraint"(%62) <{sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}> : (tensor<24x32xf32>) -> tensor<24x32xf32>
    %67 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %68 = "stablehlo.reduce"(%66, %67) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg41: tensor<f32>, %arg42: tensor<f32>):
      %186 = "stablehlo.add"(%arg41, %arg42) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%186) : (tensor<f32>) -> ()
    }) : (tensor<24x32xf32>, tensor<f32>) -> tensor<24xf32>
    %69 = "stablehlo.broadcast_in_dim"(%68) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x1xf32>
    %70 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x1xf32>
    %72 = "stablehlo.divide"(%69, %71) : (tensor<24x1xf32>, tensor<24x1xf32>) -> tensor<24x1xf32>
    %73 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<24x1xf32>) -> tensor<24x32xf32>
    %74 = "stablehlo.subtract"(%66, %73) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %75 = "sdy.sharding_constraint"(%74) <{sharding = #sdy.sharding<@mesh, [{}, {"b", "a"}]>}> : (tensor<24x32xf32>) -> tensor<24x32xf32>
    %76 = "stablehlo.multiply"(%75, %75) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %77 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %78 = "stablehlo.reduce"(%76, %77) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg39: tensor<f32>, %arg40: tensor<f32>):
      %185 = "stablehlo.add"(%arg39, %arg40) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%185) : (tensor<f32>) -> ()
    }) : (tensor<24x32xf32>, tensor<f32>) -> tensor<24xf32>
    %79 = "stablehlo.broadcast_in_dim"(%78) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x1xf32>
    %80 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %81 = "stablehlo.broadcast_in_dim"(%80) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x1xf32>
    %82 = "stablehlo.divide"(%79, %81) : (tensor<24x1xf32>, tensor<24x1xf32>) -> tensor<24x1xf32>
    %83 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %84 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x1xf32>
    %85 = "stablehlo.add"(%82, %84) : (tensor<24x1xf32>, tensor<24x1xf32>) -> tensor<24x1xf32>
    %86 = "stablehlo.rsqrt"(%85) : (tensor<24x1xf32>) -> tensor<24x1xf32>
    %87 = "stablehlo.divide"(%86, %85) : (tensor<24x1xf32>, tensor<24x1xf32>) -> tensor<24x1xf32>
    %88 = "stablehlo.constant"() <{value = dense<-5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %89 = "stablehlo.broadcast_in_dim"(%88) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x1xf32>
    %90 = "stablehlo.multiply"(%89, %87) : (tensor<24x1xf32>, tensor<24x1xf32>) -> tensor<24x1xf32>
    %91 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<24x1xf32>) -> tensor<24x32xf32>
    %92 = "stablehlo.multiply"(%75, %91) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %93 = "stablehlo.dot_general"(%92, %arg26) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x32xf32>, tensor<32x8xf32>) -> tensor<24x8xf32>
    %94 = "sdy.sharding_constraint"(%93) <{sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}> : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %95 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %96 = "stablehlo.broadcast_in_dim"(%95) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x8xf32>
    %97 = "sdy.sharding_constraint"(%96) <{sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}> : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %98 = "stablehlo.add"(%94, %97) : (tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    %99 = "sdy.sharding_constraint"(%98) <{sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}> : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %100 = "sdy.sharding_constraint"(%99) <{sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}> : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %101 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %102 = "stablehlo.broadcast_in_dim"(%101) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x8xf32>
    %103 = "stablehlo.compare"(%100, %102) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xi1>
    %104 = "sdy.sharding_constraint"(%103) <{sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}> : (tensor<24x8xi1>) -> tensor<24x8xi1>
    %105 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %106 = "stablehlo.broadcast_in_dim"(%105) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x8xf32>
    %107 = "stablehlo.multiply"(%106, %100) : (tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    %108 = "func.call"(%104, %100, %107) <{callee = @_where}> : (tensor<24x8xi1>, tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    %109 = "sdy.sharding_constraint"(%108) <{sharding = #sdy.sharding<@mesh, [{?}, {}]>}> : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %110:3 = "func.call"(%109) <{callee = @log_softmax}> : (tensor<24x8xf32>) -> (tensor<24x8xf32>, tensor<24x8xf32>, tensor<24x1xf32>)
    %111 = "stablehlo.broadcast_in_dim"(%arg28) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xi32>) -> tensor<24x1xi32>
    %112:2 = "func.call"(%110#0, %111) <{callee = @take_along_axis}> : (tensor<24x8xf32>, tensor<24x1xi32>) -> (tensor<24x1xf32>, tensor<24x1x1xi32>)
    %113 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %114 = "stablehlo.reduce"(%112#0, %113) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %184 = "stablehlo.add"(%arg37, %arg38) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%184) : (tensor<f32>) -> ()
    }) : (tensor<24x1xf32>, tensor<f32>) -> tensor<f32>
    %115 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %116 = "stablehlo.divide"(%114, %115) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %117 = "stablehlo.negate"(%116) : (tensor<f32>) -> tensor<f32>
    %118 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %119 = "stablehlo.negate"(%118) : (tensor<f32>) -> tensor<f32>
    %120 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %121 = "stablehlo.divide"(%119, %120) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %122 = "stablehlo.broadcast_in_dim"(%121) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x1xf32>
    %123 = "func.call"(%112#1, %122) <{callee = @take_along_axis_0}> : (tensor<24x1x1xi32>, tensor<24x1xf32>) -> tensor<24x8xf32>
    %124 = "func.call"(%110#1, %110#2, %123) <{callee = @log_softmax_1}> : (tensor<24x8xf32>, tensor<24x1xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    %125 = "sdy.sharding_constraint"(%124) <{sharding = #sdy.sharding<@mesh, [{?}, {}]>}> : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %126:2 = "func.call"(%104, %125) <{callee = @_where_2}> : (tensor<24x8xi1>, tensor<24x8xf32>) -> (tensor<24x8xf32>, tensor<24x8xf32>)
    %127 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %128 = "stablehlo.broadcast_in_dim"(%127) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x8xf32>
    %129 = "stablehlo.multiply"(%128, %126#1) : (tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    %130 = "stablehlo.add"(%126#0, %129) : (tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    %131 = "sdy.sharding_constraint"(%130) <{sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}> : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %132 = "sdy.sharding_constraint"(%131) <{sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}> : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %133 = "sdy.sharding_constraint"(%132) <{sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}> : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %134 = "stablehlo.dot_general"(%133, %92) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x8xf32>, tensor<24x32xf32>) -> tensor<8x32xf32>
    %135 = "stablehlo.transpose"(%134) <{permutation = array<i64: 1, 0>}> : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %136 = "stablehlo.dot_general"(%133, %arg26) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x8xf32>, tensor<32x8xf32>) -> tensor<24x32xf32>
    %137 = "stablehlo.multiply"(%75, %136) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %138 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %139 = "stablehlo.reduce"(%137, %138) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg35: tensor<f32>, %arg36: tensor<f32>):
      %183 = "stablehlo.add"(%arg35, %arg36) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%183) : (tensor<f32>) -> ()
    }) : (tensor<24x32xf32>, tensor<f32>) -> tensor<24xf32>
    %140 = "stablehlo.reshape"(%139) : (tensor<24xf32>) -> tensor<24x1xf32>
    %141 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<24x1xf32>) -> tensor<24x32xf32>
    %142 = "stablehlo.multiply"(%136, %141) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %143 = "stablehlo.multiply"(%140, %90) : (tensor<24x1xf32>, tensor<24x1xf32>) -> tensor<24x1xf32>
    %144 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %145 = "stablehlo.broadcast_in_dim"(%144) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x1xf32>
    %146 = "stablehlo.divide"(%143, %145) : (tensor<24x1xf32>, tensor<24x1xf32>) -> tensor<24x1xf32>
    %147 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %148 = "stablehlo.reduce"(%146, %147) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg33: tensor<f32>, %arg34: tensor<f32>):
      %182 = "stablehlo.add"(%arg33, %arg34) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%182) : (tensor<f32>) -> ()
    }) : (tensor<24x1xf32>, tensor<f32>) -> tensor<24xf32>
    %149 = "stablehlo.broadcast_in_dim"(%148) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x32xf32>
    %150 = "stablehlo.multiply"(%75, %149) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %151 = "stablehlo.add"(%142, %150) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %152 = "stablehlo.multiply"(%149, %75) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %153 = "stablehlo.add"(%151, %152) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %154 = "sdy.sharding_constraint"(%153) <{sharding = #sdy.sharding<@mesh, [{}, {"b", "a"}]>}> : (tensor<24x32xf32>) -> tensor<24x32xf32>
    %155 = "stablehlo.negate"(%154) : (tensor<24x32xf32>) -> tensor<24x32xf32>
    %156 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %157 = "stablehlo.reduce"(%155, %156) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg31: tensor<f32>, %arg32: tensor<f32>):
      %181 = "stablehlo.add"(%arg31, %arg32) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%181) : (tensor<f32>) -> ()
    }) : (tensor<24x32xf32>, tensor<f32>) -> tensor<24xf32>
    %158 = "stablehlo.reshape"(%157) : (tensor<24xf32>) -> tensor<24x1xf32>
    %159 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %160 = "stablehlo.broadcast_in_dim"(%159) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x1xf32>
    %161 = "stablehlo.divide"(%158, %160) : (tensor<24x1xf32>, tensor<24x1xf32>) -> tensor<24x1xf32>
    %162 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %163 = "stablehlo.reduce"(%161, %162) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
      %180 = "stablehlo.add"(%arg29, %arg30) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%180) : (tensor<f32>) -> ()
    }) : (tensor<24x1xf32>, tensor<f32>) -> tensor<24xf32>
    %164 = "stablehlo.broadcast_in_dim"(%163) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x32xf32>
    %165 = "stablehlo.add"(%154, %164) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %166 = "sdy.sharding_constraint"(%165) <{sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}> : (tensor<24x32xf32>) -> tensor<24x32xf32>
    %167 = "stablehlo.multiply"(%166, %65) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %168 = "stablehlo.multiply"(%167, %62) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %169 = "stablehlo.add"(%167, %168) : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %170 = "stablehlo.dot_general"(%169, %arg27) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<24x32xf32>, tensor<24x16xf32>) -> tensor<32x16xf32>
    %171 = "stablehlo.transpose"(%170) <{permutation = array<i64: 1, 0>}> : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %172 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %173 = "stablehlo.broadcast_in_dim"(%172) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %174 = "stablehlo.multiply"(%173, %171) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %175 = "stablehlo.subtract"(%arg25, %174) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %176 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %177 = "stablehlo.broadcast_in_dim"(%176) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x8xf32>
    %178 = "stablehlo.multiply"(%177, %135) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %179 = "stablehlo.subtract"(%arg26, %178) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    "func.return"(%117, %175, %179) : (tensor<f32>, tensor<16x32xf32>, tensor<32x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<24x8xi1>, tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg22: tensor<24x8xi1>, %arg23: tensor<24x8xf32>, %arg24: tensor<24x8xf32>):
    %60 = "stablehlo.select"(%arg22, %arg23, %arg24) : (tensor<24x8xi1>, tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    "func.return"(%60) : (tensor<24x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<24x8xf32>) -> (tensor<24x8xf32>, tensor<24x8xf32>, tensor<24x1xf32>), res_attrs = [{}, {}, {}], sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg17: tensor<24x8xf32>):
    %43 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %44 = "stablehlo.reduce"(%arg17, %43) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %59 = "stablehlo.maximum"(%arg20, %arg21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%59) : (tensor<f32>) -> ()
    }) : (tensor<24x8xf32>, tensor<f32>) -> tensor<24xf32>
    %45 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %46 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %47 = "stablehlo.maximum"(%46, %44) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %48 = "stablehlo.broadcast_in_dim"(%47) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x1xf32>
    %49 = "stablehlo.broadcast_in_dim"(%48) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<24x1xf32>) -> tensor<24x8xf32>
    %50 = "stablehlo.subtract"(%arg17, %49) : (tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    %51 = "stablehlo.exponential"(%50) : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %52 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %53 = "stablehlo.reduce"(%51, %52) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %58 = "stablehlo.add"(%arg18, %arg19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%58) : (tensor<f32>) -> ()
    }) : (tensor<24x8xf32>, tensor<f32>) -> tensor<24xf32>
    %54 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x1xf32>
    %55 = "stablehlo.log"(%54) : (tensor<24x1xf32>) -> tensor<24x1xf32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<24x1xf32>) -> tensor<24x8xf32>
    %57 = "stablehlo.subtract"(%50, %56) : (tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    "func.return"(%57, %51, %54) : (tensor<24x8xf32>, tensor<24x8xf32>, tensor<24x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<24x8xf32>, tensor<24x1xi32>) -> (tensor<24x1xf32>, tensor<24x1x1xi32>), res_attrs = [{}, {}], sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<24x8xf32>, %arg14: tensor<24x1xi32>):
    %20 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<24x1xi32>
    %22 = "stablehlo.compare"(%arg14, %21) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<24x1xi32>, tensor<24x1xi32>) -> tensor<24x1xi1>
    %23 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %24 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<24x1xi32>
    %25 = "stablehlo.add"(%arg14, %24) : (tensor<24x1xi32>, tensor<24x1xi32>) -> tensor<24x1xi32>
    %26 = "stablehlo.select"(%22, %25, %arg14) : (tensor<24x1xi1>, tensor<24x1xi32>, tensor<24x1xi32>) -> tensor<24x1xi32>
    %27 = "stablehlo.reshape"(%26) : (tensor<24x1xi32>) -> tensor<24x1x1xi32>
    %28 = "stablehlo.constant"() <{value = dense<7> : tensor<1xi32>}> : () -> tensor<1xi32>
    %29 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<24x1x1xi32>
    %31 = "stablehlo.compare"(%27, %30) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<24x1x1xi32>, tensor<24x1x1xi32>) -> tensor<24x1x1xi1>
    %32 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %33 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>) -> tensor<24x1x1xi32>
    %34 = "stablehlo.compare"(%27, %33) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<24x1x1xi32>, tensor<24x1x1xi32>) -> tensor<24x1x1xi1>
    %35 = "stablehlo.and"(%31, %34) : (tensor<24x1x1xi1>, tensor<24x1x1xi1>) -> tensor<24x1x1xi1>
    %36 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %37 = "stablehlo.reduce"(%35, %36) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg15: tensor<i1>, %arg16: tensor<i1>):
      %42 = "stablehlo.and"(%arg15, %arg16) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%42) : (tensor<i1>) -> ()
    }) : (tensor<24x1x1xi1>, tensor<i1>) -> tensor<24x1xi1>
    %38 = "stablehlo.gather"(%arg13, %27) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<24x8xf32>, tensor<24x1x1xi32>) -> tensor<24x1xf32>
    %39 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x1xf32>
    %41 = "stablehlo.select"(%37, %38, %40) : (tensor<24x1xi1>, tensor<24x1xf32>, tensor<24x1xf32>) -> tensor<24x1xf32>
    "func.return"(%41, %27) : (tensor<24x1xf32>, tensor<24x1x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<24x1x1xi32>, tensor<24x1xf32>) -> tensor<24x8xf32>, res_attrs = [{}], sym_name = "take_along_axis_0", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<24x1x1xi32>, %arg10: tensor<24x1xf32>):
    %16 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x8xf32>
    %18 = "stablehlo.scatter"(%17, %arg9, %arg10) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %19 = "stablehlo.add"(%arg11, %arg12) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%19) : (tensor<f32>) -> ()
    }) : (tensor<24x8xf32>, tensor<24x1x1xi32>, tensor<24x1xf32>) -> tensor<24x8xf32>
    "func.return"(%18) : (tensor<24x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<24x8xf32>, tensor<24x1xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>, res_attrs = [{}], sym_name = "log_softmax_1", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<24x8xf32>, %arg3: tensor<24x1xf32>, %arg4: tensor<24x8xf32>):
    %4 = "stablehlo.negate"(%arg4) : (tensor<24x8xf32>) -> tensor<24x8xf32>
    %5 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.reduce"(%4, %5) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %15 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%15) : (tensor<f32>) -> ()
    }) : (tensor<24x8xf32>, tensor<f32>) -> tensor<24xf32>
    %7 = "stablehlo.reshape"(%6) : (tensor<24xf32>) -> tensor<24x1xf32>
    %8 = "stablehlo.divide"(%7, %arg3) : (tensor<24x1xf32>, tensor<24x1xf32>) -> tensor<24x1xf32>
    %9 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.reduce"(%8, %9) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %14 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%14) : (tensor<f32>) -> ()
    }) : (tensor<24x1xf32>, tensor<f32>) -> tensor<24xf32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64: 0>}> : (tensor<24xf32>) -> tensor<24x8xf32>
    %12 = "stablehlo.multiply"(%11, %arg2) : (tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    %13 = "stablehlo.add"(%arg4, %12) : (tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    "func.return"(%13) : (tensor<24x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<24x8xi1>, tensor<24x8xf32>) -> (tensor<24x8xf32>, tensor<24x8xf32>), res_attrs = [{}, {}], sym_name = "_where_2", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<24x8xi1>, %arg1: tensor<24x8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x8xf32>
    %2 = "stablehlo.select"(%arg0, %1, %arg1) : (tensor<24x8xi1>, tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    %3 = "stablehlo.select"(%arg0, %arg1, %1) : (tensor<24x8xi1>, tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xf32>
    "func.return"(%3, %2) : (tensor<24x8xf32>, tensor<24x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
