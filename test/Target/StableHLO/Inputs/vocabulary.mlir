"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<16x32xf32>, tensor<32x256xf32>, tensor<8x24x16xf32>, tensor<8x24xi32>) -> (tensor<f32>, tensor<16x32xf32>, tensor<32x256xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['w1']"}, {jax.result_info = "result[1]['w2']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg19: tensor<16x32xf32>, %arg20: tensor<32x256xf32>, %arg21: tensor<8x24x16xf32>, %arg22: tensor<8x24xi32>):
    %53 = "stablehlo.dot_general"(%arg21, %arg19) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x24x16xf32>, tensor<16x32xf32>) -> tensor<8x24x32xf32>
    %54 = "stablehlo.tanh"(%53) : (tensor<8x24x32xf32>) -> tensor<8x24x32xf32>
    %55 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x24x32xf32>
    %57 = "stablehlo.subtract"(%56, %54) : (tensor<8x24x32xf32>, tensor<8x24x32xf32>) -> tensor<8x24x32xf32>
    %58 = "stablehlo.dot_general"(%54, %arg20) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x24x32xf32>, tensor<32x256xf32>) -> tensor<8x24x256xf32>
    %59 = "stablehlo.broadcast_in_dim"(%arg22) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x24xi32>) -> tensor<8x24x1xi32>
    %60:2 = "func.call"(%58, %59) <{callee = @take_along_axis}> : (tensor<8x24x256xf32>, tensor<8x24x1xi32>) -> (tensor<8x24x1xf32>, tensor<8x24x1x1xi32>)
    %61 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %62:2 = "func.call"(%60#0, %61) <{callee = @_take}> : (tensor<8x24x1xf32>, tensor<i32>) -> (tensor<8x24xf32>, tensor<1xi32>)
    %63 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.reduce"(%58, %63) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg27: tensor<f32>, %arg28: tensor<f32>):
      %124 = "stablehlo.maximum"(%arg27, %arg28) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%124) : (tensor<f32>) -> ()
    }) : (tensor<8x24x256xf32>, tensor<f32>) -> tensor<8x24xf32>
    %65 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %66 = "stablehlo.broadcast_in_dim"(%65) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x24xf32>
    %67 = "stablehlo.maximum"(%66, %64) : (tensor<8x24xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
    %68 = "stablehlo.is_finite"(%67) : (tensor<8x24xf32>) -> tensor<8x24xi1>
    %69 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %70 = "stablehlo.broadcast_in_dim"(%69) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x24xf32>
    %71 = "stablehlo.select"(%68, %67, %70) : (tensor<8x24xi1>, tensor<8x24xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
    %72 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x24xf32>) -> tensor<8x24x1xf32>
    %73 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x24x1xf32>) -> tensor<8x24x256xf32>
    %74 = "stablehlo.subtract"(%58, %73) : (tensor<8x24x256xf32>, tensor<8x24x256xf32>) -> tensor<8x24x256xf32>
    %75 = "stablehlo.exponential"(%74) : (tensor<8x24x256xf32>) -> tensor<8x24x256xf32>
    %76 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %77 = "stablehlo.reduce"(%75, %76) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %123 = "stablehlo.add"(%arg25, %arg26) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%123) : (tensor<f32>) -> ()
    }) : (tensor<8x24x256xf32>, tensor<f32>) -> tensor<8x24xf32>
    %78 = "stablehlo.abs"(%77) : (tensor<8x24xf32>) -> tensor<8x24xf32>
    %79 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %80 = "stablehlo.broadcast_in_dim"(%79) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x24xf32>
    %81 = "stablehlo.compare"(%77, %80) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x24xf32>, tensor<8x24xf32>) -> tensor<8x24xi1>
    %82 = "stablehlo.log"(%78) : (tensor<8x24xf32>) -> tensor<8x24xf32>
    %83 = "stablehlo.add"(%82, %71) : (tensor<8x24xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
    %84 = "stablehlo.subtract"(%83, %62#0) : (tensor<8x24xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
    %85 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %86 = "stablehlo.reduce"(%84, %85) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg23: tensor<f32>, %arg24: tensor<f32>):
      %122 = "stablehlo.add"(%arg23, %arg24) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%122) : (tensor<f32>) -> ()
    }) : (tensor<8x24xf32>, tensor<f32>) -> tensor<f32>
    %87 = "stablehlo.constant"() <{value = dense<1.920000e+02> : tensor<f32>}> : () -> tensor<f32>
    %88 = "stablehlo.divide"(%86, %87) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %89 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %90 = "stablehlo.constant"() <{value = dense<1.920000e+02> : tensor<f32>}> : () -> tensor<f32>
    %91 = "stablehlo.divide"(%89, %90) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %92 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x24xf32>
    %93 = "stablehlo.negate"(%92) : (tensor<8x24xf32>) -> tensor<8x24xf32>
    %94 = "stablehlo.divide"(%92, %78) : (tensor<8x24xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
    %95 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %96 = "stablehlo.broadcast_in_dim"(%95) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x24xf32>
    %97 = "stablehlo.select"(%81, %96, %94) : (tensor<8x24xi1>, tensor<8x24xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
    %98 = "stablehlo.select"(%81, %94, %96) : (tensor<8x24xi1>, tensor<8x24xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
    %99 = "stablehlo.negate"(%97) : (tensor<8x24xf32>) -> tensor<8x24xf32>
    %100 = "stablehlo.add"(%98, %99) : (tensor<8x24xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
    %101 = "stablehlo.broadcast_in_dim"(%100) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x24xf32>) -> tensor<8x24x256xf32>
    %102 = "stablehlo.multiply"(%101, %75) : (tensor<8x24x256xf32>, tensor<8x24x256xf32>) -> tensor<8x24x256xf32>
    %103 = "func.call"(%62#1, %93) <{callee = @_take_0}> : (tensor<1xi32>, tensor<8x24xf32>) -> tensor<8x24x1xf32>
    %104 = "func.call"(%60#1, %103) <{callee = @take_along_axis_1}> : (tensor<8x24x1x1xi32>, tensor<8x24x1xf32>) -> tensor<8x24x256xf32>
    %105 = "stablehlo.add"(%102, %104) : (tensor<8x24x256xf32>, tensor<8x24x256xf32>) -> tensor<8x24x256xf32>
    %106 = "stablehlo.dot_general"(%105, %54) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x24x256xf32>, tensor<8x24x32xf32>) -> tensor<256x32xf32>
    %107 = "stablehlo.transpose"(%106) <{permutation = array<i64: 1, 0>}> : (tensor<256x32xf32>) -> tensor<32x256xf32>
    %108 = "stablehlo.dot_general"(%105, %arg20) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x24x256xf32>, tensor<32x256xf32>) -> tensor<8x24x32xf32>
    %109 = "stablehlo.multiply"(%108, %57) : (tensor<8x24x32xf32>, tensor<8x24x32xf32>) -> tensor<8x24x32xf32>
    %110 = "stablehlo.multiply"(%109, %54) : (tensor<8x24x32xf32>, tensor<8x24x32xf32>) -> tensor<8x24x32xf32>
    %111 = "stablehlo.add"(%109, %110) : (tensor<8x24x32xf32>, tensor<8x24x32xf32>) -> tensor<8x24x32xf32>
    %112 = "stablehlo.dot_general"(%111, %arg21) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x24x32xf32>, tensor<8x24x16xf32>) -> tensor<32x16xf32>
    %113 = "stablehlo.transpose"(%112) <{permutation = array<i64: 1, 0>}> : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %114 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %115 = "stablehlo.broadcast_in_dim"(%114) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %116 = "stablehlo.multiply"(%115, %113) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %117 = "stablehlo.subtract"(%arg19, %116) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %118 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %119 = "stablehlo.broadcast_in_dim"(%118) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x256xf32>
    %120 = "stablehlo.multiply"(%119, %107) : (tensor<32x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
    %121 = "stablehlo.subtract"(%arg20, %120) : (tensor<32x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
    "func.return"(%88, %117, %121) : (tensor<f32>, tensor<16x32xf32>, tensor<32x256xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x24x256xf32>, tensor<8x24x1xi32>) -> (tensor<8x24x1xf32>, tensor<8x24x1x1xi32>), res_attrs = [{}, {}], sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<8x24x256xf32>, %arg16: tensor<8x24x1xi32>):
    %30 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x24x1xi32>
    %32 = "stablehlo.compare"(%arg16, %31) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8x24x1xi32>, tensor<8x24x1xi32>) -> tensor<8x24x1xi1>
    %33 = "stablehlo.constant"() <{value = dense<256> : tensor<i32>}> : () -> tensor<i32>
    %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x24x1xi32>
    %35 = "stablehlo.add"(%arg16, %34) : (tensor<8x24x1xi32>, tensor<8x24x1xi32>) -> tensor<8x24x1xi32>
    %36 = "stablehlo.select"(%32, %35, %arg16) : (tensor<8x24x1xi1>, tensor<8x24x1xi32>, tensor<8x24x1xi32>) -> tensor<8x24x1xi32>
    %37 = "stablehlo.reshape"(%36) : (tensor<8x24x1xi32>) -> tensor<8x24x1x1xi32>
    %38 = "stablehlo.constant"() <{value = dense<255> : tensor<1xi32>}> : () -> tensor<1xi32>
    %39 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x24x1x1xi32>
    %41 = "stablehlo.compare"(%37, %40) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x24x1x1xi32>, tensor<8x24x1x1xi32>) -> tensor<8x24x1x1xi1>
    %42 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64: 3>}> : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %43 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x1xi32>) -> tensor<8x24x1x1xi32>
    %44 = "stablehlo.compare"(%37, %43) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<8x24x1x1xi32>, tensor<8x24x1x1xi32>) -> tensor<8x24x1x1xi1>
    %45 = "stablehlo.and"(%41, %44) : (tensor<8x24x1x1xi1>, tensor<8x24x1x1xi1>) -> tensor<8x24x1x1xi1>
    %46 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %47 = "stablehlo.reduce"(%45, %46) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg17: tensor<i1>, %arg18: tensor<i1>):
      %52 = "stablehlo.and"(%arg17, %arg18) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%52) : (tensor<i1>) -> ()
    }) : (tensor<8x24x1x1xi1>, tensor<i1>) -> tensor<8x24x1xi1>
    %48 = "stablehlo.gather"(%arg15, %37) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x24x256xf32>, tensor<8x24x1x1xi32>) -> tensor<8x24x1xf32>
    %49 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x24x1xf32>
    %51 = "stablehlo.select"(%47, %48, %50) : (tensor<8x24x1xi1>, tensor<8x24x1xf32>, tensor<8x24x1xf32>) -> tensor<8x24x1xf32>
    "func.return"(%51, %37) : (tensor<8x24x1xf32>, tensor<8x24x1x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x24x1xf32>, tensor<i32>) -> (tensor<8x24xf32>, tensor<1xi32>), res_attrs = [{}, {}], sym_name = "_take", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<8x24x1xf32>, %arg12: tensor<i32>):
    %9 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %10 = "stablehlo.compare"(%arg12, %9) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %11 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %12 = "stablehlo.add"(%arg12, %11) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %13 = "func.call"(%10, %12, %arg12) <{callee = @_where}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %15 = "stablehlo.constant"() <{value = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "stablehlo.convert"(%14) : (tensor<1xi32>) -> tensor<1xi32>
    %17 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %19 = "stablehlo.compare"(%16, %18) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %20 = "stablehlo.compare"(%16, %15) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %21 = "stablehlo.and"(%19, %20) : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
    %22 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %23 = "stablehlo.reduce"(%21, %22) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg13: tensor<i1>, %arg14: tensor<i1>):
      %29 = "stablehlo.and"(%arg13, %arg14) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%29) : (tensor<i1>) -> ()
    }) : (tensor<1xi1>, tensor<i1>) -> tensor<i1>
    %24 = "stablehlo.gather"(%arg11, %16) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2]>, indices_are_sorted = false, slice_sizes = array<i64: 8, 24, 1>}> : (tensor<8x24x1xf32>, tensor<1xi32>) -> tensor<8x24xf32>
    %25 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<8x24xi1>
    %26 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x24xf32>
    %28 = "stablehlo.select"(%25, %24, %27) : (tensor<8x24xi1>, tensor<8x24xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
    "func.return"(%28, %14) : (tensor<8x24xf32>, tensor<1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<i1>, %arg9: tensor<i32>, %arg10: tensor<i32>):
    %8 = "stablehlo.select"(%arg8, %arg9, %arg10) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%8) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<1xi32>, tensor<8x24xf32>) -> tensor<8x24x1xf32>, res_attrs = [{}], sym_name = "_take_0", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<1xi32>, %arg5: tensor<8x24xf32>):
    %4 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x24x1xf32>
    %6 = "stablehlo.scatter"(%5, %arg4, %arg5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %7 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%7) : (tensor<f32>) -> ()
    }) : (tensor<8x24x1xf32>, tensor<1xi32>, tensor<8x24xf32>) -> tensor<8x24x1xf32>
    "func.return"(%6) : (tensor<8x24x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x24x1x1xi32>, tensor<8x24x1xf32>) -> tensor<8x24x256xf32>, res_attrs = [{}], sym_name = "take_along_axis_1", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x24x1x1xi32>, %arg1: tensor<8x24x1xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x24x256xf32>
    %2 = "stablehlo.scatter"(%1, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%3) : (tensor<f32>) -> ()
    }) : (tensor<8x24x256xf32>, tensor<8x24x1x1xi32>, tensor<8x24x1xf32>) -> tensor<8x24x256xf32>
    "func.return"(%2) : (tensor<8x24x256xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
