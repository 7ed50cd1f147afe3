// When to give up work: at a time, or when a flag is set (its object was closed, the process ends).
#pragma once
#include <atomic>
#include <chrono>

#include "failure.h"

namespace nvrd::codec {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  // The flags must outlive the deadline; null for none.
  Deadline(Clock::time_point end, const std::atomic<bool>* stopping, const std::atomic<bool>* closed)
      : end_(end), stopping_(stopping), closed_(closed) {}

  // The reason to give up now, or kNone. Cheap enough to call for each unit and each buffer.
  FailureKind Reached() const {
    if (stopping_ != nullptr && stopping_->load(std::memory_order_relaxed)) return FailureKind::kClosed;
    if (closed_ != nullptr && closed_->load(std::memory_order_relaxed)) return FailureKind::kClosed;
    return Clock::now() >= end_ ? FailureKind::kTimeout : FailureKind::kNone;
  }

  // The failure to return if Reached() is not kNone.
  static Failure FailureOf(FailureKind kind) {
    return Failure::Of(kind, kind == FailureKind::kTimeout ? "not done within its time" : "closed meanwhile");
  }

 private:
  Clock::time_point end_;
  const std::atomic<bool>* stopping_;
  const std::atomic<bool>* closed_;
};

}  // namespace nvrd::codec
