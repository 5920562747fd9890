// The smallest program for a GPU: one launch of one generated kernel, with several thread blocks. Its input is drawn, so
// that it needs no file. The part `kernel` of utils/check-gpu.py runs it.
func.func @forward(%x: tensor<100000xf32> {soap.kind = #soap.kind<parameter>, soap.name = "x", soap.init = #soap.init<he>, soap.fan_in = 2 : i64, soap.fan_out = 2 : i64})
    -> (tensor<100000xf32> {soap.kind = #soap.kind<output>, soap.name = "y"}) {
  %0 = soap.tanh %x {soap.name = "tanh"} : (tensor<100000xf32>) -> tensor<100000xf32>
  return %0 : tensor<100000xf32>
}
