//===- ProductParts.h - Products of which a part is enough ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device computes a large product, convolution or attention at its own size,
// with the algorithm of that size; the host takes as many of its results as it
// has time for, spread evenly, first and last included: rows of a product,
// samples of an image and of its gradient, outputs of a gradient of weights,
// batches of an attention. Each is a smaller call of the same kind, whose
// operands are taken from the large one's.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_EXECUTION_PRODUCTPARTS_H
#define SOAP_LIB_RUNTIME_EXECUTION_PRODUCTPARTS_H

#include "Runtime/Kernels/AttentionCall.h"
#include "Runtime/Kernels/LibraryCalls.h"
#include "Soap/Runtime/Data/HostTensor.h"

#include <string>
#include <vector>

namespace soap::runtime {

/// Indices of one dim of a tensor, ascending.
struct Selection {
  std::vector<int64_t> indices;
  int64_t of = 0; ///< the extent of the dim
  bool isAll() const { return int64_t(indices.size()) == of; }
  int64_t count() const { return int64_t(indices.size()); }
};

/// `count` of `extent`, at least one of them, spread evenly.
Selection spread(int64_t extent, int64_t count);

/// The elements [outer][selected][inner] of [outer][extent][inner].
AlignedBytes select(const void *data, int64_t outer, const Selection &dim,
                    int64_t innerBytes);

/// Which results of a product of at most `work` multiply-adds, of batches and
/// of rows; at least one row.
struct MatmulPart {
  Selection batches, rows;
  MatmulCall call; ///< of the part

  static MatmulPart of(const MatmulCall &call, int64_t work);
  bool isAll() const { return batches.isAll() && rows.isAll(); }
  /// "" for all.
  std::string text() const;
  /// Of [batch][k][m] or [batch][m][k].
  AlignedBytes ofA(const void *a) const;
  /// Of [batch][n, k] in any order.
  AlignedBytes ofB(const void *b) const;
  /// Of a tensor that is as large as the result.
  AlignedBytes ofResult(const void *data) const;
  /// Of a bias, of a second result, of the third operand.
  AlignedBytes ofThird(const void *data) const;
  AlignedBytes ofSecond(const void *data) const;

private:
  MatmulCall whole;
  int64_t resultBytes() const { return whole.narrowResult ? 2 : 4; }
};

/// The same of a convolution: of samples, or, of a gradient of weights, of the
/// outputs of each group.
struct ConvPart {
  Selection chosen;
  ConvCall call;

  static ConvPart of(const ConvCall &call, int64_t work);
  bool isAll() const { return chosen.isAll(); }
  std::string text() const;
  AlignedBytes ofA(const void *a) const;
  AlignedBytes ofB(const void *b) const;
  AlignedBytes ofResult(const void *data) const;
  AlignedBytes ofThird(const void *data) const;

private:
  ConvCall whole;
  int64_t bytes() const { return whole.precision == Precision::BF16 ? 2 : 4; }
  AlignedBytes samples(const void *data, int64_t volume) const;
};

/// The same of an attention: of batches.
struct AttentionPart {
  Selection batches;
  AttentionCall call;

  static AttentionPart of(const AttentionCall &call, int64_t work);
  std::string text() const;
  AlignedBytes of(AttentionTensor tensor, const void *data) const;
  AlignedBytes ofStatistics(const void *data) const;

private:
  AttentionCall whole;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_EXECUTION_PRODUCTPARTS_H
