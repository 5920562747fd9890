//===- CheckedOptions.h - Options of passes, checked as text ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's parser of pass options takes the last of an option that is given
// twice, ignores a value without a name and reads an empty number as 0. Users
// mean something else.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SUPPORT_CHECKEDOPTIONS_H
#define SOAP_LIB_TRANSFORMS_SUPPORT_CHECKEDOPTIONS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace mlir::soap {

using OptionErrorHandler = llvm::function_ref<LogicalResult(const Twine &)>;

/// Whether `options` (`name=value name=value`) names every option once and
/// gives every number a value. An empty text is no text to MLIR, which prints
/// pipelines so, and stays that.
LogicalResult checkOptionText(StringRef options, OptionErrorHandler fail);

/// MLIR's message about an option, without the name of its parser. For an
/// option that a pass does not have, it also names the one that is written
/// most alike; `pass` is the pass with all its options, as pipelines print it.
std::string describeOptionError(const Twine &message, StringRef pass);

/// A number of an option as users write it.
std::string optionNumber(double value);

/// The base class of a pass, with checked options; messages name the pass.
template <typename Base>
struct CheckedOptions : Base {
  using Base::Base;

  LogicalResult initializeOptions(StringRef options,
                                  OptionErrorHandler errorHandler) override {
    auto fail = [&](const Twine &message) {
      std::string pass;
      llvm::raw_string_ostream stream(pass);
      this->printAsTextualPipeline(stream);
      return errorHandler("'--" + this->getArgument() +
                          "': " + describeOptionError(message, pass));
    };
    if (failed(checkOptionText(options, fail)))
      return failure();
    return Base::initializeOptions(options, fail);
  }
};

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SUPPORT_CHECKEDOPTIONS_H
