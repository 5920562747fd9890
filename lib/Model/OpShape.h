//===- OpShape.h - What the time of an op depends on ------------*- C++ -*-===//
//
// Sizes of a shape, for shards and for the entries of profiles. Private to the
// core.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_MODEL_OPSHAPE_H
#define SOAP_LIB_MODEL_OPSHAPE_H

#include "Soap/Profile/Profile.h"

#include <span>

namespace soap {

/// `OpShape::sizes`.
std::vector<double> sizesOf(const std::string &op,
                            const std::vector<std::string> &loops,
                            std::span<const int64_t> extents,
                            std::span<const int64_t> strides,
                            const std::string &direction, int64_t bytes);

/// How many sizes the shapes of an op have.
size_t sizeCount(const std::string &op, size_t loops);

/// Splits the mnemonic of a gradient: `conv2d_input_grad` -> `conv2d`,
/// input_grad.
void splitKind(const std::string &kind, OpShape &shape);

/// Makes the shape of an op on any box that of the same op on another one.
void resizeShape(const IterationSpace &space, const LoopBox &box, int64_t bytes,
                 OpShape &shape);

} // namespace soap

#endif // SOAP_LIB_MODEL_OPSHAPE_H
