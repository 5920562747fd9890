//===- TrainingLog.cpp - A row for each iteration -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrainingLog.h.
//
//===----------------------------------------------------------------------===//

#include "TrainingLog.h"

#include "Soap/Support/FileIO.h"
#include "Soap/Support/InputFile.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

using namespace soap;
using namespace soap::run;
using Json = nlohmann::ordered_json;

TrainingLog::TrainingLog(std::string path, std::vector<std::string> columns)
    : path(std::move(path)), columns(std::move(columns)),
      isJson(this->path.ends_with(".jsonl")) {}

/// As few digits as make the number again.
static std::string digits(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));
  return std::isfinite(value) ? Json(value).dump() : std::to_string(value);
}

std::string TrainingLog::header() const {
  std::string text;
  for (const std::string &column : columns)
    text += (text.empty() ? "" : ",") + column;
  return text;
}

std::string TrainingLog::print(const Row &row) const {
  assert(row.size() == columns.size() && "a cell for each column");
  std::string text;
  for (size_t i = 0; i < row.size(); ++i) {
    if (!isJson)
      text += (i ? "," : "") + (row[i] ? digits(*row[i]) : "");
    else if (row[i])
      text += (text.empty() ? "" : ", ") + Json(columns[i]).dump() + ": " +
              (std::isfinite(*row[i]) ? digits(*row[i]) : "null");
  }
  return isJson ? "{" + text + "}" : text;
}

Expected<TrainingLog::Row> TrainingLog::parse(const std::string &line) const {
  Row row(columns.size());
  if (isJson) {
    Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object())
      return Error{"expected an object of JSON"};
    for (const auto &[key, value] : object.items()) {
      auto column = std::find(columns.begin(), columns.end(), key);
      if (column == columns.end())
        return Error{"has '" + key + "', expected " + header()};
      row[size_t(column - columns.begin())] =
          value.is_number() ? value.get<double>()
                            : std::numeric_limits<double>::quiet_NaN();
    }
  } else {
    size_t begin = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      size_t end = std::min(line.find(',', begin), line.size());
      std::string cell = line.substr(begin, end - begin);
      char *rest = nullptr;
      if (!cell.empty())
        row[i] = std::strtod(cell.c_str(), &rest);
      if ((rest && *rest) || (end == line.size()) != (i + 1 == row.size()))
        return Error{"expected " + std::to_string(columns.size()) + " numbers"};
      begin = end + 1;
    }
  }
  if (!row[0])
    return Error{"expected an iteration"};
  return row;
}

MaybeError TrainingLog::keep(int64_t after) {
  auto text = readFile(path);
  if (!text)
    return text.takeError();
  std::string kept;
  int64_t number = 0;
  for (size_t begin = 0; begin < text->size();) {
    size_t end = text->find('\n', begin);
    // A process that was killed may leave a part of a row.
    if (end == std::string::npos)
      break;
    std::string line = text->substr(begin, end - begin);
    begin = end + 1;
    std::string where = path + ":" + std::to_string(++number) + ": ";
    if (!isJson && number == 1) {
      if (line != header())
        return Error{where + "has columns " + line + ", expected " + header() +
                     " to go on"};
      kept = line + "\n";
      continue;
    }
    auto row = parse(line);
    if (!row)
      return Error{where + row.error()};
    if (*(*row)[0] > double(after))
      break;
    // It may still get an evaluation.
    latest = std::move(*row);
    place = kept.size();
    kept += print(*latest) + "\n";
    written = kept.size() - place;
  }
  return writeFile(path, kept);
}

Expected<TrainingLog> TrainingLog::open(const std::string &path,
                                        std::vector<std::string> columns,
                                        int64_t after) {
  assert(!columns.empty() && "a file of rows");
  TrainingLog log(path, std::move(columns));
  std::error_code ignored;
  bool goesOn = after > 0 && std::filesystem::exists(path, ignored);
  MaybeError error =
      goesOn ? log.keep(after)
             : writeFile(path, log.isJson ? "" : log.header() + "\n");
  if (error)
    return *error;
  log.file.open(path, std::ios::in | std::ios::out | std::ios::ate);
  if (!log.file)
    return Error{path + ": cannot be written"};
  return log;
}

void TrainingLog::begin(int64_t iteration) {
  latest.emplace(columns.size());
  (*latest)[0] = double(iteration);
  file.seekp(0, std::ios::end);
  place = size_t(file.tellp());
  written = 0;
}

void TrainingLog::set(const std::string &column, std::optional<double> value) {
  auto found = std::find(columns.begin(), columns.end(), column);
  if (latest && found != columns.end())
    (*latest)[size_t(found - columns.begin())] = value;
}

MaybeError TrainingLog::write() {
  if (!latest)
    return std::nullopt;
  std::string line = print(*latest) + "\n";
  std::error_code failed;
  if (line.size() < written)
    std::filesystem::resize_file(path, place, failed);
  written = line.size();
  file.seekp(std::streamoff(place));
  file << line << std::flush;
  if (!file || failed)
    return Error{path + ": cannot be written"};
  return std::nullopt;
}
