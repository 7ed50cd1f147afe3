// Calls on open files that Node does not offer: preallocation, page cache advice, early write-back.
#pragma once
#include <napi.h>

namespace nvrd::disk {

// Adds fallocate, punchHole, dontNeed, willNeed and startWriteback to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::disk
