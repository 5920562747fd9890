"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<16xf32>, tensor<16x16xf32>, tensor<8x64x16xf32>) -> (tensor<f32>, tensor<16xf32>, tensor<16x16xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['b']"}, {jax.result_info = "result[1]['w']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg20: tensor<16xf32>, %arg21: tensor<16x16xf32>, %arg22: tensor<8x64x16xf32>):
    %31 = "stablehlo.convert"(%arg20) : (tensor<16xf32>) -> tensor<16xbf16>
    %32 = "stablehlo.convert"(%arg21) : (tensor<16x16xf32>) -> tensor<16x16xbf16>
    %33 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<8x16xbf16>
    %35 = "stablehlo.convert"(%arg22) : (tensor<8x64x16xf32>) -> tensor<8x64x16xbf16>
    %36 = "stablehlo.transpose"(%35) <{permutation = array<i64: 1, 0, 2>}> : (tensor<8x64x16xbf16>) -> tensor<64x8x16xbf16>
    %37 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64: 1>}> : (tensor<16xbf16>) -> tensor<1x16xbf16>
    %38 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %39 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<64x8x16xbf16>
    %40 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<64x8x16xbf16>
    %42 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %43 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<64x8x16xbf16>
    %44 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %45:8 = "stablehlo.while"(%36, %32, %37, %44, %34, %39, %41, %43) ({
    ^bb0(%arg49: tensor<64x8x16xbf16>, %arg50: tensor<16x16xbf16>, %arg51: tensor<1x16xbf16>, %arg52: tensor<i32>, %arg53: tensor<8x16xbf16>, %arg54: tensor<64x8x16xbf16>, %arg55: tensor<64x8x16xbf16>, %arg56: tensor<64x8x16xbf16>):
      %97 = "stablehlo.constant"() <{value = dense<64> : tensor<i32>}> : () -> tensor<i32>
      %98 = "stablehlo.compare"(%arg52, %97) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%98) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg41: tensor<64x8x16xbf16>, %arg42: tensor<16x16xbf16>, %arg43: tensor<1x16xbf16>, %arg44: tensor<i32>, %arg45: tensor<8x16xbf16>, %arg46: tensor<64x8x16xbf16>, %arg47: tensor<64x8x16xbf16>, %arg48: tensor<64x8x16xbf16>):
      %90 = "func.call"(%arg41, %arg44) <{callee = @dynamic_index_in_dim}> : (tensor<64x8x16xbf16>, tensor<i32>) -> tensor<8x16xbf16>
      %91:4 = "func.call"(%arg42, %arg43, %arg45, %90) <{callee = @closed_call}> : (tensor<16x16xbf16>, tensor<1x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>) -> (tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>)
      %92 = "func.call"(%arg46, %91#1, %arg44) <{callee = @dynamic_update_index_in_dim}> : (tensor<64x8x16xbf16>, tensor<8x16xbf16>, tensor<i32>) -> tensor<64x8x16xbf16>
      %93 = "func.call"(%arg47, %91#2, %arg44) <{callee = @dynamic_update_index_in_dim}> : (tensor<64x8x16xbf16>, tensor<8x16xbf16>, tensor<i32>) -> tensor<64x8x16xbf16>
      %94 = "func.call"(%arg48, %91#3, %arg44) <{callee = @dynamic_update_index_in_dim}> : (tensor<64x8x16xbf16>, tensor<8x16xbf16>, tensor<i32>) -> tensor<64x8x16xbf16>
      %95 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %96 = "stablehlo.add"(%arg44, %95) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg41, %arg42, %arg43, %96, %91#0, %92, %93, %94) : (tensor<64x8x16xbf16>, tensor<16x16xbf16>, tensor<1x16xbf16>, tensor<i32>, tensor<8x16xbf16>, tensor<64x8x16xbf16>, tensor<64x8x16xbf16>, tensor<64x8x16xbf16>) -> ()
    }) : (tensor<64x8x16xbf16>, tensor<16x16xbf16>, tensor<1x16xbf16>, tensor<i32>, tensor<8x16xbf16>, tensor<64x8x16xbf16>, tensor<64x8x16xbf16>, tensor<64x8x16xbf16>) -> (tensor<64x8x16xbf16>, tensor<16x16xbf16>, tensor<1x16xbf16>, tensor<i32>, tensor<8x16xbf16>, tensor<64x8x16xbf16>, tensor<64x8x16xbf16>, tensor<64x8x16xbf16>)
    %46 = "stablehlo.convert"(%45#4) : (tensor<8x16xbf16>) -> tensor<8x16xf32>
    %47 = "stablehlo.multiply"(%46, %46) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %48 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %49 = "stablehlo.broadcast_in_dim"(%48) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %50 = "stablehlo.multiply"(%49, %46) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %51 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %52 = "stablehlo.reduce"(%47, %51) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg39: tensor<f32>, %arg40: tensor<f32>):
      %89 = "stablehlo.add"(%arg39, %arg40) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%89) : (tensor<f32>) -> ()
    }) : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
    %53 = "stablehlo.constant"() <{value = dense<1.280000e+02> : tensor<f32>}> : () -> tensor<f32>
    %54 = "stablehlo.divide"(%52, %53) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %55 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %56 = "stablehlo.constant"() <{value = dense<1.280000e+02> : tensor<f32>}> : () -> tensor<f32>
    %57 = "stablehlo.divide"(%55, %56) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %58 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %59 = "stablehlo.multiply"(%58, %50) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %60 = "stablehlo.convert"(%59) : (tensor<8x16xf32>) -> tensor<8x16xbf16>
    %61 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %62 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<16x16xbf16>
    %63 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %64 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<16xbf16>
    %65 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %66:8 = "stablehlo.while"(%45#5, %45#6, %45#7, %32, %65, %62, %64, %60) ({
    ^bb0(%arg31: tensor<64x8x16xbf16>, %arg32: tensor<64x8x16xbf16>, %arg33: tensor<64x8x16xbf16>, %arg34: tensor<16x16xbf16>, %arg35: tensor<i32>, %arg36: tensor<16x16xbf16>, %arg37: tensor<16xbf16>, %arg38: tensor<8x16xbf16>):
      %87 = "stablehlo.constant"() <{value = dense<64> : tensor<i32>}> : () -> tensor<i32>
      %88 = "stablehlo.compare"(%arg35, %87) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%88) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg23: tensor<64x8x16xbf16>, %arg24: tensor<64x8x16xbf16>, %arg25: tensor<64x8x16xbf16>, %arg26: tensor<16x16xbf16>, %arg27: tensor<i32>, %arg28: tensor<16x16xbf16>, %arg29: tensor<16xbf16>, %arg30: tensor<8x16xbf16>):
      %77 = "stablehlo.constant"() <{value = dense<64> : tensor<i32>}> : () -> tensor<i32>
      %78 = "stablehlo.subtract"(%77, %arg27) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %79 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %80 = "stablehlo.subtract"(%78, %79) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %81 = "func.call"(%arg23, %80) <{callee = @dynamic_index_in_dim}> : (tensor<64x8x16xbf16>, tensor<i32>) -> tensor<8x16xbf16>
      %82 = "func.call"(%arg24, %80) <{callee = @dynamic_index_in_dim}> : (tensor<64x8x16xbf16>, tensor<i32>) -> tensor<8x16xbf16>
      %83 = "func.call"(%arg25, %80) <{callee = @dynamic_index_in_dim}> : (tensor<64x8x16xbf16>, tensor<i32>) -> tensor<8x16xbf16>
      %84:3 = "func.call"(%arg26, %arg28, %arg29, %arg30, %81, %82, %83) <{callee = @closed_call_0}> : (tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>) -> (tensor<16x16xbf16>, tensor<16xbf16>, tensor<8x16xbf16>)
      %85 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %86 = "stablehlo.add"(%arg27, %85) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg23, %arg24, %arg25, %arg26, %86, %84#0, %84#1, %84#2) : (tensor<64x8x16xbf16>, tensor<64x8x16xbf16>, tensor<64x8x16xbf16>, tensor<16x16xbf16>, tensor<i32>, tensor<16x16xbf16>, tensor<16xbf16>, tensor<8x16xbf16>) -> ()
    }) : (tensor<64x8x16xbf16>, tensor<64x8x16xbf16>, tensor<64x8x16xbf16>, tensor<16x16xbf16>, tensor<i32>, tensor<16x16xbf16>, tensor<16xbf16>, tensor<8x16xbf16>) -> (tensor<64x8x16xbf16>, tensor<64x8x16xbf16>, tensor<64x8x16xbf16>, tensor<16x16xbf16>, tensor<i32>, tensor<16x16xbf16>, tensor<16xbf16>, tensor<8x16xbf16>)
    %67 = "stablehlo.convert"(%66#5) : (tensor<16x16xbf16>) -> tensor<16x16xf32>
    %68 = "stablehlo.convert"(%66#6) : (tensor<16xbf16>) -> tensor<16xf32>
    %69 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %70 = "stablehlo.broadcast_in_dim"(%69) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16xf32>
    %71 = "stablehlo.multiply"(%70, %68) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %72 = "stablehlo.subtract"(%arg20, %71) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %73 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %74 = "stablehlo.broadcast_in_dim"(%73) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x16xf32>
    %75 = "stablehlo.multiply"(%74, %67) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %76 = "stablehlo.subtract"(%arg21, %75) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    "func.return"(%54, %72, %76) : (tensor<f32>, tensor<16xf32>, tensor<16x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<64x8x16xbf16>, tensor<i32>) -> tensor<8x16xbf16>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<64x8x16xbf16>, %arg19: tensor<i32>):
    %27 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %28 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %29 = "stablehlo.dynamic_slice"(%arg18, %arg19, %27, %28) <{slice_sizes = array<i64: 1, 8, 16>}> : (tensor<64x8x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xbf16>
    %30 = "stablehlo.reshape"(%29) : (tensor<1x8x16xbf16>) -> tensor<8x16xbf16>
    "func.return"(%30) : (tensor<8x16xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x16xbf16>, tensor<1x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>) -> (tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>), res_attrs = [{}, {}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<16x16xbf16>, %arg15: tensor<1x16xbf16>, %arg16: tensor<8x16xbf16>, %arg17: tensor<8x16xbf16>):
    %19 = "stablehlo.dot_general"(%arg16, %arg14) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x16xbf16>, tensor<16x16xbf16>) -> tensor<8x16xbf16>
    %20 = "stablehlo.add"(%19, %arg17) : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<8x16xbf16>
    %21 = "stablehlo.broadcast_in_dim"(%arg15) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x16xbf16>) -> tensor<8x16xbf16>
    %22 = "stablehlo.add"(%20, %21) : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<8x16xbf16>
    %23 = "stablehlo.tanh"(%22) : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
    %24 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<8x16xbf16>
    %26 = "stablehlo.subtract"(%25, %23) : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<8x16xbf16>
    "func.return"(%23, %arg16, %23, %26) : (tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<64x8x16xbf16>, tensor<8x16xbf16>, tensor<i32>) -> tensor<64x8x16xbf16>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<64x8x16xbf16>, %arg12: tensor<8x16xbf16>, %arg13: tensor<i32>):
    %15 = "stablehlo.broadcast_in_dim"(%arg12) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<8x16xbf16>) -> tensor<1x8x16xbf16>
    %16 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %17 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %18 = "stablehlo.dynamic_update_slice"(%arg11, %15, %arg13, %16, %17) : (tensor<64x8x16xbf16>, tensor<1x8x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<64x8x16xbf16>
    "func.return"(%18) : (tensor<64x8x16xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>) -> (tensor<16x16xbf16>, tensor<16xbf16>, tensor<8x16xbf16>), res_attrs = [{}, {}, {}], sym_name = "closed_call_0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16x16xbf16>, %arg1: tensor<16x16xbf16>, %arg2: tensor<16xbf16>, %arg3: tensor<8x16xbf16>, %arg4: tensor<8x16xbf16>, %arg5: tensor<8x16xbf16>, %arg6: tensor<8x16xbf16>):
    %0 = "stablehlo.multiply"(%arg3, %arg6) : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<8x16xbf16>
    %1 = "stablehlo.multiply"(%0, %arg5) : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<8x16xbf16>
    %2 = "stablehlo.add"(%0, %1) : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<8x16xbf16>
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %4 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg9: tensor<bf16>, %arg10: tensor<bf16>):
      %14 = "stablehlo.add"(%arg9, %arg10) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%14) : (tensor<bf16>) -> ()
    }) : (tensor<8x16xbf16>, tensor<bf16>) -> tensor<16xbf16>
    %5 = "stablehlo.reshape"(%4) : (tensor<16xbf16>) -> tensor<1x16xbf16>
    %6 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %7 = "stablehlo.reduce"(%5, %6) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg7: tensor<bf16>, %arg8: tensor<bf16>):
      %13 = "stablehlo.add"(%arg7, %arg8) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%13) : (tensor<bf16>) -> ()
    }) : (tensor<1x16xbf16>, tensor<bf16>) -> tensor<16xbf16>
    %8 = "stablehlo.add"(%arg2, %7) : (tensor<16xbf16>, tensor<16xbf16>) -> tensor<16xbf16>
    %9 = "stablehlo.dot_general"(%2, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<16x16xbf16>
    %10 = "stablehlo.transpose"(%9) <{permutation = array<i64: 1, 0>}> : (tensor<16x16xbf16>) -> tensor<16x16xbf16>
    %11 = "stablehlo.add"(%arg1, %10) : (tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x16xbf16>
    %12 = "stablehlo.dot_general"(%2, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x16xbf16>, tensor<16x16xbf16>) -> tensor<8x16xbf16>
    "func.return"(%11, %8, %12) : (tensor<16x16xbf16>, tensor<16xbf16>, tensor<8x16xbf16>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
