// Chains of gate * sigmoid(beta * gate) * up are one op, whose gradients read
// gate and up alone. A chain whose parts are read elsewhere stays.
// RUN: soap-opt %s --soap-build-training-step='loss=mse' | FileCheck %s
// RUN: soap-opt %s --soap-build-training-step='loss=mse' | FileCheck %s --check-prefix=GONE

// CHECK-LABEL: func.func @train_step
// CHECK: %[[GATE:.+]] = soap.matmul {{.*}}soap.name = "gate"
// CHECK: %[[UP:.+]] = soap.matmul {{.*}}soap.name = "up"
// CHECK: %[[ONE:.+]] = soap.swiglu %[[GATE]], %[[UP]] {soap.name = "one"}
// CHECK: %[[TWO:.+]] = soap.swiglu %[[UP]], %[[ONE]] {beta = 1.702000e+00 : f64, soap.name = "two"}
// CHECK: soap.sigmoid %[[TWO]] {soap.name = "share"}
// CHECK: soap.mul {{.*}}soap.name = "kept"
// CHECK-DAG: soap.swiglu_grad %{{.*}}, %[[GATE]], %[[UP]] {{.*}}soap.name = "one.gate_grad"
// CHECK-DAG: soap.swiglu %[[GATE]], %{{.*}} {{.*}}soap.name = "one.up_grad"
// GONE-NOT: soap.name = "silu"
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x"},
                   %wg: tensor<6x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "gate.weight"},
                   %wu: tensor<6x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "up.weight"}) -> tensor<8x6xf32> {
  %gate = soap.matmul %x, %wg {transpose_b, soap.name = "gate"} : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
  %up = soap.matmul %x, %wu {transpose_b, soap.name = "up"} : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
  %0 = soap.sigmoid %gate {soap.name = "sigmoid"} : tensor<8x6xf32>
  %1 = soap.mul %gate, %0 {soap.name = "silu"} : tensor<8x6xf32>
  %one = soap.mul %1, %up {soap.name = "one"} : tensor<8x6xf32>
  %2 = soap.scale %up {factor = 1.702 : f64, soap.name = "scaled"} : tensor<8x6xf32>
  %3 = soap.sigmoid %2 {soap.name = "sigmoid2"} : tensor<8x6xf32>
  %4 = soap.mul %3, %up {soap.name = "swish"} : tensor<8x6xf32>
  %two = soap.mul %one, %4 {soap.name = "two"} : tensor<8x6xf32>
  %5 = soap.sigmoid %two {soap.name = "share"} : tensor<8x6xf32>
  %6 = soap.mul %two, %5 {soap.name = "swish3"} : tensor<8x6xf32>
  %7 = soap.mul %6, %gate {soap.name = "kept"} : tensor<8x6xf32>
  %8 = soap.add %7, %5 {soap.name = "read"} : tensor<8x6xf32>
  return %8 : tensor<8x6xf32>
}
