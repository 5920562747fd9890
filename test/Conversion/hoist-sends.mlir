// Messages leave right behind what makes them; messages of one op keep their order, messages of arguments go first.
// RUN: soap-opt %s --soap-hoist-sends | FileCheck %s

// CHECK-LABEL: func.func @device
// CHECK-NEXT: soap.send %arg0 {{.*}}slot = 2
// CHECK-NEXT: soap.send %arg1 {{.*}}slot = 7
// CHECK-NEXT: %[[Y:.*]] = soap.relu %arg0
// CHECK-NEXT: soap.send %[[Y]] {{.*}}slot = 4
// CHECK-NEXT: soap.send %[[Y]] {{.*}}slot = 6
// CHECK-NEXT: soap.recv
// CHECK-NEXT: %[[Z:.*]] = soap.neg
// CHECK-NEXT: soap.send %[[Z]] {{.*}}slot = 5
// CHECK-NEXT: return
func.func @device(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %y = soap.relu %x {soap.slot = 0 : i64} : tensor<8xf32>
  %t = soap.recv {soap.slot = 1 : i64} : tensor<8xf32>
  soap.send %x {source = #soap.region<[0:4]>, soap.slot = 2 : i64} : tensor<8xf32>
  %z = soap.neg %t {soap.slot = 3 : i64} : tensor<8xf32>
  soap.send %y {source = #soap.region<[0:4]>, soap.slot = 4 : i64} : tensor<8xf32>
  soap.send %z {source = #soap.region<[0:8]>, soap.slot = 5 : i64} : tensor<8xf32>
  soap.send %y {source = #soap.region<[4:8]>, soap.slot = 6 : i64} : tensor<8xf32>
  soap.send %w {source = #soap.region<[4:8]>, soap.slot = 7 : i64} : tensor<8xf32>
  return %z : tensor<8xf32>
}
