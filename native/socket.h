// Reads a stream socket that the event loop has stopped reading.
#pragma once
#include <napi.h>

namespace nvrd::socket {

// Adds receive to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::socket
