"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<24xf32>, tensor<24xf32>, tensor<48xf32>, tensor<1x1x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<24x24xf32>, tensor<4x4x3x24xf32>, tensor<1x17x24xf32>, tensor<24x72xf32>, tensor<24x48xf32>, tensor<48x24xf32>, tensor<i32>, tensor<24xf32>, tensor<24xf32>, tensor<48xf32>, tensor<1x1x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<24x24xf32>, tensor<4x4x3x24xf32>, tensor<1x17x24xf32>, tensor<24x72xf32>, tensor<24x48xf32>, tensor<48x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<48xf32>, tensor<1x1x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<24x24xf32>, tensor<4x4x3x24xf32>, tensor<1x17x24xf32>, tensor<24x72xf32>, tensor<24x48xf32>, tensor<48x24xf32>, tensor<4x16x16x3xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<24xf32>, tensor<24xf32>, tensor<48xf32>, tensor<1x1x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<24x24xf32>, tensor<4x4x3x24xf32>, tensor<1x17x24xf32>, tensor<24x72xf32>, tensor<24x48xf32>, tensor<48x24xf32>, tensor<i32>, tensor<24xf32>, tensor<24xf32>, tensor<48xf32>, tensor<1x1x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<24x24xf32>, tensor<4x4x3x24xf32>, tensor<1x17x24xf32>, tensor<24x72xf32>, tensor<24x48xf32>, tensor<48x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<48xf32>, tensor<1x1x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<24x24xf32>, tensor<4x4x3x24xf32>, tensor<1x17x24xf32>, tensor<24x72xf32>, tensor<24x48xf32>, tensor<48x24xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1][0]['b1']"}, {jax.result_info = "result[1][0]['b2']"}, {jax.result_info = "result[1][0]['c1']"}, {jax.result_info = "result[1][0]['cls']"}, {jax.result_info = "result[1][0]['g1']"}, {jax.result_info = "result[1][0]['g2']"}, {jax.result_info = "result[1][0]['head']"}, {jax.result_info = "result[1][0]['o']"}, {jax.result_info = "result[1][0]['patch']"}, {jax.result_info = "result[1][0]['pos']"}, {jax.result_info = "result[1][0]['qkv']"}, {jax.result_info = "result[1][0]['w1']"}, {jax.result_info = "result[1][0]['w2']"}, {jax.result_info = "result[1][1][0].count"}, {jax.result_info = "result[1][1][0].mu['b1']"}, {jax.result_info = "result[1][1][0].mu['b2']"}, {jax.result_info = "result[1][1][0].mu['c1']"}, {jax.result_info = "result[1][1][0].mu['cls']"}, {jax.result_info = "result[1][1][0].mu['g1']"}, {jax.result_info = "result[1][1][0].mu['g2']"}, {jax.result_info = "result[1][1][0].mu['head']"}, {jax.result_info = "result[1][1][0].mu['o']"}, {jax.result_info = "result[1][1][0].mu['patch']"}, {jax.result_info = "result[1][1][0].mu['pos']"}, {jax.result_info = "result[1][1][0].mu['qkv']"}, {jax.result_info = "result[1][1][0].mu['w1']"}, {jax.result_info = "result[1][1][0].mu['w2']"}, {jax.result_info = "result[1][1][0].nu['b1']"}, {jax.result_info = "result[1][1][0].nu['b2']"}, {jax.result_info = "result[1][1][0].nu['c1']"}, {jax.result_info = "result[1][1][0].nu['cls']"}, {jax.result_info = "result[1][1][0].nu['g1']"}, {jax.result_info = "result[1][1][0].nu['g2']"}, {jax.result_info = "result[1][1][0].nu['head']"}, {jax.result_info = "result[1][1][0].nu['o']"}, {jax.result_info = "result[1][1][0].nu['patch']"}, {jax.result_info = "result[1][1][0].nu['pos']"}, {jax.result_info = "result[1][1][0].nu['qkv']"}, {jax.result_info = "result[1][1][0].nu['w1']"}, {jax.result_info = "result[1][1][0].nu['w2']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg23: tensor<24xf32>, %arg24: tensor<24xf32>, %arg25: tensor<48xf32>, %arg26: tensor<1x1x24xf32>, %arg27: tensor<24xf32>, %arg28: tensor<24xf32>, %arg29: tensor<24x10xf32>, %arg30: tensor<24x24xf32>, %arg31: tensor<4x4x3x24xf32>, %arg32: tensor<1x17x24xf32>, %arg33: tensor<24x72xf32>, %arg34: tensor<24x48xf32>, %arg35: tensor<48x24xf32>, %arg36: tensor<i32>, %arg37: tensor<24xf32>, %arg38: tensor<24xf32>, %arg39: tensor<48xf32>, %arg40: tensor<1x1x24xf32>, %arg41: tensor<24xf32>, %arg42: tensor<24xf32>, %arg43: tensor<24x10xf32>, %arg44: tensor<24x24xf32>, %arg45: tensor<4x4x3x24xf32>, %arg46: tensor<1x17x24xf32>, %arg47: tensor<24x72xf32>, %arg48: tensor<24x48xf32>, %arg49: tensor<48x24xf32>, %arg50: tensor<24xf32>, %arg51: tensor<24xf32>, %arg52: tensor<48xf32>, %arg53: tensor<1x1x24xf32>, %arg54: tensor<24xf32>, %arg55: tensor<24xf32>, %arg56: tensor<24x10xf32>, %arg57: tensor<24x24xf32>, %arg58: tensor<4x4x3x24xf32>, %arg59: tensor<1x17x24xf32>, %arg60: tensor<24x72xf32>, %arg61: tensor<24x48xf32>, %arg62: tensor<48x24xf32>, %arg63: tensor<4x16x16x3xf32>, %arg64: tensor<4xi32>):
    %57 = "stablehlo.convolution"(%arg63, %arg31) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 4, 4>}> : (tensor<4x16x16x3xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x4x24xf32>
    %58 = "stablehlo.broadcast_in_dim"(%arg26) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x24xf32>) -> tensor<4x1x24xf32>
    %59 = "stablehlo.reshape"(%57) : (tensor<4x4x4x24xf32>) -> tensor<4x16x24xf32>
    %60 = "stablehlo.concatenate"(%58, %59) <{dimension = 1 : i64}> : (tensor<4x1x24xf32>, tensor<4x16x24xf32>) -> tensor<4x17x24xf32>
    %61 = "stablehlo.broadcast_in_dim"(%arg32) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x17x24xf32>) -> tensor<4x17x24xf32>
    %62 = "stablehlo.add"(%60, %61) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %63 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.reduce"(%62, %63) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg121: tensor<f32>, %arg122: tensor<f32>):
      %878 = "stablehlo.add"(%arg121, %arg122) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%878) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<4x17xf32>
    %65 = "stablehlo.broadcast_in_dim"(%64) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %66 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %67 = "stablehlo.broadcast_in_dim"(%66) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %68 = "stablehlo.divide"(%65, %67) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %69 = "stablehlo.broadcast_in_dim"(%68) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x17x1xf32>) -> tensor<4x17x24xf32>
    %70 = "stablehlo.subtract"(%62, %69) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %71 = "stablehlo.multiply"(%70, %70) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %72 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %73 = "stablehlo.reduce"(%71, %72) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg119: tensor<f32>, %arg120: tensor<f32>):
      %877 = "stablehlo.add"(%arg119, %arg120) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%877) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<4x17xf32>
    %74 = "stablehlo.broadcast_in_dim"(%73) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %75 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %76 = "stablehlo.broadcast_in_dim"(%75) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %77 = "stablehlo.divide"(%74, %76) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %78 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %79 = "stablehlo.broadcast_in_dim"(%78) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %80 = "stablehlo.add"(%77, %79) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %81 = "stablehlo.sqrt"(%80) : (tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %82 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %83 = "stablehlo.broadcast_in_dim"(%82) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %84 = "stablehlo.divide"(%83, %81) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %85 = "stablehlo.broadcast_in_dim"(%81) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x17x1xf32>) -> tensor<4x17x24xf32>
    %86 = "stablehlo.divide"(%70, %85) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %87 = "stablehlo.multiply"(%81, %81) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %88 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %89 = "stablehlo.broadcast_in_dim"(%88) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %90 = "stablehlo.divide"(%89, %87) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %91 = "stablehlo.broadcast_in_dim"(%arg27) <{broadcast_dimensions = array<i64: 2>}> : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %92 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x24xf32>) -> tensor<4x17x24xf32>
    %93 = "stablehlo.multiply"(%86, %92) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %94 = "stablehlo.broadcast_in_dim"(%arg23) <{broadcast_dimensions = array<i64: 2>}> : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %95 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x24xf32>) -> tensor<4x17x24xf32>
    %96 = "stablehlo.add"(%93, %95) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %97 = "stablehlo.dot_general"(%96, %arg33) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x24xf32>, tensor<24x72xf32>) -> tensor<4x17x72xf32>
    %98 = "stablehlo.slice"(%97) <{limit_indices = array<i64: 4, 17, 24>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<4x17x72xf32>) -> tensor<4x17x24xf32>
    %99 = "stablehlo.slice"(%97) <{limit_indices = array<i64: 4, 17, 48>, start_indices = array<i64: 0, 0, 24>, strides = array<i64: 1, 1, 1>}> : (tensor<4x17x72xf32>) -> tensor<4x17x24xf32>
    %100 = "stablehlo.slice"(%97) <{limit_indices = array<i64: 4, 17, 72>, start_indices = array<i64: 0, 0, 48>, strides = array<i64: 1, 1, 1>}> : (tensor<4x17x72xf32>) -> tensor<4x17x24xf32>
    %101 = "stablehlo.reshape"(%98) : (tensor<4x17x24xf32>) -> tensor<4x17x3x8xf32>
    %102 = "stablehlo.reshape"(%99) : (tensor<4x17x24xf32>) -> tensor<4x17x3x8xf32>
    %103 = "stablehlo.reshape"(%100) : (tensor<4x17x24xf32>) -> tensor<4x17x3x8xf32>
    %104 = "stablehlo.reshape"(%101) : (tensor<4x17x3x8xf32>) -> tensor<4x17x3x1x8xf32>
    %105 = "stablehlo.dot_general"(%104, %102) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [4], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x3x1x8xf32>, tensor<4x17x3x8xf32>) -> tensor<4x3x17x1x17xf32>
    %106 = "stablehlo.constant"() <{value = dense<0.353553385> : tensor<f32>}> : () -> tensor<f32>
    %107 = "stablehlo.broadcast_in_dim"(%106) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x17x1x17xf32>
    %108 = "stablehlo.multiply"(%105, %107) : (tensor<4x3x17x1x17xf32>, tensor<4x3x17x1x17xf32>) -> tensor<4x3x17x1x17xf32>
    %109 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %110 = "stablehlo.reduce"(%108, %109) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg117: tensor<f32>, %arg118: tensor<f32>):
      %876 = "stablehlo.maximum"(%arg117, %arg118) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%876) : (tensor<f32>) -> ()
    }) : (tensor<4x3x17x1x17xf32>, tensor<f32>) -> tensor<4x3x17x1xf32>
    %111 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %112 = "stablehlo.broadcast_in_dim"(%111) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x17x1xf32>
    %113 = "stablehlo.maximum"(%112, %110) : (tensor<4x3x17x1xf32>, tensor<4x3x17x1xf32>) -> tensor<4x3x17x1xf32>
    %114 = "stablehlo.transpose"(%113) <{permutation = array<i64: 3, 0, 1, 2>}> : (tensor<4x3x17x1xf32>) -> tensor<1x4x3x17xf32>
    %115 = "stablehlo.broadcast_in_dim"(%114) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x4x3x17xf32>) -> tensor<1x4x3x17x1xf32>
    %116 = "stablehlo.transpose"(%108) <{permutation = array<i64: 3, 0, 1, 2, 4>}> : (tensor<4x3x17x1x17xf32>) -> tensor<1x4x3x17x17xf32>
    %117 = "stablehlo.broadcast_in_dim"(%115) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<1x4x3x17x1xf32>) -> tensor<1x4x3x17x17xf32>
    %118 = "stablehlo.subtract"(%116, %117) : (tensor<1x4x3x17x17xf32>, tensor<1x4x3x17x17xf32>) -> tensor<1x4x3x17x17xf32>
    %119 = "stablehlo.exponential"(%118) : (tensor<1x4x3x17x17xf32>) -> tensor<1x4x3x17x17xf32>
    %120 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %121 = "stablehlo.reduce"(%119, %120) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg115: tensor<f32>, %arg116: tensor<f32>):
      %875 = "stablehlo.add"(%arg115, %arg116) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%875) : (tensor<f32>) -> ()
    }) : (tensor<1x4x3x17x17xf32>, tensor<f32>) -> tensor<1x4x3x17xf32>
    %122 = "stablehlo.broadcast_in_dim"(%121) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x4x3x17xf32>) -> tensor<1x4x3x17x1xf32>
    %123 = "stablehlo.broadcast_in_dim"(%122) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<1x4x3x17x1xf32>) -> tensor<1x4x3x17x17xf32>
    %124 = "stablehlo.divide"(%119, %123) : (tensor<1x4x3x17x17xf32>, tensor<1x4x3x17x17xf32>) -> tensor<1x4x3x17x17xf32>
    %125 = "stablehlo.multiply"(%122, %122) : (tensor<1x4x3x17x1xf32>, tensor<1x4x3x17x1xf32>) -> tensor<1x4x3x17x1xf32>
    %126 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %127 = "stablehlo.broadcast_in_dim"(%126) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x4x3x17x1xf32>
    %128 = "stablehlo.divide"(%127, %125) : (tensor<1x4x3x17x1xf32>, tensor<1x4x3x17x1xf32>) -> tensor<1x4x3x17x1xf32>
    %129 = "stablehlo.dot_general"(%103, %124) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [1, 2], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x3x8xf32>, tensor<1x4x3x17x17xf32>) -> tensor<4x3x8x1x17xf32>
    %130 = "stablehlo.transpose"(%129) <{permutation = array<i64: 3, 0, 4, 1, 2>}> : (tensor<4x3x8x1x17xf32>) -> tensor<1x4x17x3x8xf32>
    %131 = "stablehlo.transpose"(%130) <{permutation = array<i64: 1, 2, 3, 0, 4>}> : (tensor<1x4x17x3x8xf32>) -> tensor<4x17x3x1x8xf32>
    %132 = "stablehlo.reshape"(%131) : (tensor<4x17x3x1x8xf32>) -> tensor<4x17x3x8xf32>
    %133 = "stablehlo.reshape"(%132) : (tensor<4x17x3x8xf32>) -> tensor<4x17x24xf32>
    %134 = "stablehlo.dot_general"(%133, %arg30) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x24xf32>, tensor<24x24xf32>) -> tensor<4x17x24xf32>
    %135 = "stablehlo.add"(%62, %134) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %136 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %137 = "stablehlo.reduce"(%135, %136) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg113: tensor<f32>, %arg114: tensor<f32>):
      %874 = "stablehlo.add"(%arg113, %arg114) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%874) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<4x17xf32>
    %138 = "stablehlo.broadcast_in_dim"(%137) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %139 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %140 = "stablehlo.broadcast_in_dim"(%139) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %141 = "stablehlo.divide"(%138, %140) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %142 = "stablehlo.broadcast_in_dim"(%141) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x17x1xf32>) -> tensor<4x17x24xf32>
    %143 = "stablehlo.subtract"(%135, %142) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %144 = "stablehlo.multiply"(%143, %143) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %145 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %146 = "stablehlo.reduce"(%144, %145) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg111: tensor<f32>, %arg112: tensor<f32>):
      %873 = "stablehlo.add"(%arg111, %arg112) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%873) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<4x17xf32>
    %147 = "stablehlo.broadcast_in_dim"(%146) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %148 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %149 = "stablehlo.broadcast_in_dim"(%148) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %150 = "stablehlo.divide"(%147, %149) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %151 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %152 = "stablehlo.broadcast_in_dim"(%151) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %153 = "stablehlo.add"(%150, %152) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %154 = "stablehlo.sqrt"(%153) : (tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %155 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %156 = "stablehlo.broadcast_in_dim"(%155) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %157 = "stablehlo.divide"(%156, %154) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %158 = "stablehlo.broadcast_in_dim"(%154) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x17x1xf32>) -> tensor<4x17x24xf32>
    %159 = "stablehlo.divide"(%143, %158) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %160 = "stablehlo.multiply"(%154, %154) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %161 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %162 = "stablehlo.broadcast_in_dim"(%161) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %163 = "stablehlo.divide"(%162, %160) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %164 = "stablehlo.broadcast_in_dim"(%arg28) <{broadcast_dimensions = array<i64: 2>}> : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %165 = "stablehlo.broadcast_in_dim"(%164) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x24xf32>) -> tensor<4x17x24xf32>
    %166 = "stablehlo.multiply"(%159, %165) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %167 = "stablehlo.broadcast_in_dim"(%arg24) <{broadcast_dimensions = array<i64: 2>}> : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %168 = "stablehlo.broadcast_in_dim"(%167) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x24xf32>) -> tensor<4x17x24xf32>
    %169 = "stablehlo.add"(%166, %168) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %170 = "stablehlo.dot_general"(%169, %arg34) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x24xf32>, tensor<24x48xf32>) -> tensor<4x17x48xf32>
    %171 = "stablehlo.broadcast_in_dim"(%arg25) <{broadcast_dimensions = array<i64: 2>}> : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %172 = "stablehlo.broadcast_in_dim"(%171) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x48xf32>) -> tensor<4x17x48xf32>
    %173 = "stablehlo.add"(%170, %172) : (tensor<4x17x48xf32>, tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %174 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %175 = "stablehlo.broadcast_in_dim"(%174) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x48xf32>
    %176 = "stablehlo.multiply"(%175, %173) : (tensor<4x17x48xf32>, tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %177 = "stablehlo.negate"(%173) : (tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %178 = "stablehlo.constant"() <{value = dense<0.707106769> : tensor<f32>}> : () -> tensor<f32>
    %179 = "stablehlo.broadcast_in_dim"(%178) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x48xf32>
    %180 = "stablehlo.multiply"(%177, %179) : (tensor<4x17x48xf32>, tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %181 = "chlo.erfc"(%180) : (tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %182 = "chlo.square"(%180) : (tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %183 = "stablehlo.negate"(%182) : (tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %184 = "stablehlo.exponential"(%183) : (tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %185 = "stablehlo.multiply"(%176, %181) : (tensor<4x17x48xf32>, tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %186 = "stablehlo.dot_general"(%185, %arg35) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x48xf32>, tensor<48x24xf32>) -> tensor<4x17x24xf32>
    %187 = "stablehlo.add"(%135, %186) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %188 = "stablehlo.slice"(%187) <{limit_indices = array<i64: 4, 1, 24>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<4x17x24xf32>) -> tensor<4x1x24xf32>
    %189 = "stablehlo.reshape"(%188) : (tensor<4x1x24xf32>) -> tensor<4x24xf32>
    %190 = "stablehlo.dot_general"(%189, %arg29) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x24xf32>, tensor<24x10xf32>) -> tensor<4x10xf32>
    %191:3 = "func.call"(%190) <{callee = @log_softmax}> : (tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>)
    %192 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x1xi32>
    %193:2 = "func.call"(%191#0, %192) <{callee = @take_along_axis}> : (tensor<4x10xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>)
    %194 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %195 = "stablehlo.reduce"(%193#0, %194) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg109: tensor<f32>, %arg110: tensor<f32>):
      %872 = "stablehlo.add"(%arg109, %arg110) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%872) : (tensor<f32>) -> ()
    }) : (tensor<4x1xf32>, tensor<f32>) -> tensor<f32>
    %196 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %197 = "stablehlo.divide"(%195, %196) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %198 = "stablehlo.negate"(%197) : (tensor<f32>) -> tensor<f32>
    %199 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %200 = "stablehlo.negate"(%199) : (tensor<f32>) -> tensor<f32>
    %201 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %202 = "stablehlo.divide"(%200, %201) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %203 = "stablehlo.broadcast_in_dim"(%202) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1xf32>
    %204 = "func.call"(%193#1, %203) <{callee = @take_along_axis_0}> : (tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    %205 = "func.call"(%191#1, %191#2, %204) <{callee = @log_softmax_1}> : (tensor<4x10xf32>, tensor<4x1xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    %206 = "stablehlo.dot_general"(%205, %189) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x10xf32>, tensor<4x24xf32>) -> tensor<10x24xf32>
    %207 = "stablehlo.transpose"(%206) <{permutation = array<i64: 1, 0>}> : (tensor<10x24xf32>) -> tensor<24x10xf32>
    %208 = "stablehlo.dot_general"(%205, %arg29) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x10xf32>, tensor<24x10xf32>) -> tensor<4x24xf32>
    %209 = "stablehlo.broadcast_in_dim"(%208) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<4x24xf32>) -> tensor<4x1x24xf32>
    %210 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %211 = "stablehlo.pad"(%209, %210) <{edge_padding_high = array<i64: 0, 16, 0>, edge_padding_low = array<i64: 0, 0, 0>, interior_padding = array<i64: 0, 0, 0>}> : (tensor<4x1x24xf32>, tensor<f32>) -> tensor<4x17x24xf32>
    %212 = "stablehlo.dot_general"(%211, %185) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x24xf32>, tensor<4x17x48xf32>) -> tensor<24x48xf32>
    %213 = "stablehlo.transpose"(%212) <{permutation = array<i64: 1, 0>}> : (tensor<24x48xf32>) -> tensor<48x24xf32>
    %214 = "stablehlo.dot_general"(%211, %arg35) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x24xf32>, tensor<48x24xf32>) -> tensor<4x17x48xf32>
    %215 = "stablehlo.multiply"(%176, %214) : (tensor<4x17x48xf32>, tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %216 = "stablehlo.multiply"(%214, %181) : (tensor<4x17x48xf32>, tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %217 = "stablehlo.constant"() <{value = dense<-1.12837923> : tensor<f32>}> : () -> tensor<f32>
    %218 = "stablehlo.broadcast_in_dim"(%217) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x48xf32>
    %219 = "stablehlo.multiply"(%218, %215) : (tensor<4x17x48xf32>, tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %220 = "stablehlo.multiply"(%219, %184) : (tensor<4x17x48xf32>, tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %221 = "stablehlo.constant"() <{value = dense<0.707106769> : tensor<f32>}> : () -> tensor<f32>
    %222 = "stablehlo.broadcast_in_dim"(%221) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x48xf32>
    %223 = "stablehlo.multiply"(%220, %222) : (tensor<4x17x48xf32>, tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %224 = "stablehlo.negate"(%223) : (tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %225 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %226 = "stablehlo.broadcast_in_dim"(%225) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x48xf32>
    %227 = "stablehlo.multiply"(%226, %216) : (tensor<4x17x48xf32>, tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %228 = "stablehlo.add"(%224, %227) : (tensor<4x17x48xf32>, tensor<4x17x48xf32>) -> tensor<4x17x48xf32>
    %229 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %230 = "stablehlo.reduce"(%228, %229) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg107: tensor<f32>, %arg108: tensor<f32>):
      %871 = "stablehlo.add"(%arg107, %arg108) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%871) : (tensor<f32>) -> ()
    }) : (tensor<4x17x48xf32>, tensor<f32>) -> tensor<48xf32>
    %231 = "stablehlo.reshape"(%230) : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %232 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %233 = "stablehlo.reduce"(%231, %232) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg105: tensor<f32>, %arg106: tensor<f32>):
      %870 = "stablehlo.add"(%arg105, %arg106) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%870) : (tensor<f32>) -> ()
    }) : (tensor<1x1x48xf32>, tensor<f32>) -> tensor<48xf32>
    %234 = "stablehlo.dot_general"(%228, %169) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x48xf32>, tensor<4x17x24xf32>) -> tensor<48x24xf32>
    %235 = "stablehlo.transpose"(%234) <{permutation = array<i64: 1, 0>}> : (tensor<48x24xf32>) -> tensor<24x48xf32>
    %236 = "stablehlo.dot_general"(%228, %arg34) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x48xf32>, tensor<24x48xf32>) -> tensor<4x17x24xf32>
    %237 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %238 = "stablehlo.reduce"(%236, %237) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg103: tensor<f32>, %arg104: tensor<f32>):
      %869 = "stablehlo.add"(%arg103, %arg104) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%869) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<24xf32>
    %239 = "stablehlo.reshape"(%238) : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %240 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %241 = "stablehlo.reduce"(%239, %240) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg101: tensor<f32>, %arg102: tensor<f32>):
      %868 = "stablehlo.add"(%arg101, %arg102) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%868) : (tensor<f32>) -> ()
    }) : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %242 = "stablehlo.multiply"(%159, %236) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %243 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %244 = "stablehlo.reduce"(%242, %243) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg99: tensor<f32>, %arg100: tensor<f32>):
      %867 = "stablehlo.add"(%arg99, %arg100) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%867) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<24xf32>
    %245 = "stablehlo.reshape"(%244) : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %246 = "stablehlo.broadcast_in_dim"(%164) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x24xf32>) -> tensor<4x17x24xf32>
    %247 = "stablehlo.multiply"(%236, %246) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %248 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %249 = "stablehlo.reduce"(%245, %248) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg97: tensor<f32>, %arg98: tensor<f32>):
      %866 = "stablehlo.add"(%arg97, %arg98) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%866) : (tensor<f32>) -> ()
    }) : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %250 = "stablehlo.broadcast_in_dim"(%163) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x17x1xf32>) -> tensor<4x17x24xf32>
    %251 = "stablehlo.multiply"(%247, %250) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %252 = "stablehlo.multiply"(%251, %143) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %253 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %254 = "stablehlo.reduce"(%252, %253) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg95: tensor<f32>, %arg96: tensor<f32>):
      %865 = "stablehlo.add"(%arg95, %arg96) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%865) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<4x17xf32>
    %255 = "stablehlo.reshape"(%254) : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %256 = "stablehlo.negate"(%255) : (tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %257 = "stablehlo.broadcast_in_dim"(%154) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x17x1xf32>) -> tensor<4x17x24xf32>
    %258 = "stablehlo.divide"(%247, %257) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %259 = "stablehlo.multiply"(%256, %157) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %260 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %261 = "stablehlo.broadcast_in_dim"(%260) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %262 = "stablehlo.divide"(%259, %261) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %263 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %264 = "stablehlo.reduce"(%262, %263) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg93: tensor<f32>, %arg94: tensor<f32>):
      %864 = "stablehlo.add"(%arg93, %arg94) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%864) : (tensor<f32>) -> ()
    }) : (tensor<4x17x1xf32>, tensor<f32>) -> tensor<4x17xf32>
    %265 = "stablehlo.broadcast_in_dim"(%264) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x17xf32>) -> tensor<4x17x24xf32>
    %266 = "stablehlo.multiply"(%143, %265) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %267 = "stablehlo.add"(%258, %266) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %268 = "stablehlo.multiply"(%265, %143) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %269 = "stablehlo.add"(%267, %268) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %270 = "stablehlo.negate"(%269) : (tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %271 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %272 = "stablehlo.reduce"(%270, %271) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg91: tensor<f32>, %arg92: tensor<f32>):
      %863 = "stablehlo.add"(%arg91, %arg92) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%863) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<4x17xf32>
    %273 = "stablehlo.reshape"(%272) : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %274 = "stablehlo.add"(%211, %269) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %275 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %276 = "stablehlo.broadcast_in_dim"(%275) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %277 = "stablehlo.divide"(%273, %276) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %278 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %279 = "stablehlo.reduce"(%277, %278) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg89: tensor<f32>, %arg90: tensor<f32>):
      %862 = "stablehlo.add"(%arg89, %arg90) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%862) : (tensor<f32>) -> ()
    }) : (tensor<4x17x1xf32>, tensor<f32>) -> tensor<4x17xf32>
    %280 = "stablehlo.broadcast_in_dim"(%279) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x17xf32>) -> tensor<4x17x24xf32>
    %281 = "stablehlo.add"(%274, %280) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %282 = "stablehlo.dot_general"(%281, %133) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<24x24xf32>
    %283 = "stablehlo.transpose"(%282) <{permutation = array<i64: 1, 0>}> : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %284 = "stablehlo.dot_general"(%281, %arg30) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x24xf32>, tensor<24x24xf32>) -> tensor<4x17x24xf32>
    %285 = "stablehlo.reshape"(%284) : (tensor<4x17x24xf32>) -> tensor<4x17x3x8xf32>
    %286 = "stablehlo.reshape"(%285) : (tensor<4x17x3x8xf32>) -> tensor<4x17x3x1x8xf32>
    %287 = "stablehlo.transpose"(%286) <{permutation = array<i64: 3, 0, 1, 2, 4>}> : (tensor<4x17x3x1x8xf32>) -> tensor<1x4x17x3x8xf32>
    %288 = "stablehlo.transpose"(%287) <{permutation = array<i64: 1, 3, 4, 0, 2>}> : (tensor<1x4x17x3x8xf32>) -> tensor<4x3x8x1x17xf32>
    %289 = "stablehlo.dot_general"(%288, %103) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x3x8x1x17xf32>, tensor<4x17x3x8xf32>) -> tensor<4x3x1x17x17xf32>
    %290 = "stablehlo.transpose"(%289) <{permutation = array<i64: 2, 0, 1, 3, 4>}> : (tensor<4x3x1x17x17xf32>) -> tensor<1x4x3x17x17xf32>
    %291 = "stablehlo.dot_general"(%288, %124) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [1, 2], lhs_contracting_dimensions = [3, 4], rhs_contracting_dimensions = [0, 3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x3x8x1x17xf32>, tensor<1x4x3x17x17xf32>) -> tensor<4x3x8x17xf32>
    %292 = "stablehlo.transpose"(%291) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<4x3x8x17xf32>) -> tensor<4x17x3x8xf32>
    %293 = "stablehlo.broadcast_in_dim"(%128) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<1x4x3x17x1xf32>) -> tensor<1x4x3x17x17xf32>
    %294 = "stablehlo.multiply"(%290, %293) : (tensor<1x4x3x17x17xf32>, tensor<1x4x3x17x17xf32>) -> tensor<1x4x3x17x17xf32>
    %295 = "stablehlo.multiply"(%294, %119) : (tensor<1x4x3x17x17xf32>, tensor<1x4x3x17x17xf32>) -> tensor<1x4x3x17x17xf32>
    %296 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %297 = "stablehlo.reduce"(%295, %296) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg87: tensor<f32>, %arg88: tensor<f32>):
      %861 = "stablehlo.add"(%arg87, %arg88) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%861) : (tensor<f32>) -> ()
    }) : (tensor<1x4x3x17x17xf32>, tensor<f32>) -> tensor<1x4x3x17xf32>
    %298 = "stablehlo.reshape"(%297) : (tensor<1x4x3x17xf32>) -> tensor<1x4x3x17x1xf32>
    %299 = "stablehlo.negate"(%298) : (tensor<1x4x3x17x1xf32>) -> tensor<1x4x3x17x1xf32>
    %300 = "stablehlo.broadcast_in_dim"(%122) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<1x4x3x17x1xf32>) -> tensor<1x4x3x17x17xf32>
    %301 = "stablehlo.divide"(%290, %300) : (tensor<1x4x3x17x17xf32>, tensor<1x4x3x17x17xf32>) -> tensor<1x4x3x17x17xf32>
    %302 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %303 = "stablehlo.reduce"(%299, %302) <{dimensions = array<i64: 0, 4>}> ({
    ^bb0(%arg85: tensor<f32>, %arg86: tensor<f32>):
      %860 = "stablehlo.add"(%arg85, %arg86) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%860) : (tensor<f32>) -> ()
    }) : (tensor<1x4x3x17x1xf32>, tensor<f32>) -> tensor<4x3x17xf32>
    %304 = "stablehlo.broadcast_in_dim"(%303) <{broadcast_dimensions = array<i64: 1, 2, 3>}> : (tensor<4x3x17xf32>) -> tensor<1x4x3x17xf32>
    %305 = "stablehlo.broadcast_in_dim"(%304) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x4x3x17xf32>) -> tensor<1x4x3x17x17xf32>
    %306 = "stablehlo.add"(%301, %305) : (tensor<1x4x3x17x17xf32>, tensor<1x4x3x17x17xf32>) -> tensor<1x4x3x17x17xf32>
    %307 = "stablehlo.multiply"(%306, %119) : (tensor<1x4x3x17x17xf32>, tensor<1x4x3x17x17xf32>) -> tensor<1x4x3x17x17xf32>
    %308 = "stablehlo.transpose"(%307) <{permutation = array<i64: 1, 2, 3, 0, 4>}> : (tensor<1x4x3x17x17xf32>) -> tensor<4x3x17x1x17xf32>
    %309 = "stablehlo.constant"() <{value = dense<0.353553385> : tensor<f32>}> : () -> tensor<f32>
    %310 = "stablehlo.broadcast_in_dim"(%309) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x17x1x17xf32>
    %311 = "stablehlo.multiply"(%308, %310) : (tensor<4x3x17x1x17xf32>, tensor<4x3x17x1x17xf32>) -> tensor<4x3x17x1x17xf32>
    %312 = "stablehlo.dot_general"(%311, %104) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [1, 3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x3x17x1x17xf32>, tensor<4x17x3x1x8xf32>) -> tensor<4x3x17x8xf32>
    %313 = "stablehlo.transpose"(%312) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<4x3x17x8xf32>) -> tensor<4x17x3x8xf32>
    %314 = "stablehlo.dot_general"(%311, %102) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [4], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x3x17x1x17xf32>, tensor<4x17x3x8xf32>) -> tensor<4x3x17x1x8xf32>
    %315 = "stablehlo.transpose"(%314) <{permutation = array<i64: 0, 2, 1, 3, 4>}> : (tensor<4x3x17x1x8xf32>) -> tensor<4x17x3x1x8xf32>
    %316 = "stablehlo.reshape"(%315) : (tensor<4x17x3x1x8xf32>) -> tensor<4x17x3x8xf32>
    %317 = "stablehlo.reshape"(%292) : (tensor<4x17x3x8xf32>) -> tensor<4x17x24xf32>
    %318 = "stablehlo.reshape"(%313) : (tensor<4x17x3x8xf32>) -> tensor<4x17x24xf32>
    %319 = "stablehlo.reshape"(%316) : (tensor<4x17x3x8xf32>) -> tensor<4x17x24xf32>
    %320 = "stablehlo.concatenate"(%319, %318, %317) <{dimension = 2 : i64}> : (tensor<4x17x24xf32>, tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x72xf32>
    %321 = "stablehlo.dot_general"(%320, %96) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x72xf32>, tensor<4x17x24xf32>) -> tensor<72x24xf32>
    %322 = "stablehlo.transpose"(%321) <{permutation = array<i64: 1, 0>}> : (tensor<72x24xf32>) -> tensor<24x72xf32>
    %323 = "stablehlo.dot_general"(%320, %arg33) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x17x72xf32>, tensor<24x72xf32>) -> tensor<4x17x24xf32>
    %324 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %325 = "stablehlo.reduce"(%323, %324) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg83: tensor<f32>, %arg84: tensor<f32>):
      %859 = "stablehlo.add"(%arg83, %arg84) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%859) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<24xf32>
    %326 = "stablehlo.reshape"(%325) : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %327 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %328 = "stablehlo.reduce"(%326, %327) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg81: tensor<f32>, %arg82: tensor<f32>):
      %858 = "stablehlo.add"(%arg81, %arg82) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%858) : (tensor<f32>) -> ()
    }) : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %329 = "stablehlo.multiply"(%86, %323) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %330 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %331 = "stablehlo.reduce"(%329, %330) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg79: tensor<f32>, %arg80: tensor<f32>):
      %857 = "stablehlo.add"(%arg79, %arg80) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%857) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<24xf32>
    %332 = "stablehlo.reshape"(%331) : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %333 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x24xf32>) -> tensor<4x17x24xf32>
    %334 = "stablehlo.multiply"(%323, %333) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %335 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %336 = "stablehlo.reduce"(%332, %335) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg77: tensor<f32>, %arg78: tensor<f32>):
      %856 = "stablehlo.add"(%arg77, %arg78) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%856) : (tensor<f32>) -> ()
    }) : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %337 = "stablehlo.broadcast_in_dim"(%90) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x17x1xf32>) -> tensor<4x17x24xf32>
    %338 = "stablehlo.multiply"(%334, %337) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %339 = "stablehlo.multiply"(%338, %70) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %340 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %341 = "stablehlo.reduce"(%339, %340) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg75: tensor<f32>, %arg76: tensor<f32>):
      %855 = "stablehlo.add"(%arg75, %arg76) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%855) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<4x17xf32>
    %342 = "stablehlo.reshape"(%341) : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %343 = "stablehlo.negate"(%342) : (tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %344 = "stablehlo.broadcast_in_dim"(%81) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x17x1xf32>) -> tensor<4x17x24xf32>
    %345 = "stablehlo.divide"(%334, %344) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %346 = "stablehlo.multiply"(%343, %84) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %347 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %348 = "stablehlo.broadcast_in_dim"(%347) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %349 = "stablehlo.divide"(%346, %348) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %350 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %351 = "stablehlo.reduce"(%349, %350) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg73: tensor<f32>, %arg74: tensor<f32>):
      %854 = "stablehlo.add"(%arg73, %arg74) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%854) : (tensor<f32>) -> ()
    }) : (tensor<4x17x1xf32>, tensor<f32>) -> tensor<4x17xf32>
    %352 = "stablehlo.broadcast_in_dim"(%351) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x17xf32>) -> tensor<4x17x24xf32>
    %353 = "stablehlo.multiply"(%70, %352) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %354 = "stablehlo.add"(%345, %353) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %355 = "stablehlo.multiply"(%352, %70) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %356 = "stablehlo.add"(%354, %355) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %357 = "stablehlo.negate"(%356) : (tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %358 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %359 = "stablehlo.reduce"(%357, %358) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg71: tensor<f32>, %arg72: tensor<f32>):
      %853 = "stablehlo.add"(%arg71, %arg72) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%853) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<4x17xf32>
    %360 = "stablehlo.reshape"(%359) : (tensor<4x17xf32>) -> tensor<4x17x1xf32>
    %361 = "stablehlo.add"(%281, %356) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %362 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %363 = "stablehlo.broadcast_in_dim"(%362) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x17x1xf32>
    %364 = "stablehlo.divide"(%360, %363) : (tensor<4x17x1xf32>, tensor<4x17x1xf32>) -> tensor<4x17x1xf32>
    %365 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %366 = "stablehlo.reduce"(%364, %365) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg69: tensor<f32>, %arg70: tensor<f32>):
      %852 = "stablehlo.add"(%arg69, %arg70) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%852) : (tensor<f32>) -> ()
    }) : (tensor<4x17x1xf32>, tensor<f32>) -> tensor<4x17xf32>
    %367 = "stablehlo.broadcast_in_dim"(%366) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x17xf32>) -> tensor<4x17x24xf32>
    %368 = "stablehlo.add"(%361, %367) : (tensor<4x17x24xf32>, tensor<4x17x24xf32>) -> tensor<4x17x24xf32>
    %369 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %370 = "stablehlo.reduce"(%368, %369) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg67: tensor<f32>, %arg68: tensor<f32>):
      %851 = "stablehlo.add"(%arg67, %arg68) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%851) : (tensor<f32>) -> ()
    }) : (tensor<4x17x24xf32>, tensor<f32>) -> tensor<17x24xf32>
    %371 = "stablehlo.reshape"(%370) : (tensor<17x24xf32>) -> tensor<1x17x24xf32>
    %372 = "stablehlo.slice"(%368) <{limit_indices = array<i64: 4, 1, 24>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<4x17x24xf32>) -> tensor<4x1x24xf32>
    %373 = "stablehlo.slice"(%368) <{limit_indices = array<i64: 4, 17, 24>, start_indices = array<i64: 0, 1, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<4x17x24xf32>) -> tensor<4x16x24xf32>
    %374 = "stablehlo.reshape"(%373) : (tensor<4x16x24xf32>) -> tensor<4x4x4x24xf32>
    %375 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %376 = "stablehlo.reduce"(%372, %375) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg65: tensor<f32>, %arg66: tensor<f32>):
      %850 = "stablehlo.add"(%arg65, %arg66) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%850) : (tensor<f32>) -> ()
    }) : (tensor<4x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %377 = "stablehlo.broadcast_in_dim"(%376) <{broadcast_dimensions = array<i64: 2>}> : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %378 = "stablehlo.convolution"(%arg63, %374) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 4, 4>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<4x16x16x3xf32>, tensor<4x4x4x24xf32>) -> tensor<4x4x3x24xf32>
    %379 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %380 = "stablehlo.broadcast_in_dim"(%379) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %381 = "stablehlo.multiply"(%380, %328) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %382 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %383 = "stablehlo.broadcast_in_dim"(%382) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %384 = "stablehlo.multiply"(%383, %arg37) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %385 = "stablehlo.add"(%381, %384) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %386 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %387 = "stablehlo.broadcast_in_dim"(%386) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %388 = "stablehlo.multiply"(%387, %241) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %389 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %390 = "stablehlo.broadcast_in_dim"(%389) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %391 = "stablehlo.multiply"(%390, %arg38) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %392 = "stablehlo.add"(%388, %391) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %393 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %394 = "stablehlo.broadcast_in_dim"(%393) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %395 = "stablehlo.multiply"(%394, %233) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %396 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %397 = "stablehlo.broadcast_in_dim"(%396) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %398 = "stablehlo.multiply"(%397, %arg39) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %399 = "stablehlo.add"(%395, %398) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %400 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %401 = "stablehlo.broadcast_in_dim"(%400) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x24xf32>
    %402 = "stablehlo.multiply"(%401, %377) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %403 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %404 = "stablehlo.broadcast_in_dim"(%403) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x24xf32>
    %405 = "stablehlo.multiply"(%404, %arg40) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %406 = "stablehlo.add"(%402, %405) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %407 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %408 = "stablehlo.broadcast_in_dim"(%407) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %409 = "stablehlo.multiply"(%408, %336) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %410 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %411 = "stablehlo.broadcast_in_dim"(%410) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %412 = "stablehlo.multiply"(%411, %arg41) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %413 = "stablehlo.add"(%409, %412) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %414 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %415 = "stablehlo.broadcast_in_dim"(%414) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %416 = "stablehlo.multiply"(%415, %249) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %417 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %418 = "stablehlo.broadcast_in_dim"(%417) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %419 = "stablehlo.multiply"(%418, %arg42) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %420 = "stablehlo.add"(%416, %419) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %421 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %422 = "stablehlo.broadcast_in_dim"(%421) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %423 = "stablehlo.multiply"(%422, %207) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %424 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %425 = "stablehlo.broadcast_in_dim"(%424) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %426 = "stablehlo.multiply"(%425, %arg43) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %427 = "stablehlo.add"(%423, %426) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %428 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %429 = "stablehlo.broadcast_in_dim"(%428) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x24xf32>
    %430 = "stablehlo.multiply"(%429, %283) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %431 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %432 = "stablehlo.broadcast_in_dim"(%431) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x24xf32>
    %433 = "stablehlo.multiply"(%432, %arg44) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %434 = "stablehlo.add"(%430, %433) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %435 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %436 = "stablehlo.broadcast_in_dim"(%435) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x3x24xf32>
    %437 = "stablehlo.multiply"(%436, %378) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %438 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %439 = "stablehlo.broadcast_in_dim"(%438) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x3x24xf32>
    %440 = "stablehlo.multiply"(%439, %arg45) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %441 = "stablehlo.add"(%437, %440) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %442 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %443 = "stablehlo.broadcast_in_dim"(%442) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x17x24xf32>
    %444 = "stablehlo.multiply"(%443, %371) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %445 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %446 = "stablehlo.broadcast_in_dim"(%445) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x17x24xf32>
    %447 = "stablehlo.multiply"(%446, %arg46) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %448 = "stablehlo.add"(%444, %447) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %449 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %450 = "stablehlo.broadcast_in_dim"(%449) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x72xf32>
    %451 = "stablehlo.multiply"(%450, %322) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %452 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %453 = "stablehlo.broadcast_in_dim"(%452) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x72xf32>
    %454 = "stablehlo.multiply"(%453, %arg47) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %455 = "stablehlo.add"(%451, %454) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %456 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %457 = "stablehlo.broadcast_in_dim"(%456) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x48xf32>
    %458 = "stablehlo.multiply"(%457, %235) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %459 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %460 = "stablehlo.broadcast_in_dim"(%459) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x48xf32>
    %461 = "stablehlo.multiply"(%460, %arg48) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %462 = "stablehlo.add"(%458, %461) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %463 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %464 = "stablehlo.broadcast_in_dim"(%463) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48x24xf32>
    %465 = "stablehlo.multiply"(%464, %213) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %466 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %467 = "stablehlo.broadcast_in_dim"(%466) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48x24xf32>
    %468 = "stablehlo.multiply"(%467, %arg49) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %469 = "stablehlo.add"(%465, %468) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %470 = "stablehlo.multiply"(%328, %328) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %471 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %472 = "stablehlo.broadcast_in_dim"(%471) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %473 = "stablehlo.multiply"(%472, %470) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %474 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %475 = "stablehlo.broadcast_in_dim"(%474) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %476 = "stablehlo.multiply"(%475, %arg50) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %477 = "stablehlo.add"(%473, %476) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %478 = "stablehlo.multiply"(%241, %241) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %479 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %480 = "stablehlo.broadcast_in_dim"(%479) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %481 = "stablehlo.multiply"(%480, %478) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %482 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %483 = "stablehlo.broadcast_in_dim"(%482) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %484 = "stablehlo.multiply"(%483, %arg51) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %485 = "stablehlo.add"(%481, %484) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %486 = "stablehlo.multiply"(%233, %233) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %487 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %488 = "stablehlo.broadcast_in_dim"(%487) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %489 = "stablehlo.multiply"(%488, %486) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %490 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %491 = "stablehlo.broadcast_in_dim"(%490) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %492 = "stablehlo.multiply"(%491, %arg52) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %493 = "stablehlo.add"(%489, %492) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %494 = "stablehlo.multiply"(%377, %377) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %495 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %496 = "stablehlo.broadcast_in_dim"(%495) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x24xf32>
    %497 = "stablehlo.multiply"(%496, %494) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %498 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %499 = "stablehlo.broadcast_in_dim"(%498) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x24xf32>
    %500 = "stablehlo.multiply"(%499, %arg53) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %501 = "stablehlo.add"(%497, %500) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %502 = "stablehlo.multiply"(%336, %336) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %503 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %504 = "stablehlo.broadcast_in_dim"(%503) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %505 = "stablehlo.multiply"(%504, %502) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %506 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %507 = "stablehlo.broadcast_in_dim"(%506) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %508 = "stablehlo.multiply"(%507, %arg54) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %509 = "stablehlo.add"(%505, %508) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %510 = "stablehlo.multiply"(%249, %249) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %511 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %512 = "stablehlo.broadcast_in_dim"(%511) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %513 = "stablehlo.multiply"(%512, %510) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %514 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %515 = "stablehlo.broadcast_in_dim"(%514) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %516 = "stablehlo.multiply"(%515, %arg55) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %517 = "stablehlo.add"(%513, %516) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %518 = "stablehlo.multiply"(%207, %207) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %519 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %520 = "stablehlo.broadcast_in_dim"(%519) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %521 = "stablehlo.multiply"(%520, %518) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %522 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %523 = "stablehlo.broadcast_in_dim"(%522) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %524 = "stablehlo.multiply"(%523, %arg56) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %525 = "stablehlo.add"(%521, %524) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %526 = "stablehlo.multiply"(%283, %283) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %527 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %528 = "stablehlo.broadcast_in_dim"(%527) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x24xf32>
    %529 = "stablehlo.multiply"(%528, %526) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %530 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %531 = "stablehlo.broadcast_in_dim"(%530) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x24xf32>
    %532 = "stablehlo.multiply"(%531, %arg57) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %533 = "stablehlo.add"(%529, %532) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %534 = "stablehlo.multiply"(%378, %378) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %535 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %536 = "stablehlo.broadcast_in_dim"(%535) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x3x24xf32>
    %537 = "stablehlo.multiply"(%536, %534) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %538 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %539 = "stablehlo.broadcast_in_dim"(%538) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x3x24xf32>
    %540 = "stablehlo.multiply"(%539, %arg58) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %541 = "stablehlo.add"(%537, %540) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %542 = "stablehlo.multiply"(%371, %371) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %543 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %544 = "stablehlo.broadcast_in_dim"(%543) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x17x24xf32>
    %545 = "stablehlo.multiply"(%544, %542) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %546 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %547 = "stablehlo.broadcast_in_dim"(%546) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x17x24xf32>
    %548 = "stablehlo.multiply"(%547, %arg59) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %549 = "stablehlo.add"(%545, %548) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %550 = "stablehlo.multiply"(%322, %322) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %551 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %552 = "stablehlo.broadcast_in_dim"(%551) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x72xf32>
    %553 = "stablehlo.multiply"(%552, %550) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %554 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %555 = "stablehlo.broadcast_in_dim"(%554) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x72xf32>
    %556 = "stablehlo.multiply"(%555, %arg60) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %557 = "stablehlo.add"(%553, %556) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %558 = "stablehlo.multiply"(%235, %235) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %559 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %560 = "stablehlo.broadcast_in_dim"(%559) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x48xf32>
    %561 = "stablehlo.multiply"(%560, %558) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %562 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %563 = "stablehlo.broadcast_in_dim"(%562) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x48xf32>
    %564 = "stablehlo.multiply"(%563, %arg61) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %565 = "stablehlo.add"(%561, %564) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %566 = "stablehlo.multiply"(%213, %213) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %567 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %568 = "stablehlo.broadcast_in_dim"(%567) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48x24xf32>
    %569 = "stablehlo.multiply"(%568, %566) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %570 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %571 = "stablehlo.broadcast_in_dim"(%570) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48x24xf32>
    %572 = "stablehlo.multiply"(%571, %arg62) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %573 = "stablehlo.add"(%569, %572) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %574 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %575 = "stablehlo.compare"(%arg36, %574) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %576 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %577 = "stablehlo.add"(%arg36, %576) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %578 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %579 = "func.call"(%575, %577, %578) <{callee = @_where}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %580 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %581 = "stablehlo.convert"(%579) : (tensor<i32>) -> tensor<f32>
    %582 = "stablehlo.power"(%580, %581) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %583 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %584 = "stablehlo.subtract"(%583, %582) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %585 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %586 = "stablehlo.divide"(%385, %585) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %587 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %588 = "stablehlo.divide"(%392, %587) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %589 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %590 = "stablehlo.divide"(%399, %589) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %591 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x24xf32>
    %592 = "stablehlo.divide"(%406, %591) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %593 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %594 = "stablehlo.divide"(%413, %593) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %595 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %596 = "stablehlo.divide"(%420, %595) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %597 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %598 = "stablehlo.divide"(%427, %597) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %599 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x24xf32>
    %600 = "stablehlo.divide"(%434, %599) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %601 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x3x24xf32>
    %602 = "stablehlo.divide"(%441, %601) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %603 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x17x24xf32>
    %604 = "stablehlo.divide"(%448, %603) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %605 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x72xf32>
    %606 = "stablehlo.divide"(%455, %605) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %607 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x48xf32>
    %608 = "stablehlo.divide"(%462, %607) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %609 = "stablehlo.broadcast_in_dim"(%584) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48x24xf32>
    %610 = "stablehlo.divide"(%469, %609) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %611 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %612 = "stablehlo.convert"(%579) : (tensor<i32>) -> tensor<f32>
    %613 = "stablehlo.power"(%611, %612) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %614 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %615 = "stablehlo.subtract"(%614, %613) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %616 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %617 = "stablehlo.divide"(%477, %616) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %618 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %619 = "stablehlo.divide"(%485, %618) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %620 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %621 = "stablehlo.divide"(%493, %620) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %622 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x24xf32>
    %623 = "stablehlo.divide"(%501, %622) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %624 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %625 = "stablehlo.divide"(%509, %624) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %626 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %627 = "stablehlo.divide"(%517, %626) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %628 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %629 = "stablehlo.divide"(%525, %628) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %630 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x24xf32>
    %631 = "stablehlo.divide"(%533, %630) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %632 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x3x24xf32>
    %633 = "stablehlo.divide"(%541, %632) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %634 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x17x24xf32>
    %635 = "stablehlo.divide"(%549, %634) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %636 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x72xf32>
    %637 = "stablehlo.divide"(%557, %636) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %638 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x48xf32>
    %639 = "stablehlo.divide"(%565, %638) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %640 = "stablehlo.broadcast_in_dim"(%615) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48x24xf32>
    %641 = "stablehlo.divide"(%573, %640) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %642 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %643 = "stablehlo.broadcast_in_dim"(%642) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %644 = "stablehlo.add"(%617, %643) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %645 = "stablehlo.sqrt"(%644) : (tensor<24xf32>) -> tensor<24xf32>
    %646 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %647 = "stablehlo.broadcast_in_dim"(%646) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %648 = "stablehlo.add"(%645, %647) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %649 = "stablehlo.divide"(%586, %648) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %650 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %651 = "stablehlo.broadcast_in_dim"(%650) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %652 = "stablehlo.add"(%619, %651) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %653 = "stablehlo.sqrt"(%652) : (tensor<24xf32>) -> tensor<24xf32>
    %654 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %655 = "stablehlo.broadcast_in_dim"(%654) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %656 = "stablehlo.add"(%653, %655) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %657 = "stablehlo.divide"(%588, %656) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %658 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %659 = "stablehlo.broadcast_in_dim"(%658) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %660 = "stablehlo.add"(%621, %659) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %661 = "stablehlo.sqrt"(%660) : (tensor<48xf32>) -> tensor<48xf32>
    %662 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %663 = "stablehlo.broadcast_in_dim"(%662) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %664 = "stablehlo.add"(%661, %663) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %665 = "stablehlo.divide"(%590, %664) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %666 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %667 = "stablehlo.broadcast_in_dim"(%666) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x24xf32>
    %668 = "stablehlo.add"(%623, %667) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %669 = "stablehlo.sqrt"(%668) : (tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %670 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %671 = "stablehlo.broadcast_in_dim"(%670) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x24xf32>
    %672 = "stablehlo.add"(%669, %671) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %673 = "stablehlo.divide"(%592, %672) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %674 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %675 = "stablehlo.broadcast_in_dim"(%674) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %676 = "stablehlo.add"(%625, %675) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %677 = "stablehlo.sqrt"(%676) : (tensor<24xf32>) -> tensor<24xf32>
    %678 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %679 = "stablehlo.broadcast_in_dim"(%678) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %680 = "stablehlo.add"(%677, %679) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %681 = "stablehlo.divide"(%594, %680) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %682 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %683 = "stablehlo.broadcast_in_dim"(%682) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %684 = "stablehlo.add"(%627, %683) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %685 = "stablehlo.sqrt"(%684) : (tensor<24xf32>) -> tensor<24xf32>
    %686 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %687 = "stablehlo.broadcast_in_dim"(%686) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %688 = "stablehlo.add"(%685, %687) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %689 = "stablehlo.divide"(%596, %688) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %690 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %691 = "stablehlo.broadcast_in_dim"(%690) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %692 = "stablehlo.add"(%629, %691) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %693 = "stablehlo.sqrt"(%692) : (tensor<24x10xf32>) -> tensor<24x10xf32>
    %694 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %695 = "stablehlo.broadcast_in_dim"(%694) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %696 = "stablehlo.add"(%693, %695) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %697 = "stablehlo.divide"(%598, %696) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %698 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %699 = "stablehlo.broadcast_in_dim"(%698) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x24xf32>
    %700 = "stablehlo.add"(%631, %699) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %701 = "stablehlo.sqrt"(%700) : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %702 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %703 = "stablehlo.broadcast_in_dim"(%702) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x24xf32>
    %704 = "stablehlo.add"(%701, %703) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %705 = "stablehlo.divide"(%600, %704) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %706 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %707 = "stablehlo.broadcast_in_dim"(%706) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x3x24xf32>
    %708 = "stablehlo.add"(%633, %707) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %709 = "stablehlo.sqrt"(%708) : (tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %710 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %711 = "stablehlo.broadcast_in_dim"(%710) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x3x24xf32>
    %712 = "stablehlo.add"(%709, %711) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %713 = "stablehlo.divide"(%602, %712) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %714 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %715 = "stablehlo.broadcast_in_dim"(%714) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x17x24xf32>
    %716 = "stablehlo.add"(%635, %715) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %717 = "stablehlo.sqrt"(%716) : (tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %718 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %719 = "stablehlo.broadcast_in_dim"(%718) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x17x24xf32>
    %720 = "stablehlo.add"(%717, %719) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %721 = "stablehlo.divide"(%604, %720) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %722 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %723 = "stablehlo.broadcast_in_dim"(%722) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x72xf32>
    %724 = "stablehlo.add"(%637, %723) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %725 = "stablehlo.sqrt"(%724) : (tensor<24x72xf32>) -> tensor<24x72xf32>
    %726 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %727 = "stablehlo.broadcast_in_dim"(%726) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x72xf32>
    %728 = "stablehlo.add"(%725, %727) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %729 = "stablehlo.divide"(%606, %728) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %730 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %731 = "stablehlo.broadcast_in_dim"(%730) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x48xf32>
    %732 = "stablehlo.add"(%639, %731) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %733 = "stablehlo.sqrt"(%732) : (tensor<24x48xf32>) -> tensor<24x48xf32>
    %734 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %735 = "stablehlo.broadcast_in_dim"(%734) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x48xf32>
    %736 = "stablehlo.add"(%733, %735) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %737 = "stablehlo.divide"(%608, %736) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %738 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %739 = "stablehlo.broadcast_in_dim"(%738) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48x24xf32>
    %740 = "stablehlo.add"(%641, %739) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %741 = "stablehlo.sqrt"(%740) : (tensor<48x24xf32>) -> tensor<48x24xf32>
    %742 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %743 = "stablehlo.broadcast_in_dim"(%742) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48x24xf32>
    %744 = "stablehlo.add"(%741, %743) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %745 = "stablehlo.divide"(%610, %744) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %746 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %747 = "stablehlo.broadcast_in_dim"(%746) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %748 = "stablehlo.multiply"(%747, %arg23) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %749 = "stablehlo.add"(%649, %748) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %750 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %751 = "stablehlo.broadcast_in_dim"(%750) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %752 = "stablehlo.multiply"(%751, %arg24) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %753 = "stablehlo.add"(%657, %752) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %754 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %755 = "stablehlo.broadcast_in_dim"(%754) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %756 = "stablehlo.multiply"(%755, %arg25) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %757 = "stablehlo.add"(%665, %756) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %758 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %759 = "stablehlo.broadcast_in_dim"(%758) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x24xf32>
    %760 = "stablehlo.multiply"(%759, %arg26) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %761 = "stablehlo.add"(%673, %760) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %762 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %763 = "stablehlo.broadcast_in_dim"(%762) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %764 = "stablehlo.multiply"(%763, %arg27) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %765 = "stablehlo.add"(%681, %764) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %766 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %767 = "stablehlo.broadcast_in_dim"(%766) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %768 = "stablehlo.multiply"(%767, %arg28) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %769 = "stablehlo.add"(%689, %768) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %770 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %771 = "stablehlo.broadcast_in_dim"(%770) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %772 = "stablehlo.multiply"(%771, %arg29) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %773 = "stablehlo.add"(%697, %772) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %774 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %775 = "stablehlo.broadcast_in_dim"(%774) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x24xf32>
    %776 = "stablehlo.multiply"(%775, %arg30) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %777 = "stablehlo.add"(%705, %776) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %778 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %779 = "stablehlo.broadcast_in_dim"(%778) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x3x24xf32>
    %780 = "stablehlo.multiply"(%779, %arg31) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %781 = "stablehlo.add"(%713, %780) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %782 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %783 = "stablehlo.broadcast_in_dim"(%782) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x17x24xf32>
    %784 = "stablehlo.multiply"(%783, %arg32) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %785 = "stablehlo.add"(%721, %784) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %786 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %787 = "stablehlo.broadcast_in_dim"(%786) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x72xf32>
    %788 = "stablehlo.multiply"(%787, %arg33) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %789 = "stablehlo.add"(%729, %788) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %790 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %791 = "stablehlo.broadcast_in_dim"(%790) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x48xf32>
    %792 = "stablehlo.multiply"(%791, %arg34) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %793 = "stablehlo.add"(%737, %792) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %794 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
    %795 = "stablehlo.broadcast_in_dim"(%794) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48x24xf32>
    %796 = "stablehlo.multiply"(%795, %arg35) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %797 = "stablehlo.add"(%745, %796) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %798 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %799 = "stablehlo.broadcast_in_dim"(%798) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %800 = "stablehlo.multiply"(%799, %749) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %801 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %802 = "stablehlo.broadcast_in_dim"(%801) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %803 = "stablehlo.multiply"(%802, %753) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %804 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %805 = "stablehlo.broadcast_in_dim"(%804) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48xf32>
    %806 = "stablehlo.multiply"(%805, %757) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %807 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %808 = "stablehlo.broadcast_in_dim"(%807) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x24xf32>
    %809 = "stablehlo.multiply"(%808, %761) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %810 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %811 = "stablehlo.broadcast_in_dim"(%810) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %812 = "stablehlo.multiply"(%811, %765) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %813 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %814 = "stablehlo.broadcast_in_dim"(%813) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %815 = "stablehlo.multiply"(%814, %769) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %816 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %817 = "stablehlo.broadcast_in_dim"(%816) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x10xf32>
    %818 = "stablehlo.multiply"(%817, %773) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %819 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %820 = "stablehlo.broadcast_in_dim"(%819) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x24xf32>
    %821 = "stablehlo.multiply"(%820, %777) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %822 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %823 = "stablehlo.broadcast_in_dim"(%822) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x3x24xf32>
    %824 = "stablehlo.multiply"(%823, %781) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %825 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %826 = "stablehlo.broadcast_in_dim"(%825) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x17x24xf32>
    %827 = "stablehlo.multiply"(%826, %785) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %828 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %829 = "stablehlo.broadcast_in_dim"(%828) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x72xf32>
    %830 = "stablehlo.multiply"(%829, %789) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %831 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %832 = "stablehlo.broadcast_in_dim"(%831) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x48xf32>
    %833 = "stablehlo.multiply"(%832, %793) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %834 = "stablehlo.constant"() <{value = dense<-0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %835 = "stablehlo.broadcast_in_dim"(%834) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<48x24xf32>
    %836 = "stablehlo.multiply"(%835, %797) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    %837 = "stablehlo.add"(%arg23, %800) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %838 = "stablehlo.add"(%arg24, %803) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %839 = "stablehlo.add"(%arg25, %806) : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
    %840 = "stablehlo.add"(%arg26, %809) : (tensor<1x1x24xf32>, tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %841 = "stablehlo.add"(%arg27, %812) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %842 = "stablehlo.add"(%arg28, %815) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %843 = "stablehlo.add"(%arg29, %818) : (tensor<24x10xf32>, tensor<24x10xf32>) -> tensor<24x10xf32>
    %844 = "stablehlo.add"(%arg30, %821) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %845 = "stablehlo.add"(%arg31, %824) : (tensor<4x4x3x24xf32>, tensor<4x4x3x24xf32>) -> tensor<4x4x3x24xf32>
    %846 = "stablehlo.add"(%arg32, %827) : (tensor<1x17x24xf32>, tensor<1x17x24xf32>) -> tensor<1x17x24xf32>
    %847 = "stablehlo.add"(%arg33, %830) : (tensor<24x72xf32>, tensor<24x72xf32>) -> tensor<24x72xf32>
    %848 = "stablehlo.add"(%arg34, %833) : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32>
    %849 = "stablehlo.add"(%arg35, %836) : (tensor<48x24xf32>, tensor<48x24xf32>) -> tensor<48x24xf32>
    "func.return"(%198, %837, %838, %839, %840, %841, %842, %843, %844, %845, %846, %847, %848, %849, %579, %385, %392, %399, %406, %413, %420, %427, %434, %441, %448, %455, %462, %469, %477, %485, %493, %501, %509, %517, %525, %533, %541, %549, %557, %565, %573) : (tensor<f32>, tensor<24xf32>, tensor<24xf32>, tensor<48xf32>, tensor<1x1x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<24x24xf32>, tensor<4x4x3x24xf32>, tensor<1x17x24xf32>, tensor<24x72xf32>, tensor<24x48xf32>, tensor<48x24xf32>, tensor<i32>, tensor<24xf32>, tensor<24xf32>, tensor<48xf32>, tensor<1x1x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<24x24xf32>, tensor<4x4x3x24xf32>, tensor<1x17x24xf32>, tensor<24x72xf32>, tensor<24x48xf32>, tensor<48x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<48xf32>, tensor<1x1x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<24x24xf32>, tensor<4x4x3x24xf32>, tensor<1x17x24xf32>, tensor<24x72xf32>, tensor<24x48xf32>, tensor<48x24xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>), res_attrs = [{}, {}, {}], sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<4x10xf32>):
    %40 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %41 = "stablehlo.reduce"(%arg18, %40) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg21: tensor<f32>, %arg22: tensor<f32>):
      %56 = "stablehlo.maximum"(%arg21, %arg22) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%56) : (tensor<f32>) -> ()
    }) : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %42 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %43 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %44 = "stablehlo.maximum"(%43, %41) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %45 = "stablehlo.broadcast_in_dim"(%44) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x1xf32>
    %46 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %47 = "stablehlo.subtract"(%arg18, %46) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    %48 = "stablehlo.exponential"(%47) : (tensor<4x10xf32>) -> tensor<4x10xf32>
    %49 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %50 = "stablehlo.reduce"(%48, %49) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg19: tensor<f32>, %arg20: tensor<f32>):
      %55 = "stablehlo.add"(%arg19, %arg20) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%55) : (tensor<f32>) -> ()
    }) : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %51 = "stablehlo.broadcast_in_dim"(%50) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x1xf32>
    %52 = "stablehlo.log"(%51) : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %53 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %54 = "stablehlo.subtract"(%47, %53) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    "func.return"(%54, %48, %51) : (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x10xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>), res_attrs = [{}, {}], sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<4x10xf32>, %arg15: tensor<4x1xi32>):
    %17 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %19 = "stablehlo.compare"(%arg15, %18) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %20 = "stablehlo.constant"() <{value = dense<10> : tensor<i32>}> : () -> tensor<i32>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %22 = "stablehlo.add"(%arg15, %21) : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %23 = "stablehlo.select"(%19, %22, %arg15) : (tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %24 = "stablehlo.reshape"(%23) : (tensor<4x1xi32>) -> tensor<4x1x1xi32>
    %25 = "stablehlo.constant"() <{value = dense<9> : tensor<1xi32>}> : () -> tensor<1xi32>
    %26 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1x1xi32>
    %28 = "stablehlo.compare"(%24, %27) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %29 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>) -> tensor<4x1x1xi32>
    %31 = "stablehlo.compare"(%24, %30) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %32 = "stablehlo.and"(%28, %31) : (tensor<4x1x1xi1>, tensor<4x1x1xi1>) -> tensor<4x1x1xi1>
    %33 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %34 = "stablehlo.reduce"(%32, %33) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg16: tensor<i1>, %arg17: tensor<i1>):
      %39 = "stablehlo.and"(%arg16, %arg17) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%39) : (tensor<i1>) -> ()
    }) : (tensor<4x1x1xi1>, tensor<i1>) -> tensor<4x1xi1>
    %35 = "stablehlo.gather"(%arg14, %24) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x10xf32>, tensor<4x1x1xi32>) -> tensor<4x1xf32>
    %36 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1xf32>
    %38 = "stablehlo.select"(%34, %35, %37) : (tensor<4x1xi1>, tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    "func.return"(%38, %24) : (tensor<4x1xf32>, tensor<4x1x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>, res_attrs = [{}], sym_name = "take_along_axis_0", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<4x1x1xi32>, %arg11: tensor<4x1xf32>):
    %13 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x10xf32>
    %15 = "stablehlo.scatter"(%14, %arg10, %arg11) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %16 = "stablehlo.add"(%arg12, %arg13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%16) : (tensor<f32>) -> ()
    }) : (tensor<4x10xf32>, tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    "func.return"(%15) : (tensor<4x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x10xf32>, tensor<4x1xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>, res_attrs = [{}], sym_name = "log_softmax_1", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<4x10xf32>, %arg4: tensor<4x1xf32>, %arg5: tensor<4x10xf32>):
    %1 = "stablehlo.negate"(%arg5) : (tensor<4x10xf32>) -> tensor<4x10xf32>
    %2 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.reduce"(%1, %2) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %12 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%12) : (tensor<f32>) -> ()
    }) : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = "stablehlo.reshape"(%3) : (tensor<4xf32>) -> tensor<4x1xf32>
    %5 = "stablehlo.divide"(%4, %arg4) : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %6 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%5, %6) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %11 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%11) : (tensor<f32>) -> ()
    }) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x10xf32>
    %9 = "stablehlo.multiply"(%8, %arg3) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    %10 = "stablehlo.add"(%arg5, %9) : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    "func.return"(%10) : (tensor<4x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>):
    %0 = "stablehlo.select"(%arg0, %arg1, %arg2) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%0) : (tensor<i32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
