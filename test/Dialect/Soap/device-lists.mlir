// Lists of devices: ranges, and what is no range.
// RUN: soap-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @printed
func.func @printed(%x: tensor<64x4xf32>) {
  // Five devices are a list, six are a range.
  // CHECK: devices = [0, 1, 2, 3, 4]>
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 5}, devices = [0 to 4]>} : tensor<64x4xf32>
  // CHECK: devices = [0 to 5]>
  %1 = soap.relu %x {soap.config = #soap.config<{d0 = 6}, devices = [0, 1, 2, 3, 4, 5]>} : tensor<64x4xf32>
  // CHECK: devices = [1 to 11 step 2]>
  %2 = soap.relu %x {soap.config = #soap.config<{d0 = 6}, devices = [1, 3, 5, 7, 9, 11]>} : tensor<64x4xf32>
  // CHECK: devices = [0, 8 to 14, 3, 3, 0 to 40 step 8, 5, 4, 3, 2, 1, 0]>
  %3 = soap.relu %x {soap.config = #soap.config<{d0 = 22}, devices = [0, 8 to 14, 3, 3, 0, 8, 16 to 40 step 8, 5, 4, 3, 2, 1, 0]>} : tensor<64x4xf32>
  // A range may be of one device, and ranges may repeat.
  // CHECK: devices = [7, 7]>
  %4 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [7 to 7, 7 to 7 step 3]>} : tensor<64x4xf32>
  // CHECK: devices = [2147483642 to 2147483647]>
  %5 = soap.relu %x {soap.config = #soap.config<{d0 = 6}, devices = [2147483642 to 2147483647]>} : tensor<64x4xf32>
  return
}

// -----

func.func @descending(%x: tensor<4xf32>) {
  // expected-error@+1 {{range of devices must ascend, got 3 to 2}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [3 to 2]>} : tensor<4xf32>
  return
}

// -----

func.func @step(%x: tensor<4xf32>) {
  // expected-error@+1 {{step must be at least 1, got 0}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [0 to 2 step 0]>} : tensor<4xf32>
  return
}

// -----

func.func @last(%x: tensor<4xf32>) {
  // expected-error@+1 {{step must lead from 0 to 9, got 2}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [0 to 9 step 2]>} : tensor<4xf32>
  return
}

// -----

func.func @negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{device must be in [0, 2147483647], got -1}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [-1 to 0]>} : tensor<4xf32>
  return
}

// -----

func.func @beyond(%x: tensor<4xf32>) {
  // expected-error@+1 {{device must be in [0, 2147483647], got 9000000000000}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [0 to 9000000000000]>} : tensor<4xf32>
  return
}

// -----

func.func @overflow(%x: tensor<4xf32>) {
  // expected-error@+1 {{integer value too large}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [0 to 90000000000000000000]>} : tensor<4xf32>
  return
}

// -----

func.func @huge(%x: tensor<4xf32>) {
  // expected-error@+1 {{list with ranges must have at most 1048576 devices, got 2147483648}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [0 to 2147483647]>} : tensor<4xf32>
  return
}

// -----

func.func @huge_together(%x: tensor<4xf32>) {
  // expected-error@+1 {{list with ranges must have at most 1048576 devices, got 1048577}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [5, 0 to 1048575]>} : tensor<4xf32>
  return
}

// -----

func.func @open(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected integer value}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [0 to]>} : tensor<4xf32>
  return
}

// -----

func.func @count(%x: tensor<64xf32>) {
  // expected-error@+1 {{has a bad config: expected 2 devices, replicas times the product of the degrees, got 1024}}
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 2}, devices = [0 to 1023]>} : tensor<64xf32>
  return
}
