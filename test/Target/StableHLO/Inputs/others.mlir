"builtin.module"() <{sym_name = "others"}> ({
  "func.func"() <{arg_attrs = [{tf.aliasing_output = 0 : i32}, {}, {}], function_type = (tensor<4x6xf32>, tensor<4x6xi32>, tensor<i1>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi32>), sym_name = "main"}> ({
  ^bb0(%a0: tensor<4x6xf32>, %a1: tensor<4x6xi32>, %a2: tensor<i1>):
    %0 = "stablehlo.round_nearest_afz"(%a0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %1 = "stablehlo.logistic"(%0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %2 = "chlo.tan"(%1) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %3 = "stablehlo.custom_call"(%2) {call_target_name = "Sharding"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %4 = "stablehlo.composite"(%3) {decomposition = @half, name = "my.half"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %5 = "chlo.is_inf"(%a0) : (tensor<4x6xf32>) -> tensor<4x6xi1>
    %6 = "stablehlo.not"(%5) : (tensor<4x6xi1>) -> tensor<4x6xi1>
    %7 = "stablehlo.if"(%a2) ({
      %9 = "stablehlo.convert"(%6) : (tensor<4x6xi1>) -> tensor<4x6xf32>
      "stablehlo.return"(%9) : (tensor<4x6xf32>) -> ()
    }, {
      "stablehlo.return"(%a0) : (tensor<4x6xf32>) -> ()
    }) : (tensor<i1>) -> tensor<4x6xf32>
    %c = "stablehlo.constant"() {value = dense<1> : tensor<4x6xi32>} : () -> tensor<4x6xi32>
    %8 = "stablehlo.shift_right_arithmetic"(%a1, %c) : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
    %t = "stablehlo.transpose"(%4) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %u = "stablehlo.transpose"(%t) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
    "func.return"(%u, %7, %8) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x6xf32>) -> tensor<4x6xf32>, sym_name = "half", sym_visibility = "private"}> ({
  ^bb0(%a0: tensor<4x6xf32>):
    %0 = "stablehlo.tanh"(%a0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    "func.return"(%0) : (tensor<4x6xf32>) -> ()
  }) : () -> ()
}) : () -> ()
