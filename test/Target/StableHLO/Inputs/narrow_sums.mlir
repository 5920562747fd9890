"builtin.module"() <{sym_name = "jit_sums"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4096x2xf32>) -> (tensor<2xf32>, tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>, tensor<1x1x1x1x1xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<4096x2xf32>):
    %0 = "stablehlo.convert"(%arg0) : (tensor<4096x2xf32>) -> tensor<4096x2xbf16>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4096xi32>
    %3 = "stablehlo.reshape"(%0) : (tensor<4096x2xbf16>) -> tensor<1x1024x2x2x2xbf16>
    %4 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %5 = "stablehlo.reduce"(%0, %4) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg7: tensor<bf16>, %arg8: tensor<bf16>):
      %58 = "stablehlo.add"(%arg7, %arg8) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%58) : (tensor<bf16>) -> ()
    }) : (tensor<4096x2xbf16>, tensor<bf16>) -> tensor<2xbf16>
    %6 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<bf16>
    %8 = "stablehlo.reduce_window"(%0, %7) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4096, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg5: tensor<bf16>, %arg6: tensor<bf16>):
      %57 = "stablehlo.add"(%arg5, %arg6) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%57) : (tensor<bf16>) -> ()
    }) : (tensor<4096x2xbf16>, tensor<bf16>) -> tensor<1x2xbf16>
    %9 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x2xbf16>
    %11 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4096xi32>
    %13 = "stablehlo.compare"(%2, %12) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4096xi32>, tensor<4096xi32>) -> tensor<4096xi1>
    %14 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4096xi32>
    %16 = "stablehlo.add"(%2, %15) : (tensor<4096xi32>, tensor<4096xi32>) -> tensor<4096xi32>
    %17 = "stablehlo.select"(%13, %16, %2) : (tensor<4096xi1>, tensor<4096xi32>, tensor<4096xi32>) -> tensor<4096xi32>
    %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4096xi32>) -> tensor<4096x1xi32>
    %19 = "stablehlo.scatter"(%10, %18, %0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>):
      %56 = "stablehlo.add"(%arg3, %arg4) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%56) : (tensor<bf16>) -> ()
    }) : (tensor<2x2xbf16>, tensor<4096x1xi32>, tensor<4096x2xbf16>) -> tensor<2x2xbf16>
    %20 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x2xbf16>
    %22 = "stablehlo.slice"(%0) <{limit_indices = array<i64: 4096, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4096x2xbf16>) -> tensor<4096x1xbf16>
    %23 = "stablehlo.reshape"(%22) : (tensor<4096x1xbf16>) -> tensor<4096xbf16>
    %24 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4096xi32>
    %26 = "stablehlo.compare"(%2, %25) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4096xi32>, tensor<4096xi32>) -> tensor<4096xi1>
    %27 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %28 = "stablehlo.broadcast_in_dim"(%27) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4096xi32>
    %29 = "stablehlo.add"(%2, %28) : (tensor<4096xi32>, tensor<4096xi32>) -> tensor<4096xi32>
    %30 = "stablehlo.select"(%26, %29, %2) : (tensor<4096xi1>, tensor<4096xi32>, tensor<4096xi32>) -> tensor<4096xi32>
    %31 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4096xi32>
    %33 = "stablehlo.compare"(%2, %32) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4096xi32>, tensor<4096xi32>) -> tensor<4096xi1>
    %34 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4096xi32>
    %36 = "stablehlo.add"(%2, %35) : (tensor<4096xi32>, tensor<4096xi32>) -> tensor<4096xi32>
    %37 = "stablehlo.select"(%33, %36, %2) : (tensor<4096xi1>, tensor<4096xi32>, tensor<4096xi32>) -> tensor<4096xi32>
    %38 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4096xi32>) -> tensor<4096x1xi32>
    %39 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4096xi32>) -> tensor<4096x1xi32>
    %40 = "stablehlo.concatenate"(%38, %39) <{dimension = 1 : i64}> : (tensor<4096x1xi32>, tensor<4096x1xi32>) -> tensor<4096x2xi32>
    %41 = "stablehlo.scatter"(%21, %40, %23) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %55 = "stablehlo.add"(%arg1, %arg2) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%55) : (tensor<bf16>) -> ()
    }) : (tensor<2x2xbf16>, tensor<4096x2xi32>, tensor<4096xbf16>) -> tensor<2x2xbf16>
    %42 = "stablehlo.transpose"(%0) <{permutation = array<i64: 1, 0>}> : (tensor<4096x2xbf16>) -> tensor<2x4096xbf16>
    %43 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<4096x1xbf16>
    %45 = "stablehlo.dot_general"(%42, %44) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4096xbf16>, tensor<4096x1xbf16>) -> tensor<2x1xbf16>
    %46 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x1024x2x2x2xbf16>
    %48 = "stablehlo.convolution"(%3, %47) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1, 1>, padding = dense<0> : tensor<3x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1, 1>, window_reversal = array<i1: false, false, false>, window_strides = array<i64: 1, 1, 1>}> : (tensor<1x1024x2x2x2xbf16>, tensor<1x1024x2x2x2xbf16>) -> tensor<1x1x1x1x1xbf16>
    %49 = "stablehlo.convert"(%5) : (tensor<2xbf16>) -> tensor<2xf32>
    %50 = "stablehlo.convert"(%8) : (tensor<1x2xbf16>) -> tensor<1x2xf32>
    %51 = "stablehlo.convert"(%19) : (tensor<2x2xbf16>) -> tensor<2x2xf32>
    %52 = "stablehlo.convert"(%41) : (tensor<2x2xbf16>) -> tensor<2x2xf32>
    %53 = "stablehlo.convert"(%45) : (tensor<2x1xbf16>) -> tensor<2x1xf32>
    %54 = "stablehlo.convert"(%48) : (tensor<1x1x1x1x1xbf16>) -> tensor<1x1x1x1x1xf32>
    "func.return"(%49, %50, %51, %52, %53, %54) : (tensor<2xf32>, tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>, tensor<1x1x1x1x1xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
