"builtin.module"() <{sym_name = "jit_function"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>) -> (tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg6: tensor<8x3xf32>, %arg7: tensor<8x3xf32>, %arg8: tensor<8x3xf32>, %arg9: tensor<8x3xf32>):
    %23 = "stablehlo.log_plus_one"(%arg6) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %24 = "stablehlo.exponential_minus_one"(%arg6) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %25 = "chlo.sinh"(%arg6) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %26 = "stablehlo.tanh"(%arg6) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %27 = "chlo.asin"(%arg6) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %28 = "chlo.atan"(%arg6) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %29 = "chlo.asinh"(%arg6) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %30 = "chlo.atanh"(%arg6) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %31 = "stablehlo.constant"() <{value = dense<1.000000e+03> : tensor<f32>}> : () -> tensor<f32>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
    %33 = "stablehlo.multiply"(%32, %arg7) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %34 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
    %36 = "stablehlo.add"(%35, %33) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %37 = "func.call"(%36) <{callee = @arccosh}> : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %38 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %39 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
    %40 = "stablehlo.subtract"(%39, %arg7) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %41 = "chlo.acos"(%40) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %42 = "stablehlo.negate"(%arg7) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %43 = "stablehlo.atan2"(%arg7, %42) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %44 = "chlo.asinh"(%arg8) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %45 = "stablehlo.abs"(%arg8) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %46 = "func.call"(%45) <{callee = @arccosh}> : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %47 = "chlo.atan"(%arg8) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %48 = "func.call"(%arg9) <{callee = @softplus}> : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %49 = "func.call"(%arg9) <{callee = @log_sigmoid}> : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %50 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %51 = "stablehlo.broadcast_in_dim"(%50) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
    %52 = "stablehlo.maximum"(%arg9, %51) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %53 = "stablehlo.broadcast_in_dim"(%50) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
    %54 = "stablehlo.subtract"(%arg9, %53) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %55 = "stablehlo.compare"(%54, %54) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xi1>
    %56 = "stablehlo.broadcast_in_dim"(%50) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
    %57 = "stablehlo.add"(%arg9, %56) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %58 = "stablehlo.abs"(%54) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %59 = "stablehlo.negate"(%58) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %60 = "stablehlo.exponential"(%59) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %61 = "stablehlo.log_plus_one"(%60) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %62 = "stablehlo.add"(%52, %61) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %63 = "stablehlo.select"(%55, %57, %62) : (tensor<8x3xi1>, tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %64 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %65 = "stablehlo.reduce"(%arg9, %64) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %86 = "stablehlo.maximum"(%arg12, %arg13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%86) : (tensor<f32>) -> ()
    }) : (tensor<8x3xf32>, tensor<f32>) -> tensor<8xf32>
    %66 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %67 = "stablehlo.broadcast_in_dim"(%66) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %68 = "stablehlo.maximum"(%67, %65) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %69 = "stablehlo.is_finite"(%68) : (tensor<8xf32>) -> tensor<8xi1>
    %70 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %72 = "stablehlo.select"(%69, %68, %71) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %73 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xf32>) -> tensor<8x1xf32>
    %74 = "stablehlo.broadcast_in_dim"(%73) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x1xf32>) -> tensor<8x3xf32>
    %75 = "stablehlo.subtract"(%arg9, %74) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %76 = "stablehlo.exponential"(%75) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %77 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %78 = "stablehlo.reduce"(%76, %77) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %85 = "stablehlo.add"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%85) : (tensor<f32>) -> ()
    }) : (tensor<8x3xf32>, tensor<f32>) -> tensor<8xf32>
    %79 = "stablehlo.abs"(%78) : (tensor<8xf32>) -> tensor<8xf32>
    %80 = "stablehlo.log"(%79) : (tensor<8xf32>) -> tensor<8xf32>
    %81 = "stablehlo.add"(%80, %72) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %82 = "chlo.cosh"(%arg9) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %83 = "chlo.sinh"(%arg9) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %84 = "func.call"(%arg9) <{callee = @norm}> : (tensor<8x3xf32>) -> tensor<8xf32>
    "func.return"(%23, %24, %25, %26, %27, %28, %29, %30, %37, %41, %43, %44, %46, %47, %48, %49, %63, %81, %82, %83, %84) : (tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x3xf32>) -> tensor<8x3xf32>, res_attrs = [{}], sym_name = "arccosh", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<8x3xf32>):
    %22 = "chlo.acosh"(%arg5) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    "func.return"(%22) : (tensor<8x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x3xf32>) -> tensor<8x3xf32>, res_attrs = [{}], sym_name = "softplus", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<8x3xf32>):
    %8 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
    %10 = "stablehlo.maximum"(%arg4, %9) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %11 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
    %12 = "stablehlo.subtract"(%arg4, %11) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %13 = "stablehlo.compare"(%12, %12) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xi1>
    %14 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
    %15 = "stablehlo.add"(%arg4, %14) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %16 = "stablehlo.abs"(%12) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %17 = "stablehlo.negate"(%16) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %18 = "stablehlo.exponential"(%17) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %19 = "stablehlo.log_plus_one"(%18) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %20 = "stablehlo.add"(%10, %19) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %21 = "stablehlo.select"(%13, %15, %20) : (tensor<8x3xi1>, tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    "func.return"(%21) : (tensor<8x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x3xf32>) -> tensor<8x3xf32>, res_attrs = [{}], sym_name = "log_sigmoid", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<8x3xf32>):
    %5 = "stablehlo.negate"(%arg3) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %6 = "func.call"(%5) <{callee = @softplus}> : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %7 = "stablehlo.negate"(%6) : (tensor<8x3xf32>) -> tensor<8x3xf32>
    "func.return"(%7) : (tensor<8x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x3xf32>) -> tensor<8xf32>, res_attrs = [{}], sym_name = "norm", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x3xf32>):
    %0 = "stablehlo.multiply"(%arg0, %arg0) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %4 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%4) : (tensor<f32>) -> ()
    }) : (tensor<8x3xf32>, tensor<f32>) -> tensor<8xf32>
    %3 = "stablehlo.sqrt"(%2) : (tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%3) : (tensor<8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
