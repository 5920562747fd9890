// RUN: soap-opt %s --soap-partition=topology=h100-1x8 | FileCheck %s
// Exchanges that are no all-to-all.

// A device that another one has nothing for: messages.
// CHECK-NOT: soap.all_to_all
// CHECK: soap.send
// CHECK-NOT: soap.all_to_all
func.func @shifted(%x: tensor<16x16xf32> {soap.config = #soap.config<{d0 = 4, d1 = 2}, devices = [0 to 7]>}) -> tensor<16x16xf32> {
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 4, d1 = 2}, devices = [0 to 7]>} : tensor<16x16xf32>
  %1 = soap.relu %0 {soap.config = #soap.config<{d0 = 2, d1 = 4}, devices = [0 to 7]>} : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
