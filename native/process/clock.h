// The kernel's state of the wall clock.
#pragma once
#include <napi.h>

namespace nvrd::clock {

// Adds clockErrorMaxUs to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::clock
