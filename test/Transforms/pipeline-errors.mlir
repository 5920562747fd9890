// Stages that do not fit the ops, the devices or the batch. What fits is partitioned.
// RUN: soap-opt %s -split-input-file -soap-partition -verify-diagnostics -o /dev/null

module attributes {soap.topology = #soap.topology<"cpu-4">, soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "fc1", devices = array<i32: 0, 1>}, {first = "fc2", devices = array<i32: 2, 3>}]} {
  // Two stages of two devices: data parallelism, then tensor parallelism.
  func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<6x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x6xf32> {
    %a = soap.matmul %x, %w {soap.name = "fc1", soap.config = #soap.config<{m = 2}, devices = [0, 1]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %b = soap.relu %a {soap.name = "relu1", soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<8x6xf32>
    %c = soap.matmul %b, %w {soap.name = "fc2", soap.config = #soap.config<{n = 2}, devices = [2, 3]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
}

// -----

module attributes {soap.topology = #soap.topology<"cpu-4">, soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "relu1", devices = array<i32: 0, 1>}, {first = "fc2", devices = array<i32: 2, 3>}]} {
  // expected-error@+1 {{'@forward': 'soap.pipeline': op 'fc1' is in no stage: it is before op 'relu1', with which the first one begins}}
  func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<6x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x6xf32> {
    %a = soap.matmul %x, %w {soap.name = "fc1", soap.config = #soap.config<{m = 2}, devices = [0, 1]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %b = soap.relu %a {soap.name = "relu1", soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<8x6xf32>
    %c = soap.matmul %b, %w {soap.name = "fc2", soap.config = #soap.config<{n = 2}, devices = [2, 3]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
}

// -----

module attributes {soap.topology = #soap.topology<"cpu-4">, soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "fc1", devices = array<i32: 0, 1>}, {first = "fc7", devices = array<i32: 2, 3>}]} {
  // expected-error@+1 {{'@forward': 'soap.pipeline': stage 1 begins with op 'fc7', which is not there}}
  func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<6x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x6xf32> {
    %a = soap.matmul %x, %w {soap.name = "fc1", soap.config = #soap.config<{m = 2}, devices = [0, 1]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %b = soap.relu %a {soap.name = "relu1", soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<8x6xf32>
    %c = soap.matmul %b, %w {soap.name = "fc2", soap.config = #soap.config<{n = 2}, devices = [2, 3]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
}

// -----

module attributes {soap.topology = #soap.topology<"cpu-4">, soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "fc2", devices = array<i32: 0, 1>}, {first = "fc1", devices = array<i32: 2, 3>}]} {
  // expected-error@+1 {{'@forward': 'soap.pipeline': stage 1 begins with op 'fc1', which is not behind the first op of the stage before}}
  func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<6x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x6xf32> {
    %a = soap.matmul %x, %w {soap.name = "fc1", soap.config = #soap.config<{m = 2}, devices = [0, 1]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %b = soap.relu %a {soap.name = "relu1", soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<8x6xf32>
    %c = soap.matmul %b, %w {soap.name = "fc2", soap.config = #soap.config<{n = 2}, devices = [2, 3]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
}

// -----

module attributes {soap.topology = #soap.topology<"cpu-4">, soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "fc1", devices = array<i32: 0, 1>}, {first = "fc2", devices = array<i32: 2, 4>}]} {
  // expected-error@+1 {{'@forward': 'soap.pipeline': stage 1 has device 4, which is not in the topology of 4 devices}}
  func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<6x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x6xf32> {
    %a = soap.matmul %x, %w {soap.name = "fc1", soap.config = #soap.config<{m = 2}, devices = [0, 1]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %b = soap.relu %a {soap.name = "relu1", soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<8x6xf32>
    %c = soap.matmul %b, %w {soap.name = "fc2", soap.config = #soap.config<{n = 2}, devices = [2, 3]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
}

// -----

module attributes {soap.topology = #soap.topology<"cpu-4">, soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "fc1", devices = array<i32: 0, 1>}, {first = "fc2", devices = array<i32: 2, 3>}]} {
  // expected-error@+1 {{'@forward': 'soap.pipeline': op 'relu1' is on device 2, expected devices of its stage 0}}
  func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<6x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x6xf32> {
    %a = soap.matmul %x, %w {soap.name = "fc1", soap.config = #soap.config<{m = 2}, devices = [0, 1]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %b = soap.relu %a {soap.name = "relu1", soap.config = #soap.config<{d0 = 2}, devices = [0, 2]>} : tensor<8x6xf32>
    %c = soap.matmul %b, %w {soap.name = "fc2", soap.config = #soap.config<{n = 2}, devices = [2, 3]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
}

// -----

module attributes {soap.topology = #soap.topology<"cpu-4">, soap.pipeline = #soap.pipeline<microbatches = 9, schedule = "1f1b">, soap.stages = [{first = "fc1", devices = array<i32: 0, 1>}, {first = "fc2", devices = array<i32: 2, 3>}]} {
  // expected-error@+1 {{'@forward': 'soap.pipeline': expected at most as many microbatches as the 8 samples of a batch, got 9}}
  func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<6x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x6xf32> {
    %a = soap.matmul %x, %w {soap.name = "fc1", soap.config = #soap.config<{m = 2}, devices = [0, 1]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %b = soap.relu %a {soap.name = "relu1", soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<8x6xf32>
    %c = soap.matmul %b, %w {soap.name = "fc2", soap.config = #soap.config<{n = 2}, devices = [2, 3]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
}

// -----

module attributes {soap.topology = #soap.topology<"cpu-4">, soap.pipeline = #soap.pipeline<microbatches = 3, schedule = "1f1b">, soap.stages = [{first = "fc1", devices = array<i32: 0, 1>}, {first = "relu1", devices = array<i32: 2, 3>}, {first = "fc2", devices = array<i32: 0, 1>}]} {
  // expected-error@+1 {{'@forward': 'soap.pipeline': there are 3 stages on 2 groups of devices, expected as many on each}}
  func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<6x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x6xf32> {
    %a = soap.matmul %x, %w {soap.name = "fc1", soap.config = #soap.config<{m = 2}, devices = [0, 1]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %b = soap.relu %a {soap.name = "relu1", soap.config = #soap.config<{d0 = 2}, devices = [2, 3]>} : tensor<8x6xf32>
    %c = soap.matmul %b, %w {soap.name = "fc2", soap.config = #soap.config<{n = 2}, devices = [0, 1]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
}

// -----

module attributes {soap.topology = #soap.topology<"cpu-4">, soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">, soap.stages = [{first = "fc1", devices = array<i32: 0, 1>}, {first = "relu1", devices = array<i32: 2, 3>}, {first = "fc2", devices = array<i32: 2, 3>}]} {
  // expected-error@+1 {{'@forward': 'soap.pipeline': stage 2 is on other devices than expected: stages go round the 2 groups of devices that the first ones have}}
  func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<6x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x6xf32> {
    %a = soap.matmul %x, %w {soap.name = "fc1", soap.config = #soap.config<{m = 2}, devices = [0, 1]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %b = soap.relu %a {soap.name = "relu1", soap.config = #soap.config<{d0 = 2}, devices = [2, 3]>} : tensor<8x6xf32>
    %c = soap.matmul %b, %w {soap.name = "fc2", soap.config = #soap.config<{n = 2}, devices = [2, 3]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
}

// -----

// Without stages every op is whole on one device.
module attributes {soap.topology = #soap.topology<"cpu-4">, soap.pipeline = #soap.pipeline<microbatches = 2, schedule = "1f1b">} {
  // expected-error@+1 {{'@forward': 'soap.pipeline': op 'fc1' is split in 2 pieces, expected every op whole on one device, or 'soap.stages'}}
  func.func @forward(%x: tensor<8x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<6x6xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x6xf32> {
    %a = soap.matmul %x, %w {soap.name = "fc1", soap.config = #soap.config<{m = 2}, devices = [0, 1]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %b = soap.relu %a {soap.name = "relu1", soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<8x6xf32>
    %c = soap.matmul %b, %w {soap.name = "fc2", soap.config = #soap.config<{n = 2}, devices = [2, 3]>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
}
