// A residual block with batch norm in float64, batch 4: the model of residual_block.safetensors
// (utils/record_gradients.py).
func.func @forward(
    %x: tensor<4x6x10x14xf64> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
    %conv1_weight: tensor<12x6x3x3xf64> {soap.kind = #soap.kind<parameter>, soap.name = "conv1.weight"},
    %bn1_gamma: tensor<12xf64> {soap.kind = #soap.kind<parameter>, soap.name = "bn1.gamma"},
    %bn1_beta: tensor<12xf64> {soap.kind = #soap.kind<parameter>, soap.name = "bn1.beta"},
    %bn1_mean: tensor<12xf64> {soap.kind = #soap.kind<state>, soap.name = "bn1.mean"},
    %bn1_var: tensor<12xf64> {soap.kind = #soap.kind<state>, soap.name = "bn1.var"},
    %conv2_weight: tensor<12x12x3x3xf64> {soap.kind = #soap.kind<parameter>, soap.name = "conv2.weight"},
    %bn2_gamma: tensor<12xf64> {soap.kind = #soap.kind<parameter>, soap.name = "bn2.gamma"},
    %bn2_beta: tensor<12xf64> {soap.kind = #soap.kind<parameter>, soap.name = "bn2.beta"},
    %bn2_mean: tensor<12xf64> {soap.kind = #soap.kind<state>, soap.name = "bn2.mean"},
    %bn2_var: tensor<12xf64> {soap.kind = #soap.kind<state>, soap.name = "bn2.var"},
    %shortcut_weight: tensor<12x6x1x1xf64> {soap.kind = #soap.kind<parameter>, soap.name = "shortcut.weight"},
    %bn3_gamma: tensor<12xf64> {soap.kind = #soap.kind<parameter>, soap.name = "bn3.gamma"},
    %bn3_beta: tensor<12xf64> {soap.kind = #soap.kind<parameter>, soap.name = "bn3.beta"},
    %bn3_mean: tensor<12xf64> {soap.kind = #soap.kind<state>, soap.name = "bn3.mean"},
    %bn3_var: tensor<12xf64> {soap.kind = #soap.kind<state>, soap.name = "bn3.var"},
    %fc_weight: tensor<12x5xf64> {soap.kind = #soap.kind<parameter>, soap.name = "fc.weight"},
    %fc_bias: tensor<5xf64> {soap.kind = #soap.kind<parameter>, soap.name = "fc.bias"}
) -> (tensor<4x5xf64> {soap.kind = #soap.kind<output>, soap.name = "logits"}) {
  %conv1 = soap.conv2d %x, %conv1_weight {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, soap.name = "conv1"}
    : (tensor<4x6x10x14xf64>, tensor<12x6x3x3xf64>) -> tensor<4x12x5x7xf64>
  %bn1 = soap.batch_norm %conv1, %bn1_gamma, %bn1_beta, %bn1_mean, %bn1_var {epsilon = 1.0e-5 : f64, soap.name = "bn1"}
    : (tensor<4x12x5x7xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>) -> tensor<4x12x5x7xf64>
  %relu1 = soap.relu %bn1 {soap.name = "relu1"} : tensor<4x12x5x7xf64>
  %conv2 = soap.conv2d %relu1, %conv2_weight {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, soap.name = "conv2"}
    : (tensor<4x12x5x7xf64>, tensor<12x12x3x3xf64>) -> tensor<4x12x5x7xf64>
  %bn2 = soap.batch_norm %conv2, %bn2_gamma, %bn2_beta, %bn2_mean, %bn2_var {epsilon = 1.0e-5 : f64, soap.name = "bn2"}
    : (tensor<4x12x5x7xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>) -> tensor<4x12x5x7xf64>
  %shortcut = soap.conv2d %x, %shortcut_weight {strides = array<i64: 2, 2>, soap.name = "shortcut"}
    : (tensor<4x6x10x14xf64>, tensor<12x6x1x1xf64>) -> tensor<4x12x5x7xf64>
  %bn3 = soap.batch_norm %shortcut, %bn3_gamma, %bn3_beta, %bn3_mean, %bn3_var {epsilon = 1.0e-5 : f64, soap.name = "bn3"}
    : (tensor<4x12x5x7xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>) -> tensor<4x12x5x7xf64>
  %sum = soap.add %bn2, %bn3 {soap.name = "sum"} : tensor<4x12x5x7xf64>
  %relu2 = soap.relu %sum {soap.name = "relu2"} : tensor<4x12x5x7xf64>
  %pool_sum = soap.reduce sum %relu2 {axes = array<i64: 2, 3>, soap.name = "pool.sum"}
    : (tensor<4x12x5x7xf64>) -> tensor<4x12xf64>
  %pool = soap.scale %pool_sum {factor = 0.02857142857142857 : f64, soap.name = "pool"} : tensor<4x12xf64>
  %fc = soap.matmul %pool, %fc_weight {soap.name = "fc"}
    : (tensor<4x12xf64>, tensor<12x5xf64>) -> tensor<4x5xf64>
  %fc_add = soap.bias_add %fc, %fc_bias {axis = 1 : i64, soap.name = "fc.add"}
    : (tensor<4x5xf64>, tensor<5xf64>) -> tensor<4x5xf64>
  return %fc_add : tensor<4x5xf64>
}
