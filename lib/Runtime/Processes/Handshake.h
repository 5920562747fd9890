//===- Handshake.h - Ranks that prove that they belong together -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words that two processes exchange before a connection is used, the same
// for the rendezvous, the connections between ranks and the peer monitor:
//
//   listener     challenge NONCE
//   connector    hello NONCE MAC TEXT
//   listener     answer MAC TEXT
//
// A MAC is HMAC-SHA256 under the key of the connection over the sender's role,
// both nonces and the text, so that neither a recorded word nor one of another
// connection counts. Without a secret all keys are public: MACs then keep out
// programs that connect by accident, and do not stop an attacker.
//
// Ports are open to strangers. Their bytes are read in bounded amounts, all
// connections are served side by side, each has a deadline, and their number
// is bounded, so that strangers do not keep ranks from meeting.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_PROCESSES_HANDSHAKE_H
#define SOAP_LIB_RUNTIME_PROCESSES_HANDSHAKE_H

#include "Runtime/Processes/Sockets.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace soap::runtime {

/// A key that all ranks derive from their secret.
class HandshakeKey {
public:
  /// `purpose` and `run` (a number that rank 0 draws) make words of one kind of
  /// connection, or of one run, worthless in another.
  HandshakeKey(std::string_view secret, std::string_view purpose,
               std::string_view run = "");
  /// Hexadecimal.
  std::string sign(std::string_view role, std::string_view nonces,
                   std::string_view text) const;

private:
  std::string key;
};

/// 32 hexadecimal digits from the system's random generator.
std::string drawNonce();

/// Connections that were refused, for messages.
class Strangers {
public:
  void count(const std::string &address);
  int64_t count() const { return total; }
  /// "3 connections of strangers refused (2 from 10.0.0.7, 1 from 10.0.0.9)";
  /// empty if there were none.
  std::string text() const;
  /// The same after "; ", to end another message with.
  std::string suffix() const;

private:
  int64_t total = 0;
  std::map<std::string, int64_t> byAddress;
};

/// The side that listens.
class Acceptor {
public:
  /// A process that has proven that it has the key.
  struct Guest {
    Socket socket;
    std::string text, nonces;
  };

  Acceptor(ListeningSocket &listener, HandshakeKey key)
      : listener(listener), key(std::move(key)) {}
  /// Counts connections that have sent nothing by now as strangers.
  ~Acceptor() { finish(); }

  /// Waits until something happens, at most `ms` milliseconds, and returns the
  /// new guests. `watched` are descriptors of the caller, whose
  /// events end the wait, too.
  std::vector<Guest> poll(int ms, const std::vector<int> &watched = {});
  /// False if it could not be sent until the deadline.
  bool answer(Guest &guest, const std::string &text,
              std::chrono::steady_clock::time_point deadline) const;
  /// The guest is a stranger all the same.
  void turnAway(const Guest &guest);
  /// Drops the connections that have not proven anything.
  void finish();

  const Strangers &strangers() const { return refused; }

private:
  struct Visitor {
    Socket socket;
    std::string address, nonce, received;
    std::chrono::steady_clock::time_point limit;
  };
  enum class Progress { Waits, Proven, Left, Refused };

  void acceptAll();
  void makeRoom();
  Progress listen(Visitor &visitor, Guest &guest) const;

  ListeningSocket &listener;
  HandshakeKey key;
  std::vector<Visitor> visitors;
  Strangers refused;
};

/// Where a listener may be reached.
struct ListenerPlace {
  std::vector<std::string> addresses;
  int port = 0;
};

/// The side that connects.
struct Introduction {
  /// Asked before every attempt: it may change, or not be known yet.
  std::function<Expected<ListenerPlace>()> where;
  const HandshakeKey &key;
  /// The text for the listener at the other end.
  std::function<Expected<std::string>(const Socket &)> text;
  /// Bytes of the answer at most.
  size_t answerLimit;
  std::chrono::steady_clock::time_point deadline;
  /// The answer may take this much longer.
  std::chrono::milliseconds answerGrace{0};
  /// Another program may listen at the port: an answer that is no rank's, or
  /// that another secret signed, is followed by another try.
  bool mayBeOther = false;
};

struct Introduced {
  Socket socket;
  std::string answer;
};

/// Connects and introduces itself. Tries again where no process listens yet, or
/// where the connection is closed or silent, until the deadline. An error says
/// why there is no answer.
Expected<Introduced> introduce(const Introduction &introduction);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_PROCESSES_HANDSHAKE_H
