// RUN: soap-opt %s --split-input-file --verify-diagnostics --soap-print-op-graph

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = soap.relu %x : tensor<4xf32>
  // expected-error @below {{'tensor.cast' has no iteration space, expected an op that implements 'IterationSpaceOpInterface'}}
  %0 = tensor.cast %x : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @same_names(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{the other op is here}}
  %0 = soap.relu %x {soap.name = "a"} : tensor<4xf32>
  // expected-error @below {{has the 'soap.name' "a" of another op, expected unique names}}
  %1 = soap.relu %0 {soap.name = "a"} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @below {{arguments 0 and 1 have the same 'soap.name' "x", expected unique names}}
func.func @arguments(%x: tensor<4xf32> {soap.name = "x"}, %y: tensor<4xf32> {soap.name = "x"}) {
  return
}

// -----

func.func @dynamic(
    // expected-error @below {{'x' has type 'tensor<?xf32>', expected a static shape (import with '--batch' to fix the batch size, or run '--soap-mark-arguments' with 'batch=N' or 'sizes=ARGUMENT.DIM:N')}}
    %x: tensor<?xf32> {soap.name = "x"}) {
  return
}

// -----

func.func @scalar(
    // expected-error @below {{'arg0' has type 'i32', expected a ranked tensor of integers or floats}}
    %x: i32) {
  return
}

// -----

// expected-error @below {{result 0 with 'soap.updates' = 0 must be defined by an op that reads this argument}}
func.func @unrelated(%w: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32> {soap.updates = 0 : i64}) {
  %0 = soap.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{result 1 with 'soap.updates' = 0 replaces an argument that another result replaces}}
func.func @twice(%w: tensor<4xf32>) -> (tensor<4xf32> {soap.updates = 0 : i64}, tensor<4xf32> {soap.updates = 0 : i64}) {
  %0 = soap.relu %w : tensor<4xf32>
  %1 = soap.abs %w : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{result 0 with 'soap.updates' = 0 replaces an argument with a 'soap.config'; it lives where the op that updates it runs}}
func.func @placed(%w: tensor<4xf32> {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>}) -> (tensor<4xf32> {soap.updates = 0 : i64}) {
  %0 = soap.relu %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{has 2 functions with a body and none is '@train_step', '@evaluate' or '@forward', expected one of these or the option 'function=NAME'}}
module {
  func.func @a() { return }
  func.func @b() { return }
}

// -----

// expected-error @below {{'main' has 2 blocks, expected a body of one block}}
func.func @main() {
  cf.br ^next
^next:
  return
}

// -----

func.func @exchanged(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'soap.all_reduce' op belongs into a partitioned program, expected an op of a model: '--soap-partition' adds what devices exchange}}
  %0 = soap.all_reduce %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{argument "s" has a bad 'soap.memory': no op replaces it, expected the velocity of 'soap.sgd' or a moment of 'soap.adam'}}
func.func @host_constant(%s: tensor<4xf32> {soap.kind = #soap.kind<state>, soap.memory = "host", soap.name = "s"}) -> tensor<4xf32> {
  %0 = soap.relu %s : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{argument "s" has a bad 'soap.memory': it is replaced by 'next', expected the velocity of 'soap.sgd' or a moment of 'soap.adam'}}
func.func @host_sum(%x: tensor<4xf32>, %s: tensor<4xf32> {soap.kind = #soap.kind<state>, soap.memory = "host", soap.name = "s"}) -> (tensor<4xf32> {soap.updates = 1 : i64}) {
  %0 = soap.add %s, %x {soap.name = "next"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{argument "w" has a bad 'soap.memory': it is the weight of 'w.sgd', expected the velocity of 'soap.sgd' or a moment of 'soap.adam'}}
func.func @host_weight(%g: tensor<4xf32>, %w: tensor<4xf32> {soap.kind = #soap.kind<state>, soap.memory = "host", soap.name = "w"}) -> (tensor<4xf32> {soap.updates = 1 : i64}) {
  %w1 = soap.sgd %w, %g {learning_rate = 0.1 : f64, momentum = 0.0 : f64, soap.name = "w.sgd", weight_decay = 0.0 : f64} : tensor<4xf32>
  return %w1 : tensor<4xf32>
}

// -----

// expected-error @below {{argument "v" has a bad 'soap.memory': 'look' reads it, too, expected a state that only its update reads}}
func.func @host_read(%g: tensor<4xf32>, %w: tensor<4xf32> {soap.name = "w"}, %v: tensor<4xf32> {soap.kind = #soap.kind<state>, soap.memory = "host", soap.name = "v"}) -> (tensor<4xf32> {soap.updates = 1 : i64}, tensor<4xf32> {soap.updates = 2 : i64}, tensor<4xf32>) {
  %w1, %v1 = soap.sgd %w, %g, %v {learning_rate = 0.1 : f64, momentum = 0.9 : f64, soap.name = "w.sgd", weight_decay = 0.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %0 = soap.relu %v1 {soap.name = "look"} : tensor<4xf32>
  return %w1, %v1, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
