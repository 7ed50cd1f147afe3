// See records.h. Nothing here keeps state, so that any thread of the process may call it.
#include "records.h"

#include <cstdint>

#include "crc32.h"

namespace nvrd::records {
namespace {

// Of the record's CRC in its header: what is before is covered by both.
constexpr size_t kCrcAt = 24;
constexpr uint32_t kPayloadBytesMax = 16 * 1024 * 1024;
constexpr uint8_t kFirstKind = 1;
constexpr uint8_t kLastKind = 3;
// Larger numbers are not exact in JavaScript, and are never written.
constexpr uint64_t kLargestTime = 9007199254740991;

struct Bytes {
  uint8_t* data;
  size_t length;
};

// A Uint8Array; its memory may be shared.
bool ReadBytes(const Napi::CallbackInfo& info, size_t at, Bytes* bytes) {
  void* data = nullptr;
  size_t length = 0;
  napi_typedarray_type type{};
  if (!info[at].IsTypedArray() ||
      napi_get_typedarray_info(info.Env(), info[at], &type, &length, &data, nullptr, nullptr) != napi_ok ||
      type != napi_uint8_array) {
    return false;
  }
  *bytes = {static_cast<uint8_t*>(data), length};
  return true;
}

uint32_t ReadU32(const uint8_t* bytes) {
  return static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8 |
         static_cast<uint32_t>(bytes[2]) << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

uint64_t ReadU64(const uint8_t* bytes) { return ReadU32(bytes) | static_cast<uint64_t>(ReadU32(bytes + 4)) << 32; }

void WriteU32(uint8_t* bytes, uint32_t value) {
  for (int at = 0; at < 4; ++at) bytes[at] = static_cast<uint8_t>(value >> (8 * at));
}

// The length of the record at `bytes`; 0 where there is none of this segment, or only a part.
size_t WholeRecord(const uint8_t* bytes, size_t length, uint32_t seed) {
  if (length < kHeaderBytes || bytes[8] < kFirstKind || bytes[8] > kLastKind) return 0;
  const uint32_t payload = ReadU32(bytes + 4);
  if (payload > kPayloadBytesMax || payload > length - kHeaderBytes || ReadU64(bytes + 16) > kLargestTime) return 0;
  if (crc32::Update(seed, bytes + 4, 20) != ReadU32(bytes)) return 0;
  const uint32_t crc = crc32::Update(crc32::Update(seed, bytes, 24), bytes + kHeaderBytes, payload);
  return crc == ReadU32(bytes + 24) ? kHeaderBytes + payload : 0;
}

// wholeRecords(bytes: Uint8Array, seed): how many bytes at the start are whole records, one after the other.
Napi::Value WholeRecords(const Napi::CallbackInfo& info) {
  Bytes bytes{};
  uint32_t seed = 0;
  size_t at = 0;
  if (ReadBytes(info, 0, &bytes) && napi_get_value_uint32(info.Env(), info[1], &seed) == napi_ok) {
    while (const size_t record = WholeRecord(bytes.data + at, bytes.length - at, seed)) at += record;
  }
  return Napi::Number::New(info.Env(), static_cast<double>(at));
}

// crc32(bytes: Uint8Array, crc): the CRC-32 of the bytes after those that gave `crc`; undefined for anything else.
Napi::Value Crc32(const Napi::CallbackInfo& info) {
  Bytes bytes{};
  uint32_t crc = 0;
  if (!ReadBytes(info, 0, &bytes) || napi_get_value_uint32(info.Env(), info[1], &crc) != napi_ok) {
    return info.Env().Undefined();
  }
  return Napi::Number::New(info.Env(), crc32::Update(crc, bytes.data, bytes.length));
}

// sealRecordHeader(bytes: Uint8Array, at, seed): writes the CRC of the record header at `at`, and returns the CRC to continue
// with over the payload. Throws RangeError where no whole header lies there.
Napi::Value SealRecordHeader(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Bytes bytes{};
  int64_t at = 0;
  uint32_t seed = 0;
  if (!ReadBytes(info, 0, &bytes) || napi_get_value_int64(env, info[1], &at) != napi_ok ||
      napi_get_value_uint32(env, info[2], &seed) != napi_ok || at < 0 ||
      static_cast<uint64_t>(at) > bytes.length || bytes.length - static_cast<uint64_t>(at) < kHeaderBytes) {
    napi_throw_range_error(env, nullptr, "no record header there");
    return env.Undefined();
  }
  return Napi::Number::New(env, SealHeader(bytes.data + at, seed));
}

}  // namespace

uint32_t SealHeader(uint8_t* header, uint32_t seed) {
  WriteU32(header, crc32::Update(seed, header + 4, kCrcAt - 4));
  return crc32::Update(seed, header, kCrcAt);
}

void FinishHeader(uint8_t* header, uint32_t crc) { WriteU32(header + kCrcAt, crc); }

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("wholeRecords", Napi::Function::New<WholeRecords>(env, "wholeRecords"));
  exports.Set("sealRecordHeader", Napi::Function::New<SealRecordHeader>(env, "sealRecordHeader"));
  exports.Set("crc32", Napi::Function::New<Crc32>(env, "crc32"));
}

}  // namespace nvrd::records
