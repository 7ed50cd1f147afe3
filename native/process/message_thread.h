// A thread that does one order after the other, and posts the results to JavaScript. An order never waits for JavaScript.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include <napi.h>

namespace nvrd::message_thread {

// Makes the value that the listener gets; called on JavaScript's thread. Null where that is ending: then nothing is posted.
using Answer = std::function<napi_value(napi_env)>;

// A function of JavaScript that other threads may have called.
class Listener {
 public:
  // Null, with an exception pending, where there is none to call.
  static std::shared_ptr<Listener> Make(const Napi::Value& function, const char* name);

  // From any thread. Nothing is posted once JavaScript's thread is ending.
  void Post(Answer answer);
  // Nothing more is posted; what was posted before still arrives.
  void Close();

  // Called once, on JavaScript's thread, when that ends without having waited for this one.
  std::function<void()> on_abandoned;

 private:
  static void Call(napi_env env, napi_value function, void* context, void* data);
  static void Finalize(napi_env env, void* data, void* hint);

  std::mutex mutex_;
  // Under mutex_: null once it is closed or JavaScript's thread ends.
  napi_threadsafe_function function_ = nullptr;
};

class MessageThread : public std::enable_shared_from_this<MessageThread> {
 public:
  explicit MessageThread(std::shared_ptr<Listener> listener) : listener_(std::move(listener)) {}

  // False where the system has no more threads. `at_end` is the thread's last order.
  bool Start(const char* name, std::function<void()> at_end);
  // An order that throws a std::exception ends the thread, which posts { op: "failed", message }. Orders that were posted before `End` and not begun are dropped with it.
  void Post(std::function<void()> order);
  // The thread ends with the order that it is busy with, which may ask for it, and posts { op: "ended" } last.
  void End();

  bool IsEnding() const { return is_ending_.load(std::memory_order_relaxed); }
  Listener& listener() { return *listener_; }

 private:
  void Run(const std::function<void()>& at_end);
  void Work();
  std::function<void()> Next();

  const std::shared_ptr<Listener> listener_;
  std::atomic<bool> is_ending_{false};
  std::mutex mutex_;
  std::condition_variable posted_;
  // Under mutex_.
  std::deque<std::function<void()>> orders_;
};

}  // namespace nvrd::message_thread
