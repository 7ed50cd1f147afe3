// Views of shared memory, and giving memory back: to malloc, and to the kernel.
#pragma once
#include <napi.h>

namespace nvrd::memory {

// Adds unsharedView, collectGarbage, returnPages, freeMemory, freeHeapBytes, usedHeapBytes and trimHeap to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::memory
