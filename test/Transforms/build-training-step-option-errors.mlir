// RUN: not soap-opt %s --soap-build-training-step='loss=hinge' 2>&1 | FileCheck %s --check-prefix=LOSS
// RUN: not soap-opt %s --soap-build-training-step='optimizer=adagrad' 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// RUN: not soap-opt %s --soap-build-training-step='optimizer=adam momentum=0.9' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not soap-opt %s --soap-build-training-step='optimizer=adam beta2=1' 2>&1 | FileCheck %s --check-prefix=BETA
// RUN: not soap-opt %s --soap-build-training-step='optimizer=adamw epsilon=0' 2>&1 | FileCheck %s --check-prefix=EPSILON
// RUN: not soap-opt %s --soap-build-training-step='learning-rate=-1' 2>&1 | FileCheck %s --check-prefix=RATE
// RUN: not soap-opt %s --soap-build-training-step='learning-rate=nan' 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not soap-opt %s --soap-build-training-step='momentum=1' 2>&1 | FileCheck %s --check-prefix=MOMENTUM
// RUN: not soap-opt %s --soap-build-training-step='weight-decay=-0.5' 2>&1 | FileCheck %s --check-prefix=DECAY
// RUN: not soap-opt %s --soap-build-training-step='batch-norm-momentum=2' 2>&1 | FileCheck %s --check-prefix=NORM
// RUN: not soap-opt %s --soap-build-training-step='schedule=onecycle' 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not soap-opt %s --soap-build-training-step='schedule=linear' 2>&1 | FileCheck %s --check-prefix=TOTAL
// RUN: not soap-opt %s --soap-build-training-step='total-iterations=5' 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not soap-opt %s --soap-build-training-step='batch-norm-momentum=-0.5' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not soap-opt %s --soap-build-training-step='schedule=cosine total-iterations=5 warmup-iterations=5' 2>&1 | FileCheck %s --check-prefix=WARM
// RUN: not soap-opt %s --soap-build-training-step='warmup-iterations=-1' 2>&1 | FileCheck %s --check-prefix=COLD
// RUN: not soap-opt %s --soap-build-training-step='final-factor=0.5' 2>&1 | FileCheck %s --check-prefix=FINAL
// RUN: not soap-opt %s --soap-build-training-step='schedule=linear total-iterations=5 final-factor=2' 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not soap-opt %s --soap-build-training-step='schedule=step' 2>&1 | FileCheck %s --check-prefix=EVERY
// RUN: not soap-opt %s --soap-build-training-step='decay-every=5' 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: not soap-opt %s --soap-build-training-step='schedule=step decay-every=5 decay-factor=0' 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not soap-opt %s --soap-build-training-step='decay-factor=0.5' 2>&1 | FileCheck %s --check-prefix=FACTORS
// RUN: not soap-opt %s --soap-build-training-step='clip-norm=-1' 2>&1 | FileCheck %s --check-prefix=CLIP
// RUN: not soap-opt %s --soap-build-training-step='label-smoothing=2' 2>&1 | FileCheck %s --check-prefix=SMOOTH
// RUN: not soap-opt %s --soap-build-training-step='loss=mse label-smoothing=0.5' 2>&1 | FileCheck %s --check-prefix=SMOOTHED
// RUN: not soap-opt %s --soap-build-training-step='loss=l1 ignore-index=0' 2>&1 | FileCheck %s --check-prefix=IGNORED
// RUN: not soap-opt %s --soap-build-training-step='ignore-index=pad' 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not soap-opt %s --soap-build-training-step='loss=softmax-cross-entropy ignore-index=4' 2>&1 | FileCheck %s --check-prefix=CLASS
// RUN: not soap-opt %s --soap-build-training-step='loss=softmax-cross-entropy class-weights=1,2' 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// RUN: not soap-opt %s --soap-build-training-step='class-weights=1,1,-2,1' 2>&1 | FileCheck %s --check-prefix=NEGWEIGHT
// RUN: not soap-opt %s --soap-build-training-step='loss=huber huber-delta=0' 2>&1 | FileCheck %s --check-prefix=DELTA
// RUN: not soap-opt %s --soap-build-training-step='loss=mse huber-delta=2' 2>&1 | FileCheck %s --check-prefix=DELTAS
// RUN: not soap-opt %s --soap-build-training-step='loss=none' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not soap-opt %s --soap-build-training-step='loss=mse,l1' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not soap-opt %s --soap-build-training-step='loss=mse loss-weights=1,2' 2>&1 | FileCheck %s --check-prefix=FACTORCOUNT
// RUN: not soap-opt %s --soap-build-training-step='loss=mse loss-weights=-1' 2>&1 | FileCheck %s --check-prefix=LOSSWEIGHT
// RUN: not soap-opt %s --soap-build-training-step='loss=output' 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not soap-opt %s --soap-build-training-step='metrics=f1' 2>&1 | FileCheck %s --check-prefix=METRIC
// RUN: not soap-opt %s --soap-build-training-step='loss=mse metrics=top-5' 2>&1 | FileCheck %s --check-prefix=FIT
// RUN: not soap-opt %s --soap-build-training-step='loss=softmax-cross-entropy metrics=top-4' 2>&1 | FileCheck %s --check-prefix=TOP
// RUN: not soap-opt %s --soap-build-training-step='loss=mse freeze=conv*' 2>&1 | FileCheck %s --check-prefix=FREEZE
// RUN: not soap-opt %s --soap-build-training-step='loss=mse freeze=*' 2>&1 | FileCheck %s --check-prefix=FROZEN
// RUN: not soap-opt %s --soap-build-training-step='freeze=[a' 2>&1 | FileCheck %s --check-prefix=GLOB
// RUN: not soap-opt %s --soap-build-training-step='loss=mse weight-decay-of=*.bias=0' 2>&1 | FileCheck %s --check-prefix=OF
// RUN: not soap-opt %s --soap-build-training-step='weight-decay-of=*.bias' 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not soap-opt %s --soap-build-training-step='loss=mse evaluation-model=missing.mlir' 2>&1 | FileCheck %s --check-prefix=FILE

// WARM: error: total-iterations is 5, expected more than the 5 of 'warmup-iterations', which it counts as well
// COLD: error: warmup-iterations is -1, expected a number of at least 0
// FINAL: error: final-factor is 0.5{{.*}}, expected it with 'schedule=linear' and 'schedule=cosine' only
// HIGH: error: final-factor is 2{{.*}}, expected a number in [0, 1]
// EVERY: error: decay-every is 0, expected a number above 0 with 'schedule=step'
// STEPS: error: decay-every is 5, expected it with 'schedule=step' only
// FACTOR: error: decay-factor is 0{{.*}}, expected a number in (0, 1]
// FACTORS: error: decay-factor is 0.5{{.*}}, expected it with 'schedule=step' only
// CLIP: error: clip-norm is -1{{.*}}, expected a finite number of at least 0
// SMOOTH: error: label-smoothing is 2{{.*}}, expected a number in [0, 1]
// SMOOTHED: error: label-smoothing is of loss 'softmax-cross-entropy', got loss 'mse'
// IGNORED: error: ignore-index is of loss 'softmax-cross-entropy', got loss 'l1'
// INDEX: error: ignore-index is 'pad', expected an integer or 'none'
// CLASS: error: ignore-index is 4, expected a negative number or one of the 4 classes of 'tensor<4x4xf32>'
// WEIGHTS: error: class-weights has 2 numbers, expected one for each of the 4 classes of 'tensor<4x4xf32>'
// NEGWEIGHT: error: class-weights has -2{{.*}}, expected finite numbers of at least 0
// DELTA: error: huber-delta is 0{{.*}}, expected a finite number above 0
// DELTAS: error: huber-delta is of loss 'huber', got loss 'mse'
// NONE: error: loss is 'none', expected a loss for one result at least
// COUNT: error: 'loss' names 2 losses, expected one for each of the 1 results of '@forward', or 'none'
// FACTORCOUNT: error: loss-weights has 2 numbers, expected one for each of the 1 results
// LOSSWEIGHT: error: loss-weights has -1{{.*}}, expected finite numbers of at least 0
// SCALAR: error: result #0 of '@forward' is 'tensor<4x4xf32>', expected one float, the loss, for 'loss=output'
// METRIC: error: unknown metric 'f1', expected 'accuracy', 'top-K' with a number K, 'mean-absolute-error' or 'perplexity'
// FIT: error: metric 'top-5' does not fit loss 'mse'
// TOP: error: metric 'top-4' is 1 for all 4 classes of 'tensor<4x4xf32>', expected fewer than these
// FREEZE: error: freeze: 'conv*' matches no parameter: there are 'arg1'
// FROZEN: error: 'freeze' names all parameters of '@forward': none is left to train
// GLOB: error: freeze: '[a' is no pattern:
// OF: error: weight-decay-of: '*.bias' matches no parameter: there are 'arg1'
// VALUE: error: weight-decay-of: expected PATTERN=VALUE with a finite number of at least 0, got '*.bias'
// FILE: error: evaluation-model 'missing.mlir': cannot read the module
// SCHEDULE: error: unknown schedule 'onecycle', expected 'constant', 'linear', 'cosine' or 'step'
// TOTAL: error: total-iterations is 0, expected a number above 0 with 'schedule=linear'
// ALONE: error: total-iterations is 5, expected it with 'schedule=linear' and 'schedule=cosine' only
// LOSS: error: unknown loss 'hinge', expected 'auto', 'softmax-cross-entropy', 'bce-with-logits', 'mse', 'l1', 'huber', 'output' or 'none'
// OPTIMIZER: error: unknown optimizer 'adagrad', expected 'sgd', 'adam', 'adamw' or 'lion'
// BOTH: error: momentum is of optimizer 'sgd', not 'adam', which has beta1
// BETA: error: beta2 is 1{{.*}}, expected a number in [0, 1)
// EPSILON: error: epsilon is 0{{.*}}, expected a finite number above 0
// RATE: error: learning-rate is -1{{.*}}, expected a finite number of at least 0
// NAN: error: learning-rate is nan, expected a finite number of at least 0
// MOMENTUM: error: momentum is 1{{.*}}, expected a number in [0, 1)
// DECAY: error: weight-decay is -{{.*}}, expected a finite number of at least 0
// NEGATIVE: error: batch-norm-momentum is -5{{.*}}, expected a number in [0, 1], or -1 for the model's
// NORM: error: batch-norm-momentum is 2{{.*}}, expected a number in [0, 1], or -1 for the model's
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>}) -> tensor<4x4xf32> {
  %0 = soap.matmul %x, %w : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
