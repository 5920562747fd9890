//===- TrainingLog.h - A row for each iteration -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of `soap-run train --log`: CSV, or an object of JSON a line, by the
// end of its name. Readers may follow it while it grows.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_TRAININGLOG_H
#define SOAP_TOOLS_SOAPRUN_TRAININGLOG_H

#include "Soap/Support/Error.h"

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace soap::run {

class TrainingLog {
public:
  /// A file that ends in `.csv` or `.jsonl`, whose rows have these columns; the
  /// first one is the iteration. `after` 0: a new file. Else rows up to this
  /// iteration are kept, and those behind it are of iterations that run again.
  /// An error if the file has other columns or cannot be read or written.
  static Expected<TrainingLog> open(const std::string &path,
                                    std::vector<std::string> columns,
                                    int64_t after);

  /// Begins the row of an iteration; all columns are empty.
  void begin(int64_t iteration);
  /// Sets a column of the latest row, if the file has it.
  void set(const std::string &column, std::optional<double> value);
  /// Writes the latest row, in place of what the file has of it.
  MaybeError write();

private:
  using Row = std::vector<std::optional<double>>;
  TrainingLog(std::string path, std::vector<std::string> columns);
  std::string print(const Row &row) const;
  std::string header() const;
  /// A line of the file; an error says what was expected.
  Expected<Row> parse(const std::string &line) const;
  /// Leaves the rows up to an iteration in the file.
  MaybeError keep(int64_t after);

  std::string path;
  std::vector<std::string> columns;
  bool isJson = false;
  std::optional<Row> latest;
  /// Bytes of the file in front of the latest row, and that it has there.
  size_t place = 0, written = 0;
  std::fstream file;
};

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_TRAININGLOG_H
