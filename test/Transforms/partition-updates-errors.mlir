// A loop that is summed over is not split where the result replaces an argument.
// RUN: soap-opt %s --soap-simulate='topology=cpu-2' --verify-diagnostics
func.func @train_step(%a: tensor<4x4xf32> {soap.kind = #soap.kind<data>, soap.name = "a", soap.sample_dim = 0 : i64}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w", soap.init = dense<1.0> : tensor<4x4xf32>}) -> (tensor<4x4xf32> {soap.kind = #soap.kind<update>, soap.updates = 1 : i64}) {
  // expected-error @below {{loop 'k' is serial and may not be split}}
  %n = soap.matmul %a, %w {soap.name = "new", soap.config = #soap.config<{k = 2}, devices = [0, 1]>} : tensor<4x4xf32>
  return %n : tensor<4x4xf32>
}
