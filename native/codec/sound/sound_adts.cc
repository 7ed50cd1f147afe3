// See sound_adts.h.
#include "sound_adts.h"

namespace nvrd::codec {
namespace {

constexpr int kRates[] = {96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350};
constexpr size_t kHeaderBytes = 7;
// frame_length has 13 bits, the header included.
constexpr size_t kAdtsFrameBytesMax = 8191;

int RateIndex(int rate) {
  int index = 0;
  for (const int known : kRates) {
    if (known == rate) return index;
    index += 1;
  }
  return -1;
}

}  // namespace

bool IsAdtsRate(int rate) {
  return RateIndex(rate) >= 0;
}

bool AppendAdts(const uint8_t* unit, size_t length, int rate, std::vector<uint8_t>* to) {
  const int index = RateIndex(rate);
  const size_t frame_length = length + kHeaderBytes;
  if (index < 0 || frame_length > kAdtsFrameBytesMax) return false;
  constexpr int kMono = 1;
  const uint8_t header[kHeaderBytes] = {
      0xff,  // syncword
      0xf1,  // its end, MPEG-4, layer 0, no CRC
      static_cast<uint8_t>(kAacLowComplexity << 6 | index << 2 | kMono >> 2),
      static_cast<uint8_t>((kMono & 3) << 6 | frame_length >> 11),
      static_cast<uint8_t>(frame_length >> 3 & 0xff),
      static_cast<uint8_t>((frame_length & 7) << 5 | 0x1f),
      0xfc,  // buffer fullness: variable rate; one access unit in the frame
  };
  to->reserve(to->size() + frame_length);
  to->insert(to->end(), header, header + kHeaderBytes);
  to->insert(to->end(), unit, unit + length);
  return true;
}

}  // namespace nvrd::codec
