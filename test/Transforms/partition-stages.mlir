// RUN: soap-opt %s --soap-partition | FileCheck %s
// RUN: soap-opt %s --soap-simulate='task-graph=%t.before.json summary=false' -o /dev/null
// RUN: soap-opt %s --soap-partition --soap-simulate='task-graph=%t.after.json summary=false' -o /dev/null
// RUN: %python -c "import json; f = lambda path: {t['name']: (t['duration'], t['start']) for t in json.load(open(path))['tasks']}; a, b = f('%t.before.json'), f('%t.after.json'); assert len(a) == 22 and a == b, set(a.items()) ^ set(b.items())"

// A stage is priced by the loops of its own op, whatever the loops of the whole
// op are called that they follow: the product of a split `lstm_grad`, whose m and
// n are samples n and units a, costs what a product of this size costs.

module attributes {soap.topology = #soap.topology<"h100-1x2">} {
// Tasks 13 and 14 are the products; both have shape 5 of those that the schedule lists.
// CHECK: kinds = [{{("[^"]*", ){13}"matmul", "matmul"}}
// CHECK-SAME: shape = array<i64: {{([-0-9]+, ){13}5, 5, [-0-9, ]+}}>
// CHECK-SAME: shapes = [{{("[^"]*", ){5}"}}matmul input_grad f32 m=2,n=2,k=16 - 272"
// CHECK: soap.matmul {{.*}} : (tensor<2x16xf32>, tensor<16x2xf32>) -> tensor<2x2xf32>
func.func @f(%dy: tensor<2x2x4xf32>, %r: tensor<4x4x4xf32>, %gates: tensor<2x2x4x4xf32>, %cells: tensor<2x2x4xf32>, %c0: tensor<1x2x4xf32>) -> (tensor<2x2x4x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %dx, %dh0, %dc0 = soap.lstm_grad %dy, %r, %gates, %cells, %c0 {soap.config = #soap.config<{a = 2}, devices = [0, 1]>, soap.name = "grad"} : (tensor<2x2x4xf32>, tensor<4x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4xf32>, tensor<1x2x4xf32>) -> (tensor<2x2x4x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %dx, %dh0, %dc0 : tensor<2x2x4x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}
}
