// See clock.h.
#include "clock.h"

#include <sys/timex.h>

namespace nvrd::clock {
namespace {

// clockErrorMaxUs(): the kernel's bound on the error of the wall clock, microseconds, as adjtimex(2) tells it without
// changing anything; -1 where it does not. Without clock discipline it grows to 16 s and stays there.
Napi::Value ClockErrorMaxUs(const Napi::CallbackInfo& info) {
  struct timex state {};
  // TIME_ERROR is no failure: it says that the clock is not synchronized.
  const bool told = ::adjtimex(&state) >= 0;
  return Napi::Number::New(info.Env(), told ? static_cast<double>(state.maxerror) : -1);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("clockErrorMaxUs", Napi::Function::New<ClockErrorMaxUs>(env, "clockErrorMaxUs"));
}

}  // namespace nvrd::clock
