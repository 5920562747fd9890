"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<100x32xf32>, tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>, tensor<2x16xi32>, tensor<2x16xi32>) -> (tensor<f32>, tensor<100x32xf32>, tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['emb']"}, {jax.result_info = "result[1]['layers']['n1']"}, {jax.result_info = "result[1]['layers']['n2']"}, {jax.result_info = "result[1]['layers']['w1']"}, {jax.result_info = "result[1]['layers']['w2']"}, {jax.result_info = "result[1]['layers']['w3']"}, {jax.result_info = "result[1]['layers']['wk']"}, {jax.result_info = "result[1]['layers']['wo']"}, {jax.result_info = "result[1]['layers']['wq']"}, {jax.result_info = "result[1]['layers']['wv']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg131: tensor<100x32xf32>, %arg132: tensor<3x32xf32>, %arg133: tensor<3x32xf32>, %arg134: tensor<3x32x64xf32>, %arg135: tensor<3x64x32xf32>, %arg136: tensor<3x32x64xf32>, %arg137: tensor<3x32x16xf32>, %arg138: tensor<3x32x32xf32>, %arg139: tensor<3x32x32xf32>, %arg140: tensor<3x32x16xf32>, %arg141: tensor<2x16xi32>, %arg142: tensor<2x16xi32>):
    %571 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %572 = "stablehlo.broadcast_in_dim"(%571) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x16xi32>
    %573 = "stablehlo.compare"(%arg141, %572) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x16xi32>, tensor<2x16xi32>) -> tensor<2x16xi1>
    %574 = "stablehlo.constant"() <{value = dense<100> : tensor<i32>}> : () -> tensor<i32>
    %575 = "stablehlo.broadcast_in_dim"(%574) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x16xi32>
    %576 = "stablehlo.add"(%arg141, %575) : (tensor<2x16xi32>, tensor<2x16xi32>) -> tensor<2x16xi32>
    %577 = "stablehlo.select"(%573, %576, %arg141) : (tensor<2x16xi1>, tensor<2x16xi32>, tensor<2x16xi32>) -> tensor<2x16xi32>
    %578 = "stablehlo.broadcast_in_dim"(%577) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xi32>) -> tensor<2x16x1xi32>
    %579 = "stablehlo.gather"(%arg131, %578) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<100x32xf32>, tensor<2x16x1xi32>) -> tensor<2x16x32xf32>
    %580 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16xi32>
    %581 = "stablehlo.broadcast_in_dim"(%580) <{broadcast_dimensions = array<i64: 0>}> : (tensor<16xi32>) -> tensor<16x1xi32>
    %582 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
    %583 = "stablehlo.negate"(%582) : (tensor<4xi32>) -> tensor<4xi32>
    %584 = "stablehlo.convert"(%583) : (tensor<4xi32>) -> tensor<4xf32>
    %585 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %586 = "stablehlo.broadcast_in_dim"(%585) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %587 = "stablehlo.divide"(%584, %586) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %588 = "stablehlo.constant"() <{value = dense<1.000000e+04> : tensor<f32>}> : () -> tensor<f32>
    %589 = "stablehlo.broadcast_in_dim"(%588) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %590 = "stablehlo.power"(%589, %587) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %591 = "stablehlo.broadcast_in_dim"(%590) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1x4xf32>
    %592 = "stablehlo.convert"(%581) : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %593 = "stablehlo.broadcast_in_dim"(%592) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %594 = "stablehlo.broadcast_in_dim"(%591) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %595 = "stablehlo.multiply"(%593, %594) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %596 = "stablehlo.cosine"(%595) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %597 = "stablehlo.broadcast_in_dim"(%596) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %598 = "stablehlo.sine"(%595) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %599 = "stablehlo.broadcast_in_dim"(%598) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %600 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16xi32>
    %601 = "stablehlo.broadcast_in_dim"(%600) <{broadcast_dimensions = array<i64: 0>}> : (tensor<16xi32>) -> tensor<16x1xi32>
    %602 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
    %603 = "stablehlo.negate"(%602) : (tensor<4xi32>) -> tensor<4xi32>
    %604 = "stablehlo.convert"(%603) : (tensor<4xi32>) -> tensor<4xf32>
    %605 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %606 = "stablehlo.broadcast_in_dim"(%605) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %607 = "stablehlo.divide"(%604, %606) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %608 = "stablehlo.constant"() <{value = dense<1.000000e+04> : tensor<f32>}> : () -> tensor<f32>
    %609 = "stablehlo.broadcast_in_dim"(%608) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %610 = "stablehlo.power"(%609, %607) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %611 = "stablehlo.broadcast_in_dim"(%610) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1x4xf32>
    %612 = "stablehlo.convert"(%601) : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %613 = "stablehlo.broadcast_in_dim"(%612) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %614 = "stablehlo.broadcast_in_dim"(%611) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %615 = "stablehlo.multiply"(%613, %614) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %616 = "stablehlo.cosine"(%615) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %617 = "stablehlo.broadcast_in_dim"(%616) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %618 = "stablehlo.sine"(%615) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %619 = "stablehlo.broadcast_in_dim"(%618) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %620 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %621 = "stablehlo.broadcast_in_dim"(%620) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<16x16xi1>
    %622 = "func.call"(%621) <{callee = @tril}> : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %623 = "stablehlo.constant"() <{value = dense<-1.000000e+09> : tensor<f32>}> : () -> tensor<f32>
    %624:2 = "func.call"(%622, %623) <{callee = @_where}> : (tensor<16x16xi1>, tensor<f32>) -> (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>)
    %625 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %626 = "stablehlo.broadcast_in_dim"(%625) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x2x16x32xf32>
    %627 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %628:18 = "stablehlo.while"(%arg132, %arg133, %arg134, %arg135, %arg136, %arg137, %arg138, %arg139, %arg140, %617, %619, %597, %599, %624#0, %624#1, %627, %579, %626) ({
    ^bb0(%arg207: tensor<3x32xf32>, %arg208: tensor<3x32xf32>, %arg209: tensor<3x32x64xf32>, %arg210: tensor<3x64x32xf32>, %arg211: tensor<3x32x64xf32>, %arg212: tensor<3x32x16xf32>, %arg213: tensor<3x32x32xf32>, %arg214: tensor<3x32x32xf32>, %arg215: tensor<3x32x16xf32>, %arg216: tensor<1x16x1x4xf32>, %arg217: tensor<1x16x1x4xf32>, %arg218: tensor<1x16x1x4xf32>, %arg219: tensor<1x16x1x4xf32>, %arg220: tensor<2x2x2x16x16xi1>, %arg221: tensor<2x2x2x16x16xf32>, %arg222: tensor<i32>, %arg223: tensor<2x16x32xf32>, %arg224: tensor<3x2x16x32xf32>):
      %757 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %758 = "stablehlo.compare"(%arg222, %757) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%758) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg189: tensor<3x32xf32>, %arg190: tensor<3x32xf32>, %arg191: tensor<3x32x64xf32>, %arg192: tensor<3x64x32xf32>, %arg193: tensor<3x32x64xf32>, %arg194: tensor<3x32x16xf32>, %arg195: tensor<3x32x32xf32>, %arg196: tensor<3x32x32xf32>, %arg197: tensor<3x32x16xf32>, %arg198: tensor<1x16x1x4xf32>, %arg199: tensor<1x16x1x4xf32>, %arg200: tensor<1x16x1x4xf32>, %arg201: tensor<1x16x1x4xf32>, %arg202: tensor<2x2x2x16x16xi1>, %arg203: tensor<2x2x2x16x16xf32>, %arg204: tensor<i32>, %arg205: tensor<2x16x32xf32>, %arg206: tensor<3x2x16x32xf32>):
      %744 = "func.call"(%arg189, %arg204) <{callee = @dynamic_index_in_dim}> : (tensor<3x32xf32>, tensor<i32>) -> tensor<32xf32>
      %745 = "func.call"(%arg190, %arg204) <{callee = @dynamic_index_in_dim}> : (tensor<3x32xf32>, tensor<i32>) -> tensor<32xf32>
      %746 = "func.call"(%arg191, %arg204) <{callee = @dynamic_index_in_dim_0}> : (tensor<3x32x64xf32>, tensor<i32>) -> tensor<32x64xf32>
      %747 = "func.call"(%arg192, %arg204) <{callee = @dynamic_index_in_dim_1}> : (tensor<3x64x32xf32>, tensor<i32>) -> tensor<64x32xf32>
      %748 = "func.call"(%arg193, %arg204) <{callee = @dynamic_index_in_dim_0}> : (tensor<3x32x64xf32>, tensor<i32>) -> tensor<32x64xf32>
      %749 = "func.call"(%arg194, %arg204) <{callee = @dynamic_index_in_dim_2}> : (tensor<3x32x16xf32>, tensor<i32>) -> tensor<32x16xf32>
      %750 = "func.call"(%arg195, %arg204) <{callee = @dynamic_index_in_dim_3}> : (tensor<3x32x32xf32>, tensor<i32>) -> tensor<32x32xf32>
      %751 = "func.call"(%arg196, %arg204) <{callee = @dynamic_index_in_dim_3}> : (tensor<3x32x32xf32>, tensor<i32>) -> tensor<32x32xf32>
      %752 = "func.call"(%arg197, %arg204) <{callee = @dynamic_index_in_dim_2}> : (tensor<3x32x16xf32>, tensor<i32>) -> tensor<32x16xf32>
      %753:2 = "func.call"(%arg198, %arg199, %arg200, %arg201, %arg202, %arg203, %arg205, %744, %745, %746, %747, %748, %749, %750, %751, %752) <{callee = @closed_call}> : (tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>, tensor<2x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x64xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>) -> (tensor<2x16x32xf32>, tensor<2x16x32xf32>)
      %754 = "func.call"(%arg206, %753#1, %arg204) <{callee = @dynamic_update_index_in_dim}> : (tensor<3x2x16x32xf32>, tensor<2x16x32xf32>, tensor<i32>) -> tensor<3x2x16x32xf32>
      %755 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %756 = "stablehlo.add"(%arg204, %755) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg189, %arg190, %arg191, %arg192, %arg193, %arg194, %arg195, %arg196, %arg197, %arg198, %arg199, %arg200, %arg201, %arg202, %arg203, %756, %753#0, %754) : (tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>, tensor<i32>, tensor<2x16x32xf32>, tensor<3x2x16x32xf32>) -> ()
    }) : (tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>, tensor<i32>, tensor<2x16x32xf32>, tensor<3x2x16x32xf32>) -> (tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>, tensor<i32>, tensor<2x16x32xf32>, tensor<3x2x16x32xf32>)
    %629 = "stablehlo.transpose"(%arg131) <{permutation = array<i64: 1, 0>}> : (tensor<100x32xf32>) -> tensor<32x100xf32>
    %630 = "stablehlo.dot_general"(%628#16, %629) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x100xf32>) -> tensor<2x16x100xf32>
    %631:3 = "func.call"(%630) <{callee = @log_softmax}> : (tensor<2x16x100xf32>) -> (tensor<2x16x100xf32>, tensor<2x16x100xf32>, tensor<2x16x1xf32>)
    %632 = "stablehlo.broadcast_in_dim"(%arg142) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xi32>) -> tensor<2x16x1xi32>
    %633:2 = "func.call"(%631#0, %632) <{callee = @take_along_axis}> : (tensor<2x16x100xf32>, tensor<2x16x1xi32>) -> (tensor<2x16x1xf32>, tensor<2x16x1x1xi32>)
    %634 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %635 = "stablehlo.reduce"(%633#0, %634) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg187: tensor<f32>, %arg188: tensor<f32>):
      %743 = "stablehlo.add"(%arg187, %arg188) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%743) : (tensor<f32>) -> ()
    }) : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<f32>
    %636 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %637 = "stablehlo.divide"(%635, %636) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %638 = "stablehlo.negate"(%637) : (tensor<f32>) -> tensor<f32>
    %639 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %640 = "stablehlo.negate"(%639) : (tensor<f32>) -> tensor<f32>
    %641 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %642 = "stablehlo.divide"(%640, %641) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %643 = "stablehlo.broadcast_in_dim"(%642) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %644 = "func.call"(%633#1, %643) <{callee = @take_along_axis_5}> : (tensor<2x16x1x1xi32>, tensor<2x16x1xf32>) -> tensor<2x16x100xf32>
    %645 = "func.call"(%631#1, %631#2, %644) <{callee = @log_softmax_6}> : (tensor<2x16x100xf32>, tensor<2x16x1xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    %646 = "stablehlo.dot_general"(%645, %628#16) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x100xf32>, tensor<2x16x32xf32>) -> tensor<100x32xf32>
    %647 = "stablehlo.transpose"(%646) <{permutation = array<i64: 1, 0>}> : (tensor<100x32xf32>) -> tensor<32x100xf32>
    %648 = "stablehlo.dot_general"(%645, %629) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x100xf32>, tensor<32x100xf32>) -> tensor<2x16x32xf32>
    %649 = "stablehlo.transpose"(%647) <{permutation = array<i64: 1, 0>}> : (tensor<32x100xf32>) -> tensor<100x32xf32>
    %650 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %651 = "stablehlo.broadcast_in_dim"(%650) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32xf32>
    %652 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %653 = "stablehlo.broadcast_in_dim"(%652) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32xf32>
    %654 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %655 = "stablehlo.broadcast_in_dim"(%654) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x64xf32>
    %656 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %657 = "stablehlo.broadcast_in_dim"(%656) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x64x32xf32>
    %658 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %659 = "stablehlo.broadcast_in_dim"(%658) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x64xf32>
    %660 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %661 = "stablehlo.broadcast_in_dim"(%660) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x16xf32>
    %662 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %663 = "stablehlo.broadcast_in_dim"(%662) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x32xf32>
    %664 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %665 = "stablehlo.broadcast_in_dim"(%664) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x32xf32>
    %666 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %667 = "stablehlo.broadcast_in_dim"(%666) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x16xf32>
    %668 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %669:21 = "stablehlo.while"(%628#17, %arg132, %arg133, %arg134, %arg135, %arg136, %arg137, %arg138, %arg139, %arg140, %668, %648, %651, %653, %655, %657, %659, %661, %663, %665, %667) ({
    ^bb0(%arg166: tensor<3x2x16x32xf32>, %arg167: tensor<3x32xf32>, %arg168: tensor<3x32xf32>, %arg169: tensor<3x32x64xf32>, %arg170: tensor<3x64x32xf32>, %arg171: tensor<3x32x64xf32>, %arg172: tensor<3x32x16xf32>, %arg173: tensor<3x32x32xf32>, %arg174: tensor<3x32x32xf32>, %arg175: tensor<3x32x16xf32>, %arg176: tensor<i32>, %arg177: tensor<2x16x32xf32>, %arg178: tensor<3x32xf32>, %arg179: tensor<3x32xf32>, %arg180: tensor<3x32x64xf32>, %arg181: tensor<3x64x32xf32>, %arg182: tensor<3x32x64xf32>, %arg183: tensor<3x32x16xf32>, %arg184: tensor<3x32x32xf32>, %arg185: tensor<3x32x32xf32>, %arg186: tensor<3x32x16xf32>):
      %741 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %742 = "stablehlo.compare"(%arg176, %741) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%742) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg145: tensor<3x2x16x32xf32>, %arg146: tensor<3x32xf32>, %arg147: tensor<3x32xf32>, %arg148: tensor<3x32x64xf32>, %arg149: tensor<3x64x32xf32>, %arg150: tensor<3x32x64xf32>, %arg151: tensor<3x32x16xf32>, %arg152: tensor<3x32x32xf32>, %arg153: tensor<3x32x32xf32>, %arg154: tensor<3x32x16xf32>, %arg155: tensor<i32>, %arg156: tensor<2x16x32xf32>, %arg157: tensor<3x32xf32>, %arg158: tensor<3x32xf32>, %arg159: tensor<3x32x64xf32>, %arg160: tensor<3x64x32xf32>, %arg161: tensor<3x32x64xf32>, %arg162: tensor<3x32x16xf32>, %arg163: tensor<3x32x32xf32>, %arg164: tensor<3x32x32xf32>, %arg165: tensor<3x32x16xf32>):
      %715 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %716 = "stablehlo.subtract"(%715, %arg155) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %717 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %718 = "stablehlo.subtract"(%716, %717) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %719 = "func.call"(%arg145, %718) <{callee = @dynamic_index_in_dim_7}> : (tensor<3x2x16x32xf32>, tensor<i32>) -> tensor<2x16x32xf32>
      %720 = "func.call"(%arg146, %718) <{callee = @dynamic_index_in_dim}> : (tensor<3x32xf32>, tensor<i32>) -> tensor<32xf32>
      %721 = "func.call"(%arg147, %718) <{callee = @dynamic_index_in_dim}> : (tensor<3x32xf32>, tensor<i32>) -> tensor<32xf32>
      %722 = "func.call"(%arg148, %718) <{callee = @dynamic_index_in_dim_0}> : (tensor<3x32x64xf32>, tensor<i32>) -> tensor<32x64xf32>
      %723 = "func.call"(%arg149, %718) <{callee = @dynamic_index_in_dim_1}> : (tensor<3x64x32xf32>, tensor<i32>) -> tensor<64x32xf32>
      %724 = "func.call"(%arg150, %718) <{callee = @dynamic_index_in_dim_0}> : (tensor<3x32x64xf32>, tensor<i32>) -> tensor<32x64xf32>
      %725 = "func.call"(%arg151, %718) <{callee = @dynamic_index_in_dim_2}> : (tensor<3x32x16xf32>, tensor<i32>) -> tensor<32x16xf32>
      %726 = "func.call"(%arg152, %718) <{callee = @dynamic_index_in_dim_3}> : (tensor<3x32x32xf32>, tensor<i32>) -> tensor<32x32xf32>
      %727 = "func.call"(%arg153, %718) <{callee = @dynamic_index_in_dim_3}> : (tensor<3x32x32xf32>, tensor<i32>) -> tensor<32x32xf32>
      %728 = "func.call"(%arg154, %718) <{callee = @dynamic_index_in_dim_2}> : (tensor<3x32x16xf32>, tensor<i32>) -> tensor<32x16xf32>
      %729:10 = "func.call"(%arg156, %719, %720, %721, %722, %723, %724, %725, %726, %727, %728) <{callee = @closed_call_8}> : (tensor<2x16x32xf32>, tensor<2x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x64xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>) -> (tensor<2x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x64xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>)
      %730 = "func.call"(%arg157, %729#1, %718) <{callee = @dynamic_update_index_in_dim_14}> : (tensor<3x32xf32>, tensor<32xf32>, tensor<i32>) -> tensor<3x32xf32>
      %731 = "func.call"(%arg158, %729#2, %718) <{callee = @dynamic_update_index_in_dim_14}> : (tensor<3x32xf32>, tensor<32xf32>, tensor<i32>) -> tensor<3x32xf32>
      %732 = "func.call"(%arg159, %729#3, %718) <{callee = @dynamic_update_index_in_dim_15}> : (tensor<3x32x64xf32>, tensor<32x64xf32>, tensor<i32>) -> tensor<3x32x64xf32>
      %733 = "func.call"(%arg160, %729#4, %718) <{callee = @dynamic_update_index_in_dim_16}> : (tensor<3x64x32xf32>, tensor<64x32xf32>, tensor<i32>) -> tensor<3x64x32xf32>
      %734 = "func.call"(%arg161, %729#5, %718) <{callee = @dynamic_update_index_in_dim_15}> : (tensor<3x32x64xf32>, tensor<32x64xf32>, tensor<i32>) -> tensor<3x32x64xf32>
      %735 = "func.call"(%arg162, %729#6, %718) <{callee = @dynamic_update_index_in_dim_17}> : (tensor<3x32x16xf32>, tensor<32x16xf32>, tensor<i32>) -> tensor<3x32x16xf32>
      %736 = "func.call"(%arg163, %729#7, %718) <{callee = @dynamic_update_index_in_dim_18}> : (tensor<3x32x32xf32>, tensor<32x32xf32>, tensor<i32>) -> tensor<3x32x32xf32>
      %737 = "func.call"(%arg164, %729#8, %718) <{callee = @dynamic_update_index_in_dim_18}> : (tensor<3x32x32xf32>, tensor<32x32xf32>, tensor<i32>) -> tensor<3x32x32xf32>
      %738 = "func.call"(%arg165, %729#9, %718) <{callee = @dynamic_update_index_in_dim_17}> : (tensor<3x32x16xf32>, tensor<32x16xf32>, tensor<i32>) -> tensor<3x32x16xf32>
      %739 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %740 = "stablehlo.add"(%arg155, %739) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg145, %arg146, %arg147, %arg148, %arg149, %arg150, %arg151, %arg152, %arg153, %arg154, %740, %729#0, %730, %731, %732, %733, %734, %735, %736, %737, %738) : (tensor<3x2x16x32xf32>, tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>, tensor<i32>, tensor<2x16x32xf32>, tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>) -> ()
    }) : (tensor<3x2x16x32xf32>, tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>, tensor<i32>, tensor<2x16x32xf32>, tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>) -> (tensor<3x2x16x32xf32>, tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>, tensor<i32>, tensor<2x16x32xf32>, tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>)
    %670 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %671 = "stablehlo.broadcast_in_dim"(%670) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<100x32xf32>
    %672 = "stablehlo.scatter"(%671, %578, %669#11) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg143: tensor<f32>, %arg144: tensor<f32>):
      %714 = "stablehlo.add"(%arg143, %arg144) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%714) : (tensor<f32>) -> ()
    }) : (tensor<100x32xf32>, tensor<2x16x1xi32>, tensor<2x16x32xf32>) -> tensor<100x32xf32>
    %673 = "stablehlo.add"(%649, %672) : (tensor<100x32xf32>, tensor<100x32xf32>) -> tensor<100x32xf32>
    %674 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %675 = "stablehlo.broadcast_in_dim"(%674) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<100x32xf32>
    %676 = "stablehlo.multiply"(%675, %673) : (tensor<100x32xf32>, tensor<100x32xf32>) -> tensor<100x32xf32>
    %677 = "stablehlo.subtract"(%arg131, %676) : (tensor<100x32xf32>, tensor<100x32xf32>) -> tensor<100x32xf32>
    %678 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %679 = "stablehlo.broadcast_in_dim"(%678) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32xf32>
    %680 = "stablehlo.multiply"(%679, %669#12) : (tensor<3x32xf32>, tensor<3x32xf32>) -> tensor<3x32xf32>
    %681 = "stablehlo.subtract"(%arg132, %680) : (tensor<3x32xf32>, tensor<3x32xf32>) -> tensor<3x32xf32>
    %682 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %683 = "stablehlo.broadcast_in_dim"(%682) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32xf32>
    %684 = "stablehlo.multiply"(%683, %669#13) : (tensor<3x32xf32>, tensor<3x32xf32>) -> tensor<3x32xf32>
    %685 = "stablehlo.subtract"(%arg133, %684) : (tensor<3x32xf32>, tensor<3x32xf32>) -> tensor<3x32xf32>
    %686 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %687 = "stablehlo.broadcast_in_dim"(%686) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x64xf32>
    %688 = "stablehlo.multiply"(%687, %669#14) : (tensor<3x32x64xf32>, tensor<3x32x64xf32>) -> tensor<3x32x64xf32>
    %689 = "stablehlo.subtract"(%arg134, %688) : (tensor<3x32x64xf32>, tensor<3x32x64xf32>) -> tensor<3x32x64xf32>
    %690 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %691 = "stablehlo.broadcast_in_dim"(%690) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x64x32xf32>
    %692 = "stablehlo.multiply"(%691, %669#15) : (tensor<3x64x32xf32>, tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
    %693 = "stablehlo.subtract"(%arg135, %692) : (tensor<3x64x32xf32>, tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
    %694 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %695 = "stablehlo.broadcast_in_dim"(%694) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x64xf32>
    %696 = "stablehlo.multiply"(%695, %669#16) : (tensor<3x32x64xf32>, tensor<3x32x64xf32>) -> tensor<3x32x64xf32>
    %697 = "stablehlo.subtract"(%arg136, %696) : (tensor<3x32x64xf32>, tensor<3x32x64xf32>) -> tensor<3x32x64xf32>
    %698 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %699 = "stablehlo.broadcast_in_dim"(%698) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x16xf32>
    %700 = "stablehlo.multiply"(%699, %669#17) : (tensor<3x32x16xf32>, tensor<3x32x16xf32>) -> tensor<3x32x16xf32>
    %701 = "stablehlo.subtract"(%arg137, %700) : (tensor<3x32x16xf32>, tensor<3x32x16xf32>) -> tensor<3x32x16xf32>
    %702 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %703 = "stablehlo.broadcast_in_dim"(%702) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x32xf32>
    %704 = "stablehlo.multiply"(%703, %669#18) : (tensor<3x32x32xf32>, tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
    %705 = "stablehlo.subtract"(%arg138, %704) : (tensor<3x32x32xf32>, tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
    %706 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %707 = "stablehlo.broadcast_in_dim"(%706) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x32xf32>
    %708 = "stablehlo.multiply"(%707, %669#19) : (tensor<3x32x32xf32>, tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
    %709 = "stablehlo.subtract"(%arg139, %708) : (tensor<3x32x32xf32>, tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
    %710 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %711 = "stablehlo.broadcast_in_dim"(%710) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x32x16xf32>
    %712 = "stablehlo.multiply"(%711, %669#20) : (tensor<3x32x16xf32>, tensor<3x32x16xf32>) -> tensor<3x32x16xf32>
    %713 = "stablehlo.subtract"(%arg140, %712) : (tensor<3x32x16xf32>, tensor<3x32x16xf32>) -> tensor<3x32x16xf32>
    "func.return"(%638, %677, %681, %685, %689, %693, %697, %701, %705, %709, %713) : (tensor<f32>, tensor<100x32xf32>, tensor<3x32xf32>, tensor<3x32xf32>, tensor<3x32x64xf32>, tensor<3x64x32xf32>, tensor<3x32x64xf32>, tensor<3x32x16xf32>, tensor<3x32x32xf32>, tensor<3x32x32xf32>, tensor<3x32x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16x16xi1>) -> tensor<16x16xi1>, res_attrs = [{}], sym_name = "tril", sym_visibility = "private"}> ({
  ^bb0(%arg130: tensor<16x16xi1>):
    %562 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16x16xi32>
    %563 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %564 = "stablehlo.broadcast_in_dim"(%563) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<16x16xi32>
    %565 = "stablehlo.add"(%562, %564) : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi32>
    %566 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<16x16xi32>
    %567 = "stablehlo.compare"(%565, %566) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %568 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %569 = "stablehlo.broadcast_in_dim"(%568) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<16x16xi1>
    %570 = "stablehlo.select"(%567, %arg130, %569) : (tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>) -> tensor<16x16xi1>
    "func.return"(%570) : (tensor<16x16xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<16x16xi1>, tensor<f32>) -> (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>), res_attrs = [{}, {}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg128: tensor<16x16xi1>, %arg129: tensor<f32>):
    %559 = "stablehlo.convert"(%arg129) : (tensor<f32>) -> tensor<f32>
    %560 = "stablehlo.broadcast_in_dim"(%arg128) <{broadcast_dimensions = array<i64: 3, 4>}> : (tensor<16x16xi1>) -> tensor<2x2x2x16x16xi1>
    %561 = "stablehlo.broadcast_in_dim"(%559) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x2x16x16xf32>
    "func.return"(%560, %561) : (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x32xf32>, tensor<i32>) -> tensor<32xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg126: tensor<3x32xf32>, %arg127: tensor<i32>):
    %556 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %557 = "stablehlo.dynamic_slice"(%arg126, %arg127, %556) <{slice_sizes = array<i64: 1, 32>}> : (tensor<3x32xf32>, tensor<i32>, tensor<i32>) -> tensor<1x32xf32>
    %558 = "stablehlo.reshape"(%557) : (tensor<1x32xf32>) -> tensor<32xf32>
    "func.return"(%558) : (tensor<32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x32x64xf32>, tensor<i32>) -> tensor<32x64xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_0", sym_visibility = "private"}> ({
  ^bb0(%arg124: tensor<3x32x64xf32>, %arg125: tensor<i32>):
    %552 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %553 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %554 = "stablehlo.dynamic_slice"(%arg124, %arg125, %552, %553) <{slice_sizes = array<i64: 1, 32, 64>}> : (tensor<3x32x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x64xf32>
    %555 = "stablehlo.reshape"(%554) : (tensor<1x32x64xf32>) -> tensor<32x64xf32>
    "func.return"(%555) : (tensor<32x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x64x32xf32>, tensor<i32>) -> tensor<64x32xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_1", sym_visibility = "private"}> ({
  ^bb0(%arg122: tensor<3x64x32xf32>, %arg123: tensor<i32>):
    %548 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %549 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %550 = "stablehlo.dynamic_slice"(%arg122, %arg123, %548, %549) <{slice_sizes = array<i64: 1, 64, 32>}> : (tensor<3x64x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x32xf32>
    %551 = "stablehlo.reshape"(%550) : (tensor<1x64x32xf32>) -> tensor<64x32xf32>
    "func.return"(%551) : (tensor<64x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x32x16xf32>, tensor<i32>) -> tensor<32x16xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_2", sym_visibility = "private"}> ({
  ^bb0(%arg120: tensor<3x32x16xf32>, %arg121: tensor<i32>):
    %544 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %545 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %546 = "stablehlo.dynamic_slice"(%arg120, %arg121, %544, %545) <{slice_sizes = array<i64: 1, 32, 16>}> : (tensor<3x32x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x16xf32>
    %547 = "stablehlo.reshape"(%546) : (tensor<1x32x16xf32>) -> tensor<32x16xf32>
    "func.return"(%547) : (tensor<32x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x32x32xf32>, tensor<i32>) -> tensor<32x32xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_3", sym_visibility = "private"}> ({
  ^bb0(%arg118: tensor<3x32x32xf32>, %arg119: tensor<i32>):
    %540 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %541 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %542 = "stablehlo.dynamic_slice"(%arg118, %arg119, %540, %541) <{slice_sizes = array<i64: 1, 32, 32>}> : (tensor<3x32x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x32xf32>
    %543 = "stablehlo.reshape"(%542) : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
    "func.return"(%543) : (tensor<32x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>, tensor<2x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x64xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>) -> (tensor<2x16x32xf32>, tensor<2x16x32xf32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg94: tensor<1x16x1x4xf32>, %arg95: tensor<1x16x1x4xf32>, %arg96: tensor<1x16x1x4xf32>, %arg97: tensor<1x16x1x4xf32>, %arg98: tensor<2x2x2x16x16xi1>, %arg99: tensor<2x2x2x16x16xf32>, %arg100: tensor<2x16x32xf32>, %arg101: tensor<32xf32>, %arg102: tensor<32xf32>, %arg103: tensor<32x64xf32>, %arg104: tensor<64x32xf32>, %arg105: tensor<32x64xf32>, %arg106: tensor<32x16xf32>, %arg107: tensor<32x32xf32>, %arg108: tensor<32x32xf32>, %arg109: tensor<32x16xf32>):
    %440 = "stablehlo.multiply"(%arg100, %arg100) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %441 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %442 = "stablehlo.reduce"(%440, %441) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg116: tensor<f32>, %arg117: tensor<f32>):
      %539 = "stablehlo.add"(%arg116, %arg117) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%539) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %443 = "stablehlo.broadcast_in_dim"(%442) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %444 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %445 = "stablehlo.broadcast_in_dim"(%444) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %446 = "stablehlo.divide"(%443, %445) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %447 = "stablehlo.constant"() <{value = dense<9.99999997E-7> : tensor<f32>}> : () -> tensor<f32>
    %448 = "stablehlo.broadcast_in_dim"(%447) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %449 = "stablehlo.add"(%446, %448) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %450 = "stablehlo.rsqrt"(%449) : (tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %451 = "stablehlo.broadcast_in_dim"(%450) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %452 = "stablehlo.multiply"(%arg100, %451) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %453 = "stablehlo.broadcast_in_dim"(%arg101) <{broadcast_dimensions = array<i64: 2>}> : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %454 = "stablehlo.broadcast_in_dim"(%453) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %455 = "stablehlo.multiply"(%452, %454) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %456 = "stablehlo.dot_general"(%455, %arg108) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x32xf32>) -> tensor<2x16x32xf32>
    %457 = "stablehlo.reshape"(%456) : (tensor<2x16x32xf32>) -> tensor<2x16x4x8xf32>
    %458 = "stablehlo.slice"(%457) <{limit_indices = array<i64: 2, 16, 4, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xf32>) -> tensor<2x16x4x4xf32>
    %459 = "stablehlo.slice"(%457) <{limit_indices = array<i64: 2, 16, 4, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xf32>) -> tensor<2x16x4x4xf32>
    %460 = "stablehlo.broadcast_in_dim"(%arg96) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %461 = "stablehlo.multiply"(%458, %460) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %462 = "stablehlo.broadcast_in_dim"(%arg97) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %463 = "stablehlo.multiply"(%459, %462) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %464 = "stablehlo.subtract"(%461, %463) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %465 = "stablehlo.broadcast_in_dim"(%arg97) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %466 = "stablehlo.multiply"(%458, %465) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %467 = "stablehlo.broadcast_in_dim"(%arg96) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %468 = "stablehlo.multiply"(%459, %467) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %469 = "stablehlo.add"(%466, %468) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %470 = "stablehlo.concatenate"(%464, %469) <{dimension = 3 : i64}> : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x8xf32>
    %471 = "stablehlo.dot_general"(%455, %arg106) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x16xf32>) -> tensor<2x16x16xf32>
    %472 = "stablehlo.reshape"(%471) : (tensor<2x16x16xf32>) -> tensor<2x16x2x8xf32>
    %473 = "stablehlo.slice"(%472) <{limit_indices = array<i64: 2, 16, 2, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xf32>) -> tensor<2x16x2x4xf32>
    %474 = "stablehlo.slice"(%472) <{limit_indices = array<i64: 2, 16, 2, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xf32>) -> tensor<2x16x2x4xf32>
    %475 = "stablehlo.broadcast_in_dim"(%arg94) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %476 = "stablehlo.multiply"(%473, %475) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %477 = "stablehlo.broadcast_in_dim"(%arg95) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %478 = "stablehlo.multiply"(%474, %477) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %479 = "stablehlo.subtract"(%476, %478) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %480 = "stablehlo.broadcast_in_dim"(%arg95) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %481 = "stablehlo.multiply"(%473, %480) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %482 = "stablehlo.broadcast_in_dim"(%arg94) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %483 = "stablehlo.multiply"(%474, %482) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %484 = "stablehlo.add"(%481, %483) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %485 = "stablehlo.concatenate"(%479, %484) <{dimension = 3 : i64}> : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x8xf32>
    %486 = "stablehlo.dot_general"(%455, %arg109) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x16xf32>) -> tensor<2x16x16xf32>
    %487 = "stablehlo.reshape"(%486) : (tensor<2x16x16xf32>) -> tensor<2x16x2x8xf32>
    %488 = "stablehlo.reshape"(%470) : (tensor<2x16x4x8xf32>) -> tensor<2x16x2x2x8xf32>
    %489 = "stablehlo.dot_general"(%485, %488) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x2x8xf32>, tensor<2x16x2x2x8xf32>) -> tensor<2x2x16x16x2xf32>
    %490 = "stablehlo.transpose"(%489) <{permutation = array<i64: 0, 1, 4, 3, 2>}> : (tensor<2x2x16x16x2xf32>) -> tensor<2x2x2x16x16xf32>
    %491 = "stablehlo.constant"() <{value = dense<2.82842708> : tensor<f32>}> : () -> tensor<f32>
    %492 = "stablehlo.broadcast_in_dim"(%491) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x2x16x16xf32>
    %493 = "stablehlo.divide"(%490, %492) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %494 = "func.call"(%493, %arg98, %arg99) <{callee = @_where_4}> : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %495 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %496 = "stablehlo.reduce"(%494, %495) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg114: tensor<f32>, %arg115: tensor<f32>):
      %538 = "stablehlo.maximum"(%arg114, %arg115) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%538) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x2x16xf32>
    %497 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %498 = "stablehlo.broadcast_in_dim"(%497) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x2x16xf32>
    %499 = "stablehlo.maximum"(%498, %496) : (tensor<2x2x2x16xf32>, tensor<2x2x2x16xf32>) -> tensor<2x2x2x16xf32>
    %500 = "stablehlo.broadcast_in_dim"(%499) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x16xf32>) -> tensor<2x2x2x16x1xf32>
    %501 = "stablehlo.broadcast_in_dim"(%500) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x16xf32>
    %502 = "stablehlo.subtract"(%494, %501) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %503 = "stablehlo.exponential"(%502) : (tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %504 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %505 = "stablehlo.reduce"(%503, %504) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg112: tensor<f32>, %arg113: tensor<f32>):
      %537 = "stablehlo.add"(%arg112, %arg113) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%537) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x2x16xf32>
    %506 = "stablehlo.broadcast_in_dim"(%505) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x16xf32>) -> tensor<2x2x2x16x1xf32>
    %507 = "stablehlo.broadcast_in_dim"(%506) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x16xf32>
    %508 = "stablehlo.divide"(%503, %507) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %509 = "stablehlo.dot_general"(%487, %508) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x2x8xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x8x2x16xf32>
    %510 = "stablehlo.transpose"(%509) <{permutation = array<i64: 0, 4, 1, 3, 2>}> : (tensor<2x2x8x2x16xf32>) -> tensor<2x16x2x2x8xf32>
    %511 = "stablehlo.reshape"(%510) : (tensor<2x16x2x2x8xf32>) -> tensor<2x16x32xf32>
    %512 = "stablehlo.dot_general"(%511, %arg107) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x32xf32>) -> tensor<2x16x32xf32>
    %513 = "stablehlo.add"(%arg100, %512) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %514 = "stablehlo.multiply"(%513, %513) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %515 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %516 = "stablehlo.reduce"(%514, %515) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg110: tensor<f32>, %arg111: tensor<f32>):
      %536 = "stablehlo.add"(%arg110, %arg111) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%536) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %517 = "stablehlo.broadcast_in_dim"(%516) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %518 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %519 = "stablehlo.broadcast_in_dim"(%518) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %520 = "stablehlo.divide"(%517, %519) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %521 = "stablehlo.constant"() <{value = dense<9.99999997E-7> : tensor<f32>}> : () -> tensor<f32>
    %522 = "stablehlo.broadcast_in_dim"(%521) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %523 = "stablehlo.add"(%520, %522) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %524 = "stablehlo.rsqrt"(%523) : (tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %525 = "stablehlo.broadcast_in_dim"(%524) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %526 = "stablehlo.multiply"(%513, %525) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %527 = "stablehlo.broadcast_in_dim"(%arg102) <{broadcast_dimensions = array<i64: 2>}> : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %528 = "stablehlo.broadcast_in_dim"(%527) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %529 = "stablehlo.multiply"(%526, %528) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %530 = "stablehlo.dot_general"(%529, %arg103) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x64xf32>) -> tensor<2x16x64xf32>
    %531 = "func.call"(%530) <{callee = @silu}> : (tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %532 = "stablehlo.dot_general"(%529, %arg105) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x64xf32>) -> tensor<2x16x64xf32>
    %533 = "stablehlo.multiply"(%531, %532) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %534 = "stablehlo.dot_general"(%533, %arg104) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x64xf32>, tensor<64x32xf32>) -> tensor<2x16x32xf32>
    %535 = "stablehlo.add"(%513, %534) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    "func.return"(%535, %arg100) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>, res_attrs = [{}], sym_name = "_where_4", sym_visibility = "private"}> ({
  ^bb0(%arg91: tensor<2x2x2x16x16xf32>, %arg92: tensor<2x2x2x16x16xi1>, %arg93: tensor<2x2x2x16x16xf32>):
    %439 = "stablehlo.select"(%arg92, %arg91, %arg93) : (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    "func.return"(%439) : (tensor<2x2x2x16x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x16x64xf32>) -> tensor<2x16x64xf32>, res_attrs = [{}], sym_name = "silu", sym_visibility = "private"}> ({
  ^bb0(%arg90: tensor<2x16x64xf32>):
    %430 = "stablehlo.negate"(%arg90) : (tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %431 = "stablehlo.exponential"(%430) : (tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %432 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %433 = "stablehlo.broadcast_in_dim"(%432) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x64xf32>
    %434 = "stablehlo.add"(%433, %431) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %435 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %436 = "stablehlo.broadcast_in_dim"(%435) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x64xf32>
    %437 = "stablehlo.divide"(%436, %434) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %438 = "stablehlo.multiply"(%arg90, %437) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    "func.return"(%438) : (tensor<2x16x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<3x2x16x32xf32>, tensor<2x16x32xf32>, tensor<i32>) -> tensor<3x2x16x32xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg87: tensor<3x2x16x32xf32>, %arg88: tensor<2x16x32xf32>, %arg89: tensor<i32>):
    %425 = "stablehlo.broadcast_in_dim"(%arg88) <{broadcast_dimensions = array<i64: 1, 2, 3>}> : (tensor<2x16x32xf32>) -> tensor<1x2x16x32xf32>
    %426 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %427 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %428 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %429 = "stablehlo.dynamic_update_slice"(%arg87, %425, %arg89, %426, %427, %428) : (tensor<3x2x16x32xf32>, tensor<1x2x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x16x32xf32>
    "func.return"(%429) : (tensor<3x2x16x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x16x100xf32>) -> (tensor<2x16x100xf32>, tensor<2x16x100xf32>, tensor<2x16x1xf32>), res_attrs = [{}, {}, {}], sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg82: tensor<2x16x100xf32>):
    %408 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %409 = "stablehlo.reduce"(%arg82, %408) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg85: tensor<f32>, %arg86: tensor<f32>):
      %424 = "stablehlo.maximum"(%arg85, %arg86) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%424) : (tensor<f32>) -> ()
    }) : (tensor<2x16x100xf32>, tensor<f32>) -> tensor<2x16xf32>
    %410 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %411 = "stablehlo.broadcast_in_dim"(%410) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16xf32>
    %412 = "stablehlo.maximum"(%411, %409) : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x16xf32>
    %413 = "stablehlo.broadcast_in_dim"(%412) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %414 = "stablehlo.broadcast_in_dim"(%413) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xf32>) -> tensor<2x16x100xf32>
    %415 = "stablehlo.subtract"(%arg82, %414) : (tensor<2x16x100xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    %416 = "stablehlo.exponential"(%415) : (tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    %417 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %418 = "stablehlo.reduce"(%416, %417) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg83: tensor<f32>, %arg84: tensor<f32>):
      %423 = "stablehlo.add"(%arg83, %arg84) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%423) : (tensor<f32>) -> ()
    }) : (tensor<2x16x100xf32>, tensor<f32>) -> tensor<2x16xf32>
    %419 = "stablehlo.broadcast_in_dim"(%418) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %420 = "stablehlo.log"(%419) : (tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %421 = "stablehlo.broadcast_in_dim"(%420) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xf32>) -> tensor<2x16x100xf32>
    %422 = "stablehlo.subtract"(%415, %421) : (tensor<2x16x100xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    "func.return"(%422, %416, %419) : (tensor<2x16x100xf32>, tensor<2x16x100xf32>, tensor<2x16x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x16x100xf32>, tensor<2x16x1xi32>) -> (tensor<2x16x1xf32>, tensor<2x16x1x1xi32>), res_attrs = [{}, {}], sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg78: tensor<2x16x100xf32>, %arg79: tensor<2x16x1xi32>):
    %385 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %386 = "stablehlo.broadcast_in_dim"(%385) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x16x1xi32>
    %387 = "stablehlo.compare"(%arg79, %386) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x16x1xi32>, tensor<2x16x1xi32>) -> tensor<2x16x1xi1>
    %388 = "stablehlo.constant"() <{value = dense<100> : tensor<i32>}> : () -> tensor<i32>
    %389 = "stablehlo.broadcast_in_dim"(%388) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x16x1xi32>
    %390 = "stablehlo.add"(%arg79, %389) : (tensor<2x16x1xi32>, tensor<2x16x1xi32>) -> tensor<2x16x1xi32>
    %391 = "stablehlo.select"(%387, %390, %arg79) : (tensor<2x16x1xi1>, tensor<2x16x1xi32>, tensor<2x16x1xi32>) -> tensor<2x16x1xi32>
    %392 = "stablehlo.reshape"(%391) : (tensor<2x16x1xi32>) -> tensor<2x16x1x1xi32>
    %393 = "stablehlo.constant"() <{value = dense<99> : tensor<1xi32>}> : () -> tensor<1xi32>
    %394 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %395 = "stablehlo.broadcast_in_dim"(%394) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x16x1x1xi32>
    %396 = "stablehlo.compare"(%392, %395) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<2x16x1x1xi32>, tensor<2x16x1x1xi32>) -> tensor<2x16x1x1xi1>
    %397 = "stablehlo.broadcast_in_dim"(%393) <{broadcast_dimensions = array<i64: 3>}> : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %398 = "stablehlo.broadcast_in_dim"(%397) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x1xi32>) -> tensor<2x16x1x1xi32>
    %399 = "stablehlo.compare"(%392, %398) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<2x16x1x1xi32>, tensor<2x16x1x1xi32>) -> tensor<2x16x1x1xi1>
    %400 = "stablehlo.and"(%396, %399) : (tensor<2x16x1x1xi1>, tensor<2x16x1x1xi1>) -> tensor<2x16x1x1xi1>
    %401 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %402 = "stablehlo.reduce"(%400, %401) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg80: tensor<i1>, %arg81: tensor<i1>):
      %407 = "stablehlo.and"(%arg80, %arg81) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%407) : (tensor<i1>) -> ()
    }) : (tensor<2x16x1x1xi1>, tensor<i1>) -> tensor<2x16x1xi1>
    %403 = "stablehlo.gather"(%arg78, %392) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x16x100xf32>, tensor<2x16x1x1xi32>) -> tensor<2x16x1xf32>
    %404 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %405 = "stablehlo.broadcast_in_dim"(%404) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %406 = "stablehlo.select"(%402, %403, %405) : (tensor<2x16x1xi1>, tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    "func.return"(%406, %392) : (tensor<2x16x1xf32>, tensor<2x16x1x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x16x1x1xi32>, tensor<2x16x1xf32>) -> tensor<2x16x100xf32>, res_attrs = [{}], sym_name = "take_along_axis_5", sym_visibility = "private"}> ({
  ^bb0(%arg74: tensor<2x16x1x1xi32>, %arg75: tensor<2x16x1xf32>):
    %381 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %382 = "stablehlo.broadcast_in_dim"(%381) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x100xf32>
    %383 = "stablehlo.scatter"(%382, %arg74, %arg75) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg76: tensor<f32>, %arg77: tensor<f32>):
      %384 = "stablehlo.add"(%arg76, %arg77) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%384) : (tensor<f32>) -> ()
    }) : (tensor<2x16x100xf32>, tensor<2x16x1x1xi32>, tensor<2x16x1xf32>) -> tensor<2x16x100xf32>
    "func.return"(%383) : (tensor<2x16x100xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2x16x100xf32>, tensor<2x16x1xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>, res_attrs = [{}], sym_name = "log_softmax_6", sym_visibility = "private"}> ({
  ^bb0(%arg67: tensor<2x16x100xf32>, %arg68: tensor<2x16x1xf32>, %arg69: tensor<2x16x100xf32>):
    %369 = "stablehlo.negate"(%arg69) : (tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    %370 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %371 = "stablehlo.reduce"(%369, %370) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg72: tensor<f32>, %arg73: tensor<f32>):
      %380 = "stablehlo.add"(%arg72, %arg73) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%380) : (tensor<f32>) -> ()
    }) : (tensor<2x16x100xf32>, tensor<f32>) -> tensor<2x16xf32>
    %372 = "stablehlo.reshape"(%371) : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %373 = "stablehlo.divide"(%372, %arg68) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %374 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %375 = "stablehlo.reduce"(%373, %374) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg70: tensor<f32>, %arg71: tensor<f32>):
      %379 = "stablehlo.add"(%arg70, %arg71) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%379) : (tensor<f32>) -> ()
    }) : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %376 = "stablehlo.broadcast_in_dim"(%375) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x100xf32>
    %377 = "stablehlo.multiply"(%376, %arg67) : (tensor<2x16x100xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    %378 = "stablehlo.add"(%arg69, %377) : (tensor<2x16x100xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    "func.return"(%378) : (tensor<2x16x100xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x2x16x32xf32>, tensor<i32>) -> tensor<2x16x32xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_7", sym_visibility = "private"}> ({
  ^bb0(%arg65: tensor<3x2x16x32xf32>, %arg66: tensor<i32>):
    %364 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %365 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %366 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %367 = "stablehlo.dynamic_slice"(%arg65, %arg66, %364, %365, %366) <{slice_sizes = array<i64: 1, 2, 16, 32>}> : (tensor<3x2x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x16x32xf32>
    %368 = "stablehlo.reshape"(%367) : (tensor<1x2x16x32xf32>) -> tensor<2x16x32xf32>
    "func.return"(%368) : (tensor<2x16x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x16x32xf32>, tensor<2x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x64xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>) -> (tensor<2x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x64xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_8", sym_visibility = "private"}> ({
  ^bb0(%arg26: tensor<2x16x32xf32>, %arg27: tensor<2x16x32xf32>, %arg28: tensor<32xf32>, %arg29: tensor<32xf32>, %arg30: tensor<32x64xf32>, %arg31: tensor<64x32xf32>, %arg32: tensor<32x64xf32>, %arg33: tensor<32x16xf32>, %arg34: tensor<32x32xf32>, %arg35: tensor<32x32xf32>, %arg36: tensor<32x16xf32>):
    %52:11 = "stablehlo.optimization_barrier"(%arg27, %arg28, %arg29, %arg30, %arg31, %arg32, %arg33, %arg34, %arg35, %arg36, %arg26) : (tensor<2x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x64xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>, tensor<2x16x32xf32>) -> (tensor<2x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x64xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>, tensor<2x16x32xf32>)
    %53 = "stablehlo.multiply"(%52#0, %52#0) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %54 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %55 = "stablehlo.reduce"(%53, %54) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg63: tensor<f32>, %arg64: tensor<f32>):
      %363 = "stablehlo.add"(%arg63, %arg64) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%363) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %57 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %58 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %59 = "stablehlo.divide"(%56, %58) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %60 = "stablehlo.constant"() <{value = dense<9.99999997E-7> : tensor<f32>}> : () -> tensor<f32>
    %61 = "stablehlo.broadcast_in_dim"(%60) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %62 = "stablehlo.add"(%59, %61) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %63 = "stablehlo.rsqrt"(%62) : (tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %64 = "stablehlo.divide"(%63, %62) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %65 = "stablehlo.constant"() <{value = dense<-5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %66 = "stablehlo.broadcast_in_dim"(%65) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %67 = "stablehlo.multiply"(%66, %64) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %68 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %69 = "stablehlo.multiply"(%52#0, %68) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %70 = "stablehlo.broadcast_in_dim"(%52#1) <{broadcast_dimensions = array<i64: 2>}> : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %72 = "stablehlo.multiply"(%69, %71) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %73 = "stablehlo.dot_general"(%72, %52#8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x32xf32>) -> tensor<2x16x32xf32>
    %74 = "stablehlo.reshape"(%73) : (tensor<2x16x32xf32>) -> tensor<2x16x4x8xf32>
    %75 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16xi32>
    %76 = "stablehlo.broadcast_in_dim"(%75) <{broadcast_dimensions = array<i64: 0>}> : (tensor<16xi32>) -> tensor<16x1xi32>
    %77 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
    %78 = "stablehlo.negate"(%77) : (tensor<4xi32>) -> tensor<4xi32>
    %79 = "stablehlo.convert"(%78) : (tensor<4xi32>) -> tensor<4xf32>
    %80 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %81 = "stablehlo.broadcast_in_dim"(%80) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %82 = "stablehlo.divide"(%79, %81) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %83 = "stablehlo.constant"() <{value = dense<1.000000e+04> : tensor<f32>}> : () -> tensor<f32>
    %84 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %85 = "stablehlo.power"(%84, %82) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %86 = "stablehlo.broadcast_in_dim"(%85) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1x4xf32>
    %87 = "stablehlo.convert"(%76) : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %88 = "stablehlo.broadcast_in_dim"(%87) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %89 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %90 = "stablehlo.multiply"(%88, %89) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %91 = "stablehlo.cosine"(%90) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %92 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %93 = "stablehlo.sine"(%90) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %94 = "stablehlo.broadcast_in_dim"(%93) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %95 = "stablehlo.slice"(%74) <{limit_indices = array<i64: 2, 16, 4, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xf32>) -> tensor<2x16x4x4xf32>
    %96 = "stablehlo.slice"(%74) <{limit_indices = array<i64: 2, 16, 4, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xf32>) -> tensor<2x16x4x4xf32>
    %97 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %98 = "stablehlo.multiply"(%95, %97) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %99 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %100 = "stablehlo.multiply"(%96, %99) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %101 = "stablehlo.subtract"(%98, %100) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %102 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %103 = "stablehlo.multiply"(%95, %102) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %104 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %105 = "stablehlo.multiply"(%96, %104) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %106 = "stablehlo.add"(%103, %105) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %107 = "stablehlo.concatenate"(%101, %106) <{dimension = 3 : i64}> : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x8xf32>
    %108 = "stablehlo.dot_general"(%72, %52#6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x16xf32>) -> tensor<2x16x16xf32>
    %109 = "stablehlo.reshape"(%108) : (tensor<2x16x16xf32>) -> tensor<2x16x2x8xf32>
    %110 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16xi32>
    %111 = "stablehlo.broadcast_in_dim"(%110) <{broadcast_dimensions = array<i64: 0>}> : (tensor<16xi32>) -> tensor<16x1xi32>
    %112 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
    %113 = "stablehlo.negate"(%112) : (tensor<4xi32>) -> tensor<4xi32>
    %114 = "stablehlo.convert"(%113) : (tensor<4xi32>) -> tensor<4xf32>
    %115 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %116 = "stablehlo.broadcast_in_dim"(%115) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %117 = "stablehlo.divide"(%114, %116) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %118 = "stablehlo.constant"() <{value = dense<1.000000e+04> : tensor<f32>}> : () -> tensor<f32>
    %119 = "stablehlo.broadcast_in_dim"(%118) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %120 = "stablehlo.power"(%119, %117) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %121 = "stablehlo.broadcast_in_dim"(%120) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1x4xf32>
    %122 = "stablehlo.convert"(%111) : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %123 = "stablehlo.broadcast_in_dim"(%122) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %124 = "stablehlo.broadcast_in_dim"(%121) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %125 = "stablehlo.multiply"(%123, %124) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %126 = "stablehlo.cosine"(%125) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %127 = "stablehlo.broadcast_in_dim"(%126) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %128 = "stablehlo.sine"(%125) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %129 = "stablehlo.broadcast_in_dim"(%128) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %130 = "stablehlo.slice"(%109) <{limit_indices = array<i64: 2, 16, 2, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xf32>) -> tensor<2x16x2x4xf32>
    %131 = "stablehlo.slice"(%109) <{limit_indices = array<i64: 2, 16, 2, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xf32>) -> tensor<2x16x2x4xf32>
    %132 = "stablehlo.broadcast_in_dim"(%127) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %133 = "stablehlo.multiply"(%130, %132) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %134 = "stablehlo.broadcast_in_dim"(%129) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %135 = "stablehlo.multiply"(%131, %134) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %136 = "stablehlo.subtract"(%133, %135) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %137 = "stablehlo.broadcast_in_dim"(%129) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %138 = "stablehlo.multiply"(%130, %137) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %139 = "stablehlo.broadcast_in_dim"(%127) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %140 = "stablehlo.multiply"(%131, %139) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %141 = "stablehlo.add"(%138, %140) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %142 = "stablehlo.concatenate"(%136, %141) <{dimension = 3 : i64}> : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x8xf32>
    %143 = "stablehlo.dot_general"(%72, %52#9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x16xf32>) -> tensor<2x16x16xf32>
    %144 = "stablehlo.reshape"(%143) : (tensor<2x16x16xf32>) -> tensor<2x16x2x8xf32>
    %145 = "stablehlo.reshape"(%107) : (tensor<2x16x4x8xf32>) -> tensor<2x16x2x2x8xf32>
    %146 = "stablehlo.dot_general"(%142, %145) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x2x8xf32>, tensor<2x16x2x2x8xf32>) -> tensor<2x2x16x16x2xf32>
    %147 = "stablehlo.transpose"(%146) <{permutation = array<i64: 0, 1, 4, 3, 2>}> : (tensor<2x2x16x16x2xf32>) -> tensor<2x2x2x16x16xf32>
    %148 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %149 = "stablehlo.broadcast_in_dim"(%148) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<16x16xi1>
    %150 = "func.call"(%149) <{callee = @tril_9}> : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %151 = "stablehlo.constant"() <{value = dense<2.82842708> : tensor<f32>}> : () -> tensor<f32>
    %152 = "stablehlo.broadcast_in_dim"(%151) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x2x16x16xf32>
    %153 = "stablehlo.divide"(%147, %152) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %154 = "stablehlo.constant"() <{value = dense<-1.000000e+09> : tensor<f32>}> : () -> tensor<f32>
    %155:2 = "func.call"(%150, %153, %154) <{callee = @_where_10}> : (tensor<16x16xi1>, tensor<2x2x2x16x16xf32>, tensor<f32>) -> (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xi1>)
    %156 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %157 = "stablehlo.reduce"(%155#0, %156) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg61: tensor<f32>, %arg62: tensor<f32>):
      %362 = "stablehlo.maximum"(%arg61, %arg62) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%362) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x2x16xf32>
    %158 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %159 = "stablehlo.broadcast_in_dim"(%158) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x2x16xf32>
    %160 = "stablehlo.maximum"(%159, %157) : (tensor<2x2x2x16xf32>, tensor<2x2x2x16xf32>) -> tensor<2x2x2x16xf32>
    %161 = "stablehlo.broadcast_in_dim"(%160) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x16xf32>) -> tensor<2x2x2x16x1xf32>
    %162 = "stablehlo.broadcast_in_dim"(%161) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x16xf32>
    %163 = "stablehlo.subtract"(%155#0, %162) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %164 = "stablehlo.exponential"(%163) : (tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %165 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %166 = "stablehlo.reduce"(%164, %165) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg59: tensor<f32>, %arg60: tensor<f32>):
      %361 = "stablehlo.add"(%arg59, %arg60) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%361) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x2x16xf32>
    %167 = "stablehlo.broadcast_in_dim"(%166) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x16xf32>) -> tensor<2x2x2x16x1xf32>
    %168 = "stablehlo.broadcast_in_dim"(%167) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x16xf32>
    %169 = "stablehlo.divide"(%164, %168) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %170 = "stablehlo.multiply"(%167, %167) : (tensor<2x2x2x16x1xf32>, tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x1xf32>
    %171 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %172 = "stablehlo.broadcast_in_dim"(%171) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x2x16x1xf32>
    %173 = "stablehlo.divide"(%172, %170) : (tensor<2x2x2x16x1xf32>, tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x1xf32>
    %174 = "stablehlo.dot_general"(%144, %169) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x2x8xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x8x2x16xf32>
    %175 = "stablehlo.transpose"(%174) <{permutation = array<i64: 0, 4, 1, 3, 2>}> : (tensor<2x2x8x2x16xf32>) -> tensor<2x16x2x2x8xf32>
    %176 = "stablehlo.reshape"(%175) : (tensor<2x16x2x2x8xf32>) -> tensor<2x16x32xf32>
    %177 = "stablehlo.dot_general"(%176, %52#7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x32xf32>) -> tensor<2x16x32xf32>
    %178 = "stablehlo.add"(%52#0, %177) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %179 = "stablehlo.multiply"(%178, %178) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %180 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %181 = "stablehlo.reduce"(%179, %180) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg57: tensor<f32>, %arg58: tensor<f32>):
      %360 = "stablehlo.add"(%arg57, %arg58) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%360) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %182 = "stablehlo.broadcast_in_dim"(%181) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %183 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %184 = "stablehlo.broadcast_in_dim"(%183) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %185 = "stablehlo.divide"(%182, %184) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %186 = "stablehlo.constant"() <{value = dense<9.99999997E-7> : tensor<f32>}> : () -> tensor<f32>
    %187 = "stablehlo.broadcast_in_dim"(%186) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %188 = "stablehlo.add"(%185, %187) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %189 = "stablehlo.rsqrt"(%188) : (tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %190 = "stablehlo.divide"(%189, %188) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %191 = "stablehlo.constant"() <{value = dense<-5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %192 = "stablehlo.broadcast_in_dim"(%191) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %193 = "stablehlo.multiply"(%192, %190) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %194 = "stablehlo.broadcast_in_dim"(%189) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %195 = "stablehlo.multiply"(%178, %194) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %196 = "stablehlo.broadcast_in_dim"(%52#2) <{broadcast_dimensions = array<i64: 2>}> : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %197 = "stablehlo.broadcast_in_dim"(%196) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %198 = "stablehlo.multiply"(%195, %197) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %199 = "stablehlo.dot_general"(%198, %52#3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x64xf32>) -> tensor<2x16x64xf32>
    %200:3 = "func.call"(%199) <{callee = @silu_11}> : (tensor<2x16x64xf32>) -> (tensor<2x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x64xf32>)
    %201 = "stablehlo.dot_general"(%198, %52#5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x64xf32>) -> tensor<2x16x64xf32>
    %202 = "stablehlo.multiply"(%200#0, %201) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %203 = "stablehlo.dot_general"(%52#10, %202) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<2x16x64xf32>) -> tensor<32x64xf32>
    %204 = "stablehlo.transpose"(%203) <{permutation = array<i64: 1, 0>}> : (tensor<32x64xf32>) -> tensor<64x32xf32>
    %205 = "stablehlo.dot_general"(%52#10, %52#4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<64x32xf32>) -> tensor<2x16x64xf32>
    %206 = "stablehlo.multiply"(%200#0, %205) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %207 = "stablehlo.multiply"(%205, %201) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %208 = "stablehlo.dot_general"(%206, %198) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x64xf32>, tensor<2x16x32xf32>) -> tensor<64x32xf32>
    %209 = "stablehlo.transpose"(%208) <{permutation = array<i64: 1, 0>}> : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %210 = "stablehlo.dot_general"(%206, %52#5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x64xf32>, tensor<32x64xf32>) -> tensor<2x16x32xf32>
    %211 = "func.call"(%200#1, %199, %200#2, %207) <{callee = @silu_12}> : (tensor<2x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %212 = "stablehlo.dot_general"(%211, %198) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x64xf32>, tensor<2x16x32xf32>) -> tensor<64x32xf32>
    %213 = "stablehlo.transpose"(%212) <{permutation = array<i64: 1, 0>}> : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %214 = "stablehlo.dot_general"(%211, %52#3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x64xf32>, tensor<32x64xf32>) -> tensor<2x16x32xf32>
    %215 = "stablehlo.add"(%210, %214) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %216 = "stablehlo.multiply"(%195, %215) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %217 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %218 = "stablehlo.reduce"(%216, %217) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg55: tensor<f32>, %arg56: tensor<f32>):
      %359 = "stablehlo.add"(%arg55, %arg56) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%359) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %219 = "stablehlo.reshape"(%218) : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %220 = "stablehlo.broadcast_in_dim"(%196) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %221 = "stablehlo.multiply"(%215, %220) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %222 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %223 = "stablehlo.reduce"(%219, %222) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg53: tensor<f32>, %arg54: tensor<f32>):
      %358 = "stablehlo.add"(%arg53, %arg54) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%358) : (tensor<f32>) -> ()
    }) : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %224 = "stablehlo.multiply"(%178, %221) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %225 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %226 = "stablehlo.reduce"(%224, %225) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg51: tensor<f32>, %arg52: tensor<f32>):
      %357 = "stablehlo.add"(%arg51, %arg52) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%357) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %227 = "stablehlo.reshape"(%226) : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %228 = "stablehlo.broadcast_in_dim"(%189) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %229 = "stablehlo.multiply"(%221, %228) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %230 = "stablehlo.add"(%52#10, %229) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %231 = "stablehlo.multiply"(%227, %193) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %232 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %233 = "stablehlo.broadcast_in_dim"(%232) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %234 = "stablehlo.divide"(%231, %233) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %235 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %236 = "stablehlo.reduce"(%234, %235) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg49: tensor<f32>, %arg50: tensor<f32>):
      %356 = "stablehlo.add"(%arg49, %arg50) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%356) : (tensor<f32>) -> ()
    }) : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %237 = "stablehlo.broadcast_in_dim"(%236) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x32xf32>
    %238 = "stablehlo.multiply"(%178, %237) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %239 = "stablehlo.add"(%230, %238) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %240 = "stablehlo.multiply"(%237, %178) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %241 = "stablehlo.add"(%239, %240) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %242 = "stablehlo.dot_general"(%241, %176) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<32x32xf32>
    %243 = "stablehlo.transpose"(%242) <{permutation = array<i64: 1, 0>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %244 = "stablehlo.dot_general"(%241, %52#7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x32xf32>) -> tensor<2x16x32xf32>
    %245 = "stablehlo.reshape"(%244) : (tensor<2x16x32xf32>) -> tensor<2x16x2x2x8xf32>
    %246 = "stablehlo.transpose"(%245) <{permutation = array<i64: 0, 2, 4, 3, 1>}> : (tensor<2x16x2x2x8xf32>) -> tensor<2x2x8x2x16xf32>
    %247 = "stablehlo.dot_general"(%246, %144) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2x8x2x16xf32>, tensor<2x16x2x8xf32>) -> tensor<2x2x2x16x16xf32>
    %248 = "stablehlo.dot_general"(%246, %169) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3, 4], rhs_contracting_dimensions = [2, 3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2x8x2x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x8x16xf32>
    %249 = "stablehlo.transpose"(%248) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x2x8x16xf32>) -> tensor<2x16x2x8xf32>
    %250 = "stablehlo.broadcast_in_dim"(%173) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x16xf32>
    %251 = "stablehlo.multiply"(%247, %250) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %252 = "stablehlo.multiply"(%251, %164) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %253 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %254 = "stablehlo.reduce"(%252, %253) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg47: tensor<f32>, %arg48: tensor<f32>):
      %355 = "stablehlo.add"(%arg47, %arg48) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%355) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x2x16xf32>
    %255 = "stablehlo.reshape"(%254) : (tensor<2x2x2x16xf32>) -> tensor<2x2x2x16x1xf32>
    %256 = "stablehlo.negate"(%255) : (tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x1xf32>
    %257 = "stablehlo.broadcast_in_dim"(%167) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x16xf32>
    %258 = "stablehlo.divide"(%247, %257) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %259 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %260 = "stablehlo.reduce"(%256, %259) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg45: tensor<f32>, %arg46: tensor<f32>):
      %354 = "stablehlo.add"(%arg45, %arg46) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%354) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x16x1xf32>, tensor<f32>) -> tensor<2x2x2x16xf32>
    %261 = "stablehlo.broadcast_in_dim"(%260) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x16xf32>) -> tensor<2x2x2x16x16xf32>
    %262 = "stablehlo.add"(%258, %261) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %263 = "stablehlo.multiply"(%262, %164) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %264 = "func.call"(%155#1, %263) <{callee = @_where_13}> : (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %265 = "stablehlo.constant"() <{value = dense<2.82842708> : tensor<f32>}> : () -> tensor<f32>
    %266 = "stablehlo.broadcast_in_dim"(%265) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x2x16x16xf32>
    %267 = "stablehlo.divide"(%264, %266) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    %268 = "stablehlo.transpose"(%267) <{permutation = array<i64: 0, 1, 4, 3, 2>}> : (tensor<2x2x2x16x16xf32>) -> tensor<2x2x16x16x2xf32>
    %269 = "stablehlo.dot_general"(%268, %142) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2x16x16x2xf32>, tensor<2x16x2x8xf32>) -> tensor<2x2x16x2x8xf32>
    %270 = "stablehlo.transpose"(%269) <{permutation = array<i64: 0, 2, 1, 3, 4>}> : (tensor<2x2x16x2x8xf32>) -> tensor<2x16x2x2x8xf32>
    %271 = "stablehlo.dot_general"(%268, %145) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3, 4], rhs_contracting_dimensions = [1, 3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2x16x16x2xf32>, tensor<2x16x2x2x8xf32>) -> tensor<2x2x16x8xf32>
    %272 = "stablehlo.transpose"(%271) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x2x16x8xf32>) -> tensor<2x16x2x8xf32>
    %273 = "stablehlo.reshape"(%270) : (tensor<2x16x2x2x8xf32>) -> tensor<2x16x4x8xf32>
    %274 = "stablehlo.reshape"(%249) : (tensor<2x16x2x8xf32>) -> tensor<2x16x16xf32>
    %275 = "stablehlo.dot_general"(%274, %72) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x16xf32>, tensor<2x16x32xf32>) -> tensor<16x32xf32>
    %276 = "stablehlo.transpose"(%275) <{permutation = array<i64: 1, 0>}> : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %277 = "stablehlo.dot_general"(%274, %52#9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x16xf32>, tensor<32x16xf32>) -> tensor<2x16x32xf32>
    %278 = "stablehlo.slice"(%272) <{limit_indices = array<i64: 2, 16, 2, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xf32>) -> tensor<2x16x2x4xf32>
    %279 = "stablehlo.slice"(%272) <{limit_indices = array<i64: 2, 16, 2, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xf32>) -> tensor<2x16x2x4xf32>
    %280 = "stablehlo.broadcast_in_dim"(%127) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %281 = "stablehlo.multiply"(%279, %280) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %282 = "stablehlo.broadcast_in_dim"(%129) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %283 = "stablehlo.multiply"(%279, %282) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %284 = "stablehlo.negate"(%278) : (tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %285 = "stablehlo.broadcast_in_dim"(%129) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %286 = "stablehlo.multiply"(%284, %285) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %287 = "stablehlo.add"(%281, %286) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %288 = "stablehlo.broadcast_in_dim"(%127) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x2x4xf32>
    %289 = "stablehlo.multiply"(%278, %288) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %290 = "stablehlo.add"(%283, %289) : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x16x2x4xf32>
    %291 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %292 = "stablehlo.pad"(%287, %291) <{edge_padding_high = array<i64: 0, 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 0, 4>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<2x16x2x4xf32>, tensor<f32>) -> tensor<2x16x2x8xf32>
    %293 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %294 = "stablehlo.pad"(%290, %293) <{edge_padding_high = array<i64: 0, 0, 0, 4>, edge_padding_low = array<i64: 0, 0, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<2x16x2x4xf32>, tensor<f32>) -> tensor<2x16x2x8xf32>
    %295 = "stablehlo.add"(%292, %294) : (tensor<2x16x2x8xf32>, tensor<2x16x2x8xf32>) -> tensor<2x16x2x8xf32>
    %296 = "stablehlo.reshape"(%295) : (tensor<2x16x2x8xf32>) -> tensor<2x16x16xf32>
    %297 = "stablehlo.dot_general"(%296, %72) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x16xf32>, tensor<2x16x32xf32>) -> tensor<16x32xf32>
    %298 = "stablehlo.transpose"(%297) <{permutation = array<i64: 1, 0>}> : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %299 = "stablehlo.dot_general"(%296, %52#6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x16xf32>, tensor<32x16xf32>) -> tensor<2x16x32xf32>
    %300 = "stablehlo.add"(%277, %299) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %301 = "stablehlo.slice"(%273) <{limit_indices = array<i64: 2, 16, 4, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xf32>) -> tensor<2x16x4x4xf32>
    %302 = "stablehlo.slice"(%273) <{limit_indices = array<i64: 2, 16, 4, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xf32>) -> tensor<2x16x4x4xf32>
    %303 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %304 = "stablehlo.multiply"(%302, %303) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %305 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %306 = "stablehlo.multiply"(%302, %305) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %307 = "stablehlo.negate"(%301) : (tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %308 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %309 = "stablehlo.multiply"(%307, %308) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %310 = "stablehlo.add"(%304, %309) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %311 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xf32>) -> tensor<2x16x4x4xf32>
    %312 = "stablehlo.multiply"(%301, %311) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %313 = "stablehlo.add"(%306, %312) : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    %314 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %315 = "stablehlo.pad"(%310, %314) <{edge_padding_high = array<i64: 0, 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 0, 4>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<2x16x4x4xf32>, tensor<f32>) -> tensor<2x16x4x8xf32>
    %316 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %317 = "stablehlo.pad"(%313, %316) <{edge_padding_high = array<i64: 0, 0, 0, 4>, edge_padding_low = array<i64: 0, 0, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<2x16x4x4xf32>, tensor<f32>) -> tensor<2x16x4x8xf32>
    %318 = "stablehlo.add"(%315, %317) : (tensor<2x16x4x8xf32>, tensor<2x16x4x8xf32>) -> tensor<2x16x4x8xf32>
    %319 = "stablehlo.reshape"(%318) : (tensor<2x16x4x8xf32>) -> tensor<2x16x32xf32>
    %320 = "stablehlo.dot_general"(%319, %72) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<32x32xf32>
    %321 = "stablehlo.transpose"(%320) <{permutation = array<i64: 1, 0>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %322 = "stablehlo.dot_general"(%319, %52#8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xf32>, tensor<32x32xf32>) -> tensor<2x16x32xf32>
    %323 = "stablehlo.add"(%300, %322) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %324 = "stablehlo.multiply"(%69, %323) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %325 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %326 = "stablehlo.reduce"(%324, %325) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg43: tensor<f32>, %arg44: tensor<f32>):
      %353 = "stablehlo.add"(%arg43, %arg44) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%353) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %327 = "stablehlo.reshape"(%326) : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %328 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %329 = "stablehlo.multiply"(%323, %328) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %330 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %331 = "stablehlo.reduce"(%327, %330) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg41: tensor<f32>, %arg42: tensor<f32>):
      %352 = "stablehlo.add"(%arg41, %arg42) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%352) : (tensor<f32>) -> ()
    }) : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %332 = "stablehlo.multiply"(%52#0, %329) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %333 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %334 = "stablehlo.reduce"(%332, %333) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg39: tensor<f32>, %arg40: tensor<f32>):
      %351 = "stablehlo.add"(%arg39, %arg40) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%351) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %335 = "stablehlo.reshape"(%334) : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %336 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %337 = "stablehlo.multiply"(%329, %336) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %338 = "stablehlo.add"(%241, %337) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %339 = "stablehlo.multiply"(%335, %67) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %340 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %341 = "stablehlo.broadcast_in_dim"(%340) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %342 = "stablehlo.divide"(%339, %341) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %343 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %344 = "stablehlo.reduce"(%342, %343) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %350 = "stablehlo.add"(%arg37, %arg38) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%350) : (tensor<f32>) -> ()
    }) : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %345 = "stablehlo.broadcast_in_dim"(%344) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x32xf32>
    %346 = "stablehlo.multiply"(%52#0, %345) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %347 = "stablehlo.add"(%338, %346) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %348 = "stablehlo.multiply"(%345, %52#0) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    %349 = "stablehlo.add"(%347, %348) : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
    "func.return"(%349, %331, %223, %213, %204, %209, %298, %243, %321, %276) : (tensor<2x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x64xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16x16xi1>) -> tensor<16x16xi1>, res_attrs = [{}], sym_name = "tril_9", sym_visibility = "private"}> ({
  ^bb0(%arg25: tensor<16x16xi1>):
    %43 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16x16xi32>
    %44 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %45 = "stablehlo.broadcast_in_dim"(%44) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<16x16xi32>
    %46 = "stablehlo.add"(%43, %45) : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi32>
    %47 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<16x16xi32>
    %48 = "stablehlo.compare"(%46, %47) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %49 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<16x16xi1>
    %51 = "stablehlo.select"(%48, %arg25, %50) : (tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>) -> tensor<16x16xi1>
    "func.return"(%51) : (tensor<16x16xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<16x16xi1>, tensor<2x2x2x16x16xf32>, tensor<f32>) -> (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xi1>), res_attrs = [{}, {}], sym_name = "_where_10", sym_visibility = "private"}> ({
  ^bb0(%arg22: tensor<16x16xi1>, %arg23: tensor<2x2x2x16x16xf32>, %arg24: tensor<f32>):
    %39 = "stablehlo.convert"(%arg24) : (tensor<f32>) -> tensor<f32>
    %40 = "stablehlo.broadcast_in_dim"(%arg22) <{broadcast_dimensions = array<i64: 3, 4>}> : (tensor<16x16xi1>) -> tensor<2x2x2x16x16xi1>
    %41 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x2x16x16xf32>
    %42 = "stablehlo.select"(%40, %arg23, %41) : (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    "func.return"(%42, %40) : (tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x16x64xf32>) -> (tensor<2x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x64xf32>), res_attrs = [{}, {}, {}], sym_name = "silu_11", sym_visibility = "private"}> ({
  ^bb0(%arg21: tensor<2x16x64xf32>):
    %26 = "stablehlo.negate"(%arg21) : (tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %27 = "stablehlo.exponential"(%26) : (tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %28 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %29 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x64xf32>
    %30 = "stablehlo.add"(%29, %27) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %31 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x64xf32>
    %33 = "stablehlo.divide"(%32, %30) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %34 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x64xf32>
    %36 = "stablehlo.subtract"(%35, %33) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %37 = "stablehlo.multiply"(%33, %36) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %38 = "stablehlo.multiply"(%arg21, %33) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    "func.return"(%38, %33, %37) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<2x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>, res_attrs = [{}], sym_name = "silu_12", sym_visibility = "private"}> ({
  ^bb0(%arg17: tensor<2x16x64xf32>, %arg18: tensor<2x16x64xf32>, %arg19: tensor<2x16x64xf32>, %arg20: tensor<2x16x64xf32>):
    %22 = "stablehlo.multiply"(%arg18, %arg20) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %23 = "stablehlo.multiply"(%arg20, %arg17) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %24 = "stablehlo.multiply"(%22, %arg19) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %25 = "stablehlo.add"(%23, %24) : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    "func.return"(%25) : (tensor<2x16x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>, res_attrs = [{}], sym_name = "_where_13", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<2x2x2x16x16xi1>, %arg16: tensor<2x2x2x16x16xf32>):
    %19 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %20 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x2x2x16x16xf32>
    %21 = "stablehlo.select"(%arg15, %arg16, %20) : (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xf32>
    "func.return"(%21) : (tensor<2x2x2x16x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<3x32xf32>, tensor<32xf32>, tensor<i32>) -> tensor<3x32xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_14", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<3x32xf32>, %arg13: tensor<32xf32>, %arg14: tensor<i32>):
    %16 = "stablehlo.broadcast_in_dim"(%arg13) <{broadcast_dimensions = array<i64: 1>}> : (tensor<32xf32>) -> tensor<1x32xf32>
    %17 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %18 = "stablehlo.dynamic_update_slice"(%arg12, %16, %arg14, %17) : (tensor<3x32xf32>, tensor<1x32xf32>, tensor<i32>, tensor<i32>) -> tensor<3x32xf32>
    "func.return"(%18) : (tensor<3x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<3x32x64xf32>, tensor<32x64xf32>, tensor<i32>) -> tensor<3x32x64xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_15", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<3x32x64xf32>, %arg10: tensor<32x64xf32>, %arg11: tensor<i32>):
    %12 = "stablehlo.broadcast_in_dim"(%arg10) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<32x64xf32>) -> tensor<1x32x64xf32>
    %13 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %14 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %15 = "stablehlo.dynamic_update_slice"(%arg9, %12, %arg11, %13, %14) : (tensor<3x32x64xf32>, tensor<1x32x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x32x64xf32>
    "func.return"(%15) : (tensor<3x32x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<3x64x32xf32>, tensor<64x32xf32>, tensor<i32>) -> tensor<3x64x32xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_16", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<3x64x32xf32>, %arg7: tensor<64x32xf32>, %arg8: tensor<i32>):
    %8 = "stablehlo.broadcast_in_dim"(%arg7) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<64x32xf32>) -> tensor<1x64x32xf32>
    %9 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %10 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %11 = "stablehlo.dynamic_update_slice"(%arg6, %8, %arg8, %9, %10) : (tensor<3x64x32xf32>, tensor<1x64x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x64x32xf32>
    "func.return"(%11) : (tensor<3x64x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<3x32x16xf32>, tensor<32x16xf32>, tensor<i32>) -> tensor<3x32x16xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_17", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<3x32x16xf32>, %arg4: tensor<32x16xf32>, %arg5: tensor<i32>):
    %4 = "stablehlo.broadcast_in_dim"(%arg4) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<32x16xf32>) -> tensor<1x32x16xf32>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %6 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %7 = "stablehlo.dynamic_update_slice"(%arg3, %4, %arg5, %5, %6) : (tensor<3x32x16xf32>, tensor<1x32x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x32x16xf32>
    "func.return"(%7) : (tensor<3x32x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<3x32x32xf32>, tensor<32x32xf32>, tensor<i32>) -> tensor<3x32x32xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_18", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3x32x32xf32>, %arg1: tensor<32x32xf32>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<32x32xf32>) -> tensor<1x32x32xf32>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %3 = "stablehlo.dynamic_update_slice"(%arg0, %0, %arg2, %1, %2) : (tensor<3x32x32xf32>, tensor<1x32x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x32x32xf32>
    "func.return"(%3) : (tensor<3x32x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
