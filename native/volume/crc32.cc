// See crc32.h. The polynomial is the reflected 0xEDB88320. On x86 128 bits are folded at a time by carry-less multiplication
// (Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009), on ARM there is
// an instruction for the very polynomial. Either is several times as fast as the tables, which any other processor gets.
#include "crc32.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace nvrd::crc32 {
namespace {

constexpr uint32_t kPolynomial = 0xEDB88320;
constexpr int kTables = 8;
using Tables = std::array<std::array<uint32_t, 256>, kTables>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (int table = 1; table < kTables; table++) {
    for (uint32_t byte = 0; byte < 256; byte++) {
      const uint32_t before = tables[table - 1][byte];
      tables[table][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTable = MakeTables();

// All functions below take and return the CRC as it is between its two inversions.

uint32_t ByTables(uint32_t crc, const uint8_t* bytes, size_t length) {
  for (; length >= 8; bytes += 8, length -= 8) {
    crc ^= static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8 |
           static_cast<uint32_t>(bytes[2]) << 16 | static_cast<uint32_t>(bytes[3]) << 24;
    crc = kTable[7][crc & 0xFF] ^ kTable[6][crc >> 8 & 0xFF] ^ kTable[5][crc >> 16 & 0xFF] ^ kTable[4][crc >> 24] ^
          kTable[3][bytes[4]] ^ kTable[2][bytes[5]] ^ kTable[1][bytes[6]] ^ kTable[0][bytes[7]];
  }
  for (; length > 0; bytes++, length--) crc = (crc >> 8) ^ kTable[0][(crc ^ *bytes) & 0xFF];
  return crc;
}

#if defined(__x86_64__)

constexpr size_t kFoldedAtOnce = 64;

bool IsFast() { return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"); }

__attribute__((target("pclmul,sse4.1"))) inline __m128i Load(const uint8_t* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

// `sum`, moved on by the distance that the constants `by` stand for, with `next` added.
__attribute__((target("pclmul,sse4.1"))) inline __m128i Fold(__m128i sum, __m128i by, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(sum, by, 0x00);
  const __m128i high = _mm_clmulepi64_si128(sum, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// 128 bits to the 32 of the CRC (Barrett's reduction).
__attribute__((target("pclmul,sse4.1"))) inline uint32_t Reduce(__m128i sum) {
  const __m128i by16 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  const __m128i by4 = _mm_set_epi64x(0, 0x0163cd6124);
  const __m128i polynomial = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  const __m128i low32 = _mm_setr_epi32(-1, 0, -1, 0);
  sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, by16, 0x10));
  sum = _mm_xor_si128(_mm_srli_si128(sum, 4), _mm_clmulepi64_si128(_mm_and_si128(sum, low32), by4, 0x00));
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(sum, low32), polynomial, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low32), polynomial, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(sum, quotient), 1));
}

// At least kFoldedAtOnce bytes, a multiple of 16.
__attribute__((target("pclmul,sse4.1"))) uint32_t ByFolding(uint32_t crc, const uint8_t* bytes, size_t length) {
  const __m128i by64 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by16 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  __m128i a = _mm_xor_si128(Load(bytes), _mm_cvtsi32_si128(static_cast<int>(crc)));
  __m128i b = Load(bytes + 16);
  __m128i c = Load(bytes + 32);
  __m128i d = Load(bytes + 48);
  bytes += kFoldedAtOnce;
  length -= kFoldedAtOnce;
  for (; length >= kFoldedAtOnce; bytes += kFoldedAtOnce, length -= kFoldedAtOnce) {
    a = Fold(a, by64, Load(bytes));
    b = Fold(b, by64, Load(bytes + 16));
    c = Fold(c, by64, Load(bytes + 32));
    d = Fold(d, by64, Load(bytes + 48));
  }
  a = Fold(Fold(Fold(a, by16, b), by16, c), by16, d);
  for (; length >= 16; bytes += 16, length -= 16) a = Fold(a, by16, Load(bytes));
  return Reduce(a);
}

uint32_t Fast(uint32_t crc, const uint8_t* bytes, size_t length) {
  const size_t folded = length >= kFoldedAtOnce ? length & ~size_t{15} : 0;
  if (folded > 0) crc = ByFolding(crc, bytes, folded);
  return ByTables(crc, bytes + folded, length - folded);
}

#elif defined(__aarch64__)

bool IsFast() { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }

__attribute__((target("+crc"))) uint32_t Fast(uint32_t crc, const uint8_t* bytes, size_t length) {
  for (; length >= 8; bytes += 8, length -= 8) {
    uint64_t eight = 0;
    memcpy(&eight, bytes, 8);
    crc = __crc32d(crc, eight);
  }
  for (; length > 0; bytes++, length--) crc = __crc32b(crc, *bytes);
  return crc;
}

#else

bool IsFast() { return false; }

uint32_t Fast(uint32_t crc, const uint8_t* bytes, size_t length) { return ByTables(crc, bytes, length); }

#endif

}  // namespace

uint32_t Update(uint32_t crc, const uint8_t* bytes, size_t length) {
  static const bool is_fast = IsFast();
  return ~(is_fast ? Fast(~crc, bytes, length) : ByTables(~crc, bytes, length));
}

}  // namespace nvrd::crc32
