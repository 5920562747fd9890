//===- RepeatedRuns.cpp - What a sequence says more than once -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RepeatedRuns.h. LLVM's suffix tree lists all repeated substrings.
//
//===----------------------------------------------------------------------===//

#include "RepeatedRuns.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/SuffixTree.h"

#include <algorithm>
#include <tuple>
#include <vector>

using namespace mlir;
using namespace mlir::soap;

int64_t mlir::soap::savedLetters(size_t length, size_t count, size_t calls,
                                 int64_t callCost) {
  return static_cast<int64_t>(length) * (static_cast<int64_t>(count) - 1) -
         callCost * static_cast<int64_t>(calls);
}

namespace {

/// Of a run that saves nothing: none.
std::optional<int64_t> gainOf(size_t length, size_t count, size_t calls,
                              int64_t callCost) {
  int64_t saved = savedLetters(length, count, calls, callCost);
  if (count < 2 || saved <= 0)
    return std::nullopt;
  auto times = static_cast<int64_t>(count);
  // In parts of a letter, so that runs that save little differ, too.
  return saved * (times - 1) * 1024 / times;
}

/// Drops what overlaps one before. `starts` is sorted.
void keepDisjoint(SmallVectorImpl<size_t> &starts, size_t length) {
  size_t end = 0;
  llvm::erase_if(starts, [&](size_t start) {
    if (start < end)
      return true;
    end = start + length;
    return false;
  });
}

/// The letters that are in no run yet.
class Rest {
public:
  Rest(ArrayRef<unsigned> letters, unsigned separator, bool loops)
      : loops(loops) {
    llvm::DenseMap<unsigned, unsigned> numbers;
    for (unsigned letter : letters)
      if (letter != separator)
        numbers.try_emplace(letter, numbers.size());
    unique = static_cast<unsigned>(numbers.size());
    for (auto [i, letter] : llvm::enumerate(letters)) {
      text.push_back(letter == separator ? unique++ : numbers.lookup(letter));
      places.push_back(i);
    }
    // The tree has a leaf for each suffix only if no suffix begins another.
    text.push_back(unique++);
    places.push_back(letters.size());
  }

  /// The best run, by places in the rest. Letters that are in no run that could
  /// save anything are left out from then on: such a run is part of one that
  /// comes as often now.
  std::optional<RepeatedRun> best(int64_t callCost) {
    std::optional<RepeatedRun> found;
    int64_t foundGain = 0;
    // How many more runs cover a letter than the one before it.
    std::vector<int64_t> covers(text.size() + 1);
    llvm::SuffixTree tree(text, /*OutlinerLeafDescendants=*/true);
    auto consider = [&](size_t length, ArrayRef<size_t> starts) {
      // No more than this.
      std::optional<int64_t> gain =
          gainOf(length, starts.size(), loops ? 1 : starts.size(), callCost);
      if (!gain || (found && *gain < foundGain))
        return;
      RepeatedRun run{length, SmallVector<size_t>(starts)};
      keepDisjoint(run.starts, length);
      gain = gainOf(length, run.starts.size(), countCalls(run), callCost);
      if (!gain)
        return;
      auto rank = [](int64_t gain, const RepeatedRun &run) {
        return std::tuple(-gain, run.starts.front(),
                          -static_cast<int64_t>(run.length));
      };
      if (found && rank(foundGain, *found) <= rank(*gain, run))
        return;
      found = std::move(run);
      foundGain = *gain;
    };
    for (const llvm::SuffixTree::RepeatedSubstring &repeated : tree) {
      if (!gainOf(repeated.Length, repeated.StartIndices.size(),
                  loops ? 1 : repeated.StartIndices.size(), callCost))
        continue;
      SmallVector<size_t> starts(repeated.StartIndices.begin(),
                                 repeated.StartIndices.end());
      llvm::sort(starts);
      for (size_t start : starts) {
        ++covers[start];
        --covers[start + repeated.Length];
      }
      consider(repeated.Length, starts);
      // Runs that overlap: as short as they need to be in order not to.
      size_t distance = repeated.Length;
      for (size_t i = 1; i < starts.size(); ++i)
        distance = std::min(distance, starts[i] - starts[i - 1]);
      if (distance < repeated.Length)
        consider(distance, starts);
    }
    dropUncovered(covers, found);
    return found;
  }

  /// Replaces each part of a run by a letter that comes once; gives the run
  /// its places in the whole sequence.
  void take(RepeatedRun &run) {
    size_t to = 0, from = 0;
    for (size_t &start : run.starts) {
      while (from < start)
        move(from++, to++);
      size_t place = places[start];
      text[to] = unique++;
      places[to++] = place;
      from += run.length;
      start = place;
    }
    while (from < text.size())
      move(from++, to++);
    text.resize(to);
    places.resize(to);
  }

private:
  bool loops;
  std::vector<unsigned> text;
  std::vector<size_t> places; ///< in the whole sequence
  unsigned unique = 0;        ///< greater than all letters

  size_t countCalls(const RepeatedRun &run) const {
    size_t calls = run.starts.size();
    for (size_t i = 1; loops && i < run.starts.size(); ++i)
      calls -= run.starts[i] == run.starts[i - 1] + run.length;
    return calls;
  }

  /// Replaces letters that nothing covers, as many as are next to each other,
  /// by one that comes once. `run` keeps its letters.
  void dropUncovered(ArrayRef<int64_t> covers,
                     std::optional<RepeatedRun> &run) {
    int64_t cover = 0;
    bool wasCovered = true;
    size_t to = 0;
    size_t *start = run ? run->starts.begin() : nullptr;
    for (size_t from = 0; from < text.size(); ++from) {
      cover += covers[from];
      if (run && start != run->starts.end() && *start == from)
        *start++ = to;
      if (cover || wasCovered) {
        move(from, to);
        if (!cover)
          text[to] = unique++;
        ++to;
      }
      wasCovered = cover;
    }
    text.resize(to);
    places.resize(to);
  }

  void move(size_t from, size_t to) {
    text[to] = text[from];
    places[to] = places[from];
  }
};

} // namespace

SmallVector<RepeatedRun>
mlir::soap::findRepeatedRuns(ArrayRef<unsigned> letters, unsigned separator,
                             int64_t callCost, bool loops) {
  SmallVector<RepeatedRun> runs;
  Rest rest(letters, separator, loops);
  while (std::optional<RepeatedRun> run = rest.best(callCost)) {
    rest.take(*run);
    runs.push_back(std::move(*run));
  }
  return runs;
}
