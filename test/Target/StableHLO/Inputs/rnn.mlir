"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<16xf32>, tensor<16x16xf32>, tensor<8x64x16xf32>) -> (tensor<f32>, tensor<16xf32>, tensor<16x16xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['b']"}, {jax.result_info = "result[1]['w']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg20: tensor<16xf32>, %arg21: tensor<16x16xf32>, %arg22: tensor<8x64x16xf32>):
    %31 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %33 = "stablehlo.transpose"(%arg22) <{permutation = array<i64: 1, 0, 2>}> : (tensor<8x64x16xf32>) -> tensor<64x8x16xf32>
    %34 = "stablehlo.broadcast_in_dim"(%arg20) <{broadcast_dimensions = array<i64: 1>}> : (tensor<16xf32>) -> tensor<1x16xf32>
    %35 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x8x16xf32>
    %37 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %38 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x8x16xf32>
    %39 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x8x16xf32>
    %41 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %42:8 = "stablehlo.while"(%33, %arg21, %34, %41, %32, %36, %38, %40) ({
    ^bb0(%arg49: tensor<64x8x16xf32>, %arg50: tensor<16x16xf32>, %arg51: tensor<1x16xf32>, %arg52: tensor<i32>, %arg53: tensor<8x16xf32>, %arg54: tensor<64x8x16xf32>, %arg55: tensor<64x8x16xf32>, %arg56: tensor<64x8x16xf32>):
      %90 = "stablehlo.constant"() <{value = dense<64> : tensor<i32>}> : () -> tensor<i32>
      %91 = "stablehlo.compare"(%arg52, %90) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%91) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg41: tensor<64x8x16xf32>, %arg42: tensor<16x16xf32>, %arg43: tensor<1x16xf32>, %arg44: tensor<i32>, %arg45: tensor<8x16xf32>, %arg46: tensor<64x8x16xf32>, %arg47: tensor<64x8x16xf32>, %arg48: tensor<64x8x16xf32>):
      %83 = "func.call"(%arg41, %arg44) <{callee = @dynamic_index_in_dim}> : (tensor<64x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>
      %84:4 = "func.call"(%arg42, %arg43, %arg45, %83) <{callee = @closed_call}> : (tensor<16x16xf32>, tensor<1x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>)
      %85 = "func.call"(%arg46, %84#1, %arg44) <{callee = @dynamic_update_index_in_dim}> : (tensor<64x8x16xf32>, tensor<8x16xf32>, tensor<i32>) -> tensor<64x8x16xf32>
      %86 = "func.call"(%arg47, %84#2, %arg44) <{callee = @dynamic_update_index_in_dim}> : (tensor<64x8x16xf32>, tensor<8x16xf32>, tensor<i32>) -> tensor<64x8x16xf32>
      %87 = "func.call"(%arg48, %84#3, %arg44) <{callee = @dynamic_update_index_in_dim}> : (tensor<64x8x16xf32>, tensor<8x16xf32>, tensor<i32>) -> tensor<64x8x16xf32>
      %88 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %89 = "stablehlo.add"(%arg44, %88) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg41, %arg42, %arg43, %89, %84#0, %85, %86, %87) : (tensor<64x8x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<8x16xf32>, tensor<64x8x16xf32>, tensor<64x8x16xf32>, tensor<64x8x16xf32>) -> ()
    }) : (tensor<64x8x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<8x16xf32>, tensor<64x8x16xf32>, tensor<64x8x16xf32>, tensor<64x8x16xf32>) -> (tensor<64x8x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<8x16xf32>, tensor<64x8x16xf32>, tensor<64x8x16xf32>, tensor<64x8x16xf32>)
    %43 = "stablehlo.multiply"(%42#4, %42#4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %44 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %45 = "stablehlo.broadcast_in_dim"(%44) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %46 = "stablehlo.multiply"(%45, %42#4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %47 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %48 = "stablehlo.reduce"(%43, %47) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg39: tensor<f32>, %arg40: tensor<f32>):
      %82 = "stablehlo.add"(%arg39, %arg40) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%82) : (tensor<f32>) -> ()
    }) : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
    %49 = "stablehlo.constant"() <{value = dense<1.280000e+02> : tensor<f32>}> : () -> tensor<f32>
    %50 = "stablehlo.divide"(%48, %49) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %51 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %52 = "stablehlo.constant"() <{value = dense<1.280000e+02> : tensor<f32>}> : () -> tensor<f32>
    %53 = "stablehlo.divide"(%51, %52) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %54 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %55 = "stablehlo.multiply"(%54, %46) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %56 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %57 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x16xf32>
    %58 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %59 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16xf32>
    %60 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %61:8 = "stablehlo.while"(%42#5, %42#6, %42#7, %arg21, %60, %57, %59, %55) ({
    ^bb0(%arg31: tensor<64x8x16xf32>, %arg32: tensor<64x8x16xf32>, %arg33: tensor<64x8x16xf32>, %arg34: tensor<16x16xf32>, %arg35: tensor<i32>, %arg36: tensor<16x16xf32>, %arg37: tensor<16xf32>, %arg38: tensor<8x16xf32>):
      %80 = "stablehlo.constant"() <{value = dense<64> : tensor<i32>}> : () -> tensor<i32>
      %81 = "stablehlo.compare"(%arg35, %80) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%81) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg23: tensor<64x8x16xf32>, %arg24: tensor<64x8x16xf32>, %arg25: tensor<64x8x16xf32>, %arg26: tensor<16x16xf32>, %arg27: tensor<i32>, %arg28: tensor<16x16xf32>, %arg29: tensor<16xf32>, %arg30: tensor<8x16xf32>):
      %70 = "stablehlo.constant"() <{value = dense<64> : tensor<i32>}> : () -> tensor<i32>
      %71 = "stablehlo.subtract"(%70, %arg27) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %72 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %73 = "stablehlo.subtract"(%71, %72) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %74 = "func.call"(%arg23, %73) <{callee = @dynamic_index_in_dim}> : (tensor<64x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>
      %75 = "func.call"(%arg24, %73) <{callee = @dynamic_index_in_dim}> : (tensor<64x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>
      %76 = "func.call"(%arg25, %73) <{callee = @dynamic_index_in_dim}> : (tensor<64x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>
      %77:3 = "func.call"(%arg26, %arg28, %arg29, %arg30, %74, %75, %76) <{callee = @closed_call_0}> : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<16x16xf32>, tensor<16xf32>, tensor<8x16xf32>)
      %78 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %79 = "stablehlo.add"(%arg27, %78) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg23, %arg24, %arg25, %arg26, %79, %77#0, %77#1, %77#2) : (tensor<64x8x16xf32>, tensor<64x8x16xf32>, tensor<64x8x16xf32>, tensor<16x16xf32>, tensor<i32>, tensor<16x16xf32>, tensor<16xf32>, tensor<8x16xf32>) -> ()
    }) : (tensor<64x8x16xf32>, tensor<64x8x16xf32>, tensor<64x8x16xf32>, tensor<16x16xf32>, tensor<i32>, tensor<16x16xf32>, tensor<16xf32>, tensor<8x16xf32>) -> (tensor<64x8x16xf32>, tensor<64x8x16xf32>, tensor<64x8x16xf32>, tensor<16x16xf32>, tensor<i32>, tensor<16x16xf32>, tensor<16xf32>, tensor<8x16xf32>)
    %62 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %63 = "stablehlo.broadcast_in_dim"(%62) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16xf32>
    %64 = "stablehlo.multiply"(%63, %61#6) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %65 = "stablehlo.subtract"(%arg20, %64) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %66 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %67 = "stablehlo.broadcast_in_dim"(%66) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x16xf32>
    %68 = "stablehlo.multiply"(%67, %61#5) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %69 = "stablehlo.subtract"(%arg21, %68) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    "func.return"(%50, %65, %69) : (tensor<f32>, tensor<16xf32>, tensor<16x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<64x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<64x8x16xf32>, %arg19: tensor<i32>):
    %27 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %28 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %29 = "stablehlo.dynamic_slice"(%arg18, %arg19, %27, %28) <{slice_sizes = array<i64: 1, 8, 16>}> : (tensor<64x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
    %30 = "stablehlo.reshape"(%29) : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%30) : (tensor<8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x16xf32>, tensor<1x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>), res_attrs = [{}, {}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<16x16xf32>, %arg15: tensor<1x16xf32>, %arg16: tensor<8x16xf32>, %arg17: tensor<8x16xf32>):
    %19 = "stablehlo.dot_general"(%arg16, %arg14) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %20 = "stablehlo.add"(%19, %arg17) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %21 = "stablehlo.broadcast_in_dim"(%arg15) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x16xf32>) -> tensor<8x16xf32>
    %22 = "stablehlo.add"(%20, %21) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %23 = "stablehlo.tanh"(%22) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %24 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %26 = "stablehlo.subtract"(%25, %23) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%23, %arg16, %23, %26) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<64x8x16xf32>, tensor<8x16xf32>, tensor<i32>) -> tensor<64x8x16xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<64x8x16xf32>, %arg12: tensor<8x16xf32>, %arg13: tensor<i32>):
    %15 = "stablehlo.broadcast_in_dim"(%arg12) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<8x16xf32>) -> tensor<1x8x16xf32>
    %16 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %17 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %18 = "stablehlo.dynamic_update_slice"(%arg11, %15, %arg13, %16, %17) : (tensor<64x8x16xf32>, tensor<1x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<64x8x16xf32>
    "func.return"(%18) : (tensor<64x8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<16x16xf32>, tensor<16xf32>, tensor<8x16xf32>), res_attrs = [{}, {}, {}], sym_name = "closed_call_0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16x16xf32>, %arg1: tensor<16x16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<8x16xf32>, %arg4: tensor<8x16xf32>, %arg5: tensor<8x16xf32>, %arg6: tensor<8x16xf32>):
    %0 = "stablehlo.multiply"(%arg3, %arg6) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = "stablehlo.multiply"(%0, %arg5) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = "stablehlo.add"(%0, %1) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %14 = "stablehlo.add"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%14) : (tensor<f32>) -> ()
    }) : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %5 = "stablehlo.reshape"(%4) : (tensor<16xf32>) -> tensor<1x16xf32>
    %6 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%5, %6) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %13 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%13) : (tensor<f32>) -> ()
    }) : (tensor<1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %8 = "stablehlo.add"(%arg2, %7) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %9 = "stablehlo.dot_general"(%2, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %10 = "stablehlo.transpose"(%9) <{permutation = array<i64: 1, 0>}> : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %11 = "stablehlo.add"(%arg1, %10) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %12 = "stablehlo.dot_general"(%2, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    "func.return"(%11, %8, %12) : (tensor<16x16xf32>, tensor<16xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
