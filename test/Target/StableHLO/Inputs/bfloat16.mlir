"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<100x32xbf16>, tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>, tensor<2x16xi32>, tensor<2x16xi32>) -> (tensor<f32>, tensor<100x32xbf16>, tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['emb']"}, {jax.result_info = "result[1]['layers']['n1']"}, {jax.result_info = "result[1]['layers']['n2']"}, {jax.result_info = "result[1]['layers']['w1']"}, {jax.result_info = "result[1]['layers']['w2']"}, {jax.result_info = "result[1]['layers']['w3']"}, {jax.result_info = "result[1]['layers']['wk']"}, {jax.result_info = "result[1]['layers']['wo']"}, {jax.result_info = "result[1]['layers']['wq']"}, {jax.result_info = "result[1]['layers']['wv']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg131: tensor<100x32xbf16>, %arg132: tensor<1x32xbf16>, %arg133: tensor<1x32xbf16>, %arg134: tensor<1x32x64xbf16>, %arg135: tensor<1x64x32xbf16>, %arg136: tensor<1x32x64xbf16>, %arg137: tensor<1x32x16xbf16>, %arg138: tensor<1x32x32xbf16>, %arg139: tensor<1x32x32xbf16>, %arg140: tensor<1x32x16xbf16>, %arg141: tensor<2x16xi32>, %arg142: tensor<2x16xi32>):
    %593 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %594 = "stablehlo.broadcast_in_dim"(%593) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x16xi32>
    %595 = "stablehlo.compare"(%arg141, %594) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x16xi32>, tensor<2x16xi32>) -> tensor<2x16xi1>
    %596 = "stablehlo.constant"() <{value = dense<100> : tensor<i32>}> : () -> tensor<i32>
    %597 = "stablehlo.broadcast_in_dim"(%596) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x16xi32>
    %598 = "stablehlo.add"(%arg141, %597) : (tensor<2x16xi32>, tensor<2x16xi32>) -> tensor<2x16xi32>
    %599 = "stablehlo.select"(%595, %598, %arg141) : (tensor<2x16xi1>, tensor<2x16xi32>, tensor<2x16xi32>) -> tensor<2x16xi32>
    %600 = "stablehlo.broadcast_in_dim"(%599) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xi32>) -> tensor<2x16x1xi32>
    %601 = "stablehlo.gather"(%arg131, %600) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<100x32xbf16>, tensor<2x16x1xi32>) -> tensor<2x16x32xbf16>
    %602 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16xi32>
    %603 = "stablehlo.broadcast_in_dim"(%602) <{broadcast_dimensions = array<i64: 0>}> : (tensor<16xi32>) -> tensor<16x1xi32>
    %604 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
    %605 = "stablehlo.negate"(%604) : (tensor<4xi32>) -> tensor<4xi32>
    %606 = "stablehlo.convert"(%605) : (tensor<4xi32>) -> tensor<4xf32>
    %607 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %608 = "stablehlo.broadcast_in_dim"(%607) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %609 = "stablehlo.divide"(%606, %608) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %610 = "stablehlo.constant"() <{value = dense<1.000000e+04> : tensor<f32>}> : () -> tensor<f32>
    %611 = "stablehlo.broadcast_in_dim"(%610) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %612 = "stablehlo.power"(%611, %609) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %613 = "stablehlo.broadcast_in_dim"(%612) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1x4xf32>
    %614 = "stablehlo.convert"(%603) : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %615 = "stablehlo.broadcast_in_dim"(%614) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %616 = "stablehlo.broadcast_in_dim"(%613) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %617 = "stablehlo.multiply"(%615, %616) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %618 = "stablehlo.cosine"(%617) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %619 = "stablehlo.broadcast_in_dim"(%618) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %620 = "stablehlo.convert"(%619) : (tensor<1x16x1x4xf32>) -> tensor<1x16x1x4xbf16>
    %621 = "stablehlo.sine"(%617) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %622 = "stablehlo.broadcast_in_dim"(%621) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %623 = "stablehlo.convert"(%622) : (tensor<1x16x1x4xf32>) -> tensor<1x16x1x4xbf16>
    %624 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16xi32>
    %625 = "stablehlo.broadcast_in_dim"(%624) <{broadcast_dimensions = array<i64: 0>}> : (tensor<16xi32>) -> tensor<16x1xi32>
    %626 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
    %627 = "stablehlo.negate"(%626) : (tensor<4xi32>) -> tensor<4xi32>
    %628 = "stablehlo.convert"(%627) : (tensor<4xi32>) -> tensor<4xf32>
    %629 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %630 = "stablehlo.broadcast_in_dim"(%629) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %631 = "stablehlo.divide"(%628, %630) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %632 = "stablehlo.constant"() <{value = dense<1.000000e+04> : tensor<f32>}> : () -> tensor<f32>
    %633 = "stablehlo.broadcast_in_dim"(%632) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %634 = "stablehlo.power"(%633, %631) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %635 = "stablehlo.broadcast_in_dim"(%634) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1x4xf32>
    %636 = "stablehlo.convert"(%625) : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %637 = "stablehlo.broadcast_in_dim"(%636) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %638 = "stablehlo.broadcast_in_dim"(%635) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %639 = "stablehlo.multiply"(%637, %638) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %640 = "stablehlo.cosine"(%639) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %641 = "stablehlo.broadcast_in_dim"(%640) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %642 = "stablehlo.convert"(%641) : (tensor<1x16x1x4xf32>) -> tensor<1x16x1x4xbf16>
    %643 = "stablehlo.sine"(%639) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %644 = "stablehlo.broadcast_in_dim"(%643) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %645 = "stablehlo.convert"(%644) : (tensor<1x16x1x4xf32>) -> tensor<1x16x1x4xbf16>
    %646 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %647 = "stablehlo.broadcast_in_dim"(%646) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<16x16xi1>
    %648 = "func.call"(%647) <{callee = @tril}> : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %649 = "stablehlo.constant"() <{value = dense<-1.000000e+09> : tensor<f32>}> : () -> tensor<f32>
    %650:2 = "func.call"(%648, %649) <{callee = @_where}> : (tensor<16x16xi1>, tensor<f32>) -> (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>)
    %651 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %652 = "stablehlo.broadcast_in_dim"(%651) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x2x16x32xbf16>
    %653 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %654:18 = "stablehlo.while"(%arg132, %arg133, %arg134, %arg135, %arg136, %arg137, %arg138, %arg139, %arg140, %642, %645, %620, %623, %650#0, %650#1, %653, %601, %652) ({
    ^bb0(%arg207: tensor<1x32xbf16>, %arg208: tensor<1x32xbf16>, %arg209: tensor<1x32x64xbf16>, %arg210: tensor<1x64x32xbf16>, %arg211: tensor<1x32x64xbf16>, %arg212: tensor<1x32x16xbf16>, %arg213: tensor<1x32x32xbf16>, %arg214: tensor<1x32x32xbf16>, %arg215: tensor<1x32x16xbf16>, %arg216: tensor<1x16x1x4xbf16>, %arg217: tensor<1x16x1x4xbf16>, %arg218: tensor<1x16x1x4xbf16>, %arg219: tensor<1x16x1x4xbf16>, %arg220: tensor<2x2x2x16x16xi1>, %arg221: tensor<2x2x2x16x16xbf16>, %arg222: tensor<i32>, %arg223: tensor<2x16x32xbf16>, %arg224: tensor<1x2x16x32xbf16>):
      %785 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %786 = "stablehlo.compare"(%arg222, %785) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%786) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg189: tensor<1x32xbf16>, %arg190: tensor<1x32xbf16>, %arg191: tensor<1x32x64xbf16>, %arg192: tensor<1x64x32xbf16>, %arg193: tensor<1x32x64xbf16>, %arg194: tensor<1x32x16xbf16>, %arg195: tensor<1x32x32xbf16>, %arg196: tensor<1x32x32xbf16>, %arg197: tensor<1x32x16xbf16>, %arg198: tensor<1x16x1x4xbf16>, %arg199: tensor<1x16x1x4xbf16>, %arg200: tensor<1x16x1x4xbf16>, %arg201: tensor<1x16x1x4xbf16>, %arg202: tensor<2x2x2x16x16xi1>, %arg203: tensor<2x2x2x16x16xbf16>, %arg204: tensor<i32>, %arg205: tensor<2x16x32xbf16>, %arg206: tensor<1x2x16x32xbf16>):
      %772 = "func.call"(%arg189, %arg204) <{callee = @dynamic_index_in_dim}> : (tensor<1x32xbf16>, tensor<i32>) -> tensor<32xbf16>
      %773 = "func.call"(%arg190, %arg204) <{callee = @dynamic_index_in_dim}> : (tensor<1x32xbf16>, tensor<i32>) -> tensor<32xbf16>
      %774 = "func.call"(%arg191, %arg204) <{callee = @dynamic_index_in_dim_0}> : (tensor<1x32x64xbf16>, tensor<i32>) -> tensor<32x64xbf16>
      %775 = "func.call"(%arg192, %arg204) <{callee = @dynamic_index_in_dim_1}> : (tensor<1x64x32xbf16>, tensor<i32>) -> tensor<64x32xbf16>
      %776 = "func.call"(%arg193, %arg204) <{callee = @dynamic_index_in_dim_0}> : (tensor<1x32x64xbf16>, tensor<i32>) -> tensor<32x64xbf16>
      %777 = "func.call"(%arg194, %arg204) <{callee = @dynamic_index_in_dim_2}> : (tensor<1x32x16xbf16>, tensor<i32>) -> tensor<32x16xbf16>
      %778 = "func.call"(%arg195, %arg204) <{callee = @dynamic_index_in_dim_3}> : (tensor<1x32x32xbf16>, tensor<i32>) -> tensor<32x32xbf16>
      %779 = "func.call"(%arg196, %arg204) <{callee = @dynamic_index_in_dim_3}> : (tensor<1x32x32xbf16>, tensor<i32>) -> tensor<32x32xbf16>
      %780 = "func.call"(%arg197, %arg204) <{callee = @dynamic_index_in_dim_2}> : (tensor<1x32x16xbf16>, tensor<i32>) -> tensor<32x16xbf16>
      %781:2 = "func.call"(%arg198, %arg199, %arg200, %arg201, %arg202, %arg203, %arg205, %772, %773, %774, %775, %776, %777, %778, %779, %780) <{callee = @closed_call}> : (tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>, tensor<2x16x32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<32x16xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x16xbf16>) -> (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>)
      %782 = "func.call"(%arg206, %781#1, %arg204) <{callee = @dynamic_update_index_in_dim}> : (tensor<1x2x16x32xbf16>, tensor<2x16x32xbf16>, tensor<i32>) -> tensor<1x2x16x32xbf16>
      %783 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %784 = "stablehlo.add"(%arg204, %783) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg189, %arg190, %arg191, %arg192, %arg193, %arg194, %arg195, %arg196, %arg197, %arg198, %arg199, %arg200, %arg201, %arg202, %arg203, %784, %781#0, %782) : (tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>, tensor<i32>, tensor<2x16x32xbf16>, tensor<1x2x16x32xbf16>) -> ()
    }) : (tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>, tensor<i32>, tensor<2x16x32xbf16>, tensor<1x2x16x32xbf16>) -> (tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>, tensor<i32>, tensor<2x16x32xbf16>, tensor<1x2x16x32xbf16>)
    %655 = "stablehlo.transpose"(%arg131) <{permutation = array<i64: 1, 0>}> : (tensor<100x32xbf16>) -> tensor<32x100xbf16>
    %656 = "stablehlo.dot_general"(%654#16, %655) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x100xbf16>) -> tensor<2x16x100xbf16>
    %657 = "stablehlo.convert"(%656) : (tensor<2x16x100xbf16>) -> tensor<2x16x100xf32>
    %658:3 = "func.call"(%657) <{callee = @log_softmax}> : (tensor<2x16x100xf32>) -> (tensor<2x16x100xf32>, tensor<2x16x100xf32>, tensor<2x16x1xf32>)
    %659 = "stablehlo.broadcast_in_dim"(%arg142) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xi32>) -> tensor<2x16x1xi32>
    %660:2 = "func.call"(%658#0, %659) <{callee = @take_along_axis}> : (tensor<2x16x100xf32>, tensor<2x16x1xi32>) -> (tensor<2x16x1xf32>, tensor<2x16x1x1xi32>)
    %661 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %662 = "stablehlo.reduce"(%660#0, %661) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg187: tensor<f32>, %arg188: tensor<f32>):
      %771 = "stablehlo.add"(%arg187, %arg188) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%771) : (tensor<f32>) -> ()
    }) : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<f32>
    %663 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %664 = "stablehlo.divide"(%662, %663) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %665 = "stablehlo.negate"(%664) : (tensor<f32>) -> tensor<f32>
    %666 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %667 = "stablehlo.negate"(%666) : (tensor<f32>) -> tensor<f32>
    %668 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %669 = "stablehlo.divide"(%667, %668) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %670 = "stablehlo.broadcast_in_dim"(%669) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %671 = "func.call"(%660#1, %670) <{callee = @take_along_axis_5}> : (tensor<2x16x1x1xi32>, tensor<2x16x1xf32>) -> tensor<2x16x100xf32>
    %672 = "func.call"(%658#1, %658#2, %671) <{callee = @log_softmax_6}> : (tensor<2x16x100xf32>, tensor<2x16x1xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    %673 = "stablehlo.convert"(%672) : (tensor<2x16x100xf32>) -> tensor<2x16x100xbf16>
    %674 = "stablehlo.dot_general"(%673, %654#16) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x100xbf16>, tensor<2x16x32xbf16>) -> tensor<100x32xbf16>
    %675 = "stablehlo.transpose"(%674) <{permutation = array<i64: 1, 0>}> : (tensor<100x32xbf16>) -> tensor<32x100xbf16>
    %676 = "stablehlo.dot_general"(%673, %655) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x100xbf16>, tensor<32x100xbf16>) -> tensor<2x16x32xbf16>
    %677 = "stablehlo.transpose"(%675) <{permutation = array<i64: 1, 0>}> : (tensor<32x100xbf16>) -> tensor<100x32xbf16>
    %678 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %679 = "stablehlo.broadcast_in_dim"(%678) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32xbf16>
    %680 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %681 = "stablehlo.broadcast_in_dim"(%680) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32xbf16>
    %682 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %683 = "stablehlo.broadcast_in_dim"(%682) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x64xbf16>
    %684 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %685 = "stablehlo.broadcast_in_dim"(%684) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x64x32xbf16>
    %686 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %687 = "stablehlo.broadcast_in_dim"(%686) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x64xbf16>
    %688 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %689 = "stablehlo.broadcast_in_dim"(%688) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x16xbf16>
    %690 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %691 = "stablehlo.broadcast_in_dim"(%690) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x32xbf16>
    %692 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %693 = "stablehlo.broadcast_in_dim"(%692) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x32xbf16>
    %694 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %695 = "stablehlo.broadcast_in_dim"(%694) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x16xbf16>
    %696 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %697:21 = "stablehlo.while"(%654#17, %arg132, %arg133, %arg134, %arg135, %arg136, %arg137, %arg138, %arg139, %arg140, %696, %676, %679, %681, %683, %685, %687, %689, %691, %693, %695) ({
    ^bb0(%arg166: tensor<1x2x16x32xbf16>, %arg167: tensor<1x32xbf16>, %arg168: tensor<1x32xbf16>, %arg169: tensor<1x32x64xbf16>, %arg170: tensor<1x64x32xbf16>, %arg171: tensor<1x32x64xbf16>, %arg172: tensor<1x32x16xbf16>, %arg173: tensor<1x32x32xbf16>, %arg174: tensor<1x32x32xbf16>, %arg175: tensor<1x32x16xbf16>, %arg176: tensor<i32>, %arg177: tensor<2x16x32xbf16>, %arg178: tensor<1x32xbf16>, %arg179: tensor<1x32xbf16>, %arg180: tensor<1x32x64xbf16>, %arg181: tensor<1x64x32xbf16>, %arg182: tensor<1x32x64xbf16>, %arg183: tensor<1x32x16xbf16>, %arg184: tensor<1x32x32xbf16>, %arg185: tensor<1x32x32xbf16>, %arg186: tensor<1x32x16xbf16>):
      %769 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %770 = "stablehlo.compare"(%arg176, %769) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%770) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg145: tensor<1x2x16x32xbf16>, %arg146: tensor<1x32xbf16>, %arg147: tensor<1x32xbf16>, %arg148: tensor<1x32x64xbf16>, %arg149: tensor<1x64x32xbf16>, %arg150: tensor<1x32x64xbf16>, %arg151: tensor<1x32x16xbf16>, %arg152: tensor<1x32x32xbf16>, %arg153: tensor<1x32x32xbf16>, %arg154: tensor<1x32x16xbf16>, %arg155: tensor<i32>, %arg156: tensor<2x16x32xbf16>, %arg157: tensor<1x32xbf16>, %arg158: tensor<1x32xbf16>, %arg159: tensor<1x32x64xbf16>, %arg160: tensor<1x64x32xbf16>, %arg161: tensor<1x32x64xbf16>, %arg162: tensor<1x32x16xbf16>, %arg163: tensor<1x32x32xbf16>, %arg164: tensor<1x32x32xbf16>, %arg165: tensor<1x32x16xbf16>):
      %743 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %744 = "stablehlo.subtract"(%743, %arg155) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %745 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %746 = "stablehlo.subtract"(%744, %745) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %747 = "func.call"(%arg145, %746) <{callee = @dynamic_index_in_dim_7}> : (tensor<1x2x16x32xbf16>, tensor<i32>) -> tensor<2x16x32xbf16>
      %748 = "func.call"(%arg146, %746) <{callee = @dynamic_index_in_dim}> : (tensor<1x32xbf16>, tensor<i32>) -> tensor<32xbf16>
      %749 = "func.call"(%arg147, %746) <{callee = @dynamic_index_in_dim}> : (tensor<1x32xbf16>, tensor<i32>) -> tensor<32xbf16>
      %750 = "func.call"(%arg148, %746) <{callee = @dynamic_index_in_dim_0}> : (tensor<1x32x64xbf16>, tensor<i32>) -> tensor<32x64xbf16>
      %751 = "func.call"(%arg149, %746) <{callee = @dynamic_index_in_dim_1}> : (tensor<1x64x32xbf16>, tensor<i32>) -> tensor<64x32xbf16>
      %752 = "func.call"(%arg150, %746) <{callee = @dynamic_index_in_dim_0}> : (tensor<1x32x64xbf16>, tensor<i32>) -> tensor<32x64xbf16>
      %753 = "func.call"(%arg151, %746) <{callee = @dynamic_index_in_dim_2}> : (tensor<1x32x16xbf16>, tensor<i32>) -> tensor<32x16xbf16>
      %754 = "func.call"(%arg152, %746) <{callee = @dynamic_index_in_dim_3}> : (tensor<1x32x32xbf16>, tensor<i32>) -> tensor<32x32xbf16>
      %755 = "func.call"(%arg153, %746) <{callee = @dynamic_index_in_dim_3}> : (tensor<1x32x32xbf16>, tensor<i32>) -> tensor<32x32xbf16>
      %756 = "func.call"(%arg154, %746) <{callee = @dynamic_index_in_dim_2}> : (tensor<1x32x16xbf16>, tensor<i32>) -> tensor<32x16xbf16>
      %757:10 = "func.call"(%arg156, %747, %748, %749, %750, %751, %752, %753, %754, %755, %756) <{callee = @closed_call_8}> : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<32x16xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x16xbf16>) -> (tensor<2x16x32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<32x16xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x16xbf16>)
      %758 = "func.call"(%arg157, %757#1, %746) <{callee = @dynamic_update_index_in_dim_14}> : (tensor<1x32xbf16>, tensor<32xbf16>, tensor<i32>) -> tensor<1x32xbf16>
      %759 = "func.call"(%arg158, %757#2, %746) <{callee = @dynamic_update_index_in_dim_14}> : (tensor<1x32xbf16>, tensor<32xbf16>, tensor<i32>) -> tensor<1x32xbf16>
      %760 = "func.call"(%arg159, %757#3, %746) <{callee = @dynamic_update_index_in_dim_15}> : (tensor<1x32x64xbf16>, tensor<32x64xbf16>, tensor<i32>) -> tensor<1x32x64xbf16>
      %761 = "func.call"(%arg160, %757#4, %746) <{callee = @dynamic_update_index_in_dim_16}> : (tensor<1x64x32xbf16>, tensor<64x32xbf16>, tensor<i32>) -> tensor<1x64x32xbf16>
      %762 = "func.call"(%arg161, %757#5, %746) <{callee = @dynamic_update_index_in_dim_15}> : (tensor<1x32x64xbf16>, tensor<32x64xbf16>, tensor<i32>) -> tensor<1x32x64xbf16>
      %763 = "func.call"(%arg162, %757#6, %746) <{callee = @dynamic_update_index_in_dim_17}> : (tensor<1x32x16xbf16>, tensor<32x16xbf16>, tensor<i32>) -> tensor<1x32x16xbf16>
      %764 = "func.call"(%arg163, %757#7, %746) <{callee = @dynamic_update_index_in_dim_18}> : (tensor<1x32x32xbf16>, tensor<32x32xbf16>, tensor<i32>) -> tensor<1x32x32xbf16>
      %765 = "func.call"(%arg164, %757#8, %746) <{callee = @dynamic_update_index_in_dim_18}> : (tensor<1x32x32xbf16>, tensor<32x32xbf16>, tensor<i32>) -> tensor<1x32x32xbf16>
      %766 = "func.call"(%arg165, %757#9, %746) <{callee = @dynamic_update_index_in_dim_17}> : (tensor<1x32x16xbf16>, tensor<32x16xbf16>, tensor<i32>) -> tensor<1x32x16xbf16>
      %767 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %768 = "stablehlo.add"(%arg155, %767) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg145, %arg146, %arg147, %arg148, %arg149, %arg150, %arg151, %arg152, %arg153, %arg154, %768, %757#0, %758, %759, %760, %761, %762, %763, %764, %765, %766) : (tensor<1x2x16x32xbf16>, tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>, tensor<i32>, tensor<2x16x32xbf16>, tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>) -> ()
    }) : (tensor<1x2x16x32xbf16>, tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>, tensor<i32>, tensor<2x16x32xbf16>, tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>) -> (tensor<1x2x16x32xbf16>, tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>, tensor<i32>, tensor<2x16x32xbf16>, tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>)
    %698 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %699 = "stablehlo.broadcast_in_dim"(%698) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<100x32xbf16>
    %700 = "stablehlo.scatter"(%699, %600, %697#11) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg143: tensor<bf16>, %arg144: tensor<bf16>):
      %742 = "stablehlo.add"(%arg143, %arg144) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%742) : (tensor<bf16>) -> ()
    }) : (tensor<100x32xbf16>, tensor<2x16x1xi32>, tensor<2x16x32xbf16>) -> tensor<100x32xbf16>
    %701 = "stablehlo.add"(%677, %700) : (tensor<100x32xbf16>, tensor<100x32xbf16>) -> tensor<100x32xbf16>
    %702 = "stablehlo.constant"() <{value = dense<1.000980e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %703 = "stablehlo.broadcast_in_dim"(%702) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<100x32xbf16>
    %704 = "stablehlo.multiply"(%703, %701) : (tensor<100x32xbf16>, tensor<100x32xbf16>) -> tensor<100x32xbf16>
    %705 = "stablehlo.subtract"(%arg131, %704) : (tensor<100x32xbf16>, tensor<100x32xbf16>) -> tensor<100x32xbf16>
    %706 = "stablehlo.constant"() <{value = dense<1.000980e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %707 = "stablehlo.broadcast_in_dim"(%706) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32xbf16>
    %708 = "stablehlo.multiply"(%707, %697#12) : (tensor<1x32xbf16>, tensor<1x32xbf16>) -> tensor<1x32xbf16>
    %709 = "stablehlo.subtract"(%arg132, %708) : (tensor<1x32xbf16>, tensor<1x32xbf16>) -> tensor<1x32xbf16>
    %710 = "stablehlo.constant"() <{value = dense<1.000980e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %711 = "stablehlo.broadcast_in_dim"(%710) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32xbf16>
    %712 = "stablehlo.multiply"(%711, %697#13) : (tensor<1x32xbf16>, tensor<1x32xbf16>) -> tensor<1x32xbf16>
    %713 = "stablehlo.subtract"(%arg133, %712) : (tensor<1x32xbf16>, tensor<1x32xbf16>) -> tensor<1x32xbf16>
    %714 = "stablehlo.constant"() <{value = dense<1.000980e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %715 = "stablehlo.broadcast_in_dim"(%714) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x64xbf16>
    %716 = "stablehlo.multiply"(%715, %697#14) : (tensor<1x32x64xbf16>, tensor<1x32x64xbf16>) -> tensor<1x32x64xbf16>
    %717 = "stablehlo.subtract"(%arg134, %716) : (tensor<1x32x64xbf16>, tensor<1x32x64xbf16>) -> tensor<1x32x64xbf16>
    %718 = "stablehlo.constant"() <{value = dense<1.000980e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %719 = "stablehlo.broadcast_in_dim"(%718) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x64x32xbf16>
    %720 = "stablehlo.multiply"(%719, %697#15) : (tensor<1x64x32xbf16>, tensor<1x64x32xbf16>) -> tensor<1x64x32xbf16>
    %721 = "stablehlo.subtract"(%arg135, %720) : (tensor<1x64x32xbf16>, tensor<1x64x32xbf16>) -> tensor<1x64x32xbf16>
    %722 = "stablehlo.constant"() <{value = dense<1.000980e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %723 = "stablehlo.broadcast_in_dim"(%722) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x64xbf16>
    %724 = "stablehlo.multiply"(%723, %697#16) : (tensor<1x32x64xbf16>, tensor<1x32x64xbf16>) -> tensor<1x32x64xbf16>
    %725 = "stablehlo.subtract"(%arg136, %724) : (tensor<1x32x64xbf16>, tensor<1x32x64xbf16>) -> tensor<1x32x64xbf16>
    %726 = "stablehlo.constant"() <{value = dense<1.000980e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %727 = "stablehlo.broadcast_in_dim"(%726) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x16xbf16>
    %728 = "stablehlo.multiply"(%727, %697#17) : (tensor<1x32x16xbf16>, tensor<1x32x16xbf16>) -> tensor<1x32x16xbf16>
    %729 = "stablehlo.subtract"(%arg137, %728) : (tensor<1x32x16xbf16>, tensor<1x32x16xbf16>) -> tensor<1x32x16xbf16>
    %730 = "stablehlo.constant"() <{value = dense<1.000980e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %731 = "stablehlo.broadcast_in_dim"(%730) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x32xbf16>
    %732 = "stablehlo.multiply"(%731, %697#18) : (tensor<1x32x32xbf16>, tensor<1x32x32xbf16>) -> tensor<1x32x32xbf16>
    %733 = "stablehlo.subtract"(%arg138, %732) : (tensor<1x32x32xbf16>, tensor<1x32x32xbf16>) -> tensor<1x32x32xbf16>
    %734 = "stablehlo.constant"() <{value = dense<1.000980e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %735 = "stablehlo.broadcast_in_dim"(%734) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x32xbf16>
    %736 = "stablehlo.multiply"(%735, %697#19) : (tensor<1x32x32xbf16>, tensor<1x32x32xbf16>) -> tensor<1x32x32xbf16>
    %737 = "stablehlo.subtract"(%arg139, %736) : (tensor<1x32x32xbf16>, tensor<1x32x32xbf16>) -> tensor<1x32x32xbf16>
    %738 = "stablehlo.constant"() <{value = dense<1.000980e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %739 = "stablehlo.broadcast_in_dim"(%738) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<1x32x16xbf16>
    %740 = "stablehlo.multiply"(%739, %697#20) : (tensor<1x32x16xbf16>, tensor<1x32x16xbf16>) -> tensor<1x32x16xbf16>
    %741 = "stablehlo.subtract"(%arg140, %740) : (tensor<1x32x16xbf16>, tensor<1x32x16xbf16>) -> tensor<1x32x16xbf16>
    "func.return"(%665, %705, %709, %713, %717, %721, %725, %729, %733, %737, %741) : (tensor<f32>, tensor<100x32xbf16>, tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<1x32x64xbf16>, tensor<1x64x32xbf16>, tensor<1x32x64xbf16>, tensor<1x32x16xbf16>, tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<1x32x16xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16x16xi1>) -> tensor<16x16xi1>, res_attrs = [{}], sym_name = "tril", sym_visibility = "private"}> ({
  ^bb0(%arg130: tensor<16x16xi1>):
    %584 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16x16xi32>
    %585 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %586 = "stablehlo.broadcast_in_dim"(%585) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<16x16xi32>
    %587 = "stablehlo.add"(%584, %586) : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi32>
    %588 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<16x16xi32>
    %589 = "stablehlo.compare"(%587, %588) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %590 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %591 = "stablehlo.broadcast_in_dim"(%590) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<16x16xi1>
    %592 = "stablehlo.select"(%589, %arg130, %591) : (tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>) -> tensor<16x16xi1>
    "func.return"(%592) : (tensor<16x16xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<16x16xi1>, tensor<f32>) -> (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>), res_attrs = [{}, {}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg128: tensor<16x16xi1>, %arg129: tensor<f32>):
    %581 = "stablehlo.convert"(%arg129) : (tensor<f32>) -> tensor<bf16>
    %582 = "stablehlo.broadcast_in_dim"(%arg128) <{broadcast_dimensions = array<i64: 3, 4>}> : (tensor<16x16xi1>) -> tensor<2x2x2x16x16xi1>
    %583 = "stablehlo.broadcast_in_dim"(%581) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x2x2x16x16xbf16>
    "func.return"(%582, %583) : (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<1x32xbf16>, tensor<i32>) -> tensor<32xbf16>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg126: tensor<1x32xbf16>, %arg127: tensor<i32>):
    %578 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %579 = "stablehlo.dynamic_slice"(%arg126, %arg127, %578) <{slice_sizes = array<i64: 1, 32>}> : (tensor<1x32xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x32xbf16>
    %580 = "stablehlo.reshape"(%579) : (tensor<1x32xbf16>) -> tensor<32xbf16>
    "func.return"(%580) : (tensor<32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<1x32x64xbf16>, tensor<i32>) -> tensor<32x64xbf16>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_0", sym_visibility = "private"}> ({
  ^bb0(%arg124: tensor<1x32x64xbf16>, %arg125: tensor<i32>):
    %574 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %575 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %576 = "stablehlo.dynamic_slice"(%arg124, %arg125, %574, %575) <{slice_sizes = array<i64: 1, 32, 64>}> : (tensor<1x32x64xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x64xbf16>
    %577 = "stablehlo.reshape"(%576) : (tensor<1x32x64xbf16>) -> tensor<32x64xbf16>
    "func.return"(%577) : (tensor<32x64xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<1x64x32xbf16>, tensor<i32>) -> tensor<64x32xbf16>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_1", sym_visibility = "private"}> ({
  ^bb0(%arg122: tensor<1x64x32xbf16>, %arg123: tensor<i32>):
    %570 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %571 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %572 = "stablehlo.dynamic_slice"(%arg122, %arg123, %570, %571) <{slice_sizes = array<i64: 1, 64, 32>}> : (tensor<1x64x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x32xbf16>
    %573 = "stablehlo.reshape"(%572) : (tensor<1x64x32xbf16>) -> tensor<64x32xbf16>
    "func.return"(%573) : (tensor<64x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<1x32x16xbf16>, tensor<i32>) -> tensor<32x16xbf16>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_2", sym_visibility = "private"}> ({
  ^bb0(%arg120: tensor<1x32x16xbf16>, %arg121: tensor<i32>):
    %566 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %567 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %568 = "stablehlo.dynamic_slice"(%arg120, %arg121, %566, %567) <{slice_sizes = array<i64: 1, 32, 16>}> : (tensor<1x32x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x16xbf16>
    %569 = "stablehlo.reshape"(%568) : (tensor<1x32x16xbf16>) -> tensor<32x16xbf16>
    "func.return"(%569) : (tensor<32x16xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<1x32x32xbf16>, tensor<i32>) -> tensor<32x32xbf16>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_3", sym_visibility = "private"}> ({
  ^bb0(%arg118: tensor<1x32x32xbf16>, %arg119: tensor<i32>):
    %562 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %563 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %564 = "stablehlo.dynamic_slice"(%arg118, %arg119, %562, %563) <{slice_sizes = array<i64: 1, 32, 32>}> : (tensor<1x32x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x32xbf16>
    %565 = "stablehlo.reshape"(%564) : (tensor<1x32x32xbf16>) -> tensor<32x32xbf16>
    "func.return"(%565) : (tensor<32x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<1x16x1x4xbf16>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>, tensor<2x16x32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<32x16xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x16xbf16>) -> (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg94: tensor<1x16x1x4xbf16>, %arg95: tensor<1x16x1x4xbf16>, %arg96: tensor<1x16x1x4xbf16>, %arg97: tensor<1x16x1x4xbf16>, %arg98: tensor<2x2x2x16x16xi1>, %arg99: tensor<2x2x2x16x16xbf16>, %arg100: tensor<2x16x32xbf16>, %arg101: tensor<32xbf16>, %arg102: tensor<32xbf16>, %arg103: tensor<32x64xbf16>, %arg104: tensor<64x32xbf16>, %arg105: tensor<32x64xbf16>, %arg106: tensor<32x16xbf16>, %arg107: tensor<32x32xbf16>, %arg108: tensor<32x32xbf16>, %arg109: tensor<32x16xbf16>):
    %456 = "stablehlo.multiply"(%arg100, %arg100) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %457 = "stablehlo.convert"(%456) : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %458 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %459 = "stablehlo.reduce"(%457, %458) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg116: tensor<f32>, %arg117: tensor<f32>):
      %561 = "stablehlo.add"(%arg116, %arg117) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%561) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %460 = "stablehlo.broadcast_in_dim"(%459) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %461 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %462 = "stablehlo.broadcast_in_dim"(%461) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %463 = "stablehlo.divide"(%460, %462) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %464 = "stablehlo.convert"(%463) : (tensor<2x16x1xf32>) -> tensor<2x16x1xbf16>
    %465 = "stablehlo.constant"() <{value = dense<9.983770e-07> : tensor<bf16>}> : () -> tensor<bf16>
    %466 = "stablehlo.broadcast_in_dim"(%465) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x16x1xbf16>
    %467 = "stablehlo.add"(%464, %466) : (tensor<2x16x1xbf16>, tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %468 = "stablehlo.rsqrt"(%467) : (tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %469 = "stablehlo.broadcast_in_dim"(%468) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xbf16>) -> tensor<2x16x32xbf16>
    %470 = "stablehlo.multiply"(%arg100, %469) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %471 = "stablehlo.broadcast_in_dim"(%arg101) <{broadcast_dimensions = array<i64: 2>}> : (tensor<32xbf16>) -> tensor<1x1x32xbf16>
    %472 = "stablehlo.broadcast_in_dim"(%471) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xbf16>) -> tensor<2x16x32xbf16>
    %473 = "stablehlo.multiply"(%470, %472) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %474 = "stablehlo.dot_general"(%473, %arg108) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x32xbf16>) -> tensor<2x16x32xbf16>
    %475 = "stablehlo.reshape"(%474) : (tensor<2x16x32xbf16>) -> tensor<2x16x4x8xbf16>
    %476 = "stablehlo.slice"(%475) <{limit_indices = array<i64: 2, 16, 4, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xbf16>) -> tensor<2x16x4x4xbf16>
    %477 = "stablehlo.slice"(%475) <{limit_indices = array<i64: 2, 16, 4, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xbf16>) -> tensor<2x16x4x4xbf16>
    %478 = "stablehlo.broadcast_in_dim"(%arg96) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %479 = "stablehlo.multiply"(%476, %478) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %480 = "stablehlo.broadcast_in_dim"(%arg97) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %481 = "stablehlo.multiply"(%477, %480) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %482 = "stablehlo.subtract"(%479, %481) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %483 = "stablehlo.broadcast_in_dim"(%arg97) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %484 = "stablehlo.multiply"(%476, %483) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %485 = "stablehlo.broadcast_in_dim"(%arg96) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %486 = "stablehlo.multiply"(%477, %485) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %487 = "stablehlo.add"(%484, %486) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %488 = "stablehlo.concatenate"(%482, %487) <{dimension = 3 : i64}> : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x8xbf16>
    %489 = "stablehlo.dot_general"(%473, %arg106) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x16xbf16>) -> tensor<2x16x16xbf16>
    %490 = "stablehlo.reshape"(%489) : (tensor<2x16x16xbf16>) -> tensor<2x16x2x8xbf16>
    %491 = "stablehlo.slice"(%490) <{limit_indices = array<i64: 2, 16, 2, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xbf16>) -> tensor<2x16x2x4xbf16>
    %492 = "stablehlo.slice"(%490) <{limit_indices = array<i64: 2, 16, 2, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xbf16>) -> tensor<2x16x2x4xbf16>
    %493 = "stablehlo.broadcast_in_dim"(%arg94) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %494 = "stablehlo.multiply"(%491, %493) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %495 = "stablehlo.broadcast_in_dim"(%arg95) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %496 = "stablehlo.multiply"(%492, %495) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %497 = "stablehlo.subtract"(%494, %496) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %498 = "stablehlo.broadcast_in_dim"(%arg95) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %499 = "stablehlo.multiply"(%491, %498) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %500 = "stablehlo.broadcast_in_dim"(%arg94) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %501 = "stablehlo.multiply"(%492, %500) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %502 = "stablehlo.add"(%499, %501) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %503 = "stablehlo.concatenate"(%497, %502) <{dimension = 3 : i64}> : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x8xbf16>
    %504 = "stablehlo.dot_general"(%473, %arg109) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x16xbf16>) -> tensor<2x16x16xbf16>
    %505 = "stablehlo.reshape"(%504) : (tensor<2x16x16xbf16>) -> tensor<2x16x2x8xbf16>
    %506 = "stablehlo.reshape"(%488) : (tensor<2x16x4x8xbf16>) -> tensor<2x16x2x2x8xbf16>
    %507 = "stablehlo.dot_general"(%503, %506) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x2x8xbf16>, tensor<2x16x2x2x8xbf16>) -> tensor<2x2x16x16x2xbf16>
    %508 = "stablehlo.transpose"(%507) <{permutation = array<i64: 0, 1, 4, 3, 2>}> : (tensor<2x2x16x16x2xbf16>) -> tensor<2x2x2x16x16xbf16>
    %509 = "stablehlo.constant"() <{value = dense<2.828130e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %510 = "stablehlo.broadcast_in_dim"(%509) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x2x2x16x16xbf16>
    %511 = "stablehlo.divide"(%508, %510) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %512 = "func.call"(%511, %arg98, %arg99) <{callee = @_where_4}> : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %513 = "stablehlo.constant"() <{value = dense<0xFF80> : tensor<bf16>}> : () -> tensor<bf16>
    %514 = "stablehlo.reduce"(%512, %513) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg114: tensor<bf16>, %arg115: tensor<bf16>):
      %560 = "stablehlo.maximum"(%arg114, %arg115) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%560) : (tensor<bf16>) -> ()
    }) : (tensor<2x2x2x16x16xbf16>, tensor<bf16>) -> tensor<2x2x2x16xbf16>
    %515 = "stablehlo.constant"() <{value = dense<0xFF80> : tensor<bf16>}> : () -> tensor<bf16>
    %516 = "stablehlo.broadcast_in_dim"(%515) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x2x2x16xbf16>
    %517 = "stablehlo.maximum"(%516, %514) : (tensor<2x2x2x16xbf16>, tensor<2x2x2x16xbf16>) -> tensor<2x2x2x16xbf16>
    %518 = "stablehlo.broadcast_in_dim"(%517) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x16xbf16>) -> tensor<2x2x2x16x1xbf16>
    %519 = "stablehlo.broadcast_in_dim"(%518) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xbf16>) -> tensor<2x2x2x16x16xbf16>
    %520 = "stablehlo.subtract"(%512, %519) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %521 = "stablehlo.exponential"(%520) : (tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %522 = "stablehlo.convert"(%521) : (tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xf32>
    %523 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %524 = "stablehlo.reduce"(%522, %523) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg112: tensor<f32>, %arg113: tensor<f32>):
      %559 = "stablehlo.add"(%arg112, %arg113) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%559) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x2x16xf32>
    %525 = "stablehlo.broadcast_in_dim"(%524) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x16xf32>) -> tensor<2x2x2x16x1xf32>
    %526 = "stablehlo.convert"(%525) : (tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x1xbf16>
    %527 = "stablehlo.broadcast_in_dim"(%526) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xbf16>) -> tensor<2x2x2x16x16xbf16>
    %528 = "stablehlo.divide"(%521, %527) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %529 = "stablehlo.dot_general"(%505, %528) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x2x8xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x8x2x16xbf16>
    %530 = "stablehlo.transpose"(%529) <{permutation = array<i64: 0, 4, 1, 3, 2>}> : (tensor<2x2x8x2x16xbf16>) -> tensor<2x16x2x2x8xbf16>
    %531 = "stablehlo.reshape"(%530) : (tensor<2x16x2x2x8xbf16>) -> tensor<2x16x32xbf16>
    %532 = "stablehlo.dot_general"(%531, %arg107) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x32xbf16>) -> tensor<2x16x32xbf16>
    %533 = "stablehlo.add"(%arg100, %532) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %534 = "stablehlo.multiply"(%533, %533) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %535 = "stablehlo.convert"(%534) : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %536 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %537 = "stablehlo.reduce"(%535, %536) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg110: tensor<f32>, %arg111: tensor<f32>):
      %558 = "stablehlo.add"(%arg110, %arg111) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%558) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %538 = "stablehlo.broadcast_in_dim"(%537) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %539 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %540 = "stablehlo.broadcast_in_dim"(%539) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %541 = "stablehlo.divide"(%538, %540) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %542 = "stablehlo.convert"(%541) : (tensor<2x16x1xf32>) -> tensor<2x16x1xbf16>
    %543 = "stablehlo.constant"() <{value = dense<9.983770e-07> : tensor<bf16>}> : () -> tensor<bf16>
    %544 = "stablehlo.broadcast_in_dim"(%543) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x16x1xbf16>
    %545 = "stablehlo.add"(%542, %544) : (tensor<2x16x1xbf16>, tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %546 = "stablehlo.rsqrt"(%545) : (tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %547 = "stablehlo.broadcast_in_dim"(%546) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xbf16>) -> tensor<2x16x32xbf16>
    %548 = "stablehlo.multiply"(%533, %547) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %549 = "stablehlo.broadcast_in_dim"(%arg102) <{broadcast_dimensions = array<i64: 2>}> : (tensor<32xbf16>) -> tensor<1x1x32xbf16>
    %550 = "stablehlo.broadcast_in_dim"(%549) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xbf16>) -> tensor<2x16x32xbf16>
    %551 = "stablehlo.multiply"(%548, %550) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %552 = "stablehlo.dot_general"(%551, %arg103) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x64xbf16>) -> tensor<2x16x64xbf16>
    %553 = "func.call"(%552) <{callee = @silu}> : (tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %554 = "stablehlo.dot_general"(%551, %arg105) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x64xbf16>) -> tensor<2x16x64xbf16>
    %555 = "stablehlo.multiply"(%553, %554) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %556 = "stablehlo.dot_general"(%555, %arg104) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x64xbf16>, tensor<64x32xbf16>) -> tensor<2x16x32xbf16>
    %557 = "stablehlo.add"(%533, %556) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    "func.return"(%557, %arg100) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>, res_attrs = [{}], sym_name = "_where_4", sym_visibility = "private"}> ({
  ^bb0(%arg91: tensor<2x2x2x16x16xbf16>, %arg92: tensor<2x2x2x16x16xi1>, %arg93: tensor<2x2x2x16x16xbf16>):
    %455 = "stablehlo.select"(%arg92, %arg91, %arg93) : (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    "func.return"(%455) : (tensor<2x2x2x16x16xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>, res_attrs = [{}], sym_name = "silu", sym_visibility = "private"}> ({
  ^bb0(%arg90: tensor<2x16x64xbf16>):
    %446 = "stablehlo.negate"(%arg90) : (tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %447 = "stablehlo.exponential"(%446) : (tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %448 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %449 = "stablehlo.broadcast_in_dim"(%448) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x16x64xbf16>
    %450 = "stablehlo.add"(%449, %447) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %451 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %452 = "stablehlo.broadcast_in_dim"(%451) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x16x64xbf16>
    %453 = "stablehlo.divide"(%452, %450) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %454 = "stablehlo.multiply"(%arg90, %453) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    "func.return"(%454) : (tensor<2x16x64xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<1x2x16x32xbf16>, tensor<2x16x32xbf16>, tensor<i32>) -> tensor<1x2x16x32xbf16>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg87: tensor<1x2x16x32xbf16>, %arg88: tensor<2x16x32xbf16>, %arg89: tensor<i32>):
    %441 = "stablehlo.broadcast_in_dim"(%arg88) <{broadcast_dimensions = array<i64: 1, 2, 3>}> : (tensor<2x16x32xbf16>) -> tensor<1x2x16x32xbf16>
    %442 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %443 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %444 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %445 = "stablehlo.dynamic_update_slice"(%arg87, %441, %arg89, %442, %443, %444) : (tensor<1x2x16x32xbf16>, tensor<1x2x16x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x16x32xbf16>
    "func.return"(%445) : (tensor<1x2x16x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x16x100xf32>) -> (tensor<2x16x100xf32>, tensor<2x16x100xf32>, tensor<2x16x1xf32>), res_attrs = [{}, {}, {}], sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg82: tensor<2x16x100xf32>):
    %424 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %425 = "stablehlo.reduce"(%arg82, %424) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg85: tensor<f32>, %arg86: tensor<f32>):
      %440 = "stablehlo.maximum"(%arg85, %arg86) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%440) : (tensor<f32>) -> ()
    }) : (tensor<2x16x100xf32>, tensor<f32>) -> tensor<2x16xf32>
    %426 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %427 = "stablehlo.broadcast_in_dim"(%426) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16xf32>
    %428 = "stablehlo.maximum"(%427, %425) : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x16xf32>
    %429 = "stablehlo.broadcast_in_dim"(%428) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %430 = "stablehlo.broadcast_in_dim"(%429) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xf32>) -> tensor<2x16x100xf32>
    %431 = "stablehlo.subtract"(%arg82, %430) : (tensor<2x16x100xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    %432 = "stablehlo.exponential"(%431) : (tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    %433 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %434 = "stablehlo.reduce"(%432, %433) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg83: tensor<f32>, %arg84: tensor<f32>):
      %439 = "stablehlo.add"(%arg83, %arg84) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%439) : (tensor<f32>) -> ()
    }) : (tensor<2x16x100xf32>, tensor<f32>) -> tensor<2x16xf32>
    %435 = "stablehlo.broadcast_in_dim"(%434) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %436 = "stablehlo.log"(%435) : (tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %437 = "stablehlo.broadcast_in_dim"(%436) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xf32>) -> tensor<2x16x100xf32>
    %438 = "stablehlo.subtract"(%431, %437) : (tensor<2x16x100xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    "func.return"(%438, %432, %435) : (tensor<2x16x100xf32>, tensor<2x16x100xf32>, tensor<2x16x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x16x100xf32>, tensor<2x16x1xi32>) -> (tensor<2x16x1xf32>, tensor<2x16x1x1xi32>), res_attrs = [{}, {}], sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg78: tensor<2x16x100xf32>, %arg79: tensor<2x16x1xi32>):
    %401 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %402 = "stablehlo.broadcast_in_dim"(%401) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x16x1xi32>
    %403 = "stablehlo.compare"(%arg79, %402) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x16x1xi32>, tensor<2x16x1xi32>) -> tensor<2x16x1xi1>
    %404 = "stablehlo.constant"() <{value = dense<100> : tensor<i32>}> : () -> tensor<i32>
    %405 = "stablehlo.broadcast_in_dim"(%404) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x16x1xi32>
    %406 = "stablehlo.add"(%arg79, %405) : (tensor<2x16x1xi32>, tensor<2x16x1xi32>) -> tensor<2x16x1xi32>
    %407 = "stablehlo.select"(%403, %406, %arg79) : (tensor<2x16x1xi1>, tensor<2x16x1xi32>, tensor<2x16x1xi32>) -> tensor<2x16x1xi32>
    %408 = "stablehlo.reshape"(%407) : (tensor<2x16x1xi32>) -> tensor<2x16x1x1xi32>
    %409 = "stablehlo.constant"() <{value = dense<99> : tensor<1xi32>}> : () -> tensor<1xi32>
    %410 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %411 = "stablehlo.broadcast_in_dim"(%410) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x16x1x1xi32>
    %412 = "stablehlo.compare"(%408, %411) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<2x16x1x1xi32>, tensor<2x16x1x1xi32>) -> tensor<2x16x1x1xi1>
    %413 = "stablehlo.broadcast_in_dim"(%409) <{broadcast_dimensions = array<i64: 3>}> : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %414 = "stablehlo.broadcast_in_dim"(%413) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x1xi32>) -> tensor<2x16x1x1xi32>
    %415 = "stablehlo.compare"(%408, %414) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<2x16x1x1xi32>, tensor<2x16x1x1xi32>) -> tensor<2x16x1x1xi1>
    %416 = "stablehlo.and"(%412, %415) : (tensor<2x16x1x1xi1>, tensor<2x16x1x1xi1>) -> tensor<2x16x1x1xi1>
    %417 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %418 = "stablehlo.reduce"(%416, %417) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg80: tensor<i1>, %arg81: tensor<i1>):
      %423 = "stablehlo.and"(%arg80, %arg81) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%423) : (tensor<i1>) -> ()
    }) : (tensor<2x16x1x1xi1>, tensor<i1>) -> tensor<2x16x1xi1>
    %419 = "stablehlo.gather"(%arg78, %408) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x16x100xf32>, tensor<2x16x1x1xi32>) -> tensor<2x16x1xf32>
    %420 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %421 = "stablehlo.broadcast_in_dim"(%420) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %422 = "stablehlo.select"(%418, %419, %421) : (tensor<2x16x1xi1>, tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    "func.return"(%422, %408) : (tensor<2x16x1xf32>, tensor<2x16x1x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x16x1x1xi32>, tensor<2x16x1xf32>) -> tensor<2x16x100xf32>, res_attrs = [{}], sym_name = "take_along_axis_5", sym_visibility = "private"}> ({
  ^bb0(%arg74: tensor<2x16x1x1xi32>, %arg75: tensor<2x16x1xf32>):
    %397 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %398 = "stablehlo.broadcast_in_dim"(%397) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x100xf32>
    %399 = "stablehlo.scatter"(%398, %arg74, %arg75) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg76: tensor<f32>, %arg77: tensor<f32>):
      %400 = "stablehlo.add"(%arg76, %arg77) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%400) : (tensor<f32>) -> ()
    }) : (tensor<2x16x100xf32>, tensor<2x16x1x1xi32>, tensor<2x16x1xf32>) -> tensor<2x16x100xf32>
    "func.return"(%399) : (tensor<2x16x100xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2x16x100xf32>, tensor<2x16x1xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>, res_attrs = [{}], sym_name = "log_softmax_6", sym_visibility = "private"}> ({
  ^bb0(%arg67: tensor<2x16x100xf32>, %arg68: tensor<2x16x1xf32>, %arg69: tensor<2x16x100xf32>):
    %385 = "stablehlo.negate"(%arg69) : (tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    %386 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %387 = "stablehlo.reduce"(%385, %386) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg72: tensor<f32>, %arg73: tensor<f32>):
      %396 = "stablehlo.add"(%arg72, %arg73) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%396) : (tensor<f32>) -> ()
    }) : (tensor<2x16x100xf32>, tensor<f32>) -> tensor<2x16xf32>
    %388 = "stablehlo.reshape"(%387) : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %389 = "stablehlo.divide"(%388, %arg68) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %390 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %391 = "stablehlo.reduce"(%389, %390) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg70: tensor<f32>, %arg71: tensor<f32>):
      %395 = "stablehlo.add"(%arg70, %arg71) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%395) : (tensor<f32>) -> ()
    }) : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %392 = "stablehlo.broadcast_in_dim"(%391) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x100xf32>
    %393 = "stablehlo.multiply"(%392, %arg67) : (tensor<2x16x100xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    %394 = "stablehlo.add"(%arg69, %393) : (tensor<2x16x100xf32>, tensor<2x16x100xf32>) -> tensor<2x16x100xf32>
    "func.return"(%394) : (tensor<2x16x100xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<1x2x16x32xbf16>, tensor<i32>) -> tensor<2x16x32xbf16>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_7", sym_visibility = "private"}> ({
  ^bb0(%arg65: tensor<1x2x16x32xbf16>, %arg66: tensor<i32>):
    %380 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %381 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %382 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %383 = "stablehlo.dynamic_slice"(%arg65, %arg66, %380, %381, %382) <{slice_sizes = array<i64: 1, 2, 16, 32>}> : (tensor<1x2x16x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x16x32xbf16>
    %384 = "stablehlo.reshape"(%383) : (tensor<1x2x16x32xbf16>) -> tensor<2x16x32xbf16>
    "func.return"(%384) : (tensor<2x16x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<32x16xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x16xbf16>) -> (tensor<2x16x32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<32x16xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x16xbf16>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_8", sym_visibility = "private"}> ({
  ^bb0(%arg26: tensor<2x16x32xbf16>, %arg27: tensor<2x16x32xbf16>, %arg28: tensor<32xbf16>, %arg29: tensor<32xbf16>, %arg30: tensor<32x64xbf16>, %arg31: tensor<64x32xbf16>, %arg32: tensor<32x64xbf16>, %arg33: tensor<32x16xbf16>, %arg34: tensor<32x32xbf16>, %arg35: tensor<32x32xbf16>, %arg36: tensor<32x16xbf16>):
    %52:11 = "stablehlo.optimization_barrier"(%arg27, %arg28, %arg29, %arg30, %arg31, %arg32, %arg33, %arg34, %arg35, %arg36, %arg26) : (tensor<2x16x32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<32x16xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x16xbf16>, tensor<2x16x32xbf16>) -> (tensor<2x16x32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<32x16xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x16xbf16>, tensor<2x16x32xbf16>)
    %53 = "stablehlo.multiply"(%52#0, %52#0) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %54 = "stablehlo.convert"(%53) : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %55 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %56 = "stablehlo.reduce"(%54, %55) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg63: tensor<f32>, %arg64: tensor<f32>):
      %379 = "stablehlo.add"(%arg63, %arg64) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%379) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %57 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %58 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %59 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %60 = "stablehlo.divide"(%57, %59) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %61 = "stablehlo.convert"(%60) : (tensor<2x16x1xf32>) -> tensor<2x16x1xbf16>
    %62 = "stablehlo.constant"() <{value = dense<9.983770e-07> : tensor<bf16>}> : () -> tensor<bf16>
    %63 = "stablehlo.broadcast_in_dim"(%62) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x16x1xbf16>
    %64 = "stablehlo.add"(%61, %63) : (tensor<2x16x1xbf16>, tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %65 = "stablehlo.rsqrt"(%64) : (tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %66 = "stablehlo.divide"(%65, %64) : (tensor<2x16x1xbf16>, tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %67 = "stablehlo.constant"() <{value = dense<-5.000000e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %68 = "stablehlo.broadcast_in_dim"(%67) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x16x1xbf16>
    %69 = "stablehlo.multiply"(%68, %66) : (tensor<2x16x1xbf16>, tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %70 = "stablehlo.broadcast_in_dim"(%65) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xbf16>) -> tensor<2x16x32xbf16>
    %71 = "stablehlo.multiply"(%52#0, %70) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %72 = "stablehlo.broadcast_in_dim"(%52#1) <{broadcast_dimensions = array<i64: 2>}> : (tensor<32xbf16>) -> tensor<1x1x32xbf16>
    %73 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xbf16>) -> tensor<2x16x32xbf16>
    %74 = "stablehlo.multiply"(%71, %73) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %75 = "stablehlo.dot_general"(%74, %52#8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x32xbf16>) -> tensor<2x16x32xbf16>
    %76 = "stablehlo.reshape"(%75) : (tensor<2x16x32xbf16>) -> tensor<2x16x4x8xbf16>
    %77 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16xi32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64: 0>}> : (tensor<16xi32>) -> tensor<16x1xi32>
    %79 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
    %80 = "stablehlo.negate"(%79) : (tensor<4xi32>) -> tensor<4xi32>
    %81 = "stablehlo.convert"(%80) : (tensor<4xi32>) -> tensor<4xf32>
    %82 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %83 = "stablehlo.broadcast_in_dim"(%82) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %84 = "stablehlo.divide"(%81, %83) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %85 = "stablehlo.constant"() <{value = dense<1.000000e+04> : tensor<f32>}> : () -> tensor<f32>
    %86 = "stablehlo.broadcast_in_dim"(%85) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %87 = "stablehlo.power"(%86, %84) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %88 = "stablehlo.broadcast_in_dim"(%87) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1x4xf32>
    %89 = "stablehlo.convert"(%78) : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %90 = "stablehlo.broadcast_in_dim"(%89) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %91 = "stablehlo.broadcast_in_dim"(%88) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %92 = "stablehlo.multiply"(%90, %91) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %93 = "stablehlo.cosine"(%92) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %94 = "stablehlo.broadcast_in_dim"(%93) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %95 = "stablehlo.convert"(%94) : (tensor<1x16x1x4xf32>) -> tensor<1x16x1x4xbf16>
    %96 = "stablehlo.sine"(%92) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %97 = "stablehlo.broadcast_in_dim"(%96) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %98 = "stablehlo.convert"(%97) : (tensor<1x16x1x4xf32>) -> tensor<1x16x1x4xbf16>
    %99 = "stablehlo.slice"(%76) <{limit_indices = array<i64: 2, 16, 4, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xbf16>) -> tensor<2x16x4x4xbf16>
    %100 = "stablehlo.slice"(%76) <{limit_indices = array<i64: 2, 16, 4, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xbf16>) -> tensor<2x16x4x4xbf16>
    %101 = "stablehlo.broadcast_in_dim"(%95) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %102 = "stablehlo.multiply"(%99, %101) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %103 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %104 = "stablehlo.multiply"(%100, %103) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %105 = "stablehlo.subtract"(%102, %104) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %106 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %107 = "stablehlo.multiply"(%99, %106) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %108 = "stablehlo.broadcast_in_dim"(%95) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %109 = "stablehlo.multiply"(%100, %108) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %110 = "stablehlo.add"(%107, %109) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %111 = "stablehlo.concatenate"(%105, %110) <{dimension = 3 : i64}> : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x8xbf16>
    %112 = "stablehlo.dot_general"(%74, %52#6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x16xbf16>) -> tensor<2x16x16xbf16>
    %113 = "stablehlo.reshape"(%112) : (tensor<2x16x16xbf16>) -> tensor<2x16x2x8xbf16>
    %114 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16xi32>
    %115 = "stablehlo.broadcast_in_dim"(%114) <{broadcast_dimensions = array<i64: 0>}> : (tensor<16xi32>) -> tensor<16x1xi32>
    %116 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
    %117 = "stablehlo.negate"(%116) : (tensor<4xi32>) -> tensor<4xi32>
    %118 = "stablehlo.convert"(%117) : (tensor<4xi32>) -> tensor<4xf32>
    %119 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %120 = "stablehlo.broadcast_in_dim"(%119) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %121 = "stablehlo.divide"(%118, %120) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %122 = "stablehlo.constant"() <{value = dense<1.000000e+04> : tensor<f32>}> : () -> tensor<f32>
    %123 = "stablehlo.broadcast_in_dim"(%122) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %124 = "stablehlo.power"(%123, %121) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %125 = "stablehlo.broadcast_in_dim"(%124) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1x4xf32>
    %126 = "stablehlo.convert"(%115) : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %127 = "stablehlo.broadcast_in_dim"(%126) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %128 = "stablehlo.broadcast_in_dim"(%125) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %129 = "stablehlo.multiply"(%127, %128) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %130 = "stablehlo.cosine"(%129) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %131 = "stablehlo.broadcast_in_dim"(%130) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %132 = "stablehlo.convert"(%131) : (tensor<1x16x1x4xf32>) -> tensor<1x16x1x4xbf16>
    %133 = "stablehlo.sine"(%129) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %134 = "stablehlo.broadcast_in_dim"(%133) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<16x4xf32>) -> tensor<1x16x1x4xf32>
    %135 = "stablehlo.convert"(%134) : (tensor<1x16x1x4xf32>) -> tensor<1x16x1x4xbf16>
    %136 = "stablehlo.slice"(%113) <{limit_indices = array<i64: 2, 16, 2, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xbf16>) -> tensor<2x16x2x4xbf16>
    %137 = "stablehlo.slice"(%113) <{limit_indices = array<i64: 2, 16, 2, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xbf16>) -> tensor<2x16x2x4xbf16>
    %138 = "stablehlo.broadcast_in_dim"(%132) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %139 = "stablehlo.multiply"(%136, %138) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %140 = "stablehlo.broadcast_in_dim"(%135) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %141 = "stablehlo.multiply"(%137, %140) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %142 = "stablehlo.subtract"(%139, %141) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %143 = "stablehlo.broadcast_in_dim"(%135) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %144 = "stablehlo.multiply"(%136, %143) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %145 = "stablehlo.broadcast_in_dim"(%132) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %146 = "stablehlo.multiply"(%137, %145) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %147 = "stablehlo.add"(%144, %146) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %148 = "stablehlo.concatenate"(%142, %147) <{dimension = 3 : i64}> : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x8xbf16>
    %149 = "stablehlo.dot_general"(%74, %52#9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x16xbf16>) -> tensor<2x16x16xbf16>
    %150 = "stablehlo.reshape"(%149) : (tensor<2x16x16xbf16>) -> tensor<2x16x2x8xbf16>
    %151 = "stablehlo.reshape"(%111) : (tensor<2x16x4x8xbf16>) -> tensor<2x16x2x2x8xbf16>
    %152 = "stablehlo.dot_general"(%148, %151) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x2x8xbf16>, tensor<2x16x2x2x8xbf16>) -> tensor<2x2x16x16x2xbf16>
    %153 = "stablehlo.transpose"(%152) <{permutation = array<i64: 0, 1, 4, 3, 2>}> : (tensor<2x2x16x16x2xbf16>) -> tensor<2x2x2x16x16xbf16>
    %154 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %155 = "stablehlo.broadcast_in_dim"(%154) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<16x16xi1>
    %156 = "func.call"(%155) <{callee = @tril_9}> : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %157 = "stablehlo.constant"() <{value = dense<2.828130e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %158 = "stablehlo.broadcast_in_dim"(%157) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x2x2x16x16xbf16>
    %159 = "stablehlo.divide"(%153, %158) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %160 = "stablehlo.constant"() <{value = dense<-1.000000e+09> : tensor<f32>}> : () -> tensor<f32>
    %161:2 = "func.call"(%156, %159, %160) <{callee = @_where_10}> : (tensor<16x16xi1>, tensor<2x2x2x16x16xbf16>, tensor<f32>) -> (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xi1>)
    %162 = "stablehlo.constant"() <{value = dense<0xFF80> : tensor<bf16>}> : () -> tensor<bf16>
    %163 = "stablehlo.reduce"(%161#0, %162) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg61: tensor<bf16>, %arg62: tensor<bf16>):
      %378 = "stablehlo.maximum"(%arg61, %arg62) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%378) : (tensor<bf16>) -> ()
    }) : (tensor<2x2x2x16x16xbf16>, tensor<bf16>) -> tensor<2x2x2x16xbf16>
    %164 = "stablehlo.constant"() <{value = dense<0xFF80> : tensor<bf16>}> : () -> tensor<bf16>
    %165 = "stablehlo.broadcast_in_dim"(%164) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x2x2x16xbf16>
    %166 = "stablehlo.maximum"(%165, %163) : (tensor<2x2x2x16xbf16>, tensor<2x2x2x16xbf16>) -> tensor<2x2x2x16xbf16>
    %167 = "stablehlo.broadcast_in_dim"(%166) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x16xbf16>) -> tensor<2x2x2x16x1xbf16>
    %168 = "stablehlo.broadcast_in_dim"(%167) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xbf16>) -> tensor<2x2x2x16x16xbf16>
    %169 = "stablehlo.subtract"(%161#0, %168) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %170 = "stablehlo.exponential"(%169) : (tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %171 = "stablehlo.convert"(%170) : (tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xf32>
    %172 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %173 = "stablehlo.reduce"(%171, %172) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg59: tensor<f32>, %arg60: tensor<f32>):
      %377 = "stablehlo.add"(%arg59, %arg60) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%377) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x2x16xf32>
    %174 = "stablehlo.broadcast_in_dim"(%173) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x16xf32>) -> tensor<2x2x2x16x1xf32>
    %175 = "stablehlo.convert"(%174) : (tensor<2x2x2x16x1xf32>) -> tensor<2x2x2x16x1xbf16>
    %176 = "stablehlo.broadcast_in_dim"(%175) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xbf16>) -> tensor<2x2x2x16x16xbf16>
    %177 = "stablehlo.divide"(%170, %176) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %178 = "stablehlo.multiply"(%175, %175) : (tensor<2x2x2x16x1xbf16>, tensor<2x2x2x16x1xbf16>) -> tensor<2x2x2x16x1xbf16>
    %179 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %180 = "stablehlo.broadcast_in_dim"(%179) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x2x2x16x1xbf16>
    %181 = "stablehlo.divide"(%180, %178) : (tensor<2x2x2x16x1xbf16>, tensor<2x2x2x16x1xbf16>) -> tensor<2x2x2x16x1xbf16>
    %182 = "stablehlo.dot_general"(%150, %177) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x2x8xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x8x2x16xbf16>
    %183 = "stablehlo.transpose"(%182) <{permutation = array<i64: 0, 4, 1, 3, 2>}> : (tensor<2x2x8x2x16xbf16>) -> tensor<2x16x2x2x8xbf16>
    %184 = "stablehlo.reshape"(%183) : (tensor<2x16x2x2x8xbf16>) -> tensor<2x16x32xbf16>
    %185 = "stablehlo.dot_general"(%184, %52#7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x32xbf16>) -> tensor<2x16x32xbf16>
    %186 = "stablehlo.add"(%52#0, %185) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %187 = "stablehlo.multiply"(%186, %186) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %188 = "stablehlo.convert"(%187) : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %189 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %190 = "stablehlo.reduce"(%188, %189) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg57: tensor<f32>, %arg58: tensor<f32>):
      %376 = "stablehlo.add"(%arg57, %arg58) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%376) : (tensor<f32>) -> ()
    }) : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %191 = "stablehlo.broadcast_in_dim"(%190) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %192 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %193 = "stablehlo.broadcast_in_dim"(%192) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %194 = "stablehlo.divide"(%191, %193) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %195 = "stablehlo.convert"(%194) : (tensor<2x16x1xf32>) -> tensor<2x16x1xbf16>
    %196 = "stablehlo.constant"() <{value = dense<9.983770e-07> : tensor<bf16>}> : () -> tensor<bf16>
    %197 = "stablehlo.broadcast_in_dim"(%196) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x16x1xbf16>
    %198 = "stablehlo.add"(%195, %197) : (tensor<2x16x1xbf16>, tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %199 = "stablehlo.rsqrt"(%198) : (tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %200 = "stablehlo.divide"(%199, %198) : (tensor<2x16x1xbf16>, tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %201 = "stablehlo.constant"() <{value = dense<-5.000000e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %202 = "stablehlo.broadcast_in_dim"(%201) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x16x1xbf16>
    %203 = "stablehlo.multiply"(%202, %200) : (tensor<2x16x1xbf16>, tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %204 = "stablehlo.broadcast_in_dim"(%199) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xbf16>) -> tensor<2x16x32xbf16>
    %205 = "stablehlo.multiply"(%186, %204) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %206 = "stablehlo.broadcast_in_dim"(%52#2) <{broadcast_dimensions = array<i64: 2>}> : (tensor<32xbf16>) -> tensor<1x1x32xbf16>
    %207 = "stablehlo.broadcast_in_dim"(%206) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xbf16>) -> tensor<2x16x32xbf16>
    %208 = "stablehlo.multiply"(%205, %207) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %209 = "stablehlo.dot_general"(%208, %52#3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x64xbf16>) -> tensor<2x16x64xbf16>
    %210:3 = "func.call"(%209) <{callee = @silu_11}> : (tensor<2x16x64xbf16>) -> (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>, tensor<2x16x64xbf16>)
    %211 = "stablehlo.dot_general"(%208, %52#5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x64xbf16>) -> tensor<2x16x64xbf16>
    %212 = "stablehlo.multiply"(%210#0, %211) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %213 = "stablehlo.dot_general"(%52#10, %212) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<2x16x64xbf16>) -> tensor<32x64xbf16>
    %214 = "stablehlo.transpose"(%213) <{permutation = array<i64: 1, 0>}> : (tensor<32x64xbf16>) -> tensor<64x32xbf16>
    %215 = "stablehlo.dot_general"(%52#10, %52#4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<64x32xbf16>) -> tensor<2x16x64xbf16>
    %216 = "stablehlo.multiply"(%210#0, %215) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %217 = "stablehlo.multiply"(%215, %211) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %218 = "stablehlo.dot_general"(%216, %208) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x64xbf16>, tensor<2x16x32xbf16>) -> tensor<64x32xbf16>
    %219 = "stablehlo.transpose"(%218) <{permutation = array<i64: 1, 0>}> : (tensor<64x32xbf16>) -> tensor<32x64xbf16>
    %220 = "stablehlo.dot_general"(%216, %52#5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x64xbf16>, tensor<32x64xbf16>) -> tensor<2x16x32xbf16>
    %221 = "func.call"(%210#1, %209, %210#2, %217) <{callee = @silu_12}> : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>, tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %222 = "stablehlo.dot_general"(%221, %208) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x64xbf16>, tensor<2x16x32xbf16>) -> tensor<64x32xbf16>
    %223 = "stablehlo.transpose"(%222) <{permutation = array<i64: 1, 0>}> : (tensor<64x32xbf16>) -> tensor<32x64xbf16>
    %224 = "stablehlo.dot_general"(%221, %52#3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x64xbf16>, tensor<32x64xbf16>) -> tensor<2x16x32xbf16>
    %225 = "stablehlo.add"(%220, %224) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %226 = "stablehlo.multiply"(%205, %225) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %227 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %228 = "stablehlo.reduce"(%226, %227) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg55: tensor<bf16>, %arg56: tensor<bf16>):
      %375 = "stablehlo.add"(%arg55, %arg56) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%375) : (tensor<bf16>) -> ()
    }) : (tensor<2x16x32xbf16>, tensor<bf16>) -> tensor<32xbf16>
    %229 = "stablehlo.reshape"(%228) : (tensor<32xbf16>) -> tensor<1x1x32xbf16>
    %230 = "stablehlo.broadcast_in_dim"(%206) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xbf16>) -> tensor<2x16x32xbf16>
    %231 = "stablehlo.multiply"(%225, %230) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %232 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %233 = "stablehlo.reduce"(%229, %232) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg53: tensor<bf16>, %arg54: tensor<bf16>):
      %374 = "stablehlo.add"(%arg53, %arg54) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%374) : (tensor<bf16>) -> ()
    }) : (tensor<1x1x32xbf16>, tensor<bf16>) -> tensor<32xbf16>
    %234 = "stablehlo.multiply"(%186, %231) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %235 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %236 = "stablehlo.reduce"(%234, %235) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg51: tensor<bf16>, %arg52: tensor<bf16>):
      %373 = "stablehlo.add"(%arg51, %arg52) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%373) : (tensor<bf16>) -> ()
    }) : (tensor<2x16x32xbf16>, tensor<bf16>) -> tensor<2x16xbf16>
    %237 = "stablehlo.reshape"(%236) : (tensor<2x16xbf16>) -> tensor<2x16x1xbf16>
    %238 = "stablehlo.broadcast_in_dim"(%199) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xbf16>) -> tensor<2x16x32xbf16>
    %239 = "stablehlo.multiply"(%231, %238) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %240 = "stablehlo.add"(%52#10, %239) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %241 = "stablehlo.multiply"(%237, %203) : (tensor<2x16x1xbf16>, tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %242 = "stablehlo.convert"(%241) : (tensor<2x16x1xbf16>) -> tensor<2x16x1xf32>
    %243 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %244 = "stablehlo.broadcast_in_dim"(%243) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %245 = "stablehlo.divide"(%242, %244) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %246 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %247 = "stablehlo.reduce"(%245, %246) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg49: tensor<f32>, %arg50: tensor<f32>):
      %372 = "stablehlo.add"(%arg49, %arg50) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%372) : (tensor<f32>) -> ()
    }) : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %248 = "stablehlo.broadcast_in_dim"(%247) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x32xf32>
    %249 = "stablehlo.convert"(%248) : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %250 = "stablehlo.multiply"(%186, %249) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %251 = "stablehlo.add"(%240, %250) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %252 = "stablehlo.multiply"(%249, %186) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %253 = "stablehlo.add"(%251, %252) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %254 = "stablehlo.dot_general"(%253, %184) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<32x32xbf16>
    %255 = "stablehlo.transpose"(%254) <{permutation = array<i64: 1, 0>}> : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
    %256 = "stablehlo.dot_general"(%253, %52#7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x32xbf16>) -> tensor<2x16x32xbf16>
    %257 = "stablehlo.reshape"(%256) : (tensor<2x16x32xbf16>) -> tensor<2x16x2x2x8xbf16>
    %258 = "stablehlo.transpose"(%257) <{permutation = array<i64: 0, 2, 4, 3, 1>}> : (tensor<2x16x2x2x8xbf16>) -> tensor<2x2x8x2x16xbf16>
    %259 = "stablehlo.dot_general"(%258, %150) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2x8x2x16xbf16>, tensor<2x16x2x8xbf16>) -> tensor<2x2x2x16x16xbf16>
    %260 = "stablehlo.dot_general"(%258, %177) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3, 4], rhs_contracting_dimensions = [2, 3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2x8x2x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x8x16xbf16>
    %261 = "stablehlo.transpose"(%260) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x2x8x16xbf16>) -> tensor<2x16x2x8xbf16>
    %262 = "stablehlo.broadcast_in_dim"(%181) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xbf16>) -> tensor<2x2x2x16x16xbf16>
    %263 = "stablehlo.multiply"(%259, %262) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %264 = "stablehlo.multiply"(%263, %170) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %265 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %266 = "stablehlo.reduce"(%264, %265) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg47: tensor<bf16>, %arg48: tensor<bf16>):
      %371 = "stablehlo.add"(%arg47, %arg48) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%371) : (tensor<bf16>) -> ()
    }) : (tensor<2x2x2x16x16xbf16>, tensor<bf16>) -> tensor<2x2x2x16xbf16>
    %267 = "stablehlo.reshape"(%266) : (tensor<2x2x2x16xbf16>) -> tensor<2x2x2x16x1xbf16>
    %268 = "stablehlo.negate"(%267) : (tensor<2x2x2x16x1xbf16>) -> tensor<2x2x2x16x1xbf16>
    %269 = "stablehlo.broadcast_in_dim"(%175) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<2x2x2x16x1xbf16>) -> tensor<2x2x2x16x16xbf16>
    %270 = "stablehlo.divide"(%259, %269) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %271 = "stablehlo.convert"(%268) : (tensor<2x2x2x16x1xbf16>) -> tensor<2x2x2x16x1xf32>
    %272 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %273 = "stablehlo.reduce"(%271, %272) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg45: tensor<f32>, %arg46: tensor<f32>):
      %370 = "stablehlo.add"(%arg45, %arg46) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%370) : (tensor<f32>) -> ()
    }) : (tensor<2x2x2x16x1xf32>, tensor<f32>) -> tensor<2x2x2x16xf32>
    %274 = "stablehlo.broadcast_in_dim"(%273) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x2x2x16xf32>) -> tensor<2x2x2x16x16xf32>
    %275 = "stablehlo.convert"(%274) : (tensor<2x2x2x16x16xf32>) -> tensor<2x2x2x16x16xbf16>
    %276 = "stablehlo.add"(%270, %275) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %277 = "stablehlo.multiply"(%276, %170) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %278 = "func.call"(%161#1, %277) <{callee = @_where_13}> : (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %279 = "stablehlo.constant"() <{value = dense<2.828130e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %280 = "stablehlo.broadcast_in_dim"(%279) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x2x2x16x16xbf16>
    %281 = "stablehlo.divide"(%278, %280) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    %282 = "stablehlo.transpose"(%281) <{permutation = array<i64: 0, 1, 4, 3, 2>}> : (tensor<2x2x2x16x16xbf16>) -> tensor<2x2x16x16x2xbf16>
    %283 = "stablehlo.dot_general"(%282, %148) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2x16x16x2xbf16>, tensor<2x16x2x8xbf16>) -> tensor<2x2x16x2x8xbf16>
    %284 = "stablehlo.transpose"(%283) <{permutation = array<i64: 0, 2, 1, 3, 4>}> : (tensor<2x2x16x2x8xbf16>) -> tensor<2x16x2x2x8xbf16>
    %285 = "stablehlo.dot_general"(%282, %151) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3, 4], rhs_contracting_dimensions = [1, 3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2x16x16x2xbf16>, tensor<2x16x2x2x8xbf16>) -> tensor<2x2x16x8xbf16>
    %286 = "stablehlo.transpose"(%285) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x2x16x8xbf16>) -> tensor<2x16x2x8xbf16>
    %287 = "stablehlo.reshape"(%284) : (tensor<2x16x2x2x8xbf16>) -> tensor<2x16x4x8xbf16>
    %288 = "stablehlo.reshape"(%261) : (tensor<2x16x2x8xbf16>) -> tensor<2x16x16xbf16>
    %289 = "stablehlo.dot_general"(%288, %74) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x16xbf16>, tensor<2x16x32xbf16>) -> tensor<16x32xbf16>
    %290 = "stablehlo.transpose"(%289) <{permutation = array<i64: 1, 0>}> : (tensor<16x32xbf16>) -> tensor<32x16xbf16>
    %291 = "stablehlo.dot_general"(%288, %52#9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x16xbf16>, tensor<32x16xbf16>) -> tensor<2x16x32xbf16>
    %292 = "stablehlo.slice"(%286) <{limit_indices = array<i64: 2, 16, 2, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xbf16>) -> tensor<2x16x2x4xbf16>
    %293 = "stablehlo.slice"(%286) <{limit_indices = array<i64: 2, 16, 2, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x2x8xbf16>) -> tensor<2x16x2x4xbf16>
    %294 = "stablehlo.broadcast_in_dim"(%132) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %295 = "stablehlo.multiply"(%293, %294) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %296 = "stablehlo.broadcast_in_dim"(%135) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %297 = "stablehlo.multiply"(%293, %296) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %298 = "stablehlo.negate"(%292) : (tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %299 = "stablehlo.broadcast_in_dim"(%135) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %300 = "stablehlo.multiply"(%298, %299) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %301 = "stablehlo.add"(%295, %300) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %302 = "stablehlo.broadcast_in_dim"(%132) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x2x4xbf16>
    %303 = "stablehlo.multiply"(%292, %302) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %304 = "stablehlo.add"(%297, %303) : (tensor<2x16x2x4xbf16>, tensor<2x16x2x4xbf16>) -> tensor<2x16x2x4xbf16>
    %305 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %306 = "stablehlo.pad"(%301, %305) <{edge_padding_high = array<i64: 0, 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 0, 4>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<2x16x2x4xbf16>, tensor<bf16>) -> tensor<2x16x2x8xbf16>
    %307 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %308 = "stablehlo.pad"(%304, %307) <{edge_padding_high = array<i64: 0, 0, 0, 4>, edge_padding_low = array<i64: 0, 0, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<2x16x2x4xbf16>, tensor<bf16>) -> tensor<2x16x2x8xbf16>
    %309 = "stablehlo.add"(%306, %308) : (tensor<2x16x2x8xbf16>, tensor<2x16x2x8xbf16>) -> tensor<2x16x2x8xbf16>
    %310 = "stablehlo.reshape"(%309) : (tensor<2x16x2x8xbf16>) -> tensor<2x16x16xbf16>
    %311 = "stablehlo.dot_general"(%310, %74) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x16xbf16>, tensor<2x16x32xbf16>) -> tensor<16x32xbf16>
    %312 = "stablehlo.transpose"(%311) <{permutation = array<i64: 1, 0>}> : (tensor<16x32xbf16>) -> tensor<32x16xbf16>
    %313 = "stablehlo.dot_general"(%310, %52#6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x16xbf16>, tensor<32x16xbf16>) -> tensor<2x16x32xbf16>
    %314 = "stablehlo.add"(%291, %313) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %315 = "stablehlo.slice"(%287) <{limit_indices = array<i64: 2, 16, 4, 4>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xbf16>) -> tensor<2x16x4x4xbf16>
    %316 = "stablehlo.slice"(%287) <{limit_indices = array<i64: 2, 16, 4, 8>, start_indices = array<i64: 0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x16x4x8xbf16>) -> tensor<2x16x4x4xbf16>
    %317 = "stablehlo.broadcast_in_dim"(%95) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %318 = "stablehlo.multiply"(%316, %317) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %319 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %320 = "stablehlo.multiply"(%316, %319) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %321 = "stablehlo.negate"(%315) : (tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %322 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %323 = "stablehlo.multiply"(%321, %322) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %324 = "stablehlo.add"(%318, %323) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %325 = "stablehlo.broadcast_in_dim"(%95) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x4xbf16>) -> tensor<2x16x4x4xbf16>
    %326 = "stablehlo.multiply"(%315, %325) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %327 = "stablehlo.add"(%320, %326) : (tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>) -> tensor<2x16x4x4xbf16>
    %328 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %329 = "stablehlo.pad"(%324, %328) <{edge_padding_high = array<i64: 0, 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 0, 4>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<2x16x4x4xbf16>, tensor<bf16>) -> tensor<2x16x4x8xbf16>
    %330 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %331 = "stablehlo.pad"(%327, %330) <{edge_padding_high = array<i64: 0, 0, 0, 4>, edge_padding_low = array<i64: 0, 0, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<2x16x4x4xbf16>, tensor<bf16>) -> tensor<2x16x4x8xbf16>
    %332 = "stablehlo.add"(%329, %331) : (tensor<2x16x4x8xbf16>, tensor<2x16x4x8xbf16>) -> tensor<2x16x4x8xbf16>
    %333 = "stablehlo.reshape"(%332) : (tensor<2x16x4x8xbf16>) -> tensor<2x16x32xbf16>
    %334 = "stablehlo.dot_general"(%333, %74) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<32x32xbf16>
    %335 = "stablehlo.transpose"(%334) <{permutation = array<i64: 1, 0>}> : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
    %336 = "stablehlo.dot_general"(%333, %52#8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x32xbf16>, tensor<32x32xbf16>) -> tensor<2x16x32xbf16>
    %337 = "stablehlo.add"(%314, %336) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %338 = "stablehlo.multiply"(%71, %337) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %339 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %340 = "stablehlo.reduce"(%338, %339) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg43: tensor<bf16>, %arg44: tensor<bf16>):
      %369 = "stablehlo.add"(%arg43, %arg44) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%369) : (tensor<bf16>) -> ()
    }) : (tensor<2x16x32xbf16>, tensor<bf16>) -> tensor<32xbf16>
    %341 = "stablehlo.reshape"(%340) : (tensor<32xbf16>) -> tensor<1x1x32xbf16>
    %342 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x32xbf16>) -> tensor<2x16x32xbf16>
    %343 = "stablehlo.multiply"(%337, %342) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %344 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %345 = "stablehlo.reduce"(%341, %344) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg41: tensor<bf16>, %arg42: tensor<bf16>):
      %368 = "stablehlo.add"(%arg41, %arg42) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%368) : (tensor<bf16>) -> ()
    }) : (tensor<1x1x32xbf16>, tensor<bf16>) -> tensor<32xbf16>
    %346 = "stablehlo.multiply"(%52#0, %343) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %347 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %348 = "stablehlo.reduce"(%346, %347) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg39: tensor<bf16>, %arg40: tensor<bf16>):
      %367 = "stablehlo.add"(%arg39, %arg40) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%367) : (tensor<bf16>) -> ()
    }) : (tensor<2x16x32xbf16>, tensor<bf16>) -> tensor<2x16xbf16>
    %349 = "stablehlo.reshape"(%348) : (tensor<2x16xbf16>) -> tensor<2x16x1xbf16>
    %350 = "stablehlo.broadcast_in_dim"(%65) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x16x1xbf16>) -> tensor<2x16x32xbf16>
    %351 = "stablehlo.multiply"(%343, %350) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %352 = "stablehlo.add"(%253, %351) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %353 = "stablehlo.multiply"(%349, %69) : (tensor<2x16x1xbf16>, tensor<2x16x1xbf16>) -> tensor<2x16x1xbf16>
    %354 = "stablehlo.convert"(%353) : (tensor<2x16x1xbf16>) -> tensor<2x16x1xf32>
    %355 = "stablehlo.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %356 = "stablehlo.broadcast_in_dim"(%355) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x1xf32>
    %357 = "stablehlo.divide"(%354, %356) : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %358 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %359 = "stablehlo.reduce"(%357, %358) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %366 = "stablehlo.add"(%arg37, %arg38) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%366) : (tensor<f32>) -> ()
    }) : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %360 = "stablehlo.broadcast_in_dim"(%359) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x16xf32>) -> tensor<2x16x32xf32>
    %361 = "stablehlo.convert"(%360) : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %362 = "stablehlo.multiply"(%52#0, %361) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %363 = "stablehlo.add"(%352, %362) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %364 = "stablehlo.multiply"(%361, %52#0) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    %365 = "stablehlo.add"(%363, %364) : (tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
    "func.return"(%365, %345, %233, %223, %214, %219, %312, %255, %335, %290) : (tensor<2x16x32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<32x16xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x16xbf16>) -> ()
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
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<16x16xi1>, tensor<2x2x2x16x16xbf16>, tensor<f32>) -> (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xi1>), res_attrs = [{}, {}], sym_name = "_where_10", sym_visibility = "private"}> ({
  ^bb0(%arg22: tensor<16x16xi1>, %arg23: tensor<2x2x2x16x16xbf16>, %arg24: tensor<f32>):
    %39 = "stablehlo.convert"(%arg24) : (tensor<f32>) -> tensor<bf16>
    %40 = "stablehlo.broadcast_in_dim"(%arg22) <{broadcast_dimensions = array<i64: 3, 4>}> : (tensor<16x16xi1>) -> tensor<2x2x2x16x16xi1>
    %41 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x2x2x16x16xbf16>
    %42 = "stablehlo.select"(%40, %arg23, %41) : (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    "func.return"(%42, %40) : (tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x16x64xbf16>) -> (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>, tensor<2x16x64xbf16>), res_attrs = [{}, {}, {}], sym_name = "silu_11", sym_visibility = "private"}> ({
  ^bb0(%arg21: tensor<2x16x64xbf16>):
    %26 = "stablehlo.negate"(%arg21) : (tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %27 = "stablehlo.exponential"(%26) : (tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %28 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %29 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x16x64xbf16>
    %30 = "stablehlo.add"(%29, %27) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %31 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x16x64xbf16>
    %33 = "stablehlo.divide"(%32, %30) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %34 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x16x64xbf16>
    %36 = "stablehlo.subtract"(%35, %33) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %37 = "stablehlo.multiply"(%33, %36) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %38 = "stablehlo.multiply"(%arg21, %33) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    "func.return"(%38, %33, %37) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>, tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>, res_attrs = [{}], sym_name = "silu_12", sym_visibility = "private"}> ({
  ^bb0(%arg17: tensor<2x16x64xbf16>, %arg18: tensor<2x16x64xbf16>, %arg19: tensor<2x16x64xbf16>, %arg20: tensor<2x16x64xbf16>):
    %22 = "stablehlo.multiply"(%arg18, %arg20) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %23 = "stablehlo.multiply"(%arg20, %arg17) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %24 = "stablehlo.multiply"(%22, %arg19) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    %25 = "stablehlo.add"(%23, %24) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
    "func.return"(%25) : (tensor<2x16x64xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>, res_attrs = [{}], sym_name = "_where_13", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<2x2x2x16x16xi1>, %arg16: tensor<2x2x2x16x16xbf16>):
    %19 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %20 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<2x2x2x16x16xbf16>
    %21 = "stablehlo.select"(%arg15, %arg16, %20) : (tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xbf16>, tensor<2x2x2x16x16xbf16>) -> tensor<2x2x2x16x16xbf16>
    "func.return"(%21) : (tensor<2x2x2x16x16xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<1x32xbf16>, tensor<32xbf16>, tensor<i32>) -> tensor<1x32xbf16>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_14", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<1x32xbf16>, %arg13: tensor<32xbf16>, %arg14: tensor<i32>):
    %16 = "stablehlo.broadcast_in_dim"(%arg13) <{broadcast_dimensions = array<i64: 1>}> : (tensor<32xbf16>) -> tensor<1x32xbf16>
    %17 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %18 = "stablehlo.dynamic_update_slice"(%arg12, %16, %arg14, %17) : (tensor<1x32xbf16>, tensor<1x32xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x32xbf16>
    "func.return"(%18) : (tensor<1x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<1x32x64xbf16>, tensor<32x64xbf16>, tensor<i32>) -> tensor<1x32x64xbf16>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_15", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<1x32x64xbf16>, %arg10: tensor<32x64xbf16>, %arg11: tensor<i32>):
    %12 = "stablehlo.broadcast_in_dim"(%arg10) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<32x64xbf16>) -> tensor<1x32x64xbf16>
    %13 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %14 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %15 = "stablehlo.dynamic_update_slice"(%arg9, %12, %arg11, %13, %14) : (tensor<1x32x64xbf16>, tensor<1x32x64xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x64xbf16>
    "func.return"(%15) : (tensor<1x32x64xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<1x64x32xbf16>, tensor<64x32xbf16>, tensor<i32>) -> tensor<1x64x32xbf16>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_16", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<1x64x32xbf16>, %arg7: tensor<64x32xbf16>, %arg8: tensor<i32>):
    %8 = "stablehlo.broadcast_in_dim"(%arg7) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<64x32xbf16>) -> tensor<1x64x32xbf16>
    %9 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %10 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %11 = "stablehlo.dynamic_update_slice"(%arg6, %8, %arg8, %9, %10) : (tensor<1x64x32xbf16>, tensor<1x64x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x32xbf16>
    "func.return"(%11) : (tensor<1x64x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<1x32x16xbf16>, tensor<32x16xbf16>, tensor<i32>) -> tensor<1x32x16xbf16>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_17", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<1x32x16xbf16>, %arg4: tensor<32x16xbf16>, %arg5: tensor<i32>):
    %4 = "stablehlo.broadcast_in_dim"(%arg4) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<32x16xbf16>) -> tensor<1x32x16xbf16>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %6 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %7 = "stablehlo.dynamic_update_slice"(%arg3, %4, %arg5, %5, %6) : (tensor<1x32x16xbf16>, tensor<1x32x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x16xbf16>
    "func.return"(%7) : (tensor<1x32x16xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<1x32x32xbf16>, tensor<32x32xbf16>, tensor<i32>) -> tensor<1x32x32xbf16>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_18", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<1x32x32xbf16>, %arg1: tensor<32x32xbf16>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<32x32xbf16>) -> tensor<1x32x32xbf16>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %3 = "stablehlo.dynamic_update_slice"(%arg0, %0, %arg2, %1, %2) : (tensor<1x32x32xbf16>, tensor<1x32x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x32xbf16>
    "func.return"(%3) : (tensor<1x32x32xbf16>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
