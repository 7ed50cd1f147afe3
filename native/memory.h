// Views of shared memory, and returning memory to the kernel.
#pragma once
#include <napi.h>

namespace nvrd::memory {

// Adds unsharedView, returnPages, freeHeapBytes and trimHeap to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::memory
