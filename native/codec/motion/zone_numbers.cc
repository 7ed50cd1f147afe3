// See zone_numbers.h.
#include "zone_numbers.h"

#include <cmath>

namespace nvrd::codec {
namespace {

// src/contract/resource/motion-zone.ts is stricter.
constexpr double kPointsMax = 1024;
constexpr double kGridSideMax = 256;

class Numbers {
 public:
  Numbers(const double* at, size_t count) : at_(at), end_(at + count) {}
  bool AtEnd() const { return at_ == end_; }
  bool Read(double smallest, double largest, double* out) {
    if (at_ == end_) return false;
    *out = *at_++;
    return *out >= smallest && *out <= largest;
  }
  bool ReadWhole(double smallest, double largest, int* out) {
    double number = 0;
    if (!Read(smallest, largest, &number) || number != std::floor(number)) return false;
    *out = static_cast<int>(number);
    return true;
  }

 private:
  const double* at_;
  const double* end_;
};

bool ReadPolygon(Numbers* numbers, MotionZone* zone) {
  int count = 0;
  if (!numbers->ReadWhole(3, kPointsMax, &count)) return false;
  zone->points.resize(static_cast<size_t>(count));
  for (ZonePoint& point : zone->points) {
    if (!numbers->Read(0, 1, &point.x) || !numbers->Read(0, 1, &point.y)) return false;
  }
  return true;
}

bool ReadGrid(Numbers* numbers, MotionZone* zone) {
  if (!numbers->ReadWhole(1, kGridSideMax, &zone->columns) || !numbers->ReadWhole(1, kGridSideMax, &zone->rows)) return false;
  zone->cells.resize(static_cast<size_t>(zone->columns) * static_cast<size_t>(zone->rows));
  for (uint8_t& cell : zone->cells) {
    int set = 0;
    if (!numbers->ReadWhole(0, 1, &set)) return false;
    cell = static_cast<uint8_t>(set);
  }
  return true;
}

bool ReadZone(Numbers* numbers, MotionZone* zone) {
  int kind = 0;
  if (!numbers->Read(1, 100, &zone->sensitivity) || !numbers->Read(0, 100, &zone->min_size_percent) ||
      !numbers->ReadWhole(0, 2, &kind)) {
    return false;
  }
  zone->kind = static_cast<ZoneKind>(kind);
  if (zone->kind == ZoneKind::kPolygon) return ReadPolygon(numbers, zone);
  if (zone->kind == ZoneKind::kGrid) return ReadGrid(numbers, zone);
  return true;
}

}  // namespace

bool ReadZones(const double* values, size_t count, std::vector<MotionZone>* zones) {
  Numbers numbers(values, count);
  zones->clear();
  while (!numbers.AtEnd()) {
    zones->emplace_back();
    if (zones->size() > kZonesMax || !ReadZone(&numbers, &zones->back())) return false;
  }
  return !zones->empty();
}

}  // namespace nvrd::codec
