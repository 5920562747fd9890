// Two ops side by side, each on a device of its own: replicas of both take twice as long, so the strategy stays.
// RUN: soap-opt %s --soap-snap-to-grid=slowdown=0.5 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t
// RUN: soap-opt %s --soap-snap-to-grid=slowdown=1.1 2>/dev/null | FileCheck %s --check-prefix=SNAPS

// SAID: warning: the nearest strategy of a grid has other configs for 2 of 2 ops, {{.*}}: the strategy stays as it is
// CHECK: math.exp %{{.*}} {soap.config = #soap.config<{}, devices = [0]>}
// CHECK: math.exp %{{.*}} {soap.config = #soap.config<{}, devices = [1]>}
// SNAPS-COUNT-2: math.exp %{{.*}} {soap.config = #soap.config<{}, replicas = 2, devices = [0, 1]>}
module attributes {soap.topology = #soap.topology<"cpu-2">} {
  func.func @some(%x: tensor<1048576xf32>, %y: tensor<1048576xf32>) -> (tensor<1048576xf32>, tensor<1048576xf32>) {
    %a = math.exp %x {soap.config = #soap.config<{}, devices = [0]>} : tensor<1048576xf32>
    %b = math.exp %y {soap.config = #soap.config<{}, devices = [1]>} : tensor<1048576xf32>
    return %a, %b : tensor<1048576xf32>, tensor<1048576xf32>
  }
}
