//===- Passes.td - Passes on soap IR -----------------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
    Takes `@forward`, a function from data and parameters to logits `[N, K]` (or `[.., K]`: every position has a
    label), and adds

    - `@train_step`: forward, loss, backward by reverse-mode differentiation over `DifferentiableOpInterface`, and one
      update op per parameter. Functional: the new values of parameters and optimizer states are results that say
      which argument they replace (`soap.updates`).
    - `@evaluate`: forward for inference, loss, number of correct rows and the sums of `metrics`.
    - with `accumulate`, `@accumulate_step`: forward, loss and backward, whose gradients are added to states.
      `@train_step` adds its own, updates with their mean and sets the states to 0.

    `batch_norm` becomes `batch_norm_train` in `@train_step`, and its running statistics are updated; `dropout` drops
    in `@train_step` and is gone in `@evaluate`. Adam, dropout and schedules read a counter of iterations, the state
    `step`.

    Softmax cross-entropy expects logits: with `loss=auto` a result that does not look like them (of a sigmoid or
    softmax, images, ...) is an error, with `loss=softmax-cross-entropy` a warning (docs/TrainingStep.md#which-loss).
    A model with several results names a loss for each, as `loss=softmax-cross-entropy,mse,none`.

    A schedule scales the learning rate by a factor that depends on the iteration i = 1, 2, ...
    (docs/TrainingStep.md#schedules). With sgd the factor scales gradient and weight decay as they enter the velocity,
    with adam and adamw the step, and the decoupled decay of adamw as well. `@forward` is kept; its ops that have no
    `soap.name` get one.

    ```mlir
    func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                       %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
      %y = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
      return %y : tensor<8x3xf32>
    }
    ```

    with `optimizer=sgd learning-rate=0.1` gives

    ```mlir
    func.func @train_step(%x ..., %w ..., %label: tensor<8xi32> {soap.kind = #soap.kind<label>, soap.name = "label", soap.sample_dim = 0 : i64})
        -> (tensor<f32> {soap.kind = #soap.kind<loss>}, tensor<f32> {soap.kind = #soap.kind<correct>}, tensor<4x3xf32> {soap.kind = #soap.kind<update>, soap.updates = 1 : i64}) {
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
    Option<"loss", "loss", "std::string", /*default=*/"\"auto\"",
           "Loss of each result, separated by commas: softmax-cross-entropy (integer labels), bce-with-logits, mse, "
           "l1, huber (labels like the result), output (the result is a loss), none; auto is softmax-cross-entropy, "
           "and refuses a result that does not look like logits">,
    ListOption<"lossWeights", "loss-weights", "double",
               "Factor of the loss of each result in their sum (default 1)">,
    Option<"ignoreIndex", "ignore-index", "std::string", /*default=*/"\"none\"",
           "softmax-cross-entropy: rows with this label, or a negative one, count nothing, and the loss is the mean "
           "over the others">,
    Option<"labelSmoothing", "label-smoothing", "double", /*default=*/"0.0",
           "softmax-cross-entropy: share of the target that is spread over all classes, in [0, 1]">,
    ListOption<"classWeights", "class-weights", "double",
               "softmax-cross-entropy: weight of each class; the loss is the mean weighted by them">,
    Option<"huberDelta", "huber-delta", "double", /*default=*/"1.0",
           "huber: where the loss changes from quadratic to linear, above 0">,
    ListOption<"metrics", "metrics", "std::string",
               "What @evaluate computes beside the loss: top-K of classes (as top-5), mean-absolute-error, perplexity, "
               "accuracy (also without naming it where one result has classes)">,
    Option<"evaluationModel", "evaluation-model", "std::string", /*default=*/"\"\"",
           "File with a '@forward' of the same parameters and another batch, of which @evaluate is built">,
    ListOption<"freeze", "freeze", "std::string",
               "Patterns (as *.bias or layer1.*) of parameters that are not trained">,
    ListOption<"paddingRows", "padding-rows", "std::string",
               "PATTERN=ROW: the row of these embedding tables that look-ups give no gradient (padding_idx of PyTorch)">,
    Option<"accumulate", "accumulate", "bool", /*default=*/"false",
           "Build @accumulate_step: an iteration may have several batches (soap-run train --accumulate N)">,
    Option<"clipNorm", "clip-norm", "double", /*default=*/"0.0",
           "Largest norm of all gradients together; they are scaled down to it. 0: no limit">,
    Option<"precision", "precision", "std::string", /*default=*/"\"\"",
           "Floats of the step: f32 or tf32 (products, docs/GPU.md), or bf16 or f16, in which activations, gradients and "
           "working copies of the f32 weights are, or fp8 or mxfp8: bf16, and 8 bits for the products of layers; "
           "default: f32, and the module's soap.precision">,
    Option<"gradientSums", "gradient-sums", "std::string", /*default=*/"\"f32\"",
           "Type in which gradients of 16 bits are summed over samples, microbatches and replicas: f32, or their own "
           "(bf16, f16), which loses digits with each addition">,
    Option<"lossScale", "loss-scale", "double", /*default=*/"65536.0",
           "precision=f16: first factor of the loss, in [1, 2^24]; it is halved where gradients overflow">,
    Option<"lossScaleWindow", "loss-scale-window", "int64_t", /*default=*/"2000",
           "precision=f16: finite iterations until the factor of the loss doubles">,
    Option<"optimizer", "optimizer", "std::string", /*default=*/"\"sgd\"", "Optimizer: sgd, adam, adamw or lion">,
    Option<"learningRate", "learning-rate", "double", /*default=*/"0.01", "Learning rate, at least 0">,
    Option<"scheduleKind", "schedule", "std::string", /*default=*/"\"constant\"",
           "Schedule of the learning rate: constant, linear or cosine (to final-factor in total-iterations), or step "
           "(times decay-factor after every decay-every iterations)">,
    Option<"totalIterations", "total-iterations", "int64_t", /*default=*/"0",
           "Iterations until a linear or cosine schedule ends, warm-up included">,
    Option<"warmupIterations", "warmup-iterations", "int64_t", /*default=*/"0",
           "Iterations in which the learning rate grows from 0, linearly, before the schedule begins">,
    Option<"finalFactor", "final-factor", "double", /*default=*/"0.0",
           "linear, cosine: the factor of the learning rate at the end, in [0, 1]">,
    Option<"decayEvery", "decay-every", "int64_t", /*default=*/"0", "step: iterations between two decays">,
    Option<"decayFactor", "decay-factor", "double", /*default=*/"0.1",
           "step: factor of the learning rate after each, in (0, 1]">,
    Option<"momentum", "momentum", "double", /*default=*/"0.0",
           "Momentum in [0, 1); other than 0 adds a velocity per parameter">,
    Option<"weightDecay", "weight-decay", "double", /*default=*/"0.0",
           "Weight decay, at least 0: added to gradients (sgd, adam) or taken off the weights (adamw)">,
    ListOption<"weightDecayOf", "weight-decay-of", "std::string",
               "PATTERN=VALUE: weight decay of the parameters whose names match, as *.bias=0; the first that matches "
               "counts">,
    Option<"beta1", "beta1", "double", /*default=*/"0.9",
           "adam, adamw, lion: decay of the mean of gradients, in [0, 1)">,
    Option<"beta2", "beta2", "double", /*default=*/"0.999",
           "adam, adamw: decay of the mean of squared gradients, in [0, 1); lion: of the mean that is kept (0.99)">,
    Option<"epsilon", "epsilon", "double", /*default=*/"1e-8",
           "adam, adamw: added to the root of the squared gradients, above 0">,
    Option<"batchNormMomentum", "batch-norm-momentum", "double", /*default=*/"-1",
           "Weight of a batch's statistics in the running statistics, in [0, 1]; -1: what the model's batch_norm "
           "ops say, 0.1 where they say nothing">,
    Option<"batchNorm", "batch-norm", "std::string", /*default=*/"\"batch\"",
           "Whose statistics normalize a sample in training: batch (the whole batch's), groups(N) (the batch is N groups "
           "of samples that follow each other), or device (one group for each device of the topology)">,
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "batch-norm=device: built-in topology (cpu-4) or topology file; default: the module's soap.topology">,
    Option<"attentionAsOp", "fuse-attention", "bool", /*default=*/"true",
           "Write attention of the model as one op, as --soap-fuse-attention does">,
    Option<"inference", "inference", "bool", /*default=*/"false", "Build @evaluate alone, no training step">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapBucketGradients : Pass<"soap-bucket-gradients", "::mlir::ModuleOp"> {
  let summary = "Lets small gradients be reduced together";
  let description = [{
    Every op of the function must have a `soap.config`. Gradients that the same devices exchange on their way to
    updates that are replicated, each of at most `bytes`, are put into buckets of at most as many bytes, in the order
    in which the backward pass computes them: `soap.bucket`, one exchange, `soap.unbucket`
    (docs/TrainingStep.md#buckets). Without `bytes`, sizes from 16 KiB to 16 MiB are simulated, and the fastest is
    taken, or no buckets where none gains. A remark says what was done.
  }];
  let options = [
    Option<"bytes", "bytes", "int64_t", /*default=*/"0",
           "Most bytes of a bucket and of a gradient in one; 0: what simulation finds best">,
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "Built-in topology (cpu-4) or topology file; default: the module's soap.topology">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "Profile file, or h200: measured times of the topology's devices (docs/CostModel.md); default: what "
           "the topology names">,
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function whose gradients are meant; default: train_step">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapFuseAttention : Pass<"soap-fuse-attention", "::mlir::ModuleOp"> {
  let summary = "Writes attention as one op";
  let description = [{
    Replaces each chain `matmul, scale, softcap, masks, softmax, matmul` of functions without gradients by
    `soap.attention`, which needs no memory for scores and can be split along queries and keys
    (docs/ContextParallelism.md). Causal masks and sliding windows become bounds of the op, other masks and sums of
    scores a bias; heads of keys and values that are repeated for several heads of queries are read before that.
    Results are equal within rounding.

    `--soap-build-training-step` does this by itself. A remark says why an attention stays as it is: its probabilities
    are read or dropped, or there is an op that the pass does not know between the products.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function to rewrite; default: all">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapRecompute : Pass<"soap-recompute", "::mlir::ModuleOp"> {
  let summary = "Lets the backward pass compute activations again instead of keeping them";
  let description = [{
    Activation recomputation (gradient checkpointing, rematerialization) of a training step: chosen ops of the forward
    pass are cloned into the backward pass, right before the first gradient op that reads what they compute. What they
    read is kept, or computed again itself. A clone computes the same bits, dropout included. Plans let no clone run
    before the gradient arrives that its first reader waits for (docs/Recomputation.md).

    `blocks=whole` recomputes all ops inside of each block, so that blocks keep what they read of each other;
    `blocks=selective` the ops that are cheap to compute and large to keep, by bytes per time, as long as `budget` lasts.
    Blocks are what repeats in the op graph, and pieces of what lies between. `blocks=auto` needs a strategy, and
    recomputes as little as lets it fit into the memory of its devices. `ops` names ops instead. A choice replaces an
    earlier one.

    Ops that update a state are not recomputed; of batch normalization the statistics are kept. Run it before a
    strategy is chosen, or afterwards: clones have the config of their op.

    ```mlir
    %h = soap.gelu %x {soap.name = "fc.gelu"} : tensor<4x8xf32>
    ```

    with `ops=*.gelu` gets, in front of the gradient that reads it,

    ```mlir
    %h2 = soap.gelu %x {soap.name = "fc.gelu.recompute", soap.recompute_of = "fc.gelu"} : tensor<4x8xf32>
    ```
  }];
  let options = [
    Option<"blocks", "blocks", "std::string", /*default=*/"\"selective\"",
           "none, selective, whole or auto: what is recomputed of each block">,
    ListOption<"ops", "ops", "std::string",
               "Instead of 'blocks': names of ops; * stands for any text, ? for a character">,
    Option<"budget", "budget", "double", /*default=*/"0.1",
           "selective, auto: the share of the forward pass's time that selective recomputation may take, above 0 and at "
           "most 1">,
    Option<"first", "first", "int64_t", /*default=*/"0", "selective, whole: the first blocks only; 0: all">,
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "Built-in topology (cpu-4) or topology file, which prices ops; default: the module's soap.topology">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "Profile file, or h200: measured times of the topology's devices (docs/CostModel.md); default: what "
           "the topology names">,
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function whose ops are meant; default: train_step">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapPartition : Pass<"soap-partition", "::mlir::ModuleOp"> {
  let summary = "Turns every function with configs into one program per device class";
  let description = [{
    Every op of every function must have a `soap.config`. The communication plan that the simulator prices is written
    as IR: local ops on packed tiles, `soap.assemble`, `soap.combine` and `soap.fill`, and `soap.send` and
    `soap.recv`, in the simulated order. Devices that do the same share one program and differ in their row of the
    rank table `soap.programs` (docs/Partition.md).

    ```mlir
    %y = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<4x8xf32>
    ```

    becomes, for both devices,

    ```mlir
    %y = soap.relu %x {soap.slot = 0 : i64} : tensor<2x8xf32>
    ```

    Runs of ops that repeat, as microbatches of a pipeline do, are written once, as a private function
    `@tasks_N` whose slots count from 0. A call says which slot that is; `outline-tasks` says when: each call must save
    more than so many ops. Lowering and `--soap-simulate` put the ops in place of their calls.

    ```mlir
    %y:2 = call @tasks(%x, %w) {soap.slot = 40 : i64} : (tensor<2x8xf32>, tensor<8x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
    ```
  }];
  let options = [
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "Built-in topology (cpu-4) or topology file; default: the module's soap.topology">,
    Option<"outlineTasks", "outline-tasks", "int64_t", /*default=*/"16",
           "Ops that repeat become functions where each call saves more than N ops; 0: all ops are written out">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapApplyStrategy : Pass<"soap-apply-strategy", "::mlir::ModuleOp"> {
  let summary = "Writes a strategy from a file or a preset on every op";
  let description = [{
    Writes `soap.config` on all ops of all functions and `soap.topology` on the module. The strategy is that of one
    function (`@train_step`, else `@evaluate`, else `@forward`); ops of other functions take the config of the op with
    the same `soap.name`, and run on device 0 if there is none. Configs of arguments and results stay as they are.

    ```mlir
    %y = soap.relu %x {soap.name = "relu1"} : tensor<4x8xf32>
    ```

    with `preset=data-parallel topology=cpu-2`, where dim 0 holds samples, becomes

    ```mlir
    %y = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>, soap.name = "relu1"} : tensor<4x8xf32>
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", /*default=*/"\"\"", "Strategy file (JSON); give this or 'preset'">,
    Option<"preset", "preset", "std::string", /*default=*/"\"\"",
           "single, data-parallel, model-parallel, spatial, expert, zero, weighted, fast-devices, or a recipe: fsdp, "
           "gshard(ep=N), megatron(tp=N,sp) (docs/Search.md); with the option offload, as zero(offload), states of the "
           "optimizer are in host memory">,
    Option<"offload", "offload", "std::string", /*default=*/"\"as-is\"",
           "States of the optimizer in host memory (docs/HostMemory.md): none, optimizer (all of them), or as-is (what the "
           "strategy file says, else the module)">,
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "Built-in topology (cpu-4) or topology file; default: the module's soap.topology, else the strategy file's">,
    Option<"executor", "executor", "std::string", /*default=*/"\"\"",
           "Framework that runs the plan (docs/Executors.md): soap, torch-fsdp, torchtitan, megatron-core or jax, or a file; "
           "default: the module's soap.executor">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "Profile file, or h200: measured times of the topology's devices (docs/CostModel.md); default: what "
           "the topology names">,
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function that the strategy is for; default: train_step, evaluate or forward">,
    Option<"exportFile", "export", "std::string", /*default=*/"\"\"",
           "Write the strategy to this file, with its simulated schedule">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapAutoParallel : Pass<"soap-auto-parallel", "::mlir::ModuleOp"> {
  let summary = "Searches for a fast strategy and writes it on every op";
  let description = [{
    Searches by `algorithm`. The default, `auto`, takes hybrid plans (stages, tensor and data parallelism,
    microbatches) where layers repeat on more than 16 devices, the better of a hybrid plan and Markov chains where they
    repeat on up to 16 devices, and Markov chains elsewhere. These, `mcmc`, are the search of the SOAP paper: a random
    group of ops (a forward op, its gradients and updates, and what follows it) gets a random config, and a Metropolis
    criterion over simulated time decides. Chains start from the presets and a random strategy. A strategy that does
    not fit into the devices' memory is not a solution.
    Ctrl-C ends the search with the best strategy so far; with `checkpoint` the same command goes on later. With
    `proposals` alone the result depends on nothing but the seed.

    ```mlir
    %y = soap.matmul %x, %w {soap.name = "fc"} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    ```

    with `topology=cpu-2 proposals=100` becomes, for example,

    ```mlir
    %y = soap.matmul %x, %w {soap.config = #soap.config<{n = 2}, devices = [0, 1]>, soap.name = "fc"}
       : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    ```

    At its end the search prints one line on stderr (docs/Search.md): the time of an iteration, that of the strategy
    before (or of one device), the gain over data parallelism, the memory of the fullest device, and how much was
    searched. With `--remarks-filter=soap-auto-parallel` a remark says the config of each group of ops.

    Options come in groups, which their descriptions begin with: the cluster, the search, the space that it searches,
    `algorithm=frontier`, and output.
  }];
  let options = [
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "Cluster: built-in topology (cpu-4) or topology file; default: the module's soap.topology">,
    Option<"executor", "executor", "std::string", /*default=*/"\"\"",
           "Framework that runs the plan (docs/Executors.md): soap, torch-fsdp, torchtitan, megatron-core or jax, or a file; "
           "default: the module's soap.executor">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "Cluster: profile file, or h200: measured times of the topology's devices (docs/CostModel.md); "
           "default: what "
           "the topology names">,
    Option<"measure", "measure", "std::string", /*default=*/"\"\"",
           "Cluster: search on this machine, instead of 'topology': topology NAME.topology.json with "
           "NAME.profile.json, "
           "to which 'soap-run calibrate' adds the shapes of this module that it lacks">,
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Search: function that the strategy is for; default: train_step, evaluate or forward">,
    Option<"algorithm", "algorithm", "std::string", /*default=*/"\"auto\"",
           "Search: auto (where layers repeat hybrid, on up to 16 devices the better of hybrid and mcmc; else mcmc), mcmc "
           "(Markov chains), polish (from the best start until no change of one group gains), optcnn "
           "(dynamic programming over equal partitions on the first devices, as if nothing overlapped), placement"
           " (every "
           "group whole on one device), exact (branch and bound; few ops and devices), frontier (all best trade-offs "
           "of memory and time, docs/Frontier.md), mesh (axes of many devices to loops, docs/Mesh.md), or hybrid (pipeline "
           "stages, tensor and data parallelism, microbatches, docs/Hierarchical.md)">,
    ListOption<"initial", "initial", "std::string",
               "Search: where it starts: presets by name, 'current' for the configs of the module, 'optcnn', "
               "'placement' or 'mesh' for what these algorithms find (in their own time, which counts), or strategy files "
               "(*.json); default: all presets, a random strategy, and, on up to 16 devices, a placement; and what "
               "factor moves make of the best three of them (mcmc)">,
    Option<"polish", "polish", "bool", /*default=*/"false",
           "Search: polish what the algorithm has found with what is left of the budget, until no change of one group "
           "gains">,
    Option<"seed", "seed", "uint64_t", /*default=*/"1", "Search: seed of its random numbers">,
    Option<"timeLimit", "time-limit", "double", /*default=*/"0",
           "Search: budget in seconds; default: 10 for mcmc if there is no 'proposals', else none">,
    Option<"proposals", "proposals", "int64_t", /*default=*/"0",
           "Search: budget in proposals; of a search over hybrid plans, in shapes that are priced">,
    Option<"threads", "threads", "unsigned", /*default=*/"0",
           "Search: threads, for chains and for their next proposals in advance; 0: one per core. With "
           "'proposals' alone "
           "the result is the same for any number">,
    Option<"checkpointFile", "checkpoint", "std::string", /*default=*/"\"\"",
           "Search: keep the state of Markov chains, or of a search over hybrid plans, in this file, and go on from it if "
           "it exists. Budgets hold for all runs together">,
    Option<"bound", "bound", "bool", /*default=*/"false",
           "Search: work out afterwards, for the report's bound_ns, a time that no strategy beats: of all ops, "
           "each split "
           "in its cheapest way (into at most as many pieces as there are devices, or as a start has), on all devices "
           "together; takes seconds">,
    Option<"tuning", "tuning", "std::string", /*default=*/"\"\"",
           "Search: parameters of the algorithms and settings for measurements, as {beta=100 chains=4}; docs/Search.md "
           "has the table">,
    Option<"space", "space", "std::string", /*default=*/"\"soap\"",
           "Space: soap (all), sap (samples, attributes, parameters), sp, s, or optcnn (sap, in equal pieces); all but "
           "soap keep devices in order and compute nothing twice">,
    Option<"recompute", "recompute", "std::string", /*default=*/"\"as-is\"",
           "Space: activation recomputation (docs/Recomputation.md): as-is (what the module has), none, selective, whole, "
           "or auto: as little as lets the strategy fit into memory">,
    ListOption<"roles", "roles", "std::string",
               "Space: loops that may be split: sample, parameter, reduction, attribute; default: the roles of 'space'">,
    Option<"mode", "mode", "std::string", /*default=*/"\"\"",
           "Frontier, hybrid: mini-time (the fastest strategy that fits; the default), mini-parallelism (the fewest "
           "devices that some strategy or hybrid plan fits on) or profiling (frontiers, or hybrid plans, of 1, 2, 4, ... "
           "and all devices, then as mini-time)">,
    Option<"memoryLimit", "memory-limit", "std::string", /*default=*/"\"\"",
           "Frontier: most memory of a device, 16GB or 15GiB; default: what the topology's devices have">,
    Option<"reuse", "reuse", "bool", /*default=*/"false",
           "Frontier: values that are re-sharded may be kept in one form only and re-sharded again in the "
           "backward pass "
           "('soap.keep'); takes several times as long">,
    Option<"frontierFile", "frontier", "std::string", /*default=*/"\"\"",
           "Frontier: write the frontiers to this file (JSON, docs/Frontier.md; '-': stdout)">,
    Option<"frontierSvg", "frontier-svg", "std::string", /*default=*/"\"\"",
           "Frontier: draw them to this file (SVG; '-': stdout)">,
    Option<"report", "report", "std::string", /*default=*/"\"\"",
           "Output: write what the search did to this file (JSON; '-': stdout)">,
    Option<"progressSvg", "progress-svg", "std::string", /*default=*/"\"\"",
           "Output: draw how the best time fell during the search to this file (SVG; '-': stdout)">,
    Option<"exportFile", "export", "std::string", /*default=*/"\"\"",
           "Output: write the strategy to this file, with its simulated schedule">,
    Option<"summary", "summary", "bool", /*default=*/"true", "Output: print what was found in one line on stderr">
  ];
  let statistics = [
    Statistic<"numProposals", "proposals", "Strategies that the search priced">,
    Statistic<"numAccepted", "accepted", "Proposals that became the current strategy">,
    Statistic<"numPrunedByLoad", "pruned-by-load", "Proposals pruned by the load bound, before planning">,
    Statistic<"numPrunedByTransfers", "pruned-by-transfers",
              "Proposals pruned by the path or inbound-transfer bound, before planning">,
    Statistic<"numPrunedByPlan", "pruned-by-plan", "Proposals pruned by a bound of their plan, before simulation">,
    Statistic<"numSimulatedTasks", "simulated-tasks", "Tasks that proposals gave new times">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapPrintOpGraph : Pass<"soap-print-op-graph", "::mlir::ModuleOp"> {
  let summary = "Prints what a search sees: groups of ops, their loops and roles";
  let description = [{
    Prints on standard output the op graph of a function: inputs and the ops that update them, then per group of ops
    that share a decision each op with its values, phase and stages, and each loop with its extent, its role (`serial`
    if it may not be split) and the leader's loop that it follows (docs/Analysis.md). The IR stays as it is.

    ```
    group fc
      fc: matmul (x, w) -> (fc.out), forward
        m=8 sample, n=3 parameter, k=4 parameter
      w.sgd: sgd (w, fc.weight_grad.out) -> (w.sgd.out), update
        d0=4 parameter as k, d1=3 parameter as n
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function to print; default: train_step, evaluate or forward">,
    Option<"problem", "problem", "std::string", /*default=*/"\"\"",
           "Write the problem of a search, without its topology, to this file (JSON, docs/Search.md; '-': "
           "stdout), and print nothing">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapExplain : Pass<"soap-explain", "::mlir::ModuleOp"> {
  let summary = "Says why an op has its config: what the alternatives cost";
  let description = [{
    For the group of an op (docs/Analysis.md), prices other configs by simulation while all other groups keep theirs,
    and prints a table: config, time of an iteration, difference, compute time of the group, bytes moved, and the
    resource that most of the critical path is on. Below the table it says what would have to change: which neighbour,
    split the same way, would make an alternative faster, and what transfers would vanish. The IR stays as it is
    (docs/Looking.md).

    With `block=NAME` it says of a block of ops, as a layer, how they are split, and what they take, move and keep on
    a device: of any strategy, pipelines in microbatches included.

    ```
    soap-opt searched.mlir --soap-explain='op=conv2_3' -o /dev/null
    ```
  }];
  let options = [
    Option<"op", "op", "std::string", /*default=*/"\"\"",
           "Name of the op ('soap.name'): its own, or that of any op that follows it">,
    Option<"block", "block", "std::string", /*default=*/"\"\"",
           "Instead of an op: the ops whose names are this, or begin with it and a point, as layers.12">,
    Option<"report", "report", "std::string", /*default=*/"\"\"",
           "Write all alternatives, or all of the block, to this file (JSON; '-': stdout)">,
    Option<"most", "most", "int64_t", /*default=*/"400",
           "Price at most this many alternatives, at least 1: neighbours' configs and the presets first, then "
           "degrees">,
    Option<"rows", "rows", "int64_t", /*default=*/"16", "Print at most this many alternatives, at least 0">,
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "Built-in topology (cpu-4) or topology file; default: the module's soap.topology">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "Profile file, or h200: measured times of the topology's devices (docs/CostModel.md); default: what "
           "the topology names">,
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function of the op; default: train_step, evaluate or forward">,
    Option<"summary", "summary", "bool", /*default=*/"true", "Print the table on stderr">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapPlace : Pass<"soap-place", "::mlir::ModuleOp"> {
  let summary = "Places ops on devices as a pipeline of stages";
  let description = [{
    Device placement (docs/Placement.md): every group of ops (docs/Analysis.md) whole on one device, so that the
    greatest load of a device is smallest; stages through which microbatches go, contiguous unless
    `algorithm=local-search`. Writes configs, and `soap.pipeline` on the module, which makes `--soap-simulate`
    simulate the pipeline (docs/Pipeline.md). Prints the greatest load and what is known of the optimum on stderr.

    ```
    soap-opt step.mlir --soap-place='topology=h100-8 microbatches=16' --soap-simulate -o placed.mlir
    ```
  }];
  let options = [
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "Built-in topology (h100-8) or topology file, with devices of one type; default: the module's "
           "soap.topology">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "Profile file, or h200: measured times of the topology's devices (docs/CostModel.md); default: what "
           "the topology names">,
    Option<"objective", "objective", "std::string", /*default=*/"\"throughput\"",
           "throughput: the greatest load of a device">,
    Option<"algorithm", "algorithm", "std::string", /*default=*/"\"dp\"",
           "dp (dynamic programming over ideals, exact; as dpl where there are too many), dpl (over linear "
           "orders), greedy, pipedream, or local-search, whose stages need not be contiguous (docs/Placement.md)">,
    Option<"replication", "replication", "bool", /*default=*/"false",
           "Let devices share a stage, each of them taking every r-th microbatch (dp, dpl, pipedream)">,
    Option<"schedule", "schedule", "std::string", /*default=*/"\"1f1b\"",
           "Order of the passes of a stage: 1f1b or gpipe">,
    Option<"microbatches", "microbatches", "int64_t", /*default=*/"16",
           "Pieces of the batch, at least 1 and at most its samples">,
    Option<"timeLimit", "time-limit", "double", /*default=*/"60", "Budget in seconds, above 0">,
    Option<"instance", "instance", "std::string", /*default=*/"\"\"",
           "Write the placement problem, for soap-solve, to this file (JSON; '-': stdout)">,
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function to place; default: train_step, evaluate or forward">,
    Option<"summary", "summary", "bool", /*default=*/"true", "Print a summary on stderr">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapPipeline : Pass<"soap-pipeline", "::mlir::ModuleOp"> {
  let summary = "Cuts a model into pipeline stages on groups of devices";
  let description = [{
    Cuts the forward pass into stages of about equal cost, gives each the same number of consecutive devices, and
    splits the ops of a stage over its devices as the preset `inside` says (docs/Pipeline.md). Writes configs, and
    `soap.pipeline` and `soap.stages` on the module: microbatches, schedule, stages. `--soap-simulate` simulates the microbatches,
    `--soap-partition` writes programs that run them.

    ```
    soap-opt step.mlir --soap-pipeline='topology=h100-8 stages=4 microbatches=8 inside=data-parallel' --soap-simulate
    ```
  }];
  let options = [
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "Built-in topology (h100-8) or topology file; default: the module's soap.topology">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "Profile file, or h200: measured times of the topology's devices (docs/CostModel.md); default: what "
           "the topology names">,
    Option<"stages", "stages", "int64_t", /*default=*/"2",
           "Groups of devices in a row, each with as many devices: a number that divides the devices">,
    Option<"chunks", "chunks", "int64_t", /*default=*/"1",
           "Stages of each group of devices: with more than 1, 1F1B is interleaved">,
    Option<"microbatches", "microbatches", "int64_t", /*default=*/"4",
           "Pieces of the batch, at least 1 and at most its samples">,
    Option<"schedule", "schedule", "std::string", /*default=*/"\"1f1b\"",
           "Order of the passes of a device: 1f1b, 1f1b-overlapped or gpipe">,
    Option<"inside", "inside", "std::string", /*default=*/"\"data-parallel\"",
           "Preset for the ops of a stage on its devices (docs/Search.md)">,
    Option<"offload", "offload", "std::string", /*default=*/"\"as-is\"",
           "States of the optimizer in host memory (docs/HostMemory.md): none, optimizer (all of them), or as-is (what the "
           "module says)">,
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function to cut; default: train_step, evaluate or forward">,
    Option<"exportFile", "export", "std::string", /*default=*/"\"\"",
           "Write configs and stages to this strategy file (docs/Strategy.md)">,
    Option<"summary", "summary", "bool", /*default=*/"true", "Print the stages on stderr">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapCostGraph : Pass<"soap-cost-graph", "::mlir::ModuleOp"> {
  let summary = "Writes a model as a cost graph, and brings a solution of it back";
  let description = [{
    A node per group of ops with its candidate configs, an edge per pair of groups that share values, and what tensors
    hold from their writer to their last reader, in the format of `soap-solve cost-graph` (docs/CostGraph.md). With
    `solution` the solution's configs are written on the ops; the other options must be those with which the graph was
    written.

    ```
    soap-opt step.mlir --soap-cost-graph='topology=v100-1x8 instance=m.json' -o /dev/null
    soap-solve cost-graph m.json --tie-repeated-blocks -o s.json
    soap-opt step.mlir --soap-cost-graph='topology=v100-1x8 solution=s.json' --soap-simulate -o out.mlir
    ```
  }];
  let options = [
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "Built-in topology (v100-1x8) or topology file, with devices of one type; default: the module's "
           "soap.topology">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "Profile file, or h200: measured times of the topology's devices (docs/CostModel.md); default: what "
           "the topology names">,
    Option<"instance", "instance", "std::string", /*default=*/"\"\"",
           "Write the cost graph to this file (JSON; '-': stdout)">,
    Option<"solution", "solution", "std::string", /*default=*/"\"\"",
           "Take configs from this solution of the cost graph (JSON)">,
    Option<"memoryLimit", "memory-limit", "std::string", /*default=*/"\"\"",
           "Capacity: bytes of each device, as 16GB or 15GiB; default: what the devices have">,
    Option<"configs", "configs", "int64_t", /*default=*/"16", "Candidates per group of ops, 1 to 1000">,
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function; default: train_step, evaluate or forward">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapPlanHybrid : Pass<"soap-plan-hybrid", "::mlir::ModuleOp"> {
  let summary = "Plans a training step for a cluster: stages, tensor and data parallelism, microbatches";
  let description = [{
    Searches the hybrid plans of a training step (docs/Hierarchical.md): the number of pipeline stages, of
    tensor-parallel devices, of places of a sequence and of replicas, microbatches, recomputed activations and ZeRO; or
    prices one of them. Where nothing fits, plans with the states of the optimizer in host memory are looked at
    (docs/HostMemory.md). Sequences are split where attention is in blocks (docs/ContextParallelism.md).
    Prints the best and what others cost on stderr, and writes it: configs, `soap.pipeline`, `soap.stages`. A remark
    says what of it no strategy says.
  }];
  let options = [
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "Built-in topology (h100-8x8) or topology file; default: the module's soap.topology">,
    Option<"executor", "executor", "std::string", /*default=*/"\"\"",
           "Framework that runs the plan (docs/Executors.md): soap, torch-fsdp, torchtitan, megatron-core or jax, or a file; "
           "default: the module's soap.executor">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "Profile file, or h200: measured times of the topology's devices (docs/CostModel.md); default: what "
           "the topology names">,
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function to plan; default: train_step, evaluate or forward">,
    Option<"timeLimit", "time-limit", "double", /*default=*/"10", "Seconds of search; 0: no limit">,
    Option<"proposals", "proposals", "int64_t", /*default=*/"0",
           "The most shapes that are priced; 0: no limit. With time-limit=0 the result is the same on any machine">,
    Option<"batch", "batch", "int64_t", /*default=*/"0",
           "Samples of an iteration, in microbatches; 0: as many as the function has">,
    ListOption<"plan", "plan", "std::string",
               "Price this plan instead of a search: stages=N, chunks=N, tensor=N, context=N, data=N, experts=N "
               "(replicas that share experts), samples=N (of a microbatch), zero=N, sequence, zigzag, overlap (passes side by side), offload, "
               "recompute=none|selective|whole, simulate (it, within the time limit); what is missing is 1 (data: all "
               "devices left), or chosen to fit">,
    Option<"mode", "mode", "std::string", /*default=*/"\"\"",
           "mini-parallelism (the fewest devices that a plan fits on) or profiling (plans of 1, 2, 4, ... and all "
           "devices)">,
    Option<"exhaustive", "exhaustive", "bool", /*default=*/"false",
           "Price every shape, with no bounds: what the search is compared with">,
    Option<"checkpointFile", "checkpoint", "std::string", /*default=*/"\"\"",
           "Keep the state of the search in this file, and go on from it if it exists. The time limit holds for all runs "
           "together">,
    Option<"pauseAfter", "pause-after", "int64_t", /*default=*/"0",
           "Stop after so many prices and simulations of this run, to go on from the checkpoint; 0: do not">,
    Option<"report", "report", "std::string", /*default=*/"\"\"",
           "Write the plans to this file (JSON; '-': stdout)">,
    Option<"summary", "summary", "bool", /*default=*/"true", "Print a summary on stderr">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

def SoapSimulate : Pass<"soap-simulate", "::mlir::ModuleOp"> {
  let summary = "Prices the strategy of a module: time, memory, bytes";
  let description = [{
    Simulates one iteration of a function whose ops all have a `soap.config` (docs/Simulator.md) and prints a summary
    on stderr: makespan and speedup over presets, or a table of the strategies that `compare` names, compute and exposed
    communication, bytes by kind of tensor, the critical path by op, load and memory of devices (docs/Looking.md). With
    `soap.pipeline` on the module (`--soap-place`) the iteration is a pipeline of microbatches (docs/Pipeline.md). The
    IR stays as it is.
  }];
  let options = [
    Option<"report", "report", "std::string", /*default=*/"\"\"",
           "Write what the summary says, in full, and bytes of links and exchanges to this file (JSON; '-': stdout)">,
    Option<"taskGraph", "task-graph", "std::string", /*default=*/"\"\"",
           "Write the simulated task graph to this file (JSON)">,
    Option<"trace", "trace", "std::string", /*default=*/"\"\"",
           "Write the timeline of devices and links, with memory over time, to this file (Chrome trace events, "
           "for Perfetto)">,
    Option<"timeline", "timeline", "std::string", /*default=*/"\"\"",
           "Draw the passes of a pipeline, a row for each device, to this file (SVG); *.json: write what devices and "
           "links do when, memory by kind, and how ops are split (docs/PlanReport.md)">,
    ListOption<"compare", "compare", "std::string",
               "Presets and recipes, as megatron(tp=8,sp),fsdp,zero, that are simulated, too, for a table of times, "
               "memory and bytes; default: the speedup over data-parallel and expert up to 64 devices; none: no "
               "comparison">,
    Option<"topology", "topology", "std::string", /*default=*/"\"\"",
           "Built-in topology (cpu-4) or topology file; default: the module's soap.topology">,
    Option<"executor", "executor", "std::string", /*default=*/"\"\"",
           "Framework that runs the plan (docs/Executors.md): soap, torch-fsdp, torchtitan, megatron-core or jax, or a file; "
           "default: the module's soap.executor">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "Profile file, or h200: measured times of the topology's devices (docs/CostModel.md); default: what "
           "the topology names">,
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function to simulate; default: train_step, evaluate or forward">,
    Option<"fold", "fold", "std::string", /*default=*/"\"auto\"",
           "Simulate one replica for all that are alike, with the same times: auto (pipelines beyond 64 devices, and "
           "plans too large to be written out, if neither task graph nor trace are written), always or never">,
    Option<"anomalies", "anomalies", "std::string", /*default=*/"\"auto\"",
           "Simulate with slower links, too, and say where that is shorter (docs/Simulator.md): auto (up to 200,000 "
           "tasks, and not with compare=none), always or never">,
    Option<"summary", "summary", "bool", /*default=*/"true", "Print a summary on stderr">
  ];
  let dependentDialects = ["::mlir::soap::SoapDialect", "::mlir::func::FuncDialect"];
}

#endif // SOAP_TRANSFORMS_PASSES_TD
