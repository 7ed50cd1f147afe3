// Fuzz target: zones as numbers, and pictures of one camera with times of their own, analysed for motion.
#include <algorithm>
#include <memory>

#include "../motion/motion_analyzer.h"
#include "../motion/region_motion.h"
#include "../motion/zone_numbers.h"
#include "input.h"

using namespace nvrd::codec;

namespace {

constexpr size_t kPicturesMax = 32;
constexpr int kSidesMax = 48;

// Each byte is a number of the zones: small whole numbers, shares, and what is neither.
double NumberOf(uint8_t byte) {
  if (byte < 128) return byte;
  if (byte < 250) return (byte - 128) / 121.0;
  return (byte - 250) * -1e300;
}

std::vector<MotionZone> ZonesOf(const uint8_t* bytes, size_t size) {
  std::vector<double> numbers(size);
  std::transform(bytes, bytes + size, numbers.begin(), NumberOf);
  std::vector<MotionZone> zones;
  if (ReadZones(numbers.data(), numbers.size(), &zones)) {
    fuzz::Hold(!zones.empty() && zones.size() <= kZonesMax, "there are zones, as many as may be");
    return zones;
  }
  return {MotionZone{}};
}

void HoldFindings(const std::vector<MotionFinding>& findings, size_t zones) {
  fuzz::Hold(findings.size() <= BlobFinder::kBlobsMax * zones, "no more findings than pieces in zones");
  for (const MotionFinding& finding : findings) {
    fuzz::Hold(finding.zone < zones, "a finding is in a zone");
    fuzz::Hold(finding.left >= 0 && finding.top >= 0 && finding.width > 0 && finding.height > 0, "a box has an area");
    fuzz::Hold(finding.left + finding.width <= 1 + 1e-9 && finding.top + finding.height <= 1 + 1e-9,
               "a box is in the picture");
    fuzz::Hold(finding.strength > 0 && finding.strength <= 1, "a strength is a part of the picture");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  if (input.Units().empty()) return 0;
  const fuzz::InputUnit& head = input.Units()[0];
  const std::vector<MotionZone> zones = ZonesOf(head.bytes, head.size);
  const int width = 1 + input.Byte(0) % kSidesMax;
  const int height = 1 + input.Byte(1) % kSidesMax;
  MotionAnalyzer analyzer(zones, width, height);
  RegionMotion region(zones);
  // Exactly the picture's bytes, so that a read beyond them is a finding.
  std::vector<uint8_t> picture(static_cast<size_t>(width) * static_cast<size_t>(height));
  int64_t time_us = int64_t{input.Byte(2)} << 50;
  const size_t count = std::min(kPicturesMax, input.Units().size());
  for (size_t index = 1; index < count; ++index) {
    const fuzz::InputUnit& unit = input.Units()[index];
    // The unit is repeated over the picture; without the flag it comes on top of the one before.
    for (size_t at = 0; at < picture.size(); ++at) {
      const uint8_t level = unit.size > 0 ? unit.bytes[at % unit.size] : uint8_t{0};
      picture[at] = (unit.flags & 1) != 0 ? level : static_cast<uint8_t>(picture[at] + level);
    }
    time_us += int64_t{unit.step} * ((unit.flags & 2) != 0 ? 3600000000 : 20000);
    const std::vector<uint8_t> given = picture;
    HoldFindings(analyzer.Analyze(given.data(), time_us), zones.size());
    region.Take(given.data(), width, height);
    region.Touches(unit.step / 100.0, unit.flags / 100.0, unit.flags / 50.0, 0.01);
  }
  return 0;
}
