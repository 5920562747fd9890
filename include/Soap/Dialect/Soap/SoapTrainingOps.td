//===- SoapTrainingOps.td - Update ops ---------------------*- tablegen -*-===//
//
// Optimizers. The config of an update op says where its parameter lives.
//
//===----------------------------------------------------------------------===//

def Soap_SgdOp : Soap_Op<"sgd", [SpaceInterface]> {
  let summary = "stochastic gradient descent with momentum and weight decay (an update op)";
  let description = [{
    g = gradient + weight_decay * weight; new_velocity = momentum * velocity + g; new_weight = weight - learning_rate * new_velocity. Functional: weights and velocities
    are function arguments, their new values results (donated). Loops d0, d1, ... are the dims of the weight. Without momentum there is no velocity.
  }];
  let arguments = (ins Soap_Float:$weight, Soap_Float:$gradient, Optional<Soap_Float>:$velocity, F64Attr:$learning_rate, F64Attr:$momentum, F64Attr:$weight_decay);
  let results = (outs Soap_Float:$new_weight, Optional<Soap_Float>:$new_velocity);
  let hasVerifier = 1;
}
