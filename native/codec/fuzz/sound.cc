// Fuzz target: transcodes a sound track of hostile units and times.
#include <memory>

#include "../quiet_log.h"
#include "../sound/sound_core.h"
#include "input.h"

using namespace nvrd::codec;

namespace {

// Common rates of cameras and clients, tried besides others.
constexpr int kRates[] = {8000, 16000, 44100, 48000, 96000, 7350, 11025, 22050};
constexpr size_t kRateCount = sizeof(kRates) / sizeof(kRates[0]);

int RateOf(const fuzz::Input& input, size_t at) {
  const uint8_t choice = input.Byte(at);
  return choice < 128 ? kRates[choice % kRateCount] : input.Word(at + 1) * 4;
}

void HoldPieces(const std::vector<SoundPiece>& pieces, const SoundSettings& settings, const Failure& failure) {
  for (const SoundPiece& piece : pieces) {
    fuzz::Hold(!piece.data.empty() && piece.duration_us > 0, "a piece of sound has samples and lasts");
    if (settings.output == SoundOutput::kPcm) {
      fuzz::Hold(piece.data.size() % 2 == 0, "PCM has whole samples");
      continue;
    }
    fuzz::Hold(piece.data.size() > 7 && piece.data[0] == 0xff && piece.data[1] == 0xf1, "AAC comes as ADTS");
    const size_t length = static_cast<size_t>(piece.data[3] & 3) << 11 | static_cast<size_t>(piece.data[4]) << 3 | piece.data[5] >> 5;
    fuzz::Hold(length == piece.data.size(), "an ADTS frame says its length");
  }
  fuzz::Hold(failure.kind != FailureKind::kInternal, failure.message.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  QuietLog::Install();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  SoundSettings settings;
  constexpr SoundInput kInputs[] = {SoundInput::kPcm, SoundInput::kAac, SoundInput::kOpus};
  settings.input = kInputs[input.Byte(0) % 3];
  settings.input_channels = input.Byte(1) % (kSoundChannelsMax + 2);
  settings.input_rate = RateOf(input, 2);
  settings.output = input.Byte(5) % 2 == 0 ? SoundOutput::kPcm : SoundOutput::kAac;
  settings.output_rate = RateOf(input, 6);
  size_t first = 0;
  if (settings.input != SoundInput::kPcm && !input.Units().empty()) {
    const fuzz::InputUnit& config = input.Units()[first++];
    settings.config.assign(config.bytes, config.bytes + config.size);
  }
  Failure failure;
  const std::unique_ptr<SoundCore> core = SoundCore::Open(settings, &failure);
  fuzz::Hold((core != nullptr) == !failure, "a transcoder opens or says why not");
  if (core == nullptr) return 0;
  int64_t time_us = int64_t{1} << 50;
  for (size_t at = first; at < input.Units().size(); ++at) {
    const fuzz::InputUnit& unit = input.Units()[at];
    // With the flag, steps are hours, also backward.
    time_us += int64_t{unit.step} * ((unit.flags & 1) != 0 ? 3600000000 : 1000);
    std::vector<SoundPiece> pieces;
    failure = core->Push(unit.bytes, unit.size, time_us, &pieces);
    HoldPieces(pieces, settings, failure);
  }
  return 0;
}
