//===- Rendezvous.cpp - Processes that meet over TCP ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Rendezvous.h. Every connection begins with the handshake of Handshake.h.
// The hello of a process to rank 0 has its rank and where it listens; the
// answer is the addresses of all and the number of the run, or why there will
// be no run. Between the others, the hello is a rank, under a key of the run.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Processes/Rendezvous.h"

#include "Runtime/Processes/Handshake.h"
#include "Runtime/Processes/TcpGroup.h"
#include "Soap/Support/FileIO.h"
#include "Soap/Support/InputFile.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <sstream>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

/// The words of a hello before its addresses.
constexpr size_t helloWords = 6;
/// Bytes that one rank may add to the answer of rank 0.
constexpr size_t answerBytesOfRank = 4096;
/// Notes about processes that do not fit.
constexpr int maxNotes = 8;

std::vector<std::string> split(const std::string &text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream),
          std::istream_iterator<std::string>()};
}

int toInt(const std::string &text) {
  int number = -1;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

int msUntil(Clock::time_point time) {
  auto rest = std::chrono::ceil<milliseconds>(time - Clock::now()).count();
  return int(std::clamp<int64_t>(rest, 0, 200));
}

struct Endpoint {
  std::string file, host;
  int port = 0;
};

Expected<Endpoint> parseEndpoint(const std::string &text) {
  Endpoint endpoint;
  if (text.rfind("file:", 0) == 0 && text.size() > 5) {
    endpoint.file = text.substr(5);
    return endpoint;
  }
  size_t colon = text.rfind(':');
  if (colon != std::string::npos) {
    endpoint.host = text.substr(0, colon);
    endpoint.port = toInt(text.substr(colon + 1));
  }
  if (endpoint.host.empty() || endpoint.port < 0 || endpoint.port > 65535)
    return Error{"expected HOST:PORT or file:PATH, got '" + text + "'"};
  return endpoint;
}

/// One process at the rendezvous.
class Meeting {
public:
  Meeting(const RendezvousOptions &options, Endpoint where)
      : options(options), where(std::move(where)),
        deadline(Clock::now() + options.timeout),
        joinKey(options.secret, "join"), guests(size_t(options.ranks)),
        hellos(size_t(options.ranks)) {}

  Expected<std::unique_ptr<ProcessGroup>> meet();

private:
  using Guest = Acceptor::Guest;

  std::string hello() const;
  void note(const std::string &text) const;
  MaybeError listen(const std::vector<std::string> &addresses, int port);
  MaybeError listenAsRoot();
  MaybeError takeIn();
  MaybeError admit(Guest &guest, Acceptor &acceptor);
  MaybeError mismatch(const std::string &why, Guest *culprit,
                      Acceptor &acceptor);
  MaybeError refuse(const std::string &why, Guest *culprit,
                    const Acceptor &acceptor,
                    const std::string &verdict = "refused");
  void sayAbsent(const std::vector<int> &ranks) const;
  std::string missing(const Acceptor &acceptor) const;
  std::string unreachable() const;
  MaybeError writeFile();
  Expected<ListenerPlace> placeOfRoot() const;
  MaybeError join();
  MaybeError connectTo(int rank, const HandshakeKey &key);
  MaybeError connectOthers();
  std::string nameOf(int rank) const;

  const RendezvousOptions &options;
  const Endpoint where;
  const Clock::time_point deadline;
  const HandshakeKey joinKey;
  ListeningSocket listener;
  /// By rank: their connections.
  std::vector<Guest> guests;
  /// By rank: rank, ranks, process, host, network, port, addresses.
  std::vector<std::vector<std::string>> hellos;
  std::string cookie;
  /// Processes that did not fit, and why the latest did not.
  int mismatches = 0;
  std::string lastMismatch;
};

std::string Meeting::hello() const {
  std::ostringstream text;
  text << options.rank << ' ' << options.ranks << ' ' << getpid() << ' '
       << hostName() << ' ' << networkIdentity() << ' ' << listener.port();
  for (const std::string &ip : listener.reachableAt())
    text << ' ' << ip;
  return text.str();
}

std::string processName(const std::vector<std::string> &words) {
  return "process " + words[2] + " on '" + words[3] + "'";
}

std::vector<std::string> addressesIn(const std::vector<std::string> &words) {
  return reachable({words.begin() + helloWords, words.end()}, words[4]);
}

std::string Meeting::nameOf(int rank) const {
  const std::vector<std::string> &words = hellos[size_t(rank)];
  return "rank " + std::to_string(rank) + " (" + processName(words) + ")";
}

void Meeting::note(const std::string &text) const {
  if (options.note && !text.empty())
    options.note("rendezvous of rank " + std::to_string(options.rank) + ": " +
                 text);
}

MaybeError Meeting::listen(const std::vector<std::string> &addresses,
                           int port) {
  std::vector<std::string> wanted = addresses;
  if (!options.listen.empty()) {
    wanted = addressesOf(options.listen);
    if (wanted.empty())
      return Error{"cannot listen on '" + options.listen +
                   "': no address of that host is known"};
  }
  MaybeError error = listener.listen(wanted, port);
  if (error && port)
    error->message += " (port " + std::to_string(port) + ")";
  return error;
}

MaybeError Meeting::listenAsRoot() {
  if (!where.file.empty())
    return listen({loopbackAddress}, 0);
  std::vector<std::string> addresses = addressesOf(where.host);
  if (addresses.empty() && options.listen.empty())
    return Error{"no address of host '" + where.host + "' is known"};
  if (MaybeError error = listen(addresses, where.port)) {
    if (options.listen.empty())
      error->message += ": expected an address of this host, or '--listen' to "
                        "say which";
    return error;
  }
  // A host often knows its own name as a loopback address.
  bool isName =
      where.host.find_first_not_of("0123456789.") != std::string::npos;
  if (isName && where.host != "localhost" && isLoopback(listener.address()))
    note("warning: '" + where.host + "' is " + listener.address() +
         " on this host, which other hosts cannot reach; '--listen' names "
         "another address");
  return std::nullopt;
}

/// Ends the meeting for all ranks that have come.
MaybeError Meeting::refuse(const std::string &why, Guest *culprit,
                           const Acceptor &acceptor,
                           const std::string &verdict) {
  Clock::time_point soon = Clock::now() + milliseconds(2000);
  if (culprit)
    acceptor.answer(*culprit, verdict + " " + why, soon);
  for (Guest &guest : guests)
    if (guest.socket)
      acceptor.answer(guest, verdict + " " + why, soon);
  return Error{why};
}

void Meeting::sayAbsent(const std::vector<int> &ranks) const {
  if (options.onAbsent)
    options.onAbsent(ranks);
}

/// A process does not fit. With the right secret it is a rank that was started
/// with other flags: there will be no run. Without one it may be any program,
/// which must not end the ranks.
MaybeError Meeting::mismatch(const std::string &why, Guest *culprit,
                             Acceptor &acceptor) {
  if (!options.secret.empty())
    return refuse(why, culprit, acceptor);
  if (culprit) {
    acceptor.turnAway(*culprit);
    acceptor.answer(*culprit, "refused " + why, Clock::now());
  }
  lastMismatch = why;
  if (++mismatches <= maxNotes)
    note(why + "; waiting on for the others" +
         (mismatches == maxNotes ? " (the last such note)" : ""));
  return std::nullopt;
}

std::string Meeting::missing(const Acceptor &acceptor) const {
  std::string names;
  for (int i = 1; i < options.ranks; ++i)
    if (!guests[size_t(i)].socket)
      names += (names.empty() ? "" : ", ") + std::to_string(i);
  return "no word from rank " + names + " of " + std::to_string(options.ranks) +
         " within " + std::to_string(options.timeout.count()) + " ms" +
         (mismatches ? "; " + lastMismatch : "") +
         acceptor.strangers().suffix();
}

MaybeError Meeting::admit(Guest &guest, Acceptor &acceptor) {
  std::vector<std::string> words = split(guest.text);
  // Parts of it are printed.
  bool isText = std::all_of(guest.text.begin(), guest.text.end(), [](char c) {
    return uint8_t(c) >= ' ' && c != '\x7f';
  });
  if (!isText || words.size() <= helloWords || toInt(words[0]) < 0) {
    acceptor.turnAway(guest);
    return std::nullopt;
  }
  int rank = toInt(words[0]), ranks = toInt(words[1]);
  std::string name = processName(words);
  if (ranks != options.ranks)
    return mismatch(name + " is rank " + words[0] + " of " + words[1] +
                        ", expected one of " + std::to_string(options.ranks) +
                        " ranks, as rank 0 says",
                    &guest, acceptor);
  if (rank >= ranks)
    return mismatch(name + " says it is rank " + words[0] + " of " + words[1],
                    &guest, acceptor);
  if (rank == 0 || guests[size_t(rank)].socket)
    return mismatch("two processes say they are rank " + words[0] + ": " +
                        (rank ? processName(hellos[size_t(rank)]) : nameOf(0)) +
                        " and " + name,
                    &guest, acceptor);
  guests[size_t(rank)] = std::move(guest);
  hellos[size_t(rank)] = std::move(words);
  return std::nullopt;
}

/// Of the ranks that are here, one that others cannot connect to; empty if
/// there is none.
std::string Meeting::unreachable() const {
  for (size_t i = 1; i < hellos.size(); ++i) {
    if (!std::all_of(hellos[i].begin() + helloWords, hellos[i].end(),
                     isLoopback))
      continue;
    for (size_t j = i + 1; j < hellos.size(); ++j)
      if (hellos[i][4] != hellos[j][4])
        return nameOf(int(i)) + " listens on " + hellos[i][helloWords] +
               " only, which " + nameOf(int(j)) +
               " on another host cannot reach: expected '--listen' with an "
               "address of its host";
  }
  return "";
}

/// Rank 0: until all are here.
MaybeError Meeting::takeIn() {
  Acceptor acceptor(listener, joinKey);
  auto missingRanks = [&] {
    return std::count_if(guests.begin() + 1, guests.end(),
                         [](const Guest &guest) { return !guest.socket; });
  };
  std::vector<int> watched;
  while (missingRanks()) {
    if (Clock::now() >= deadline) {
      std::vector<int> absent;
      for (int i = 1; i < options.ranks; ++i)
        if (!guests[size_t(i)].socket)
          absent.push_back(i);
      sayAbsent(absent);
      return refuse(missing(acceptor), nullptr, acceptor, "absent");
    }
    watched.clear();
    for (const Guest &guest : guests)
      if (guest.socket)
        watched.push_back(guest.socket.descriptor());
    std::vector<Guest> arrived = acceptor.poll(msUntil(deadline), watched);
    // A rank that has come may leave and return; it sends nothing until
    // then.
    for (int i = 1; i < options.ranks; ++i) {
      Guest &guest = guests[size_t(i)];
      if (!guest.socket || guest.socket.isQuiet())
        continue;
      guest = Guest();
      if (MaybeError error = mismatch(
              nameOf(i) + " has left before all were there", nullptr, acceptor))
        return error;
    }
    for (Guest &guest : arrived)
      if (MaybeError error = admit(guest, acceptor))
        return error;
  }
  if (std::string why = unreachable(); !why.empty())
    return refuse(why, nullptr, acceptor);
  cookie = drawNonce();
  std::string table = "welcome " + cookie;
  for (const std::vector<std::string> &words : hellos) {
    table += "\n";
    for (const std::string &text : words)
      table += text + " ";
  }
  for (int i = 1; i < options.ranks; ++i)
    if (!acceptor.answer(guests[size_t(i)], table, deadline))
      return refuse(nameOf(i) + " has left before all were there", nullptr,
                    acceptor);
  acceptor.finish();
  note(acceptor.strangers().text());
  return std::nullopt;
}

MaybeError Meeting::writeFile() {
  std::string text = hello() + "\n";
  std::string fresh = where.file + "." + std::to_string(getpid());
  std::FILE *file = std::fopen(fresh.c_str(), "w");
  bool written = file && std::fputs(text.c_str(), file) >= 0;
  if (file)
    written &= std::fclose(file) == 0;
  // All of it, or nothing.
  if (written && std::rename(fresh.c_str(), where.file.c_str()) == 0)
    return std::nullopt;
  std::string why = std::strerror(errno);
  std::remove(fresh.c_str());
  return Error{where.file + ": cannot write: " + why};
}

/// Addresses and port of rank 0; an error while they are not known. A file may
/// be that of an earlier run.
Expected<ListenerPlace> Meeting::placeOfRoot() const {
  if (where.file.empty()) {
    std::vector<std::string> found = addressesOf(where.host);
    if (found.empty())
      return Error{"no address of host '" + where.host + "' is known"};
    return ListenerPlace{found, where.port};
  }
  auto text = readFile(where.file, 1 << 16);
  if (!text)
    return text.takeError();
  std::vector<std::string> words = split(*text);
  int port = words.size() <= helloWords ? -1 : toInt(words[5]);
  if (port <= 0)
    return Error{where.file + ": expected the address of rank 0"};
  ListenerPlace place{addressesIn(words), port};
  if (place.addresses.empty())
    return Error{"it listens on " + words[helloWords] +
                 " only, which this host cannot reach: expected '--listen' "
                 "with an address of its host for rank 0"};
  return place;
}

MaybeError Meeting::join() {
  auto where = [this] { return placeOfRoot(); };
  auto text = [this](const Socket &toRoot) -> Expected<std::string> {
    // Where rank 0 is reached from, the others reach this rank.
    if (listener.descriptor() < 0)
      if (MaybeError error = listen({toRoot.localAddress()}, 0))
        return *error;
    return hello();
  };
  Introduction introduction{where, joinKey, text,
                            answerBytesOfRank * (hellos.size() + 1), deadline,
                            // Rank 0 answers at its own limit at the latest.
                            milliseconds(5000),
                            /*mayBeOther=*/!this->where.file.empty()};
  auto answer = introduce(introduction);
  if (!answer && Clock::now() >= deadline)
    sayAbsent({0});
  if (!answer)
    return Error{
        "cannot reach rank 0 at " + options.endpoint +
        (Clock::now() < deadline
             ? ""
             : " within " + std::to_string(options.timeout.count()) + " ms") +
        ": " + answer.error()};
  guests[0].socket = std::move(answer->socket);
  std::istringstream stream(answer->answer);
  std::string verdict;
  stream >> verdict;
  if (verdict != "welcome") {
    std::string why;
    std::getline(stream >> std::ws, why);
    if (verdict == "absent")
      sayAbsent({});
    return Error{why};
  }
  stream >> cookie;
  std::string line;
  std::getline(stream, line);
  for (std::vector<std::string> &words : hellos) {
    std::getline(stream, line);
    words = split(line);
    if (words.size() <= helloWords)
      return Error{"rank 0 at " + options.endpoint +
                   " has sent no addresses of all ranks"};
  }
  return std::nullopt;
}

MaybeError Meeting::connectTo(int rank, const HandshakeKey &key) {
  const std::vector<std::string> &peer = hellos[size_t(rank)];
  auto where = [&]() -> Expected<ListenerPlace> {
    return ListenerPlace{addressesIn(peer), toInt(peer[5])};
  };
  auto text = [&](const Socket &) -> Expected<std::string> {
    return std::to_string(options.rank);
  };
  auto answer =
      introduce(Introduction{where, key, text, answerBytesOfRank, deadline});
  if (!answer) {
    sayAbsent({rank});
    return Error{"cannot reach " + nameOf(rank) + ": " + answer.error()};
  }
  guests[size_t(rank)].socket = std::move(answer->socket);
  return std::nullopt;
}

/// Lower ranks except rank 0 listen already; higher ranks connect to this one.
MaybeError Meeting::connectOthers() {
  HandshakeKey key(options.secret, "peers", cookie);
  for (int i = 1; i < options.rank; ++i)
    if (MaybeError error = connectTo(i, key))
      return error;
  if (!options.rank)
    return std::nullopt;
  Acceptor acceptor(listener, key);
  int wanted = options.ranks - options.rank - 1;
  while (wanted) {
    if (Clock::now() >= deadline) {
      std::string names;
      std::vector<int> absent;
      for (int i = options.rank + 1; i < options.ranks; ++i)
        if (!guests[size_t(i)].socket) {
          names += (names.empty() ? "" : ", ") + nameOf(i);
          absent.push_back(i);
        }
      sayAbsent(absent);
      return Error{names + " has not connected within " +
                   std::to_string(options.timeout.count()) + " ms" +
                   acceptor.strangers().suffix()};
    }
    for (Guest &guest : acceptor.poll(msUntil(deadline))) {
      int rank = toInt(guest.text);
      if (rank <= options.rank || rank >= options.ranks ||
          guests[size_t(rank)].socket ||
          !acceptor.answer(guest, "welcome", deadline)) {
        acceptor.turnAway(guest);
        continue;
      }
      guests[size_t(rank)] = std::move(guest);
      --wanted;
    }
  }
  acceptor.finish();
  note(acceptor.strangers().text());
  return std::nullopt;
}

Expected<std::unique_ptr<ProcessGroup>> Meeting::meet() {
  bool isRoot = options.rank == 0;
  if (isRoot) {
    if (MaybeError error = listenAsRoot())
      return *error;
    if (options.secret.empty() && !isLoopback(listener.address()))
      note("warning: no secret protects port " +
           std::to_string(listener.port()) + " of " + listener.address() +
           ": every program that reaches it can join the run; "
           "'--rendezvous-secret' gives "
           "one");
    hellos[0] = split(hello());
    if (!where.file.empty())
      if (MaybeError error = writeFile())
        return *error;
    if (options.onListening)
      options.onListening(listener.port());
  }
  MaybeError error = isRoot ? takeIn() : join();
  if (isRoot && !where.file.empty())
    std::remove(where.file.c_str());
  if (!error)
    error = connectOthers();
  if (error)
    return *error;
  std::vector<Socket> sockets;
  sockets.reserve(guests.size());
  for (Guest &guest : guests)
    sockets.push_back(std::move(guest.socket));
  return std::unique_ptr<ProcessGroup>(std::make_unique<TcpGroup>(
      options.rank, std::move(sockets), options.grace, listener.address()));
}

} // namespace

MaybeError runtime::checkEndpoint(const std::string &endpoint) {
  auto parsed = parseEndpoint(endpoint);
  return parsed ? std::nullopt : MaybeError(parsed.takeError());
}

Expected<std::unique_ptr<ProcessGroup>>
runtime::rendezvous(const RendezvousOptions &options) {
  auto failed = [&](const std::string &why) {
    return Error{"rendezvous of rank " + std::to_string(options.rank) + ": " +
                 why};
  };
  auto where = parseEndpoint(options.endpoint);
  if (!where)
    return failed(where.error());
  if (options.ranks < 1 || options.rank < 0 || options.rank >= options.ranks)
    return failed("there is no such rank of " + std::to_string(options.ranks));
  if (options.rank && where->file.empty() && where->port == 0)
    return failed("only rank 0 can take a free port: expected the one that it "
                  "listens on");
  auto group = Meeting(options, std::move(*where)).meet();
  if (!group)
    return failed(group.error());
  return group;
}
