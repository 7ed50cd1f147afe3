// See process.h.
#include "process.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <unistd.h>

#include "threads.h"

namespace nvrd::process {
namespace {

// Nobody asks for more.
constexpr uint32_t kThreadsAskedMax = 64;

// exitWithin(status, milliseconds): ends the process after this time if it has not ended by then. Node's exit waits for
// every worker thread, and one that hangs in a system call on a dead disk never ends.
Napi::Value ExitWithin(const Napi::CallbackInfo& info) {
  if (!info[0].IsNumber() || !info[1].IsNumber()) return info.Env().Undefined();
  const int status = info[0].As<Napi::Number>().Int32Value();
  const auto wait = std::chrono::milliseconds(info[1].As<Napi::Number>().Uint32Value());
  const bool started = threads::Start("nvrd-exit", [status, wait] {
    std::this_thread::sleep_for(wait);
    ::_exit(status);
  });
  // Where the system has no more threads, its signal ends the process.
  if (!started) ::alarm(static_cast<unsigned>(wait.count() / 1000) + 1);
  return info.Env().Undefined();
}

// hasThreads(count): whether the system gives the process so many threads more. They end at once.
Napi::Value HasThreads(const Napi::CallbackInfo& info) {
  uint32_t count = 0;
  if (napi_get_value_uint32(info.Env(), info[0], &count) != napi_ok || count > kThreadsAskedMax)
    return Napi::Boolean::New(info.Env(), false);
  std::vector<std::thread> threads;
  threads.reserve(count);
  // None ends before all have begun.
  std::mutex held;
  std::unique_lock<std::mutex> lock(held);
  try {
    while (threads.size() < count)
      threads.emplace_back([&held] { const std::lock_guard<std::mutex> wait(held); });
  } catch (const std::system_error&) {
    // It has fewer.
  }
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  return Napi::Boolean::New(info.Env(), threads.size() == count);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("hasThreads", Napi::Function::New<HasThreads>(env, "hasThreads"));
  exports.Set("exitWithin", Napi::Function::New<ExitWithin>(env, "exitWithin"));
}

}  // namespace nvrd::process
