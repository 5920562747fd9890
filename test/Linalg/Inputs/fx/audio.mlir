#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map7 = affine_map<(d0) -> (d0)>
#map8 = affine_map<(d0, d1, d2) -> (d1, 0)>
#map9 = affine_map<(d0, d1, d2) -> ()>
#map10 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x1x256xf32>) -> tensor<4x10xf32> {
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c4_i64 = arith.constant 4 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 5.000000e-01 : f32
    %cst_3 = arith.constant 0xFF800000 : f32
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_5 = arith.constant dense_resource<torch_tensor_10_torch.float32> : tensor<10xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_10_16_torch.float32> : tensor<10x16xf32>
    %cst_7 = arith.constant dense_resource<torch_tensor_16_torch.float32_5> : tensor<16xf32>
    %cst_8 = arith.constant dense_resource<torch_tensor_16_16_3_torch.float32> : tensor<16x16x3xf32>
    %cst_9 = arith.constant dense_resource<torch_tensor_16_torch.float32_4> : tensor<16xf32>
    %cst_10 = arith.constant dense_resource<torch_tensor_16_torch.float32_3> : tensor<16xf32>
    %cst_11 = arith.constant dense_resource<torch_tensor_16_torch.float32_2> : tensor<16xf32>
    %cst_12 = arith.constant dense_resource<torch_tensor_16_torch.float32_1> : tensor<16xf32>
    %cst_13 = arith.constant dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>
    %cst_14 = arith.constant dense_resource<torch_tensor_16_4_5_torch.float32> : tensor<16x4x5xf32>
    %cst_15 = arith.constant dense_resource<torch_tensor_8_torch.float32_2> : tensor<8xf32>
    %cst_16 = arith.constant dense_resource<torch_tensor_8_torch.float32_1> : tensor<8xf32>
    %cst_17 = arith.constant 1.000000e-05 : f64
    %cst_18 = arith.constant dense_resource<torch_tensor_8_1_9_torch.float32> : tensor<8x1x9xf32>
    %cst_19 = arith.constant dense_resource<torch_tensor_8_torch.float32> : tensor<8xf32>
    %cst_20 = arith.constant 2.560000e+02 : f64
    %cst_21 = arith.constant 2.560000e+02 : f32
    %cst_22 = arith.constant 1.41421354 : f32
    %cst_23 = arith.constant 1.200000e+01 : f32
    %cst_24 = arith.constant dense_resource<torch_tensor_4_8_torch.int64> : tensor<4x8xi64>
    %cst_25 = arith.constant dense_resource<torch_tensor_4_8_torch.int64_1> : tensor<4x8xi64>
    %cst_26 = arith.constant dense_resource<torch_tensor_4_8_torch.int64_2> : tensor<4x8xi64>
    %cst_27 = arith.constant dense_resource<torch_tensor_4_8_torch.int64_3> : tensor<4x8xi64>
    %cst_28 = arith.constant dense_resource<torch_tensor_4_8_torch.int64_4> : tensor<4x8xi64>
    %cst_29 = arith.constant dense_resource<torch_tensor_4_8_torch.int64_5> : tensor<4x8xi64>
    %cst_30 = arith.constant dense_resource<torch_tensor_4_8_torch.int64_6> : tensor<4x8xi64>
    %cst_31 = arith.constant dense_resource<torch_tensor_4_8_torch.int64_7> : tensor<4x8xi64>
    %padded = tensor.pad %arg0 low[0, 0, 4] high[0, 0, 4] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index):
      tensor.yield %cst : f32
    } : tensor<4x1x256xf32> to tensor<4x1x264xf32>
    %0 = tensor.empty() : tensor<4x8x64xf32>
    %broadcasted = linalg.broadcast ins(%cst_19 : tensor<8xf32>) outs(%0 : tensor<4x8x64xf32>) dimensions = [0, 2] 
    %1 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<4> : vector<1xi64>} ins(%padded, %cst_18 : tensor<4x1x264xf32>, tensor<8x1x9xf32>) outs(%broadcasted : tensor<4x8x64xf32>) -> tensor<4x8x64xf32>
    %expanded = tensor.expand_shape %1 [[0], [1, 2], [3]] output_shape [4, 2, 4, 64] : tensor<4x8x64xf32> into tensor<4x2x4x64xf32>
    %2 = tensor.empty() : tensor<4x2x4x64xf64>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<4x2x4x64xf32>) outs(%2 : tensor<4x2x4x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %62 = arith.extf %in : f32 to f64
      linalg.yield %62 : f64
    } -> tensor<4x2x4x64xf64>
    %4 = tensor.empty() : tensor<4x2x1x1xf64>
    %5 = linalg.fill ins(%cst_0 : f64) outs(%4 : tensor<4x2x1x1xf64>) -> tensor<4x2x1x1xf64>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%3 : tensor<4x2x4x64xf64>) outs(%5 : tensor<4x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %62 = arith.addf %in, %out : f64
      linalg.yield %62 : f64
    } -> tensor<4x2x1x1xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<4x2x1x1xf64>) outs(%4 : tensor<4x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %62 = arith.divf %in, %cst_20 : f64
      linalg.yield %62 : f64
    } -> tensor<4x2x1x1xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %7 : tensor<4x2x4x64xf64>, tensor<4x2x1x1xf64>) outs(%2 : tensor<4x2x4x64xf64>) {
    ^bb0(%in: f64, %in_51: f64, %out: f64):
      %62 = arith.subf %in, %in_51 : f64
      linalg.yield %62 : f64
    } -> tensor<4x2x4x64xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %8 : tensor<4x2x4x64xf64>, tensor<4x2x4x64xf64>) outs(%2 : tensor<4x2x4x64xf64>) {
    ^bb0(%in: f64, %in_51: f64, %out: f64):
      %62 = arith.mulf %in, %in_51 : f64
      linalg.yield %62 : f64
    } -> tensor<4x2x4x64xf64>
    %10 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%9 : tensor<4x2x4x64xf64>) outs(%5 : tensor<4x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %62 = arith.addf %in, %out : f64
      linalg.yield %62 : f64
    } -> tensor<4x2x1x1xf64>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<4x2x1x1xf64>) outs(%4 : tensor<4x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %62 = arith.divf %in, %cst_20 : f64
      linalg.yield %62 : f64
    } -> tensor<4x2x1x1xf64>
    %12 = tensor.empty() : tensor<4x2x1x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<4x2x1x1xf64>) outs(%12 : tensor<4x2x1x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %62 = arith.truncf %in : f64 to f32
      linalg.yield %62 : f32
    } -> tensor<4x2x1x1xf32>
    %14 = linalg.fill ins(%cst : f32) outs(%12 : tensor<4x2x1x1xf32>) -> tensor<4x2x1x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%expanded : tensor<4x2x4x64xf32>) outs(%14 : tensor<4x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.addf %in, %out : f32
      linalg.yield %62 : f32
    } -> tensor<4x2x1x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<4x2x1x1xf32>) outs(%12 : tensor<4x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.divf %in, %cst_21 : f32
      linalg.yield %62 : f32
    } -> tensor<4x2x1x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<4x2x1x1xf32>) outs(%12 : tensor<4x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.truncf %cst_17 : f64 to f32
      %63 = arith.addf %in, %62 : f32
      linalg.yield %63 : f32
    } -> tensor<4x2x1x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<4x2x1x1xf32>) outs(%12 : tensor<4x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.rsqrt %in : f32
      linalg.yield %62 : f32
    } -> tensor<4x2x1x1xf32>
    %expanded_32 = tensor.expand_shape %cst_16 [[0, 1, 2, 3]] output_shape [1, 2, 4, 1] : tensor<8xf32> into tensor<1x2x4x1xf32>
    %19 = tensor.empty() : tensor<4x2x4x1xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %expanded_32 : tensor<4x2x1x1xf32>, tensor<1x2x4x1xf32>) outs(%19 : tensor<4x2x4x1xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.mulf %in, %in_51 : f32
      linalg.yield %62 : f32
    } -> tensor<4x2x4x1xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<4x2x1x1xf32>) outs(%12 : tensor<4x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      linalg.yield %62 : f32
    } -> tensor<4x2x1x1xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %20 : tensor<4x2x1x1xf32>, tensor<4x2x4x1xf32>) outs(%19 : tensor<4x2x4x1xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.mulf %in, %in_51 : f32
      linalg.yield %62 : f32
    } -> tensor<4x2x4x1xf32>
    %expanded_33 = tensor.expand_shape %cst_15 [[0, 1, 2, 3]] output_shape [1, 2, 4, 1] : tensor<8xf32> into tensor<1x2x4x1xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %expanded_33 : tensor<4x2x4x1xf32>, tensor<1x2x4x1xf32>) outs(%19 : tensor<4x2x4x1xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.addf %in, %in_51 : f32
      linalg.yield %62 : f32
    } -> tensor<4x2x4x1xf32>
    %24 = tensor.empty() : tensor<4x8xf32>
    %25 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_24, %cst_25, %cst_26, %cst_27 : tensor<4x8xi64>, tensor<4x8xi64>, tensor<4x8xi64>, tensor<4x8xi64>) outs(%24 : tensor<4x8xf32>) {
    ^bb0(%in: i64, %in_51: i64, %in_52: i64, %in_53: i64, %out: f32):
      %62 = arith.cmpi slt, %in, %c0_i64 : i64
      %63 = arith.addi %in, %c4_i64 : i64
      %64 = arith.select %62, %63, %in : i64
      %65 = arith.index_cast %64 : i64 to index
      %66 = arith.cmpi slt, %in_51, %c0_i64 : i64
      %67 = arith.addi %in_51, %c2_i64 : i64
      %68 = arith.select %66, %67, %in_51 : i64
      %69 = arith.index_cast %68 : i64 to index
      %70 = arith.cmpi slt, %in_52, %c0_i64 : i64
      %71 = arith.addi %in_52, %c4_i64 : i64
      %72 = arith.select %70, %71, %in_52 : i64
      %73 = arith.index_cast %72 : i64 to index
      %74 = arith.cmpi slt, %in_53, %c0_i64 : i64
      %75 = arith.addi %in_53, %c1_i64 : i64
      %76 = arith.select %74, %75, %in_53 : i64
      %77 = arith.index_cast %76 : i64 to index
      %extracted = tensor.extract %20[%65, %69, %73, %77] : tensor<4x2x4x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x8xf32>
    %26 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_28, %cst_29, %cst_30, %cst_31 : tensor<4x8xi64>, tensor<4x8xi64>, tensor<4x8xi64>, tensor<4x8xi64>) outs(%24 : tensor<4x8xf32>) {
    ^bb0(%in: i64, %in_51: i64, %in_52: i64, %in_53: i64, %out: f32):
      %62 = arith.cmpi slt, %in, %c0_i64 : i64
      %63 = arith.addi %in, %c4_i64 : i64
      %64 = arith.select %62, %63, %in : i64
      %65 = arith.index_cast %64 : i64 to index
      %66 = arith.cmpi slt, %in_51, %c0_i64 : i64
      %67 = arith.addi %in_51, %c2_i64 : i64
      %68 = arith.select %66, %67, %in_51 : i64
      %69 = arith.index_cast %68 : i64 to index
      %70 = arith.cmpi slt, %in_52, %c0_i64 : i64
      %71 = arith.addi %in_52, %c4_i64 : i64
      %72 = arith.select %70, %71, %in_52 : i64
      %73 = arith.index_cast %72 : i64 to index
      %74 = arith.cmpi slt, %in_53, %c0_i64 : i64
      %75 = arith.addi %in_53, %c1_i64 : i64
      %76 = arith.select %74, %75, %in_53 : i64
      %77 = arith.index_cast %76 : i64 to index
      %extracted = tensor.extract %23[%65, %69, %73, %77] : tensor<4x2x4x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x8xf32>
    %expanded_34 = tensor.expand_shape %25 [[0], [1, 2]] output_shape [4, 8, 1] : tensor<4x8xf32> into tensor<4x8x1xf32>
    %expanded_35 = tensor.expand_shape %26 [[0], [1, 2]] output_shape [4, 8, 1] : tensor<4x8xf32> into tensor<4x8x1xf32>
    %27 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %expanded_34 : tensor<4x8x64xf32>, tensor<4x8x1xf32>) outs(%0 : tensor<4x8x64xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.mulf %in, %in_51 : f32
      linalg.yield %62 : f32
    } -> tensor<4x8x64xf32>
    %28 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %expanded_35 : tensor<4x8x64xf32>, tensor<4x8x1xf32>) outs(%0 : tensor<4x8x64xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.addf %in, %in_51 : f32
      linalg.yield %62 : f32
    } -> tensor<4x8x64xf32>
    %29 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28 : tensor<4x8x64xf32>) outs(%0 : tensor<4x8x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.divf %in, %cst_22 : f32
      %63 = math.erf %62 : f32
      %64 = arith.addf %63, %cst_1 : f32
      %65 = arith.mulf %64, %cst_2 : f32
      %66 = arith.mulf %in, %65 : f32
      linalg.yield %66 : f32
    } -> tensor<4x8x64xf32>
    %expanded_36 = tensor.expand_shape %29 [[0], [1], [2, 3]] output_shape [4, 8, 64, 1] : tensor<4x8x64xf32> into tensor<4x8x64x1xf32>
    %padded_37 = tensor.pad %expanded_36 low[0, 0, 2, 0] high[0, 0, 2, 0] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<4x8x64x1xf32> to tensor<4x8x68x1xf32>
    %30 = tensor.empty() : tensor<4x16x32x1xf32>
    %broadcasted_38 = linalg.broadcast ins(%cst_13 : tensor<16xf32>) outs(%30 : tensor<4x16x32x1xf32>) dimensions = [0, 2, 3] 
    %expanded_39 = tensor.expand_shape %padded_37 [[0], [1, 2], [3], [4]] output_shape [4, 2, 4, 68, 1] : tensor<4x8x68x1xf32> into tensor<4x2x4x68x1xf32>
    %expanded_40 = tensor.expand_shape %cst_14 [[0, 1], [2], [3, 4]] output_shape [2, 8, 4, 5, 1] : tensor<16x4x5xf32> into tensor<2x8x4x5x1xf32>
    %expanded_41 = tensor.expand_shape %broadcasted_38 [[0], [1, 2], [3], [4]] output_shape [4, 2, 8, 32, 1] : tensor<4x16x32x1xf32> into tensor<4x2x8x32x1xf32>
    %31 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<[2, 1]> : vector<2xi64>} ins(%expanded_39, %expanded_40 : tensor<4x2x4x68x1xf32>, tensor<2x8x4x5x1xf32>) outs(%expanded_41 : tensor<4x2x8x32x1xf32>) -> tensor<4x2x8x32x1xf32>
    %collapsed = tensor.collapse_shape %31 [[0], [1, 2], [3, 4]] : tensor<4x2x8x32x1xf32> into tensor<4x16x32xf32>
    %32 = tensor.empty() : tensor<16xf32>
    %33 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%cst_11 : tensor<16xf32>) outs(%32 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.truncf %cst_17 : f64 to f32
      %63 = arith.addf %in, %62 : f32
      linalg.yield %63 : f32
    } -> tensor<16xf32>
    %34 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%33 : tensor<16xf32>) outs(%32 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.rsqrt %in : f32
      linalg.yield %62 : f32
    } -> tensor<16xf32>
    %expanded_42 = tensor.expand_shape %cst_12 [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
    %expanded_43 = tensor.expand_shape %34 [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
    %35 = tensor.empty() : tensor<4x16x32xf32>
    %36 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed, %expanded_42 : tensor<4x16x32xf32>, tensor<16x1xf32>) outs(%35 : tensor<4x16x32xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.subf %in, %in_51 : f32
      linalg.yield %62 : f32
    } -> tensor<4x16x32xf32>
    %37 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36, %expanded_43 : tensor<4x16x32xf32>, tensor<16x1xf32>) outs(%35 : tensor<4x16x32xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.mulf %in, %in_51 : f32
      linalg.yield %62 : f32
    } -> tensor<4x16x32xf32>
    %expanded_44 = tensor.expand_shape %cst_10 [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
    %38 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%37, %expanded_44 : tensor<4x16x32xf32>, tensor<16x1xf32>) outs(%35 : tensor<4x16x32xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.mulf %in, %in_51 : f32
      linalg.yield %62 : f32
    } -> tensor<4x16x32xf32>
    %expanded_45 = tensor.expand_shape %cst_9 [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
    %39 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38, %expanded_45 : tensor<4x16x32xf32>, tensor<16x1xf32>) outs(%35 : tensor<4x16x32xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.addf %in, %in_51 : f32
      linalg.yield %62 : f32
    } -> tensor<4x16x32xf32>
    %40 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<4x16x32xf32>) outs(%35 : tensor<4x16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.cmpf ugt, %in, %cst : f32
      %63 = arith.select %62, %in, %cst : f32
      linalg.yield %63 : f32
    } -> tensor<4x16x32xf32>
    %expanded_46 = tensor.expand_shape %40 [[0], [1], [2, 3]] output_shape [4, 16, 1, 32] : tensor<4x16x32xf32> into tensor<4x16x1x32xf32>
    %41 = tensor.empty() : tensor<4x16x1x16xf32>
    %42 = linalg.fill ins(%cst_3 : f32) outs(%41 : tensor<4x16x1x16xf32>) -> tensor<4x16x1x16xf32>
    %43 = tensor.empty() : tensor<1x2xf32>
    %44 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<[1, 2]> : vector<2xi64>} ins(%expanded_46, %43 : tensor<4x16x1x32xf32>, tensor<1x2xf32>) outs(%42 : tensor<4x16x1x16xf32>) -> tensor<4x16x1x16xf32>
    %collapsed_47 = tensor.collapse_shape %44 [[0], [1, 2], [3]] : tensor<4x16x1x16xf32> into tensor<4x16x16xf32>
    %45 = tensor.empty() : tensor<4x16x12xf32>
    %broadcasted_48 = linalg.broadcast ins(%cst_7 : tensor<16xf32>) outs(%45 : tensor<4x16x12xf32>) dimensions = [0, 2] 
    %46 = linalg.conv_1d_ncw_fcw {dilations = dense<2> : vector<1xi64>, strides = dense<1> : vector<1xi64>} ins(%collapsed_47, %cst_8 : tensor<4x16x16xf32>, tensor<16x16x3xf32>) outs(%broadcasted_48 : tensor<4x16x12xf32>) -> tensor<4x16x12xf32>
    %47 = linalg.generic {indexing_maps = [#map9, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_4, %46 : tensor<f32>, tensor<4x16x12xf32>) outs(%45 : tensor<4x16x12xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.cmpf ogt, %in, %in_51 : f32
      %63 = arith.select %62, %in, %in_51 : f32
      linalg.yield %63 : f32
    } -> tensor<4x16x12xf32>
    %48 = linalg.generic {indexing_maps = [#map9, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_4, %46 : tensor<f32>, tensor<4x16x12xf32>) outs(%45 : tensor<4x16x12xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.cmpf olt, %in, %in_51 : f32
      %63 = arith.select %62, %in, %in_51 : f32
      linalg.yield %63 : f32
    } -> tensor<4x16x12xf32>
    %49 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48 : tensor<4x16x12xf32>) outs(%45 : tensor<4x16x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.exp %in : f32
      linalg.yield %62 : f32
    } -> tensor<4x16x12xf32>
    %50 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49 : tensor<4x16x12xf32>) outs(%45 : tensor<4x16x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.subf %in, %cst_1 : f32
      linalg.yield %62 : f32
    } -> tensor<4x16x12xf32>
    %51 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47, %50 : tensor<4x16x12xf32>, tensor<4x16x12xf32>) outs(%45 : tensor<4x16x12xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.addf %in, %in_51 : f32
      linalg.yield %62 : f32
    } -> tensor<4x16x12xf32>
    %expanded_49 = tensor.expand_shape %51 [[0], [1], [2, 3]] output_shape [4, 16, 1, 12] : tensor<4x16x12xf32> into tensor<4x16x1x12xf32>
    %52 = tensor.empty() : tensor<4x16x1x1xf32>
    %53 = linalg.fill ins(%cst : f32) outs(%52 : tensor<4x16x1x1xf32>) -> tensor<4x16x1x1xf32>
    %54 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%expanded_49 : tensor<4x16x1x12xf32>) outs(%53 : tensor<4x16x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.addf %in, %out : f32
      linalg.yield %62 : f32
    } -> tensor<4x16x1x1xf32>
    %55 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<4x16x1x1xf32>) outs(%52 : tensor<4x16x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.divf %in, %cst_23 : f32
      linalg.yield %62 : f32
    } -> tensor<4x16x1x1xf32>
    %collapsed_50 = tensor.collapse_shape %55 [[0], [1, 2, 3]] : tensor<4x16x1x1xf32> into tensor<4x16xf32>
    %56 = tensor.empty() : tensor<16x10xf32>
    %transposed = linalg.transpose ins(%cst_6 : tensor<10x16xf32>) outs(%56 : tensor<16x10xf32>) permutation = [1, 0] 
    %57 = tensor.empty() : tensor<4x10xf32>
    %58 = linalg.fill ins(%cst : f32) outs(%57 : tensor<4x10xf32>) -> tensor<4x10xf32>
    %59 = linalg.matmul ins(%collapsed_50, %transposed : tensor<4x16xf32>, tensor<16x10xf32>) outs(%58 : tensor<4x10xf32>) -> tensor<4x10xf32>
    %60 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_5 : tensor<10xf32>) outs(%57 : tensor<4x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x10xf32>
    %61 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%59, %60 : tensor<4x10xf32>, tensor<4x10xf32>) outs(%57 : tensor<4x10xf32>) {
    ^bb0(%in: f32, %in_51: f32, %out: f32):
      %62 = arith.addf %in, %in_51 : f32
      linalg.yield %62 : f32
    } -> tensor<4x10xf32>
    return %61 : tensor<4x10xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_10_torch.float32: "0x0400000048284E3ED4CEDEBD4C03D93DE024C3BD08C67EBDC426773E40A097BCE0A9323CC09B8F3C8066E73C",
      torch_tensor_10_16_torch.float32: "0x040000005E02593EC0F6FFBC88740C3D902D9BBC545835BE5C5542BEBECB623EAE10723E205FC5BCE00325BE22297C3E3884673D7A32093E72CD58BEC893D03D3082A23CE0CA623E8073433E2AB3163E749D823D7852C53D2411B03D72656F3E5A4C0E3E0012C6BBC08D923DDCFDBDBD02454C3ED8E800BE20D0693E1E25423E24DC44BE2CC367BE80C9C4BBE469EE3D46284B3E7C685BBE68DF7DBD28A27B3DCC42A8BD7C0352BE80578E3DA05BDD3DA00DF7BC3EA8053E58F0283DAC0D4F3EFCEC863D009E793D58DF40BD0424F6BDACF8D63D0290743E383ABB3D5C3364BE6E7B2D3E4621753E80DDDBBB3C322ABE18B68FBD625D2F3E0C18083E60AFDEBC7065333DC031ABBBCC606CBEEAB4313E20C9F3BCE41054BE3890693D7E820A3E46CE5CBE408C47BC2C7F64BEB4F28E3DC03A103D58D8043EC0A94FBD7097713E108170BE385964BDC23B38BEAE113DBED486553EB0000C3E9C1C533EE428E13D3A480EBE88F54EBDEC535CBE427B623EB09D01BD20303ABCA8A3C53D803604BD4ABC34BE80E5463C6220323E3A48233EC2316CBE10D8653EF813D43D2A1874BE0099EABC0E6225BE805CEA3C52F364BE08986DBD480A423E607226BDF0F1463DE05406BE0ADF323EBE3D463E0095433B80F93C3CD8876B3E5AF97BBE0C2FE33D68F530BE687CDFBD9E4777BEE8F1743DE213583EA0D142BDD416D63DF07213BD206B5BBE767A5EBE00ECD1BB46B5353E884E373E9817C9BD68CD503D2276613E9AD14ABEB02C7EBE56477FBE88E5113E5CC251BE3E765BBE0CB8A93D7E45123E3875E83DFAF964BE625C6D3E0C45323EA83EAEBD46B430BE924414BE14400FBE72125DBE827A033E9A24383ED41EB53D4C6DF83D346F13BE88590C3E7250553EA0D10A3E",
      torch_tensor_16_torch.float32_5: "0x04000000B377873DE94B03BE7AC701BDF769B53DE5D2963D57E10EBDC9AFE23A8DF8813DBA92013EA499093E3561093E82A8033E5B3A89BDBB9B0B3E89DEB5BB7B2B16BD",
      torch_tensor_16_16_3_torch.float32: "0x0400000006A504BE3A9600BE8FFC063D9FB0883C9799ABBDC18E05BDCFD7B83CE65B573D0360713D2D219FBD77460B3E35120A3EB8EDD1BD7EFF083E162AF2BD031AC3BDC172E93C5B632D3DE66C033E3B753E3AC5A5C73D031345BD6866D7BDEEEC65BC8E76993D04F766BDF736FABD9C10B4BD3376D13C93EF0C3ED7BB023C3A4BEEBD9E5684BD8705963D84103ABD87999FBCB1E8DB3D5C4F593DE9F6B43DBAB0043E209642BDCA6CAB3CA7C8DDBD7EE9123E8425C6BD7D7D0C3ED852073E189D003D7893FFBD406F98BB5FA773BDAE3C353D7F28A73DFF9FA43DEDDD3D3D0582E2BD6AA3F8BD0E8F2E3D7AB201BD09288A3DA9A60F3E5F87323D6F01B2BD5AB82ABD8A23B63D1B94603C3092C93D69AB0DBED9B291BC442990BD75A1E03DC14C813DA5879EBC7F2209BE11678BBC0CA4EF3D38597DBB33E3C3BB86AE08BE5008EA3DA595F43DE383EDBDB1B1D1BD952AE53B6A25A9BD28E0F1BDC988393D4C3C19BD21ED4C3D04EC6A3D639D033E2BA1AF3DE5F00ABE7039EEBDBFEBEC3DC929FBBD71ADB43D8928B4BD3A32ED3D192DA73D850ACCBDD964F4BD2F9B81BD092487BD1AC4A7BDFA4ED03D3532113DCB6594BCBE9720BC6A04763DD234723CAB6792BC863D033E11FCCB3D0AD2253CB701CC3D90DAFEBC8C57E0BD4CC7A93D4FFAA33D74BDBF3CD133FCBD2661D53D1233283C8FAC9BBD816502BE3C8099BDED6E093E919D923D366782BD0EA1F43D0B35FD3D7AEC923D99BA52BC6B820A3E25C105BD0DA976BD443F8D3DFAA676BD75C2D73D063D9DBD6BAF593DCD75D9BD83F5C4BD3BC0EF3B1004E93D668EE2BD3F3C1DBD9D80893D12A1D3BCBD9304BE9995D9BA59A24FBD67BA0C3DA544733DE19E31BD777097BD5FC6AE3D74A9FEBD2945903D9C986D3D549B6A3D843CCEBDFEBD6D3D9B6CB0BD381A843DDDA189BD1920023D7E7ACF3A5F66CCBDA15809BE18740BBD32F8AF3D483F07BD5EE318BDF489B7BDEDFFD5BDCC0140BC939E1ABD7A8D533D57920F3E1B40CBBD678F35BDDD545B3DE885C7BDDD0A83BCBDE695BD6101BC3DC09F83BCF64C423C04C8AF3D706BD1BDD8A89FBDC922E53D7EE66A3DE7D253BCCD5C133E2890013E89AF7FBD6A4125BD541D803DAD53B8BDADEB12BEBA3595BDDB5407BE46E9BA3D1EA3153D1DC2F8BD0423C7BB209F0D3EEFD5ACBDBF35BBBDFE217E3DEAD1D0BD83E109BEB83AA73DE58E96BCD9AC9C3D6AD5F5BCACFF0A3E34FA73BD3FA8F53D7024A8BD4CCC4FBD3255E43D4709833D0BA7D7BD96886BBC5D82AE3D10EAE4BDCA9BDE3BBE0EB53DB5B4E1BD2BE5603D0DE60EBECE390ABED40A503BB19005BE444888BD3AEDAE3D8F52E1BCE4B6C5BD8E3FF13DD07010BE2A7BF13C0E70C1BDF898A4BDE9DB3F3CA294113E34F41CBDA9D212BEFCF1FE3C26576BBD587DC5BDCA93693D8B7D693D0C4892BDE8881A3C3472AB3C60B52E3C8AA5B6BCD0D5AABD8C35A33D935DDF3D0A0FEF3DD57EF53D3B32E5BB428B3D3C4C1E6BBD8C320CBDEA90173D79BA3C3C01E9D3BD9A81D3BDACFD883D247FE13D5403093E7898B43D1115AA3DB5CE773D2442C73D689A17BD96D3B63CCDA76E3D1EA3F93CFBFD4BBC7F5B9BBDCF51D2BD8F3FAABDAF2D653CCA27083E8B5857BD44D4F0BDA9B700BEC3A4663DCA9B753D940C9EBD4F6065BD44EEE43D323CFABD0899AD3D92D09E3BB8F18ABD95CE0E3EDF45C2BD3F45053E2F01F53DD82D4B3DAF90C03DC7720F3D1089F73D7CE0033D059B13BEAF7379BDB195AC3C39C4CF3D8A442BBD1DA0563DDAB9613D0C514C3C8595F3BD169C0D3E858A8EBDEE8FBA3CA4FF65BD98E4163D77D0C73DC940F93C426780BD1D00033D8401F2BD5580F83D2F8C9E3D2CD4D33DE27F153DE02E13BEB61CD2BD734406BE5DA6AC3DC33A0F3EB95EC03DF7526EBDE1D8B3BD0A28ABBD2CFF0A3E3E170EBEBF8810BE448F753DF9D85F3C6E4798BDEC31A5BD731A0EBE40C3483D807490BDCD1A25BDBE089B3D0DC9EEBDFE55113EF6D240BD70A0BC3DD8DFC1BCAE72D13D7E0BA4BDADB901BDE77B92BDAE6CC23DE9F90EBEA8C6C33D792B0C391D2CBCBD22B12ABDAF358CBCFE0E32BD442F82BD803C1FBD7AAC763C1E5C8F3DEDB6C33C442DD63D4363C2BCB0B1F93D8440463D180CD2BDB88DC63DE90DFB3CFB84BD3D10B10CBE4D2919BC0D4509BE576408BDD39D55BD2687B6BDFDA1B9BD6B2AE43DA0E4853DECC5483D231CD53CC9093B3D246A623CDAE30EBE12C685BC1803BC3D07BD97BC12BFCE3C14B2B53D5E94AD3D32D9CEBC76A1F03D93E65BBDAEB483BBE045EE3D322CA5BDDE6A123EF3498EBDC0B696BD1196E33D1D70D33D0940D0BD81BC8B3DCB8A2A3C85C9E2BD05A62CBDE7F04C3C90B908BED8681BBC7CD1133DD78BDC3D6381D23DD29076BDC0458C3D1C02FB3C304B06BC6249E1BDE3D7273DFDB7073E56E1F8BD212B24BCAE92AC3D4BEA4639F700D43D8C68A4BC4E93A3BD3F24F2BDA4B6B1BDD313E0BCFAD0B73D35E9743C9CC3463C1A1DEE3DEB031B3D0FF178BDE54046BD521DA83DF5246DBD13303F3DEC9D7C3D986EC63B9486CFBD05A7ABBD602E08BEE735403D86060CBEE7BCA6BDAE970B3E8DE884BB22F1873D1C0493BD1E8D0BBD98E692BDA01F5E3D12CABCBDF23786BD459D103D5B75D83BC0448DBD4FC9423C266AD1BCB1480EBE7D3B0A3EE964F1BDDAAF413DCB49A63DE900D8BC76A223BDFA44083E454DDE3DCE4ACEBC5BF851BDB7059EBDF188F23DC21DA1BD4DF6553D8807233D221AE43D61CD86BA0BCE973D537FA3BDF8066ABDFD2160BD10220EBE0CD004BE11C3923DFCE9833D846615BD7D1407BE5659C83DD90A0F3EC778133E96C175BDDAABFFBDBFF6BE3D5815963D0F53E73D0BD51A3DC288C83DA9DC82BD5CF2EFBDD961B83C9F3BFC3D7B6FB8BD95D2993D3E7B78BD2FBBB6BDC12E23BD4173113EFF9EFE3DC8D4F13D48E10D3EC3659EBB4BD9813D06FD4A3DCC0676BD45E1C13D97089ABCAB045ABD7D22A73D02BB0D3E4F1DE43DCD99F13BA4C9C1BDAB13093E17D3753DBE95F33D23902EBDE79CAF3DAFE0EC3B8AD2CF3D599E0B3DBA7779BDD070813DECBD0C3E2855C7BD9A490F3ED8D4F33D87F3F73D7D73003DF3DC3ABDE31246BD1EEA98BC85EDC3BDC0A05B3D20B58C3D8C74F6BCE374033EBA85483D9978123E2B6D063E520EDDBC270DF2BDDD67C3BD45730E3E5A71B3BD804B263C7EF5BE3D80543FBDD1FAA93D5A81C6BD6DC0EA3C6086873DFBABF6BD5C2758BDA46C95BDE4ACDABC1CEF0D3E8FAA023EFACB973D25E58ABDDD6CDFBCA2A65D3C2AA50E3EAE2DF7BD93100EBDF367FCBDA7355C3D74A99ABC315584BD152707BEAAD842BDB5ECFFBD04EB453D969006BEEA7C97BD8D83133EF1C30EBE293AF3BD4FA4E2BDA186BDBDA1F3E93D0ED93DBD9274E4BD3BAAA63D82BA003E27C5923DFD285D3C0886DC3CBF7E643D09B2023E7686A93D5D59E6BDBC37E5BD3F39BABDA1D380BDC11A033EEE4E13BED120ACBC8012E03D0127613D1D8396BDCFF9DFBA468FF0BD100EBCBDA49FF6BDA4FAD7BD4E220F3E0864B7BCB392A2BDC08690BD0E1DEDBD1FAF9FBD69206D3C96F6B4BD559BB83CF375573D7331D23DFC6BA7BD9CCCF1BC9B12123E28C47EBC83DA03BEF4F441BD1D0A3E3D33B1D3BC56A8503DC608E9BD31AD903DA6FC81BD9FC65DBD882218BC86A60F3E3206E33D1B33FE3D52A2AABC633AD03D9F42F1BACD5EC93D993D4ABDDEFB93BDB3C3D3BD5B01E6BBC27E80BD1FE5E93D258599BD530B9C3DD96498BD1081A13DA0DDA73B5B6FB0BDDAD4EC3B480909BEFA5D5CBCC66CAFBDF1A805BE533A053E5B17B03D2D3F0E3D125FAE3D4F3FEDBD64359BBDCA318CBD8A17B8BDC13FF4BCAE57DB3D26FEBABDF1E8E23CA2C9803DF40C96BDDAD2723DE24323BD5ED2823D5B8D053E8EA11C3D337FBEBD82CDBCBD7893E73D593C2DBDA2A50C3EF38AE0BD288BA0BDE2E4103E5DE8C53BED5892BD26D43D3C609031BC27F404BEF5323B3DB33E9E3D50ED043BD285F3BD32B530BDC324593D0DBC45BD3FD4EE3D638138BD0D0D08BDD78CA83D297D803CA40CAA3DDF3AC9BDBBF9D83DB35D3BBD7BC4B13A9DF3933D962C353D74DC5BBD2DC9AB3DB44A58BC7BDA873D52D42EBDFC44233CDF8743BD57F9AB3D1DFEE13DF3520B3D5394023EF9B0453D4CEDF9BD42F9AABD6A4F25BCB378EDBDF5E6633D4BFF063EB965B1BD686434BDAFCBF8BD6BC0173DA33E8E3BDBBACF3DFD2665BDD7ECFFBD82E1043EA5F2113E90C4CCBDD2A35FBD81D817BD4B38BEBDA3AD0BBEB0F3D63DCA57AB3D",
      torch_tensor_16_torch.float32_4: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32_3: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_torch.float32_2: "0x0400000036EC873F9EA6013F4A4D2B3F036A313FD656873FB3390F3F1669AA3F9A4D2E3FE27A8F3F3815BA3F51DB523F004CB73FEBEE0F3F1FAC853F9C4A073FC4756F3F",
      torch_tensor_16_torch.float32_1: "0x04000000FFD6063E5ADCA43C9A1F23BE201C633D4FF60BBED7C7313E40EF343DC5081EBE000011393331C7BCA31E9EBDD2E741BE236F05BE38DC2BBEE7301C3D3356323C",
      torch_tensor_16_torch.float32: "0x040000008D2D5038CD9ED43D291F033E48025FBE5727A03DD0C8643E6C0DE8BD58D1143D51C8A43B570FF23D98AA5C3D73062CBECF082BBEBC82433E5462C5BD073F49BE",
      torch_tensor_16_4_5_torch.float32: "0x04000000ACE7433E23C13ABE0FF17BBD00541EBDC46EBCBD4DAF62BD30E80D3ECB45FB3D21B54B3C8F7A473EB4AA21BE5B8908BE66E8CE3DB3EA44BC2BA950BE7F7C1EBE50640BBED8D0303E6563CF3DC822313EFC772ABEBD3D5FBE732716BEA3F7C33C46E534BD034B10BECDAF263E64AE93BDDB6E04BEDB88D33DBCC676BD40F9113E41475A3D8BC4B43B7945403D010E2CBEE806F5BD5B3BD7BD2B9001BEF268223DD4FA363D3A46BEBD1744153ED7CCFEBD15E9383DCCC382BD279E46BE731815BEB00FBB3DC038B53D29960DBE8FCD8EBD040E56BE842AF63DB3FD453E7DC2953D4FAD0DBE688CF13D8F053E3ED4603BBD3E2316BDFD809E3DFFA7EB3C505B97BD309254BE4E8E20BE0C66463CDC8644BCFB133D3EF2C3FA3BE1D36BBD7FBA5FBE4C8652BE413BBE3D72F24B3EE6585EBB1FA84CBED396A23D527E3A3EF98B17BEE92371BD600F9A3CEE9402BE595054BE987AC83D0FE43BBE6CE565BD7A29F3BD72322C3E7DD7303D085FD43DBE0D1BBE42F5403E6236A33C3EFEFDBD02A96FBC3B2022BE9E1B29BCB4B8FF3DEDDDCDBD828B413EABD28B3DB04420BD7F0D8F3D0CBB28BD4ADE54BD4F3916BE216B053E8073093E8ECD9C3DBF6B073E35C1643E899A573ECAF75CBEBED7503D57D79CBCAB7F9B3D91A031BD6AA27F3D6EAD52BE064FD13D73FB5B3EB5B624BDA62136BED2563EBE28B42FBD61AB5DBBA04CCC3CD3D5E53C40782C3E642926BDDEAF823DEC61F3BD7A34613ECDBBAF3DEB0AFEBC7484163E5E1BA23DE0121D3DF92F87BD6455E63C5FF6823C55C705BEA0B2513B0201483D939F07BE4F9A233D970198BD4F7F3EBE2D2109BEBBB935BE3FF7533D0B100C3E822A503E5382603E8B5FB43D5DFBDF3D65311CBD9D493D3EE814AFBD4CE278BDDF6898BD3C7E19BE867830BEEEB43ABDF70E393EEE21E4BDF5DF4FBEA94351BD547B4F3E65E85C3DA49367BCC3E882BD260C493E98055CBE10BF013E1DAE783D74890F3E84B604BEE32696BD3274C0BD9E2D5E3ED387ECBC35565ABEE49FE53D8297303DC7A8FA3CECB018BEF97E56BE597A4F3E25732CBE7E0A2EBDA6DD27BD44C4023EB20841BEE50D03BE9868F5BDF7E7E6BD55130C3E08290C3E3EBDCF3D55E83A3E914818BE87C468BA244C39BEB684E5B93EB343BE0C8A5CBE6A39103E99A7CABD3EF391BCCEFB86BD479C35BEF5BEB6BC384C073DAEF4363E53CEC2BDA6295A3E4709D4BDA990123E2400483E9167BD3C68479DBD5D60293EBF9485BD840CC4BD49A59FBD09C03ABE6D0AB7BC3F473ABE11F4153E3D875CBE081C2ABEE691353D9CA60D3ED0FF5A3E539239BEA2183C3E9470203EE93516BE93ECBE3D05D280BDA2D1833D73B44ABE877803BED02911BE3E9D32BDD24605BCEFAB9DBBB34307BEEC2EE23D4DA2E83D37DC48BE6B3D54BE88CF44BDCFC77E3DE6652EBE0EAFA8BCEDEC4F3CB1F52EBEAE6A563ED3D5253EFCE32E3E02BDBABD80A623BE09ECE03C86ED053E5D06E03D238C14BEB8C0333EA81AD9BDD81E20BD0A6780BD7807DA3DC5A355BE5DCD11BEBDA6DDBC4B9D1D3E8A865CBDB7A90F3E7DB0513E5AAD093C9C381ABE210DA33A392EB23D800E43BDC18F5FBE8645083E2192C7BDE32520BE7163E93D7D755C3D2AD3263E85F538BD6D960D3E987959BD962A0EBE1B60533EF349613E982E233E7FA27FBD55CEC7BD72EB213D7F8AE63DADBCE93CEDD1C03D1BF42EBC18DF013EBC3FD93D776C023E762689BC5F723CBEB09B0FBE548FE4BDDCA4413E98B938BC3A00F6BCFAA5B2BDDCD619BC91551A3E",
      torch_tensor_8_torch.float32_2: "0x040000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_8_torch.float32_1: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_8_1_9_torch.float32: "0x0400000040B9BE3CF69D4DBE8660D93D2035D63D4E6F36BEE0A14CBD6EF647BE2622B13D6BE3B7BD98CC6F3ED04E723E4B160B3D968411BE687C48BEC0F015BD201FC0BD4672163E4BBB91BE3466A03E23E085BE5BB0823EAB186DBDFE932F3E1304053EAB9C643C56957E3D0F9B813E2691AF3DF017353E4E0584BE88FD723EEBF3EA3D96EBAC3D4B9D3C3D6363263EF6BE9C3E80E797BDC3283EBE90C1ABBD800950BE9E32243E5EB328BE562B36BE8341933E4B2C9C3E60081D3DC06C6CBD6B3E30BDB6B2213E6E5D9FBEF4798BBE7454883E2F7DA83E1645A2BC4BDA86BE8038153C80CB1EBE56FD27BA0012273E8019173E161B20BD4B51163D46C7B93DC6C585BE6B73E7BDABD4553C98C442BE6E1215BEE04AE53D6E72443EAB0B993B00C604BE",
      torch_tensor_8_torch.float32: "0x040000004EE33A3EEE1B3BBEDB3CA0BD7B00A13EF6747B3D0068C03C1B23E63D9678A6BD",
      torch_tensor_4_8_torch.int64: "0x0800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000200000000000000020000000000000002000000000000000200000000000000020000000000000002000000000000000200000000000000020000000000000003000000000000000300000000000000030000000000000003000000000000000300000000000000030000000000000003000000000000000300000000000000",
      torch_tensor_4_8_torch.int64_1: "0x0800000000000000000000000000000000000000000000000000000000000000000000000100000000000000010000000000000001000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000100000000000000010000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000010000000000000000000000000000000000000000000000000000000000000000000000000000000100000000000000010000000000000001000000000000000100000000000000",
      torch_tensor_4_8_torch.int64_2: "0x0800000000000000000000000100000000000000020000000000000003000000000000000000000000000000010000000000000002000000000000000300000000000000000000000000000001000000000000000200000000000000030000000000000000000000000000000100000000000000020000000000000003000000000000000000000000000000010000000000000002000000000000000300000000000000000000000000000001000000000000000200000000000000030000000000000000000000000000000100000000000000020000000000000003000000000000000000000000000000010000000000000002000000000000000300000000000000",
      torch_tensor_4_8_torch.int64_3: "0x0800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_4_8_torch.int64_4: "0x0800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000200000000000000020000000000000002000000000000000200000000000000020000000000000002000000000000000200000000000000020000000000000003000000000000000300000000000000030000000000000003000000000000000300000000000000030000000000000003000000000000000300000000000000",
      torch_tensor_4_8_torch.int64_5: "0x0800000000000000000000000000000000000000000000000000000000000000000000000100000000000000010000000000000001000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000100000000000000010000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000010000000000000000000000000000000000000000000000000000000000000000000000000000000100000000000000010000000000000001000000000000000100000000000000",
      torch_tensor_4_8_torch.int64_6: "0x0800000000000000000000000100000000000000020000000000000003000000000000000000000000000000010000000000000002000000000000000300000000000000000000000000000001000000000000000200000000000000030000000000000000000000000000000100000000000000020000000000000003000000000000000000000000000000010000000000000002000000000000000300000000000000000000000000000001000000000000000200000000000000030000000000000000000000000000000100000000000000020000000000000003000000000000000000000000000000010000000000000002000000000000000300000000000000",
      torch_tensor_4_8_torch.int64_7: "0x0800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    }
  }
#-}
