//===- ProgramTables.h - Entries of `soap.programs` in rows -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry of `soap.programs` lists the tasks of its schedule one by one, or in
// rows of tasks that are alike, as tasks of microbatches are: two forms of the
// same table (docs/Partition.md). --soap-partition writes rows where that is
// shorter. All readers list tasks one by one first.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ANALYSIS_PROGRAMTABLES_H
#define SOAP_ANALYSIS_PROGRAMTABLES_H

#include "Soap/Support/Error.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::soap {

/// Whether the schedule of an entry is in rows.
bool hasScheduleRows(DictionaryAttr entry);

/// The entry with its schedule in rows; the entry itself where rows would not
/// be shorter.
DictionaryAttr writeScheduleRows(DictionaryAttr entry);

/// The entry with its tasks one by one; the entry itself if it has no rows. An
/// error says which column is not as expected.
::soap::Expected<DictionaryAttr> listTasks(DictionaryAttr entry);

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_PROGRAMTABLES_H
