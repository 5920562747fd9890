"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}], function_type = (tensor<1024x8192xf32>, tensor<8192x8192xf32>, tensor<8192x1024xf32>, tensor<256x1024xf32>, tensor<256xi32>) -> (tensor<f32>, tensor<1024x8192xf32>, tensor<8192x8192xf32>, tensor<8192x1024xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['a']"}, {jax.result_info = "result[1]['b']"}, {jax.result_info = "result[1]['c']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg20: tensor<1024x8192xf32>, %arg21: tensor<8192x8192xf32>, %arg22: tensor<8192x1024xf32>, %arg23: tensor<256x1024xf32>, %arg24: tensor<256xi32>):
    %56 = "stablehlo.dot_general"(%arg23, %arg20) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<256x1024xf32>, tensor<1024x8192xf32>) -> tensor<256x8192xf32>
    %57 = "func.call"(%56) <{callee = @relu}> : (tensor<256x8192xf32>) -> tensor<256x8192xf32>
    %58 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %59 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x8192xf32>
    %60 = "stablehlo.compare"(%56, %59) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<256x8192xf32>, tensor<256x8192xf32>) -> tensor<256x8192xi1>
    %61 = "stablehlo.dot_general"(%57, %arg21) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<256x8192xf32>, tensor<8192x8192xf32>) -> tensor<256x8192xf32>
    %62 = "func.call"(%61) <{callee = @relu}> : (tensor<256x8192xf32>) -> tensor<256x8192xf32>
    %63 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x8192xf32>
    %65 = "stablehlo.compare"(%61, %64) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<256x8192xf32>, tensor<256x8192xf32>) -> tensor<256x8192xi1>
    %66 = "stablehlo.dot_general"(%62, %arg22) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<256x8192xf32>, tensor<8192x1024xf32>) -> tensor<256x1024xf32>
    %67 = "stablehlo.broadcast_in_dim"(%arg24) <{broadcast_dimensions = array<i64: 0>}> : (tensor<256xi32>) -> tensor<256x1xi32>
    %68:2 = "func.call"(%66, %67) <{callee = @take_along_axis}> : (tensor<256x1024xf32>, tensor<256x1xi32>) -> (tensor<256x1xf32>, tensor<256x1x1xi32>)
    %69 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %70:2 = "func.call"(%68#0, %69) <{callee = @_take}> : (tensor<256x1xf32>, tensor<i32>) -> (tensor<256xf32>, tensor<1xi32>)
    %71 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %72 = "stablehlo.reduce"(%66, %71) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg35: tensor<f32>, %arg36: tensor<f32>):
      %191 = "stablehlo.maximum"(%arg35, %arg36) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%191) : (tensor<f32>) -> ()
    }) : (tensor<256x1024xf32>, tensor<f32>) -> tensor<256xf32>
    %73 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %74 = "stablehlo.broadcast_in_dim"(%73) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256xf32>
    %75 = "stablehlo.maximum"(%74, %72) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %76 = "stablehlo.is_finite"(%75) : (tensor<256xf32>) -> tensor<256xi1>
    %77 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256xf32>
    %79 = "stablehlo.select"(%76, %75, %78) : (tensor<256xi1>, tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %80 = "stablehlo.broadcast_in_dim"(%79) <{broadcast_dimensions = array<i64: 0>}> : (tensor<256xf32>) -> tensor<256x1xf32>
    %81 = "stablehlo.broadcast_in_dim"(%80) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<256x1xf32>) -> tensor<256x1024xf32>
    %82 = "stablehlo.subtract"(%66, %81) : (tensor<256x1024xf32>, tensor<256x1024xf32>) -> tensor<256x1024xf32>
    %83 = "stablehlo.exponential"(%82) : (tensor<256x1024xf32>) -> tensor<256x1024xf32>
    %84 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %85 = "stablehlo.reduce"(%83, %84) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg33: tensor<f32>, %arg34: tensor<f32>):
      %190 = "stablehlo.add"(%arg33, %arg34) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%190) : (tensor<f32>) -> ()
    }) : (tensor<256x1024xf32>, tensor<f32>) -> tensor<256xf32>
    %86 = "stablehlo.abs"(%85) : (tensor<256xf32>) -> tensor<256xf32>
    %87 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %88 = "stablehlo.broadcast_in_dim"(%87) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256xf32>
    %89 = "stablehlo.compare"(%85, %88) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xi1>
    %90 = "stablehlo.log"(%86) : (tensor<256xf32>) -> tensor<256xf32>
    %91 = "stablehlo.add"(%90, %79) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %92 = "stablehlo.subtract"(%91, %70#0) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %93 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %94 = "stablehlo.reduce"(%92, %93) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg31: tensor<f32>, %arg32: tensor<f32>):
      %189 = "stablehlo.add"(%arg31, %arg32) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%189) : (tensor<f32>) -> ()
    }) : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
    %95 = "stablehlo.constant"() <{value = dense<2.560000e+02> : tensor<f32>}> : () -> tensor<f32>
    %96 = "stablehlo.divide"(%94, %95) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %97 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %98 = "stablehlo.constant"() <{value = dense<2.560000e+02> : tensor<f32>}> : () -> tensor<f32>
    %99 = "stablehlo.divide"(%97, %98) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %100 = "stablehlo.broadcast_in_dim"(%99) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256xf32>
    %101 = "stablehlo.negate"(%100) : (tensor<256xf32>) -> tensor<256xf32>
    %102 = "stablehlo.divide"(%100, %86) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %103 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %104 = "stablehlo.broadcast_in_dim"(%103) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256xf32>
    %105 = "stablehlo.select"(%89, %104, %102) : (tensor<256xi1>, tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %106 = "stablehlo.select"(%89, %102, %104) : (tensor<256xi1>, tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %107 = "stablehlo.negate"(%105) : (tensor<256xf32>) -> tensor<256xf32>
    %108 = "stablehlo.add"(%106, %107) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %109 = "stablehlo.broadcast_in_dim"(%108) <{broadcast_dimensions = array<i64: 0>}> : (tensor<256xf32>) -> tensor<256x1024xf32>
    %110 = "stablehlo.multiply"(%109, %83) : (tensor<256x1024xf32>, tensor<256x1024xf32>) -> tensor<256x1024xf32>
    %111 = "func.call"(%70#1, %101) <{callee = @_take_0}> : (tensor<1xi32>, tensor<256xf32>) -> tensor<256x1xf32>
    %112 = "func.call"(%68#1, %111) <{callee = @take_along_axis_1}> : (tensor<256x1x1xi32>, tensor<256x1xf32>) -> tensor<256x1024xf32>
    %113 = "stablehlo.add"(%110, %112) : (tensor<256x1024xf32>, tensor<256x1024xf32>) -> tensor<256x1024xf32>
    %114 = "stablehlo.dot_general"(%113, %62) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<256x1024xf32>, tensor<256x8192xf32>) -> tensor<1024x8192xf32>
    %115 = "stablehlo.transpose"(%114) <{permutation = array<i64: 1, 0>}> : (tensor<1024x8192xf32>) -> tensor<8192x1024xf32>
    %116 = "stablehlo.dot_general"(%113, %arg22) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<256x1024xf32>, tensor<8192x1024xf32>) -> tensor<256x8192xf32>
    %117 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %118 = "stablehlo.broadcast_in_dim"(%117) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x8192xf32>
    %119 = "stablehlo.select"(%65, %116, %118) : (tensor<256x8192xi1>, tensor<256x8192xf32>, tensor<256x8192xf32>) -> tensor<256x8192xf32>
    %120 = "stablehlo.dot_general"(%119, %57) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<256x8192xf32>, tensor<256x8192xf32>) -> tensor<8192x8192xf32>
    %121 = "stablehlo.transpose"(%120) <{permutation = array<i64: 1, 0>}> : (tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %122 = "stablehlo.dot_general"(%119, %arg21) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<256x8192xf32>, tensor<8192x8192xf32>) -> tensor<256x8192xf32>
    %123 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %124 = "stablehlo.broadcast_in_dim"(%123) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x8192xf32>
    %125 = "stablehlo.select"(%60, %122, %124) : (tensor<256x8192xi1>, tensor<256x8192xf32>, tensor<256x8192xf32>) -> tensor<256x8192xf32>
    %126 = "stablehlo.dot_general"(%125, %arg23) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<256x8192xf32>, tensor<256x1024xf32>) -> tensor<8192x1024xf32>
    %127 = "stablehlo.transpose"(%126) <{permutation = array<i64: 1, 0>}> : (tensor<8192x1024xf32>) -> tensor<1024x8192xf32>
    %128 = "chlo.square"(%127) : (tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
    %129 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %130 = "stablehlo.broadcast_in_dim"(%129) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1024x8192xf32>
    %131 = "chlo.square"(%130) : (tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
    %132 = "stablehlo.add"(%128, %131) : (tensor<1024x8192xf32>, tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
    %133 = "chlo.square"(%121) : (tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %134 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %135 = "stablehlo.broadcast_in_dim"(%134) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8192x8192xf32>
    %136 = "chlo.square"(%135) : (tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %137 = "stablehlo.add"(%133, %136) : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %138 = "chlo.square"(%115) : (tensor<8192x1024xf32>) -> tensor<8192x1024xf32>
    %139 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %140 = "stablehlo.broadcast_in_dim"(%139) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8192x1024xf32>
    %141 = "chlo.square"(%140) : (tensor<8192x1024xf32>) -> tensor<8192x1024xf32>
    %142 = "stablehlo.add"(%138, %141) : (tensor<8192x1024xf32>, tensor<8192x1024xf32>) -> tensor<8192x1024xf32>
    %143 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %144 = "stablehlo.reduce"(%132, %143) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
      %188 = "stablehlo.add"(%arg29, %arg30) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%188) : (tensor<f32>) -> ()
    }) : (tensor<1024x8192xf32>, tensor<f32>) -> tensor<f32>
    %145 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %146 = "stablehlo.reduce"(%137, %145) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg27: tensor<f32>, %arg28: tensor<f32>):
      %187 = "stablehlo.add"(%arg27, %arg28) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%187) : (tensor<f32>) -> ()
    }) : (tensor<8192x8192xf32>, tensor<f32>) -> tensor<f32>
    %147 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %148 = "stablehlo.reduce"(%142, %147) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %186 = "stablehlo.add"(%arg25, %arg26) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%186) : (tensor<f32>) -> ()
    }) : (tensor<8192x1024xf32>, tensor<f32>) -> tensor<f32>
    %149 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %150 = "stablehlo.add"(%149, %144) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %151 = "stablehlo.add"(%150, %146) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %152 = "stablehlo.add"(%151, %148) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %153 = "stablehlo.sqrt"(%152) : (tensor<f32>) -> tensor<f32>
    %154 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %155 = "stablehlo.compare"(%153, %154) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %156 = "stablehlo.broadcast_in_dim"(%153) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1024x8192xf32>
    %157 = "stablehlo.divide"(%127, %156) : (tensor<1024x8192xf32>, tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
    %158 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %159 = "stablehlo.broadcast_in_dim"(%158) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1024x8192xf32>
    %160 = "stablehlo.multiply"(%157, %159) : (tensor<1024x8192xf32>, tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
    %161 = "stablehlo.select"(%155, %127, %160) : (tensor<i1>, tensor<1024x8192xf32>, tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
    %162 = "stablehlo.broadcast_in_dim"(%153) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8192x8192xf32>
    %163 = "stablehlo.divide"(%121, %162) : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %164 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %165 = "stablehlo.broadcast_in_dim"(%164) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8192x8192xf32>
    %166 = "stablehlo.multiply"(%163, %165) : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %167 = "stablehlo.select"(%155, %121, %166) : (tensor<i1>, tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %168 = "stablehlo.broadcast_in_dim"(%153) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8192x1024xf32>
    %169 = "stablehlo.divide"(%115, %168) : (tensor<8192x1024xf32>, tensor<8192x1024xf32>) -> tensor<8192x1024xf32>
    %170 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %171 = "stablehlo.broadcast_in_dim"(%170) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8192x1024xf32>
    %172 = "stablehlo.multiply"(%169, %171) : (tensor<8192x1024xf32>, tensor<8192x1024xf32>) -> tensor<8192x1024xf32>
    %173 = "stablehlo.select"(%155, %115, %172) : (tensor<i1>, tensor<8192x1024xf32>, tensor<8192x1024xf32>) -> tensor<8192x1024xf32>
    %174 = "stablehlo.constant"() <{value = dense<-1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %175 = "stablehlo.broadcast_in_dim"(%174) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1024x8192xf32>
    %176 = "stablehlo.multiply"(%175, %161) : (tensor<1024x8192xf32>, tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
    %177 = "stablehlo.constant"() <{value = dense<-1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %178 = "stablehlo.broadcast_in_dim"(%177) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8192x8192xf32>
    %179 = "stablehlo.multiply"(%178, %167) : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %180 = "stablehlo.constant"() <{value = dense<-1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %181 = "stablehlo.broadcast_in_dim"(%180) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8192x1024xf32>
    %182 = "stablehlo.multiply"(%181, %173) : (tensor<8192x1024xf32>, tensor<8192x1024xf32>) -> tensor<8192x1024xf32>
    %183 = "stablehlo.add"(%arg20, %176) : (tensor<1024x8192xf32>, tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
    %184 = "stablehlo.add"(%arg21, %179) : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %185 = "stablehlo.add"(%arg22, %182) : (tensor<8192x1024xf32>, tensor<8192x1024xf32>) -> tensor<8192x1024xf32>
    "func.return"(%96, %183, %184, %185) : (tensor<f32>, tensor<1024x8192xf32>, tensor<8192x8192xf32>, tensor<8192x1024xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<256x8192xf32>) -> tensor<256x8192xf32>, res_attrs = [{}], sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg19: tensor<256x8192xf32>):
    %53 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %54 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x8192xf32>
    %55 = "stablehlo.maximum"(%arg19, %54) : (tensor<256x8192xf32>, tensor<256x8192xf32>) -> tensor<256x8192xf32>
    "func.return"(%55) : (tensor<256x8192xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<256x1024xf32>, tensor<256x1xi32>) -> (tensor<256x1xf32>, tensor<256x1x1xi32>), res_attrs = [{}, {}], sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<256x1024xf32>, %arg16: tensor<256x1xi32>):
    %30 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<256x1xi32>
    %32 = "stablehlo.compare"(%arg16, %31) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<256x1xi32>, tensor<256x1xi32>) -> tensor<256x1xi1>
    %33 = "stablehlo.constant"() <{value = dense<1024> : tensor<i32>}> : () -> tensor<i32>
    %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<256x1xi32>
    %35 = "stablehlo.add"(%arg16, %34) : (tensor<256x1xi32>, tensor<256x1xi32>) -> tensor<256x1xi32>
    %36 = "stablehlo.select"(%32, %35, %arg16) : (tensor<256x1xi1>, tensor<256x1xi32>, tensor<256x1xi32>) -> tensor<256x1xi32>
    %37 = "stablehlo.reshape"(%36) : (tensor<256x1xi32>) -> tensor<256x1x1xi32>
    %38 = "stablehlo.constant"() <{value = dense<1023> : tensor<1xi32>}> : () -> tensor<1xi32>
    %39 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<256x1x1xi32>
    %41 = "stablehlo.compare"(%37, %40) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<256x1x1xi32>, tensor<256x1x1xi32>) -> tensor<256x1x1xi1>
    %42 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %43 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>) -> tensor<256x1x1xi32>
    %44 = "stablehlo.compare"(%37, %43) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<256x1x1xi32>, tensor<256x1x1xi32>) -> tensor<256x1x1xi1>
    %45 = "stablehlo.and"(%41, %44) : (tensor<256x1x1xi1>, tensor<256x1x1xi1>) -> tensor<256x1x1xi1>
    %46 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %47 = "stablehlo.reduce"(%45, %46) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg17: tensor<i1>, %arg18: tensor<i1>):
      %52 = "stablehlo.and"(%arg17, %arg18) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%52) : (tensor<i1>) -> ()
    }) : (tensor<256x1x1xi1>, tensor<i1>) -> tensor<256x1xi1>
    %48 = "stablehlo.gather"(%arg15, %37) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<256x1024xf32>, tensor<256x1x1xi32>) -> tensor<256x1xf32>
    %49 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x1xf32>
    %51 = "stablehlo.select"(%47, %48, %50) : (tensor<256x1xi1>, tensor<256x1xf32>, tensor<256x1xf32>) -> tensor<256x1xf32>
    "func.return"(%51, %37) : (tensor<256x1xf32>, tensor<256x1x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<256x1xf32>, tensor<i32>) -> (tensor<256xf32>, tensor<1xi32>), res_attrs = [{}, {}], sym_name = "_take", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<256x1xf32>, %arg12: tensor<i32>):
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
    %24 = "stablehlo.gather"(%arg11, %16) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 256, 1>}> : (tensor<256x1xf32>, tensor<1xi32>) -> tensor<256xf32>
    %25 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<256xi1>
    %26 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256xf32>
    %28 = "stablehlo.select"(%25, %24, %27) : (tensor<256xi1>, tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    "func.return"(%28, %14) : (tensor<256xf32>, tensor<1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<i1>, %arg9: tensor<i32>, %arg10: tensor<i32>):
    %8 = "stablehlo.select"(%arg8, %arg9, %arg10) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%8) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<1xi32>, tensor<256xf32>) -> tensor<256x1xf32>, res_attrs = [{}], sym_name = "_take_0", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<1xi32>, %arg5: tensor<256xf32>):
    %4 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x1xf32>
    %6 = "stablehlo.scatter"(%5, %arg4, %arg5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = false}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %7 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%7) : (tensor<f32>) -> ()
    }) : (tensor<256x1xf32>, tensor<1xi32>, tensor<256xf32>) -> tensor<256x1xf32>
    "func.return"(%6) : (tensor<256x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<256x1x1xi32>, tensor<256x1xf32>) -> tensor<256x1024xf32>, res_attrs = [{}], sym_name = "take_along_axis_1", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<256x1x1xi32>, %arg1: tensor<256x1xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x1024xf32>
    %2 = "stablehlo.scatter"(%1, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%3) : (tensor<f32>) -> ()
    }) : (tensor<256x1024xf32>, tensor<256x1x1xi32>, tensor<256x1xf32>) -> tensor<256x1024xf32>
    "func.return"(%2) : (tensor<256x1024xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
