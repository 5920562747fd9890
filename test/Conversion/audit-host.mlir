// Bytes in the memory of the host count at the bandwidth of the link: 8.39 MB at 50 GB/s take 168 us. The same launch in
// the memory of the device is a row of its own.
// RUN: soap-opt %s --soap-audit-launches='chip=h100 report=-' -o /dev/null 2>%t | FileCheck %s --check-prefix=JSON
// RUN: FileCheck %s < %t
// CHECK: program 'train' on h100
// CHECK-NEXT: share
// CHECK-NEXT: {{ +[0-9.]+% +0.169 +1 +1048576 +1 +8.39 +8.39 +1.00}} double (host)
// CHECK-NEXT: {{ +[0-9.]+% +0.004 +1 +1048576 +1 +8.39 +8.39 +1.00}} double (memory)
// JSON: "limit": "host"
// JSON: "memory": 0,
// JSON: "host": 0.0001677721
// JSON: "limit": "memory"
// JSON-NOT: "host":
module {
  func.func @train(%x: memref<1048576xf32> {soap.memory = "host"}, %y: memref<1048576xf32> {soap.memory = "host"}, %a: memref<1048576xf32>, %b: memref<1048576xf32>, %arena: memref<64xi8>) attributes {soap.arena_bytes = 64 : i64} {
    soap.parallel_call @double extent 1048576 grain 16(%x, %y) : memref<1048576xf32>, memref<1048576xf32>
    soap.parallel_call @double extent 1048576 grain 16(%a, %b) : memref<1048576xf32>, memref<1048576xf32>
    return
  }
  func.func private @double(%x: memref<1048576xf32>, %y: memref<1048576xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %a = memref.load %x[%i] : memref<1048576xf32>
      %b = arith.addf %a, %a : f32
      memref.store %b, %y[%i] : memref<1048576xf32>
    }
    return
  }
}
