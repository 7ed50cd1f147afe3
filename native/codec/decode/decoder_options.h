// DecoderOptions from JavaScript.
#pragma once
#include <napi.h>

#include "decoder_core.h"

namespace nvrd::codec {

// [codec, implementation, initialization]: the number of src/live/codec/codec.ts, libavcodec's name or "", a Uint8Array of at
// most kInitializationBytesMax bytes, which is copied. False for anything else.
bool ReadDecoderOptions(const Napi::Value& value, DecoderOptions* options);

}  // namespace nvrd::codec
