// Fragments of a NAL unit, taken from an interleaved stream in one go (docs/design/frames.md, "Runs of fragments").
#pragma once
#include <napi.h>

namespace nvrd::fragments {

// Adds takeFragments to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::fragments
