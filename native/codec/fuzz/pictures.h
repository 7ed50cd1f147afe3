// Shared by the decoder targets: the head of their input, and conversion of their pictures.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../deadline.h"
#include "../decode/decoder_core.h"
#include "../limits.h"
#include "../picture/picture_maker.h"
#include "../quiet_log.h"
#include "input.h"

namespace nvrd::codec::fuzz {

// The code under test gives up an input after this time; if libFuzzer's -timeout strikes, it did not.
constexpr std::chrono::seconds kInputTime{5};
// For all decoders; the service's limit is larger than a fuzzer's memory.
constexpr size_t kFrameBytesMax = size_t{512} << 20;
constexpr uint8_t kFlagKey = 1;
constexpr uint8_t kFlagReordered = 2;
constexpr uint8_t kFlagDrain = 4;
constexpr int kFlagSkipShift = 4;

inline void SetUp() {
  QuietLog::Install();
  FrameMemory::SetAllBytesMax(kFrameBytesMax);
}

inline DecoderOptions OptionsOf(const Input& input) {
  DecoderOptions options;
  options.codec = static_cast<VideoCodec>(1 + input.Byte(0) % 4);
  options.reorder_depth = input.Byte(2) % 17;
  const auto& units = input.Units();
  // The first unit's bytes are also used as parameter sets.
  if (input.Byte(1) % 2 == 1 && !units.empty()) {
    const size_t size = std::min(units[0].size, kInitializationBytesMax);
    options.initialization.assign(units[0].bytes, units[0].bytes + size);
  }
  return options;
}

inline PictureTarget TargetOf(const Input& input) {
  PictureTarget target;
  target.form = static_cast<PictureForm>(input.Byte(3) % 4);
  target.width = input.Word(4);
  target.height = input.Word(6);
  target.inside = input.Byte(8) % 2 == 1;
  target.rotation = input.Byte(9) % 4 * 90;
  target.quality = 1 + input.Byte(10) % 100;
  target.bytes_max = static_cast<size_t>(input.Word(11)) * 16;
  if (input.Byte(8) & 2) {
    // Also parts that lie partly or wholly beyond the picture.
    target.part = {(input.Byte(9) >> 2) / 32.0, (input.Byte(10) >> 2) / 63.0, input.Byte(11) / 255.0 + 1e-9, 0.3};
  }
  return target;
}

inline bool IsJpeg(const std::vector<uint8_t>& file) {
  const size_t size = file.size();
  return size > 4 && file[0] == 0xff && file[1] == 0xd8 && file[size - 2] == 0xff && file[size - 1] == 0xd9;
}

// Makes the picture and checks it against the target.
inline Failure MakeAndHold(PictureMaker& maker, const DecodedPicture& picture, const PictureTarget& target) {
  std::vector<uint8_t> made;
  Size size;
  int rooms = 0;
  const Failure failure = maker.Make(*picture.frame, target, &size, [&](size_t bytes) {
    ++rooms;
    // Exactly the requested bytes, so that a write beyond them is a finding. Unwritten bytes stay 0xa5.
    made.assign(bytes, 0xa5);
    return made.data();
  });
  Hold(FrameMemory::SizeAllowed(picture.frame->width, picture.frame->height), "a picture out of bounds was refused");
  if (failure) {
    Hold(failure.kind == FailureKind::kTooLarge ? target.bytes_max > 0 : failure.kind != FailureKind::kInternal,
         failure.message.c_str());
    return failure;
  }
  Hold(rooms == 1, "room was asked for once");
  const bool turned = target.rotation % 180 != 0;
  const int source_width = turned ? picture.frame->height : picture.frame->width;
  const int source_height = turned ? picture.frame->width : picture.frame->height;
  Hold(size.width >= 1 && size.width <= source_width && size.height >= 1 && size.height <= source_height,
       "the picture is no larger than its source");
  if (target.form == PictureForm::kJpeg) {
    Hold(IsJpeg(made), "a JPEG begins with SOI and ends with EOI");
    Hold(target.bytes_max == 0 || made.size() <= target.bytes_max, "the JPEG has the bytes it may have");
  }
  return failure;
}

}  // namespace nvrd::codec::fuzz
