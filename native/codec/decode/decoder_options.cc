// See decoder_options.h.
#include "decoder_options.h"

#include "../bytes.h"
#include "../limits.h"

namespace nvrd::codec {

bool ReadDecoderOptions(const Napi::Value& value, DecoderOptions* options) {
  if (!value.IsArray()) return false;
  const Napi::Array fields = value.As<Napi::Array>();
  const Napi::Value codec = fields.Get(0u);
  const Napi::Value name = fields.Get(1u);
  if (!codec.IsNumber() || !name.IsString()) return false;
  const int32_t number = codec.As<Napi::Number>().Int32Value();
  if (number < static_cast<int32_t>(VideoCodec::kH264) || number > static_cast<int32_t>(VideoCodec::kMjpeg)) return false;
  options->codec = static_cast<VideoCodec>(number);
  options->name = name.As<Napi::String>().Utf8Value();
  Napi::Array pieces = Napi::Array::New(value.Env(), 1);
  pieces.Set(0u, fields.Get(2u));
  InputBytes initialization;
  if (!initialization.Take(pieces, kInitializationBytesMax)) return false;
  options->initialization.resize(initialization.Size());
  initialization.CopyTo(options->initialization.data());
  return true;
}

}  // namespace nvrd::codec
