"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}], function_type = (tensor<16x4xf32>, tensor<4x16x32xf32>, tensor<4x32x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> (tensor<f32>, tensor<16x4xf32>, tensor<4x16x32xf32>, tensor<4x32x16xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['r']"}, {jax.result_info = "result[1]['w1']"}, {jax.result_info = "result[1]['w2']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<16x4xf32>, %arg2: tensor<4x16x32xf32>, %arg3: tensor<4x32x16xf32>, %arg4: tensor<4x8x16xf32>, %arg5: tensor<4x8x16xf32>):
    %6 = "stablehlo.dot_general"(%arg4, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8x16xf32>, tensor<16x4xf32>) -> tensor<4x8x4xf32>
    %7 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.reduce"(%6, %7) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %171 = "stablehlo.maximum"(%arg28, %arg29) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%171) : (tensor<f32>) -> ()
    }) : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    %9 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8xf32>
    %11 = "stablehlo.maximum"(%10, %8) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x8x1xf32>) -> tensor<4x8x4xf32>
    %14 = "stablehlo.subtract"(%6, %13) : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
    %15 = "stablehlo.exponential"(%14) : (tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
    %16 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.reduce"(%15, %16) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
      %170 = "stablehlo.add"(%arg26, %arg27) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%170) : (tensor<f32>) -> ()
    }) : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x8x1xf32>) -> tensor<4x8x4xf32>
    %20 = "stablehlo.divide"(%15, %19) : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
    %21 = "stablehlo.multiply"(%18, %18) : (tensor<4x8x1xf32>, tensor<4x8x1xf32>) -> tensor<4x8x1xf32>
    %22 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x1xf32>
    %24 = "stablehlo.divide"(%23, %21) : (tensor<4x8x1xf32>, tensor<4x8x1xf32>) -> tensor<4x8x1xf32>
    %25:2 = "chlo.top_k"(%20) <{k = 2 : i64}> : (tensor<4x8x4xf32>) -> (tensor<4x8x2xf32>, tensor<4x8x2xi32>)
    %26 = "stablehlo.reshape"(%25#1) : (tensor<4x8x2xi32>) -> tensor<4x8x2x1xi32>
    %27 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %28 = "stablehlo.reduce"(%25#0, %27) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
      %169 = "stablehlo.add"(%arg24, %arg25) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%169) : (tensor<f32>) -> ()
    }) : (tensor<4x8x2xf32>, tensor<f32>) -> tensor<4x8xf32>
    %29 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x8x1xf32>) -> tensor<4x8x2xf32>
    %31 = "stablehlo.divide"(%25#0, %30) : (tensor<4x8x2xf32>, tensor<4x8x2xf32>) -> tensor<4x8x2xf32>
    %32 = "stablehlo.multiply"(%29, %29) : (tensor<4x8x1xf32>, tensor<4x8x1xf32>) -> tensor<4x8x1xf32>
    %33 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x1xf32>
    %35 = "stablehlo.divide"(%34, %32) : (tensor<4x8x1xf32>, tensor<4x8x1xf32>) -> tensor<4x8x1xf32>
    %36 = "func.call"(%25#1) <{callee = @_one_hot}> : (tensor<4x8x2xi32>) -> tensor<4x8x2x4xf32>
    %37 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x8x2xf32>) -> tensor<4x8x2x1xf32>
    %38 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x8x2x1xf32>) -> tensor<4x8x2x4xf32>
    %39 = "stablehlo.multiply"(%36, %38) : (tensor<4x8x2x4xf32>, tensor<4x8x2x4xf32>) -> tensor<4x8x2x4xf32>
    %40 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %41 = "stablehlo.reduce"(%39, %40) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg22: tensor<f32>, %arg23: tensor<f32>):
      %168 = "stablehlo.add"(%arg22, %arg23) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%168) : (tensor<f32>) -> ()
    }) : (tensor<4x8x2x4xf32>, tensor<f32>) -> tensor<4x8x4xf32>
    %42 = "stablehlo.dot_general"(%arg4, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8x16xf32>, tensor<4x16x32xf32>) -> tensor<4x8x4x32xf32>
    %43 = "stablehlo.multiply"(%42, %42) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %44 = "stablehlo.multiply"(%43, %42) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %45 = "stablehlo.multiply"(%42, %42) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %46 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x4x32xf32>
    %48 = "stablehlo.multiply"(%47, %45) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %49 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f32>}> : () -> tensor<f32>
    %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x4x32xf32>
    %51 = "stablehlo.multiply"(%50, %44) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %52 = "stablehlo.add"(%42, %51) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %53 = "stablehlo.constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> tensor<f32>
    %54 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x4x32xf32>
    %55 = "stablehlo.multiply"(%54, %52) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %56 = "stablehlo.tanh"(%55) : (tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %57 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %58 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x4x32xf32>
    %59 = "stablehlo.subtract"(%58, %56) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %60 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %61 = "stablehlo.broadcast_in_dim"(%60) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x4x32xf32>
    %62 = "stablehlo.add"(%61, %56) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %63 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x4x32xf32>
    %65 = "stablehlo.multiply"(%64, %62) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %66 = "stablehlo.multiply"(%42, %65) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %67 = "stablehlo.dot_general"(%arg3, %66) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x32x16xf32>, tensor<4x8x4x32xf32>) -> tensor<4x16x4x8xf32>
    %68 = "stablehlo.dot_general"(%41, %67) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [2, 3], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8x4xf32>, tensor<4x16x4x8xf32>) -> tensor<4x8x16xf32>
    %69 = "stablehlo.subtract"(%68, %arg5) : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    %70 = "stablehlo.multiply"(%69, %69) : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    %71 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %72 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x16xf32>
    %73 = "stablehlo.multiply"(%72, %69) : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    %74 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %75 = "stablehlo.reduce"(%70, %74) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %167 = "stablehlo.add"(%arg20, %arg21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%167) : (tensor<f32>) -> ()
    }) : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<f32>
    %76 = "stablehlo.constant"() <{value = dense<5.120000e+02> : tensor<f32>}> : () -> tensor<f32>
    %77 = "stablehlo.divide"(%75, %76) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %78 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %79 = "stablehlo.constant"() <{value = dense<5.120000e+02> : tensor<f32>}> : () -> tensor<f32>
    %80 = "stablehlo.divide"(%78, %79) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %81 = "stablehlo.broadcast_in_dim"(%80) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x16xf32>
    %82 = "stablehlo.multiply"(%81, %73) : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    %83 = "stablehlo.dot_general"(%82, %41) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8x16xf32>, tensor<4x8x4xf32>) -> tensor<4x8x16x4xf32>
    %84 = "stablehlo.transpose"(%83) <{permutation = array<i64: 3, 2, 0, 1>}> : (tensor<4x8x16x4xf32>) -> tensor<4x16x4x8xf32>
    %85 = "stablehlo.dot_general"(%82, %67) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [2, 3], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8x16xf32>, tensor<4x16x4x8xf32>) -> tensor<4x8x4xf32>
    %86 = "stablehlo.dot_general"(%84, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x16x4x8xf32>, tensor<4x32x16xf32>) -> tensor<4x4x8x32xf32>
    %87 = "stablehlo.transpose"(%86) <{permutation = array<i64: 1, 2, 0, 3>}> : (tensor<4x4x8x32xf32>) -> tensor<4x8x4x32xf32>
    %88 = "stablehlo.dot_general"(%84, %66) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x16x4x8xf32>, tensor<4x8x4x32xf32>) -> tensor<4x16x32xf32>
    %89 = "stablehlo.transpose"(%88) <{permutation = array<i64: 0, 2, 1>}> : (tensor<4x16x32xf32>) -> tensor<4x32x16xf32>
    %90 = "stablehlo.multiply"(%42, %87) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %91 = "stablehlo.multiply"(%87, %65) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %92 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %93 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x4x32xf32>
    %94 = "stablehlo.multiply"(%93, %90) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %95 = "stablehlo.multiply"(%94, %59) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %96 = "stablehlo.multiply"(%95, %56) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %97 = "stablehlo.add"(%95, %96) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %98 = "stablehlo.constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> tensor<f32>
    %99 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x4x32xf32>
    %100 = "stablehlo.multiply"(%99, %97) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %101 = "stablehlo.add"(%91, %100) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %102 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f32>}> : () -> tensor<f32>
    %103 = "stablehlo.broadcast_in_dim"(%102) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x4x32xf32>
    %104 = "stablehlo.multiply"(%103, %100) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %105 = "stablehlo.multiply"(%104, %48) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %106 = "stablehlo.add"(%101, %105) : (tensor<4x8x4x32xf32>, tensor<4x8x4x32xf32>) -> tensor<4x8x4x32xf32>
    %107 = "stablehlo.dot_general"(%106, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8x4x32xf32>, tensor<4x8x16xf32>) -> tensor<4x32x16xf32>
    %108 = "stablehlo.transpose"(%107) <{permutation = array<i64: 0, 2, 1>}> : (tensor<4x32x16xf32>) -> tensor<4x16x32xf32>
    %109 = "stablehlo.broadcast_in_dim"(%85) <{broadcast_dimensions = array<i64: 0, 1, 3>}> : (tensor<4x8x4xf32>) -> tensor<4x8x2x4xf32>
    %110 = "stablehlo.multiply"(%36, %109) : (tensor<4x8x2x4xf32>, tensor<4x8x2x4xf32>) -> tensor<4x8x2x4xf32>
    %111 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %112 = "stablehlo.reduce"(%110, %111) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %166 = "stablehlo.add"(%arg18, %arg19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%166) : (tensor<f32>) -> ()
    }) : (tensor<4x8x2x4xf32>, tensor<f32>) -> tensor<4x8x2xf32>
    %113 = "stablehlo.reshape"(%112) : (tensor<4x8x2xf32>) -> tensor<4x8x2x1xf32>
    %114 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %115 = "stablehlo.reduce"(%113, %114) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %165 = "stablehlo.add"(%arg16, %arg17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%165) : (tensor<f32>) -> ()
    }) : (tensor<4x8x2x1xf32>, tensor<f32>) -> tensor<4x8x2xf32>
    %116 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x8x1xf32>) -> tensor<4x8x2xf32>
    %117 = "stablehlo.multiply"(%115, %116) : (tensor<4x8x2xf32>, tensor<4x8x2xf32>) -> tensor<4x8x2xf32>
    %118 = "stablehlo.multiply"(%117, %25#0) : (tensor<4x8x2xf32>, tensor<4x8x2xf32>) -> tensor<4x8x2xf32>
    %119 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %120 = "stablehlo.reduce"(%118, %119) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %164 = "stablehlo.add"(%arg14, %arg15) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%164) : (tensor<f32>) -> ()
    }) : (tensor<4x8x2xf32>, tensor<f32>) -> tensor<4x8xf32>
    %121 = "stablehlo.reshape"(%120) : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %122 = "stablehlo.negate"(%121) : (tensor<4x8x1xf32>) -> tensor<4x8x1xf32>
    %123 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x8x1xf32>) -> tensor<4x8x2xf32>
    %124 = "stablehlo.divide"(%115, %123) : (tensor<4x8x2xf32>, tensor<4x8x2xf32>) -> tensor<4x8x2xf32>
    %125 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %126 = "stablehlo.reduce"(%122, %125) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %163 = "stablehlo.add"(%arg12, %arg13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%163) : (tensor<f32>) -> ()
    }) : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
    %127 = "stablehlo.broadcast_in_dim"(%126) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x8xf32>) -> tensor<4x8x2xf32>
    %128 = "stablehlo.add"(%124, %127) : (tensor<4x8x2xf32>, tensor<4x8x2xf32>) -> tensor<4x8x2xf32>
    %129 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %130 = "stablehlo.broadcast_in_dim"(%129) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8x4xf32>
    %131 = "stablehlo.scatter"(%130, %26, %128) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %162 = "stablehlo.add"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%162) : (tensor<f32>) -> ()
    }) : (tensor<4x8x4xf32>, tensor<4x8x2x1xi32>, tensor<4x8x2xf32>) -> tensor<4x8x4xf32>
    %132 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x8x1xf32>) -> tensor<4x8x4xf32>
    %133 = "stablehlo.multiply"(%131, %132) : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
    %134 = "stablehlo.multiply"(%133, %15) : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
    %135 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %136 = "stablehlo.reduce"(%134, %135) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %161 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%161) : (tensor<f32>) -> ()
    }) : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    %137 = "stablehlo.reshape"(%136) : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %138 = "stablehlo.negate"(%137) : (tensor<4x8x1xf32>) -> tensor<4x8x1xf32>
    %139 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x8x1xf32>) -> tensor<4x8x4xf32>
    %140 = "stablehlo.divide"(%131, %139) : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
    %141 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %142 = "stablehlo.reduce"(%138, %141) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %160 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%160) : (tensor<f32>) -> ()
    }) : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
    %143 = "stablehlo.broadcast_in_dim"(%142) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x8xf32>) -> tensor<4x8x4xf32>
    %144 = "stablehlo.add"(%140, %143) : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
    %145 = "stablehlo.multiply"(%144, %15) : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
    %146 = "stablehlo.dot_general"(%145, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8x4xf32>, tensor<4x8x16xf32>) -> tensor<4x16xf32>
    %147 = "stablehlo.transpose"(%146) <{permutation = array<i64: 1, 0>}> : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %148 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %149 = "stablehlo.broadcast_in_dim"(%148) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x4xf32>
    %150 = "stablehlo.multiply"(%149, %147) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %151 = "stablehlo.subtract"(%arg1, %150) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %152 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %153 = "stablehlo.broadcast_in_dim"(%152) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x16x32xf32>
    %154 = "stablehlo.multiply"(%153, %108) : (tensor<4x16x32xf32>, tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %155 = "stablehlo.subtract"(%arg2, %154) : (tensor<4x16x32xf32>, tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %156 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %157 = "stablehlo.broadcast_in_dim"(%156) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x32x16xf32>
    %158 = "stablehlo.multiply"(%157, %89) : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
    %159 = "stablehlo.subtract"(%arg3, %158) : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
    "func.return"(%77, %151, %155, %159) : (tensor<f32>, tensor<16x4xf32>, tensor<4x16x32xf32>, tensor<4x32x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x8x2xi32>) -> tensor<4x8x2x4xf32>, res_attrs = [{}], sym_name = "_one_hot", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x8x2xi32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x8x2xi32>) -> tensor<4x8x2x1xi32>
    %1 = "stablehlo.iota"() <{iota_dimension = 3 : i64}> : () -> tensor<1x1x1x4xi32>
    %2 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x8x2x1xi32>) -> tensor<4x8x2x4xi32>
    %3 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x4xi32>) -> tensor<4x8x2x4xi32>
    %4 = "stablehlo.compare"(%2, %3) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x8x2x4xi32>, tensor<4x8x2x4xi32>) -> tensor<4x8x2x4xi1>
    %5 = "stablehlo.convert"(%4) : (tensor<4x8x2x4xi1>) -> tensor<4x8x2x4xf32>
    "func.return"(%5) : (tensor<4x8x2x4xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
