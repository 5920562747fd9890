//===- Indices.h - Whether integers are in range ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of data choose rows of tables, integers of labels are classes.
// Device programs take one that is out of range as a row of zeros, or as no
// class, so whatever brings integers into a tensor checks them first.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_DATA_INDICES_H
#define SOAP_RUNTIME_DATA_INDICES_H

#include "Soap/Runtime/Data/HostTensor.h"

namespace soap::runtime {

/// An error names the first of `values` that is out of range for a tensor of
/// integers: its sample, its place in the sample, and the range. `values` has
/// the elements of samples of the tensor, of any integer type, which count
/// along `sampleDim`. Numbers of `none` are in range: labels that stand for
/// none.
MaybeError checkIndices(const HostTensor &values, int64_t sampleDim,
                        const TensorInfo &tensor,
                        const std::vector<int64_t> &none = {});

/// The same for a whole tensor of a module that a user sets: of data and labels
/// of integers, nothing of others. A label of -1 counts nothing, nor does
/// `ignore-index` of the training step.
MaybeError checkTensorIndices(const HostTensor &values,
                              const TensorInfo &tensor,
                              const Manifest &manifest);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_DATA_INDICES_H
