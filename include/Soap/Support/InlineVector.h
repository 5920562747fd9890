//===- InlineVector.h - Vector that keeps few elements in place -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector that holds its first elements in itself, with the few functions that
// regions need. A search makes regions by the hundred thousand, almost all of
// one interval in each of at most four dims; allocating them would take two
// thirds of its time.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SUPPORT_INLINEVECTOR_H
#define SOAP_SUPPORT_INLINEVECTOR_H

#include <algorithm>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>

namespace soap {

/// Up to `N` elements are stored in the object itself. Iterators are pointers;
/// as with std::vector, growing invalidates them, and so does moving.
template <typename T, uint32_t N>
class InlineVector {
public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  InlineVector() = default;
  explicit InlineVector(size_t count) { resize(count); }
  InlineVector(std::initializer_list<T> values)
      : InlineVector(values.begin(), values.end()) {}
  template <typename Iterator>
  InlineVector(Iterator first, Iterator last) {
    reserve(static_cast<size_t>(last - first));
    for (; first != last; ++first)
      push_back(*first);
  }
  InlineVector(const InlineVector &other)
      : InlineVector(other.begin(), other.end()) {}
  InlineVector(InlineVector &&other) noexcept { take(other); }
  InlineVector &operator=(const InlineVector &other) {
    if (this != &other) {
      clear();
      reserve(other.size());
      for (const T &value : other)
        push_back(value);
    }
    return *this;
  }
  InlineVector &operator=(InlineVector &&other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~InlineVector() { release(); }

  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T *begin() { return data(); }
  T *end() { return data() + count; }
  const T *begin() const { return data(); }
  const T *end() const { return data() + count; }
  T &operator[](size_t i) { return data()[i]; }
  const T &operator[](size_t i) const { return data()[i]; }
  T &front() { return data()[0]; }
  const T &front() const { return data()[0]; }
  T &back() { return data()[count - 1]; }
  const T &back() const { return data()[count - 1]; }
  T *data() { return heap ? heap : reinterpret_cast<T *>(storage); }
  const T *data() const {
    return heap ? heap : reinterpret_cast<const T *>(storage);
  }

  void push_back(T value) {
    if (count == capacity)
      grow(2 * capacity);
    new (data() + count) T(std::move(value));
    ++count;
  }
  void reserve(size_t wanted) {
    if (wanted > capacity)
      grow(static_cast<uint32_t>(wanted));
  }
  void resize(size_t wanted) {
    reserve(wanted);
    while (count > wanted)
      data()[--count].~T();
    while (count < wanted)
      new (data() + count++) T();
  }
  void clear() { resize(0); }

  bool operator==(const InlineVector &other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }
  auto operator<=>(const InlineVector &other) const {
    return std::lexicographical_compare_three_way(begin(), end(), other.begin(),
                                                  other.end());
  }

private:
  T *heap = nullptr; ///< null: in `storage`
  uint32_t count = 0, capacity = N;
  alignas(T) unsigned char storage[N * sizeof(T)];

  void grow(uint32_t wanted) {
    T *next = std::allocator<T>().allocate(wanted);
    std::uninitialized_move(begin(), end(), next);
    std::destroy(begin(), end());
    if (heap)
      std::allocator<T>().deallocate(heap, capacity);
    heap = next;
    capacity = wanted;
  }
  /// Leaves the object empty, without memory of its own.
  void release() {
    std::destroy(begin(), end());
    if (heap)
      std::allocator<T>().deallocate(heap, capacity);
    heap = nullptr;
    count = 0;
    capacity = N;
  }
  /// Moves the elements of `other` here, where none are.
  void take(InlineVector &other) {
    if (other.heap) {
      heap = std::exchange(other.heap, nullptr);
      capacity = std::exchange(other.capacity, N);
    } else {
      std::uninitialized_move(other.begin(), other.end(), data());
      std::destroy(other.begin(), other.end());
    }
    count = std::exchange(other.count, 0);
  }
};

} // namespace soap

#endif // SOAP_SUPPORT_INLINEVECTOR_H
