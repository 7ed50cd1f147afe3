// See checksum.h. CRC-32 as in zlib (polynomial 04C11DB7, reflected) by carry-less multiplication: V. Gopal et al.,
// "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009. The constants are the
// paper's for this polynomial.
#include "checksum.h"

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nvrd::checksum {

#if defined(__x86_64__)
namespace {

constexpr size_t kBlock = 64;
constexpr size_t kLane = 16;

#define NVRD_CLMUL __attribute__((target("pclmul,sse4.1")))

NVRD_CLMUL inline __m128i Load(const uint8_t* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

NVRD_CLMUL inline __m128i Fold(__m128i lane, __m128i constants, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(lane, constants, 0x00);
  const __m128i high = _mm_clmulepi64_si128(lane, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// Takes and answers the register as it stands inside the computation, not inverted. `length` is a multiple of kLane
// and at least kBlock.
NVRD_CLMUL uint32_t FoldAll(const uint8_t* at, size_t length, uint32_t state) {
  const __m128i k1k2 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i k3k4 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  const __m128i k5 = _mm_set_epi64x(0, 0x0163cd6124);
  const __m128i polynomial = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  const __m128i mask = _mm_setr_epi32(~0, 0, ~0, 0);

  __m128i x1 = _mm_xor_si128(Load(at), _mm_cvtsi32_si128(static_cast<int>(state)));
  __m128i x2 = Load(at + 16);
  __m128i x3 = Load(at + 32);
  __m128i x4 = Load(at + 48);
  for (at += kBlock, length -= kBlock; length >= kBlock; at += kBlock, length -= kBlock) {
    x1 = Fold(x1, k1k2, Load(at));
    x2 = Fold(x2, k1k2, Load(at + 16));
    x3 = Fold(x3, k1k2, Load(at + 32));
    x4 = Fold(x4, k1k2, Load(at + 48));
  }
  x1 = Fold(x1, k3k4, x2);
  x1 = Fold(x1, k3k4, x3);
  x1 = Fold(x1, k3k4, x4);
  for (; length >= kLane; at += kLane, length -= kLane) x1 = Fold(x1, k3k4, Load(at));

  // 128 bits to 64, then Barrett's reduction to 32.
  x1 = _mm_xor_si128(_mm_srli_si128(x1, 8), _mm_clmulepi64_si128(x1, k3k4, 0x10));
  x1 = _mm_xor_si128(_mm_srli_si128(x1, 4), _mm_clmulepi64_si128(_mm_and_si128(x1, mask), k5, 0x00));
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(x1, mask), polynomial, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, mask), polynomial, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(x1, quotient), 1));
}

uint32_t ByBytes(const uint8_t* at, size_t length, uint32_t state) {
  for (; length > 0; ++at, --length) {
    state ^= *at;
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ (0xedb88320u & (0u - (state & 1u)));
  }
  return state;
}

// crc32(bytes: Uint8Array, crc: number): as zlib.crc32; undefined for other arguments.
Napi::Value Crc32(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  void* data = nullptr;
  size_t length = 0;
  napi_typedarray_type type{};
  uint32_t crc = 0;
  if (napi_get_typedarray_info(env, info[0], &type, &length, &data, nullptr, nullptr) != napi_ok ||
      type != napi_uint8_array || napi_get_value_uint32(env, info[1], &crc) != napi_ok) {
    return env.Undefined();
  }
  const auto* at = static_cast<const uint8_t*>(data);
  uint32_t state = ~crc;
  if (length >= kBlock) {
    const size_t folded = length - length % kLane;
    state = FoldAll(at, folded, state);
    at += folded;
    length -= folded;
  }
  return Napi::Number::New(env, ~ByBytes(at, length, state));
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  if (!__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("sse4.1")) return;
  exports.Set("crc32", Napi::Function::New<Crc32>(env, "crc32"));
}
#else
void Register(Napi::Env, Napi::Object) {}
#endif

}  // namespace nvrd::checksum
