//===- Handshake.cpp - Ranks that prove that they belong together ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Handshake.h. A word is a magic number, a length and a text.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Processes/Handshake.h"

#include "Runtime/Processes/Sha256.h"

#include <algorithm>
#include <cstring>
#include <poll.h>
#include <random>
#include <thread>

using namespace soap;
using namespace soap::runtime;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr std::string_view magic = "SoapRdv2";
constexpr size_t headerBytes = 12, nonceDigits = 32, macDigits = 64;
/// The limit of a hello: a rank says a few words.
constexpr size_t helloBytes = 4096;
/// How long a connection may take to send its hello, and how many may be open
/// without one.
constexpr milliseconds wordLimit(10000);
constexpr size_t maxVisitors = 128;
/// Connections that are accepted at a time, before the others are listened to
/// again.
constexpr int maxAccepted = 64;
/// Addresses that strangers are counted by, and addresses that a message names.
constexpr size_t maxAddresses = 64, namedAddresses = 4;

std::string wordOf(const std::string &text) {
  auto length = uint32_t(text.size());
  std::string word(magic);
  word.append(reinterpret_cast<const char *>(&length), 4);
  return word + text;
}

enum class Reading { Incomplete, Complete, Garbage, Closed };

/// Continues to read a word of at most `limit` bytes, and no byte after it. Its
/// bytes so far are in `received`; once it is complete, its text alone.
Reading readWord(Socket &socket, std::string &received, size_t limit) {
  for (;;) {
    size_t wanted = headerBytes;
    if (received.size() >= headerBytes) {
      uint32_t length;
      std::memcpy(&length, received.data() + magic.size(), 4);
      if (length > limit)
        return Reading::Garbage;
      wanted += length;
      if (received.size() == wanted) {
        received.erase(0, headerBytes);
        return Reading::Complete;
      }
    }
    size_t before = received.size();
    bool isOpen = socket.readSome(received, wanted - before);
    size_t known = std::min(received.size(), magic.size());
    if (received.compare(0, known, magic, 0, known) != 0)
      return Reading::Garbage;
    if (!isOpen)
      return Reading::Closed;
    if (received.size() < wanted)
      return Reading::Incomplete;
  }
}

/// Waits for a word.
Reading awaitWord(Socket &socket, std::string &text, size_t limit,
                  Clock::time_point deadline) {
  for (;;) {
    Reading reading = readWord(socket, text, limit);
    if (reading != Reading::Incomplete || !socket.waitToRead(deadline))
      return reading;
  }
}

bool sendWord(Socket &socket, const std::string &text,
              Clock::time_point deadline) {
  std::string rest = wordOf(text);
  rest.erase(0, socket.writeSome(rest));
  while (!rest.empty()) {
    if (!socket.waitToWrite(deadline))
      return false;
    size_t written = socket.writeSome(rest);
    // There was room: it is an error.
    if (!written)
      return false;
    rest.erase(0, written);
  }
  return true;
}

/// The first word of a text, which loses it.
std::string takeFirst(std::string &text) {
  size_t end = std::min(text.find(' '), text.size());
  std::string first = text.substr(0, end);
  text.erase(0, std::min(end + 1, text.size()));
  return first;
}

bool isNonce(const std::string &text) {
  return text.size() == nonceDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

} // namespace

HandshakeKey::HandshakeKey(std::string_view secret, std::string_view purpose,
                           std::string_view run) {
  std::string text = "soap ";
  text.append(purpose).append("\n").append(run);
  key = toHex(hmacSha256(secret, text));
}

std::string HandshakeKey::sign(std::string_view role, std::string_view nonces,
                               std::string_view text) const {
  // Roles and nonces have no line breaks, and nonces one length.
  std::string all(role);
  all.append("\n").append(nonces).append("\n").append(text);
  return toHex(hmacSha256(key, all));
}

std::string runtime::drawNonce() {
  std::random_device device;
  std::string digits;
  for (size_t i = 0; i < nonceDigits / 8; ++i) {
    uint32_t value = device();
    for (int shift = 28; shift >= 0; shift -= 4)
      digits += "0123456789abcdef"[value >> shift & 15];
  }
  return digits;
}

void Strangers::count(const std::string &address) {
  ++total;
  if (byAddress.size() < maxAddresses || byAddress.contains(address))
    ++byAddress[address];
}

std::string Strangers::text() const {
  if (!total)
    return "";
  std::vector<std::pair<int64_t, std::string>> rows;
  for (const auto &[address, number] : byAddress)
    rows.emplace_back(-number, address);
  std::sort(rows.begin(), rows.end());
  rows.resize(std::min(rows.size(), namedAddresses));
  std::string text = std::to_string(total) +
                     (total == 1 ? " connection of a stranger refused ("
                                 : " connections of strangers refused (");
  int64_t rest = total;
  for (const auto &[number, address] : rows) {
    text += std::to_string(-number) + " from " + address + ", ";
    rest += number;
  }
  if (rest)
    return text + std::to_string(rest) + " from elsewhere)";
  return text.replace(text.size() - 2, 2, ")");
}

std::string Strangers::suffix() const { return total ? "; " + text() : ""; }

std::vector<Acceptor::Guest> Acceptor::poll(int ms,
                                            const std::vector<int> &watched) {
  std::vector<pollfd> items = {{listener.descriptor(), POLLIN, 0}};
  for (const Visitor &visitor : visitors)
    items.push_back({visitor.socket.descriptor(), POLLIN, 0});
  for (int descriptor : watched)
    items.push_back({descriptor, POLLIN, 0});
  ::poll(items.data(), items.size(), ms);
  std::vector<Guest> guests;
  // Those that are here already first: a rank answers at once, and is not to
  // make room for a new connection.
  std::erase_if(visitors, [&](Visitor &visitor) {
    Guest guest;
    Progress progress = listen(visitor, guest);
    if (progress == Progress::Refused)
      refused.count(visitor.address);
    if (progress == Progress::Proven) {
      guest.socket = std::move(visitor.socket);
      guests.push_back(std::move(guest));
    }
    return progress != Progress::Waits;
  });
  acceptAll();
  return guests;
}

Acceptor::Progress Acceptor::listen(Visitor &visitor, Guest &guest) const {
  Reading reading = readWord(visitor.socket, visitor.received, helloBytes);
  if (reading == Reading::Incomplete)
    return Clock::now() < visitor.limit ? Progress::Waits : Progress::Refused;
  // A rank that has waited for too long connects again.
  if (reading == Reading::Closed && visitor.received.empty())
    return Progress::Left;
  if (reading != Reading::Complete)
    return Progress::Refused;
  std::string &text = visitor.received;
  bool isHello = takeFirst(text) == "hello";
  std::string nonce = takeFirst(text), mac = takeFirst(text);
  if (!isHello || !isNonce(nonce))
    return Progress::Refused;
  guest.nonces = visitor.nonce + nonce;
  if (!equalInConstantTime(mac, key.sign("hello", guest.nonces, text))) {
    // Says no more than that: a peer without a proof gets none.
    sendWord(visitor.socket, "answer " + std::string(macDigits, '0') + " ",
             Clock::now());
    return Progress::Refused;
  }
  guest.text = std::move(text);
  return Progress::Proven;
}

void Acceptor::acceptAll() {
  for (int i = 0; i < maxAccepted; ++i) {
    bool isFull = false;
    Socket socket = listener.accept(isFull);
    if (!socket && !isFull)
      return;
    if (isFull || visitors.size() >= maxVisitors)
      makeRoom();
    if (!socket)
      return;
    Visitor visitor{std::move(socket), "", drawNonce(), "",
                    Clock::now() + wordLimit};
    visitor.address = visitor.socket.remoteAddress();
    // A new connection has room for it.
    std::string challenge = wordOf("challenge " + visitor.nonce);
    if (visitor.socket.writeSome(challenge) == challenge.size())
      visitors.push_back(std::move(visitor));
  }
}

/// The oldest visitor of the address that has the most goes.
void Acceptor::makeRoom() {
  std::map<std::string, size_t> numbers;
  for (const Visitor &visitor : visitors)
    ++numbers[visitor.address];
  auto worst =
      std::max_element(visitors.begin(), visitors.end(),
                       [&](const Visitor &a, const Visitor &b) {
                         return numbers[a.address] < numbers[b.address];
                       });
  if (worst == visitors.end())
    return;
  refused.count(worst->address);
  visitors.erase(worst);
}

bool Acceptor::answer(Guest &guest, const std::string &text,
                      Clock::time_point deadline) const {
  return sendWord(guest.socket,
                  "answer " + key.sign("answer", guest.nonces, text) + " " +
                      text,
                  deadline);
}

void Acceptor::turnAway(const Guest &guest) {
  refused.count(guest.socket.remoteAddress());
}

void Acceptor::finish() {
  for (Visitor &visitor : visitors) {
    std::string byte;
    // A connection that is closed without a word is not counted.
    if (!visitor.received.empty() || visitor.socket.readSome(byte, 1) ||
        !byte.empty())
      refused.count(visitor.address);
  }
  visitors.clear();
}

namespace {

enum class Outcome { Done, Closed, Left, Silent, Garbage, Unproven };

const char *describe(Outcome outcome) {
  switch (outcome) {
  case Outcome::Closed:
  case Outcome::Left:
    return "it closes the connection";
  case Outcome::Silent:
    return "it gives no answer";
  case Outcome::Unproven:
    return "it has another secret: expected the same '--rendezvous-secret' (or "
           "SOAP_RENDEZVOUS_SECRET) for all ranks, or none";
  default:
    return "it is another program: expected a rank of soap-run";
  }
}

/// The words of one connection.
Outcome converse(Socket &socket, const Introduction &how,
                 const std::string &text, Clock::time_point challengeBy,
                 std::string &reply) {
  std::string challenge, answer;
  Reading reading = awaitWord(socket, challenge, helloBytes, challengeBy);
  if (reading != Reading::Complete)
    return reading == Reading::Closed       ? Outcome::Closed
           : reading == Reading::Incomplete ? Outcome::Silent
                                            : Outcome::Garbage;
  if (takeFirst(challenge) != "challenge" || !isNonce(challenge))
    return Outcome::Garbage;
  std::string own = drawNonce(), nonces = challenge + own;
  if (!sendWord(socket,
                "hello " + own + " " + how.key.sign("hello", nonces, text) +
                    " " + text,
                how.deadline))
    return Outcome::Left;
  reading = awaitWord(socket, answer, how.answerLimit,
                      how.deadline + how.answerGrace);
  if (reading != Reading::Complete)
    return reading == Reading::Closed       ? Outcome::Left
           : reading == Reading::Incomplete ? Outcome::Silent
                                            : Outcome::Garbage;
  if (takeFirst(answer) != "answer")
    return Outcome::Garbage;
  std::string mac = takeFirst(answer);
  if (!equalInConstantTime(mac, how.key.sign("answer", nonces, answer)))
    return Outcome::Unproven;
  reply = std::move(answer);
  return Outcome::Done;
}

} // namespace

Expected<Introduced> runtime::introduce(const Introduction &how) {
  std::string why = "timed out";
  Clock::time_point deadline = how.deadline;
  // A listener with many strangers may not have known of the connection.
  milliseconds patience(5000);
  bool wasThere = false;
  do {
    auto place = how.where();
    if (!place) {
      why = place.error();
    } else if (auto socket = connectTo(
                   place->addresses, place->port,
                   std::min(deadline, Clock::now() + milliseconds(1000)));
               !socket) {
      why = wasThere ? why : socket.error();
    } else {
      auto text = how.text(*socket);
      if (!text)
        return text.takeError();
      Introduced result;
      Outcome outcome =
          converse(*socket, how, *text,
                   std::min(deadline, Clock::now() + patience), result.answer);
      if (outcome == Outcome::Done) {
        result.socket = std::move(*socket);
        return result;
      }
      why = describe(outcome);
      bool isOther =
          outcome == Outcome::Garbage || outcome == Outcome::Unproven;
      if (isOther && !how.mayBeOther)
        return Error{why};
      if (outcome == Outcome::Silent)
        patience *= 2;
      // It knew of this process. Either it makes room, or it has ended.
      if (outcome == Outcome::Left && !wasThere)
        deadline = std::min(deadline, Clock::now() + milliseconds(3000));
      wasThere |= outcome == Outcome::Left;
    }
    std::this_thread::sleep_for(milliseconds(20));
  } while (Clock::now() < deadline);
  return Error{why};
}
