// The class SoundTranscoder of the addon: a sound_core.h on a lane of the pool.
#pragma once
#include <napi.h>

namespace nvrd::codec {

// Adds SoundTranscoder to `exports`.
void InitSound(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::codec
