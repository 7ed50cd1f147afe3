// Sends the packets of a frame to all RTSP viewers of a track.
#pragma once
#include <napi.h>

namespace nvrd::fan_out {

// Adds sendToEach to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::fan_out
