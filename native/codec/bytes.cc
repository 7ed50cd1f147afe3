// See bytes.h.
#include "bytes.h"

#include <cstring>
#include <new>

#include "limits.h"

namespace nvrd::codec {
namespace {

// Up to this size a copy is cheaper than an external buffer, which burdens the garbage collector.
constexpr size_t kCopiedMax = 32u << 10;

}  // namespace

bool InputBytes::Take(const Napi::Value& value, size_t bytes_max) {
  if (!value.IsArray()) return false;
  const Napi::Array given = value.As<Napi::Array>();
  const uint32_t count = given.Length();
  if (count > kUnitPiecesMax) return false;
  const Napi::Env env = value.Env();
  // A separate array, because the caller's may change.
  Napi::Array kept = Napi::Array::New(env, count);
  pieces_.clear();
  pieces_.reserve(count);
  size_ = 0;
  for (uint32_t index = 0; index < count; ++index) {
    const Napi::Value piece = given.Get(index);
    void* data = nullptr;
    size_t length = 0;
    napi_typedarray_type type{};
    if (!piece.IsTypedArray() ||
        napi_get_typedarray_info(env, piece, &type, &length, &data, nullptr, nullptr) != napi_ok ||
        type != napi_uint8_array || length > bytes_max - size_) {
      return false;
    }
    size_ += length;
    if (length > 0) pieces_.push_back({static_cast<const uint8_t*>(data), length});
    if (!kept.Set(index, piece)) return false;
  }
  kept_ = Napi::Persistent(kept.As<Napi::Object>());
  return true;
}

void InputBytes::CopyTo(uint8_t* target) const {
  for (const Piece& piece : pieces_) {
    std::memcpy(target, piece.at, piece.length);
    target += piece.length;
  }
}

OutputBytes::OutputBytes(size_t size) : data_(static_cast<uint8_t*>(std::malloc(size > 0 ? size : 1))), size_(size) {
  if (data_ == nullptr) throw std::bad_alloc();
}

void OutputBytes::Shrink(size_t size) {
  if (size >= size_) return;
  auto* smaller = static_cast<uint8_t*>(std::realloc(data_.get(), size > 0 ? size : 1));
  if (smaller != nullptr) {
    data_.release();
    data_.reset(smaller);
  }
  size_ = size;
}

Napi::Value OutputBytes::Give(Napi::Env env) {
  const size_t size = size_;
  size_ = 0;
  napi_value buffer = nullptr;
  if (size <= kCopiedMax) {
    void* target = nullptr;
    if (napi_create_arraybuffer(env, size, &target, &buffer) != napi_ok) return env.Undefined();
    if (size > 0) std::memcpy(target, data_.get(), size);
    data_.reset();
  } else {
    const auto release = [](napi_env, void* data, void*) { std::free(data); };
    if (napi_create_external_arraybuffer(env, data_.get(), size, release, nullptr, &buffer) != napi_ok) {
      data_.reset();
      return env.Undefined();
    }
    data_.release();
  }
  napi_value view = nullptr;
  if (napi_create_typedarray(env, napi_uint8_array, size, buffer, 0, &view) != napi_ok) return env.Undefined();
  return Napi::Value(env, view);
}

}  // namespace nvrd::codec
