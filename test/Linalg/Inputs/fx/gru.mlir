#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<4x8xi64>) -> tensor<4x8x5xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c32 = arith.constant 32 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<4x16xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<1x4x16xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_5_torch.float32> : tensor<5xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_5_16_torch.float32> : tensor<5x16xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_48_torch.float32_1> : tensor<48xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_48_16_torch.float32_1> : tensor<48x16xf32>
    %cst_7 = arith.constant dense_resource<torch_tensor_48_torch.float32> : tensor<48xf32>
    %cst_8 = arith.constant dense_resource<torch_tensor_48_16_torch.float32> : tensor<48x16xf32>
    %cst_9 = arith.constant dense_resource<torch_tensor_32_16_torch.float32> : tensor<32x16xf32>
    %0 = tensor.empty() : tensor<4x8x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<4x8xi64>) outs(%0 : tensor<4x8x16xf32>) {
    ^bb0(%in: i64, %out: f32):
      %117 = arith.index_cast %in : i64 to index
      %118 = linalg.index 2 : index
      %119 = arith.cmpi slt, %117, %c32 : index
      cf.assert %119, "index must be smaller than dim size"
      %120 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %120, "index must be larger or equal to 0"
      %extracted = tensor.extract %cst_9[%117, %118] : tensor<32x16xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x8x16xf32>
    %2 = tensor.empty() : tensor<8x4x16xf32>
    %transposed = linalg.transpose ins(%1 : tensor<4x8x16xf32>) outs(%2 : tensor<8x4x16xf32>) permutation = [1, 0, 2] 
    %3 = tensor.empty() : tensor<16x48xf32>
    %transposed_10 = linalg.transpose ins(%cst_8 : tensor<48x16xf32>) outs(%3 : tensor<16x48xf32>) permutation = [1, 0] 
    %4 = tensor.empty() : tensor<8x16x48xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_10 : tensor<16x48xf32>) outs(%4 : tensor<8x16x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x16x48xf32>
    %6 = tensor.empty() : tensor<8x4x48xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<8x4x48xf32>) -> tensor<8x4x48xf32>
    %8 = linalg.batch_matmul ins(%transposed, %5 : tensor<8x4x16xf32>, tensor<8x16x48xf32>) outs(%7 : tensor<8x4x48xf32>) -> tensor<8x4x48xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %cst_7 : tensor<8x4x48xf32>, tensor<48xf32>) outs(%6 : tensor<8x4x48xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<8x4x48xf32>
    %extracted_slice = tensor.extract_slice %9[0, 0, 0] [1, 4, 48] [1, 1, 1] : tensor<8x4x48xf32> to tensor<1x4x48xf32>
    %extracted_slice_11 = tensor.extract_slice %9[1, 0, 0] [1, 4, 48] [1, 1, 1] : tensor<8x4x48xf32> to tensor<1x4x48xf32>
    %extracted_slice_12 = tensor.extract_slice %9[2, 0, 0] [1, 4, 48] [1, 1, 1] : tensor<8x4x48xf32> to tensor<1x4x48xf32>
    %extracted_slice_13 = tensor.extract_slice %9[3, 0, 0] [1, 4, 48] [1, 1, 1] : tensor<8x4x48xf32> to tensor<1x4x48xf32>
    %extracted_slice_14 = tensor.extract_slice %9[4, 0, 0] [1, 4, 48] [1, 1, 1] : tensor<8x4x48xf32> to tensor<1x4x48xf32>
    %extracted_slice_15 = tensor.extract_slice %9[5, 0, 0] [1, 4, 48] [1, 1, 1] : tensor<8x4x48xf32> to tensor<1x4x48xf32>
    %extracted_slice_16 = tensor.extract_slice %9[6, 0, 0] [1, 4, 48] [1, 1, 1] : tensor<8x4x48xf32> to tensor<1x4x48xf32>
    %extracted_slice_17 = tensor.extract_slice %9[7, 0, 0] [1, 4, 48] [1, 1, 1] : tensor<8x4x48xf32> to tensor<1x4x48xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x4x48xf32> into tensor<4x48xf32>
    %collapsed_18 = tensor.collapse_shape %extracted_slice_11 [[0, 1], [2]] : tensor<1x4x48xf32> into tensor<4x48xf32>
    %collapsed_19 = tensor.collapse_shape %extracted_slice_12 [[0, 1], [2]] : tensor<1x4x48xf32> into tensor<4x48xf32>
    %collapsed_20 = tensor.collapse_shape %extracted_slice_13 [[0, 1], [2]] : tensor<1x4x48xf32> into tensor<4x48xf32>
    %collapsed_21 = tensor.collapse_shape %extracted_slice_14 [[0, 1], [2]] : tensor<1x4x48xf32> into tensor<4x48xf32>
    %collapsed_22 = tensor.collapse_shape %extracted_slice_15 [[0, 1], [2]] : tensor<1x4x48xf32> into tensor<4x48xf32>
    %collapsed_23 = tensor.collapse_shape %extracted_slice_16 [[0, 1], [2]] : tensor<1x4x48xf32> into tensor<4x48xf32>
    %collapsed_24 = tensor.collapse_shape %extracted_slice_17 [[0, 1], [2]] : tensor<1x4x48xf32> into tensor<4x48xf32>
    %extracted_slice_25 = tensor.extract_slice %collapsed[0, 0] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_26 = tensor.extract_slice %collapsed[0, 16] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_27 = tensor.extract_slice %collapsed[0, 32] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %transposed_28 = linalg.transpose ins(%cst_6 : tensor<48x16xf32>) outs(%3 : tensor<16x48xf32>) permutation = [1, 0] 
    %10 = tensor.empty() : tensor<4x48xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<4x48xf32>) -> tensor<4x48xf32>
    %12 = linalg.matmul ins(%cst_1, %transposed_28 : tensor<4x16xf32>, tensor<16x48xf32>) outs(%11 : tensor<4x48xf32>) -> tensor<4x48xf32>
    %13 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%cst_5 : tensor<48xf32>) outs(%10 : tensor<4x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x48xf32>
    %14 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%12, %13 : tensor<4x48xf32>, tensor<4x48xf32>) outs(%10 : tensor<4x48xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<4x48xf32>
    %expanded = tensor.expand_shape %14 [[0, 1], [2]] output_shape [1, 4, 48] : tensor<4x48xf32> into tensor<1x4x48xf32>
    %extracted_slice_29 = tensor.extract_slice %expanded[0, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_30 = tensor.extract_slice %expanded[0, 0, 16] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_31 = tensor.extract_slice %expanded[0, 0, 32] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %15 = tensor.empty() : tensor<1x4x16xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_29, %extracted_slice_25 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_30, %extracted_slice_26 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_31, %17 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %21 = linalg.generic {indexing_maps = [#map2, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_27, %20 : tensor<4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.tanh %in : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2, %22 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.subf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %19 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %22 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %extracted_slice_32 = tensor.extract_slice %collapsed_18[0, 0] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_33 = tensor.extract_slice %collapsed_18[0, 16] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_34 = tensor.extract_slice %collapsed_18[0, 32] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %collapsed_35 = tensor.collapse_shape %25 [[0, 1], [2]] : tensor<1x4x16xf32> into tensor<4x16xf32>
    %26 = linalg.matmul ins(%collapsed_35, %transposed_28 : tensor<4x16xf32>, tensor<16x48xf32>) outs(%11 : tensor<4x48xf32>) -> tensor<4x48xf32>
    %27 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%26, %13 : tensor<4x48xf32>, tensor<4x48xf32>) outs(%10 : tensor<4x48xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<4x48xf32>
    %expanded_36 = tensor.expand_shape %27 [[0, 1], [2]] output_shape [1, 4, 48] : tensor<4x48xf32> into tensor<1x4x48xf32>
    %extracted_slice_37 = tensor.extract_slice %expanded_36[0, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_38 = tensor.extract_slice %expanded_36[0, 0, 16] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_39 = tensor.extract_slice %expanded_36[0, 0, 32] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_37, %extracted_slice_32 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_38, %extracted_slice_33 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_39, %29 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %33 = linalg.generic {indexing_maps = [#map2, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_34, %32 : tensor<4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.tanh %in : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25, %34 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.subf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35, %31 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36, %34 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %extracted_slice_40 = tensor.extract_slice %collapsed_19[0, 0] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_41 = tensor.extract_slice %collapsed_19[0, 16] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_42 = tensor.extract_slice %collapsed_19[0, 32] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %collapsed_43 = tensor.collapse_shape %37 [[0, 1], [2]] : tensor<1x4x16xf32> into tensor<4x16xf32>
    %38 = linalg.matmul ins(%collapsed_43, %transposed_28 : tensor<4x16xf32>, tensor<16x48xf32>) outs(%11 : tensor<4x48xf32>) -> tensor<4x48xf32>
    %39 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%38, %13 : tensor<4x48xf32>, tensor<4x48xf32>) outs(%10 : tensor<4x48xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<4x48xf32>
    %expanded_44 = tensor.expand_shape %39 [[0, 1], [2]] output_shape [1, 4, 48] : tensor<4x48xf32> into tensor<1x4x48xf32>
    %extracted_slice_45 = tensor.extract_slice %expanded_44[0, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_46 = tensor.extract_slice %expanded_44[0, 0, 16] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_47 = tensor.extract_slice %expanded_44[0, 0, 32] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_45, %extracted_slice_40 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_46, %extracted_slice_41 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_47, %41 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %45 = linalg.generic {indexing_maps = [#map2, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_42, %44 : tensor<4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.tanh %in : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%37, %46 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.subf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47, %43 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %49 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %46 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %extracted_slice_48 = tensor.extract_slice %collapsed_20[0, 0] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_49 = tensor.extract_slice %collapsed_20[0, 16] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_50 = tensor.extract_slice %collapsed_20[0, 32] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %collapsed_51 = tensor.collapse_shape %49 [[0, 1], [2]] : tensor<1x4x16xf32> into tensor<4x16xf32>
    %50 = linalg.matmul ins(%collapsed_51, %transposed_28 : tensor<4x16xf32>, tensor<16x48xf32>) outs(%11 : tensor<4x48xf32>) -> tensor<4x48xf32>
    %51 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%50, %13 : tensor<4x48xf32>, tensor<4x48xf32>) outs(%10 : tensor<4x48xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<4x48xf32>
    %expanded_52 = tensor.expand_shape %51 [[0, 1], [2]] output_shape [1, 4, 48] : tensor<4x48xf32> into tensor<1x4x48xf32>
    %extracted_slice_53 = tensor.extract_slice %expanded_52[0, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_54 = tensor.extract_slice %expanded_52[0, 0, 16] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_55 = tensor.extract_slice %expanded_52[0, 0, 32] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %52 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_53, %extracted_slice_48 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %53 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %54 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_54, %extracted_slice_49 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %55 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %56 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_55, %53 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %57 = linalg.generic {indexing_maps = [#map2, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_50, %56 : tensor<4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %58 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.tanh %in : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49, %58 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.subf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %60 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59, %55 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %61 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60, %58 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %extracted_slice_56 = tensor.extract_slice %collapsed_21[0, 0] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_57 = tensor.extract_slice %collapsed_21[0, 16] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_58 = tensor.extract_slice %collapsed_21[0, 32] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %collapsed_59 = tensor.collapse_shape %61 [[0, 1], [2]] : tensor<1x4x16xf32> into tensor<4x16xf32>
    %62 = linalg.matmul ins(%collapsed_59, %transposed_28 : tensor<4x16xf32>, tensor<16x48xf32>) outs(%11 : tensor<4x48xf32>) -> tensor<4x48xf32>
    %63 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%62, %13 : tensor<4x48xf32>, tensor<4x48xf32>) outs(%10 : tensor<4x48xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<4x48xf32>
    %expanded_60 = tensor.expand_shape %63 [[0, 1], [2]] output_shape [1, 4, 48] : tensor<4x48xf32> into tensor<1x4x48xf32>
    %extracted_slice_61 = tensor.extract_slice %expanded_60[0, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_62 = tensor.extract_slice %expanded_60[0, 0, 16] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_63 = tensor.extract_slice %expanded_60[0, 0, 32] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %64 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_61, %extracted_slice_56 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %65 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %66 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_62, %extracted_slice_57 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %68 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_63, %65 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %69 = linalg.generic {indexing_maps = [#map2, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_58, %68 : tensor<4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %70 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.tanh %in : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %71 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %70 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.subf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %72 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71, %67 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %73 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72, %70 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %extracted_slice_64 = tensor.extract_slice %collapsed_22[0, 0] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_65 = tensor.extract_slice %collapsed_22[0, 16] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_66 = tensor.extract_slice %collapsed_22[0, 32] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %collapsed_67 = tensor.collapse_shape %73 [[0, 1], [2]] : tensor<1x4x16xf32> into tensor<4x16xf32>
    %74 = linalg.matmul ins(%collapsed_67, %transposed_28 : tensor<4x16xf32>, tensor<16x48xf32>) outs(%11 : tensor<4x48xf32>) -> tensor<4x48xf32>
    %75 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%74, %13 : tensor<4x48xf32>, tensor<4x48xf32>) outs(%10 : tensor<4x48xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<4x48xf32>
    %expanded_68 = tensor.expand_shape %75 [[0, 1], [2]] output_shape [1, 4, 48] : tensor<4x48xf32> into tensor<1x4x48xf32>
    %extracted_slice_69 = tensor.extract_slice %expanded_68[0, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_70 = tensor.extract_slice %expanded_68[0, 0, 16] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_71 = tensor.extract_slice %expanded_68[0, 0, 32] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %76 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_69, %extracted_slice_64 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %77 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %78 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_70, %extracted_slice_65 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %79 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %80 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_71, %77 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %81 = linalg.generic {indexing_maps = [#map2, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_66, %80 : tensor<4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %82 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.tanh %in : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %82 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.subf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %84 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83, %79 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84, %82 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %extracted_slice_72 = tensor.extract_slice %collapsed_23[0, 0] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_73 = tensor.extract_slice %collapsed_23[0, 16] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_74 = tensor.extract_slice %collapsed_23[0, 32] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %collapsed_75 = tensor.collapse_shape %85 [[0, 1], [2]] : tensor<1x4x16xf32> into tensor<4x16xf32>
    %86 = linalg.matmul ins(%collapsed_75, %transposed_28 : tensor<4x16xf32>, tensor<16x48xf32>) outs(%11 : tensor<4x48xf32>) -> tensor<4x48xf32>
    %87 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%86, %13 : tensor<4x48xf32>, tensor<4x48xf32>) outs(%10 : tensor<4x48xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<4x48xf32>
    %expanded_76 = tensor.expand_shape %87 [[0, 1], [2]] output_shape [1, 4, 48] : tensor<4x48xf32> into tensor<1x4x48xf32>
    %extracted_slice_77 = tensor.extract_slice %expanded_76[0, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_78 = tensor.extract_slice %expanded_76[0, 0, 16] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_79 = tensor.extract_slice %expanded_76[0, 0, 32] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %88 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_77, %extracted_slice_72 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %89 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %90 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_78, %extracted_slice_73 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %91 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %92 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_79, %89 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %93 = linalg.generic {indexing_maps = [#map2, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_74, %92 : tensor<4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %94 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.tanh %in : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %95 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85, %94 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.subf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %96 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95, %91 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %97 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96, %94 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %extracted_slice_80 = tensor.extract_slice %collapsed_24[0, 0] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_81 = tensor.extract_slice %collapsed_24[0, 16] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %extracted_slice_82 = tensor.extract_slice %collapsed_24[0, 32] [4, 16] [1, 1] : tensor<4x48xf32> to tensor<4x16xf32>
    %collapsed_83 = tensor.collapse_shape %97 [[0, 1], [2]] : tensor<1x4x16xf32> into tensor<4x16xf32>
    %98 = linalg.matmul ins(%collapsed_83, %transposed_28 : tensor<4x16xf32>, tensor<16x48xf32>) outs(%11 : tensor<4x48xf32>) -> tensor<4x48xf32>
    %99 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%98, %13 : tensor<4x48xf32>, tensor<4x48xf32>) outs(%10 : tensor<4x48xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<4x48xf32>
    %expanded_84 = tensor.expand_shape %99 [[0, 1], [2]] output_shape [1, 4, 48] : tensor<4x48xf32> into tensor<1x4x48xf32>
    %extracted_slice_85 = tensor.extract_slice %expanded_84[0, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_86 = tensor.extract_slice %expanded_84[0, 0, 16] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %extracted_slice_87 = tensor.extract_slice %expanded_84[0, 0, 32] [1, 4, 16] [1, 1, 1] : tensor<1x4x48xf32> to tensor<1x4x16xf32>
    %100 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_85, %extracted_slice_80 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %101 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %102 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_86, %extracted_slice_81 : tensor<1x4x16xf32>, tensor<4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %103 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_0 : f32
      %120 = arith.divf %cst_0, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x16xf32>
    %104 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_87, %101 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %105 = linalg.generic {indexing_maps = [#map2, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_82, %104 : tensor<4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %106 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105 : tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.tanh %in : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %107 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %106 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.subf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %108 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107, %103 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.mulf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %109 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%108, %106 : tensor<1x4x16xf32>, tensor<1x4x16xf32>) outs(%15 : tensor<1x4x16xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<1x4x16xf32>
    %concat = tensor.concat dim(0) %25, %37, %49, %61, %73, %85, %97, %109 : (tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<1x4x16xf32>) -> tensor<8x4x16xf32>
    %transposed_88 = linalg.transpose ins(%concat : tensor<8x4x16xf32>) outs(%0 : tensor<4x8x16xf32>) permutation = [1, 0, 2] 
    %110 = tensor.empty() : tensor<16x5xf32>
    %transposed_89 = linalg.transpose ins(%cst_4 : tensor<5x16xf32>) outs(%110 : tensor<16x5xf32>) permutation = [1, 0] 
    %111 = tensor.empty() : tensor<4x16x5xf32>
    %112 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_89 : tensor<16x5xf32>) outs(%111 : tensor<4x16x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x16x5xf32>
    %113 = tensor.empty() : tensor<4x8x5xf32>
    %114 = linalg.fill ins(%cst : f32) outs(%113 : tensor<4x8x5xf32>) -> tensor<4x8x5xf32>
    %115 = linalg.batch_matmul ins(%transposed_88, %112 : tensor<4x8x16xf32>, tensor<4x16x5xf32>) outs(%114 : tensor<4x8x5xf32>) -> tensor<4x8x5xf32>
    %116 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115, %cst_3 : tensor<4x8x5xf32>, tensor<5xf32>) outs(%113 : tensor<4x8x5xf32>) {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %117 = arith.addf %in, %in_90 : f32
      linalg.yield %117 : f32
    } -> tensor<4x8x5xf32>
    return %116 : tensor<4x8x5xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_5_torch.float32: "0x04000000AAE358BECCAD5E3E32DF693E7010B9BD8EF37D3E",
      torch_tensor_5_16_torch.float32: "0x040000004841773EFC34EF3D4001BBBD3003123ECE4C34BE281A093ED027BA3DAC8F94BD566C02BE5027963CF2CB223E6047923CE4D93DBECCB917BE30C3DBBCD44DD23DB842173E6AD4413E006B483E500FB5BC025410BE9E6A41BEC0EFA2BBCA1E5C3E20EACC3DA466BA3D90E3543D3A5B5DBE9C7681BDD8B6FFBD50D752BEC008373E8AA7253E003682BAF8CD1DBE0077B23D5C4C39BE1CC55EBEC0306E3DE407883DCC91C53DF23B773ECC28403E006A95BD809A1E3E86035FBE3240253E6E9F67BE400EA8BD4AEA233E60CEC2BCA8AC3ABEFCA4B23DECA53B3ECC7CAE3D7EA4213E2C98BFBDF42FA83D3C2822BEC03DE7BB60B24B3C18262FBE2829123DC0ABE6BD14CDEBBDD6B578BE7879B43DD65F2E3E6E547F3E8A845B3ECAFC5CBECC0B3A3E6E17663E0A13043E1A08223E0669343E261D223EC0CEDC3CEE8B37BEA088E63C",
      torch_tensor_48_torch.float32_1: "0x04000000A0AB4BBC147AAE3D1062A73DEAAE2DBEF87CF53D64E85F3E406F9FBDDCFD27BE12ED583E08C96B3ED880043D868E3CBE000A2DBC0067E3BA0479323E32016BBEAE212ABE00DFC6BC28B61BBD10A48F3C5816783EC4D6423EEAEE783EC49173BE8A27643EA4C546BE683B97BDB4AD153EA84577BD1820E3BD60884B3C749D733EF0B5A6BC8CD278BE08DE72BD0C2D55BE00F6FF3B68AF3D3EE26C523E90EF353DE44229BE980411BE626F0A3ED8DFD33D5EA00CBE8024833D34DCB5BD7E863ABE",
      torch_tensor_48_16_torch.float32_1: "0x04000000385964BDC23B38BEAE113DBED486553EB0000C3E9C1C533EE428E13D3A480EBE88F54EBDEC535CBE427B623EB09D01BD20303ABCA8A3C53D803604BD4ABC34BE80E5463C6220323E3A48233EC2316CBE10D8653EF813D43D2A1874BE0099EABC0E6225BE805CEA3C52F364BE08986DBD480A423E607226BDF0F1463DE05406BE0ADF323EBE3D463E0095433B80F93C3CD8876B3E5AF97BBE0C2FE33D68F530BE687CDFBD9E4777BEE8F1743DE213583EA0D142BDD416D63DF07213BD206B5BBE767A5EBE00ECD1BB46B5353E884E373E9817C9BD68CD503D2276613E9AD14ABEB02C7EBE56477FBE88E5113E5CC251BE3E765BBE0CB8A93D7E45123E3875E83DFAF964BE625C6D3E0C45323EA83EAEBD46B430BE924414BE14400FBE72125DBE827A033E9A24383ED41EB53D4C6DF83D346F13BE88590C3E7250553EA0D10A3E48284E3ED4CEDEBD4C03D93DE024C3BD08C67EBDC426773E40A097BCE0A9323CC09B8F3C8066E73C98C1DEBD06F13B3EFA235A3ECE9A0EBE486C6FBEF02B4BBD7C75F4BDD2B0283E54FEACBDBC39363EF859693DA862B6BD9CEFFFBDA0C7523DAEF94DBE500505BD2A7678BEF25C61BED0431DBEBEC9083E869F44BE94D0743E623077BE8C1B63BEBCDBE33DC087FD3BFC463E3E384B6ABD5849D83D48DE4C3E546D30BE429B33BEBC0C5F3E88175C3E604726BC6E6D133EC87239BE48044C3EC47B95BDA0D1043E4CCD87BDD6CB4CBEF8E3B2BD58AB32BDA083353C20506E3D24CD5CBED62E08BE10FBCBBD6859653D9EBF25BE8EBA573EB091E0BD280A663E50BB833DB8FFE53DC8128DBD08C5DC3D443FF1BD00416E3C8E04233EA0DED7BCA0B5CEBCD030BC3CE6291EBED00C39BE90271EBD00C5FA3C0C20523E802C12BC70F61DBD3001773DF071763D8088C7BC106ADF3D5EE67E3E48F8BEBD640EF3BD00F940BC54C8783E0CA3C13D5A825CBE96223F3EBCE8503E48535C3EFCD2BC3DE07D6DBEE83B123DC05726BC6C0F10BEF0F12EBE30A1B5BC50015D3E080A903DB08AB13C7C28C23D76CF65BE8CE8073E40C2673D40AC15BEB2625EBE04ED2ABE4C0A9B3D9C239A3DC03C253DA87A4ABD946BE03D88D823BEAA90013EA0C602BE14E103BE988B3CBEECC5923DBE3608BEBAC51C3E1465093E8090DCBB7427133EF015153E4CFAC43D4E6B45BE580B51BD281531BDA8D1093E48C4C5BDB8705D3D0CB8CB3D34BA283ED2BC743E50E761BD341949BE461754BE300F65BDBC7B1B3E58BD44BD6E3C53BE4A492DBE7C5D10BE32C110BEE04A123C207CCDBC14590BBEA8B137BD3A7900BE40C232BC48E4DA3D104E9BBC00297BBD78C25E3DF863253ED87A5D3E58F6D8BDB8A85ABEF058653D3C46CC3DF0F0F23C162B793E924D013E3062943C20452B3E6292363EC0160DBEE8723EBE404607BCD447A5BD82CA28BEC62E3EBE4615243EB858D1BDE0BF0DBE5A13243E50C9B73CC07F443D34E29FBDC82A7B3D4409233E98AB30BEB04941BDB0C5943CF228503E6AC54D3E225E2F3EE400B9BD0058D039808698BBA24537BE089C38BE287D47BDE85F0BBD34C3AF3D6E2366BE9C60F5BD1C3C4C3E68722E3DAE7135BE2017F43D6082C7BD34A40FBEB028F0BDC4160DBE32130ABEA048303DA033F93DA00A063EC0CD7F3EB252503E7A6E07BEAAD3573ED87B71BD6E69123E7C7CF0BD10B9583E30F290BC340CB03DDE715E3E40205ABDB897CB3DC0648F3D641FB4BDC03AA73B606A543E30C3683D3A8C3B3E84B3FE3D30E8F03D1CD7DABDC06A61BDF0CC1E3E58BC6E3D8298033EAA04433E6CF3DA3DA4E0CD3D904CD6BD8499A73D007FF6BA1872293E647FC53DF4A61FBE5E0F1F3EE89400BDEC11C93DD859E5BD94B360BEB4DBCF3D3281003EFA76483EA69B1B3E583BF23DA201073EC0A0883D6895E7BDB0655F3D461E45BE0A3519BEC0446A3EF08FC63D1899C93D7088CCBC085778BEC0BC92BD201DBBBDCC2AB9BD70D8473DFEA323BEC42F0CBE78795BBD3C285DBEF8C428BD40F198BBD0D889BC0029C5BDB41E8DBDD434493E381D0F3E28086E3DD86631BE5AE921BEA0A0E93D801F04BBC01853BC4CF7A2BD622533BEE2610DBE6A30133EA2C8433E1226153ECEF920BEC0B7D1BBFC0859BE0E1B1ABEB4AB36BE00049B3D489471BE803E3A3E10094E3E30B8AFBC18A6813D70FBB13DE0AA673E80CB643CC04D6A3E44B3BE3DAC9098BDC239413E1C4A923D1022D43D28B2013D88E503BE5EC4673E28975B3D105610BDF070773D9ED502BE74E79C3D18E978BEFE1B143EC246293E042516BE144ED33D801DB03C0C7FA6BD009C723E00D9B9BAE08823BE60CD77BE00C75A3C68DD01BE54186BBE7A8F3CBEA8983C3EF8760ABEF46322BEB6020BBEE07C883C606878BDF44A4BBEF2A41CBEF43731BE78395B3D0040D93768105B3E84E6C43D70354D3D960E583EC0E8473D0828F9BD60B8543E1841EBBD0C7F2CBEFAC3453E1EED633EDA6C113EA8D872BD9E476F3E9E64053EA8E7153D1054A63C1C2EF73D7CA8F3BD1C68B2BD3AD1103ED09C053DA0DC60BC10859FBCC0A5313C68BD7D3E9CCB5C3EFA3671BECA4E47BEE0EA44BE40E119BCD8C57C3D30310EBE300FE53D60DF79BE6A57323E400EBFBBC01FA03DCA1F333E7094DC3C40D0FABD400C8FBD9A30653EA8E550BDC0E03DBCDC0357BEEE4520BE809A6FBCF8B1843DEE2D1CBE40D0523CC20E693E882C703E40A01A3CBC037E3EB0AF753E14AFF93D84024E3E8879363DE020C5BD84654E3E60C2A03DE867513D8040C8BB80F2E3BC9E7957BE48F5F7BDB4082ABE60EA29BDF4C00A3E6C9202BE90DD8F3CE49CC5BDA489C9BD4C289B3DF841C63D0455633EB8394DBD4A02413EAAB13ABEA8F6063DA016313C5EC9753E100D033EC2DA05BEF46DFC3D808D023B7CC547BE56C313BE509A39BE8650523E6C0C563ED49F41BE740EF93D5202733ED0D5D6BC32A3303E3C57453E1016063EA847DFBDEE9B573E1855843D141DF63D869065BE5C5DB93D406E1A3EAA2631BEA6E633BE8490C5BDF02CF63D58ADCABDE01708BD0C267EBEC06694BDF855BFBD767B79BEBC82D13D70C3B13CD48868BE7471EC3DFE2A233ED04220BEB0F0C2BDB014E3BD403BA4BD90AA5C3D82DE313E9CE24A3E0C1041BE7A3C6D3EC01EB83B508B6EBE8A7C0E3ED2A4433E00A71EBD78076EBE2819353E824210BEC28E3DBE406997BD00A5A5BB7047233D8050B83D74C9A43DB0E906BD0A4019BE3C81A7BDE4731B3EA03D603DEE9C1E3EC0C6F13B7069AC3CEC6876BE40E43BBD12690BBE5E5577BED0F6453EAA600A3E4C11633E107A493E14AC263EFAB40ABE7266513EC4E356BEB8017F3D7C5541BEECFF183E005C5DBD622A4C3E28956D3DCC362D3EE0CC18BD563A50BEBEE675BE52DB6ABEF69104BE26EE613EA029B93D2010D43C3442393E06304BBE28081D3D6C9F093EEA6E79BE865F65BE5EA8713ED0AE51BD3EC769BE5C55573E00F63CBB062B003E802BCE3C1079DB3D7A84393E18ACC43DD29A51BE9EB50F3EA0E64CBE7451FE3DB8C257BEC88B76BD10BDD8BC30EF2E3DDA140E3E2AAC38BEF4A05ABEF8951D3EEAB02EBE041F49BEEC3683BD40D69BBD506244BE608C28BC285D983D7A9C613E7454973DCCD49B3D9027133DAC3611BEC0A1F9BC78D42BBDF8C7C73D68670B3E6CC15E3E4E0B04BE80079F3CA05CF63CD41F03BE20262B3EA00D423E103F193D60741FBE988C453E86D3433E04DCF9BD9C750BBE3404633E482C61BE60C87ABCC070A6BC6CC589BD4ED43BBE7468E2BD54AA18BE40BC083D8211283EC26A14BE52CC643EB868D53D10936FBDB88D2E3E20B864BDF00BB3BD3A6969BE20A1AABD40EDADBD6CA1CD3D38A566BE72676A3EC0D3BBBB38BF513D98FC80BDDCED9ABDCCC72BBEC038C3BBE4752C3EA8B5873DD07EA53DDABC3ABE1001FA3D6CC094BD48AD3ABE5C31FCBD62B83FBE202566BD1E466A3E4826EABDA047AEBD3A62443E1C44B1BD0480D73D74333B3E2614093ED25E003E5CCE353E00A89FBB1E9C50BE5C0714BEC0F0A03B0026D0BCC0625E3DD4D3C73DE8101BBDC46FE53D00D271BEE00006BC900A5ABE3C93C93D302A323E780ABEBD105C42BD28F3E03DA464E4BD8898F03DD8652EBE4032EDBB80391FBC7A5D5CBE40A9DABC30EFC0BC00D301BB400E723E887F1EBDD611153EFC1895BDC02408BEF0E7DBBC541216BE0CB3DFBDFCC584BD504D8B3C2E3C0EBE381E07BEE48A3ABEF0EF18BE480F62BEDAA330BEF40594BDB8DD0CBDB452273E208128BCD2220BBEAA1A50BEFC16BFBDC0CBD13BD29F4ABE2461CABD",
      torch_tensor_48_torch.float32: "0x04000000B0ED9D3CDC61693E00DA1E3A10D573BE2CC938BE8A1F40BEA4D52A3E36871D3E80E2BC3BC2FE19BE20F1D8BD58A712BE06166D3E988649BE401B373D9C10E13D4CA75BBED808D83D80BDFE3DD426833DCEFB6D3E2856ECBD66C06CBEF20418BECC336ABEEC28A63D70097A3D0C31EABDA03CB0BDB649143E0060063A220C563E8C11C4BDE82C0B3DA85C7F3DD48EB5BDC4A93F3E24D792BDBC44993D745A4EBE281A7E3D9204313E10E370BE14AA7F3ED0A4993C6C1A773EFCB1253E82DA0B3E",
      torch_tensor_48_16_torch.float32: "0x04000000A8781C3E8E051CBEFE6A4D3E60C7103E6CB430BEC0A653BE087CE0BD1812EABD264A11BE8466343EB07C7B3D208400BDD0138BBCA40ED53DC0C1D13CB094FDBC9E50633EE8A7303ED09A8F3CCCAC303EB8B55CBD2E4942BE5208133E48020E3E400D263DE8695ABEC4CA383E40AA913C54D106BE76DA61BE8AEF04BE9E0A6E3E0CF2FD3D6CDDE1BDE4DA533EAC485B3EB87AFE3D207FB6BCC8E76F3E68AB67BD389DD5BDB0A5F43D6C9BD5BD72DA3A3E242C08BE5C85BC3D76533CBE50922ABE60A14F3C34CC493E163444BE782B88BD4029EE3DB84637BD5AA165BE006F3CBB04D1B3BD90BF733D28ADD23DF0D299BD7A2603BE085C173E308B5CBE1CE2F93DA8C3CD3DE82CCB3D209B32BE08E4CD3DB2C918BEE0CEE43DD862EEBD4062613D80AE333BF80331BE00E46DBE608A71BDE264183E48416ABDB06784BD08F31EBE465439BE7048A6BC84E785BDC035B73D62AC783E200530BE583C9DBD58F2BD3DC4CA2CBEE0F8E2BC80D101BE44D1223EC0FAE3BCF044A83C283B183EDE5C35BEEC440ABE0070463E006ECB3DE071B7BC463D7F3EEE68603E286EDDBD901D8FBDA4E6DD3DBAA11FBE56797EBE343801BEA6666ABEB0DE213EF096813D546E57BE20752CBCB84B753E1AAE15BEEA2022BEE015DC3DEAD734BE16D16EBE2CD3103E206302BD48AF073EF0E554BDBAC0703E644AD3BDD2BE543E949D11BE58F5B3BDF4BD453E20F6E23DB4C23ABE60FACBBC2221173EE03E46BEE0C8403CECCC1C3E907743BED4C3C23DF88177BE046A6FBE802BB43B7A5767BE400CECBDAE7D173E902243BDC8392BBE58ED503EB82D7ABEF820513DA08527BEB08B0EBEA027A63C2A277C3E14ED87BD024E7EBE00CA5C3D90CFCBBDF2072BBEAC48CA3D6835CA3DEC5DFDBDC0D4853C087A143D504D973C382D1EBD98F213BEE2570D3EB270413EEC074F3EF49A543E607D46BC6026A43C549ECBBD40D472BD9442833D9071A33C048537BE782B37BE7446ED3D2C49433E40506D3E7E661C3EAC4B133E889BD63D14902C3ECC4A83BD18551E3D84AECE3D3031583D90A9B0BC208B06BE602436BE787013BE7079C63C00D46B3EB87EBABD6E9050BEF4F15EBE44BEC73D08B4D43DE4DF08BE48A5C6BD8442463EC2B558BE1057163EA089093C90A8F0BD5259773ECC3E28BECED4663E242E543E50F5AF3D2EC4263EB875783D385F563EE06A643D0AA97FBE1C08D8BD7876153D5AEE333E7C5294BD00DFB93D047CC33D80F1B03C32F352BE7446753E70E3F6BD5091213D442FC7BD58AD823D560B2D3E08DC573DB066DEBD40E6623D529551BE5C35573E664E093EFA72373E6C78813DBAED7EBE64F635BED48E68BEE884153EB214783EEA98263E0C65CEBD92C01BBECE3914BEDCBF703EC41B76BE2C577ABE30A9D43D90DBC13CA4E003BE26100FBE522176BE98DDAD3D1C34FABD20FC8EBD7643063E50CB4EBEACBA7B3E94FDA6BD045B233E70E627BD2463353E2A110EBED8B060BDBCB7FDBD6860283E5EA477BE088C293E00C8723946F622BED4D293BDB0D9F2BC08349ABD847CE1BD18E789BD30A0D53C784EF83D687E293D8A7B393E405828BDCE3D583EF8B0AB3D00E835BED4F32B3E606B593DF020243E62AF73BE40A484BC16C26DBEE03C6CBD50FFB8BDE6121EBE40C320BEE898453EDCE8E73DE8DFAD3D008F383DD8FAA13DB014C43C2A7E77BEF0B3E7BCC0D2223EC86803BD300C333D605A1D3E0653163ED02233BD6E64503E8870BEBD001FE4BBB6594E3E300B0FBE3C9A7D3E9873F6BDA48502BE6E18453E521C373E945934BECC07F23DA0B1933C4A6744BE9C8495BDF07BB13C7CD06CBEB09686BCB003803DA8FF3E3E944D363E3C88D5BD84F5F23D2861593D809A68BC9E1A43BE485B913D5A126B3E5E8957BE902C8EBCDC73153E0044AC39C499373EC0610EBD14A90DBE66B351BE84E719BE880E42BD8A301F3E6019D43C8022AC3C66364E3E483F863DFC96D7BD4CB1ABBD6A97113E805FCDBDD092A53DCCC5DA3DE0D82B3CF8B833BEC6A714BE68DF6BBE9075A63D008872BE366610BE04C8713E4034E6BB5475EB3DA8A3FEBDB8B571BD8870FEBD585DC03D127F23BE2C79E8BDB87A7A3D60753B3C30AFF4BDA0B0A83CC05B35BD6A7176BEEE6C6F3EB20D51BEE0BCA73D8602103E88103BBD34B68DBD8E066C3EE084403E80A732BDE8D6B5BDF2D908BE9A0A523EE0870BBEF04BB93D08308D3DCE8A453E007CE9BA8477033EC6970DBE6CACCABDCC1AC2BD822E76BED00966BE0033FE3D547BE43D746281BD2AF769BEDE812D3EB4C1773EBA6D7F3EC4D4D4BDF86A5DBE2A61253EDCF9013E3655483EB016863DF0AA2D3ED8A8E2BDCACC4FBE00AE1F3DAA705A3ECEB91FBEDA36053EF430D7BDF63F1EBE00528DBD5AED7B3E22825C3E946E513E4EBE753E202D09BC9CE7E03D08CBAF3DB410D5BDACE7273EA06505BD30CFBCBD30BE103E047C753E8E8D453E803B513C36D327BE8E6C6D3EECE3D43D64F3523E102D97BDD215183E60244D3CC0FA333E90D3713D9C0BD8BDA432E03DA8C5733E8CA02CBE662E783E0A2A533E6CBB563EE07B5E3D04D4A1BD7489ABBD886D04BDB0AD29BE1034BE3D6CB6F33DC06F55BD82B0633E50A8AD3D04B27D3E5CD5683EA8703FBD669F51BEF03929BE2ABB763EEA661BBE0004903C1460253E5CB2A5BDF034133E1EE92BBE084D4B3D6CBCEA3DC29F55BED431BBBDC26701BEE0603DBD42D6753E1252623EBA75033EC892F0BDF07D41BD90F4BF3C9611773E141056BE381076BD0E975ABE04B5BE3DF0F005BD0435E5BD5E176ABEECBDA8BD22A35DBEEC66AB3DB41269BE423103BE64807F3EE44677BE14A452BE104744BE5E2224BEAC9B4A3EC069A4BD20D945BE0A56103EE2F65E3E9C36FE3DC087BF3CA0FA3E3DF0E1C53D045F623E2CD0123EF87C47BE248246BE3E4621BE6422DFBD6614633E40257FBE401115BD620D423ED8FCC23DEC5802BE00F841BBAE5450BE40DC22BE129555BE1A0B3BBE56EA773E30D21EBDDACA0CBEB853FABDA8584DBE5C4A0ABE905BCD3C00B81CBEC8DF1F3D3098BA3D5A08363ED6FD10BE806751BD5C017D3E50A2DCBC886064BEB8F8A7BD3C94A43DB05437BDE8B3B43D48D049BE4C96FA3DD824E1BD4410C0BDB0C083BC58CF783ED69B443EB2245C3E00C613BDB054343E00F050BB4E642E3E4025AFBD642800BEB66437BEC03047BC648FDEBD1C8F4A3ECAF304BE6623073E1EFA03BEE0DD0B3E4060113C14CC18BE201A4D3C905A6DBEF0D7BEBC24EC17BE7C8167BEE4C1663EDE7F183EF060763D9202173E52764DBE206A06BEF0D2F2BDA66D1FBEA08653BDC8F43D3EC4F021BE8082443D1411DF3D98F201BE9C4AD23D4C648DBD0497E23DB451673E80A5873DA2F924BE0C8223BEFE8C483ECC0696BD969B733EB27542BEEA080BBEC2F67A3EA0642B3C287BFDBD8065A43C60C699BC584866BE801EA23D4C0B093E803C663B9AE552BE900899BD480DBC3D403EABBD02D54E3E50C99FBDB0A56BBDFEF7113EA08CDE3C6044133E30452EBE04E83B3E8443A2BD80F3193B3E21003EC4E69C3DC467BEBD5AC5143E7050BBBC184EEB3D1C6897BD40658D3CA855A9BD10EF143E22B7433EF850713D8E2B623EA834AB3D6E7158BE4A1114BEB0298FBC06A84DBE7C5EC53D74D2693E70A119BE68399CBD9E7657BEB86B833D0060F63B3EE6333EA473C6BD40A35DBE0E28663E00CA7C3E8A5531BE88ADC1BD948083BD3ABC24BE0CEE71BE60273A3E2863143E00A3EA3D8A6963BEC0C860BDEC1B1D3E049E023ED07977BD0051443BC01DE13D626D603E9A546E3EDAF26D3EEC09643E90AFEDBD08CF713EE0801DBC080D82BD5E02593EC0F6FFBC88740C3D902D9BBC545835BE5C5542BEBECB623EAE10723E205FC5BCE00325BE22297C3E3884673D7A32093E72CD58BEC893D03D3082A23CE0CA623E8073433E2AB3163E749D823D7852C53D2411B03D72656F3E5A4C0E3E0012C6BBC08D923DDCFDBDBD02454C3ED8E800BE20D0693E1E25423E24DC44BE2CC367BE80C9C4BBE469EE3D46284B3E7C685BBE68DF7DBD28A27B3DCC42A8BD7C0352BE80578E3DA05BDD3DA00DF7BC3EA8053E58F0283DAC0D4F3EFCEC863D009E793D58DF40BD0424F6BDACF8D63D0290743E383ABB3D5C3364BE6E7B2D3E4621753E80DDDBBB3C322ABE18B68FBD625D2F3E0C18083E60AFDEBC7065333DC031ABBBCC606CBEEAB4313E20C9F3BCE41054BE3890693D7E820A3E46CE5CBE408C47BC2C7F64BEB4F28E3DC03A103D58D8043EC0A94FBD7097713E108170BE",
      torch_tensor_32_16_torch.float32: "0x0400000056F451BF2B90CA3EDE1E663F38B7B1BF01012BBE2DFF913E931E24BF9AC664BFEC316D3F541709BFB77194BFB899EBBED162353FF8A1813F28ED6B3E888A8B3FC194CABF992DA6BE3B93F63F4CF7A8BE2E354B3EEA35483F7B01853F897939BF565D56BE7D825CBECC69E8BF8EC3B0BE41EF03C0DD912C3F6563A9BFE90CAEBFD910ABBDCB54C0BC748F323E0C181340A604753F277029BF6F1554BFDD0D1BBF305CB3BF1A0FA63F1A0AD23F6D4187BFB2EE85BE621180BE7F49003F7723853E207836BE09DD84BED45E6DBC5C8DC4BEBAD53DC044C087BFC3349EBE832D6F3F9AE9CF3FE16CCD3A5605E0BE36F206C09B8F923FAAADC3BE6EE5B5BEC312413F0470083E2FED3A3EF2BE03BFCDEE4C3FD7209FBF4BDFDBBF6C1715BF3B871DBF9BC362BFE637993F3057EF3EFF6413BE88DF4FBF86EDC5BEF3BB84BF438F173F817F10C03400CF3EA27B123FB4999D3E11EB00BE383175BFD03BE03FD2C47A3FCC02CCBEDA5231BEF3C2413F53797C3F1D4953BF8B34273E4753003F9DD4B53F326D09BFA731543F104E873F9B668DBF8F80023E3C2E9BBCCD85D0BE431D083F216CC43E0FCFF43FDB749BBFA6B4E23FC3CF013F545E21BE9DAEEB3E539C93BF2DF68FBF40FEA0BE0B3F203FB1F8B93D410116BF1FABFABEC7C9233F76021C3F7BE350BFA406943F50F79ABF52D4013F5FB4DCBE62FE1C3FC5E8903EE5BC973F32A3113F3881083EBF5C0F3F40323CBF5E5D65BEDDA34BBF509208C027D03FBF720DBA3F4F4DC5BF0FB5A9BE2AEB0C3F70CD013E1CF3C1BF65A669BFFAC3A23F28E1853EF60119BE1480933F7BC090BF2899054062DC07BF9EE74D3F6756973DF6858A3D4C850CBFCBF1D2BE5FF65C3DF036393FF7B48ABF43BD07BF36C3073EFCA02E3F606F83BFD2E2A1BD3D46133E6386B33F4459D5BEB86C293EA33737BFAD672CBF0F6436BF58E730BFBCB16C3E7B6D41BFF251F5BD6B58743F83C5183E65C8F0BEBD2459BF4B89513FC106533E8A7B333F84E230BF7E99953EE10ABB3FBC539D3EFE62423F1044C43F1F8446BF7AAA09C07ECBA3BFA9387DBF5AA18FBBCF10B7BE5CDA3E3E7A2B95BF0988623F0965A43F093956BFBDA6B6BFB45289BED29828C0FC4FBDBCFB1E3D3F4E9C293F1DAD403FD466133F84FB8A3DCABEC8BD193B1C3F79E467BF907761BF2E555CBFE4A32CBF715141C0A587CD3E6FB887BFA4ED90BFC4C7EABFE3C606BF56EC923FE7F68FBE9CA930BF1891BD3FC35F43BD9642F13E2FDC253F2172AA3FBE1597BE91FE6ABC3C4913BF2C62CC3E41DEFFBE7CC4A4BF4FB842BEB23FA7BDD01E5ABF5660D6BE3DE1AE3E208977BEC210A53FC17F37BF5CB05C3FDF37DFBE72B4F7BE67BB20BF948900405321413F8ABC823DF839203FE30E86BE6732D3BEF862C73D1ABE493F693D4FBFE6B7BE3D2AD299BEB90DD03B98D3C0BFD7DD1FBF31EDE73E86A74F3F19B431406877433F9A9A37BE2CEAB5BFFA8B85BF259892BE0696483FA731273E0DEF57BFBBA43F3FE497F93DCF4918BE533BBC3FD1334D3E388F31BF2C9E193F943A41BF0208D03F6848E63F0AC181BFCD1E75BF4FC9B33ECFC50D3C42DAD13E171F983B55564C3F3124563E276EDABE1CAD4C3F4FD103BE076DCB3EED96DC3E09AB84BF89E71DBF03A9BB3FDFB0E43FBAAAF4BD032C8D3F08FB57BFC53C39BE6DB6B2BE345E933F6330C8BF9B76253FB7A82ABF4D83A53E9318DF3E3EC2673F53D1BF3EA6758D3F2204BA3D60FD2C3FAF1DF5BEDBAA53BF18C775BD25061D3F35F970BEA7D0C1BFC64F2E3EAD82C8BFE3E1873E2551E1BC6E680D3C6C21243F847F1E3F59D24ABFA5673CBFAC36D93D55D5673FDDE9B7BF19EEAFBE6E4B853E842B143E895E223FDD1A61BFFA16A13EA77582BF1676A53E464D8BBC4071973F29E1C63F73272CBE31FB36BFA871C93EABEAD3BED66197BF062F00BF720F1640194B9FBF76D9034002FCDF3E0F5D693F410ED0BF03960A3E570E22BFC91BBCBEEF99C1BFF875793FCE320A3F9DE77CBEA96C45BE4882643EF34935BC7F7481BFF215993FE874943D6241E0BFEA879A3ED9DD0D3FEF59D63FFBB95C3F369EA3BF74654DBE01F5C5BF55A82C3C0E93413F9EBD0BBECF85ADBDD7D78BBF60A8C43F16317D3F04B075BFBCD67ABF1848003FB55A92BB14C8803F1E26DDBF12E9BEBF66DB17BF6A678DBF6E2D653E1FE5973F7C8CC93F8DA407BF054F8D3EE8612B3F6B1FD33FBA1A163EF447BCBE475B96BF5F04153ECA7AA3BFC670EB3D7D5F863F85806240CCB425BE61D09C3F8640AABD3CEDCEBF4D6B9ABF8C8AE93D74F6883F8BF1DFBF4F293C3F0DD8FA3E56D7BCBDC45B343D73C2AD3FC508A03FC777D73ED6A3763F64C68D3F1DBC3A3FC6459FBEE65BBA3EEAB87EBE805186BE9FBC0A3F429E66BEE5EB343FF5D1A93FA56BA63D8DB4F8BE6C6208409369CB3E1742CFBF6F14643FCC2708BF5D13663F43A9ACBFE9D7AD3FFDD48E3F87738E3F82F080BF041806BE9F19BFBD607C203FCA7FD2BEC672C0BFBEF4253FE239883F0554843FAEE4BF3FDDBCDF3F4A0BF2BF26DE303FFE863CBF65AB253F0FDFA4BC2F41DF3FB48370BE8717F3BE681CC5BFC453A83E909830BF74D624BFFE8218BE60CBDE3F7A8181BFA879ED3E643C9DBE1F89373E1F9A6BBFB5D2073F3C53B9BFC5A71DBEF097B4BFAB8DB23F9117C93E6F3ED4BFF0109D3FDBCDE4BFB7AA2D3EA90289BFF04743BFBD1D004051C1A13F6D2D3E3F55F0903EEFB0313F6AF5EABD50E3B83D406DCC3DAADDF63E842A78BFA84D83BF1C9513BE550D073F8BE2B53EB8772E3F3137B73E28FB973F0B4D5B3FF013FBBF55DBDCBEFA8F41BEB33D95BF0403053E2500803E94AF5ABF6410E03E"
    }
  }
#-}
