// Messages that the mpi dialect cannot say are refused by name.
// RUN: soap-opt %s --split-input-file --soap-partition --soap-lower-to-cpu=comm=mpi --verify-diagnostics
// RUN: not soap-opt %s --split-input-file --soap-partition --soap-lower-to-cpu='comm=mpi mpi=LAM' 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: soap-opt %S/Inputs/mpi-programs.mlir --split-input-file --soap-programs-to-mpi --verify-diagnostics
// RUN: not soap-opt %s --split-input-file --soap-lower-to-cpu=comm=pvm 2>&1 | FileCheck %s --check-prefix=COMM
// LIBRARY: option 'implementation=LAM': expected OpenMPI or MPICH
// COMM: Cannot find option named 'pvm'

module attributes {soap.topology = #soap.topology<"cpu-2">} {
  // expected-error @below {{'soap.send_buffer' op exchanges elements of type 'i1', which messages of the mpi dialect do not have: expected f32, f64, i8, i16, i32 or i64}}
  func.func @booleans(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %c = arith.cmpf olt, %x, %y {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<4x6xf32>
    %z = arith.select %c, %x, %y {soap.config = #soap.config<{d1 = 2}, devices = [0, 1]>} : tensor<4x6xi1>, tensor<4x6xf32>
    return %z : tensor<4x6xf32>
  }
}

// -----

// The reference lowering of a collective that is no all-reduce.
module attributes {soap.topology = #soap.topology<"h100-2">} {
  // expected-error @below {{'soap.collective_buffer' op is a collective of kind 'reduce_scatter', which the mpi dialect does not have: expected 'all_reduce' or messages}}
  func.func @scattered(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
    %h = soap.matmul %x, %w {soap.config = #soap.config<{k = 2}, devices = [0, 1]>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %y = soap.relu %h {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<8x6xf32>
    return %y : tensor<8x6xf32>
  }
}

// -----

// expected-error @below {{'pairs' has a collective of devices 0, 1 alone, whose communicator MLIR 22 cannot make for Open MPI: expected collectives of all ranks, messages}}
module attributes {soap.topology = #soap.topology<"h100-4">} {
  func.func @pairs(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
    %v = soap.relu %x {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>} : tensor<8x4xf32>
    %h = soap.matmul %v, %w {soap.config = #soap.config<{k = 2}, devices = [0, 1]>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %y = soap.relu %h {soap.config = #soap.config<{}, replicas = 2, devices = [0, 1]>} : tensor<8x6xf32>
    return %y : tensor<8x6xf32>
  }
}
