#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d2)>
#map6 = affine_map<(d0, d1, d2) -> (d1, d2)>
module {
  func.func @transformer(%arg0: tensor<2x6xi64>) -> tensor<2x6x8xf32> {
    %c11_i64 = arith.constant 11 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<[[-0.119790837, -0.00447023846, 0.209812328, 0.560831368, -0.0223550443, 0.367510945, 0.183170557, -0.104735009], [0.027419636, 0.010137747, -0.323863626, 0.42910096, -0.489890724, 0.414070755, 0.337438196, -0.0328978822], [-0.270625442, -0.0800533592, 0.167151079, 0.26271084, 0.101441175, 0.350773156, -0.197082877, 0.082935281], [-0.554493964, 0.269982785, 0.054155983, -0.146927655, 0.41066727, 0.244491413, -0.995745718, 0.014100858], [-0.514428675, 0.37712121, 0.880020857, -0.183329284, 0.0263677128, -0.0887537748, 0.124031164, 0.22788249], [0.455091774, -0.349106163, 0.555656791, -0.329339892, 0.0979656502, 0.409618706, 0.252153844, -0.331836343], [-0.24816747, -0.16345866, -0.0180910733, 0.405509204, -0.456724316, 0.165003896, 0.215657815, 0.197384864], [0.164864182, 0.536806524, 0.172466293, 0.30298084, 0.199243784, 0.633961141, -0.671682417, 0.45329383], [-0.0922883152, -0.0992483943, -0.342761785, -0.660683632, -0.135020211, -0.242994875, 0.17471689, -0.520523369], [0.506151676, 0.0961431339, -0.0876468345, -0.250819027, -0.278319716, -0.399546146, -0.192460582, 0.00213914481], [-0.0627074465, -5.000970e-01, -0.0939844772, -0.315787852, 0.0565268882, 6.592540e-01, 0.220978886, -0.110704616]]> : tensor<11x8xf32>
    %cst_2 = arith.constant dense<[-5.744830e-01, -0.500180602, -0.596346736, 0.256668597, -0.270492852, 0.0221325345, -0.219915226, 0.0322428457]> : tensor<8xf32>
    %cst_3 = arith.constant dense<[0.495567709, -0.242164955, -0.120545916, -0.285085618, 0.30920893, -0.362645805, -0.400570065, -0.490612954]> : tensor<8xf32>
    %cst_4 = arith.constant dense<[[-0.497970581, 0.166486293, 0.90832287, -0.351918668, 0.336422265, 0.0887797474, -0.389623821, -0.0978280603], [-0.0823484808, -0.244199991, 0.682572603, -0.673915386, 0.134716734, 0.117211603, -0.204925269, 0.0528572462], [0.310280204, 0.0540000238, 0.147546783, 0.244981363, -0.718440294, 0.522685587, 0.805502116, 0.346763402], [0.358384579, -0.497890502, -0.0418707505, -0.287100852, -0.207604527, 0.341899186, -0.284221768, -0.0459977537], [-0.674785196, -0.0560141727, 0.0318257324, -0.249180973, -0.25451842, 0.66695118, -0.427709192, -0.371449232], [-0.286028385, 0.423846543, 0.743007481, 0.1174419, -0.253610224, -0.151226223, 3.764680e-01, -0.32211113], [0.513694227, 5.008360e-01, 0.0248222817, 0.228441447, 0.265075237, 0.549496233, -0.371744335, 0.417618901], [-0.132663131, -0.271444499, 0.0363001861, -0.07578215, -0.349131495, -0.564741611, -0.333080858, 0.513485849]]> : tensor<8x8xf32>
    %cst_5 = arith.constant dense<[[0.693873107, 0.229850873, 0.41928798, -0.182728052, -0.0272772368, 0.0999724268, -0.382293612, -0.349998116], [0.0343573652, -0.113244541, -0.376024097, 0.136659741, -0.0930832922, 0.361103147, -0.00183179614, -0.106174365], [0.0451392867, -0.0608053319, -0.236189947, -0.142112941, 0.264959633, 0.22857818, 0.45475021, -0.598563731], [-0.138978541, -0.146574512, 0.0607307553, -0.159861729, -0.181437597, 0.276823431, 0.0629634485, -0.412371963], [0.471819222, 0.352405071, -0.202925384, 2.939020e-01, -0.259919465, 0.397994488, -0.0770149752, -0.28384766], [-0.131912321, -0.270761937, 0.0679316297, 0.0619090497, 0.0126582598, -0.196793273, -1.29438794, 0.0328223482], [-0.67042011, 0.0863336176, 0.399795949, 0.0968331992, -0.137686625, -0.063596338, -0.0470447429, -0.19418624], [-0.206400752, -0.326646537, 0.420078784, -0.00549891265, 0.338092983, -0.0884063914, 0.0255151521, -0.0602393635]]> : tensor<8x8xf32>
    %cst_6 = arith.constant dense<[[0.163637251, 0.292259842, 0.0847483798, -0.23822999, -0.275755316, 0.58660537, -0.0990082696, -0.102920152], [0.517958343, 3.846170e-01, 0.188740209, -1.412080e-01, 8.319810e-01, 0.13893722, 0.193388566, -0.0604951531], [-0.5000332, -0.471909642, 0.143888518, 0.138532624, -0.0848522186, -0.414252788, -0.50970304, -0.115912713], [-0.514818966, 0.317814559, 0.407528549, 1.00021458, 0.310532123, -2.096040e-01, -0.308180124, -1.22037017], [-0.210325077, -0.0625697151, 0.34217155, 0.216233313, 0.208013043, 0.0755287632, 0.233666986, 0.511803865], [-0.376490831, -0.161680102, -0.490920037, 0.572282851, 0.458512485, 0.265972614, -0.42375192, 0.06114522], [-0.0829575434, 0.0285766777, -0.0665098056, 0.183831081, -0.139596969, 0.302136302, 0.0853459686, -0.103618078], [-0.0395461358, -0.155771166, 0.287751466, -0.0959771871, 0.104259498, -0.13873598, -0.525062799, 0.32035628]]> : tensor<8x8xf32>
    %cst_7 = arith.constant dense<"0xB17087BE7EDD2D3E441ED73DE7F8D3BEA7D671BE199C03BE941A52BE184E97BEE9763D3EE74075BD3C79C53D9B6BDCBD07549C3D6D4B40BEB539D9BBD9F3143E469E383C5A0AEABDE3178BBEFAA72B3DB29CB03DB14784BD2DF244BEB9E60A3EACD41E3F4CDC9ABD1D69AC3DA739C13DF64024BF8BABFD3C69DE34BE753DB13E6E0A82BD960C47BE4ABE5FBDFB8E2A3DF9550FBEEDB457BC1C55ADBED7A866BD7F92463ED60DFC3E29DE343EEA3A8B3DA485973E2772823ECCF8D43E78948A3E7662F1BC3F53843D0C76373DFDB19A3DF9204D3D414D48BEF8A106BF21F32BBE8DAA01BF252E8B3CFBA5943A3A79D6BECA2B303E69EA5D3EF14DC43C1776D53EBD92EF3E035E9ABEC1B2843ED0B6E13D022ED63DF4376F3E611B38BEB8A517BEC9A053BE484141BE85C0C9BC60D5B9BE65DA85BEE5D8133EE65491BCA612C43D4AD3F1BE9CAA48BE2E300EBE3A43053CB81616BE27E76E3EF0B26EBC48618B3B37CF5D3B893E353E4578F1BD99AA8F3ECD8CEB3DDCBB1D3DE1F32A3CA432053E5AF8813E180E723EBE70C03DA470603EC765F23C9951A03EE4F5D9BB15CF04BFBC3FAB3E08E1DC3CE6E595BE28FB4ABDEB4262BED569063F90D0FE3D87CBC8BE71D10B3EA527CCBD2859F53EC3BE86BE55CF0FBF6CE6863CA430B2BDBA4AD5BD100A09BFC186DA3D2C30D63EB85BF4BEA8EA953E6E9711BE1A56163F6E3CDF3D"> : tensor<8x16xf32>
    %cst_8 = arith.constant dense<"0x8C0388BD7118C83E51713E3EF27D56BE2190803E43E438BE1EE021BFF5E0373F0D20FDBD937C5CBECF42F53D69290DBF1F06F5BE35E434BECE283CBEAD36D03C6434CB3EB89D2BBE8069323E55C8593E153DC4BE6C6BA53D1AA4AABE1496C03E98C2243E3F34BF3BF482F2BEB3F8273DC9D88ABEF5957F3EA1CD2CBDD20C93BE6189A73E9F9C823EE7CB56BE7959D23E920FD8BD85D9DFBD7748333DC33D88BE06E41FBE196668BD62810A3F99BB073F2A71BBBD9BC2113F5FBE7ABCF1C8093ED6F19F3E1877D33DEB985A3F9933B03D6CC9D8BEC450EC3ED42E15BE0B54DCBD3E6387BFA332B53EB627943E52A3903E421CB13E470D193F4F3C85BC0ABAA93E3EA686BEF71600BE454BBF3E199A0D3EBA5FF1BEB2D0023E297184BDC63194BE8D3A1D3E5B7212BEFE240EBFFE23C9BE8320203F9F1D09BF7653A13D24DD5C3E4169673E85D5DDBE89D1E8BDC5F74B3D75DA903E328069BE849CD2BE3C7CB53EDF0DC83E07FB053E8D675CBE7143133E7F4C1E3D82A0973E151DE2BE145D283D5C5966BDCCDFC8BE61259C3D06444A3CD29014BEB2600F3E336A00BFFD5C9BBC49301C3EA1A6CD3DB0DAC23EB36CD9BE4E7A08BF811AAD3D67C8243E53DD3F3FD13C5F3E98339EBE2FE8913E4E1399BE867B06BF1B266C3F3BECEB3D7E6B813EE8064C3EAE02243F10B7CD3D496DDC3E4FF5B9BE1002FCBE011E013F337D053F"> : tensor<16x8xf32>
    %cst_9 = arith.constant 8.000000e+00 : f32
    %cst_10 = arith.constant 9.99999974E-6 : f32
    %0 = tensor.empty() : tensor<2x6xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x6xi64>) outs(%0 : tensor<2x6xi1>) {
    ^bb0(%in: i64, %out: i1):
      %56 = arith.cmpi slt, %in, %c0_i64 : i64
      linalg.yield %56 : i1
    } -> tensor<2x6xi1>
    %2 = tensor.empty() : tensor<2x6xi64>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x6xi64>) outs(%2 : tensor<2x6xi64>) {
    ^bb0(%in: i64, %out: i64):
      %56 = arith.addi %in, %c11_i64 : i64
      linalg.yield %56 : i64
    } -> tensor<2x6xi64>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg0 : tensor<2x6xi1>, tensor<2x6xi64>, tensor<2x6xi64>) outs(%2 : tensor<2x6xi64>) {
    ^bb0(%in: i1, %in_14: i64, %in_15: i64, %out: i64):
      %56 = arith.select %in, %in_14, %in_15 : i64
      linalg.yield %56 : i64
    } -> tensor<2x6xi64>
    %collapsed = tensor.collapse_shape %4 [[0, 1]] : tensor<2x6xi64> into tensor<12xi64>
    %5 = tensor.empty() : tensor<12x8xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<12xi64>) outs(%5 : tensor<12x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %56 = arith.index_cast %in : i64 to index
      %57 = linalg.index 1 : index
      %extracted = tensor.extract %cst_1[%56, %57] : tensor<11x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<12x8xf32>
    %expanded = tensor.expand_shape %6 [[0, 1], [2]] output_shape [2, 6, 8] : tensor<12x8xf32> into tensor<2x6x8xf32>
    %7 = tensor.empty() : tensor<2x6x1xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%expanded : tensor<2x6x8xf32>) outs(%8 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.addf %in, %out : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x1xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x6x1xf32>) outs(%7 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.divf %in, %cst_9 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x1xf32>
    %11 = tensor.empty() : tensor<2x6x8xf32>
    %collapsed_11 = tensor.collapse_shape %10 [[0], [1, 2]] : tensor<2x6x1xf32> into tensor<2x6xf32>
    %12 = linalg.generic {indexing_maps = [#map4, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_11 : tensor<2x6xf32>) outs(%11 : tensor<2x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x8xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %12 : tensor<2x6x8xf32>, tensor<2x6x8xf32>) outs(%11 : tensor<2x6x8xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %56 = arith.subf %in, %in_14 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x8xf32>
    %14 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %13 : tensor<2x6x8xf32>, tensor<2x6x8xf32>) outs(%11 : tensor<2x6x8xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %56 = arith.mulf %in, %in_14 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x8xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14 : tensor<2x6x8xf32>) outs(%8 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.addf %in, %out : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x1xf32>
    %16 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x6x1xf32>) outs(%7 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.divf %in, %cst_9 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x1xf32>
    %17 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<2x6x1xf32>) outs(%7 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.addf %in, %cst_10 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x1xf32>
    %18 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<2x6x1xf32>) outs(%7 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = math.rsqrt %in : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x1xf32>
    %collapsed_12 = tensor.collapse_shape %18 [[0], [1, 2]] : tensor<2x6x1xf32> into tensor<2x6xf32>
    %19 = linalg.generic {indexing_maps = [#map4, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_12 : tensor<2x6xf32>) outs(%11 : tensor<2x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x8xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %19 : tensor<2x6x8xf32>, tensor<2x6x8xf32>) outs(%11 : tensor<2x6x8xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %56 = arith.mulf %in, %in_14 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x8xf32>
    %21 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %cst_2 : tensor<2x6x8xf32>, tensor<8xf32>) outs(%11 : tensor<2x6x8xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %56 = arith.mulf %in, %in_14 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x8xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %cst_3 : tensor<2x6x8xf32>, tensor<8xf32>) outs(%11 : tensor<2x6x8xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %56 = arith.addf %in, %in_14 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x8xf32>
    %23 = tensor.empty() : tensor<2x8x8xf32>
    %24 = linalg.generic {indexing_maps = [#map6, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<8x8xf32>) outs(%23 : tensor<2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
    %26 = linalg.batch_matmul ins(%22, %24 : tensor<2x6x8xf32>, tensor<2x8x8xf32>) outs(%25 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
    %27 = linalg.generic {indexing_maps = [#map6, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_5 : tensor<8x8xf32>) outs(%23 : tensor<2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8xf32>
    %28 = linalg.batch_matmul ins(%22, %27 : tensor<2x6x8xf32>, tensor<2x8x8xf32>) outs(%25 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
    %29 = linalg.generic {indexing_maps = [#map6, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_6 : tensor<8x8xf32>) outs(%23 : tensor<2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8xf32>
    %30 = linalg.batch_matmul ins(%22, %29 : tensor<2x6x8xf32>, tensor<2x8x8xf32>) outs(%25 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
    %31 = tensor.empty() : tensor<2x8x6xf32>
    %transposed = linalg.transpose ins(%28 : tensor<2x6x8xf32>) outs(%31 : tensor<2x8x6xf32>) permutation = [0, 2, 1] 
    %32 = tensor.empty() : tensor<2x6x6xf32>
    %33 = linalg.fill ins(%cst : f32) outs(%32 : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %34 = linalg.batch_matmul ins(%26, %transposed : tensor<2x6x8xf32>, tensor<2x8x6xf32>) outs(%33 : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %35 = linalg.fill ins(%c0_i64 : i64) outs(%2 : tensor<2x6xi64>) -> tensor<2x6xi64>
    %36 = tensor.empty() : tensor<2x6xf32>
    %37 = linalg.fill ins(%cst_0 : f32) outs(%36 : tensor<2x6xf32>) -> tensor<2x6xf32>
    %38:2 = linalg.generic {indexing_maps = [#map2, #map4, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%34 : tensor<2x6x6xf32>) outs(%37, %35 : tensor<2x6xf32>, tensor<2x6xi64>) {
    ^bb0(%in: f32, %out: f32, %out_14: i64):
      %56 = linalg.index 2 : index
      %57 = arith.index_cast %56 : index to i64
      %58 = arith.maximumf %in, %out : f32
      %59 = arith.cmpf ogt, %in, %out : f32
      %60 = arith.select %59, %57, %out_14 : i64
      linalg.yield %58, %60 : f32, i64
    } -> (tensor<2x6xf32>, tensor<2x6xi64>)
    %expanded_13 = tensor.expand_shape %38#0 [[0], [1, 2]] output_shape [2, 6, 1] : tensor<2x6xf32> into tensor<2x6x1xf32>
    %39 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34, %expanded_13 : tensor<2x6x6xf32>, tensor<2x6x1xf32>) outs(%32 : tensor<2x6x6xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %56 = arith.subf %in, %in_14 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x6xf32>
    %40 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<2x6x6xf32>) outs(%32 : tensor<2x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = math.exp %in : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x6xf32>
    %41 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%40 : tensor<2x6x6xf32>) outs(%8 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = arith.addf %in, %out : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x1xf32>
    %42 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40, %41 : tensor<2x6x6xf32>, tensor<2x6x1xf32>) outs(%32 : tensor<2x6x6xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %56 = arith.divf %in, %in_14 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x6xf32>
    %43 = linalg.batch_matmul ins(%42, %30 : tensor<2x6x6xf32>, tensor<2x6x8xf32>) outs(%25 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
    %44 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %43 : tensor<2x6x8xf32>, tensor<2x6x8xf32>) outs(%11 : tensor<2x6x8xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %56 = arith.addf %in, %in_14 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x8xf32>
    %45 = tensor.empty() : tensor<2x8x16xf32>
    %46 = linalg.generic {indexing_maps = [#map6, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_7 : tensor<8x16xf32>) outs(%45 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x16xf32>
    %47 = tensor.empty() : tensor<2x6x16xf32>
    %48 = linalg.fill ins(%cst : f32) outs(%47 : tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    %49 = linalg.batch_matmul ins(%44, %46 : tensor<2x6x8xf32>, tensor<2x8x16xf32>) outs(%48 : tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    %50 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49 : tensor<2x6x16xf32>) outs(%47 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %56 = math.erf %in : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x16xf32>
    %51 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49, %50 : tensor<2x6x16xf32>, tensor<2x6x16xf32>) outs(%47 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %56 = arith.mulf %in, %in_14 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x16xf32>
    %52 = tensor.empty() : tensor<2x16x8xf32>
    %53 = linalg.generic {indexing_maps = [#map6, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_8 : tensor<16x8xf32>) outs(%52 : tensor<2x16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x16x8xf32>
    %54 = linalg.batch_matmul ins(%51, %53 : tensor<2x6x16xf32>, tensor<2x16x8xf32>) outs(%25 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
    %55 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %54 : tensor<2x6x8xf32>, tensor<2x6x8xf32>) outs(%11 : tensor<2x6x8xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %56 = arith.addf %in, %in_14 : f32
      linalg.yield %56 : f32
    } -> tensor<2x6x8xf32>
    return %55 : tensor<2x6x8xf32>
  }
}

