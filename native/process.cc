// See process.h.
#include "process.h"

#include <chrono>
#include <cstdint>
#include <thread>

#include <unistd.h>

#include "threads.h"

namespace nvrd::process {
namespace {

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

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("exitWithin", Napi::Function::New<ExitWithin>(env, "exitWithin"));
}

}  // namespace nvrd::process
