// Self-attention with rotary position embeddings, over 4 samples of 1024 positions.
func.func @forward(%x: tensor<4x1024x256xf32> {soap.kind = "data", soap.name = "x", soap.sample_dim = 0 : i64},
                   %wq: tensor<256x256xf32> {soap.kind = "parameter", soap.name = "wq", soap.init = "glorot"},
                   %wk: tensor<256x256xf32> {soap.kind = "parameter", soap.name = "wk", soap.init = "glorot"},
                   %wv: tensor<256x256xf32> {soap.kind = "parameter", soap.name = "wv", soap.init = "glorot"},
                   %wo: tensor<256x1000xf32> {soap.kind = "parameter", soap.name = "wo", soap.init = "glorot"})
    -> (tensor<4x1024x1000xf32> {soap.kind = "output", soap.name = "logits"}) {
  %q0 = soap.matmul %x, %wq {soap.name = "q"} : (tensor<4x1024x256xf32>, tensor<256x256xf32>) -> tensor<4x1024x256xf32>
  %k0 = soap.matmul %x, %wk {soap.name = "k"} : (tensor<4x1024x256xf32>, tensor<256x256xf32>) -> tensor<4x1024x256xf32>
  %v0 = soap.matmul %x, %wv {soap.name = "v"} : (tensor<4x1024x256xf32>, tensor<256x256xf32>) -> tensor<4x1024x256xf32>
  %q1 = soap.reshape %q0 {soap.name = "q_heads"} : (tensor<4x1024x256xf32>) -> tensor<4x1024x4x64xf32>
  %k1 = soap.reshape %k0 {soap.name = "k_heads"} : (tensor<4x1024x256xf32>) -> tensor<4x1024x4x64xf32>
  %v1 = soap.reshape %v0 {soap.name = "v_heads"} : (tensor<4x1024x256xf32>) -> tensor<4x1024x4x64xf32>
  %q2 = rope.rotate %q1 {soap.name = "q_rotated"} : tensor<4x1024x4x64xf32>
  %k2 = rope.rotate %k1 {soap.name = "k_rotated"} : tensor<4x1024x4x64xf32>
  %q = soap.transpose %q2 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "q_by_head"} : (tensor<4x1024x4x64xf32>) -> tensor<4x4x1024x64xf32>
  %k = soap.transpose %k2 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "k_by_head"} : (tensor<4x1024x4x64xf32>) -> tensor<4x4x1024x64xf32>
  %v = soap.transpose %v1 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "v_by_head"} : (tensor<4x1024x4x64xf32>) -> tensor<4x4x1024x64xf32>
  %s0 = soap.matmul %q, %k {transpose_b, soap.name = "scores"} : (tensor<4x4x1024x64xf32>, tensor<4x4x1024x64xf32>) -> tensor<4x4x1024x1024xf32>
  %s1 = soap.scale %s0 {factor = 0.125 : f64, soap.name = "scaled"} : tensor<4x4x1024x1024xf32>
  %s2 = soap.softmax %s1 {axis = 3 : i64, soap.name = "softmax"} : tensor<4x4x1024x1024xf32>
  %o0 = soap.matmul %s2, %v {soap.name = "mixed"} : (tensor<4x4x1024x1024xf32>, tensor<4x4x1024x64xf32>) -> tensor<4x4x1024x64xf32>
  %o1 = soap.transpose %o0 {permutation = array<i64: 0, 2, 1, 3>, soap.name = "by_position"} : (tensor<4x4x1024x64xf32>) -> tensor<4x1024x4x64xf32>
  %o2 = soap.reshape %o1 {soap.name = "joined"} : (tensor<4x1024x4x64xf32>) -> tensor<4x1024x256xf32>
  %y = soap.matmul %o2, %wo {soap.name = "logits"} : (tensor<4x1024x256xf32>, tensor<256x1000xf32>) -> tensor<4x1024x1000xf32>
  return %y : tensor<4x1024x1000xf32>
}
