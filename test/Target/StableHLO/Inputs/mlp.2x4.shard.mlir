#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  shard.grid @grid(shape = 2x4)
  func.func @main(%arg0: tensor<8x12xf32>, %arg1: tensor<12x16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16x6xf32>, %arg4: tensor<6xf32>) -> tensor<8x6xf32> {
    %sharding = shard.sharding @grid split_axes = [[0]] : !shard.sharding
    %sharding_0 = shard.sharding @grid split_axes = [[], [1]] : !shard.sharding
    %sharding_1 = shard.sharding @grid split_axes = [[1]] : !shard.sharding
    %sharding_2 = shard.sharding @grid split_axes = [[]] : !shard.sharding
    %sharding_3 = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
    %sharding_annotated = shard.shard %arg4 to %sharding_2 : tensor<6xf32>
    %sharding_annotated_4 = shard.shard %arg3 to %sharding_1 : tensor<16x6xf32>
    %sharding_annotated_5 = shard.shard %arg2 to %sharding_1 : tensor<16xf32>
    %sharding_annotated_6 = shard.shard %arg1 to %sharding_0 : tensor<12x16xf32>
    %sharding_annotated_7 = shard.shard %arg0 to %sharding : tensor<8x12xf32>
    %sharding_annotated_8 = shard.shard %sharding_annotated_7 to %sharding annotate_for_users : tensor<8x12xf32>
    %sharding_annotated_9 = shard.shard %sharding_annotated_6 to %sharding_0 annotate_for_users : tensor<12x16xf32>
    %0 = soap.matmul %sharding_annotated_8, %sharding_annotated_9 : (tensor<8x12xf32>, tensor<12x16xf32>) -> tensor<8x16xf32>
    %sharding_annotated_10 = shard.shard %0 to %sharding_3 : tensor<8x16xf32>
    %sharding_annotated_11 = shard.shard %sharding_annotated_10 to %sharding_3 annotate_for_users : tensor<8x16xf32>
    %sharding_annotated_12 = shard.shard %sharding_annotated_5 to %sharding_1 annotate_for_users : tensor<16xf32>
    %1 = tensor.empty() : tensor<8x16xf32>
    %sharding_annotated_13 = shard.shard %1 to %sharding_3 : tensor<8x16xf32>
    %sharding_annotated_14 = shard.shard %sharding_annotated_13 to %sharding_3 annotate_for_users : tensor<8x16xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%sharding_annotated_11, %sharding_annotated_12 : tensor<8x16xf32>, tensor<16xf32>) outs(%sharding_annotated_14 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %6 = arith.addf %in, %in_25 : f32
      %7 = math.tanh %6 : f32
      linalg.yield %7 : f32
    } -> tensor<8x16xf32>
    %sharding_annotated_15 = shard.shard %2 to %sharding_3 : tensor<8x16xf32>
    %sharding_annotated_16 = shard.shard %sharding_annotated_15 to %sharding_3 annotate_for_users : tensor<8x16xf32>
    %sharding_annotated_17 = shard.shard %sharding_annotated_4 to %sharding_1 annotate_for_users : tensor<16x6xf32>
    %3 = soap.matmul %sharding_annotated_16, %sharding_annotated_17 : (tensor<8x16xf32>, tensor<16x6xf32>) -> tensor<8x6xf32>
    %sharding_annotated_18 = shard.shard %3 to %sharding : tensor<8x6xf32>
    %sharding_annotated_19 = shard.shard %sharding_annotated_18 to %sharding annotate_for_users : tensor<8x6xf32>
    %sharding_annotated_20 = shard.shard %sharding_annotated to %sharding_2 annotate_for_users : tensor<6xf32>
    %4 = tensor.empty() : tensor<8x6xf32>
    %sharding_annotated_21 = shard.shard %4 to %sharding : tensor<8x6xf32>
    %sharding_annotated_22 = shard.shard %sharding_annotated_21 to %sharding annotate_for_users : tensor<8x6xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%sharding_annotated_19, %sharding_annotated_20 : tensor<8x6xf32>, tensor<6xf32>) outs(%sharding_annotated_22 : tensor<8x6xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %6 = arith.addf %in, %in_25 : f32
      linalg.yield %6 : f32
    } -> tensor<8x6xf32>
    %sharding_annotated_23 = shard.shard %5 to %sharding : tensor<8x6xf32>
    %sharding_annotated_24 = shard.shard %sharding_annotated_23 to %sharding annotate_for_users : tensor<8x6xf32>
    return %sharding_annotated_24 : tensor<8x6xf32>
  }
}

