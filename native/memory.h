// Views of shared memory, and returning its pages to the kernel.
#pragma once
#include <napi.h>

namespace nvrd::memory {

// Adds unsharedView and returnPages to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::memory
