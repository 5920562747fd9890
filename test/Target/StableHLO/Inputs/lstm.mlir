"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}], function_type = (tensor<48xf32>, tensor<12x3xf32>, tensor<12x48xf32>, tensor<8x48xf32>, tensor<4x6x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<48xf32>, tensor<12x3xf32>, tensor<12x48xf32>, tensor<8x48xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['b']"}, {jax.result_info = "result[1]['o']"}, {jax.result_info = "result[1]['wh']"}, {jax.result_info = "result[1]['wx']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg56: tensor<48xf32>, %arg57: tensor<12x3xf32>, %arg58: tensor<12x48xf32>, %arg59: tensor<8x48xf32>, %arg60: tensor<4x6x8xf32>, %arg61: tensor<4xi32>):
    %157 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %158 = "stablehlo.broadcast_in_dim"(%157) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %159 = "stablehlo.transpose"(%arg60) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x6x8xf32>) -> tensor<6x4x8xf32>
    %160 = "stablehlo.broadcast_in_dim"(%arg56) <{broadcast_dimensions = array<i64: 1>}> : (tensor<48xf32>) -> tensor<1x48xf32>
    %161 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %162 = "stablehlo.broadcast_in_dim"(%161) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %163 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %164 = "stablehlo.broadcast_in_dim"(%163) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %165 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %166 = "stablehlo.broadcast_in_dim"(%165) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %167 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %168 = "stablehlo.broadcast_in_dim"(%167) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %169 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %170 = "stablehlo.broadcast_in_dim"(%169) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %171 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %172 = "stablehlo.broadcast_in_dim"(%171) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %173 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %174 = "stablehlo.broadcast_in_dim"(%173) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %175 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %176 = "stablehlo.broadcast_in_dim"(%175) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %177 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %178 = "stablehlo.broadcast_in_dim"(%177) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %179 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %180 = "stablehlo.broadcast_in_dim"(%179) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %181 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %182 = "stablehlo.broadcast_in_dim"(%181) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %183 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %184 = "stablehlo.broadcast_in_dim"(%183) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x4x12xf32>
    %185 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %186:19 = "stablehlo.while"(%159, %arg59, %arg58, %160, %185, %158, %158, %162, %164, %166, %168, %170, %172, %174, %176, %178, %180, %182, %184) ({
    ^bb0(%arg123: tensor<6x4x8xf32>, %arg124: tensor<8x48xf32>, %arg125: tensor<12x48xf32>, %arg126: tensor<1x48xf32>, %arg127: tensor<i32>, %arg128: tensor<4x12xf32>, %arg129: tensor<4x12xf32>, %arg130: tensor<6x4x12xf32>, %arg131: tensor<6x4x12xf32>, %arg132: tensor<6x4x12xf32>, %arg133: tensor<6x4x12xf32>, %arg134: tensor<6x4x12xf32>, %arg135: tensor<6x4x12xf32>, %arg136: tensor<6x4x12xf32>, %arg137: tensor<6x4x12xf32>, %arg138: tensor<6x4x12xf32>, %arg139: tensor<6x4x12xf32>, %arg140: tensor<6x4x12xf32>, %arg141: tensor<6x4x12xf32>):
      %271 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
      %272 = "stablehlo.compare"(%arg127, %271) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%272) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg104: tensor<6x4x8xf32>, %arg105: tensor<8x48xf32>, %arg106: tensor<12x48xf32>, %arg107: tensor<1x48xf32>, %arg108: tensor<i32>, %arg109: tensor<4x12xf32>, %arg110: tensor<4x12xf32>, %arg111: tensor<6x4x12xf32>, %arg112: tensor<6x4x12xf32>, %arg113: tensor<6x4x12xf32>, %arg114: tensor<6x4x12xf32>, %arg115: tensor<6x4x12xf32>, %arg116: tensor<6x4x12xf32>, %arg117: tensor<6x4x12xf32>, %arg118: tensor<6x4x12xf32>, %arg119: tensor<6x4x12xf32>, %arg120: tensor<6x4x12xf32>, %arg121: tensor<6x4x12xf32>, %arg122: tensor<6x4x12xf32>):
      %255 = "func.call"(%arg104, %arg108) <{callee = @dynamic_index_in_dim}> : (tensor<6x4x8xf32>, tensor<i32>) -> tensor<4x8xf32>
      %256:14 = "func.call"(%arg105, %arg106, %arg107, %arg109, %arg110, %255) <{callee = @closed_call}> : (tensor<8x48xf32>, tensor<12x48xf32>, tensor<1x48xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x8xf32>) -> (tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>)
      %257 = "func.call"(%arg111, %256#2, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %258 = "func.call"(%arg112, %256#3, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %259 = "func.call"(%arg113, %256#4, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %260 = "func.call"(%arg114, %256#5, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %261 = "func.call"(%arg115, %256#6, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %262 = "func.call"(%arg116, %256#7, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %263 = "func.call"(%arg117, %256#8, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %264 = "func.call"(%arg118, %256#9, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %265 = "func.call"(%arg119, %256#10, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %266 = "func.call"(%arg120, %256#11, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %267 = "func.call"(%arg121, %256#12, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %268 = "func.call"(%arg122, %256#13, %arg108) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>
      %269 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %270 = "stablehlo.add"(%arg108, %269) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg104, %arg105, %arg106, %arg107, %270, %256#0, %256#1, %257, %258, %259, %260, %261, %262, %263, %264, %265, %266, %267, %268) : (tensor<6x4x8xf32>, tensor<8x48xf32>, tensor<12x48xf32>, tensor<1x48xf32>, tensor<i32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>) -> ()
    }) : (tensor<6x4x8xf32>, tensor<8x48xf32>, tensor<12x48xf32>, tensor<1x48xf32>, tensor<i32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>) -> (tensor<6x4x8xf32>, tensor<8x48xf32>, tensor<12x48xf32>, tensor<1x48xf32>, tensor<i32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>)
    %187 = "stablehlo.dot_general"(%186#5, %arg57) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x12xf32>, tensor<12x3xf32>) -> tensor<4x3xf32>
    %188:3 = "func.call"(%187) <{callee = @log_softmax}> : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x1xf32>)
    %189 = "stablehlo.broadcast_in_dim"(%arg61) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x1xi32>
    %190:2 = "func.call"(%188#0, %189) <{callee = @take_along_axis}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>)
    %191 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %192 = "stablehlo.reduce"(%190#0, %191) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg102: tensor<f32>, %arg103: tensor<f32>):
      %254 = "stablehlo.add"(%arg102, %arg103) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%254) : (tensor<f32>) -> ()
    }) : (tensor<4x1xf32>, tensor<f32>) -> tensor<f32>
    %193 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %194 = "stablehlo.divide"(%192, %193) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %195 = "stablehlo.negate"(%194) : (tensor<f32>) -> tensor<f32>
    %196 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %197 = "stablehlo.negate"(%196) : (tensor<f32>) -> tensor<f32>
    %198 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %199 = "stablehlo.divide"(%197, %198) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %200 = "stablehlo.broadcast_in_dim"(%199) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1xf32>
    %201 = "func.call"(%190#1, %200) <{callee = @take_along_axis_0}> : (tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x3xf32>
    %202 = "func.call"(%188#1, %188#2, %201) <{callee = @log_softmax_1}> : (tensor<4x3xf32>, tensor<4x1xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %203 = "stablehlo.dot_general"(%202, %186#5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x3xf32>, tensor<4x12xf32>) -> tensor<3x12xf32>
    %204 = "stablehlo.transpose"(%203) <{permutation = array<i64: 1, 0>}> : (tensor<3x12xf32>) -> tensor<12x3xf32>
    %205 = "stablehlo.dot_general"(%202, %arg57) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x3xf32>, tensor<12x3xf32>) -> tensor<4x12xf32>
    %206 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %207 = "stablehlo.broadcast_in_dim"(%206) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %208 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %209 = "stablehlo.broadcast_in_dim"(%208) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x48xf32>
    %210 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %211 = "stablehlo.broadcast_in_dim"(%210) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x48xf32>
    %212 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %213 = "stablehlo.broadcast_in_dim"(%212) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %214 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %215:20 = "stablehlo.while"(%159, %186#7, %186#8, %186#9, %186#10, %186#11, %186#12, %186#13, %186#14, %186#15, %186#16, %186#17, %186#18, %arg58, %214, %209, %211, %213, %205, %207) ({
    ^bb0(%arg82: tensor<6x4x8xf32>, %arg83: tensor<6x4x12xf32>, %arg84: tensor<6x4x12xf32>, %arg85: tensor<6x4x12xf32>, %arg86: tensor<6x4x12xf32>, %arg87: tensor<6x4x12xf32>, %arg88: tensor<6x4x12xf32>, %arg89: tensor<6x4x12xf32>, %arg90: tensor<6x4x12xf32>, %arg91: tensor<6x4x12xf32>, %arg92: tensor<6x4x12xf32>, %arg93: tensor<6x4x12xf32>, %arg94: tensor<6x4x12xf32>, %arg95: tensor<12x48xf32>, %arg96: tensor<i32>, %arg97: tensor<8x48xf32>, %arg98: tensor<12x48xf32>, %arg99: tensor<48xf32>, %arg100: tensor<4x12xf32>, %arg101: tensor<4x12xf32>):
      %252 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
      %253 = "stablehlo.compare"(%arg96, %252) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%253) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg62: tensor<6x4x8xf32>, %arg63: tensor<6x4x12xf32>, %arg64: tensor<6x4x12xf32>, %arg65: tensor<6x4x12xf32>, %arg66: tensor<6x4x12xf32>, %arg67: tensor<6x4x12xf32>, %arg68: tensor<6x4x12xf32>, %arg69: tensor<6x4x12xf32>, %arg70: tensor<6x4x12xf32>, %arg71: tensor<6x4x12xf32>, %arg72: tensor<6x4x12xf32>, %arg73: tensor<6x4x12xf32>, %arg74: tensor<6x4x12xf32>, %arg75: tensor<12x48xf32>, %arg76: tensor<i32>, %arg77: tensor<8x48xf32>, %arg78: tensor<12x48xf32>, %arg79: tensor<48xf32>, %arg80: tensor<4x12xf32>, %arg81: tensor<4x12xf32>):
      %232 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
      %233 = "stablehlo.subtract"(%232, %arg76) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %234 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %235 = "stablehlo.subtract"(%233, %234) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %236 = "func.call"(%arg62, %235) <{callee = @dynamic_index_in_dim}> : (tensor<6x4x8xf32>, tensor<i32>) -> tensor<4x8xf32>
      %237 = "func.call"(%arg63, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %238 = "func.call"(%arg64, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %239 = "func.call"(%arg65, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %240 = "func.call"(%arg66, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %241 = "func.call"(%arg67, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %242 = "func.call"(%arg68, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %243 = "func.call"(%arg69, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %244 = "func.call"(%arg70, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %245 = "func.call"(%arg71, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %246 = "func.call"(%arg72, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %247 = "func.call"(%arg73, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %248 = "func.call"(%arg74, %235) <{callee = @dynamic_index_in_dim_2}> : (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>
      %249:5 = "func.call"(%arg75, %arg77, %arg78, %arg79, %arg80, %arg81, %236, %237, %238, %239, %240, %241, %242, %243, %244, %245, %246, %247, %248) <{callee = @closed_call_3}> : (tensor<12x48xf32>, tensor<8x48xf32>, tensor<12x48xf32>, tensor<48xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x8xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>) -> (tensor<8x48xf32>, tensor<12x48xf32>, tensor<48xf32>, tensor<4x12xf32>, tensor<4x12xf32>)
      %250 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %251 = "stablehlo.add"(%arg76, %250) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg62, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %arg69, %arg70, %arg71, %arg72, %arg73, %arg74, %arg75, %251, %249#0, %249#1, %249#2, %249#3, %249#4) : (tensor<6x4x8xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<12x48xf32>, tensor<i32>, tensor<8x48xf32>, tensor<12x48xf32>, tensor<48xf32>, tensor<4x12xf32>, tensor<4x12xf32>) -> ()
    }) : (tensor<6x4x8xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<12x48xf32>, tensor<i32>, tensor<8x48xf32>, tensor<12x48xf32>, tensor<48xf32>, tensor<4x12xf32>, tensor<4x12xf32>) -> (tensor<6x4x8xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<6x4x12xf32>, tensor<12x48xf32>, tensor<i32>, tensor<8x48xf32>, tensor<12x48xf32>, tensor<48xf32>, tensor<4x12xf32>, tensor<4x12xf32>)
    %216 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %217 = "stablehlo.broadcast_in_dim"(%216) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %218 = "stablehlo.multiply"(%217, %215#17) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %219 = "stablehlo.subtract"(%arg56, %218) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %220 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %221 = "stablehlo.broadcast_in_dim"(%220) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x3xf32>
    %222 = "stablehlo.multiply"(%221, %204) : (tensor<12x3xf32>, tensor<12x3xf32>) -> tensor<12x3xf32>
    %223 = "stablehlo.subtract"(%arg57, %222) : (tensor<12x3xf32>, tensor<12x3xf32>) -> tensor<12x3xf32>
    %224 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %225 = "stablehlo.broadcast_in_dim"(%224) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x48xf32>
    %226 = "stablehlo.multiply"(%225, %215#16) : (tensor<12x48xf32>, tensor<12x48xf32>) -> tensor<12x48xf32>
    %227 = "stablehlo.subtract"(%arg58, %226) : (tensor<12x48xf32>, tensor<12x48xf32>) -> tensor<12x48xf32>
    %228 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %229 = "stablehlo.broadcast_in_dim"(%228) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x48xf32>
    %230 = "stablehlo.multiply"(%229, %215#15) : (tensor<8x48xf32>, tensor<8x48xf32>) -> tensor<8x48xf32>
    %231 = "stablehlo.subtract"(%arg59, %230) : (tensor<8x48xf32>, tensor<8x48xf32>) -> tensor<8x48xf32>
    "func.return"(%195, %219, %223, %227, %231) : (tensor<f32>, tensor<48xf32>, tensor<12x3xf32>, tensor<12x48xf32>, tensor<8x48xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6x4x8xf32>, tensor<i32>) -> tensor<4x8xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg54: tensor<6x4x8xf32>, %arg55: tensor<i32>):
    %153 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %154 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %155 = "stablehlo.dynamic_slice"(%arg54, %arg55, %153, %154) <{slice_sizes = array<i64: 1, 4, 8>}> : (tensor<6x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8xf32>
    %156 = "stablehlo.reshape"(%155) : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%156) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x48xf32>, tensor<12x48xf32>, tensor<1x48xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x8xf32>) -> (tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg48: tensor<8x48xf32>, %arg49: tensor<12x48xf32>, %arg50: tensor<1x48xf32>, %arg51: tensor<4x12xf32>, %arg52: tensor<4x12xf32>, %arg53: tensor<4x8xf32>):
    %96 = "stablehlo.dot_general"(%arg53, %arg48) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8xf32>, tensor<8x48xf32>) -> tensor<4x48xf32>
    %97 = "stablehlo.dot_general"(%arg51, %arg49) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x12xf32>, tensor<12x48xf32>) -> tensor<4x48xf32>
    %98 = "stablehlo.add"(%96, %97) : (tensor<4x48xf32>, tensor<4x48xf32>) -> tensor<4x48xf32>
    %99 = "stablehlo.broadcast_in_dim"(%arg50) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x48xf32>) -> tensor<4x48xf32>
    %100 = "stablehlo.add"(%98, %99) : (tensor<4x48xf32>, tensor<4x48xf32>) -> tensor<4x48xf32>
    %101 = "stablehlo.slice"(%100) <{limit_indices = array<i64: 4, 12>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x48xf32>) -> tensor<4x12xf32>
    %102 = "stablehlo.slice"(%100) <{limit_indices = array<i64: 4, 24>, start_indices = array<i64: 0, 12>, strides = array<i64: 1, 1>}> : (tensor<4x48xf32>) -> tensor<4x12xf32>
    %103 = "stablehlo.slice"(%100) <{limit_indices = array<i64: 4, 36>, start_indices = array<i64: 0, 24>, strides = array<i64: 1, 1>}> : (tensor<4x48xf32>) -> tensor<4x12xf32>
    %104 = "stablehlo.slice"(%100) <{limit_indices = array<i64: 4, 48>, start_indices = array<i64: 0, 36>, strides = array<i64: 1, 1>}> : (tensor<4x48xf32>) -> tensor<4x12xf32>
    %105 = "stablehlo.negate"(%102) : (tensor<4x12xf32>) -> tensor<4x12xf32>
    %106 = "stablehlo.exponential"(%105) : (tensor<4x12xf32>) -> tensor<4x12xf32>
    %107 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %108 = "stablehlo.broadcast_in_dim"(%107) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %109 = "stablehlo.add"(%108, %106) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %110 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %111 = "stablehlo.broadcast_in_dim"(%110) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %112 = "stablehlo.divide"(%111, %109) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %113 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %114 = "stablehlo.broadcast_in_dim"(%113) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %115 = "stablehlo.subtract"(%114, %112) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %116 = "stablehlo.multiply"(%112, %115) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %117 = "stablehlo.multiply"(%112, %arg52) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %118 = "stablehlo.negate"(%101) : (tensor<4x12xf32>) -> tensor<4x12xf32>
    %119 = "stablehlo.exponential"(%118) : (tensor<4x12xf32>) -> tensor<4x12xf32>
    %120 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %121 = "stablehlo.broadcast_in_dim"(%120) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %122 = "stablehlo.add"(%121, %119) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %123 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %124 = "stablehlo.broadcast_in_dim"(%123) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %125 = "stablehlo.divide"(%124, %122) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %126 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %127 = "stablehlo.broadcast_in_dim"(%126) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %128 = "stablehlo.subtract"(%127, %125) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %129 = "stablehlo.multiply"(%125, %128) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %130 = "stablehlo.tanh"(%103) : (tensor<4x12xf32>) -> tensor<4x12xf32>
    %131 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %132 = "stablehlo.broadcast_in_dim"(%131) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %133 = "stablehlo.subtract"(%132, %130) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %134 = "stablehlo.multiply"(%125, %130) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %135 = "stablehlo.add"(%117, %134) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %136 = "stablehlo.negate"(%104) : (tensor<4x12xf32>) -> tensor<4x12xf32>
    %137 = "stablehlo.exponential"(%136) : (tensor<4x12xf32>) -> tensor<4x12xf32>
    %138 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %139 = "stablehlo.broadcast_in_dim"(%138) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %140 = "stablehlo.add"(%139, %137) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %141 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %142 = "stablehlo.broadcast_in_dim"(%141) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %143 = "stablehlo.divide"(%142, %140) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %144 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %145 = "stablehlo.broadcast_in_dim"(%144) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %146 = "stablehlo.subtract"(%145, %143) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %147 = "stablehlo.multiply"(%143, %146) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %148 = "stablehlo.tanh"(%135) : (tensor<4x12xf32>) -> tensor<4x12xf32>
    %149 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %150 = "stablehlo.broadcast_in_dim"(%149) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x12xf32>
    %151 = "stablehlo.subtract"(%150, %148) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %152 = "stablehlo.multiply"(%143, %148) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    "func.return"(%152, %135, %arg51, %116, %arg52, %112, %129, %130, %133, %125, %147, %148, %151, %143) : (tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<6x4x12xf32>, tensor<4x12xf32>, tensor<i32>) -> tensor<6x4x12xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg45: tensor<6x4x12xf32>, %arg46: tensor<4x12xf32>, %arg47: tensor<i32>):
    %92 = "stablehlo.broadcast_in_dim"(%arg46) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x12xf32>) -> tensor<1x4x12xf32>
    %93 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %94 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %95 = "stablehlo.dynamic_update_slice"(%arg45, %92, %arg47, %93, %94) : (tensor<6x4x12xf32>, tensor<1x4x12xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x4x12xf32>
    "func.return"(%95) : (tensor<6x4x12xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x1xf32>), res_attrs = [{}, {}, {}], sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg40: tensor<4x3xf32>):
    %75 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %76 = "stablehlo.reduce"(%arg40, %75) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg43: tensor<f32>, %arg44: tensor<f32>):
      %91 = "stablehlo.maximum"(%arg43, %arg44) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%91) : (tensor<f32>) -> ()
    }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
    %77 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %79 = "stablehlo.maximum"(%78, %76) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %80 = "stablehlo.broadcast_in_dim"(%79) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x1xf32>
    %81 = "stablehlo.broadcast_in_dim"(%80) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf32>) -> tensor<4x3xf32>
    %82 = "stablehlo.subtract"(%arg40, %81) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %83 = "stablehlo.exponential"(%82) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %84 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %85 = "stablehlo.reduce"(%83, %84) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg41: tensor<f32>, %arg42: tensor<f32>):
      %90 = "stablehlo.add"(%arg41, %arg42) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%90) : (tensor<f32>) -> ()
    }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
    %86 = "stablehlo.broadcast_in_dim"(%85) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x1xf32>
    %87 = "stablehlo.log"(%86) : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %88 = "stablehlo.broadcast_in_dim"(%87) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf32>) -> tensor<4x3xf32>
    %89 = "stablehlo.subtract"(%82, %88) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    "func.return"(%89, %83, %86) : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x3xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>), res_attrs = [{}, {}], sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg36: tensor<4x3xf32>, %arg37: tensor<4x1xi32>):
    %52 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %53 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %54 = "stablehlo.compare"(%arg37, %53) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %55 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %57 = "stablehlo.add"(%arg37, %56) : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %58 = "stablehlo.select"(%54, %57, %arg37) : (tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %59 = "stablehlo.reshape"(%58) : (tensor<4x1xi32>) -> tensor<4x1x1xi32>
    %60 = "stablehlo.constant"() <{value = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
    %61 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %62 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1x1xi32>
    %63 = "stablehlo.compare"(%59, %62) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %64 = "stablehlo.broadcast_in_dim"(%60) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %65 = "stablehlo.broadcast_in_dim"(%64) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>) -> tensor<4x1x1xi32>
    %66 = "stablehlo.compare"(%59, %65) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %67 = "stablehlo.and"(%63, %66) : (tensor<4x1x1xi1>, tensor<4x1x1xi1>) -> tensor<4x1x1xi1>
    %68 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %69 = "stablehlo.reduce"(%67, %68) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg38: tensor<i1>, %arg39: tensor<i1>):
      %74 = "stablehlo.and"(%arg38, %arg39) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%74) : (tensor<i1>) -> ()
    }) : (tensor<4x1x1xi1>, tensor<i1>) -> tensor<4x1xi1>
    %70 = "stablehlo.gather"(%arg36, %59) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x3xf32>, tensor<4x1x1xi32>) -> tensor<4x1xf32>
    %71 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %72 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1xf32>
    %73 = "stablehlo.select"(%69, %70, %72) : (tensor<4x1xi1>, tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    "func.return"(%73, %59) : (tensor<4x1xf32>, tensor<4x1x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x3xf32>, res_attrs = [{}], sym_name = "take_along_axis_0", sym_visibility = "private"}> ({
  ^bb0(%arg32: tensor<4x1x1xi32>, %arg33: tensor<4x1xf32>):
    %48 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %49 = "stablehlo.broadcast_in_dim"(%48) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3xf32>
    %50 = "stablehlo.scatter"(%49, %arg32, %arg33) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg34: tensor<f32>, %arg35: tensor<f32>):
      %51 = "stablehlo.add"(%arg34, %arg35) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%51) : (tensor<f32>) -> ()
    }) : (tensor<4x3xf32>, tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x3xf32>
    "func.return"(%50) : (tensor<4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x3xf32>, tensor<4x1xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>, res_attrs = [{}], sym_name = "log_softmax_1", sym_visibility = "private"}> ({
  ^bb0(%arg25: tensor<4x3xf32>, %arg26: tensor<4x1xf32>, %arg27: tensor<4x3xf32>):
    %36 = "stablehlo.negate"(%arg27) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %37 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %38 = "stablehlo.reduce"(%36, %37) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg30: tensor<f32>, %arg31: tensor<f32>):
      %47 = "stablehlo.add"(%arg30, %arg31) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%47) : (tensor<f32>) -> ()
    }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
    %39 = "stablehlo.reshape"(%38) : (tensor<4xf32>) -> tensor<4x1xf32>
    %40 = "stablehlo.divide"(%39, %arg26) : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %41 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %42 = "stablehlo.reduce"(%40, %41) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %46 = "stablehlo.add"(%arg28, %arg29) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%46) : (tensor<f32>) -> ()
    }) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %43 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x3xf32>
    %44 = "stablehlo.multiply"(%43, %arg25) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %45 = "stablehlo.add"(%arg27, %44) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    "func.return"(%45) : (tensor<4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6x4x12xf32>, tensor<i32>) -> tensor<4x12xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_2", sym_visibility = "private"}> ({
  ^bb0(%arg23: tensor<6x4x12xf32>, %arg24: tensor<i32>):
    %32 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %33 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %34 = "stablehlo.dynamic_slice"(%arg23, %arg24, %32, %33) <{slice_sizes = array<i64: 1, 4, 12>}> : (tensor<6x4x12xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x12xf32>
    %35 = "stablehlo.reshape"(%34) : (tensor<1x4x12xf32>) -> tensor<4x12xf32>
    "func.return"(%35) : (tensor<4x12xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<12x48xf32>, tensor<8x48xf32>, tensor<12x48xf32>, tensor<48xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x8xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>) -> (tensor<8x48xf32>, tensor<12x48xf32>, tensor<48xf32>, tensor<4x12xf32>, tensor<4x12xf32>), res_attrs = [{}, {}, {}, {}, {}], sym_name = "closed_call_3", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<12x48xf32>, %arg1: tensor<8x48xf32>, %arg2: tensor<12x48xf32>, %arg3: tensor<48xf32>, %arg4: tensor<4x12xf32>, %arg5: tensor<4x12xf32>, %arg6: tensor<4x8xf32>, %arg7: tensor<4x12xf32>, %arg8: tensor<4x12xf32>, %arg9: tensor<4x12xf32>, %arg10: tensor<4x12xf32>, %arg11: tensor<4x12xf32>, %arg12: tensor<4x12xf32>, %arg13: tensor<4x12xf32>, %arg14: tensor<4x12xf32>, %arg15: tensor<4x12xf32>, %arg16: tensor<4x12xf32>, %arg17: tensor<4x12xf32>, %arg18: tensor<4x12xf32>):
    %0 = "stablehlo.multiply"(%arg18, %arg4) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %1 = "stablehlo.multiply"(%arg4, %arg16) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %2 = "stablehlo.multiply"(%0, %arg17) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %3 = "stablehlo.add"(%arg5, %2) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %4 = "stablehlo.multiply"(%2, %arg16) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %5 = "stablehlo.add"(%3, %4) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %6 = "stablehlo.multiply"(%1, %arg15) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %7 = "stablehlo.multiply"(%arg14, %5) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %8 = "stablehlo.multiply"(%5, %arg12) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %9 = "stablehlo.multiply"(%7, %arg13) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %10 = "stablehlo.multiply"(%9, %arg12) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %11 = "stablehlo.add"(%9, %10) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %12 = "stablehlo.multiply"(%8, %arg11) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %13 = "stablehlo.multiply"(%arg10, %5) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %14 = "stablehlo.multiply"(%5, %arg9) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %15 = "stablehlo.multiply"(%14, %arg8) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %16 = "stablehlo.concatenate"(%12, %15, %11, %6) <{dimension = 1 : i64}> : (tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x48xf32>
    %17 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %18 = "stablehlo.reduce"(%16, %17) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg21: tensor<f32>, %arg22: tensor<f32>):
      %31 = "stablehlo.add"(%arg21, %arg22) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) : (tensor<4x48xf32>, tensor<f32>) -> tensor<48xf32>
    %19 = "stablehlo.reshape"(%18) : (tensor<48xf32>) -> tensor<1x48xf32>
    %20 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %21 = "stablehlo.reduce"(%19, %20) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg19: tensor<f32>, %arg20: tensor<f32>):
      %30 = "stablehlo.add"(%arg19, %arg20) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%30) : (tensor<f32>) -> ()
    }) : (tensor<1x48xf32>, tensor<f32>) -> tensor<48xf32>
    %22 = "stablehlo.add"(%arg3, %21) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %23 = "stablehlo.dot_general"(%16, %arg7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x48xf32>, tensor<4x12xf32>) -> tensor<48x12xf32>
    %24 = "stablehlo.transpose"(%23) <{permutation = array<i64: 1, 0>}> : (tensor<48x12xf32>) -> tensor<12x48xf32>
    %25 = "stablehlo.add"(%arg2, %24) : (tensor<12x48xf32>, tensor<12x48xf32>) -> tensor<12x48xf32>
    %26 = "stablehlo.dot_general"(%16, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x48xf32>, tensor<12x48xf32>) -> tensor<4x12xf32>
    %27 = "stablehlo.dot_general"(%16, %arg6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x48xf32>, tensor<4x8xf32>) -> tensor<48x8xf32>
    %28 = "stablehlo.transpose"(%27) <{permutation = array<i64: 1, 0>}> : (tensor<48x8xf32>) -> tensor<8x48xf32>
    %29 = "stablehlo.add"(%arg1, %28) : (tensor<8x48xf32>, tensor<8x48xf32>) -> tensor<8x48xf32>
    "func.return"(%29, %25, %22, %26, %13) : (tensor<8x48xf32>, tensor<12x48xf32>, tensor<48xf32>, tensor<4x12xf32>, tensor<4x12xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
