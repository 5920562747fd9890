//===- Session.cpp - A loaded module with its tensors and devices ---------===//
//
// See Session.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Session.h"

#include <algorithm>
#include <new>
#include <set>

using namespace soap;
using namespace soap::runtime;

Expected<std::unique_ptr<Session>>
Session::create(ProgramSource source, LauncherOptions options, World *world) {
  std::unique_ptr<Session> session(new Session());
  session->source = std::move(source);
  const Manifest &manifest = session->manifest();
  Placement placement{nullptr, manifest.devices};
  if (world) {
    auto placed = world->place(manifest);
    if (!placed)
      return placed.takeError();
    placement = *placed;
    world->prepare(options, placement);
  }
  try {
    session->store =
        std::make_unique<TensorStore>(session->source.manifest, placement);
    session->arenaSizes.resize(size_t(manifest.devices));
    for (const EntryInfo &entry : manifest.entries)
      for (const RankInfo &rank : entry.ranks) {
        int64_t &size = session->arenaSizes[size_t(rank.device)];
        size = std::max(size, rank.arenaBytes);
      }
    for (int64_t d = 0; d < manifest.devices; ++d)
      session->arenas.emplace_back(
          placement.isHere(d) ? session->arenaSizes[size_t(d)] : 0);
  } catch (const std::bad_alloc &) {
    return Error{"not enough memory for the tensors and arenas of the module"};
  }
  for (size_t e = 0; e < manifest.entries.size(); ++e) {
    const EntryInfo &entry = manifest.entries[e];
    auto execution =
        std::make_shared<Execution>(session->source.manifest, entry, placement);
    for (size_t r = 0; r < entry.ranks.size(); ++r) {
      if (!placement.isHere(entry.ranks[r].device))
        continue;
      RankBinding &rank = execution->ranks[r];
      rank.program = session->source.program(entry.ranks[r].program);
      if (!rank.program)
        return Error{"entry '" + entry.name + "': the module has no program '" +
                     entry.ranks[r].program + "'"};
      rank.pointers = session->store->pointers(e, r);
      rank.arena = session->arenas[size_t(entry.ranks[r].device)].data();
    }
    session->executions.push_back(std::move(execution));
  }
  options.devices = manifest.devices;
  session->devices = std::make_unique<Launcher>(options);
  return session;
}

Expected<size_t> Session::entry(const std::string &name) const {
  std::string names;
  for (size_t e = 0; e < manifest().entries.size(); ++e) {
    if (manifest().entries[e].name == name)
      return e;
    names += (e ? ", '" : "'") + manifest().entries[e].name + "'";
  }
  return Error{"the module has no entry '" + name + "', only " +
               (names.empty() ? "none" : names)};
}

std::vector<size_t> Session::arguments(size_t entry, TensorKind kind) const {
  std::set<size_t> found;
  for (const RankInfo &rank : manifest().entries[entry].ranks)
    for (const TileInfo &arg : rank.args)
      if (manifest().tensors[arg.tensor].kind == kind)
        found.insert(arg.tensor);
  return {found.begin(), found.end()};
}

Expected<size_t> Session::argument(size_t entry, TensorKind kind) const {
  std::vector<size_t> found = arguments(entry, kind);
  const std::string &name = manifest().entries[entry].name;
  if (found.empty())
    return Error{"entry '" + name + "' has no " + nameOf(kind) + " argument"};
  if (found.size() > 1)
    return Error{"entry '" + name + "': expected one " + nameOf(kind) +
                 " argument, got '" + manifest().tensors[found[0]].name +
                 "' and '" + manifest().tensors[found[1]].name + "'"};
  return found[0];
}

std::optional<size_t> Session::resultOf(size_t entry, TensorKind kind) const {
  for (const RankInfo &rank : manifest().entries[entry].ranks)
    for (const TileInfo &result : rank.results)
      if (manifest().tensors[result.tensor].kind == kind)
        return result.tensor;
  return std::nullopt;
}

MaybeError Session::run(size_t entry) {
  if (MaybeError error = store->prepare(entry))
    return error;
  auto start = std::chrono::steady_clock::now();
  if (MaybeError error = devices->run(executions[entry]))
    return error;
  milliseconds = std::chrono::duration<double, std::milli>(
                     std::chrono::steady_clock::now() - start)
                     .count();
  store->finished(entry);
  if (observer)
    observer(*executions[entry]);
  return std::nullopt;
}

Expected<std::vector<int64_t>> Session::bytesSent(size_t entry) const {
  std::vector<int64_t> sum = executions[entry]->bytesSent, row(sum.size());
  const Placement &place = placement();
  auto bytes = int64_t(sum.size() * sizeof(int64_t));
  if (!place.isRoot())
    if (MaybeError error =
            place.group->send(0, Channel::Tensor, 0, sum.data(), bytes))
      return *error;
  for (int from = 1; place.isRoot() && from < place.size(); ++from) {
    if (MaybeError error =
            place.group->receive(from, Channel::Tensor, 0, row.data(), bytes))
      return *error;
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] += row[i];
  }
  return sum;
}

Expected<double> Session::scalar(size_t entry, size_t tensor) const {
  auto value = store->result(entry, tensor);
  if (!value)
    return value.takeError();
  if (value->volume() != 1)
    return Error{"result '" + manifest().tensors[tensor].name +
                 "': expected one number, got shape " +
                 shapeString(value->shape)};
  return value->at(0);
}
