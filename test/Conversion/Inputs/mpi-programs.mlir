// Both ranks receive before they send: no order of a schedule.
#whole = #soap.region<[0:4]>
module attributes {soap.programs = [{entry = "crossed", batch = 0 : i64,
    tensors = [{name = "x", type = tensor<4xf32>, kind = "data"}],
    schedule = {names = [], kinds = [], start_ns = array<i64>, end_ns = array<i64>},
    ranks = [{device = 0 : i64, program = @first, peers = array<i64: 1, 1>, transfers = array<i64: 0, 1>, tasks = array<i64: 0, 1>,
              args = [{tensor = "x", region = #whole, updated = false}], results = []},
             {device = 1 : i64, program = @second, peers = array<i64: 0, 0>, transfers = array<i64: 1, 0>, tasks = array<i64: 0, 1>,
              args = [{tensor = "x", region = #whole, updated = false}], results = []}]}]} {
  func.func @first(%x: memref<4xf32>, %arena: memref<1xi8>) attributes {soap.arena_bytes = 1 : i64} {
    // expected-error @below {{'soap.recv_buffer' op of device 0 waits for ever where messages block (peer: device 1): ranks of 'crossed' meet their messages in different orders}}
    soap.recv_buffer outs(%x : memref<4xf32>) {soap.slot = 0 : i64}
    soap.send_buffer %x {soap.slot = 1 : i64} : memref<4xf32>
    return
  }
  func.func @second(%x: memref<4xf32>, %arena: memref<1xi8>) attributes {soap.arena_bytes = 1 : i64} {
    soap.recv_buffer outs(%x : memref<4xf32>) {soap.slot = 0 : i64}
    soap.send_buffer %x {soap.slot = 1 : i64} : memref<4xf32>
    return
  }
}

// -----

// expected-error @below {{has no 'soap.programs', expected programs after soap-plan-memory}}
module {
  func.func private @nothing()
}
