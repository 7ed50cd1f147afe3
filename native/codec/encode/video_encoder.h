// The class VideoEncoder of the addon: a video_encoder_core.h on a lane of the pool.
#pragma once
#include <napi.h>

namespace nvrd::codec {

// Adds VideoEncoder to `exports`.
void InitVideoEncoder(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::codec
