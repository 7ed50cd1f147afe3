// Fuzz target: decodes one picture from some units, as of a recording, with a given size, form and rotation.
#include "../picture/still_core.h"

#include "pictures.h"

using namespace nvrd::codec;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::SetUp();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  const PictureTarget target = fuzz::TargetOf(input);
  std::vector<StillUnit> units;
  int64_t presentation_us = 0;
  for (const fuzz::InputUnit& unit : input.Units()) {
    presentation_us += int64_t{unit.step} * 40000;
    const auto fill = [&unit](uint8_t* room) { std::memcpy(room, unit.bytes, unit.size); };
    units.push_back({(unit.flags & fuzz::kFlagKey) != 0, presentation_us, unit.size, fill});
  }
  const Deadline deadline(Deadline::Clock::now() + fuzz::kInputTime, nullptr, nullptr);
  int pictures = 0;
  {
    PictureMaker maker;
    const Failure failure = DecodeLast(fuzz::OptionsOf(input), units, deadline, [&](const DecodedPicture& picture) {
      ++pictures;
      return fuzz::MakeAndHold(maker, picture, target);
    });
    fuzz::Hold(pictures == 1 || (pictures == 0 && failure), "one picture, or the reason there is none");
  }
  fuzz::Hold(FrameMemory::AllBytes() == 0, "no picture memory stays behind");
  return 0;
}
