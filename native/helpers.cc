// See helpers.h.
#include "helpers.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include <dlfcn.h>
#include <pthread.h>

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
    if (started_ >= wanted || !StayLoaded()) return started_;
    // Signals are the main thread's.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started_ < wanted) {
      pthread_t thread;
      if (pthread_create(&thread, nullptr, &Crew::Help, this) != 0) break;
      pthread_setname_np(thread, "nvrd-helper");
      pthread_detach(thread);
      ++started_;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started_;
  }

  // Node unloads an addon with the last of its threads that uses it, and the helpers stay.
  static bool StayLoaded() {
    Dl_info self{};
    return dladdr(reinterpret_cast<void*>(&Crew::Help), &self) != 0 &&
           dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
  }

  static void* Help(void* crew) {
    static_cast<Crew*>(crew)->HelpForever();
    return nullptr;
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
