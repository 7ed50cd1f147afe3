// See clock.h.
#include "clock.h"

#include <sys/timex.h>

namespace nvrd::clock {
namespace {

// clockErrorMaxUs(): the kernel's maximum error of the wall clock in microseconds (adjtimex(2), read only); -1 if not
// available. Without clock discipline it grows to 16 s and stays there.
Napi::Value ClockErrorMaxUs(const Napi::CallbackInfo& info) {
  struct timex state {};
  // TIME_ERROR is not a failure: it means that the clock is not synchronized.
  const bool is_known = ::adjtimex(&state) >= 0;
  return Napi::Number::New(info.Env(), is_known ? static_cast<double>(state.maxerror) : -1);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("clockErrorMaxUs", Napi::Function::New<ClockErrorMaxUs>(env, "clockErrorMaxUs"));
}

}  // namespace nvrd::clock
