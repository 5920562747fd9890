"builtin.module"() <{sym_name = "jit_function"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<6x8xf32>, tensor<6xi32>, tensor<2xui32>, tensor<i32>) -> (tensor<6x8xf32>, tensor<6x8xi32>, tensor<6xi32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x3xf32>, tensor<6x8xf32>, tensor<5xf32>, tensor<3x3xf32>, tensor<4xi32>, tensor<6xi32>, tensor<f32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xi1>, tensor<2x3xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xi1>, tensor<8xi1>, tensor<6x8xi1>, tensor<6x8xi32>, tensor<6xf32>, tensor<6x8xi32>, tensor<6x8xui8>, tensor<6xf32>, tensor<6xi8>, tensor<6x6xf32>, tensor<6xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x6xi32>, tensor<8x10xf32>, tensor<6xf32>, tensor<6x8xf32>, tensor<8xi32>, tensor<4xi32>, tensor<1x3x1xf32>, tensor<1x3x2x3x4xf32>, tensor<11x21xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<6x8x8xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}, {jax.result_info = "result[21]"}, {jax.result_info = "result[22]"}, {jax.result_info = "result[23]"}, {jax.result_info = "result[24]"}, {jax.result_info = "result[25]"}, {jax.result_info = "result[26]"}, {jax.result_info = "result[27]"}, {jax.result_info = "result[28]"}, {jax.result_info = "result[29]"}, {jax.result_info = "result[30]"}, {jax.result_info = "result[31]"}, {jax.result_info = "result[32]"}, {jax.result_info = "result[33]"}, {jax.result_info = "result[34]"}, {jax.result_info = "result[35]"}, {jax.result_info = "result[36]"}, {jax.result_info = "result[37]"}, {jax.result_info = "result[38]"}, {jax.result_info = "result[39]"}, {jax.result_info = "result[40]"}, {jax.result_info = "result[41]"}, {jax.result_info = "result[42]"}, {jax.result_info = "result[43]"}, {jax.result_info = "result[44]"}, {jax.result_info = "result[45]"}, {jax.result_info = "result[46]"}, {jax.result_info = "result[47]"}, {jax.result_info = "result[48]"}, {jax.result_info = "result[49]"}, {jax.result_info = "result[50]"}, {jax.result_info = "result[51]"}, {jax.result_info = "result[52]"}, {jax.result_info = "result[53]"}, {jax.result_info = "result[54]"}, {jax.result_info = "result[55]"}, {jax.result_info = "result[56]"}, {jax.result_info = "result[57]"}, {jax.result_info = "result[58]"}, {jax.result_info = "result[59]"}, {jax.result_info = "result[60]"}, {jax.result_info = "result[61]"}, {jax.result_info = "result[62]"}, {jax.result_info = "result[63]"}, {jax.result_info = "result[64]"}, {jax.result_info = "result[65]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg293: tensor<6x8xf32>, %arg294: tensor<6xi32>, %arg295: tensor<2xui32>, %arg296: tensor<i32>):
    %977 = "func.call"(%arg293) <{callee = @sort}> : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %978 = "stablehlo.negate"(%arg293) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %979 = "func.call"(%978) <{callee = @argsort}> : (tensor<6x8xf32>) -> tensor<6x8xi32>
    %980 = "func.call"(%arg293) <{callee = @argmax}> : (tensor<6x8xf32>) -> tensor<6xi32>
    %981 = "func.call"(%arg293) <{callee = @cumsum}> : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %982 = "func.call"(%arg293) <{callee = @cumprod}> : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %983 = "stablehlo.constant"() <{value = dense<-5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %984 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %985 = "func.call"(%arg293, %983, %984) <{callee = @clip}> : (tensor<6x8xf32>, tensor<f32>, tensor<f32>) -> tensor<6x8xf32>
    %986 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %987 = "stablehlo.broadcast_in_dim"(%986) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %988 = "stablehlo.multiply"(%arg293, %987) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %989 = "func.call"(%988) <{callee = @round}> : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %990 = "stablehlo.sign"(%arg293) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %991 = "stablehlo.floor"(%arg293) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %992 = "stablehlo.ceil"(%arg293) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %993 = "stablehlo.add"(%991, %992) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %994 = "stablehlo.exponential_minus_one"(%arg293) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %995 = "stablehlo.abs"(%arg293) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %996 = "stablehlo.log_plus_one"(%995) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %997 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %998 = "stablehlo.broadcast_in_dim"(%997) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %999 = "stablehlo.compare"(%arg294, %998) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %1000 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %1001 = "stablehlo.broadcast_in_dim"(%1000) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1002 = "stablehlo.add"(%arg294, %1001) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1003 = "stablehlo.select"(%999, %1002, %arg294) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1004 = "stablehlo.broadcast_in_dim"(%1003) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %1005 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1006 = "stablehlo.broadcast_in_dim"(%1005) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1007 = "stablehlo.scatter"(%arg293, %1004, %1006) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg313: tensor<f32>, %arg314: tensor<f32>):
      %1243 = "stablehlo.add"(%arg313, %arg314) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1243) : (tensor<f32>) -> ()
    }) : (tensor<6x8xf32>, tensor<6x1xi32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %1008 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1009 = "stablehlo.broadcast_in_dim"(%1008) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %1010 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %1011 = "stablehlo.broadcast_in_dim"(%1010) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %1012 = "stablehlo.concatenate"(%1009, %1011) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %1013 = "stablehlo.constant"() <{value = dense<5.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1014 = "stablehlo.scatter"(%arg293, %1012, %1013) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg311: tensor<f32>, %arg312: tensor<f32>):
      "stablehlo.return"(%arg312) : (tensor<f32>) -> ()
    }) : (tensor<6x8xf32>, tensor<2xi32>, tensor<f32>) -> tensor<6x8xf32>
    %1015 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1016 = "stablehlo.broadcast_in_dim"(%1015) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1017 = "stablehlo.compare"(%arg294, %1016) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %1018 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %1019 = "stablehlo.broadcast_in_dim"(%1018) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1020 = "stablehlo.add"(%arg294, %1019) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1021 = "stablehlo.select"(%1017, %1020, %arg294) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1022 = "stablehlo.broadcast_in_dim"(%1021) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %1023 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %1024 = "stablehlo.broadcast_in_dim"(%1023) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x6xf32>
    %1025 = "stablehlo.scatter"(%arg293, %1022, %1024) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg309: tensor<f32>, %arg310: tensor<f32>):
      %1242 = "stablehlo.maximum"(%arg309, %arg310) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1242) : (tensor<f32>) -> ()
    }) : (tensor<6x8xf32>, tensor<6x1xi32>, tensor<6x6xf32>) -> tensor<6x8xf32>
    %1026 = "stablehlo.slice"(%arg293) <{limit_indices = array<i64: 6, 7>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<6x8xf32>) -> tensor<6x3xf32>
    %1027 = "stablehlo.reverse"(%1026) <{dimensions = array<i64: 0>}> : (tensor<6x3xf32>) -> tensor<6x3xf32>
    %1028 = "func.call"(%arg293) <{callee = @_roll_static}> : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %1029 = "func.call"(%arg295) <{callee = @_normal}> : (tensor<2xui32>) -> tensor<5xf32>
    %1030 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1031 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1032 = "func.call"(%arg295, %1030, %1031) <{callee = @_uniform_2}> : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<3x3xf32>
    %1033 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1034 = "stablehlo.constant"() <{value = dense<100> : tensor<i32>}> : () -> tensor<i32>
    %1035 = "func.call"(%arg295, %1033, %1034) <{callee = @_randint}> : (tensor<2xui32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
    %1036 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<6xi32>
    %1037 = "func.call"(%arg295, %1036) <{callee = @_shuffle}> : (tensor<2xui32>, tensor<6xi32>) -> tensor<6xi32>
    %1038 = "func.call"(%arg293) <{callee = @norm}> : (tensor<6x8xf32>) -> tensor<f32>
    %1039 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1040 = "stablehlo.broadcast_in_dim"(%1039) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1041 = "stablehlo.compare"(%arg293, %1040) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xi1>
    %1042 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1043 = "func.call"(%1041, %arg293, %1042) <{callee = @_where}> : (tensor<6x8xi1>, tensor<6x8xf32>, tensor<i32>) -> tensor<6x8xf32>
    %1044 = "stablehlo.constant"() <{value = dense<2.500000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1045 = "stablehlo.broadcast_in_dim"(%1044) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1046 = "stablehlo.power"(%1043, %1045) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %1047 = "stablehlo.tan"(%arg293) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %1048 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %1049 = "func.call"(%arg294, %1048) <{callee = @remainder}> : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>
    %1050 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %1051 = "func.call"(%arg294, %1050) <{callee = @floor_divide}> : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>
    %1052 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %1053 = "stablehlo.broadcast_in_dim"(%1052) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1054 = "stablehlo.subtract"(%arg294, %1053) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1055 = "func.call"(%arg294, %1054) <{callee = @floor_divide_15}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1056 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
    %1057 = "stablehlo.broadcast_in_dim"(%1056) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1058 = "stablehlo.xor"(%arg294, %1057) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1059 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %1060 = "stablehlo.broadcast_in_dim"(%1059) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1061 = "stablehlo.shift_left"(%1058, %1060) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1062 = "stablehlo.popcnt"(%arg294) : (tensor<6xi32>) -> tensor<6xi32>
    %1063 = "stablehlo.count_leading_zeros"(%arg294) : (tensor<6xi32>) -> tensor<6xi32>
    %1064 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1065 = "stablehlo.broadcast_in_dim"(%1064) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1066 = "stablehlo.add"(%arg293, %1065) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %1067 = "stablehlo.atan2"(%arg293, %1066) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %1068 = "chlo.erf"(%arg293) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %1069 = "stablehlo.constant"() <{value = dense<0.699999988> : tensor<f32>}> : () -> tensor<f32>
    %1070 = "stablehlo.broadcast_in_dim"(%1069) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1071 = "stablehlo.remainder"(%arg293, %1070) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %1072 = "stablehlo.cbrt"(%arg293) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %1073 = "stablehlo.is_finite"(%arg293) : (tensor<6x8xf32>) -> tensor<6x8xi1>
    %1074 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1075 = "stablehlo.compare"(%arg296, %1074) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1076 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %1077 = "stablehlo.add"(%arg296, %1076) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %1078 = "stablehlo.select"(%1075, %1077, %arg296) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %1079 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1080 = "stablehlo.compare"(%arg296, %1079) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1081 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %1082 = "stablehlo.add"(%arg296, %1081) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %1083 = "stablehlo.select"(%1080, %1082, %arg296) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %1084 = "stablehlo.dynamic_slice"(%arg293, %1078, %1083) <{slice_sizes = array<i64: 2, 3>}> : (tensor<6x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %1085 = "stablehlo.slice"(%arg293) <{limit_indices = array<i64: 2, 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<2x2xf32>
    %1086 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1087 = "stablehlo.compare"(%arg296, %1086) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1088 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %1089 = "stablehlo.add"(%arg296, %1088) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %1090 = "stablehlo.select"(%1087, %1089, %arg296) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %1091 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1092 = "stablehlo.dynamic_update_slice"(%arg293, %1085, %1090, %1091) : (tensor<6x8xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<6x8xf32>
    %1093 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1094 = "stablehlo.compare"(%arg296, %1093) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1095 = "stablehlo.convert"(%1094) : (tensor<i1>) -> tensor<i32>
    %1096 = "stablehlo.case"(%1095) ({
      %1239 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %1240 = "stablehlo.broadcast_in_dim"(%1239) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
      %1241 = "stablehlo.subtract"(%arg293, %1240) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
      "stablehlo.return"(%1241) : (tensor<6x8xf32>) -> ()
    }, {
      %1236 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %1237 = "stablehlo.broadcast_in_dim"(%1236) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
      %1238 = "stablehlo.multiply"(%arg293, %1237) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
      "stablehlo.return"(%1238) : (tensor<6x8xf32>) -> ()
    }) : (tensor<i32>) -> tensor<6x8xf32>
    %1097 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1098 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1099:3 = "stablehlo.while"(%1098, %1097, %arg293) ({
    ^bb0(%arg306: tensor<i32>, %arg307: tensor<i32>, %arg308: tensor<6x8xf32>):
      %1234 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %1235 = "stablehlo.compare"(%arg306, %1234) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%1235) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg303: tensor<i32>, %arg304: tensor<i32>, %arg305: tensor<6x8xf32>):
      %1231:2 = "func.call"(%arg304, %arg305) <{callee = @closed_call_16}> : (tensor<i32>, tensor<6x8xf32>) -> (tensor<i32>, tensor<6x8xf32>)
      %1232 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %1233 = "stablehlo.add"(%arg303, %1232) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%1233, %1231#0, %1231#1) : (tensor<i32>, tensor<i32>, tensor<6x8xf32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<6x8xf32>) -> (tensor<i32>, tensor<i32>, tensor<6x8xf32>)
    %1100 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1101 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %1102 = "stablehlo.clamp"(%1100, %arg296, %1101) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %1103 = "stablehlo.case"(%1102) ({
      "stablehlo.return"(%arg293) : (tensor<6x8xf32>) -> ()
    }, {
      %1230 = "stablehlo.negate"(%arg293) : (tensor<6x8xf32>) -> tensor<6x8xf32>
      "stablehlo.return"(%1230) : (tensor<6x8xf32>) -> ()
    }, {
      %1229 = "stablehlo.multiply"(%arg293, %arg293) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
      "stablehlo.return"(%1229) : (tensor<6x8xf32>) -> ()
    }) : (tensor<i32>) -> tensor<6x8xf32>
    %1104 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1105 = "stablehlo.broadcast_in_dim"(%1104) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1106 = "stablehlo.compare"(%arg293, %1105) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xi1>
    %1107 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %1108 = "stablehlo.reduce"(%1106, %1107) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg301: tensor<i1>, %arg302: tensor<i1>):
      %1228 = "stablehlo.or"(%arg301, %arg302) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%1228) : (tensor<i1>) -> ()
    }) : (tensor<6x8xi1>, tensor<i1>) -> tensor<6xi1>
    %1109 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1110 = "stablehlo.broadcast_in_dim"(%1109) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1111 = "stablehlo.compare"(%arg293, %1110) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xi1>
    %1112 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %1113 = "stablehlo.reduce"(%1111, %1112) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg299: tensor<i1>, %arg300: tensor<i1>):
      %1227 = "stablehlo.and"(%arg299, %arg300) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%1227) : (tensor<i1>) -> ()
    }) : (tensor<6x8xi1>, tensor<i1>) -> tensor<8xi1>
    %1114 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1115 = "stablehlo.broadcast_in_dim"(%1114) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1116 = "stablehlo.compare"(%arg293, %1115) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xi1>
    %1117 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1118 = "stablehlo.broadcast_in_dim"(%1117) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1119 = "stablehlo.compare"(%arg293, %1118) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xi1>
    %1120 = "stablehlo.and"(%1116, %1119) : (tensor<6x8xi1>, tensor<6x8xi1>) -> tensor<6x8xi1>
    %1121 = "stablehlo.constant"() <{value = dense<1.000000e+01> : tensor<f32>}> : () -> tensor<f32>
    %1122 = "stablehlo.broadcast_in_dim"(%1121) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1123 = "stablehlo.multiply"(%arg293, %1122) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %1124 = "stablehlo.convert"(%1123) : (tensor<6x8xf32>) -> tensor<6x8xi32>
    %1125 = "func.call"(%arg293) <{callee = @median}> : (tensor<6x8xf32>) -> tensor<6xf32>
    %1126 = "stablehlo.constant"() <{value = dense<1.000000e+10> : tensor<f32>}> : () -> tensor<f32>
    %1127 = "stablehlo.broadcast_in_dim"(%1126) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1128 = "stablehlo.multiply"(%arg293, %1127) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %1129 = "stablehlo.convert"(%1128) : (tensor<6x8xf32>) -> tensor<6x8xi32>
    %1130 = "stablehlo.constant"() <{value = dense<1.000000e+02> : tensor<f32>}> : () -> tensor<f32>
    %1131 = "stablehlo.broadcast_in_dim"(%1130) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %1132 = "stablehlo.multiply"(%arg293, %1131) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %1133 = "stablehlo.convert"(%1132) : (tensor<6x8xf32>) -> tensor<6x8xui8>
    %1134 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %1135 = "stablehlo.broadcast_in_dim"(%1134) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1136 = "stablehlo.compare"(%arg294, %1135) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %1137 = "stablehlo.convert"(%1136) : (tensor<6xi1>) -> tensor<6xf32>
    %1138 = "stablehlo.convert"(%arg294) : (tensor<6xi32>) -> tensor<6xi8>
    %1139 = "func.call"(%arg293, %arg294) <{callee = @_take}> : (tensor<6x8xf32>, tensor<6xi32>) -> tensor<6x6xf32>
    %1140 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1141 = "stablehlo.broadcast_in_dim"(%1140) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1142 = "stablehlo.compare"(%arg294, %1141) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %1143 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %1144 = "stablehlo.broadcast_in_dim"(%1143) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1145 = "stablehlo.add"(%arg294, %1144) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1146 = "stablehlo.select"(%1142, %1145, %arg294) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1147 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1148 = "stablehlo.broadcast_in_dim"(%1147) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1149 = "stablehlo.compare"(%arg294, %1148) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %1150 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %1151 = "stablehlo.broadcast_in_dim"(%1150) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1152 = "stablehlo.add"(%arg294, %1151) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1153 = "stablehlo.select"(%1149, %1152, %arg294) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1154 = "stablehlo.broadcast_in_dim"(%1146) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %1155 = "stablehlo.broadcast_in_dim"(%1153) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %1156 = "stablehlo.concatenate"(%1154, %1155) <{dimension = 1 : i64}> : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
    %1157 = "stablehlo.gather"(%arg293, %1156) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x8xf32>, tensor<6x2xi32>) -> tensor<6xf32>
    %1158 = "func.call"(%arg293, %979) <{callee = @take_along_axis}> : (tensor<6x8xf32>, tensor<6x8xi32>) -> tensor<6x8xf32>
    %1159 = "func.call"(%arg294) <{callee = @_one_hot}> : (tensor<6xi32>) -> tensor<6x8xf32>
    %1160 = "func.call"(%arg293) <{callee = @tril}> : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %1161 = "stablehlo.broadcast_in_dim"(%arg294) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %1162 = "stablehlo.broadcast_in_dim"(%arg294) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %1163 = "stablehlo.dot_general"(%1162, %1161) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x6xi32>
    %1164 = "func.call"(%arg293) <{callee = @_pad}> : (tensor<6x8xf32>) -> tensor<8x10xf32>
    %1165 = "func.call"(%arg293) <{callee = @diagonal}> : (tensor<6x8xf32>) -> tensor<6xf32>
    %1166 = "stablehlo.reduce_precision"(%arg293) <{exponent_bits = 8 : i32, mantissa_bits = 7 : i32}> : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %1167 = "stablehlo.slice"(%977) <{limit_indices = array<i64: 1, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<1x8xf32>
    %1168 = "stablehlo.reshape"(%1167) : (tensor<1x8xf32>) -> tensor<8xf32>
    %1169 = "stablehlo.slice"(%arg293) <{limit_indices = array<i64: 2, 8>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<1x8xf32>
    %1170 = "stablehlo.reshape"(%1169) : (tensor<1x8xf32>) -> tensor<8xf32>
    %1171 = "func.call"(%1168, %1170) <{callee = @searchsorted}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi32>
    %1172:2 = "func.call"(%arg294) <{callee = @_unique_sorted_mask}> : (tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi1>)
    %1173 = "func.call"(%1172#1) <{callee = @cumsum_22}> : (tensor<6xi1>) -> tensor<6xi32>
    %1174 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1175 = "stablehlo.broadcast_in_dim"(%1174) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %1176 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1177 = "func.call"(%1173, %1176) <{callee = @clip_24}> : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>
    %1178 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1179 = "stablehlo.broadcast_in_dim"(%1178) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1180 = "stablehlo.compare"(%1177, %1179) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %1181 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %1182 = "stablehlo.broadcast_in_dim"(%1181) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1183 = "stablehlo.add"(%1177, %1182) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1184 = "stablehlo.select"(%1180, %1183, %1177) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %1185 = "stablehlo.broadcast_in_dim"(%1184) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %1186 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1187 = "stablehlo.broadcast_in_dim"(%1186) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %1188 = "stablehlo.scatter"(%1175, %1185, %1187) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg297: tensor<i32>, %arg298: tensor<i32>):
      %1226 = "stablehlo.add"(%arg297, %arg298) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%1226) : (tensor<i32>) -> ()
    }) : (tensor<4xi32>, tensor<6x1xi32>, tensor<6xi32>) -> tensor<4xi32>
    %1189 = "func.call"(%1188) <{callee = @cumsum_25}> : (tensor<4xi32>) -> tensor<4xi32>
    %1190 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1191 = "func.call"(%1189, %1190) <{callee = @floor_divide_27}> : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %1192 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %1193 = "func.call"(%1191, %1192) <{callee = @remainder_29}> : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %1194 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1195 = "stablehlo.broadcast_in_dim"(%1194) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %1196 = "stablehlo.compare"(%1193, %1195) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %1197 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %1198 = "stablehlo.broadcast_in_dim"(%1197) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %1199 = "stablehlo.add"(%1193, %1198) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %1200 = "stablehlo.select"(%1196, %1199, %1193) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %1201 = "stablehlo.broadcast_in_dim"(%1200) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x1xi32>
    %1202 = "stablehlo.gather"(%1172#0, %1201) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<6xi32>, tensor<4x1xi32>) -> tensor<4xi32>
    %1203 = "stablehlo.broadcast_in_dim"(%arg293) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<6x8xf32>) -> tensor<1x6x8xf32>
    %1204 = "stablehlo.slice"(%arg293) <{limit_indices = array<i64: 4, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<4x8xf32>
    %1205 = "stablehlo.broadcast_in_dim"(%1204) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %1206 = "stablehlo.convolution"(%1203, %1205) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1>, padding = dense<[[1, 2]]> : tensor<1x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, window_strides = array<i64: 2>}> : (tensor<1x6x8xf32>, tensor<4x8x1xf32>) -> tensor<1x3x1xf32>
    %1207 = "stablehlo.reshape"(%arg293) : (tensor<6x8xf32>) -> tensor<1x2x2x3x4xf32>
    %1208 = "stablehlo.reshape"(%arg293) : (tensor<6x8xf32>) -> tensor<3x2x2x2x2xf32>
    %1209 = "stablehlo.convolution"(%1207, %1208) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1, 1>, padding = dense<[[0, 1], [0, 1], [0, 1]]> : tensor<3x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1, 1>, window_reversal = array<i1: false, false, false>, window_strides = array<i64: 1, 1, 1>}> : (tensor<1x2x2x3x4xf32>, tensor<3x2x2x2x2xf32>) -> tensor<1x3x2x3x4xf32>
    %1210 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %1211 = "stablehlo.pad"(%arg293, %1210) <{edge_padding_high = array<i64: -1, 1>, edge_padding_low = array<i64: 1, -2>, interior_padding = array<i64: 1, 2>}> : (tensor<6x8xf32>, tensor<f32>) -> tensor<11x21xf32>
    %1212 = "stablehlo.slice"(%arg293) <{limit_indices = array<i64: 1, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<1x1xf32>
    %1213 = "stablehlo.reshape"(%1212) : (tensor<1x1xf32>) -> tensor<f32>
    %1214 = "stablehlo.pad"(%arg293, %1213) <{edge_padding_high = array<i64: 1, 0>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<6x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %1215 = "stablehlo.slice"(%arg293) <{limit_indices = array<i64: 1, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<1x8xf32>
    %1216 = "stablehlo.reshape"(%1215) : (tensor<1x8xf32>) -> tensor<8xf32>
    %1217 = "stablehlo.slice"(%arg293) <{limit_indices = array<i64: 2, 8>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<1x8xf32>
    %1218 = "stablehlo.reshape"(%1217) : (tensor<1x8xf32>) -> tensor<8xf32>
    %1219 = "stablehlo.broadcast_in_dim"(%1216) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xf32>) -> tensor<8x1xf32>
    %1220 = "stablehlo.broadcast_in_dim"(%1218) <{broadcast_dimensions = array<i64: 1>}> : (tensor<8xf32>) -> tensor<1x8xf32>
    %1221 = "stablehlo.broadcast_in_dim"(%1219) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x1xf32>) -> tensor<8x8xf32>
    %1222 = "stablehlo.broadcast_in_dim"(%1220) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x8xf32>) -> tensor<8x8xf32>
    %1223 = "stablehlo.multiply"(%1221, %1222) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1224 = "stablehlo.dot_general"(%arg293, %arg293) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<f32>
    %1225 = "stablehlo.dot_general"(%arg293, %arg293) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8x8xf32>
    "func.return"(%977, %979, %980, %981, %982, %985, %989, %990, %993, %994, %996, %1007, %1014, %1025, %1027, %1028, %1029, %1032, %1035, %1037, %1038, %1046, %1047, %1049, %1051, %1055, %1061, %1062, %1063, %1067, %1068, %1071, %1072, %1073, %1084, %1092, %1096, %1099#2, %1103, %1108, %1113, %1120, %1124, %1125, %1129, %1133, %1137, %1138, %1139, %1157, %1158, %1159, %1160, %1163, %1164, %1165, %1166, %1171, %1202, %1206, %1209, %1211, %1214, %1223, %1224, %1225) : (tensor<6x8xf32>, tensor<6x8xi32>, tensor<6xi32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x3xf32>, tensor<6x8xf32>, tensor<5xf32>, tensor<3x3xf32>, tensor<4xi32>, tensor<6xi32>, tensor<f32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xi1>, tensor<2x3xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xi1>, tensor<8xi1>, tensor<6x8xi1>, tensor<6x8xi32>, tensor<6xf32>, tensor<6x8xi32>, tensor<6x8xui8>, tensor<6xf32>, tensor<6xi8>, tensor<6x6xf32>, tensor<6xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x6xi32>, tensor<8x10xf32>, tensor<6xf32>, tensor<6x8xf32>, tensor<8xi32>, tensor<4xi32>, tensor<1x3x1xf32>, tensor<1x3x2x3x4xf32>, tensor<11x21xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<6x8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x8xf32>) -> tensor<6x8xf32>, res_attrs = [{}], sym_name = "sort", sym_visibility = "private"}> ({
  ^bb0(%arg290: tensor<6x8xf32>):
    %961 = "stablehlo.sort"(%arg290) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg291: tensor<f32>, %arg292: tensor<f32>):
      %962 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %963 = "stablehlo.compare"(%arg291, %962) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %964 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %965 = "stablehlo.select"(%963, %964, %arg291) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %966 = "stablehlo.compare"(%arg291, %arg291) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %967 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %968 = "stablehlo.select"(%966, %967, %965) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %969 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %970 = "stablehlo.compare"(%arg292, %969) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %971 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %972 = "stablehlo.select"(%970, %971, %arg292) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %973 = "stablehlo.compare"(%arg292, %arg292) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %974 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %975 = "stablehlo.select"(%973, %974, %972) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %976 = "stablehlo.compare"(%968, %975) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%976) : (tensor<i1>) -> ()
    }) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    "func.return"(%961) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x8xf32>) -> tensor<6x8xi32>, res_attrs = [{}], sym_name = "argsort", sym_visibility = "private"}> ({
  ^bb0(%arg285: tensor<6x8xf32>):
    %944 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<6x8xi32>
    %945:2 = "stablehlo.sort"(%arg285, %944) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg286: tensor<f32>, %arg287: tensor<f32>, %arg288: tensor<i32>, %arg289: tensor<i32>):
      %946 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %947 = "stablehlo.compare"(%arg286, %946) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %948 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %949 = "stablehlo.select"(%947, %948, %arg286) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %950 = "stablehlo.compare"(%arg286, %arg286) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %951 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %952 = "stablehlo.select"(%950, %951, %949) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %953 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %954 = "stablehlo.compare"(%arg287, %953) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %955 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %956 = "stablehlo.select"(%954, %955, %arg287) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %957 = "stablehlo.compare"(%arg287, %arg287) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %958 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %959 = "stablehlo.select"(%957, %958, %956) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %960 = "stablehlo.compare"(%952, %959) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%960) : (tensor<i1>) -> ()
    }) : (tensor<6x8xf32>, tensor<6x8xi32>) -> (tensor<6x8xf32>, tensor<6x8xi32>)
    "func.return"(%945#1) : (tensor<6x8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x8xf32>) -> tensor<6xi32>, sym_name = "argmax", sym_visibility = "private"}> ({
  ^bb0(%arg280: tensor<6x8xf32>):
    %931 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<6x8xi32>
    %932 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %933 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %934:2 = "stablehlo.reduce"(%arg280, %931, %932, %933) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg281: tensor<f32>, %arg282: tensor<i32>, %arg283: tensor<f32>, %arg284: tensor<i32>):
      %935 = "stablehlo.compare"(%arg281, %arg283) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %936 = "stablehlo.compare"(%arg281, %arg281) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %937 = "stablehlo.or"(%935, %936) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %938 = "stablehlo.compare"(%arg281, %arg283) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %939 = "stablehlo.compare"(%arg282, %arg284) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %940 = "stablehlo.and"(%938, %939) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %941 = "stablehlo.or"(%937, %940) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %942 = "stablehlo.select"(%937, %arg281, %arg283) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %943 = "stablehlo.select"(%941, %arg282, %arg284) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%942, %943) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<6x8xf32>, tensor<6x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
    "func.return"(%934#1) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x8xf32>) -> tensor<6x8xf32>, res_attrs = [{}], sym_name = "cumsum", sym_visibility = "private"}> ({
  ^bb0(%arg279: tensor<6x8xf32>):
    %930 = "func.call"(%arg279) <{callee = @cumsum_0}> : (tensor<6x8xf32>) -> tensor<6x8xf32>
    "func.return"(%930) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x8xf32>) -> tensor<6x8xf32>, sym_name = "cumsum_0", sym_visibility = "private"}> ({
  ^bb0(%arg276: tensor<6x8xf32>):
    %926 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %927 = "stablehlo.broadcast_in_dim"(%926) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %928 = "stablehlo.reduce_window"(%arg276, %927) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg277: tensor<f32>, %arg278: tensor<f32>):
      %929 = "stablehlo.add"(%arg277, %arg278) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%929) : (tensor<f32>) -> ()
    }) : (tensor<6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
    "func.return"(%928) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x8xf32>) -> tensor<6x8xf32>, res_attrs = [{}], sym_name = "cumprod", sym_visibility = "private"}> ({
  ^bb0(%arg275: tensor<6x8xf32>):
    %925 = "func.call"(%arg275) <{callee = @cumprod_1}> : (tensor<6x8xf32>) -> tensor<6x8xf32>
    "func.return"(%925) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x8xf32>) -> tensor<6x8xf32>, sym_name = "cumprod_1", sym_visibility = "private"}> ({
  ^bb0(%arg272: tensor<6x8xf32>):
    %922 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %923 = "stablehlo.reduce_window"(%arg272, %922) <{base_dilations = array<i64: 1, 1>, padding = dense<[[5, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 6, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg273: tensor<f32>, %arg274: tensor<f32>):
      %924 = "stablehlo.multiply"(%arg273, %arg274) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%924) : (tensor<f32>) -> ()
    }) : (tensor<6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
    "func.return"(%923) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<6x8xf32>, tensor<f32>, tensor<f32>) -> tensor<6x8xf32>, res_attrs = [{}], sym_name = "clip", sym_visibility = "private"}> ({
  ^bb0(%arg269: tensor<6x8xf32>, %arg270: tensor<f32>, %arg271: tensor<f32>):
    %916 = "stablehlo.convert"(%arg270) : (tensor<f32>) -> tensor<f32>
    %917 = "stablehlo.broadcast_in_dim"(%916) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %918 = "stablehlo.maximum"(%917, %arg269) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %919 = "stablehlo.convert"(%arg271) : (tensor<f32>) -> tensor<f32>
    %920 = "stablehlo.broadcast_in_dim"(%919) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %921 = "stablehlo.minimum"(%920, %918) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    "func.return"(%921) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x8xf32>) -> tensor<6x8xf32>, res_attrs = [{}], sym_name = "round", sym_visibility = "private"}> ({
  ^bb0(%arg268: tensor<6x8xf32>):
    %915 = "stablehlo.round_nearest_even"(%arg268) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    "func.return"(%915) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x8xf32>) -> tensor<6x8xf32>, res_attrs = [{}], sym_name = "_roll_static", sym_visibility = "private"}> ({
  ^bb0(%arg267: tensor<6x8xf32>):
    %912 = "stablehlo.slice"(%arg267) <{limit_indices = array<i64: 6, 8>, start_indices = array<i64: 4, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<2x8xf32>
    %913 = "stablehlo.slice"(%arg267) <{limit_indices = array<i64: 4, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<4x8xf32>
    %914 = "stablehlo.concatenate"(%912, %913) <{dimension = 0 : i64}> : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
    "func.return"(%914) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2xui32>) -> tensor<5xf32>, res_attrs = [{}], sym_name = "_normal", sym_visibility = "private"}> ({
  ^bb0(%arg266: tensor<2xui32>):
    %911 = "func.call"(%arg266) <{callee = @_normal_real}> : (tensor<2xui32>) -> tensor<5xf32>
    "func.return"(%911) : (tensor<5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2xui32>) -> tensor<5xf32>, res_attrs = [{}], sym_name = "_normal_real", sym_visibility = "private"}> ({
  ^bb0(%arg265: tensor<2xui32>):
    %904 = "stablehlo.constant"() <{value = dense<-0.99999994> : tensor<f32>}> : () -> tensor<f32>
    %905 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %906 = "func.call"(%arg265, %904, %905) <{callee = @_uniform}> : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<5xf32>
    %907 = "chlo.erf_inv"(%906) : (tensor<5xf32>) -> tensor<5xf32>
    %908 = "stablehlo.constant"() <{value = dense<1.41421354> : tensor<f32>}> : () -> tensor<f32>
    %909 = "stablehlo.broadcast_in_dim"(%908) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5xf32>
    %910 = "stablehlo.multiply"(%909, %907) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    "func.return"(%910) : (tensor<5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<5xf32>, res_attrs = [{}], sym_name = "_uniform", sym_visibility = "private"}> ({
  ^bb0(%arg262: tensor<2xui32>, %arg263: tensor<f32>, %arg264: tensor<f32>):
    %870 = "stablehlo.broadcast_in_dim"(%arg263) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %871 = "stablehlo.broadcast_in_dim"(%arg264) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %872 = "stablehlo.slice"(%arg262) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %873 = "stablehlo.reshape"(%872) : (tensor<1xui32>) -> tensor<ui32>
    %874 = "stablehlo.slice"(%arg262) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %875 = "stablehlo.reshape"(%874) : (tensor<1xui32>) -> tensor<ui32>
    %876 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<5xui64>
    %877 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %878 = "stablehlo.broadcast_in_dim"(%877) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<5xui64>
    %879 = "stablehlo.multiply"(%878, %876) : (tensor<5xui64>, tensor<5xui64>) -> tensor<5xui64>
    %880 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %881 = "stablehlo.broadcast_in_dim"(%880) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<5xui64>
    %882 = "stablehlo.shift_right_logical"(%879, %881) : (tensor<5xui64>, tensor<5xui64>) -> tensor<5xui64>
    %883 = "stablehlo.convert"(%879) : (tensor<5xui64>) -> tensor<5xui32>
    %884 = "stablehlo.convert"(%882) : (tensor<5xui64>) -> tensor<5xui32>
    %885:2 = "func.call"(%873, %875, %884, %883) <{callee = @threefry2x32}> : (tensor<ui32>, tensor<ui32>, tensor<5xui32>, tensor<5xui32>) -> (tensor<5xui32>, tensor<5xui32>)
    %886 = "stablehlo.xor"(%885#0, %885#1) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %887 = "stablehlo.constant"() <{value = dense<9> : tensor<ui32>}> : () -> tensor<ui32>
    %888 = "stablehlo.broadcast_in_dim"(%887) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %889 = "stablehlo.shift_right_logical"(%886, %888) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %890 = "stablehlo.constant"() <{value = dense<1065353216> : tensor<ui32>}> : () -> tensor<ui32>
    %891 = "stablehlo.broadcast_in_dim"(%890) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %892 = "stablehlo.or"(%889, %891) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %893 = "stablehlo.bitcast_convert"(%892) : (tensor<5xui32>) -> tensor<5xf32>
    %894 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %895 = "stablehlo.broadcast_in_dim"(%894) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5xf32>
    %896 = "stablehlo.subtract"(%893, %895) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %897 = "stablehlo.subtract"(%871, %870) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %898 = "stablehlo.broadcast_in_dim"(%897) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<5xf32>
    %899 = "stablehlo.multiply"(%896, %898) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %900 = "stablehlo.broadcast_in_dim"(%870) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<5xf32>
    %901 = "stablehlo.add"(%899, %900) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %902 = "stablehlo.broadcast_in_dim"(%870) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<5xf32>
    %903 = "stablehlo.maximum"(%902, %901) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    "func.return"(%903) : (tensor<5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<5xui32>, tensor<5xui32>) -> (tensor<5xui32>, tensor<5xui32>), sym_name = "threefry2x32", sym_visibility = "private"}> ({
  ^bb0(%arg240: tensor<ui32>, %arg241: tensor<ui32>, %arg242: tensor<5xui32>, %arg243: tensor<5xui32>):
    %853 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %854 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %855 = "stablehlo.xor"(%arg240, %arg241) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %856 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %857 = "stablehlo.xor"(%855, %856) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %858 = "stablehlo.broadcast_in_dim"(%arg240) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %859 = "stablehlo.add"(%arg242, %858) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %860 = "stablehlo.broadcast_in_dim"(%arg241) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %861 = "stablehlo.add"(%arg243, %860) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %862 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %863 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %864:9 = "stablehlo.while"(%863, %862, %859, %861, %arg241, %857, %arg240, %853, %854) ({
    ^bb0(%arg253: tensor<i32>, %arg254: tensor<i32>, %arg255: tensor<5xui32>, %arg256: tensor<5xui32>, %arg257: tensor<ui32>, %arg258: tensor<ui32>, %arg259: tensor<ui32>, %arg260: tensor<4xui32>, %arg261: tensor<4xui32>):
      %868 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %869 = "stablehlo.compare"(%arg253, %868) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%869) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg244: tensor<i32>, %arg245: tensor<i32>, %arg246: tensor<5xui32>, %arg247: tensor<5xui32>, %arg248: tensor<ui32>, %arg249: tensor<ui32>, %arg250: tensor<ui32>, %arg251: tensor<4xui32>, %arg252: tensor<4xui32>):
      %865:8 = "func.call"(%arg245, %arg246, %arg247, %arg248, %arg249, %arg250, %arg251, %arg252) <{callee = @closed_call}> : (tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %866 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %867 = "stablehlo.add"(%arg244, %866) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%867, %865#0, %865#1, %865#2, %865#3, %865#4, %865#5, %865#6, %865#7) : (tensor<i32>, tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%864#2, %864#3) : (tensor<5xui32>, tensor<5xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg232: tensor<i32>, %arg233: tensor<5xui32>, %arg234: tensor<5xui32>, %arg235: tensor<ui32>, %arg236: tensor<ui32>, %arg237: tensor<ui32>, %arg238: tensor<4xui32>, %arg239: tensor<4xui32>):
    %798 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %799 = "stablehlo.add"(%arg232, %798) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %800 = "stablehlo.slice"(%arg238) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %801 = "stablehlo.reshape"(%800) : (tensor<1xui32>) -> tensor<ui32>
    %802 = "stablehlo.add"(%arg233, %arg234) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %803 = "stablehlo.broadcast_in_dim"(%801) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %804 = "stablehlo.shift_left"(%arg234, %803) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %805 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %806 = "stablehlo.subtract"(%805, %801) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %807 = "stablehlo.broadcast_in_dim"(%806) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %808 = "stablehlo.shift_right_logical"(%arg234, %807) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %809 = "stablehlo.or"(%804, %808) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %810 = "stablehlo.xor"(%802, %809) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %811 = "stablehlo.slice"(%arg238) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %812 = "stablehlo.reshape"(%811) : (tensor<1xui32>) -> tensor<ui32>
    %813 = "stablehlo.add"(%802, %810) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %814 = "stablehlo.broadcast_in_dim"(%812) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %815 = "stablehlo.shift_left"(%810, %814) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %816 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %817 = "stablehlo.subtract"(%816, %812) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %818 = "stablehlo.broadcast_in_dim"(%817) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %819 = "stablehlo.shift_right_logical"(%810, %818) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %820 = "stablehlo.or"(%815, %819) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %821 = "stablehlo.xor"(%813, %820) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %822 = "stablehlo.slice"(%arg238) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %823 = "stablehlo.reshape"(%822) : (tensor<1xui32>) -> tensor<ui32>
    %824 = "stablehlo.add"(%813, %821) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %825 = "stablehlo.broadcast_in_dim"(%823) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %826 = "stablehlo.shift_left"(%821, %825) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %827 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %828 = "stablehlo.subtract"(%827, %823) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %829 = "stablehlo.broadcast_in_dim"(%828) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %830 = "stablehlo.shift_right_logical"(%821, %829) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %831 = "stablehlo.or"(%826, %830) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %832 = "stablehlo.xor"(%824, %831) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %833 = "stablehlo.slice"(%arg238) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %834 = "stablehlo.reshape"(%833) : (tensor<1xui32>) -> tensor<ui32>
    %835 = "stablehlo.add"(%824, %832) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %836 = "stablehlo.broadcast_in_dim"(%834) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %837 = "stablehlo.shift_left"(%832, %836) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %838 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %839 = "stablehlo.subtract"(%838, %834) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %840 = "stablehlo.broadcast_in_dim"(%839) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %841 = "stablehlo.shift_right_logical"(%832, %840) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %842 = "stablehlo.or"(%837, %841) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %843 = "stablehlo.xor"(%835, %842) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %844 = "stablehlo.broadcast_in_dim"(%arg235) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %845 = "stablehlo.add"(%835, %844) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %846 = "stablehlo.broadcast_in_dim"(%arg236) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %847 = "stablehlo.add"(%843, %846) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %848 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %849 = "stablehlo.add"(%arg232, %848) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %850 = "stablehlo.convert"(%849) : (tensor<i32>) -> tensor<ui32>
    %851 = "stablehlo.broadcast_in_dim"(%850) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %852 = "stablehlo.add"(%847, %851) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    "func.return"(%799, %845, %852, %arg236, %arg237, %arg235, %arg239, %arg238) : (tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<3x3xf32>, res_attrs = [{}], sym_name = "_uniform_2", sym_visibility = "private"}> ({
  ^bb0(%arg229: tensor<2xui32>, %arg230: tensor<f32>, %arg231: tensor<f32>):
    %757 = "stablehlo.convert"(%arg230) : (tensor<f32>) -> tensor<f32>
    %758 = "stablehlo.convert"(%arg231) : (tensor<f32>) -> tensor<f32>
    %759 = "stablehlo.broadcast_in_dim"(%757) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1xf32>
    %760 = "stablehlo.broadcast_in_dim"(%758) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1xf32>
    %761 = "stablehlo.slice"(%arg229) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %762 = "stablehlo.reshape"(%761) : (tensor<1xui32>) -> tensor<ui32>
    %763 = "stablehlo.slice"(%arg229) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %764 = "stablehlo.reshape"(%763) : (tensor<1xui32>) -> tensor<ui32>
    %765 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3x3xui64>
    %766 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<3x3xui64>
    %767 = "stablehlo.constant"() <{value = dense<3> : tensor<ui64>}> : () -> tensor<ui64>
    %768 = "stablehlo.broadcast_in_dim"(%767) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<3x3xui64>
    %769 = "stablehlo.multiply"(%768, %765) : (tensor<3x3xui64>, tensor<3x3xui64>) -> tensor<3x3xui64>
    %770 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %771 = "stablehlo.broadcast_in_dim"(%770) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<3x3xui64>
    %772 = "stablehlo.multiply"(%771, %766) : (tensor<3x3xui64>, tensor<3x3xui64>) -> tensor<3x3xui64>
    %773 = "stablehlo.add"(%769, %772) : (tensor<3x3xui64>, tensor<3x3xui64>) -> tensor<3x3xui64>
    %774 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %775 = "stablehlo.broadcast_in_dim"(%774) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<3x3xui64>
    %776 = "stablehlo.shift_right_logical"(%773, %775) : (tensor<3x3xui64>, tensor<3x3xui64>) -> tensor<3x3xui64>
    %777 = "stablehlo.convert"(%773) : (tensor<3x3xui64>) -> tensor<3x3xui32>
    %778 = "stablehlo.convert"(%776) : (tensor<3x3xui64>) -> tensor<3x3xui32>
    %779:2 = "func.call"(%762, %764, %778, %777) <{callee = @threefry2x32_3}> : (tensor<ui32>, tensor<ui32>, tensor<3x3xui32>, tensor<3x3xui32>) -> (tensor<3x3xui32>, tensor<3x3xui32>)
    %780 = "stablehlo.xor"(%779#0, %779#1) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %781 = "stablehlo.constant"() <{value = dense<9> : tensor<ui32>}> : () -> tensor<ui32>
    %782 = "stablehlo.broadcast_in_dim"(%781) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %783 = "stablehlo.shift_right_logical"(%780, %782) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %784 = "stablehlo.constant"() <{value = dense<1065353216> : tensor<ui32>}> : () -> tensor<ui32>
    %785 = "stablehlo.broadcast_in_dim"(%784) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %786 = "stablehlo.or"(%783, %785) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %787 = "stablehlo.bitcast_convert"(%786) : (tensor<3x3xui32>) -> tensor<3x3xf32>
    %788 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %789 = "stablehlo.broadcast_in_dim"(%788) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3xf32>
    %790 = "stablehlo.subtract"(%787, %789) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %791 = "stablehlo.subtract"(%760, %759) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %792 = "stablehlo.broadcast_in_dim"(%791) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xf32>) -> tensor<3x3xf32>
    %793 = "stablehlo.multiply"(%790, %792) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %794 = "stablehlo.broadcast_in_dim"(%759) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xf32>) -> tensor<3x3xf32>
    %795 = "stablehlo.add"(%793, %794) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %796 = "stablehlo.broadcast_in_dim"(%759) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xf32>) -> tensor<3x3xf32>
    %797 = "stablehlo.maximum"(%796, %795) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    "func.return"(%797) : (tensor<3x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<3x3xui32>, tensor<3x3xui32>) -> (tensor<3x3xui32>, tensor<3x3xui32>), sym_name = "threefry2x32_3", sym_visibility = "private"}> ({
  ^bb0(%arg207: tensor<ui32>, %arg208: tensor<ui32>, %arg209: tensor<3x3xui32>, %arg210: tensor<3x3xui32>):
    %740 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %741 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %742 = "stablehlo.xor"(%arg207, %arg208) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %743 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %744 = "stablehlo.xor"(%742, %743) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %745 = "stablehlo.broadcast_in_dim"(%arg207) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %746 = "stablehlo.add"(%arg209, %745) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %747 = "stablehlo.broadcast_in_dim"(%arg208) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %748 = "stablehlo.add"(%arg210, %747) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %749 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %750 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %751:9 = "stablehlo.while"(%750, %749, %746, %748, %arg208, %744, %arg207, %740, %741) ({
    ^bb0(%arg220: tensor<i32>, %arg221: tensor<i32>, %arg222: tensor<3x3xui32>, %arg223: tensor<3x3xui32>, %arg224: tensor<ui32>, %arg225: tensor<ui32>, %arg226: tensor<ui32>, %arg227: tensor<4xui32>, %arg228: tensor<4xui32>):
      %755 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %756 = "stablehlo.compare"(%arg220, %755) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%756) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg211: tensor<i32>, %arg212: tensor<i32>, %arg213: tensor<3x3xui32>, %arg214: tensor<3x3xui32>, %arg215: tensor<ui32>, %arg216: tensor<ui32>, %arg217: tensor<ui32>, %arg218: tensor<4xui32>, %arg219: tensor<4xui32>):
      %752:8 = "func.call"(%arg212, %arg213, %arg214, %arg215, %arg216, %arg217, %arg218, %arg219) <{callee = @closed_call_4}> : (tensor<i32>, tensor<3x3xui32>, tensor<3x3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<3x3xui32>, tensor<3x3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %753 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %754 = "stablehlo.add"(%arg211, %753) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%754, %752#0, %752#1, %752#2, %752#3, %752#4, %752#5, %752#6, %752#7) : (tensor<i32>, tensor<i32>, tensor<3x3xui32>, tensor<3x3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<3x3xui32>, tensor<3x3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<3x3xui32>, tensor<3x3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%751#2, %751#3) : (tensor<3x3xui32>, tensor<3x3xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<3x3xui32>, tensor<3x3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<3x3xui32>, tensor<3x3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_4", sym_visibility = "private"}> ({
  ^bb0(%arg199: tensor<i32>, %arg200: tensor<3x3xui32>, %arg201: tensor<3x3xui32>, %arg202: tensor<ui32>, %arg203: tensor<ui32>, %arg204: tensor<ui32>, %arg205: tensor<4xui32>, %arg206: tensor<4xui32>):
    %685 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %686 = "stablehlo.add"(%arg199, %685) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %687 = "stablehlo.slice"(%arg205) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %688 = "stablehlo.reshape"(%687) : (tensor<1xui32>) -> tensor<ui32>
    %689 = "stablehlo.add"(%arg200, %arg201) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %690 = "stablehlo.broadcast_in_dim"(%688) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %691 = "stablehlo.shift_left"(%arg201, %690) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %692 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %693 = "stablehlo.subtract"(%692, %688) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %694 = "stablehlo.broadcast_in_dim"(%693) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %695 = "stablehlo.shift_right_logical"(%arg201, %694) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %696 = "stablehlo.or"(%691, %695) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %697 = "stablehlo.xor"(%689, %696) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %698 = "stablehlo.slice"(%arg205) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %699 = "stablehlo.reshape"(%698) : (tensor<1xui32>) -> tensor<ui32>
    %700 = "stablehlo.add"(%689, %697) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %701 = "stablehlo.broadcast_in_dim"(%699) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %702 = "stablehlo.shift_left"(%697, %701) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %703 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %704 = "stablehlo.subtract"(%703, %699) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %705 = "stablehlo.broadcast_in_dim"(%704) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %706 = "stablehlo.shift_right_logical"(%697, %705) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %707 = "stablehlo.or"(%702, %706) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %708 = "stablehlo.xor"(%700, %707) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %709 = "stablehlo.slice"(%arg205) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %710 = "stablehlo.reshape"(%709) : (tensor<1xui32>) -> tensor<ui32>
    %711 = "stablehlo.add"(%700, %708) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %712 = "stablehlo.broadcast_in_dim"(%710) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %713 = "stablehlo.shift_left"(%708, %712) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %714 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %715 = "stablehlo.subtract"(%714, %710) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %716 = "stablehlo.broadcast_in_dim"(%715) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %717 = "stablehlo.shift_right_logical"(%708, %716) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %718 = "stablehlo.or"(%713, %717) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %719 = "stablehlo.xor"(%711, %718) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %720 = "stablehlo.slice"(%arg205) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %721 = "stablehlo.reshape"(%720) : (tensor<1xui32>) -> tensor<ui32>
    %722 = "stablehlo.add"(%711, %719) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %723 = "stablehlo.broadcast_in_dim"(%721) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %724 = "stablehlo.shift_left"(%719, %723) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %725 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %726 = "stablehlo.subtract"(%725, %721) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %727 = "stablehlo.broadcast_in_dim"(%726) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %728 = "stablehlo.shift_right_logical"(%719, %727) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %729 = "stablehlo.or"(%724, %728) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %730 = "stablehlo.xor"(%722, %729) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %731 = "stablehlo.broadcast_in_dim"(%arg202) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %732 = "stablehlo.add"(%722, %731) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %733 = "stablehlo.broadcast_in_dim"(%arg203) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %734 = "stablehlo.add"(%730, %733) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    %735 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %736 = "stablehlo.add"(%arg199, %735) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %737 = "stablehlo.convert"(%736) : (tensor<i32>) -> tensor<ui32>
    %738 = "stablehlo.broadcast_in_dim"(%737) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3x3xui32>
    %739 = "stablehlo.add"(%734, %738) : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xui32>
    "func.return"(%686, %732, %739, %arg203, %arg204, %arg202, %arg206, %arg205) : (tensor<i32>, tensor<3x3xui32>, tensor<3x3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2xui32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>, res_attrs = [{}], sym_name = "_randint", sym_visibility = "private"}> ({
  ^bb0(%arg196: tensor<2xui32>, %arg197: tensor<i32>, %arg198: tensor<i32>):
    %605 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %606 = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
    %607 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %608 = "func.call"(%605, %606, %607) <{callee = @clip_5}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %609 = "stablehlo.compare"(%arg198, %608) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %610 = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
    %611 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %612 = "func.call"(%arg197, %610, %611) <{callee = @clip_6}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %613 = "stablehlo.convert"(%612) : (tensor<i32>) -> tensor<i32>
    %614 = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
    %615 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %616 = "func.call"(%arg198, %614, %615) <{callee = @clip_6}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %617 = "stablehlo.convert"(%616) : (tensor<i32>) -> tensor<i32>
    %618 = "stablehlo.broadcast_in_dim"(%613) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %619 = "stablehlo.broadcast_in_dim"(%617) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %620 = "func.call"(%arg196) <{callee = @_threefry_split}> : (tensor<2xui32>) -> tensor<2x2xui32>
    %621 = "stablehlo.slice"(%620) <{limit_indices = array<i64: 1, 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %622 = "stablehlo.reshape"(%621) : (tensor<1x2xui32>) -> tensor<2xui32>
    %623 = "stablehlo.slice"(%620) <{limit_indices = array<i64: 2, 2>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %624 = "stablehlo.reshape"(%623) : (tensor<1x2xui32>) -> tensor<2xui32>
    %625 = "stablehlo.slice"(%622) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %626 = "stablehlo.reshape"(%625) : (tensor<1xui32>) -> tensor<ui32>
    %627 = "stablehlo.slice"(%622) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %628 = "stablehlo.reshape"(%627) : (tensor<1xui32>) -> tensor<ui32>
    %629 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xui64>
    %630 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %631 = "stablehlo.broadcast_in_dim"(%630) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4xui64>
    %632 = "stablehlo.multiply"(%631, %629) : (tensor<4xui64>, tensor<4xui64>) -> tensor<4xui64>
    %633 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %634 = "stablehlo.broadcast_in_dim"(%633) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4xui64>
    %635 = "stablehlo.shift_right_logical"(%632, %634) : (tensor<4xui64>, tensor<4xui64>) -> tensor<4xui64>
    %636 = "stablehlo.convert"(%632) : (tensor<4xui64>) -> tensor<4xui32>
    %637 = "stablehlo.convert"(%635) : (tensor<4xui64>) -> tensor<4xui32>
    %638:2 = "func.call"(%626, %628, %637, %636) <{callee = @threefry2x32_9}> : (tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>)
    %639 = "stablehlo.xor"(%638#0, %638#1) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %640 = "stablehlo.slice"(%624) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %641 = "stablehlo.reshape"(%640) : (tensor<1xui32>) -> tensor<ui32>
    %642 = "stablehlo.slice"(%624) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %643 = "stablehlo.reshape"(%642) : (tensor<1xui32>) -> tensor<ui32>
    %644 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xui64>
    %645 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %646 = "stablehlo.broadcast_in_dim"(%645) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4xui64>
    %647 = "stablehlo.multiply"(%646, %644) : (tensor<4xui64>, tensor<4xui64>) -> tensor<4xui64>
    %648 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %649 = "stablehlo.broadcast_in_dim"(%648) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4xui64>
    %650 = "stablehlo.shift_right_logical"(%647, %649) : (tensor<4xui64>, tensor<4xui64>) -> tensor<4xui64>
    %651 = "stablehlo.convert"(%647) : (tensor<4xui64>) -> tensor<4xui32>
    %652 = "stablehlo.convert"(%650) : (tensor<4xui64>) -> tensor<4xui32>
    %653:2 = "func.call"(%641, %643, %652, %651) <{callee = @threefry2x32_9}> : (tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>)
    %654 = "stablehlo.xor"(%653#0, %653#1) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %655 = "stablehlo.subtract"(%619, %618) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %656 = "stablehlo.convert"(%655) : (tensor<1xi32>) -> tensor<1xui32>
    %657 = "stablehlo.compare"(%619, %618) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %658 = "stablehlo.constant"() <{value = dense<1> : tensor<ui32>}> : () -> tensor<ui32>
    %659 = "stablehlo.broadcast_in_dim"(%658) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<1xui32>
    %660 = "stablehlo.select"(%657, %659, %656) : (tensor<1xi1>, tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %661 = "stablehlo.compare"(%619, %618) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %662 = "stablehlo.broadcast_in_dim"(%609) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
    %663 = "stablehlo.and"(%662, %661) : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
    %664 = "stablehlo.constant"() <{value = dense<1> : tensor<ui32>}> : () -> tensor<ui32>
    %665 = "stablehlo.broadcast_in_dim"(%664) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<1xui32>
    %666 = "stablehlo.add"(%660, %665) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %667 = "stablehlo.select"(%663, %666, %660) : (tensor<1xi1>, tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %668 = "stablehlo.constant"() <{value = dense<65536> : tensor<ui32>}> : () -> tensor<ui32>
    %669 = "stablehlo.broadcast_in_dim"(%668) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<1xui32>
    %670 = "stablehlo.remainder"(%669, %667) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %671 = "stablehlo.multiply"(%670, %670) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %672 = "stablehlo.remainder"(%671, %667) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %673 = "stablehlo.broadcast_in_dim"(%667) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xui32>) -> tensor<4xui32>
    %674 = "stablehlo.remainder"(%639, %673) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %675 = "stablehlo.broadcast_in_dim"(%672) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xui32>) -> tensor<4xui32>
    %676 = "stablehlo.multiply"(%674, %675) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %677 = "stablehlo.broadcast_in_dim"(%667) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xui32>) -> tensor<4xui32>
    %678 = "stablehlo.remainder"(%654, %677) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %679 = "stablehlo.add"(%676, %678) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %680 = "stablehlo.broadcast_in_dim"(%667) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xui32>) -> tensor<4xui32>
    %681 = "stablehlo.remainder"(%679, %680) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %682 = "stablehlo.convert"(%681) : (tensor<4xui32>) -> tensor<4xi32>
    %683 = "stablehlo.broadcast_in_dim"(%618) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xi32>) -> tensor<4xi32>
    %684 = "stablehlo.add"(%683, %682) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    "func.return"(%684) : (tensor<4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>, res_attrs = [{}], sym_name = "clip_5", sym_visibility = "private"}> ({
  ^bb0(%arg193: tensor<i32>, %arg194: tensor<i32>, %arg195: tensor<i32>):
    %603 = "stablehlo.maximum"(%arg194, %arg193) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %604 = "stablehlo.minimum"(%arg195, %603) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%604) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>, res_attrs = [{}], sym_name = "clip_6", sym_visibility = "private"}> ({
  ^bb0(%arg190: tensor<i32>, %arg191: tensor<i32>, %arg192: tensor<i32>):
    %601 = "stablehlo.maximum"(%arg191, %arg190) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %602 = "stablehlo.minimum"(%arg192, %601) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%602) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2xui32>) -> tensor<2x2xui32>, res_attrs = [{}], sym_name = "_threefry_split", sym_visibility = "private"}> ({
  ^bb0(%arg189: tensor<2xui32>):
    %584 = "stablehlo.slice"(%arg189) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %585 = "stablehlo.reshape"(%584) : (tensor<1xui32>) -> tensor<ui32>
    %586 = "stablehlo.slice"(%arg189) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %587 = "stablehlo.reshape"(%586) : (tensor<1xui32>) -> tensor<ui32>
    %588 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2xui64>
    %589 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %590 = "stablehlo.broadcast_in_dim"(%589) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<2xui64>
    %591 = "stablehlo.multiply"(%590, %588) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %592 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %593 = "stablehlo.broadcast_in_dim"(%592) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<2xui64>
    %594 = "stablehlo.shift_right_logical"(%591, %593) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %595 = "stablehlo.convert"(%591) : (tensor<2xui64>) -> tensor<2xui32>
    %596 = "stablehlo.convert"(%594) : (tensor<2xui64>) -> tensor<2xui32>
    %597:2 = "func.call"(%585, %587, %596, %595) <{callee = @threefry2x32_7}> : (tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %598 = "stablehlo.broadcast_in_dim"(%597#0) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xui32>) -> tensor<2x1xui32>
    %599 = "stablehlo.broadcast_in_dim"(%597#1) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xui32>) -> tensor<2x1xui32>
    %600 = "stablehlo.concatenate"(%598, %599) <{dimension = 1 : i64}> : (tensor<2x1xui32>, tensor<2x1xui32>) -> tensor<2x2xui32>
    "func.return"(%600) : (tensor<2x2xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>), sym_name = "threefry2x32_7", sym_visibility = "private"}> ({
  ^bb0(%arg167: tensor<ui32>, %arg168: tensor<ui32>, %arg169: tensor<2xui32>, %arg170: tensor<2xui32>):
    %567 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %568 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %569 = "stablehlo.xor"(%arg167, %arg168) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %570 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %571 = "stablehlo.xor"(%569, %570) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %572 = "stablehlo.broadcast_in_dim"(%arg167) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %573 = "stablehlo.add"(%arg169, %572) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %574 = "stablehlo.broadcast_in_dim"(%arg168) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %575 = "stablehlo.add"(%arg170, %574) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %576 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %577 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %578:9 = "stablehlo.while"(%577, %576, %573, %575, %arg168, %571, %arg167, %567, %568) ({
    ^bb0(%arg180: tensor<i32>, %arg181: tensor<i32>, %arg182: tensor<2xui32>, %arg183: tensor<2xui32>, %arg184: tensor<ui32>, %arg185: tensor<ui32>, %arg186: tensor<ui32>, %arg187: tensor<4xui32>, %arg188: tensor<4xui32>):
      %582 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %583 = "stablehlo.compare"(%arg180, %582) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%583) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg171: tensor<i32>, %arg172: tensor<i32>, %arg173: tensor<2xui32>, %arg174: tensor<2xui32>, %arg175: tensor<ui32>, %arg176: tensor<ui32>, %arg177: tensor<ui32>, %arg178: tensor<4xui32>, %arg179: tensor<4xui32>):
      %579:8 = "func.call"(%arg172, %arg173, %arg174, %arg175, %arg176, %arg177, %arg178, %arg179) <{callee = @closed_call_8}> : (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %580 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %581 = "stablehlo.add"(%arg171, %580) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%581, %579#0, %579#1, %579#2, %579#3, %579#4, %579#5, %579#6, %579#7) : (tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%578#2, %578#3) : (tensor<2xui32>, tensor<2xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_8", sym_visibility = "private"}> ({
  ^bb0(%arg159: tensor<i32>, %arg160: tensor<2xui32>, %arg161: tensor<2xui32>, %arg162: tensor<ui32>, %arg163: tensor<ui32>, %arg164: tensor<ui32>, %arg165: tensor<4xui32>, %arg166: tensor<4xui32>):
    %512 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %513 = "stablehlo.add"(%arg159, %512) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %514 = "stablehlo.slice"(%arg165) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %515 = "stablehlo.reshape"(%514) : (tensor<1xui32>) -> tensor<ui32>
    %516 = "stablehlo.add"(%arg160, %arg161) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %517 = "stablehlo.broadcast_in_dim"(%515) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %518 = "stablehlo.shift_left"(%arg161, %517) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %519 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %520 = "stablehlo.subtract"(%519, %515) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %521 = "stablehlo.broadcast_in_dim"(%520) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %522 = "stablehlo.shift_right_logical"(%arg161, %521) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %523 = "stablehlo.or"(%518, %522) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %524 = "stablehlo.xor"(%516, %523) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %525 = "stablehlo.slice"(%arg165) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %526 = "stablehlo.reshape"(%525) : (tensor<1xui32>) -> tensor<ui32>
    %527 = "stablehlo.add"(%516, %524) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %528 = "stablehlo.broadcast_in_dim"(%526) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %529 = "stablehlo.shift_left"(%524, %528) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %530 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %531 = "stablehlo.subtract"(%530, %526) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %532 = "stablehlo.broadcast_in_dim"(%531) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %533 = "stablehlo.shift_right_logical"(%524, %532) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %534 = "stablehlo.or"(%529, %533) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %535 = "stablehlo.xor"(%527, %534) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %536 = "stablehlo.slice"(%arg165) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %537 = "stablehlo.reshape"(%536) : (tensor<1xui32>) -> tensor<ui32>
    %538 = "stablehlo.add"(%527, %535) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %539 = "stablehlo.broadcast_in_dim"(%537) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %540 = "stablehlo.shift_left"(%535, %539) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %541 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %542 = "stablehlo.subtract"(%541, %537) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %543 = "stablehlo.broadcast_in_dim"(%542) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %544 = "stablehlo.shift_right_logical"(%535, %543) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %545 = "stablehlo.or"(%540, %544) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %546 = "stablehlo.xor"(%538, %545) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %547 = "stablehlo.slice"(%arg165) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %548 = "stablehlo.reshape"(%547) : (tensor<1xui32>) -> tensor<ui32>
    %549 = "stablehlo.add"(%538, %546) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %550 = "stablehlo.broadcast_in_dim"(%548) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %551 = "stablehlo.shift_left"(%546, %550) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %552 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %553 = "stablehlo.subtract"(%552, %548) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %554 = "stablehlo.broadcast_in_dim"(%553) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %555 = "stablehlo.shift_right_logical"(%546, %554) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %556 = "stablehlo.or"(%551, %555) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %557 = "stablehlo.xor"(%549, %556) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %558 = "stablehlo.broadcast_in_dim"(%arg162) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %559 = "stablehlo.add"(%549, %558) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %560 = "stablehlo.broadcast_in_dim"(%arg163) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %561 = "stablehlo.add"(%557, %560) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %562 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %563 = "stablehlo.add"(%arg159, %562) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %564 = "stablehlo.convert"(%563) : (tensor<i32>) -> tensor<ui32>
    %565 = "stablehlo.broadcast_in_dim"(%564) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %566 = "stablehlo.add"(%561, %565) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    "func.return"(%513, %559, %566, %arg163, %arg164, %arg162, %arg166, %arg165) : (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>), sym_name = "threefry2x32_9", sym_visibility = "private"}> ({
  ^bb0(%arg137: tensor<ui32>, %arg138: tensor<ui32>, %arg139: tensor<4xui32>, %arg140: tensor<4xui32>):
    %495 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %496 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %497 = "stablehlo.xor"(%arg137, %arg138) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %498 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %499 = "stablehlo.xor"(%497, %498) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %500 = "stablehlo.broadcast_in_dim"(%arg137) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %501 = "stablehlo.add"(%arg139, %500) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %502 = "stablehlo.broadcast_in_dim"(%arg138) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %503 = "stablehlo.add"(%arg140, %502) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %504 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %505 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %506:9 = "stablehlo.while"(%505, %504, %501, %503, %arg138, %499, %arg137, %495, %496) ({
    ^bb0(%arg150: tensor<i32>, %arg151: tensor<i32>, %arg152: tensor<4xui32>, %arg153: tensor<4xui32>, %arg154: tensor<ui32>, %arg155: tensor<ui32>, %arg156: tensor<ui32>, %arg157: tensor<4xui32>, %arg158: tensor<4xui32>):
      %510 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %511 = "stablehlo.compare"(%arg150, %510) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%511) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg141: tensor<i32>, %arg142: tensor<i32>, %arg143: tensor<4xui32>, %arg144: tensor<4xui32>, %arg145: tensor<ui32>, %arg146: tensor<ui32>, %arg147: tensor<ui32>, %arg148: tensor<4xui32>, %arg149: tensor<4xui32>):
      %507:8 = "func.call"(%arg142, %arg143, %arg144, %arg145, %arg146, %arg147, %arg148, %arg149) <{callee = @closed_call_10}> : (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %508 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %509 = "stablehlo.add"(%arg141, %508) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%509, %507#0, %507#1, %507#2, %507#3, %507#4, %507#5, %507#6, %507#7) : (tensor<i32>, tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%506#2, %506#3) : (tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_10", sym_visibility = "private"}> ({
  ^bb0(%arg129: tensor<i32>, %arg130: tensor<4xui32>, %arg131: tensor<4xui32>, %arg132: tensor<ui32>, %arg133: tensor<ui32>, %arg134: tensor<ui32>, %arg135: tensor<4xui32>, %arg136: tensor<4xui32>):
    %440 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %441 = "stablehlo.add"(%arg129, %440) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %442 = "stablehlo.slice"(%arg135) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %443 = "stablehlo.reshape"(%442) : (tensor<1xui32>) -> tensor<ui32>
    %444 = "stablehlo.add"(%arg130, %arg131) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %445 = "stablehlo.broadcast_in_dim"(%443) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %446 = "stablehlo.shift_left"(%arg131, %445) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %447 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %448 = "stablehlo.subtract"(%447, %443) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %449 = "stablehlo.broadcast_in_dim"(%448) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %450 = "stablehlo.shift_right_logical"(%arg131, %449) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %451 = "stablehlo.or"(%446, %450) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %452 = "stablehlo.xor"(%444, %451) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %453 = "stablehlo.slice"(%arg135) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %454 = "stablehlo.reshape"(%453) : (tensor<1xui32>) -> tensor<ui32>
    %455 = "stablehlo.add"(%444, %452) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %456 = "stablehlo.broadcast_in_dim"(%454) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %457 = "stablehlo.shift_left"(%452, %456) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %458 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %459 = "stablehlo.subtract"(%458, %454) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %460 = "stablehlo.broadcast_in_dim"(%459) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %461 = "stablehlo.shift_right_logical"(%452, %460) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %462 = "stablehlo.or"(%457, %461) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %463 = "stablehlo.xor"(%455, %462) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %464 = "stablehlo.slice"(%arg135) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %465 = "stablehlo.reshape"(%464) : (tensor<1xui32>) -> tensor<ui32>
    %466 = "stablehlo.add"(%455, %463) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %467 = "stablehlo.broadcast_in_dim"(%465) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %468 = "stablehlo.shift_left"(%463, %467) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %469 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %470 = "stablehlo.subtract"(%469, %465) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %471 = "stablehlo.broadcast_in_dim"(%470) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %472 = "stablehlo.shift_right_logical"(%463, %471) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %473 = "stablehlo.or"(%468, %472) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %474 = "stablehlo.xor"(%466, %473) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %475 = "stablehlo.slice"(%arg135) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %476 = "stablehlo.reshape"(%475) : (tensor<1xui32>) -> tensor<ui32>
    %477 = "stablehlo.add"(%466, %474) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %478 = "stablehlo.broadcast_in_dim"(%476) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %479 = "stablehlo.shift_left"(%474, %478) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %480 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %481 = "stablehlo.subtract"(%480, %476) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %482 = "stablehlo.broadcast_in_dim"(%481) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %483 = "stablehlo.shift_right_logical"(%474, %482) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %484 = "stablehlo.or"(%479, %483) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %485 = "stablehlo.xor"(%477, %484) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %486 = "stablehlo.broadcast_in_dim"(%arg132) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %487 = "stablehlo.add"(%477, %486) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %488 = "stablehlo.broadcast_in_dim"(%arg133) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %489 = "stablehlo.add"(%485, %488) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %490 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %491 = "stablehlo.add"(%arg129, %490) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %492 = "stablehlo.convert"(%491) : (tensor<i32>) -> tensor<ui32>
    %493 = "stablehlo.broadcast_in_dim"(%492) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %494 = "stablehlo.add"(%489, %493) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    "func.return"(%441, %487, %494, %arg133, %arg134, %arg132, %arg136, %arg135) : (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2xui32>, tensor<6xi32>) -> tensor<6xi32>, res_attrs = [{}], sym_name = "_shuffle", sym_visibility = "private"}> ({
  ^bb0(%arg123: tensor<2xui32>, %arg124: tensor<6xi32>):
    %420 = "func.call"(%arg123) <{callee = @_threefry_split}> : (tensor<2xui32>) -> tensor<2x2xui32>
    %421 = "stablehlo.slice"(%420) <{limit_indices = array<i64: 2, 2>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %422 = "stablehlo.reshape"(%421) : (tensor<1x2xui32>) -> tensor<2xui32>
    %423 = "stablehlo.slice"(%422) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %424 = "stablehlo.reshape"(%423) : (tensor<1xui32>) -> tensor<ui32>
    %425 = "stablehlo.slice"(%422) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %426 = "stablehlo.reshape"(%425) : (tensor<1xui32>) -> tensor<ui32>
    %427 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<6xui64>
    %428 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %429 = "stablehlo.broadcast_in_dim"(%428) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<6xui64>
    %430 = "stablehlo.multiply"(%429, %427) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %431 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %432 = "stablehlo.broadcast_in_dim"(%431) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<6xui64>
    %433 = "stablehlo.shift_right_logical"(%430, %432) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %434 = "stablehlo.convert"(%430) : (tensor<6xui64>) -> tensor<6xui32>
    %435 = "stablehlo.convert"(%433) : (tensor<6xui64>) -> tensor<6xui32>
    %436:2 = "func.call"(%424, %426, %435, %434) <{callee = @threefry2x32_11}> : (tensor<ui32>, tensor<ui32>, tensor<6xui32>, tensor<6xui32>) -> (tensor<6xui32>, tensor<6xui32>)
    %437 = "stablehlo.xor"(%436#0, %436#1) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %438:2 = "stablehlo.sort"(%437, %arg124) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg125: tensor<ui32>, %arg126: tensor<ui32>, %arg127: tensor<i32>, %arg128: tensor<i32>):
      %439 = "stablehlo.compare"(%arg125, %arg126) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      "stablehlo.return"(%439) : (tensor<i1>) -> ()
    }) : (tensor<6xui32>, tensor<6xi32>) -> (tensor<6xui32>, tensor<6xi32>)
    "func.return"(%438#1) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<6xui32>, tensor<6xui32>) -> (tensor<6xui32>, tensor<6xui32>), sym_name = "threefry2x32_11", sym_visibility = "private"}> ({
  ^bb0(%arg101: tensor<ui32>, %arg102: tensor<ui32>, %arg103: tensor<6xui32>, %arg104: tensor<6xui32>):
    %403 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %404 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %405 = "stablehlo.xor"(%arg101, %arg102) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %406 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %407 = "stablehlo.xor"(%405, %406) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %408 = "stablehlo.broadcast_in_dim"(%arg101) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %409 = "stablehlo.add"(%arg103, %408) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %410 = "stablehlo.broadcast_in_dim"(%arg102) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %411 = "stablehlo.add"(%arg104, %410) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %412 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %413 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %414:9 = "stablehlo.while"(%413, %412, %409, %411, %arg102, %407, %arg101, %403, %404) ({
    ^bb0(%arg114: tensor<i32>, %arg115: tensor<i32>, %arg116: tensor<6xui32>, %arg117: tensor<6xui32>, %arg118: tensor<ui32>, %arg119: tensor<ui32>, %arg120: tensor<ui32>, %arg121: tensor<4xui32>, %arg122: tensor<4xui32>):
      %418 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %419 = "stablehlo.compare"(%arg114, %418) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%419) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg105: tensor<i32>, %arg106: tensor<i32>, %arg107: tensor<6xui32>, %arg108: tensor<6xui32>, %arg109: tensor<ui32>, %arg110: tensor<ui32>, %arg111: tensor<ui32>, %arg112: tensor<4xui32>, %arg113: tensor<4xui32>):
      %415:8 = "func.call"(%arg106, %arg107, %arg108, %arg109, %arg110, %arg111, %arg112, %arg113) <{callee = @closed_call_12}> : (tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %416 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %417 = "stablehlo.add"(%arg105, %416) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%417, %415#0, %415#1, %415#2, %415#3, %415#4, %415#5, %415#6, %415#7) : (tensor<i32>, tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%414#2, %414#3) : (tensor<6xui32>, tensor<6xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_12", sym_visibility = "private"}> ({
  ^bb0(%arg93: tensor<i32>, %arg94: tensor<6xui32>, %arg95: tensor<6xui32>, %arg96: tensor<ui32>, %arg97: tensor<ui32>, %arg98: tensor<ui32>, %arg99: tensor<4xui32>, %arg100: tensor<4xui32>):
    %348 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %349 = "stablehlo.add"(%arg93, %348) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %350 = "stablehlo.slice"(%arg99) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %351 = "stablehlo.reshape"(%350) : (tensor<1xui32>) -> tensor<ui32>
    %352 = "stablehlo.add"(%arg94, %arg95) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %353 = "stablehlo.broadcast_in_dim"(%351) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %354 = "stablehlo.shift_left"(%arg95, %353) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %355 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %356 = "stablehlo.subtract"(%355, %351) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %357 = "stablehlo.broadcast_in_dim"(%356) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %358 = "stablehlo.shift_right_logical"(%arg95, %357) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %359 = "stablehlo.or"(%354, %358) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %360 = "stablehlo.xor"(%352, %359) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %361 = "stablehlo.slice"(%arg99) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %362 = "stablehlo.reshape"(%361) : (tensor<1xui32>) -> tensor<ui32>
    %363 = "stablehlo.add"(%352, %360) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %364 = "stablehlo.broadcast_in_dim"(%362) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %365 = "stablehlo.shift_left"(%360, %364) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %366 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %367 = "stablehlo.subtract"(%366, %362) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %368 = "stablehlo.broadcast_in_dim"(%367) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %369 = "stablehlo.shift_right_logical"(%360, %368) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %370 = "stablehlo.or"(%365, %369) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %371 = "stablehlo.xor"(%363, %370) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %372 = "stablehlo.slice"(%arg99) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %373 = "stablehlo.reshape"(%372) : (tensor<1xui32>) -> tensor<ui32>
    %374 = "stablehlo.add"(%363, %371) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %375 = "stablehlo.broadcast_in_dim"(%373) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %376 = "stablehlo.shift_left"(%371, %375) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %377 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %378 = "stablehlo.subtract"(%377, %373) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %379 = "stablehlo.broadcast_in_dim"(%378) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %380 = "stablehlo.shift_right_logical"(%371, %379) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %381 = "stablehlo.or"(%376, %380) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %382 = "stablehlo.xor"(%374, %381) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %383 = "stablehlo.slice"(%arg99) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %384 = "stablehlo.reshape"(%383) : (tensor<1xui32>) -> tensor<ui32>
    %385 = "stablehlo.add"(%374, %382) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %386 = "stablehlo.broadcast_in_dim"(%384) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %387 = "stablehlo.shift_left"(%382, %386) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %388 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %389 = "stablehlo.subtract"(%388, %384) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %390 = "stablehlo.broadcast_in_dim"(%389) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %391 = "stablehlo.shift_right_logical"(%382, %390) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %392 = "stablehlo.or"(%387, %391) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %393 = "stablehlo.xor"(%385, %392) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %394 = "stablehlo.broadcast_in_dim"(%arg96) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %395 = "stablehlo.add"(%385, %394) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %396 = "stablehlo.broadcast_in_dim"(%arg97) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %397 = "stablehlo.add"(%393, %396) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %398 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %399 = "stablehlo.add"(%arg93, %398) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %400 = "stablehlo.convert"(%399) : (tensor<i32>) -> tensor<ui32>
    %401 = "stablehlo.broadcast_in_dim"(%400) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<6xui32>
    %402 = "stablehlo.add"(%397, %401) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    "func.return"(%349, %395, %402, %arg97, %arg98, %arg96, %arg100, %arg99) : (tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x8xf32>) -> tensor<f32>, res_attrs = [{}], sym_name = "norm", sym_visibility = "private"}> ({
  ^bb0(%arg90: tensor<6x8xf32>):
    %343 = "stablehlo.multiply"(%arg90, %arg90) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %344 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %345 = "stablehlo.reduce"(%343, %344) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg91: tensor<f32>, %arg92: tensor<f32>):
      %347 = "stablehlo.add"(%arg91, %arg92) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%347) : (tensor<f32>) -> ()
    }) : (tensor<6x8xf32>, tensor<f32>) -> tensor<f32>
    %346 = "stablehlo.sqrt"(%345) : (tensor<f32>) -> tensor<f32>
    "func.return"(%346) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<6x8xi1>, tensor<6x8xf32>, tensor<i32>) -> tensor<6x8xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg87: tensor<6x8xi1>, %arg88: tensor<6x8xf32>, %arg89: tensor<i32>):
    %340 = "stablehlo.convert"(%arg89) : (tensor<i32>) -> tensor<f32>
    %341 = "stablehlo.broadcast_in_dim"(%340) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %342 = "stablehlo.select"(%arg87, %arg88, %341) : (tensor<6x8xi1>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    "func.return"(%342) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>, res_attrs = [{}], sym_name = "remainder", sym_visibility = "private"}> ({
  ^bb0(%arg85: tensor<6xi32>, %arg86: tensor<i32>):
    %319 = "stablehlo.convert"(%arg86) : (tensor<i32>) -> tensor<i32>
    %320 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %321 = "stablehlo.compare"(%319, %320) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %322 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %323 = "func.call"(%321, %322, %319) <{callee = @_where_13}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %324 = "stablehlo.broadcast_in_dim"(%323) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %325 = "stablehlo.remainder"(%arg85, %324) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %326 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %327 = "stablehlo.broadcast_in_dim"(%326) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %328 = "stablehlo.compare"(%325, %327) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %329 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %330 = "stablehlo.broadcast_in_dim"(%329) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %331 = "stablehlo.compare"(%325, %330) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %332 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %333 = "stablehlo.compare"(%323, %332) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %334 = "stablehlo.broadcast_in_dim"(%333) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<6xi1>
    %335 = "stablehlo.compare"(%331, %334) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %336 = "stablehlo.and"(%335, %328) : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %337 = "stablehlo.broadcast_in_dim"(%323) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %338 = "stablehlo.add"(%325, %337) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %339 = "stablehlo.select"(%336, %338, %325) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    "func.return"(%339) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, res_attrs = [{}], sym_name = "_where_13", sym_visibility = "private"}> ({
  ^bb0(%arg82: tensor<i1>, %arg83: tensor<i32>, %arg84: tensor<i32>):
    %318 = "stablehlo.select"(%arg82, %arg83, %arg84) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%318) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>, res_attrs = [{}], sym_name = "floor_divide", sym_visibility = "private"}> ({
  ^bb0(%arg80: tensor<6xi32>, %arg81: tensor<i32>):
    %301 = "stablehlo.convert"(%arg81) : (tensor<i32>) -> tensor<i32>
    %302 = "stablehlo.broadcast_in_dim"(%301) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %303 = "stablehlo.divide"(%arg80, %302) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %304 = "stablehlo.sign"(%arg80) : (tensor<6xi32>) -> tensor<6xi32>
    %305 = "stablehlo.sign"(%301) : (tensor<i32>) -> tensor<i32>
    %306 = "stablehlo.broadcast_in_dim"(%305) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %307 = "stablehlo.compare"(%304, %306) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %308 = "stablehlo.broadcast_in_dim"(%301) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %309 = "stablehlo.remainder"(%arg80, %308) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %310 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %311 = "stablehlo.broadcast_in_dim"(%310) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %312 = "stablehlo.compare"(%309, %311) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %313 = "stablehlo.and"(%307, %312) : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %314 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %315 = "stablehlo.broadcast_in_dim"(%314) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %316 = "stablehlo.subtract"(%303, %315) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %317 = "func.call"(%313, %316, %303) <{callee = @_where_14}> : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    "func.return"(%317) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>, res_attrs = [{}], sym_name = "_where_14", sym_visibility = "private"}> ({
  ^bb0(%arg77: tensor<6xi1>, %arg78: tensor<6xi32>, %arg79: tensor<6xi32>):
    %300 = "stablehlo.select"(%arg77, %arg78, %arg79) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    "func.return"(%300) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>, res_attrs = [{}], sym_name = "floor_divide_15", sym_visibility = "private"}> ({
  ^bb0(%arg75: tensor<6xi32>, %arg76: tensor<6xi32>):
    %287 = "stablehlo.divide"(%arg75, %arg76) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %288 = "stablehlo.sign"(%arg75) : (tensor<6xi32>) -> tensor<6xi32>
    %289 = "stablehlo.sign"(%arg76) : (tensor<6xi32>) -> tensor<6xi32>
    %290 = "stablehlo.compare"(%288, %289) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %291 = "stablehlo.remainder"(%arg75, %arg76) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %292 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %293 = "stablehlo.broadcast_in_dim"(%292) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %294 = "stablehlo.compare"(%291, %293) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %295 = "stablehlo.and"(%290, %294) : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %296 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %297 = "stablehlo.broadcast_in_dim"(%296) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %298 = "stablehlo.subtract"(%287, %297) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %299 = "func.call"(%295, %298, %287) <{callee = @_where_14}> : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    "func.return"(%299) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<6x8xf32>) -> (tensor<i32>, tensor<6x8xf32>), res_attrs = [{}, {}], sym_name = "closed_call_16", sym_visibility = "private"}> ({
  ^bb0(%arg73: tensor<i32>, %arg74: tensor<6x8xf32>):
    %279 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %280 = "stablehlo.add"(%arg73, %279) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %281 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %282 = "stablehlo.broadcast_in_dim"(%281) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %283 = "stablehlo.multiply"(%arg74, %282) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %284 = "stablehlo.convert"(%arg73) : (tensor<i32>) -> tensor<f32>
    %285 = "stablehlo.broadcast_in_dim"(%284) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %286 = "stablehlo.add"(%283, %285) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    "func.return"(%280, %286) : (tensor<i32>, tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x8xf32>) -> tensor<6xf32>, res_attrs = [{}], sym_name = "median", sym_visibility = "private"}> ({
  ^bb0(%arg72: tensor<6x8xf32>):
    %277 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %278 = "func.call"(%arg72, %277) <{callee = @quantile}> : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    "func.return"(%278) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>, res_attrs = [{}], sym_name = "quantile", sym_visibility = "private"}> ({
  ^bb0(%arg66: tensor<6x8xf32>, %arg67: tensor<f32>):
    %228 = "stablehlo.compare"(%arg66, %arg66) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xi1>
    %229 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %230 = "stablehlo.reduce"(%228, %229) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg70: tensor<i1>, %arg71: tensor<i1>):
      %276 = "stablehlo.or"(%arg70, %arg71) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%276) : (tensor<i1>) -> ()
    }) : (tensor<6x8xi1>, tensor<i1>) -> tensor<6xi1>
    %231 = "stablehlo.broadcast_in_dim"(%230) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi1>) -> tensor<6x1xi1>
    %232 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %233 = "func.call"(%231, %232, %arg66) <{callee = @_where_17}> : (tensor<6x1xi1>, tensor<f32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %234 = "stablehlo.sort"(%233) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg68: tensor<f32>, %arg69: tensor<f32>):
      %261 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %262 = "stablehlo.compare"(%arg68, %261) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %263 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %264 = "stablehlo.select"(%262, %263, %arg68) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %265 = "stablehlo.compare"(%arg68, %arg68) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %266 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %267 = "stablehlo.select"(%265, %266, %264) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %268 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %269 = "stablehlo.compare"(%arg69, %268) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %270 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %271 = "stablehlo.select"(%269, %270, %arg69) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %272 = "stablehlo.compare"(%arg69, %arg69) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %273 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %274 = "stablehlo.select"(%272, %273, %271) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %275 = "stablehlo.compare"(%267, %274) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%275) : (tensor<i1>) -> ()
    }) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %235 = "stablehlo.constant"() <{value = dense<8.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %236 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %237 = "stablehlo.subtract"(%235, %236) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %238 = "stablehlo.multiply"(%arg67, %237) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %239 = "stablehlo.floor"(%238) : (tensor<f32>) -> tensor<f32>
    %240 = "stablehlo.ceil"(%238) : (tensor<f32>) -> tensor<f32>
    %241 = "stablehlo.constant"() <{value = dense<8.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %242 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %243 = "stablehlo.subtract"(%241, %242) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %244 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %245 = "stablehlo.clamp"(%244, %239, %243) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %246 = "stablehlo.constant"() <{value = dense<8.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %247 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %248 = "stablehlo.subtract"(%246, %247) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %249 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %250 = "stablehlo.clamp"(%249, %240, %248) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %251 = "stablehlo.convert"(%245) : (tensor<f32>) -> tensor<i32>
    %252 = "stablehlo.convert"(%250) : (tensor<f32>) -> tensor<i32>
    %253 = "stablehlo.broadcast_in_dim"(%251) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %254 = "stablehlo.gather"(%234, %253) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 6, 1>}> : (tensor<6x8xf32>, tensor<1xi32>) -> tensor<6xf32>
    %255 = "stablehlo.broadcast_in_dim"(%252) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %256 = "stablehlo.gather"(%234, %255) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 6, 1>}> : (tensor<6x8xf32>, tensor<1xi32>) -> tensor<6xf32>
    %257 = "stablehlo.add"(%254, %256) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %258 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %259 = "stablehlo.broadcast_in_dim"(%258) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %260 = "stablehlo.multiply"(%257, %259) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%260) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<6x1xi1>, tensor<f32>, tensor<6x8xf32>) -> tensor<6x8xf32>, res_attrs = [{}], sym_name = "_where_17", sym_visibility = "private"}> ({
  ^bb0(%arg63: tensor<6x1xi1>, %arg64: tensor<f32>, %arg65: tensor<6x8xf32>):
    %224 = "stablehlo.convert"(%arg64) : (tensor<f32>) -> tensor<f32>
    %225 = "stablehlo.broadcast_in_dim"(%arg63) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<6x1xi1>) -> tensor<6x8xi1>
    %226 = "stablehlo.broadcast_in_dim"(%224) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %227 = "stablehlo.select"(%225, %226, %arg65) : (tensor<6x8xi1>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    "func.return"(%227) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6x8xf32>, tensor<6xi32>) -> tensor<6x6xf32>, res_attrs = [{}], sym_name = "_take", sym_visibility = "private"}> ({
  ^bb0(%arg59: tensor<6x8xf32>, %arg60: tensor<6xi32>):
    %200 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %201 = "stablehlo.broadcast_in_dim"(%200) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %202 = "stablehlo.compare"(%arg60, %201) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %203 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %204 = "stablehlo.broadcast_in_dim"(%203) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %205 = "stablehlo.add"(%arg60, %204) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %206 = "func.call"(%202, %205, %arg60) <{callee = @_where_14}> : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %207 = "stablehlo.broadcast_in_dim"(%206) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %208 = "stablehlo.constant"() <{value = dense<7> : tensor<1xi32>}> : () -> tensor<1xi32>
    %209 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %210 = "stablehlo.broadcast_in_dim"(%209) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6x1xi32>
    %211 = "stablehlo.compare"(%207, %210) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %212 = "stablehlo.broadcast_in_dim"(%208) <{broadcast_dimensions = array<i64: 1>}> : (tensor<1xi32>) -> tensor<1x1xi32>
    %213 = "stablehlo.broadcast_in_dim"(%212) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi32>) -> tensor<6x1xi32>
    %214 = "stablehlo.compare"(%207, %213) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %215 = "stablehlo.and"(%211, %214) : (tensor<6x1xi1>, tensor<6x1xi1>) -> tensor<6x1xi1>
    %216 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %217 = "stablehlo.reduce"(%215, %216) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg61: tensor<i1>, %arg62: tensor<i1>):
      %223 = "stablehlo.and"(%arg61, %arg62) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%223) : (tensor<i1>) -> ()
    }) : (tensor<6x1xi1>, tensor<i1>) -> tensor<6xi1>
    %218 = "stablehlo.gather"(%arg59, %207) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 6, 1>}> : (tensor<6x8xf32>, tensor<6x1xi32>) -> tensor<6x6xf32>
    %219 = "stablehlo.broadcast_in_dim"(%217) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xi1>) -> tensor<6x6xi1>
    %220 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %221 = "stablehlo.broadcast_in_dim"(%220) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x6xf32>
    %222 = "stablehlo.select"(%219, %218, %221) : (tensor<6x6xi1>, tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    "func.return"(%222) : (tensor<6x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6x8xf32>, tensor<6x8xi32>) -> tensor<6x8xf32>, res_attrs = [{}], sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg55: tensor<6x8xf32>, %arg56: tensor<6x8xi32>):
    %177 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %178 = "stablehlo.broadcast_in_dim"(%177) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6x8xi32>
    %179 = "stablehlo.compare"(%arg56, %178) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6x8xi32>, tensor<6x8xi32>) -> tensor<6x8xi1>
    %180 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %181 = "stablehlo.broadcast_in_dim"(%180) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6x8xi32>
    %182 = "stablehlo.add"(%arg56, %181) : (tensor<6x8xi32>, tensor<6x8xi32>) -> tensor<6x8xi32>
    %183 = "stablehlo.select"(%179, %182, %arg56) : (tensor<6x8xi1>, tensor<6x8xi32>, tensor<6x8xi32>) -> tensor<6x8xi32>
    %184 = "stablehlo.reshape"(%183) : (tensor<6x8xi32>) -> tensor<6x8x1xi32>
    %185 = "stablehlo.constant"() <{value = dense<7> : tensor<1xi32>}> : () -> tensor<1xi32>
    %186 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %187 = "stablehlo.broadcast_in_dim"(%186) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6x8x1xi32>
    %188 = "stablehlo.compare"(%184, %187) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<6x8x1xi32>, tensor<6x8x1xi32>) -> tensor<6x8x1xi1>
    %189 = "stablehlo.broadcast_in_dim"(%185) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %190 = "stablehlo.broadcast_in_dim"(%189) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>) -> tensor<6x8x1xi32>
    %191 = "stablehlo.compare"(%184, %190) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<6x8x1xi32>, tensor<6x8x1xi32>) -> tensor<6x8x1xi1>
    %192 = "stablehlo.and"(%188, %191) : (tensor<6x8x1xi1>, tensor<6x8x1xi1>) -> tensor<6x8x1xi1>
    %193 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %194 = "stablehlo.reduce"(%192, %193) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg57: tensor<i1>, %arg58: tensor<i1>):
      %199 = "stablehlo.and"(%arg57, %arg58) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%199) : (tensor<i1>) -> ()
    }) : (tensor<6x8x1xi1>, tensor<i1>) -> tensor<6x8xi1>
    %195 = "stablehlo.gather"(%arg55, %184) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x8xf32>, tensor<6x8x1xi32>) -> tensor<6x8xf32>
    %196 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %197 = "stablehlo.broadcast_in_dim"(%196) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %198 = "stablehlo.select"(%194, %195, %197) : (tensor<6x8xi1>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    "func.return"(%198) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6xi32>) -> tensor<6x8xf32>, res_attrs = [{}], sym_name = "_one_hot", sym_visibility = "private"}> ({
  ^bb0(%arg54: tensor<6xi32>):
    %171 = "stablehlo.broadcast_in_dim"(%arg54) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %172 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<1x8xi32>
    %173 = "stablehlo.broadcast_in_dim"(%171) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<6x1xi32>) -> tensor<6x8xi32>
    %174 = "stablehlo.broadcast_in_dim"(%172) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x8xi32>) -> tensor<6x8xi32>
    %175 = "stablehlo.compare"(%173, %174) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<6x8xi32>, tensor<6x8xi32>) -> tensor<6x8xi1>
    %176 = "stablehlo.convert"(%175) : (tensor<6x8xi1>) -> tensor<6x8xf32>
    "func.return"(%176) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x8xf32>) -> tensor<6x8xf32>, res_attrs = [{}], sym_name = "tril", sym_visibility = "private"}> ({
  ^bb0(%arg53: tensor<6x8xf32>):
    %162 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<6x8xi32>
    %163 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %164 = "stablehlo.broadcast_in_dim"(%163) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6x8xi32>
    %165 = "stablehlo.add"(%162, %164) : (tensor<6x8xi32>, tensor<6x8xi32>) -> tensor<6x8xi32>
    %166 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<6x8xi32>
    %167 = "stablehlo.compare"(%165, %166) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<6x8xi32>, tensor<6x8xi32>) -> tensor<6x8xi1>
    %168 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %169 = "stablehlo.broadcast_in_dim"(%168) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %170 = "stablehlo.select"(%167, %arg53, %169) : (tensor<6x8xi1>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    "func.return"(%170) : (tensor<6x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x8xf32>) -> tensor<8x10xf32>, res_attrs = [{}], sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg52: tensor<6x8xf32>):
    %150 = "stablehlo.slice"(%arg52) <{limit_indices = array<i64: 2, 8>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<6x8xf32>) -> tensor<1x8xf32>
    %151 = "func.call"(%150) <{callee = @_flip}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
    %152 = "stablehlo.concatenate"(%151, %arg52) <{dimension = 0 : i64}> : (tensor<1x8xf32>, tensor<6x8xf32>) -> tensor<7x8xf32>
    %153 = "stablehlo.slice"(%152) <{limit_indices = array<i64: 6, 8>, start_indices = array<i64: 5, 0>, strides = array<i64: 1, 1>}> : (tensor<7x8xf32>) -> tensor<1x8xf32>
    %154 = "func.call"(%153) <{callee = @_flip}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
    %155 = "stablehlo.concatenate"(%152, %154) <{dimension = 0 : i64}> : (tensor<7x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
    %156 = "stablehlo.slice"(%155) <{limit_indices = array<i64: 8, 2>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 1>}> : (tensor<8x8xf32>) -> tensor<8x1xf32>
    %157 = "func.call"(%156) <{callee = @_flip_18}> : (tensor<8x1xf32>) -> tensor<8x1xf32>
    %158 = "stablehlo.concatenate"(%157, %155) <{dimension = 1 : i64}> : (tensor<8x1xf32>, tensor<8x8xf32>) -> tensor<8x9xf32>
    %159 = "stablehlo.slice"(%158) <{limit_indices = array<i64: 8, 8>, start_indices = array<i64: 0, 7>, strides = array<i64: 1, 1>}> : (tensor<8x9xf32>) -> tensor<8x1xf32>
    %160 = "func.call"(%159) <{callee = @_flip_18}> : (tensor<8x1xf32>) -> tensor<8x1xf32>
    %161 = "stablehlo.concatenate"(%158, %160) <{dimension = 1 : i64}> : (tensor<8x9xf32>, tensor<8x1xf32>) -> tensor<8x10xf32>
    "func.return"(%161) : (tensor<8x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<1x8xf32>) -> tensor<1x8xf32>, res_attrs = [{}], sym_name = "_flip", sym_visibility = "private"}> ({
  ^bb0(%arg51: tensor<1x8xf32>):
    %149 = "stablehlo.reverse"(%arg51) <{dimensions = array<i64: 0>}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
    "func.return"(%149) : (tensor<1x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x1xf32>) -> tensor<8x1xf32>, res_attrs = [{}], sym_name = "_flip_18", sym_visibility = "private"}> ({
  ^bb0(%arg50: tensor<8x1xf32>):
    %148 = "stablehlo.reverse"(%arg50) <{dimensions = array<i64: 1>}> : (tensor<8x1xf32>) -> tensor<8x1xf32>
    "func.return"(%148) : (tensor<8x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x8xf32>) -> tensor<6xf32>, res_attrs = [{}], sym_name = "diagonal", sym_visibility = "private"}> ({
  ^bb0(%arg49: tensor<6x8xf32>):
    %128 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<6xi32>
    %129 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<6xi32>
    %130 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %131 = "stablehlo.broadcast_in_dim"(%130) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %132 = "stablehlo.compare"(%128, %131) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %133 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %134 = "stablehlo.broadcast_in_dim"(%133) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %135 = "stablehlo.add"(%128, %134) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %136 = "stablehlo.select"(%132, %135, %128) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %137 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %138 = "stablehlo.broadcast_in_dim"(%137) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %139 = "stablehlo.compare"(%129, %138) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %140 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %141 = "stablehlo.broadcast_in_dim"(%140) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %142 = "stablehlo.add"(%129, %141) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %143 = "stablehlo.select"(%139, %142, %129) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %144 = "stablehlo.broadcast_in_dim"(%136) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %145 = "stablehlo.broadcast_in_dim"(%143) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %146 = "stablehlo.concatenate"(%144, %145) <{dimension = 1 : i64}> : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
    %147 = "stablehlo.gather"(%arg49, %146) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x8xf32>, tensor<6x2xi32>) -> tensor<6xf32>
    "func.return"(%147) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi32>, res_attrs = [{}], sym_name = "searchsorted", sym_visibility = "private"}> ({
  ^bb0(%arg47: tensor<8xf32>, %arg48: tensor<8xf32>):
    %127 = "func.call"(%arg47, %arg48) <{callee = @_searchsorted_scan_impl}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi32>
    "func.return"(%127) : (tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi32>, res_attrs = [{}], sym_name = "_searchsorted_scan_impl", sym_visibility = "private"}> ({
  ^bb0(%arg45: tensor<8xf32>, %arg46: tensor<8xf32>):
    %126 = "func.call"(%arg45, %arg46) <{callee = @_searchsorted_scan_impl_19}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi32>
    "func.return"(%126) : (tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi32>, res_attrs = [{}], sym_name = "_searchsorted_scan_impl_19", sym_visibility = "private"}> ({
  ^bb0(%arg33: tensor<8xf32>, %arg34: tensor<8xf32>):
    %114 = "stablehlo.constant"() <{value = dense<0> : tensor<ui32>}> : () -> tensor<ui32>
    %115 = "stablehlo.broadcast_in_dim"(%114) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<8xui32>
    %116 = "stablehlo.constant"() <{value = dense<8> : tensor<ui32>}> : () -> tensor<ui32>
    %117 = "stablehlo.broadcast_in_dim"(%116) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<8xui32>
    %118 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %119:5 = "stablehlo.while"(%arg33, %arg34, %118, %115, %117) ({
    ^bb0(%arg40: tensor<8xf32>, %arg41: tensor<8xf32>, %arg42: tensor<i32>, %arg43: tensor<8xui32>, %arg44: tensor<8xui32>):
      %124 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
      %125 = "stablehlo.compare"(%arg42, %124) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%125) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg35: tensor<8xf32>, %arg36: tensor<8xf32>, %arg37: tensor<i32>, %arg38: tensor<8xui32>, %arg39: tensor<8xui32>):
      %121:2 = "func.call"(%arg35, %arg36, %arg38, %arg39) <{callee = @closed_call_20}> : (tensor<8xf32>, tensor<8xf32>, tensor<8xui32>, tensor<8xui32>) -> (tensor<8xui32>, tensor<8xui32>)
      %122 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %123 = "stablehlo.add"(%arg37, %122) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg35, %arg36, %123, %121#0, %121#1) : (tensor<8xf32>, tensor<8xf32>, tensor<i32>, tensor<8xui32>, tensor<8xui32>) -> ()
    }) : (tensor<8xf32>, tensor<8xf32>, tensor<i32>, tensor<8xui32>, tensor<8xui32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<i32>, tensor<8xui32>, tensor<8xui32>)
    %120 = "stablehlo.convert"(%119#4) : (tensor<8xui32>) -> tensor<8xi32>
    "func.return"(%120) : (tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>, tensor<8xf32>, tensor<8xui32>, tensor<8xui32>) -> (tensor<8xui32>, tensor<8xui32>), res_attrs = [{}, {}], sym_name = "closed_call_20", sym_visibility = "private"}> ({
  ^bb0(%arg29: tensor<8xf32>, %arg30: tensor<8xf32>, %arg31: tensor<8xui32>, %arg32: tensor<8xui32>):
    %84 = "stablehlo.subtract"(%arg32, %arg31) : (tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
    %85 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %86 = "func.call"(%84, %85) <{callee = @floor_divide_21}> : (tensor<8xui32>, tensor<i32>) -> tensor<8xui32>
    %87 = "stablehlo.add"(%arg31, %86) : (tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
    %88 = "stablehlo.broadcast_in_dim"(%87) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xui32>) -> tensor<8x1xui32>
    %89 = "stablehlo.gather"(%arg29, %88) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<8xf32>, tensor<8x1xui32>) -> tensor<8x1xf32>
    %90 = "stablehlo.reshape"(%89) : (tensor<8x1xf32>) -> tensor<8xf32>
    %91 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %92 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %93 = "stablehlo.compare"(%arg30, %92) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %94 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %95 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %96 = "stablehlo.select"(%93, %95, %arg30) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %97 = "stablehlo.compare"(%arg30, %arg30) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %98 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %99 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %100 = "stablehlo.select"(%97, %99, %96) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %101 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %102 = "stablehlo.broadcast_in_dim"(%101) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %103 = "stablehlo.compare"(%90, %102) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %104 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %105 = "stablehlo.broadcast_in_dim"(%104) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %106 = "stablehlo.select"(%103, %105, %90) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %107 = "stablehlo.compare"(%90, %90) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %108 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %109 = "stablehlo.broadcast_in_dim"(%108) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %110 = "stablehlo.select"(%107, %109, %106) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %111 = "stablehlo.compare"(%100, %110) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %112 = "stablehlo.select"(%111, %arg31, %87) : (tensor<8xi1>, tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
    %113 = "stablehlo.select"(%111, %87, %arg32) : (tensor<8xi1>, tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
    "func.return"(%112, %113) : (tensor<8xui32>, tensor<8xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8xui32>, tensor<i32>) -> tensor<8xui32>, res_attrs = [{}], sym_name = "floor_divide_21", sym_visibility = "private"}> ({
  ^bb0(%arg27: tensor<8xui32>, %arg28: tensor<i32>):
    %81 = "stablehlo.convert"(%arg28) : (tensor<i32>) -> tensor<ui32>
    %82 = "stablehlo.broadcast_in_dim"(%81) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<8xui32>
    %83 = "stablehlo.divide"(%arg27, %82) : (tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
    "func.return"(%83) : (tensor<8xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi1>), res_attrs = [{}, {}], sym_name = "_unique_sorted_mask", sym_visibility = "private"}> ({
  ^bb0(%arg22: tensor<6xi32>):
    %57 = "stablehlo.reshape"(%arg22) : (tensor<6xi32>) -> tensor<6x1xi32>
    %58 = "stablehlo.transpose"(%57) <{permutation = array<i64: 1, 0>}> : (tensor<6x1xi32>) -> tensor<1x6xi32>
    %59 = "stablehlo.reverse"(%58) <{dimensions = array<i64: 0>}> : (tensor<1x6xi32>) -> tensor<1x6xi32>
    %60 = "func.call"(%59) <{callee = @lexsort}> : (tensor<1x6xi32>) -> tensor<6xi32>
    %61 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %62 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %63 = "stablehlo.compare"(%60, %62) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %64 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %65 = "stablehlo.broadcast_in_dim"(%64) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %66 = "stablehlo.add"(%60, %65) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %67 = "stablehlo.select"(%63, %66, %60) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %68 = "stablehlo.broadcast_in_dim"(%67) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %69 = "stablehlo.gather"(%arg22, %68) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<6xi32>, tensor<6x1xi32>) -> tensor<6xi32>
    %70 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<6xi1>
    %72 = "stablehlo.slice"(%69) <{limit_indices = array<i64: 6>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<6xi32>) -> tensor<5xi32>
    %73 = "stablehlo.slice"(%69) <{limit_indices = array<i64: 5>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<6xi32>) -> tensor<5xi32>
    %74 = "stablehlo.compare"(%72, %73) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %75 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %76 = "stablehlo.reduce"(%74, %75) <{dimensions = array<i64>}> ({
    ^bb0(%arg25: tensor<i1>, %arg26: tensor<i1>):
      %80 = "stablehlo.or"(%arg25, %arg26) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%80) : (tensor<i1>) -> ()
    }) : (tensor<5xi1>, tensor<i1>) -> tensor<5xi1>
    %77 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %79 = "stablehlo.scatter"(%71, %78, %76) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg23: tensor<i1>, %arg24: tensor<i1>):
      "stablehlo.return"(%arg24) : (tensor<i1>) -> ()
    }) : (tensor<6xi1>, tensor<1xi32>, tensor<5xi1>) -> tensor<6xi1>
    "func.return"(%69, %79) : (tensor<6xi32>, tensor<6xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<1x6xi32>) -> tensor<6xi32>, res_attrs = [{}], sym_name = "lexsort", sym_visibility = "private"}> ({
  ^bb0(%arg17: tensor<1x6xi32>):
    %52 = "stablehlo.slice"(%arg17) <{limit_indices = array<i64: 1, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<1x6xi32>) -> tensor<1x6xi32>
    %53 = "stablehlo.reshape"(%52) : (tensor<1x6xi32>) -> tensor<6xi32>
    %54 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<6xi32>
    %55:2 = "stablehlo.sort"(%53, %54) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg18: tensor<i32>, %arg19: tensor<i32>, %arg20: tensor<i32>, %arg21: tensor<i32>):
      %56 = "stablehlo.compare"(%arg18, %arg19) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%56) : (tensor<i1>) -> ()
    }) : (tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>)
    "func.return"(%55#1) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6xi1>) -> tensor<6xi32>, res_attrs = [{}], sym_name = "cumsum_22", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<6xi1>):
    %50 = "stablehlo.convert"(%arg16) : (tensor<6xi1>) -> tensor<6xi32>
    %51 = "func.call"(%50) <{callee = @cumsum_23}> : (tensor<6xi32>) -> tensor<6xi32>
    "func.return"(%51) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6xi32>) -> tensor<6xi32>, sym_name = "cumsum_23", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<6xi32>):
    %46 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %48 = "stablehlo.reduce_window"(%arg13, %47) <{base_dilations = array<i64: 1>, padding = dense<[[5, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 6>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg14: tensor<i32>, %arg15: tensor<i32>):
      %49 = "stablehlo.add"(%arg14, %arg15) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%49) : (tensor<i32>) -> ()
    }) : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>
    "func.return"(%48) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>, res_attrs = [{}], sym_name = "clip_24", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<6xi32>, %arg12: tensor<i32>):
    %43 = "stablehlo.convert"(%arg12) : (tensor<i32>) -> tensor<i32>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %45 = "stablehlo.maximum"(%44, %arg11) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    "func.return"(%45) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4xi32>) -> tensor<4xi32>, res_attrs = [{}], sym_name = "cumsum_25", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<4xi32>):
    %42 = "func.call"(%arg10) <{callee = @cumsum_26}> : (tensor<4xi32>) -> tensor<4xi32>
    "func.return"(%42) : (tensor<4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xi32>) -> tensor<4xi32>, sym_name = "cumsum_26", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<4xi32>):
    %38 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %39 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %40 = "stablehlo.reduce_window"(%arg7, %39) <{base_dilations = array<i64: 1>, padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 4>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg8: tensor<i32>, %arg9: tensor<i32>):
      %41 = "stablehlo.add"(%arg8, %arg9) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%41) : (tensor<i32>) -> ()
    }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    "func.return"(%40) : (tensor<4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>, res_attrs = [{}], sym_name = "floor_divide_27", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<4xi32>, %arg6: tensor<i32>):
    %22 = "stablehlo.broadcast_in_dim"(%arg6) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %23 = "stablehlo.divide"(%arg5, %22) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %24 = "stablehlo.sign"(%arg5) : (tensor<4xi32>) -> tensor<4xi32>
    %25 = "stablehlo.sign"(%arg6) : (tensor<i32>) -> tensor<i32>
    %26 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %27 = "stablehlo.compare"(%24, %26) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %28 = "stablehlo.broadcast_in_dim"(%arg6) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %29 = "stablehlo.remainder"(%arg5, %28) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %30 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %32 = "stablehlo.compare"(%29, %31) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %33 = "stablehlo.and"(%27, %32) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %34 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %36 = "stablehlo.subtract"(%23, %35) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %37 = "func.call"(%33, %36, %23) <{callee = @_where_28}> : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    "func.return"(%37) : (tensor<4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>, res_attrs = [{}], sym_name = "_where_28", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<4xi1>, %arg3: tensor<4xi32>, %arg4: tensor<4xi32>):
    %21 = "stablehlo.select"(%arg2, %arg3, %arg4) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    "func.return"(%21) : (tensor<4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>, res_attrs = [{}], sym_name = "remainder_29", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4xi32>, %arg1: tensor<i32>):
    %0 = "stablehlo.convert"(%arg1) : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.compare"(%0, %1) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %4 = "func.call"(%2, %3, %0) <{callee = @_where_13}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %6 = "stablehlo.remainder"(%arg0, %5) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %7 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %9 = "stablehlo.compare"(%6, %8) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %10 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %12 = "stablehlo.compare"(%6, %11) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %13 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %14 = "stablehlo.compare"(%4, %13) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<4xi1>
    %16 = "stablehlo.compare"(%12, %15) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %17 = "stablehlo.and"(%16, %9) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %18 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %19 = "stablehlo.add"(%6, %18) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %20 = "stablehlo.select"(%17, %19, %6) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    "func.return"(%20) : (tensor<4xi32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
