//===- Sequences.cpp - Text and token files as samples --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of language get sequences of their own length that follow each other
// without overlap; the target of a position is the token after it. The rest of
// the training part that fills no sequence is left out; in the test part it
// becomes a last sequence whose missing positions have the label -1, so that
// every token counts once. Models of translation get the lines of two texts,
// one sample each, cut off or filled up.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Data/DataSpec.h"

#include "Runtime/Data/Text.h"
#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Support/FileIO.h"
#include "Soap/Support/InputFile.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr int64_t maxText = int64_t(1) << 32;

/// The sequences of a model that predicts the next token. With two
/// data tensors, the second one goes with the labels.
struct SequenceShape {
  /// By data tensor.
  std::vector<int64_t> batchDims, lengths;
  int64_t classes = 0;
  int64_t length() const { return lengths.back(); }
};

Expected<SequenceShape> sequenceShape(const DataSpec &spec,
                                      const ModelInputs &inputs) {
  SequenceShape shape;
  std::optional<int64_t> given;
  if (auto order = spec.options.find("order"); order != spec.options.end()) {
    if (order->second != "time-major" && order->second != "batch-major")
      return Error{"data option 'order': expected batch-major or time-major, "
                   "got '" +
                   order->second + "'"};
    given = order->second == "time-major";
  }
  const TensorInfo &label = inputs.label;
  for (const TensorInfo &data : inputs.data) {
    int64_t batchDim = given.value_or(batchDimOf(data));
    bool labelled = &data == &inputs.data.back();
    bool fits = int64_t(data.shape.size()) > batchDim && data.volume() > 0 &&
                (!labelled || label.volume() == data.volume());
    if (!fits)
      return Error{"data '" + data.name + "' of shape " +
                   shapeString(data.shape) + " and label '" + label.name +
                   "' of shape " + shapeString(label.shape) +
                   ": expected sequences of tokens and a label for each token"};
    shape.batchDims.push_back(batchDim);
    shape.lengths.push_back(data.volume() / data.shape[size_t(batchDim)]);
  }
  shape.classes = label.classes;
  return shape;
}

Expected<double> testFraction(const DataSpec &spec) {
  auto option = spec.options.find("test");
  if (option == spec.options.end())
    return 0.1;
  double value = 0;
  const std::string &text = option->second;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(value >= 0 && value <= 0.9))
    return Error{"data option 'test': expected a fraction from 0 to 0.9, got "
                 "'" +
                 text + "'"};
  return value;
}

/// The options of --data for any file of tokens.
struct SequenceSpec {
  DataSpec data;
  SequenceShape shape;
  double testFraction;
};

Expected<SequenceSpec> sequenceSpec(const std::string &text,
                                    std::initializer_list<const char *> known,
                                    const ModelInputs &inputs) {
  auto spec = parseDataSpec(text, known);
  if (!spec)
    return spec.takeError();
  auto shape = sequenceShape(*spec, inputs);
  if (!shape)
    return shape.takeError();
  auto fraction = testFraction(*spec);
  if (!fraction)
    return fraction.takeError();
  return SequenceSpec{std::move(*spec), *shape, *fraction};
}

Dataset sequences(std::span<const int32_t> tokens, int64_t length, bool rest) {
  int64_t pairs = std::max<int64_t>(0, int64_t(tokens.size()) - 1);
  int64_t count = rest ? (pairs + length - 1) / length : pairs / length;
  Dataset set;
  set.labelsPerSample = length;
  HostTensor &samples =
      set.samples.emplace_back(ElementType::I32, std::vector{count, length});
  set.labels.assign(size_t(count * length), -1);
  int64_t used = std::min(pairs, count * length);
  if (used) {
    std::memcpy(samples.bytes.data(), tokens.data(), size_t(used) * 4);
    std::copy_n(tokens.begin() + 1, used, set.labels.begin());
  }
  return set;
}

/// In nats; labels of -1 are none.
double entropy(std::span<const int32_t> labels) {
  std::unordered_map<int32_t, int64_t> counts;
  int64_t total = 0;
  for (int32_t label : labels)
    if (label >= 0) {
      ++counts[label];
      ++total;
    }
  double sum = 0;
  for (const auto &[label, count] : counts)
    sum += double(count) * std::log(double(count) / double(total));
  return total ? -sum / double(total) : 0;
}

/// A source without samples: the part that does not depend on the sequences.
DataSource emptySource(const SequenceShape &shape) {
  DataSource source;
  source.tokens = true;
  for (int64_t batchDim : shape.batchDims)
    source.inputs.emplace_back().batchDim = batchDim;
  return source;
}

DataSource makeSource(std::span<const int32_t> train,
                      std::span<const int32_t> test,
                      const SequenceShape &shape) {
  DataSource source = emptySource(shape);
  source.train = sequences(train, shape.length(), false);
  if (test.size() > 1)
    source.test = sequences(test, shape.length(), true);
  source.unigramLoss = entropy(source.train.labels);
  source.summary = std::to_string(train.size()) + " training tokens, " +
                   std::to_string(test.size()) + " test tokens";
  return source;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string percent(int64_t part, int64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%",
                100.0 * double(part) / double(std::max<int64_t>(1, whole)));
  return text;
}

Expected<TextLevel> textLevel(const DataSpec &spec) {
  auto level = spec.options.find("level");
  if (level == spec.options.end() || level->second == "word")
    return TextLevel::Word;
  if (level->second == "byte")
    return TextLevel::Byte;
  return Error{"data option 'level': expected word or byte, got '" +
               level->second + "'"};
}

/// How many tokens the vocabulary may have.
Expected<int64_t> vocabularyLimit(const DataSpec &spec, int64_t classes) {
  auto option = spec.options.find("vocabulary");
  if (option == spec.options.end()) {
    if (classes == 0)
      return Error{"expected the data option 'vocabulary', as the model does "
                   "not say how many classes its labels have"};
    return classes;
  }
  int64_t limit = 0, maximum = classes ? classes : int64_t(1) << 30;
  const std::string &text = option->second;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc() || end != text.data() + text.size() || limit < 2 ||
      limit > maximum)
    return Error{"data option 'vocabulary': expected a number from 2 to " +
                 std::to_string(maximum) +
                 (classes ? ", the classes of the labels" : "") + ", got '" +
                 text + "'"};
  return limit;
}

Expected<std::string> readText(const std::string &path, TextLevel level) {
  auto content = readUnpacked(path, maxText);
  if (!content)
    return content;
  if (size_t at = content->find('\0');
      level == TextLevel::Word && at != std::string::npos)
    return Error{path + ": expected text, got a byte of value 0 at " +
                 std::to_string(at) + "; 'level=byte' takes any file"};
  return content;
}

/// Of how many tokens the vocabulary knows nothing.
std::string unknownTokens(const std::vector<int32_t> &train,
                          const std::vector<int32_t> &test) {
  auto share = [](const std::vector<int32_t> &tokens) {
    return percent(std::count(tokens.begin(), tokens.end(), 0),
                   int64_t(tokens.size()));
  };
  return ", unknown " + share(train) + " and " + share(test);
}

DataSource continuedText(std::string_view text, TextLevel level, int64_t limit,
                         const SequenceShape &shape, double fraction) {
  // The test part begins behind a line's end.
  size_t cut = size_t(double(text.size()) * (1 - fraction));
  if (fraction == 0)
    cut = text.size();
  else if (size_t line = text.find('\n', cut);
           line != std::string::npos && level == TextLevel::Word)
    cut = line + 1;
  Vocabulary vocabulary(text.substr(0, cut), level, limit);
  std::vector<int32_t> train = vocabulary.encode(text.substr(0, cut));
  std::vector<int32_t> test = vocabulary.encode(text.substr(cut));
  DataSource source = makeSource(train, test, shape);
  source.summary += ", vocabulary of " + std::to_string(vocabulary.size());
  if (vocabulary.hasUnknown())
    source.summary += unknownTokens(train, test);
  return source;
}

//===----------------------------------------------------------------------===//
// Translations: line i of one text becomes line i of another
//===----------------------------------------------------------------------===//

struct NamedText {
  const std::string &path;
  std::string_view text;
};

/// The last one may lack its end.
std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// One side of a translation, as tokens: of each line, and a token for its
/// end, which also stands for the begin of a target and fills up sources.
class Lines {
public:
  Lines(std::span<const std::string_view> lines, size_t training,
        TextLevel level, int64_t limit)
      : vocabulary(together(lines.subspan(0, training), level), level, limit) {
    // Empty lines are a token between words.
    std::vector<int32_t> ends =
        vocabulary.encode(level == TextLevel::Word ? "\n\n" : "\n");
    end = ends[0];
    for (std::string_view line : lines)
      tokens.push_back(vocabulary.encode(line));
  }

  const std::vector<int32_t> &operator[](size_t line) const {
    return tokens[line];
  }
  int64_t vocabularySize() const { return vocabulary.size(); }
  int32_t end = 0;

private:
  static std::string together(std::span<const std::string_view> lines,
                              TextLevel level) {
    std::string text;
    for (std::string_view line : lines) {
      text += line;
      text += level == TextLevel::Word ? "\n\n" : "\n";
    }
    return text;
  }

  Vocabulary vocabulary;
  std::vector<std::vector<int32_t>> tokens;
};

/// Pairs [first, last): sources, targets that begin with the end of a line, and
/// as labels the targets' next tokens, -1 behind their end.
Dataset translations(const Lines &sources, const Lines &targets, size_t first,
                     size_t last, const SequenceShape &shape) {
  auto count = int64_t(last - first);
  int64_t sourceLength = shape.lengths[0], targetLength = shape.lengths[1];
  Dataset set;
  set.labelsPerSample = targetLength;
  for (int64_t length : shape.lengths)
    set.samples.emplace_back(ElementType::I32, std::vector{count, length});
  set.labels.assign(size_t(count * targetLength), -1);
  auto at = [](const Lines &lines, size_t line, int64_t i) {
    const std::vector<int32_t> &tokens = lines[line];
    return size_t(i) < tokens.size() ? tokens[size_t(i)] : lines.end;
  };
  for (int64_t s = 0; s < count; ++s) {
    size_t line = first + size_t(s);
    for (int64_t i = 0; i < sourceLength; ++i)
      set.samples[0].as<int32_t>()[s * sourceLength + i] = at(sources, line, i);
    for (int64_t i = 0; i < targetLength; ++i) {
      set.samples[1].as<int32_t>()[s * targetLength + i] =
          i ? at(targets, line, i - 1) : targets.end;
      if (size_t(i) <= targets[line].size())
        set.labels[size_t(s * targetLength + i)] = at(targets, line, i);
    }
  }
  return set;
}

Expected<DataSource> translatedText(NamedText from, NamedText to,
                                    TextLevel level, int64_t limit,
                                    const SequenceShape &shape,
                                    double fraction) {
  std::vector<std::string_view> sources = linesOf(from.text),
                                targets = linesOf(to.text);
  if (sources.size() != targets.size())
    return Error{to.path + ": expected " + std::to_string(sources.size()) +
                 " lines as in " + from.path + ", got " +
                 std::to_string(targets.size())};
  auto training = size_t(double(sources.size()) * (1 - fraction));
  Lines source(sources, training, level, limit),
      target(targets, training, level, limit);
  DataSource result = emptySource(shape);
  result.train = translations(source, target, 0, training, shape);
  if (training < sources.size())
    result.test = translations(source, target, training, sources.size(), shape);
  result.unigramLoss = entropy(result.train.labels);
  int64_t cut = 0;
  for (size_t line = 0; line < sources.size(); ++line)
    cut += int64_t(source[line].size()) > shape.lengths[0] ||
           int64_t(target[line].size()) >= shape.lengths[1];
  result.summary = std::to_string(training) + " training lines, " +
                   std::to_string(sources.size() - training) +
                   " test lines, vocabularies of " +
                   std::to_string(source.vocabularySize()) + " and " +
                   std::to_string(target.vocabularySize()) + ", " +
                   percent(cut, int64_t(sources.size())) + " cut off";
  return result;
}

//===----------------------------------------------------------------------===//
// Token files
//===----------------------------------------------------------------------===//

template <typename T>
std::vector<int64_t> decode(const std::string &bytes) {
  std::vector<int64_t> result(bytes.size() / sizeof(T));
  for (size_t i = 0; i < result.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    result[i] = int64_t(value);
  }
  return result;
}

Expected<std::vector<int64_t>> rawTokens(const std::string &bytes,
                                         const std::string &path,
                                         const std::string &type) {
  size_t size = type == "u8" ? 1 : type == "u16" ? 2 : 4;
  if (bytes.size() % size)
    return Error{path + ": expected a multiple of " + std::to_string(size) +
                 " bytes for tokens of type " + type + ", got " +
                 std::to_string(bytes.size())};
  if (type == "u8")
    return decode<uint8_t>(bytes);
  if (type == "u16")
    return decode<uint16_t>(bytes);
  if (type == "i32")
    return decode<int32_t>(bytes);
  return decode<uint32_t>(bytes);
}

/// The tokens of a file, checked against the number of classes.
Expected<std::vector<int32_t>>
readTokens(const std::string &path, const std::string &type, int64_t classes) {
  auto bytes = readFile(path, int64_t(1) << 36);
  if (!bytes)
    return bytes.takeError();
  std::vector<int64_t> wide;
  if (bytes->compare(0, 6, "\x93NUMPY") == 0) {
    auto array = parseNpy(*bytes, path);
    if (!array)
      return array.takeError();
    if (isFloat(array->dtype))
      return Error{path + ": expected integer tokens, got " +
                   nameOf(array->dtype)};
    wide.resize(size_t(array->volume()));
    for (size_t i = 0; i < wide.size(); ++i)
      wide[i] = array->dtype == ElementType::I64
                    ? array->as<int64_t>()[i]
                    : int64_t(array->at(int64_t(i)));
  } else {
    auto raw = rawTokens(*bytes, path, type);
    if (!raw)
      return raw.takeError();
    wide = std::move(*raw);
  }
  int64_t limit = classes ? classes : int64_t(1) << 31;
  std::vector<int32_t> tokens(wide.size());
  for (size_t i = 0; i < wide.size(); ++i) {
    if (wide[i] < 0 || wide[i] >= limit)
      return Error{path + ": token " + std::to_string(i) +
                   ": expected a number from 0 to " +
                   std::to_string(limit - 1) + ", got " +
                   std::to_string(wide[i])};
    tokens[i] = int32_t(wide[i]);
  }
  return tokens;
}

/// The file of a part in a folder; empty if there is none.
std::string partFile(const std::string &folder,
                     std::initializer_list<const char *> names) {
  for (const char *name : names)
    for (const char *ending : {".npy", ".bin"})
      if (std::string path = folder + "/" + name + ending;
          access(path.c_str(), F_OK) == 0)
        return path;
  return "";
}

} // namespace

Expected<DataSpec>
runtime::parseDataSpec(const std::string &text,
                       std::initializer_list<const char *> known) {
  DataSpec spec;
  size_t colon = text.find(':');
  spec.kind = text.substr(0, colon);
  std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  size_t comma = rest.find(',');
  spec.path = rest.substr(0, comma);
  while (comma != std::string::npos) {
    size_t next = rest.find(',', comma + 1);
    std::string option = rest.substr(comma + 1, next - comma - 1);
    size_t equals = option.find('=');
    std::string key = option.substr(0, equals);
    bool valid = equals != std::string::npos &&
                 std::find(known.begin(), known.end(), key) != known.end();
    if (!valid) {
      std::string names;
      for (const char *name : known)
        names += (names.empty() ? "" : ", ") + std::string(name) + "=";
      return Error{"data option '" + option + "': expected one of " + names};
    }
    if (!spec.options.emplace(key, option.substr(equals + 1)).second)
      return Error{"data option '" + key + "' is given twice"};
    comma = next;
  }
  return spec;
}

Expected<DataSource> runtime::loadText(const std::string &text,
                                       const ModelInputs &inputs) {
  auto parsed = sequenceSpec(
      text, {"level", "vocabulary", "test", "order", "target"}, inputs);
  if (!parsed)
    return parsed.takeError();
  auto &[spec, shape, fraction] = *parsed;
  auto level = textLevel(spec);
  if (!level)
    return level.takeError();
  auto limit = vocabularyLimit(spec, shape.classes);
  if (!limit)
    return limit.takeError();
  auto target = spec.options.find("target");
  bool translates = target != spec.options.end();
  if (inputs.data.size() != (translates ? 2 : 1))
    return Error{
        translates
            ? "data option 'target' is for models with two data tensors, a "
              "source and a target; this one takes " +
                  namesOf(inputs.data)
        : inputs.data.size() == 2
            ? "the model takes " + namesOf(inputs.data) +
                  ": expected the data option 'target' with the text that the "
                  "lines of " +
                  spec.path + " become"
            : "the model takes " + namesOf(inputs.data) +
                  ": expected 'npz:FILE' or 'npy:DIR' as data"};
  auto content = readText(spec.path, *level);
  if (!content)
    return content.takeError();
  if (!translates)
    return continuedText(*content, *level, *limit, shape, fraction);
  auto becomes = readText(target->second, *level);
  if (!becomes)
    return becomes.takeError();
  return translatedText({spec.path, *content}, {target->second, *becomes},
                        *level, *limit, shape, fraction);
}

Expected<DataSource> runtime::loadTokens(const std::string &text,
                                         const ModelInputs &inputs) {
  auto parsed = sequenceSpec(text, {"type", "test", "order"}, inputs);
  if (!parsed)
    return parsed.takeError();
  if (inputs.data.size() > 1)
    return Error{"'tokens:' are of one data tensor, but the model takes " +
                 namesOf(inputs.data) + ": expected 'npz:FILE' or 'npy:DIR'"};
  auto &[spec, shape, fraction] = *parsed;
  std::string type = "u16";
  if (auto option = spec.options.find("type"); option != spec.options.end())
    type = option->second;
  if (type != "u8" && type != "u16" && type != "i32" && type != "u32")
    return Error{"data option 'type': expected u8, u16, i32 or u32, got '" +
                 type + "'"};
  struct stat info;
  bool folder = stat(spec.path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  std::string trainPath = folder ? partFile(spec.path, {"train"}) : spec.path;
  if (trainPath.empty())
    return Error{spec.path + ": expected train.npy or train.bin in it"};
  auto tokens = readTokens(trainPath, type, shape.classes);
  if (!tokens)
    return tokens.takeError();
  if (folder) {
    if (spec.options.count("test"))
      return Error{"data option 'test' needs one file, as a folder has its own "
                   "test.npy, test.bin, val.npy or val.bin"};
    std::vector<int32_t> test;
    if (std::string path = partFile(spec.path, {"test", "val"});
        !path.empty()) {
      auto read = readTokens(path, type, shape.classes);
      if (!read)
        return read.takeError();
      test = std::move(*read);
    }
    return makeSource(*tokens, test, shape);
  }
  size_t cut = size_t(double(tokens->size()) * (1 - fraction));
  if (fraction == 0)
    cut = tokens->size();
  std::span<const int32_t> all = *tokens;
  return makeSource(all.subspan(0, cut), all.subspan(cut), shape);
}
