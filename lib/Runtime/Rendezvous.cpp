//===- Rendezvous.cpp - Processes that meet over TCP ----------------------===//
//
// See Rendezvous.h. A word is a magic number, a length and a text. The first
// word of a process to rank 0 says who it is and where it listens; the answer
// is the addresses of all, or why there will be no run. Between the others, the
// first word has a number that rank 0 drew, so that runs do not mix.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Rendezvous.h"

#include "Soap/Runtime/Files.h"
#include "TcpGroup.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <poll.h>
#include <random>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

const std::string magic = "SoapRdv1";
constexpr size_t headerBytes = 12, mostBytes = 1 << 16;
/// How long who has connected may take to say who it is.
constexpr milliseconds wordLimit(10000);

std::string word(const std::string &text) {
  auto length = uint32_t(text.size());
  return magic + std::string(reinterpret_cast<char *>(&length), 4) + text;
}

enum class Reading { Incomplete, Complete, Garbage };

/// Whether `text` is a word; then `content` is what it says.
Reading parse(const std::string &text, std::string &content) {
  size_t known = std::min(text.size(), magic.size());
  if (text.compare(0, known, magic, 0, known) != 0)
    return Reading::Garbage;
  if (text.size() < headerBytes)
    return Reading::Incomplete;
  uint32_t length;
  std::memcpy(&length, text.data() + magic.size(), 4);
  if (length > mostBytes || text.size() > headerBytes + length)
    return Reading::Garbage;
  if (text.size() < headerBytes + length)
    return Reading::Incomplete;
  content = text.substr(headerBytes);
  return Reading::Complete;
}

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
  return int(std::clamp<int64_t>(rest, 0, 1000));
}

/// Not all of it may go at once.
bool sendWord(Socket &socket, const std::string &text,
              Clock::time_point deadline) {
  std::string rest = word(text);
  while (!rest.empty()) {
    rest.erase(0, socket.writeSome(rest));
    pollfd item{socket.descriptor(), POLLOUT, 0};
    if (rest.empty())
      break;
    if (Clock::now() >= deadline || poll(&item, 1, msUntil(deadline)) < 0 ||
        (item.revents & (POLLERR | POLLHUP)))
      return false;
  }
  return true;
}

/// The next word; nothing if there is none in time.
std::optional<std::string> readWord(Socket &socket,
                                    Clock::time_point deadline) {
  std::string header(headerBytes, '\0'), text;
  uint32_t length;
  if (!socket.readAll(header.data(), header.size(), deadline) ||
      header.compare(0, magic.size(), magic) != 0)
    return std::nullopt;
  std::memcpy(&length, header.data() + magic.size(), 4);
  if (length > mostBytes)
    return std::nullopt;
  text.resize(length);
  if (!socket.readAll(text.data(), length, deadline))
    return std::nullopt;
  return text;
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
        sockets(size_t(options.ranks)), hellos(size_t(options.ranks)) {}

  Expected<std::unique_ptr<ProcessGroup>> meet();

private:
  struct Stranger {
    Socket socket;
    std::string text;
    Clock::time_point limit;
  };

  std::string hello() const;
  MaybeError takeIn();
  /// False: the stranger is still to be listened to.
  Expected<bool> welcome(Stranger &stranger);
  MaybeError refuse(const std::string &why, Socket *culprit);
  MaybeError missing() const;
  MaybeError writeFile();
  MaybeError findRoot();
  Expected<std::pair<std::vector<std::string>, int>> placeOfRoot() const;
  MaybeError join();
  MaybeError connectOthers();
  std::string nameOf(int rank) const;

  const RendezvousOptions &options;
  const Endpoint where;
  const Clock::time_point deadline;
  ListeningSocket listener;
  std::vector<Socket> sockets; ///< by rank
  /// By rank: rank, ranks, process, host, network, port, addresses.
  std::vector<std::vector<std::string>> hellos;
  std::string cookie;
  int garbage = 0;
};

std::string Meeting::hello() const {
  std::ostringstream text;
  text << options.rank << ' ' << options.ranks << ' ' << getpid() << ' '
       << hostName() << ' ' << networkIdentity() << ' ' << listener.port();
  for (const std::string &ip : ownAddresses())
    text << ' ' << ip;
  return text.str();
}

std::string Meeting::nameOf(int rank) const {
  const std::vector<std::string> &words = hellos[size_t(rank)];
  return "rank " + std::to_string(rank) + " (process " + words[2] + " on '" +
         words[3] + "')";
}

/// Ends the meeting for all who are there.
MaybeError Meeting::refuse(const std::string &why, Socket *culprit) {
  Clock::time_point soon = Clock::now() + milliseconds(2000);
  if (culprit)
    sendWord(*culprit, "refused " + why, soon);
  for (Socket &socket : sockets)
    if (socket)
      sendWord(socket, "refused " + why, soon);
  return Error{why};
}

MaybeError Meeting::missing() const {
  std::string names;
  for (int i = 1; i < options.ranks; ++i)
    if (!sockets[size_t(i)])
      names += (names.empty() ? "" : ", ") + std::to_string(i);
  std::string text = "no word from rank " + names + " of " +
                     std::to_string(options.ranks) + " within " +
                     std::to_string(options.timeout.count()) + " ms";
  if (garbage)
    text += "; " + std::to_string(garbage) +
            (garbage == 1 ? " connection" : " connections") +
            " of something else refused";
  return Error{text};
}

Expected<bool> Meeting::welcome(Stranger &stranger) {
  bool open = stranger.socket.readSome(stranger.text);
  std::string content;
  Reading reading = parse(stranger.text, content);
  if (reading == Reading::Incomplete && open && Clock::now() < stranger.limit)
    return false;
  std::vector<std::string> words = split(content);
  if (reading != Reading::Complete || words.size() < 6 || toInt(words[0]) < 0) {
    ++garbage;
    stranger.socket = Socket();
    return true;
  }
  int rank = toInt(words[0]), ranks = toInt(words[1]);
  std::string name = "process " + words[2] + " on '" + words[3] + "'";
  if (ranks != options.ranks)
    return *refuse(name + " is rank " + words[0] + " of " + words[1] +
                       ", expected one of " + std::to_string(options.ranks) +
                       " ranks, as rank 0 says",
                   &stranger.socket);
  if (rank >= ranks)
    return *refuse(name + " says it is rank " + words[0] + " of " + words[1],
                   &stranger.socket);
  if (rank == 0 || sockets[size_t(rank)])
    return *refuse("two processes say they are rank " + words[0] + ": " +
                       (rank ? "process " + hellos[size_t(rank)][2] + " on '" +
                                   hellos[size_t(rank)][3] + "'"
                             : nameOf(0)) +
                       " and " + name,
                   &stranger.socket);
  sockets[size_t(rank)] = std::move(stranger.socket);
  hellos[size_t(rank)] = std::move(words);
  return true;
}

/// Rank 0: until all are here.
MaybeError Meeting::takeIn() {
  std::vector<Stranger> strangers;
  auto complete = [&] {
    return std::count_if(sockets.begin(), sockets.end(), [](const Socket &s) {
             return bool(s);
           }) == options.ranks - 1;
  };
  while (!complete()) {
    if (Clock::now() >= deadline) {
      MaybeError error = missing();
      return refuse(error->message, nullptr);
    }
    std::vector<pollfd> items = {{listener.descriptor(), POLLIN, 0}};
    for (const Stranger &stranger : strangers)
      items.push_back({stranger.socket.descriptor(), POLLIN, 0});
    // Who is here already may go, too.
    for (const Socket &socket : sockets)
      items.push_back({socket.descriptor(), POLLIN, 0});
    poll(items.data(), items.size(), std::min(msUntil(deadline), 200));
    for (int i = 1; i < options.ranks; ++i) {
      std::string text;
      Socket &socket = sockets[size_t(i)];
      if (socket && !socket.readSome(text))
        return refuse(nameOf(i) + " has left before all were there", nullptr);
    }
    if (items[0].revents)
      if (auto socket = listener.accept(Clock::now() + milliseconds(1)))
        strangers.push_back({std::move(*socket), "",
                             std::min(deadline, Clock::now() + wordLimit)});
    for (size_t i = 0; i < strangers.size();) {
      auto done = welcome(strangers[i]);
      if (!done)
        return done.takeError();
      if (*done)
        strangers.erase(strangers.begin() + long(i));
      else
        ++i;
    }
  }
  cookie = std::to_string(uint64_t(std::random_device{}()) << 32 |
                          std::random_device{}());
  std::string table = "welcome " + cookie;
  for (const std::vector<std::string> &words : hellos) {
    table += "\n";
    for (const std::string &text : words)
      table += text + " ";
  }
  for (int i = 1; i < options.ranks; ++i)
    if (!sendWord(sockets[size_t(i)], table, deadline))
      return refuse(nameOf(i) + " has left before all were there", nullptr);
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

/// Addresses and port of rank 0; an error while they are not known.
Expected<std::pair<std::vector<std::string>, int>>
Meeting::placeOfRoot() const {
  if (where.file.empty()) {
    std::vector<std::string> found = addressesOf(where.host);
    if (found.empty())
      return Error{"no address of host '" + where.host + "' is known"};
    return std::pair{found, where.port};
  }
  auto text = readFile(where.file, 1 << 16);
  if (!text)
    return text.takeError();
  std::vector<std::string> words = split(*text);
  int port = words.size() < 6 ? -1 : toInt(words[5]);
  if (port <= 0)
    return Error{where.file + ": expected the address of rank 0"};
  std::vector<std::string> found(words.begin() + 6, words.end());
  if (words[4] == networkIdentity())
    found = {"127.0.0.1"};
  return std::pair{found, port};
}

/// Others than rank 0: until it is there. A file may be that of an earlier run.
MaybeError Meeting::findRoot() {
  std::string why = "timed out";
  while (Clock::now() < deadline) {
    auto place = placeOfRoot();
    if (place) {
      Clock::time_point soon =
          where.file.empty()
              ? deadline
              : std::min(deadline, Clock::now() + milliseconds(1000));
      auto socket = connectTo(place->first, place->second, soon);
      if (socket) {
        sockets[0] = std::move(*socket);
        return std::nullopt;
      }
      why = socket.error();
    } else {
      why = place.error();
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
  return Error{"cannot reach rank 0 at " + options.endpoint + " within " +
               std::to_string(options.timeout.count()) + " ms: " + why};
}

MaybeError Meeting::join() {
  if (MaybeError error = findRoot())
    return error;
  if (!sendWord(sockets[0], hello(), deadline))
    return Error{"rank 0 at " + options.endpoint +
                 " has closed the connection"};
  // It answers at its own time limit at the latest.
  auto answer = readWord(sockets[0], deadline + milliseconds(5000));
  if (!answer)
    return Error{"no answer from rank 0 at " + options.endpoint +
                 ": expected another soap-run with --rank 0"};
  std::istringstream stream(*answer);
  std::string verdict;
  stream >> verdict;
  if (verdict != "welcome") {
    std::string why;
    std::getline(stream >> std::ws, why);
    return Error{why};
  }
  stream >> cookie;
  std::string line;
  std::getline(stream, line);
  for (std::vector<std::string> &words : hellos) {
    std::getline(stream, line);
    words = split(line);
    if (words.size() < 6)
      return Error{"rank 0 at " + options.endpoint +
                   " has sent no addresses of all ranks"};
  }
  return std::nullopt;
}

/// Those of lower rank, but for rank 0, listen already; those of higher rank
/// connect to us.
MaybeError Meeting::connectOthers() {
  for (int i = 1; i < options.rank; ++i) {
    const std::vector<std::string> &peer = hellos[size_t(i)];
    std::vector<std::string> found(peer.begin() + 6, peer.end());
    if (peer[4] == networkIdentity())
      found = {"127.0.0.1"};
    auto socket = connectTo(found, toInt(peer[5]), deadline);
    if (!socket)
      return Error{"cannot reach " + nameOf(i) + ": " + socket.error()};
    sockets[size_t(i)] = std::move(*socket);
    sendWord(sockets[size_t(i)], cookie + " " + std::to_string(options.rank),
             deadline);
  }
  int wanted = options.rank ? options.ranks - options.rank - 1 : 0;
  while (wanted) {
    auto socket = listener.accept(deadline);
    if (!socket)
      return Error{"not all ranks have connected within " +
                   std::to_string(options.timeout.count()) + " ms"};
    auto text = readWord(*socket, std::min(deadline, Clock::now() + wordLimit));
    std::vector<std::string> words = split(text.value_or(""));
    int rank = words.size() == 2 && words[0] == cookie ? toInt(words[1]) : -1;
    if (rank <= options.rank || rank >= options.ranks || sockets[size_t(rank)])
      continue;
    sockets[size_t(rank)] = std::move(*socket);
    --wanted;
  }
  return std::nullopt;
}

Expected<std::unique_ptr<ProcessGroup>> Meeting::meet() {
  bool isRoot = options.rank == 0;
  int port = isRoot && where.file.empty() ? where.port : 0;
  if (MaybeError error = listener.listen(options.ranks, port))
    return Error{error->message +
                 (port ? " on port " + std::to_string(port) : "")};
  if (isRoot) {
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
  return std::unique_ptr<ProcessGroup>(std::make_unique<TcpGroup>(
      options.rank, std::move(sockets), options.grace));
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
