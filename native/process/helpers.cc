// See helpers.h.
#include "helpers.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "threads.h"

namespace nvrd::helpers {
namespace {

constexpr size_t kHelpersMax = 3;

class Crew {
 public:
  void Share(Parts& parts, size_t wanted) {
    std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
    if (!turn.owns_lock()) return parts.Work();
    wanted = std::min(wanted, Started(wanted));
    Offer(parts, wanted);
    parts.Work();
    std::unique_lock<std::mutex> lock(mutex_);
    parts_ = nullptr;
    seats_ = 0;
    left_.wait(lock, [this] { return working_ == 0; });
  }

 private:
  void Offer(Parts& parts, size_t seats) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      parts_ = &parts;
      seats_ = seats;
    }
    for (size_t at = 0; at < seats; ++at) offered_.notify_one();
  }

  // Starts helpers up to `wanted`, and returns how many there are: fewer where the system has no more threads.
  size_t Started(size_t wanted) {
    while (started_ < wanted && threads::Start("nvrd-helper", [this] { HelpForever(); })) ++started_;
    return started_;
  }

  void HelpForever() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      offered_.wait(lock, [this] { return seats_ > 0; });
      --seats_;
      ++working_;
      Parts* const parts = parts_;
      lock.unlock();
      parts->Work();
      lock.lock();
      if (--working_ == 0) left_.notify_one();
    }
  }

  std::mutex turn_;
  // Under turn_.
  size_t started_ = 0;
  std::mutex mutex_;
  std::condition_variable offered_;
  std::condition_variable left_;
  // Under mutex_. No seats without parts.
  Parts* parts_ = nullptr;
  size_t seats_ = 0;
  size_t working_ = 0;
};

}  // namespace

size_t Most() {
  static const size_t processors = std::thread::hardware_concurrency();
  return processors < 2 ? 0 : std::min(processors - 1, kHelpersMax);
}

void Share(Parts& parts, size_t wanted) {
  // Never deleted: its threads wait on it until the process ends.
  static Crew* const crew = new Crew;
  if (wanted == 0) return parts.Work();
  crew->Share(parts, wanted);
}

}  // namespace nvrd::helpers
