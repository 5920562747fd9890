// RUN: not soap-opt %s --soap-build-training-step='loss=mse' 2>&1 | FileCheck %s --check-prefix=LOSS
// RUN: not soap-opt %s --soap-build-training-step='optimizer=lion' 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// RUN: not soap-opt %s --soap-build-training-step='optimizer=adam momentum=0.9' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not soap-opt %s --soap-build-training-step='optimizer=adam beta2=1' 2>&1 | FileCheck %s --check-prefix=BETA
// RUN: not soap-opt %s --soap-build-training-step='optimizer=adamw epsilon=0' 2>&1 | FileCheck %s --check-prefix=EPSILON
// RUN: not soap-opt %s --soap-build-training-step='learning-rate=-1' 2>&1 | FileCheck %s --check-prefix=RATE
// RUN: not soap-opt %s --soap-build-training-step='learning-rate=nan' 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not soap-opt %s --soap-build-training-step='momentum=1' 2>&1 | FileCheck %s --check-prefix=MOMENTUM
// RUN: not soap-opt %s --soap-build-training-step='weight-decay=-0.5' 2>&1 | FileCheck %s --check-prefix=DECAY
// RUN: not soap-opt %s --soap-build-training-step='batch-norm-momentum=2' 2>&1 | FileCheck %s --check-prefix=NORM
// RUN: not soap-opt %s --soap-build-training-step='schedule=cosine' 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not soap-opt %s --soap-build-training-step='schedule=linear' 2>&1 | FileCheck %s --check-prefix=TOTAL
// RUN: not soap-opt %s --soap-build-training-step='total-iterations=5' 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not soap-opt %s --soap-build-training-step='batch-norm-momentum=-0.5' 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// SCHEDULE: error: unknown schedule 'cosine', expected 'constant' or 'linear'
// TOTAL: error: total-iterations is 0, expected a number above 0 with 'schedule=linear'
// ALONE: error: total-iterations is 5, expected it with 'schedule=linear' only
// LOSS: error: unknown loss 'mse', expected 'auto' or 'softmax-cross-entropy'
// OPTIMIZER: error: unknown optimizer 'lion', expected 'sgd', 'adam' or 'adamw'
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
  %0 = soap.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
