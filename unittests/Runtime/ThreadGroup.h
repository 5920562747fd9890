//===- ThreadGroup.h - Ranks as threads -------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process group whose ranks are threads of one process, so that unit tests
// can run what is meant for several processes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_RUNTIME_THREADGROUP_H
#define SOAP_UNITTESTS_RUNTIME_THREADGROUP_H

#include "Soap/Runtime/Processes/ProcessGroup.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>

namespace soap::runtime {

/// The messages under way between all ranks.
struct ThreadMail {
  using Key = std::tuple<int, int, Channel, int64_t>;
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<Key, std::deque<std::string>> messages;
  int closed = 0;
};

class ThreadGroup : public ProcessGroup {
public:
  ThreadGroup(std::shared_ptr<ThreadMail> mail, int rank, int size)
      : mail(std::move(mail)), me(rank), ranks(size) {}

  int rank() const override { return me; }
  int size() const override { return ranks; }
  MaybeError send(int to, Channel channel, int64_t tag, const void *data,
                  int64_t bytes) override {
    std::lock_guard<std::mutex> lock(mail->mutex);
    mail->messages[{me, to, channel, tag}].emplace_back(
        static_cast<const char *>(data), size_t(bytes));
    mail->arrived.notify_all();
    return std::nullopt;
  }
  MaybeError receive(int from, Channel channel, int64_t tag, void *data,
                     int64_t bytes, const std::atomic<bool> *cancel) override {
    std::unique_lock<std::mutex> lock(mail->mutex);
    auto &queue = mail->messages[{from, me, channel, tag}];
    while (queue.empty()) {
      mail->arrived.wait_for(lock, std::chrono::milliseconds(5));
      if (cancel && cancel->load())
        return Error{"cancelled"};
    }
    std::string message = std::move(queue.front());
    queue.pop_front();
    if (int64_t(message.size()) != bytes)
      return Error{"expected " + std::to_string(bytes) + " bytes, got " +
                   std::to_string(message.size())};
    if (bytes)
      std::memcpy(data, message.data(), message.size());
    return std::nullopt;
  }
  MaybeError close() override {
    std::unique_lock<std::mutex> lock(mail->mutex);
    ++mail->closed;
    mail->arrived.notify_all();
    mail->arrived.wait(lock, [&] { return mail->closed >= ranks; });
    return std::nullopt;
  }

private:
  std::shared_ptr<ThreadMail> mail;
  int me, ranks;
};

/// Runs `body` on every rank, each on a thread. Returns the mail that no rank
/// took.
inline size_t onRanks(int size,
                      const std::function<void(ProcessGroup &)> &body) {
  auto mail = std::make_shared<ThreadMail>();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([=] {
      ThreadGroup group(mail, rank, size);
      body(group);
    });
  for (std::thread &thread : threads)
    thread.join();
  size_t left = 0;
  for (const auto &[key, queue] : mail->messages)
    left += queue.size();
  return left;
}

} // namespace soap::runtime

#endif // SOAP_UNITTESTS_RUNTIME_THREADGROUP_H
