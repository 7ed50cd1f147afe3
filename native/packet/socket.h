// Reads and writes stream sockets without the event loop.
#pragma once
#include <napi.h>

namespace nvrd::socket {

// Adds receive, send, endConnection and heldBytes to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::socket
