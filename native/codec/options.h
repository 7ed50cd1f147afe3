// Reads values from the options object of a constructor; false if a value is of another type or out of range.
#pragma once
#include <napi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nvrd::codec {

inline bool ReadNumber(const Napi::Object& options, const char* name, double smallest, double largest, double* out) {
  const Napi::Value value = options.Get(name);
  if (!value.IsNumber()) return false;
  *out = value.As<Napi::Number>().DoubleValue();
  return *out >= smallest && *out <= largest;
}

inline bool ReadText(const Napi::Object& options, const char* name, std::string* out) {
  const Napi::Value value = options.Get(name);
  if (!value.IsString()) return false;
  *out = value.As<Napi::String>().Utf8Value();
  return true;
}

// Absent: false.
inline bool ReadFlag(const Napi::Object& options, const char* name) {
  const Napi::Value value = options.Get(name);
  return value.IsBoolean() && value.As<Napi::Boolean>().Value();
}

inline bool ReadBytes(const Napi::Object& options, const char* name, size_t bytes_max, std::vector<uint8_t>* out) {
  const Napi::Value value = options.Get(name);
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) return false;
  const Napi::Uint8Array bytes = value.As<Napi::Uint8Array>();
  if (bytes.ByteLength() > bytes_max) return false;
  out->assign(bytes.Data(), bytes.Data() + bytes.ByteLength());
  return true;
}

}  // namespace nvrd::codec
