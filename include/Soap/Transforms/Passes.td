//===- Passes.td - Passes on soap IR -----------------------*- tablegen -*-===//
//
// The steps of the pipeline that read and write soap IR.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TRANSFORMS_PASSES_TD
#define SOAP_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SoapBuildTrainingStep : Pass<"soap-build-training-step", "::mlir::ModuleOp"> {
  let summary = "Builds the training and the evaluation program of a forward function";
  let description = [{
    Takes `@forward`, a function from data and parameters to logits `[N, K]`, and adds

    - `@train_step`: forward, loss, backward by reverse-mode differentiation over `DifferentiableOpInterface`, and one update op per parameter.
      Functional: the new values of parameters and optimizer states are results that say which argument they replace (`soap.updates`).
    - `@evaluate`: forward for inference, loss and number of correct rows.

    `batch_norm` becomes `batch_norm_train` in `@train_step`, and its running statistics are updated. `@forward` is kept; its ops that have no `soap.name` get one.

    ```mlir
    func.func @forward(%x: tensor<8x4xf32> {soap.kind = "data", soap.name = "x", soap.sample_dim = 0 : i64},
                       %w: tensor<4x3xf32> {soap.kind = "parameter", soap.name = "w"}) -> tensor<8x3xf32> {
      %y = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
      return %y : tensor<8x3xf32>
    }
    ```

    with `loss=softmax-cross-entropy optimizer=sgd learning-rate=0.1` gives

    ```mlir
    func.func @train_step(%x ..., %w ..., %label: tensor<8xi32> {soap.kind = "label", soap.name = "label", soap.sample_dim = 0 : i64})
        -> (tensor<f32> {soap.kind = "loss"}, tensor<f32> {soap.kind = "correct"}, tensor<4x3xf32> {soap.kind = "update", soap.updates = 1 : i64}) {
      %y = soap.matmul %x, %w {soap.name = "fc"}
      %loss, %correct, %stats = soap.cross_entropy %y, %label {scale = 1.25e-01, soap.name = "loss"}
      %seed = soap.constant dense<1.0> {soap.name = "loss.seed"}
      %dy = soap.cross_entropy_grad %seed, %y, %label, %stats {soap.grad_of = "loss", soap.name = "loss.input_grad"}
      %dw = soap.matmul %x, %dy {transpose_a, soap.grad_of = "fc", soap.loop_map = {k = "m", m = "k"}, soap.name = "fc.weight_grad"}
      %w1 = soap.sgd %w, %dw {soap.update_of = "fc", soap.loop_map = {d0 = "k", d1 = "n"}, soap.name = "w.sgd"}
      return %loss, %correct, %w1
    }
    ```
  }];
  let options = [
    Option<"loss", "loss", "std::string", /*default=*/"\"softmax-cross-entropy\"",
           "Loss: softmax-cross-entropy (mean over the batch, integer labels)">,
    Option<"optimizer", "optimizer", "std::string", /*default=*/"\"sgd\"", "Optimizer: sgd">,
    Option<"learningRate", "learning-rate", "double", /*default=*/"0.01", "Learning rate, at least 0">,
    Option<"momentum", "momentum", "double", /*default=*/"0.0", "Momentum in [0, 1); other than 0 adds a velocity per parameter">,
    Option<"weightDecay", "weight-decay", "double", /*default=*/"0.0", "Weight decay (added to gradients), at least 0">,
    Option<"batchNormMomentum", "batch-norm-momentum", "double", /*default=*/"0.1",
           "Weight of a batch's statistics in the running statistics, in [0, 1]">,
    Option<"inference", "inference", "bool", /*default=*/"false", "Build @evaluate alone, no training step">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapPartition : Pass<"soap-partition", "::mlir::ModuleOp"> {
  let summary = "Turns every function with configs into one program per device class";
  let description = [{
    Every op of every function must have a `soap.config`. The communication plan that the simulator prices is written as IR: local ops on packed tiles,
    `soap.assemble`, `soap.combine` and `soap.fill`, and `soap.send` and `soap.recv`, in the simulated order. Devices that do the same share
    one program and differ in their row of the rank table `soap.programs` (docs/Partition.md).

    ```mlir
    %y = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```

    becomes, for both devices,

    ```mlir
    %y = soap.relu %x {soap.slot = 0 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    ```
  }];
  let options = [
    Option<"topology", "topology", "std::string", /*default=*/"\"\"", "Built-in topology (cpu-4) or topology file; default: the module's soap.topology">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

#endif // SOAP_TRANSFORMS_PASSES_TD
