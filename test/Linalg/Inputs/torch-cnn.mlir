#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d0, 0)>
module {
  func.func @cnn(%arg0: tensor<4x3x12x12xf32>) -> tensor<4x5xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<"0xB02E3A3AD09E303E771222BE87A103BFF76686BE289112BFAD3A0E3D0716463F767F91BE196AB7BE88CC903E76FE523E5449793D558609BFDA598ABCB188CD3E5AAD46BFD34587BE80808CBF88983EBF131B88BFC9FC0ABEA9543BBF915F203E3658B93D9707DDBD9BFDB9BF4B3D9FBE8564E5BC62FA853D182862BFB8398DBE73A010BF5118EFBE76CD1C3FBFB5EEBEFFD099BCDCB6023FA583ACBEF01384BD419D823D35D5163DB71035BFF70E343D1CD6483FAAAB64BF5109FE3E34208D3DEC9EBDBE1CD5933F9653E13EC44131BFCD37303DAB78AA3EF037DFBDDDDEC93E4C4D1DBD983DC53EB59D543F5FBAC7BE9D31F03D8CF488BEDF7B963D26782FBF553EABBE18FCE7BDBCD6043F0644293F9F9E43BF21E6EABE103ABF3ED23D93BF20EA88BE151166BDF6C9393F44CACB3E657341BE8FE759BECDEA13BE212E613F1C0D7DBEB28933BEF873503EF3CC8EBD8145E9BD36A924BF5FF8D9BBC41F83BE0B5B2C3F1E0EC13EC06164BC5F93C53EE3EE48BE8B811B3FED4D4CBB2473AC3ED2CB3EBFA6F54C3EF68479BF9A6996BF3E0234BEC40205BF6CFAC13DAFE3A53F33DCF5BE9770B8BE54DFF23D83BC913E"> : tensor<4x3x3x3xf32>
    %cst_2 = arith.constant dense<[-0.0882030352, -0.102965169, 0.351231486, 0.259953827]> : tensor<4xf32>
    %cst_3 = arith.constant dense<"0x6DC718BF06403BBD02E5A63CC6DA1BBF5D9E193E639DFDBE4FAC0F3FC4E7E33DC231533DC0B5AEBEEF3E8CBD97A293BF523927BF6883563E8A4D9DBFA342FA3EB90981BFC6B1DF3E87EEF9BEBA45E63EA5D69A3D932563BF53A0383F3416553F019E1BBDEEF021BE6207BDBD0F2110BF7A5F223F0D7BA0BEE81CF2BC4680EABEBE11B9BE94D93CBF04CC393FF931B6BDCCC30E3F3915FC3B9C44CDBE752341BE2E9BA5BE3B93963B3ADC5DBED35031BE72C14BBFA081EEBEF478743F356BC6BEFCCB1BBFF96D473E47FF4F3F3FE856BF1C8FF6BD3BD6BABE0C2482BF2E3FD93E62C35DBC95F2283DC362DEBE8B6F863E086B9FBE7DF8A8BD84CD23BFF5BD33BFD364453FDFE695BE81712C3E2AD19FBC6C6782BEAB2796BE2841BA3E557732BEA911B3BD5633523CD0E32D3F4C29C93E2232623EF597A6BEDD414CBF94570C3FAED70E3F2060A6BDC42EA03E47FFE63E6EB3F53E992E083F9EAE86BE61EA5F3FA03F38BF6CBAFE3E0A02923E531F013F3BDC8A3F4D675B3F524229BFA69679BFA279F13E410516BF58B1EABBEB39F83EBCF472BFE8ED9BBFA04C193E0CEED13C075211BE8E41B63C0D5FFEBE6FB25FBF0F0EC5BDC39E0FBFC7E872BF247B953E763211BDA757703E2D3812BF3D86C2BE05A913BF120C03BF8D0DE73D2D73E7BE3F82523EB0DD483E3DA9953F47DB4DBFC43B033F9F9F53BD26B604BCD44A56BFEA0888BE0CB1DB3E0C0C43BDF6AD3F3DA7DF2BBEB8A52A3F981D4BBCD09CA2BF3694CCBEE77E91BFB548F0BF31B49CBE351A453F5FDCDE3CE14D2DBF7A090BBF451B273F3C61BA3D1005E33C11DBFCBCB49EB53CA214EE3E3B57A33E580DFF3D3F231ABFE115973E0644CABE16AC213F0ADD3BBF92B9A2BD65358BBBEAC843BFA2827E3FBED9573F730989BE941FE43E36E05F3EEC24C1BF7709143E701111BD6CCB443DF6291FBF623D1FBE8AC6D2BD319A2F3F2CB7453EDB2F52BBFCFB613F1622A4BEDA3B66BE7C4286BF9DEA673FAA870E3FFD82073F86BAC53EBD3D823D08CCFE3DECFC14BE68BDF0BD2B6B003D70735F3F6143A43E813F0ABD2D45ABBE2AB5BBBEEAE16C3F49C7953ED0BE1F3D3EAA4CBE82EB23BFB21D1EBDCC20013F161268BEEB5806BE4FAD02BEFA95813D1D736BBF492B0BBEEA8FFCBE3FBE023FA2CAE3BEB393AA3E7C50613F746639BEF4D3B1BE215AE23DAA8B99BAB0DB12BF"> : tensor<6x4x3x3xf32>
    %cst_4 = arith.constant dense<[0.188169569, 0.822830975, -0.105373777, -0.0828238577, -0.426591724, 0.130267322]> : tensor<6xf32>
    %cst_5 = arith.constant dense<[[-0.50907594, -0.451902688, 0.522421956, -0.369649678, 0.441462368, 0.622316539], [0.105869584, 0.225921094, 0.79700309, -0.0803140327, -0.242093608, -0.552454293], [0.0170268435, 0.603858113, 0.391753167, -0.384607136, -0.349205524, -0.205827042], [0.119317941, -0.0838180407, 0.0875504538, 0.121143341, -0.121973805, -0.0164009426], [0.0843409821, -0.0342804864, 0.205561534, 0.763781845, 0.241671667, 0.0227845609]]> : tensor<5x6xf32>
    %cst_6 = arith.constant dense<[-0.754055142, 0.173499689, -0.87058103, -0.630139172, 0.382206291]> : tensor<5xf32>
    %cst_7 = arith.constant 4.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<4x3x12x12xf32> to tensor<4x3x14x14xf32>
    %0 = tensor.empty() : tensor<4x4x12x12xf32>
    %broadcasted = linalg.broadcast ins(%cst_2 : tensor<4xf32>) outs(%0 : tensor<4x4x12x12xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %cst_1 : tensor<4x3x14x14xf32>, tensor<4x3x3x3xf32>) outs(%broadcasted : tensor<4x4x12x12xf32>) -> tensor<4x4x12x12xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<4x4x12x12xf32>) outs(%0 : tensor<4x4x12x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.cmpf ugt, %in, %cst : f32
      %31 = arith.select %30, %in, %cst : f32
      linalg.yield %31 : f32
    } -> tensor<4x4x12x12xf32>
    %3 = tensor.empty() : tensor<4x4x6x6xf32>
    %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<4x4x6x6xf32>) -> tensor<4x4x6x6xf32>
    %5 = tensor.empty() : tensor<2x2xf32>
    %6 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%2, %5 : tensor<4x4x12x12xf32>, tensor<2x2xf32>) outs(%4 : tensor<4x4x6x6xf32>) -> tensor<4x4x6x6xf32>
    %7 = tensor.empty() : tensor<4x6x2x2xf32>
    %broadcasted_8 = linalg.broadcast ins(%cst_4 : tensor<6xf32>) outs(%7 : tensor<4x6x2x2xf32>) dimensions = [0, 2, 3] 
    %8 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%6, %cst_3 : tensor<4x4x6x6xf32>, tensor<6x4x3x3xf32>) outs(%broadcasted_8 : tensor<4x6x2x2xf32>) -> tensor<4x6x2x2xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<4x6x2x2xf32>) outs(%7 : tensor<4x6x2x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.cmpf ugt, %in, %cst : f32
      %31 = arith.select %30, %in, %cst : f32
      linalg.yield %31 : f32
    } -> tensor<4x6x2x2xf32>
    %10 = tensor.empty() : tensor<4x6x1x1xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<4x6x1x1xf32>) -> tensor<4x6x1x1xf32>
    %12 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%9, %5 : tensor<4x6x2x2xf32>, tensor<2x2xf32>) outs(%11 : tensor<4x6x1x1xf32>) -> tensor<4x6x1x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<4x6x1x1xf32>) outs(%10 : tensor<4x6x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.divf %in, %cst_7 : f32
      linalg.yield %30 : f32
    } -> tensor<4x6x1x1xf32>
    %collapsed = tensor.collapse_shape %13 [[0], [1, 2, 3]] : tensor<4x6x1x1xf32> into tensor<4x6xf32>
    %14 = tensor.empty() : tensor<6x5xf32>
    %transposed = linalg.transpose ins(%cst_5 : tensor<5x6xf32>) outs(%14 : tensor<6x5xf32>) permutation = [1, 0] 
    %15 = tensor.empty() : tensor<4x5xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<4x5xf32>) -> tensor<4x5xf32>
    %17 = linalg.matmul ins(%collapsed, %transposed : tensor<4x6xf32>, tensor<6x5xf32>) outs(%16 : tensor<4x5xf32>) -> tensor<4x5xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %cst_6 : tensor<4x5xf32>, tensor<5xf32>) outs(%15 : tensor<4x5xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %30 = arith.addf %in, %in_9 : f32
      linalg.yield %30 : f32
    } -> tensor<4x5xf32>
    %19 = tensor.empty() : tensor<4xi64>
    %20 = linalg.fill ins(%c0_i64 : i64) outs(%19 : tensor<4xi64>) -> tensor<4xi64>
    %21 = tensor.empty() : tensor<4xf32>
    %22 = linalg.fill ins(%cst_0 : f32) outs(%21 : tensor<4xf32>) -> tensor<4xf32>
    %23:2 = linalg.generic {indexing_maps = [#map1, #map3, #map3], iterator_types = ["parallel", "reduction"]} ins(%18 : tensor<4x5xf32>) outs(%22, %20 : tensor<4xf32>, tensor<4xi64>) {
    ^bb0(%in: f32, %out: f32, %out_9: i64):
      %30 = linalg.index 1 : index
      %31 = arith.index_cast %30 : index to i64
      %32 = arith.maximumf %in, %out : f32
      %33 = arith.cmpf ogt, %in, %out : f32
      %34 = arith.select %33, %31, %out_9 : i64
      linalg.yield %32, %34 : f32, i64
    } -> (tensor<4xf32>, tensor<4xi64>)
    %expanded = tensor.expand_shape %23#0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%18, %expanded : tensor<4x5xf32>, tensor<4x1xf32>) outs(%15 : tensor<4x5xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %30 = arith.subf %in, %in_9 : f32
      linalg.yield %30 : f32
    } -> tensor<4x5xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%24 : tensor<4x5xf32>) outs(%15 : tensor<4x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = math.exp %in : f32
      linalg.yield %30 : f32
    } -> tensor<4x5xf32>
    %26 = tensor.empty() : tensor<4x1xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%25 : tensor<4x5xf32>) outs(%27 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.addf %in, %out : f32
      linalg.yield %30 : f32
    } -> tensor<4x1xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%25, %28 : tensor<4x5xf32>, tensor<4x1xf32>) outs(%15 : tensor<4x5xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %30 = arith.divf %in, %in_9 : f32
      linalg.yield %30 : f32
    } -> tensor<4x5xf32>
    return %29 : tensor<4x5xf32>
  }
}

