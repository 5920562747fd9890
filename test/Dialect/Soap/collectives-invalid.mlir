// RUN: soap-opt %s --split-input-file --verify-diagnostics

func.func @all_reduce(%x: tensor<8xi32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of 32-bit float or 64-bit float or 16-bit float or bfloat16 type values, but got 'tensor<8xi32>'}}
  %sum = soap.all_reduce %x : tensor<8xi32>
  return
}

// -----

func.func @reduce(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.reduce_to_root' op expected a result of type 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %sum = soap.reduce_to_root %x : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @scatter_one(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.reduce_scatter' op expected the parts of at least 2 devices, got 1}}
  %sum = soap.reduce_scatter %x [#soap.region<[0:8]>] : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @scatter_outside(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.reduce_scatter' op source '[4:9]' does not lie within 'tensor<8xf32>'}}
  %sum = soap.reduce_scatter %x [#soap.region<[0:4]>, #soap.region<[4:9]>] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @scatter_shape(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.reduce_scatter' op no part has the result's shape 3}}
  %sum = soap.reduce_scatter %x [#soap.region<[0:4]>, #soap.region<[4:8]>] : tensor<8xf32> -> tensor<3xf32>
  return
}

// -----

func.func @gather_one(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.all_gather' op expected the pieces of at least 2 devices, got 1}}
  %p = soap.all_gather %x : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @gather_other(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.all_gather' op no piece has the type 'tensor<8xf32>' of what this device gives}}
  %p:2 = soap.all_gather %x : tensor<8xf32> -> tensor<7xf32>, tensor<7xf32>
  return
}

// -----

func.func @gather_types(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.all_gather' op pieces must have the tile's element type}}
  %p:2 = soap.all_gather %x : tensor<8xf32> -> tensor<8xf32>, tensor<8xf64>
  return
}

// -----

func.func @gather_to_root(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.gather_to_root' op expected the pieces of at least 2 devices, got 1}}
  %p = soap.gather_to_root %x : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @broadcast_neither() {
  // expected-error@+1 {{'soap.broadcast_from_root' op expected either a tile (of the root) or a result}}
  soap.broadcast_from_root
  return
}

// -----

func.func @broadcast_outside(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.broadcast_from_root' op source '[7:9]' does not lie within 'tensor<8xf32>'}}
  soap.broadcast_from_root %x {source = #soap.region<[7:9]>} : tensor<8xf32>
  return
}

// -----

func.func @buffer_kind(%x: tensor<8xf32>) {
  // expected-error@+2 {{to be one of: all_reduce, reduce_to_root, reduce_scatter, all_gather, all_to_all, gather_to_root, broadcast_from_root}}
  // expected-error@+1 {{failed to parse Soap_CollectiveKindAttr}}
  soap.collective_buffer all_to_none ins(%x : tensor<8xf32>)
  return
}

// -----

func.func @buffer_counts(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.collective_buffer' op 'all_gather' takes other numbers of inputs and outputs, got 1 inputs and 0 outputs}}
  soap.collective_buffer all_gather ins(%x : tensor<8xf32>)
  return
}

// -----

func.func @buffer_types(%x: tensor<8xf32>, %y: tensor<16xf64>) {
  // expected-error@+1 {{'soap.collective_buffer' op buffers must have one element type}}
  %z = soap.collective_buffer all_gather ins(%x : tensor<8xf32>) outs(%y : tensor<16xf64>) -> tensor<16xf64>
  return
}

// -----

func.func @exchange_counts(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.all_to_all' op expected a part and a piece for each of at least 2 devices, got 2 parts and 1 pieces}}
  %p = soap.all_to_all %x [#soap.region<[0:4]>, #soap.region<[4:8]>] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @exchange_outside(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.all_to_all' op source '[4:9]' does not lie within 'tensor<8xf32>'}}
  %p:2 = soap.all_to_all %x [#soap.region<[0:4]>, #soap.region<[4:9]>] : tensor<8xf32> -> tensor<4xf32>, tensor<5xf32>
  return
}

// -----

func.func @exchange_types(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.all_to_all' op pieces must have the tile's element type}}
  %p:2 = soap.all_to_all %x [#soap.region<[0:4]>, #soap.region<[4:8]>] : tensor<8xf32> -> tensor<4xf32>, tensor<4xf64>
  return
}

// -----

func.func @exchange_other(%x: tensor<8xf32>) {
  // expected-error@+1 {{'soap.all_to_all' op no part has the shape of the piece of the same device, expected this device's own}}
  %p:2 = soap.all_to_all %x [#soap.region<[0:4]>, #soap.region<[4:8]>] : tensor<8xf32> -> tensor<3xf32>, tensor<5xf32>
  return
}

// -----

func.func @position(%i: tensor<4xi32>, %p: tensor<2xi32>) {
  // expected-error@+1 {{'soap.local_index' op operand #1 must be tensor of one position of 32-bit signless integer values, but got 'tensor<2xi32>'}}
  %0 = soap.local_index %i, %p : tensor<4xi32>, tensor<2xi32>
  return
}

// -----

func.func @wrap(%i: tensor<4xi32>, %p: tensor<1xi32>) {
  // expected-error@+1 {{'soap.local_index' op 'wrap' must be in [0, 2147483647], got -1}}
  %0 = soap.local_index %i, %p {wrap = -1 : i64} : tensor<4xi32>, tensor<1xi32>
  return
}

// -----

func.func @placed_step(%s: tensor<3xi32>, %p: tensor<1xi32>) {
  // expected-error@+1 {{expected a step of type tensor<i32>, got 'tensor<3xi32>'}}
  %0 = soap.placed_step %s, %p : (tensor<3xi32>, tensor<1xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @placed_step_result(%s: tensor<i32>, %p: tensor<1xi32>) {
  // expected-error@+1 {{expected a result of type tensor<2xi32>, got 'tensor<3xi32>'}}
  %0 = soap.placed_step %s, %p : (tensor<i32>, tensor<1xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @placed_dropout(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{a tile of extent 4 at 0 leaves dim 0 of extent 3}}
  %0 = soap.dropout %x, %s {rate = 0.5 : f64, seed = 0 : i64, extents = array<i64: 3>} : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @placed_dropout_offsets(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{offsets}}
  %0 = soap.dropout %x, %s {rate = 0.5 : f64, seed = 0 : i64, offsets = array<i64: 0>, extents = array<i64: 8>} : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}
