// Fuzz target: decodes a stream, as of a watched camera, and converts its pictures.
#include <memory>

#include "pictures.h"

using namespace nvrd::codec;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::SetUp();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  const PictureTarget target = fuzz::TargetOf(input);
  Failure failure;
  const std::unique_ptr<DecoderCore> core = DecoderCore::Open(fuzz::OptionsOf(input), &failure);
  fuzz::Hold((core != nullptr) == !failure, "a decoder opens or says why not");
  if (core == nullptr) return 0;
  const Deadline deadline(Deadline::Clock::now() + fuzz::kInputTime, nullptr, nullptr);
  PictureMaker maker;
  int64_t given = 0;
  const auto sink = [&](const DecodedPicture& picture) {
    fuzz::Hold(picture.unit >= 0 && picture.unit < given, "a picture is of a unit that was given");
    return fuzz::MakeAndHold(maker, picture, target);
  };
  int64_t presentation_us = 0;
  for (const fuzz::InputUnit& unit : input.Units()) {
    presentation_us += int64_t{unit.step} * 40000;
    if ((unit.flags & fuzz::kFlagDrain) != 0) failure = core->Drain(deadline, sink);
    ++given;
    const CodedUnitInfo info{(unit.flags & fuzz::kFlagKey) != 0, presentation_us,
                             (unit.flags & fuzz::kFlagReordered) != 0};
    const auto skip = static_cast<Skip>((unit.flags >> fuzz::kFlagSkipShift) % 3);
    const auto fill = [&unit](uint8_t* room) { std::memcpy(room, unit.bytes, unit.size); };
    failure = core->Decode(info, unit.size, fill, skip, deadline, sink);
    if (failure.kind == FailureKind::kTimeout) return 0;
  }
  failure = core->Drain(deadline, sink);
  return 0;
}
