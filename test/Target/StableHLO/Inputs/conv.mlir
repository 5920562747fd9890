"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<8xf32>, tensor<8xf32>, tensor<3x3x3x8xf32>, tensor<3x3x1x16xf32>, tensor<256x10xf32>, tensor<4x32x32x3xf32>, tensor<4xi32>, tensor<2xui32>) -> (tensor<f32>, tensor<8xf32>, tensor<8xf32>, tensor<3x3x3x8xf32>, tensor<3x3x1x16xf32>, tensor<256x10xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['b1']"}, {jax.result_info = "result[1]['g']"}, {jax.result_info = "result[1]['w1']"}, {jax.result_info = "result[1]['w2']"}, {jax.result_info = "result[1]['w3']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg80: tensor<8xf32>, %arg81: tensor<8xf32>, %arg82: tensor<3x3x3x8xf32>, %arg83: tensor<3x3x1x16xf32>, %arg84: tensor<256x10xf32>, %arg85: tensor<4x32x32x3xf32>, %arg86: tensor<4xi32>, %arg87: tensor<2xui32>):
    %242 = "stablehlo.convolution"(%arg85, %arg82) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<4x32x32x3xf32>, tensor<3x3x3x8xf32>) -> tensor<4x32x32x8xf32>
    %243 = "stablehlo.broadcast_in_dim"(%arg80) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %244 = "stablehlo.broadcast_in_dim"(%243) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<4x32x32x8xf32>
    %245 = "stablehlo.add"(%242, %244) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %246 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %247 = "stablehlo.reduce"(%245, %246) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg116: tensor<f32>, %arg117: tensor<f32>):
      %449 = "stablehlo.add"(%arg116, %arg117) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%449) : (tensor<f32>) -> ()
    }) : (tensor<4x32x32x8xf32>, tensor<f32>) -> tensor<8xf32>
    %248 = "stablehlo.constant"() <{value = dense<4.096000e+03> : tensor<f32>}> : () -> tensor<f32>
    %249 = "stablehlo.broadcast_in_dim"(%248) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %250 = "stablehlo.divide"(%247, %249) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %251 = "stablehlo.broadcast_in_dim"(%250) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %252 = "stablehlo.broadcast_in_dim"(%251) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<4x32x32x8xf32>
    %253 = "stablehlo.subtract"(%245, %252) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %254 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %255:4 = "func.call"(%245, %254) <{callee = @_var}> : (tensor<4x32x32x8xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<4x32x32x8xf32>, tensor<f32>, tensor<i1>)
    %256 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %257 = "stablehlo.broadcast_in_dim"(%256) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %258 = "stablehlo.add"(%255#0, %257) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %259 = "stablehlo.rsqrt"(%258) : (tensor<8xf32>) -> tensor<8xf32>
    %260 = "stablehlo.divide"(%259, %258) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %261 = "stablehlo.constant"() <{value = dense<-5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %262 = "stablehlo.broadcast_in_dim"(%261) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %263 = "stablehlo.multiply"(%262, %260) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %264 = "stablehlo.broadcast_in_dim"(%259) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %265 = "stablehlo.broadcast_in_dim"(%264) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<4x32x32x8xf32>
    %266 = "stablehlo.multiply"(%253, %265) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %267 = "stablehlo.broadcast_in_dim"(%arg81) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %268 = "stablehlo.broadcast_in_dim"(%267) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<4x32x32x8xf32>
    %269 = "stablehlo.multiply"(%266, %268) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %270 = "func.call"(%269) <{callee = @relu}> : (tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %271 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %272 = "stablehlo.broadcast_in_dim"(%271) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x32x32x8xf32>
    %273 = "stablehlo.compare"(%269, %272) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xi1>
    %274 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %275 = "stablehlo.broadcast_in_dim"(%274) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %276 = "stablehlo.reduce_window"(%270, %275) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg114: tensor<f32>, %arg115: tensor<f32>):
      %448 = "stablehlo.maximum"(%arg114, %arg115) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%448) : (tensor<f32>) -> ()
    }) : (tensor<4x32x32x8xf32>, tensor<f32>) -> tensor<4x16x16x8xf32>
    %277 = "stablehlo.convolution"(%276, %arg83) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 8 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 2, 2>}> : (tensor<4x16x16x8xf32>, tensor<3x3x1x16xf32>) -> tensor<4x8x8x16xf32>
    %278 = "stablehlo.multiply"(%277, %277) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %279 = "stablehlo.multiply"(%278, %277) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %280 = "stablehlo.multiply"(%277, %277) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %281 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %282 = "stablehlo.broadcast_in_dim"(%281) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %283 = "stablehlo.multiply"(%282, %280) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %284 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f32>}> : () -> tensor<f32>
    %285 = "stablehlo.broadcast_in_dim"(%284) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %286 = "stablehlo.multiply"(%285, %279) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %287 = "stablehlo.add"(%277, %286) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %288 = "stablehlo.constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> tensor<f32>
    %289 = "stablehlo.broadcast_in_dim"(%288) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %290 = "stablehlo.multiply"(%289, %287) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %291 = "stablehlo.tanh"(%290) : (tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %292 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %293 = "stablehlo.broadcast_in_dim"(%292) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %294 = "stablehlo.subtract"(%293, %291) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %295 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %296 = "stablehlo.broadcast_in_dim"(%295) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %297 = "stablehlo.add"(%296, %291) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %298 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %299 = "stablehlo.broadcast_in_dim"(%298) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %300 = "stablehlo.multiply"(%299, %297) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %301 = "stablehlo.multiply"(%277, %300) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %302 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %303 = "func.call"(%arg87, %302) <{callee = @_bernoulli}> : (tensor<2xui32>, tensor<f32>) -> tensor<4x8x8x16xi1>
    %304 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %305 = "stablehlo.broadcast_in_dim"(%304) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %306 = "stablehlo.divide"(%301, %305) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %307 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %308 = "func.call"(%303, %306, %307) <{callee = @_where_0}> : (tensor<4x8x8x16xi1>, tensor<4x8x8x16xf32>, tensor<i32>) -> tensor<4x8x8x16xf32>
    %309 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %310 = "stablehlo.broadcast_in_dim"(%309) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %311 = "stablehlo.reduce_window"(%308, %310) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg112: tensor<f32>, %arg113: tensor<f32>):
      %447 = "stablehlo.add"(%arg112, %arg113) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%447) : (tensor<f32>) -> ()
    }) : (tensor<4x8x8x16xf32>, tensor<f32>) -> tensor<4x4x4x16xf32>
    %312 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %313 = "stablehlo.broadcast_in_dim"(%312) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x4x16xf32>
    %314 = "stablehlo.divide"(%311, %313) : (tensor<4x4x4x16xf32>, tensor<4x4x4x16xf32>) -> tensor<4x4x4x16xf32>
    %315 = "stablehlo.reshape"(%314) : (tensor<4x4x4x16xf32>) -> tensor<4x256xf32>
    %316 = "stablehlo.dot_general"(%315, %arg84) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x256xf32>, tensor<256x10xf32>) -> tensor<4x10xf32>
    %317:3 = "func.call"(%316) <{callee = @log_softmax}> : (tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>)
    %318 = "stablehlo.broadcast_in_dim"(%arg86) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x1xi32>
    %319:2 = "func.call"(%317#0, %318) <{callee = @take_along_axis}> : (tensor<4x10xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>)
    %320 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %321 = "stablehlo.reduce"(%319#0, %320) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg110: tensor<f32>, %arg111: tensor<f32>):
      %446 = "stablehlo.add"(%arg110, %arg111) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%446) : (tensor<f32>) -> ()
    }) : (tensor<4x1xf32>, tensor<f32>) -> tensor<f32>
    %322 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %323 = "stablehlo.divide"(%321, %322) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %324 = "stablehlo.negate"(%323) : (tensor<f32>) -> tensor<f32>
    %325 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %326 = "stablehlo.negate"(%325) : (tensor<f32>) -> tensor<f32>
    %327 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %328 = "stablehlo.divide"(%326, %327) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %329 = "stablehlo.broadcast_in_dim"(%328) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1xf32>
    %330 = "func.call"(%319#1, %329) <{callee = @take_along_axis_1}> : (tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    %331 = "func.call"(%317#1, %317#2, %330) <{callee = @log_softmax_2}> : (tensor<4x10xf32>, tensor<4x1xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    %332 = "stablehlo.dot_general"(%331, %315) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x10xf32>, tensor<4x256xf32>) -> tensor<10x256xf32>
    %333 = "stablehlo.transpose"(%332) <{permutation = array<i64: 1, 0>}> : (tensor<10x256xf32>) -> tensor<256x10xf32>
    %334 = "stablehlo.dot_general"(%331, %arg84) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x10xf32>, tensor<256x10xf32>) -> tensor<4x256xf32>
    %335 = "stablehlo.reshape"(%334) : (tensor<4x256xf32>) -> tensor<4x4x4x16xf32>
    %336 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %337 = "stablehlo.broadcast_in_dim"(%336) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x4x16xf32>
    %338 = "stablehlo.divide"(%335, %337) : (tensor<4x4x4x16xf32>, tensor<4x4x4x16xf32>) -> tensor<4x4x4x16xf32>
    %339 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %340 = "stablehlo.pad"(%338, %339) <{edge_padding_high = array<i64: 0, 1, 1, 0>, edge_padding_low = array<i64: 0, 1, 1, 0>, interior_padding = array<i64: 0, 1, 1, 0>}> : (tensor<4x4x4x16xf32>, tensor<f32>) -> tensor<4x9x9x16xf32>
    %341 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %342 = "stablehlo.broadcast_in_dim"(%341) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %343 = "stablehlo.reduce_window"(%340, %342) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg108: tensor<f32>, %arg109: tensor<f32>):
      %445 = "stablehlo.add"(%arg108, %arg109) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%445) : (tensor<f32>) -> ()
    }) : (tensor<4x9x9x16xf32>, tensor<f32>) -> tensor<4x8x8x16xf32>
    %344 = "func.call"(%303, %343) <{callee = @_where_3}> : (tensor<4x8x8x16xi1>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %345 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %346 = "stablehlo.broadcast_in_dim"(%345) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %347 = "stablehlo.divide"(%344, %346) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %348 = "stablehlo.multiply"(%277, %347) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %349 = "stablehlo.multiply"(%347, %300) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %350 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %351 = "stablehlo.broadcast_in_dim"(%350) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %352 = "stablehlo.multiply"(%351, %348) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %353 = "stablehlo.multiply"(%352, %294) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %354 = "stablehlo.multiply"(%353, %291) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %355 = "stablehlo.add"(%353, %354) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %356 = "stablehlo.constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> tensor<f32>
    %357 = "stablehlo.broadcast_in_dim"(%356) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %358 = "stablehlo.multiply"(%357, %355) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %359 = "stablehlo.add"(%349, %358) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %360 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f32>}> : () -> tensor<f32>
    %361 = "stablehlo.broadcast_in_dim"(%360) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %362 = "stablehlo.multiply"(%361, %358) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %363 = "stablehlo.multiply"(%362, %283) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %364 = "stablehlo.add"(%359, %363) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %365 = "stablehlo.convolution"(%276, %364) <{batch_group_count = 8 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 2, 2>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<4x16x16x8xf32>, tensor<4x8x8x16xf32>) -> tensor<3x3x1x16xf32>
    %366 = "stablehlo.reshape"(%arg83) : (tensor<3x3x1x16xf32>) -> tensor<3x3x1x8x2xf32>
    %367 = "stablehlo.transpose"(%366) <{permutation = array<i64: 0, 1, 3, 2, 4>}> : (tensor<3x3x1x8x2xf32>) -> tensor<3x3x8x1x2xf32>
    %368 = "stablehlo.reshape"(%367) : (tensor<3x3x8x1x2xf32>) -> tensor<3x3x8x2xf32>
    %369 = "stablehlo.reverse"(%368) <{dimensions = array<i64: 0, 1>}> : (tensor<3x3x8x2xf32>) -> tensor<3x3x8x2xf32>
    %370 = "stablehlo.convolution"(%364, %369) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 8 : i64, lhs_dilation = array<i64: 2, 2>, padding = dense<[[2, 1], [2, 1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<4x8x8x16xf32>, tensor<3x3x8x2xf32>) -> tensor<4x16x16x8xf32>
    %371 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %372 = "stablehlo.pad"(%270, %371) <{edge_padding_high = array<i64: 0, 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<4x32x32x8xf32>, tensor<f32>) -> tensor<4x32x32x8xf32>
    %373 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %374 = "stablehlo.select_and_scatter"(%372, %370, %373) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg106: tensor<f32>, %arg107: tensor<f32>):
      %444 = "stablehlo.compare"(%arg106, %arg107) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%444) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg104: tensor<f32>, %arg105: tensor<f32>):
      %443 = "stablehlo.add"(%arg104, %arg105) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%443) : (tensor<f32>) -> ()
    }) : (tensor<4x32x32x8xf32>, tensor<4x16x16x8xf32>, tensor<f32>) -> tensor<4x32x32x8xf32>
    %375 = "stablehlo.slice"(%374) <{limit_indices = array<i64: 4, 32, 32, 8>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %376 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %377 = "stablehlo.broadcast_in_dim"(%376) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x32x32x8xf32>
    %378 = "stablehlo.select"(%273, %375, %377) : (tensor<4x32x32x8xi1>, tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %379 = "stablehlo.multiply"(%266, %378) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %380 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %381 = "stablehlo.reduce"(%379, %380) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg102: tensor<f32>, %arg103: tensor<f32>):
      %442 = "stablehlo.add"(%arg102, %arg103) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%442) : (tensor<f32>) -> ()
    }) : (tensor<4x32x32x8xf32>, tensor<f32>) -> tensor<8xf32>
    %382 = "stablehlo.reshape"(%381) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %383 = "stablehlo.broadcast_in_dim"(%267) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<4x32x32x8xf32>
    %384 = "stablehlo.multiply"(%378, %383) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %385 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %386 = "stablehlo.reduce"(%382, %385) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg100: tensor<f32>, %arg101: tensor<f32>):
      %441 = "stablehlo.add"(%arg100, %arg101) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%441) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %387 = "stablehlo.multiply"(%253, %384) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %388 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %389 = "stablehlo.reduce"(%387, %388) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg98: tensor<f32>, %arg99: tensor<f32>):
      %440 = "stablehlo.add"(%arg98, %arg99) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%440) : (tensor<f32>) -> ()
    }) : (tensor<4x32x32x8xf32>, tensor<f32>) -> tensor<8xf32>
    %390 = "stablehlo.reshape"(%389) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %391 = "stablehlo.broadcast_in_dim"(%264) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<4x32x32x8xf32>
    %392 = "stablehlo.multiply"(%384, %391) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %393 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %394 = "stablehlo.reduce"(%390, %393) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg96: tensor<f32>, %arg97: tensor<f32>):
      %439 = "stablehlo.add"(%arg96, %arg97) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%439) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %395 = "stablehlo.multiply"(%394, %263) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %396 = "func.call"(%255#1, %255#2, %255#3, %395) <{callee = @_var_4}> : (tensor<4x32x32x8xf32>, tensor<f32>, tensor<i1>, tensor<8xf32>) -> tensor<4x32x32x8xf32>
    %397 = "stablehlo.negate"(%392) : (tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %398 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %399 = "stablehlo.reduce"(%397, %398) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg94: tensor<f32>, %arg95: tensor<f32>):
      %438 = "stablehlo.add"(%arg94, %arg95) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%438) : (tensor<f32>) -> ()
    }) : (tensor<4x32x32x8xf32>, tensor<f32>) -> tensor<8xf32>
    %400 = "stablehlo.reshape"(%399) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %401 = "stablehlo.add"(%396, %392) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %402 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %403 = "stablehlo.reduce"(%400, %402) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg92: tensor<f32>, %arg93: tensor<f32>):
      %437 = "stablehlo.add"(%arg92, %arg93) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%437) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %404 = "stablehlo.constant"() <{value = dense<4.096000e+03> : tensor<f32>}> : () -> tensor<f32>
    %405 = "stablehlo.broadcast_in_dim"(%404) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %406 = "stablehlo.divide"(%403, %405) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %407 = "stablehlo.broadcast_in_dim"(%406) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<4x32x32x8xf32>
    %408 = "stablehlo.add"(%401, %407) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %409 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %410 = "stablehlo.reduce"(%408, %409) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg90: tensor<f32>, %arg91: tensor<f32>):
      %436 = "stablehlo.add"(%arg90, %arg91) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%436) : (tensor<f32>) -> ()
    }) : (tensor<4x32x32x8xf32>, tensor<f32>) -> tensor<8xf32>
    %411 = "stablehlo.reshape"(%410) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %412 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %413 = "stablehlo.reduce"(%411, %412) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg88: tensor<f32>, %arg89: tensor<f32>):
      %435 = "stablehlo.add"(%arg88, %arg89) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%435) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %414 = "stablehlo.convolution"(%arg85, %408) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<4x32x32x3xf32>, tensor<4x32x32x8xf32>) -> tensor<3x3x3x8xf32>
    %415 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %416 = "stablehlo.broadcast_in_dim"(%415) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %417 = "stablehlo.multiply"(%416, %413) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %418 = "stablehlo.subtract"(%arg80, %417) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %419 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %420 = "stablehlo.broadcast_in_dim"(%419) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %421 = "stablehlo.multiply"(%420, %386) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %422 = "stablehlo.subtract"(%arg81, %421) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %423 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %424 = "stablehlo.broadcast_in_dim"(%423) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3x3x8xf32>
    %425 = "stablehlo.multiply"(%424, %414) : (tensor<3x3x3x8xf32>, tensor<3x3x3x8xf32>) -> tensor<3x3x3x8xf32>
    %426 = "stablehlo.subtract"(%arg82, %425) : (tensor<3x3x3x8xf32>, tensor<3x3x3x8xf32>) -> tensor<3x3x3x8xf32>
    %427 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %428 = "stablehlo.broadcast_in_dim"(%427) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3x1x16xf32>
    %429 = "stablehlo.multiply"(%428, %365) : (tensor<3x3x1x16xf32>, tensor<3x3x1x16xf32>) -> tensor<3x3x1x16xf32>
    %430 = "stablehlo.subtract"(%arg83, %429) : (tensor<3x3x1x16xf32>, tensor<3x3x1x16xf32>) -> tensor<3x3x1x16xf32>
    %431 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %432 = "stablehlo.broadcast_in_dim"(%431) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x10xf32>
    %433 = "stablehlo.multiply"(%432, %333) : (tensor<256x10xf32>, tensor<256x10xf32>) -> tensor<256x10xf32>
    %434 = "stablehlo.subtract"(%arg84, %433) : (tensor<256x10xf32>, tensor<256x10xf32>) -> tensor<256x10xf32>
    "func.return"(%324, %418, %422, %426, %430, %434) : (tensor<f32>, tensor<8xf32>, tensor<8xf32>, tensor<3x3x3x8xf32>, tensor<3x3x1x16xf32>, tensor<256x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x32x32x8xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<4x32x32x8xf32>, tensor<f32>, tensor<i1>), res_attrs = [{}, {}, {}, {}], sym_name = "_var", sym_visibility = "private"}> ({
  ^bb0(%arg74: tensor<4x32x32x8xf32>, %arg75: tensor<i32>):
    %217 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %218 = "stablehlo.reduce"(%arg74, %217) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg78: tensor<f32>, %arg79: tensor<f32>):
      %241 = "stablehlo.add"(%arg78, %arg79) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%241) : (tensor<f32>) -> ()
    }) : (tensor<4x32x32x8xf32>, tensor<f32>) -> tensor<8xf32>
    %219 = "stablehlo.broadcast_in_dim"(%218) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %220 = "stablehlo.constant"() <{value = dense<4.096000e+03> : tensor<f32>}> : () -> tensor<f32>
    %221 = "stablehlo.broadcast_in_dim"(%220) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %222 = "stablehlo.divide"(%219, %221) : (tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %223 = "stablehlo.broadcast_in_dim"(%222) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<4x32x32x8xf32>
    %224 = "stablehlo.subtract"(%arg74, %223) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %225 = "chlo.square"(%224) : (tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %226 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %227 = "stablehlo.broadcast_in_dim"(%226) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x32x32x8xf32>
    %228 = "stablehlo.multiply"(%227, %224) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %229 = "stablehlo.convert"(%arg75) : (tensor<i32>) -> tensor<f32>
    %230 = "stablehlo.constant"() <{value = dense<4.096000e+03> : tensor<f32>}> : () -> tensor<f32>
    %231 = "stablehlo.subtract"(%230, %229) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %232 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %233 = "stablehlo.reduce"(%225, %232) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg76: tensor<f32>, %arg77: tensor<f32>):
      %240 = "stablehlo.add"(%arg76, %arg77) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%240) : (tensor<f32>) -> ()
    }) : (tensor<4x32x32x8xf32>, tensor<f32>) -> tensor<8xf32>
    %234 = "stablehlo.broadcast_in_dim"(%231) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %235 = "stablehlo.divide"(%233, %234) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %236 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %237 = "stablehlo.compare"(%231, %236) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %238 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %239 = "func.call"(%237, %235, %238) <{callee = @_where}> : (tensor<i1>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    "func.return"(%239, %228, %231, %237) : (tensor<8xf32>, tensor<4x32x32x8xf32>, tensor<f32>, tensor<i1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg71: tensor<i1>, %arg72: tensor<8xf32>, %arg73: tensor<f32>):
    %214 = "stablehlo.convert"(%arg73) : (tensor<f32>) -> tensor<f32>
    %215 = "stablehlo.broadcast_in_dim"(%214) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %216 = "stablehlo.select"(%arg71, %arg72, %215) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%216) : (tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>, res_attrs = [{}], sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg70: tensor<4x32x32x8xf32>):
    %211 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %212 = "stablehlo.broadcast_in_dim"(%211) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x32x32x8xf32>
    %213 = "stablehlo.maximum"(%arg70, %212) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    "func.return"(%213) : (tensor<4x32x32x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2xui32>, tensor<f32>) -> tensor<4x8x8x16xi1>, res_attrs = [{}], sym_name = "_bernoulli", sym_visibility = "private"}> ({
  ^bb0(%arg68: tensor<2xui32>, %arg69: tensor<f32>):
    %206 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %207 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %208 = "func.call"(%arg68, %206, %207) <{callee = @_uniform}> : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<4x8x8x16xf32>
    %209 = "stablehlo.broadcast_in_dim"(%arg69) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %210 = "stablehlo.compare"(%208, %209) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xi1>
    "func.return"(%210) : (tensor<4x8x8x16xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<4x8x8x16xf32>, res_attrs = [{}], sym_name = "_uniform", sym_visibility = "private"}> ({
  ^bb0(%arg65: tensor<2xui32>, %arg66: tensor<f32>, %arg67: tensor<f32>):
    %155 = "stablehlo.convert"(%arg66) : (tensor<f32>) -> tensor<f32>
    %156 = "stablehlo.convert"(%arg67) : (tensor<f32>) -> tensor<f32>
    %157 = "stablehlo.broadcast_in_dim"(%155) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %158 = "stablehlo.broadcast_in_dim"(%156) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %159 = "stablehlo.slice"(%arg65) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %160 = "stablehlo.reshape"(%159) : (tensor<1xui32>) -> tensor<ui32>
    %161 = "stablehlo.slice"(%arg65) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %162 = "stablehlo.reshape"(%161) : (tensor<1xui32>) -> tensor<ui32>
    %163 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4x8x8x16xui64>
    %164 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x8x8x16xui64>
    %165 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<4x8x8x16xui64>
    %166 = "stablehlo.iota"() <{iota_dimension = 3 : i64}> : () -> tensor<4x8x8x16xui64>
    %167 = "stablehlo.constant"() <{value = dense<1024> : tensor<ui64>}> : () -> tensor<ui64>
    %168 = "stablehlo.broadcast_in_dim"(%167) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4x8x8x16xui64>
    %169 = "stablehlo.multiply"(%168, %163) : (tensor<4x8x8x16xui64>, tensor<4x8x8x16xui64>) -> tensor<4x8x8x16xui64>
    %170 = "stablehlo.constant"() <{value = dense<128> : tensor<ui64>}> : () -> tensor<ui64>
    %171 = "stablehlo.broadcast_in_dim"(%170) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4x8x8x16xui64>
    %172 = "stablehlo.multiply"(%171, %164) : (tensor<4x8x8x16xui64>, tensor<4x8x8x16xui64>) -> tensor<4x8x8x16xui64>
    %173 = "stablehlo.constant"() <{value = dense<16> : tensor<ui64>}> : () -> tensor<ui64>
    %174 = "stablehlo.broadcast_in_dim"(%173) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4x8x8x16xui64>
    %175 = "stablehlo.multiply"(%174, %165) : (tensor<4x8x8x16xui64>, tensor<4x8x8x16xui64>) -> tensor<4x8x8x16xui64>
    %176 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %177 = "stablehlo.broadcast_in_dim"(%176) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4x8x8x16xui64>
    %178 = "stablehlo.multiply"(%177, %166) : (tensor<4x8x8x16xui64>, tensor<4x8x8x16xui64>) -> tensor<4x8x8x16xui64>
    %179 = "stablehlo.add"(%169, %172) : (tensor<4x8x8x16xui64>, tensor<4x8x8x16xui64>) -> tensor<4x8x8x16xui64>
    %180 = "stablehlo.add"(%179, %175) : (tensor<4x8x8x16xui64>, tensor<4x8x8x16xui64>) -> tensor<4x8x8x16xui64>
    %181 = "stablehlo.add"(%180, %178) : (tensor<4x8x8x16xui64>, tensor<4x8x8x16xui64>) -> tensor<4x8x8x16xui64>
    %182 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %183 = "stablehlo.broadcast_in_dim"(%182) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4x8x8x16xui64>
    %184 = "stablehlo.shift_right_logical"(%181, %183) : (tensor<4x8x8x16xui64>, tensor<4x8x8x16xui64>) -> tensor<4x8x8x16xui64>
    %185 = "stablehlo.convert"(%181) : (tensor<4x8x8x16xui64>) -> tensor<4x8x8x16xui32>
    %186 = "stablehlo.convert"(%184) : (tensor<4x8x8x16xui64>) -> tensor<4x8x8x16xui32>
    %187:2 = "func.call"(%160, %162, %186, %185) <{callee = @threefry2x32}> : (tensor<ui32>, tensor<ui32>, tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>)
    %188 = "stablehlo.xor"(%187#0, %187#1) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %189 = "stablehlo.constant"() <{value = dense<9> : tensor<ui32>}> : () -> tensor<ui32>
    %190 = "stablehlo.broadcast_in_dim"(%189) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %191 = "stablehlo.shift_right_logical"(%188, %190) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %192 = "stablehlo.constant"() <{value = dense<1065353216> : tensor<ui32>}> : () -> tensor<ui32>
    %193 = "stablehlo.broadcast_in_dim"(%192) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %194 = "stablehlo.or"(%191, %193) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %195 = "stablehlo.bitcast_convert"(%194) : (tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xf32>
    %196 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %197 = "stablehlo.broadcast_in_dim"(%196) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %198 = "stablehlo.subtract"(%195, %197) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %199 = "stablehlo.subtract"(%158, %157) : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
    %200 = "stablehlo.broadcast_in_dim"(%199) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x1xf32>) -> tensor<4x8x8x16xf32>
    %201 = "stablehlo.multiply"(%198, %200) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %202 = "stablehlo.broadcast_in_dim"(%157) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x1xf32>) -> tensor<4x8x8x16xf32>
    %203 = "stablehlo.add"(%201, %202) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    %204 = "stablehlo.broadcast_in_dim"(%157) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x1xf32>) -> tensor<4x8x8x16xf32>
    %205 = "stablehlo.maximum"(%204, %203) : (tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    "func.return"(%205) : (tensor<4x8x8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>), sym_name = "threefry2x32", sym_visibility = "private"}> ({
  ^bb0(%arg43: tensor<ui32>, %arg44: tensor<ui32>, %arg45: tensor<4x8x8x16xui32>, %arg46: tensor<4x8x8x16xui32>):
    %138 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %139 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %140 = "stablehlo.xor"(%arg43, %arg44) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %141 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %142 = "stablehlo.xor"(%140, %141) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %143 = "stablehlo.broadcast_in_dim"(%arg43) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %144 = "stablehlo.add"(%arg45, %143) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %145 = "stablehlo.broadcast_in_dim"(%arg44) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %146 = "stablehlo.add"(%arg46, %145) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %147 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %148 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %149:9 = "stablehlo.while"(%148, %147, %144, %146, %arg44, %142, %arg43, %138, %139) ({
    ^bb0(%arg56: tensor<i32>, %arg57: tensor<i32>, %arg58: tensor<4x8x8x16xui32>, %arg59: tensor<4x8x8x16xui32>, %arg60: tensor<ui32>, %arg61: tensor<ui32>, %arg62: tensor<ui32>, %arg63: tensor<4xui32>, %arg64: tensor<4xui32>):
      %153 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %154 = "stablehlo.compare"(%arg56, %153) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%154) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg47: tensor<i32>, %arg48: tensor<i32>, %arg49: tensor<4x8x8x16xui32>, %arg50: tensor<4x8x8x16xui32>, %arg51: tensor<ui32>, %arg52: tensor<ui32>, %arg53: tensor<ui32>, %arg54: tensor<4xui32>, %arg55: tensor<4xui32>):
      %150:8 = "func.call"(%arg48, %arg49, %arg50, %arg51, %arg52, %arg53, %arg54, %arg55) <{callee = @closed_call}> : (tensor<i32>, tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %151 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %152 = "stablehlo.add"(%arg47, %151) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%152, %150#0, %150#1, %150#2, %150#3, %150#4, %150#5, %150#6, %150#7) : (tensor<i32>, tensor<i32>, tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%149#2, %149#3) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg35: tensor<i32>, %arg36: tensor<4x8x8x16xui32>, %arg37: tensor<4x8x8x16xui32>, %arg38: tensor<ui32>, %arg39: tensor<ui32>, %arg40: tensor<ui32>, %arg41: tensor<4xui32>, %arg42: tensor<4xui32>):
    %83 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %84 = "stablehlo.add"(%arg35, %83) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %85 = "stablehlo.slice"(%arg41) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %86 = "stablehlo.reshape"(%85) : (tensor<1xui32>) -> tensor<ui32>
    %87 = "stablehlo.add"(%arg36, %arg37) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %88 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %89 = "stablehlo.shift_left"(%arg37, %88) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %90 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %91 = "stablehlo.subtract"(%90, %86) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %92 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %93 = "stablehlo.shift_right_logical"(%arg37, %92) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %94 = "stablehlo.or"(%89, %93) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %95 = "stablehlo.xor"(%87, %94) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %96 = "stablehlo.slice"(%arg41) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %97 = "stablehlo.reshape"(%96) : (tensor<1xui32>) -> tensor<ui32>
    %98 = "stablehlo.add"(%87, %95) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %99 = "stablehlo.broadcast_in_dim"(%97) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %100 = "stablehlo.shift_left"(%95, %99) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %101 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %102 = "stablehlo.subtract"(%101, %97) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %103 = "stablehlo.broadcast_in_dim"(%102) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %104 = "stablehlo.shift_right_logical"(%95, %103) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %105 = "stablehlo.or"(%100, %104) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %106 = "stablehlo.xor"(%98, %105) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %107 = "stablehlo.slice"(%arg41) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %108 = "stablehlo.reshape"(%107) : (tensor<1xui32>) -> tensor<ui32>
    %109 = "stablehlo.add"(%98, %106) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %110 = "stablehlo.broadcast_in_dim"(%108) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %111 = "stablehlo.shift_left"(%106, %110) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %112 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %113 = "stablehlo.subtract"(%112, %108) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %114 = "stablehlo.broadcast_in_dim"(%113) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %115 = "stablehlo.shift_right_logical"(%106, %114) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %116 = "stablehlo.or"(%111, %115) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %117 = "stablehlo.xor"(%109, %116) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %118 = "stablehlo.slice"(%arg41) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %119 = "stablehlo.reshape"(%118) : (tensor<1xui32>) -> tensor<ui32>
    %120 = "stablehlo.add"(%109, %117) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %121 = "stablehlo.broadcast_in_dim"(%119) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %122 = "stablehlo.shift_left"(%117, %121) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %123 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %124 = "stablehlo.subtract"(%123, %119) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %125 = "stablehlo.broadcast_in_dim"(%124) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %126 = "stablehlo.shift_right_logical"(%117, %125) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %127 = "stablehlo.or"(%122, %126) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %128 = "stablehlo.xor"(%120, %127) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %129 = "stablehlo.broadcast_in_dim"(%arg38) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %130 = "stablehlo.add"(%120, %129) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %131 = "stablehlo.broadcast_in_dim"(%arg39) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %132 = "stablehlo.add"(%128, %131) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    %133 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %134 = "stablehlo.add"(%arg35, %133) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %135 = "stablehlo.convert"(%134) : (tensor<i32>) -> tensor<ui32>
    %136 = "stablehlo.broadcast_in_dim"(%135) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x8x8x16xui32>
    %137 = "stablehlo.add"(%132, %136) : (tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>) -> tensor<4x8x8x16xui32>
    "func.return"(%84, %130, %137, %arg39, %arg40, %arg38, %arg42, %arg41) : (tensor<i32>, tensor<4x8x8x16xui32>, tensor<4x8x8x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x8x8x16xi1>, tensor<4x8x8x16xf32>, tensor<i32>) -> tensor<4x8x8x16xf32>, res_attrs = [{}], sym_name = "_where_0", sym_visibility = "private"}> ({
  ^bb0(%arg32: tensor<4x8x8x16xi1>, %arg33: tensor<4x8x8x16xf32>, %arg34: tensor<i32>):
    %80 = "stablehlo.convert"(%arg34) : (tensor<i32>) -> tensor<f32>
    %81 = "stablehlo.broadcast_in_dim"(%80) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %82 = "stablehlo.select"(%arg32, %arg33, %81) : (tensor<4x8x8x16xi1>, tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    "func.return"(%82) : (tensor<4x8x8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>), res_attrs = [{}, {}, {}], sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg27: tensor<4x10xf32>):
    %63 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.reduce"(%arg27, %63) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg30: tensor<f32>, %arg31: tensor<f32>):
      %79 = "stablehlo.maximum"(%arg30, %arg31) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%79) : (tensor<f32>) -> ()
    }) : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %65 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %66 = "stablehlo.broadcast_in_dim"(%65) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %67 = "stablehlo.maximum"(%66, %64) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %68 = "stablehlo.broadcast_in_dim"(%67) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x1xf32>
    %69 = "stablehlo.broadcast_in_dim"(%68) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %70 = "stablehlo.subtract"(%arg27, %69) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    %71 = "stablehlo.exponential"(%70) : (tensor<4x10xf32>) -> tensor<4x10xf32>
    %72 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %73 = "stablehlo.reduce"(%71, %72) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %78 = "stablehlo.add"(%arg28, %arg29) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%78) : (tensor<f32>) -> ()
    }) : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %74 = "stablehlo.broadcast_in_dim"(%73) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x1xf32>
    %75 = "stablehlo.log"(%74) : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %76 = "stablehlo.broadcast_in_dim"(%75) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %77 = "stablehlo.subtract"(%70, %76) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    "func.return"(%77, %71, %74) : (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x10xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>), res_attrs = [{}, {}], sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg23: tensor<4x10xf32>, %arg24: tensor<4x1xi32>):
    %40 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %42 = "stablehlo.compare"(%arg24, %41) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %43 = "stablehlo.constant"() <{value = dense<10> : tensor<i32>}> : () -> tensor<i32>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %45 = "stablehlo.add"(%arg24, %44) : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %46 = "stablehlo.select"(%42, %45, %arg24) : (tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %47 = "stablehlo.reshape"(%46) : (tensor<4x1xi32>) -> tensor<4x1x1xi32>
    %48 = "stablehlo.constant"() <{value = dense<9> : tensor<1xi32>}> : () -> tensor<1xi32>
    %49 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1x1xi32>
    %51 = "stablehlo.compare"(%47, %50) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %52 = "stablehlo.broadcast_in_dim"(%48) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %53 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>) -> tensor<4x1x1xi32>
    %54 = "stablehlo.compare"(%47, %53) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %55 = "stablehlo.and"(%51, %54) : (tensor<4x1x1xi1>, tensor<4x1x1xi1>) -> tensor<4x1x1xi1>
    %56 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %57 = "stablehlo.reduce"(%55, %56) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg25: tensor<i1>, %arg26: tensor<i1>):
      %62 = "stablehlo.and"(%arg25, %arg26) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%62) : (tensor<i1>) -> ()
    }) : (tensor<4x1x1xi1>, tensor<i1>) -> tensor<4x1xi1>
    %58 = "stablehlo.gather"(%arg23, %47) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x10xf32>, tensor<4x1x1xi32>) -> tensor<4x1xf32>
    %59 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %60 = "stablehlo.broadcast_in_dim"(%59) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1xf32>
    %61 = "stablehlo.select"(%57, %58, %60) : (tensor<4x1xi1>, tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    "func.return"(%61, %47) : (tensor<4x1xf32>, tensor<4x1x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>, res_attrs = [{}], sym_name = "take_along_axis_1", sym_visibility = "private"}> ({
  ^bb0(%arg19: tensor<4x1x1xi32>, %arg20: tensor<4x1xf32>):
    %36 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x10xf32>
    %38 = "stablehlo.scatter"(%37, %arg19, %arg20) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg21: tensor<f32>, %arg22: tensor<f32>):
      %39 = "stablehlo.add"(%arg21, %arg22) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%39) : (tensor<f32>) -> ()
    }) : (tensor<4x10xf32>, tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    "func.return"(%38) : (tensor<4x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x10xf32>, tensor<4x1xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>, res_attrs = [{}], sym_name = "log_softmax_2", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<4x10xf32>, %arg13: tensor<4x1xf32>, %arg14: tensor<4x10xf32>):
    %24 = "stablehlo.negate"(%arg14) : (tensor<4x10xf32>) -> tensor<4x10xf32>
    %25 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %26 = "stablehlo.reduce"(%24, %25) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg17: tensor<f32>, %arg18: tensor<f32>):
      %35 = "stablehlo.add"(%arg17, %arg18) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%35) : (tensor<f32>) -> ()
    }) : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %27 = "stablehlo.reshape"(%26) : (tensor<4xf32>) -> tensor<4x1xf32>
    %28 = "stablehlo.divide"(%27, %arg13) : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %29 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %30 = "stablehlo.reduce"(%28, %29) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg15: tensor<f32>, %arg16: tensor<f32>):
      %34 = "stablehlo.add"(%arg15, %arg16) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%34) : (tensor<f32>) -> ()
    }) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x10xf32>
    %32 = "stablehlo.multiply"(%31, %arg12) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    %33 = "stablehlo.add"(%arg14, %32) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    "func.return"(%33) : (tensor<4x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x8x8x16xi1>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>, res_attrs = [{}], sym_name = "_where_3", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<4x8x8x16xi1>, %arg11: tensor<4x8x8x16xf32>):
    %21 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %22 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x8x16xf32>
    %23 = "stablehlo.select"(%arg10, %arg11, %22) : (tensor<4x8x8x16xi1>, tensor<4x8x8x16xf32>, tensor<4x8x8x16xf32>) -> tensor<4x8x8x16xf32>
    "func.return"(%23) : (tensor<4x8x8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<4x32x32x8xf32>, tensor<f32>, tensor<i1>, tensor<8xf32>) -> tensor<4x32x32x8xf32>, res_attrs = [{}], sym_name = "_var_4", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<4x32x32x8xf32>, %arg3: tensor<f32>, %arg4: tensor<i1>, %arg5: tensor<8xf32>):
    %3 = "func.call"(%arg4, %arg5) <{callee = @_where_5}> : (tensor<i1>, tensor<8xf32>) -> tensor<8xf32>
    %4 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %5 = "stablehlo.divide"(%3, %4) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<4x32x32x8xf32>
    %7 = "stablehlo.multiply"(%6, %arg2) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %8 = "stablehlo.negate"(%7) : (tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    %9 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.reduce"(%8, %9) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %20 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%20) : (tensor<f32>) -> ()
    }) : (tensor<4x32x32x8xf32>, tensor<f32>) -> tensor<8xf32>
    %11 = "stablehlo.reshape"(%10) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %12 = "stablehlo.constant"() <{value = dense<4.096000e+03> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %14 = "stablehlo.divide"(%11, %13) : (tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %15 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.reduce"(%14, %15) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %19 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%19) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<4x32x32x8xf32>
    %18 = "stablehlo.add"(%7, %17) : (tensor<4x32x32x8xf32>, tensor<4x32x32x8xf32>) -> tensor<4x32x32x8xf32>
    "func.return"(%18) : (tensor<4x32x32x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<i1>, tensor<8xf32>) -> tensor<8xf32>, res_attrs = [{}], sym_name = "_where_5", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %2 = "stablehlo.select"(%arg0, %arg1, %1) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%2) : (tensor<8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
