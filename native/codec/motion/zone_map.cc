// See zone_map.h.
#include "zone_map.h"

#include <algorithm>
#include <cmath>

namespace nvrd::codec {
namespace {

// Changes smaller than this many grey levels never count, at sensitivity 100 and at 1.
constexpr double kThresholdMostSensitive = 5;
constexpr double kThresholdLeastSensitive = 40;
// Fewer pixels than this are noise at any size of zone.
constexpr double kPixelsMin = 4;

uint8_t ThresholdOf(double sensitivity) {
  const double share = (100 - sensitivity) / 99;
  const double levels =
      kThresholdMostSensitive * std::pow(kThresholdLeastSensitive / kThresholdMostSensitive, share);
  return static_cast<uint8_t>(std::floor(levels + 0.5));
}

// Even-odd rule: where the edges cross the row at `y`.
void FindCrossings(const std::vector<ZonePoint>& points, double y, std::vector<double>* crossings) {
  crossings->clear();
  const ZonePoint* from = points.empty() ? nullptr : &points.back();
  for (const ZonePoint& to : points) {
    if ((to.y > y) != (from->y > y)) crossings->push_back(from->x + ((y - from->y) / (to.y - from->y)) * (to.x - from->x));
    from = &to;
  }
}

}  // namespace

ZoneMap::ZoneMap(const std::vector<MotionZone>& zones, int width, int height)
    : width_(width),
      height_(height),
      thresholds_(static_cast<size_t>(width) * static_cast<size_t>(height), kOutside),
      zones_at_(thresholds_.size(), 0) {
  for (size_t index = 0; index < zones.size() && index < kZonesMax; ++index) {
    const MotionZone& zone = zones[index];
    const auto bit = static_cast<ZoneBits>(1u << index);
    const size_t pixels = Mark(zone, bit);
    const uint8_t threshold = ThresholdOf(zone.sensitivity);
    for (size_t at = 0; at < zones_at_.size(); ++at) {
      if ((zones_at_[at] & bit) != 0) thresholds_[at] = std::min(thresholds_[at], threshold);
    }
    const double wanted = (zone.min_size_percent / 100) * width * height;
    // A zone hardly larger than the smallest object still detects an object that fills half of it.
    min_pixels_.push_back(std::max(kPixelsMin, std::min(wanted, static_cast<double>(pixels) / 2)));
  }
  if (!min_pixels_.empty()) least_pixels_ = *std::min_element(min_pixels_.begin(), min_pixels_.end());
  watched_ = static_cast<size_t>(
      std::count_if(thresholds_.begin(), thresholds_.end(), [](uint8_t threshold) { return threshold != kOutside; }));
}

// Returns the zone's pixels.
size_t ZoneMap::Mark(const MotionZone& zone, ZoneBits bit) {
  size_t pixels = 0;
  for (int row = 0; row < height_; ++row) pixels += MarkRow(zone, bit, row);
  return pixels;
}

size_t ZoneMap::MarkRow(const MotionZone& zone, ZoneBits bit, int row) {
  const double y = (row + 0.5) / height_;
  if (zone.kind == ZoneKind::kPolygon) FindCrossings(zone.points, y, &crossings_);
  ZoneBits* const at = zones_at_.data() + static_cast<size_t>(row) * static_cast<size_t>(width_);
  size_t pixels = 0;
  for (int column = 0; column < width_; ++column) {
    const double x = (column + 0.5) / width_;
    bool inside = true;
    if (zone.kind == ZoneKind::kPolygon) {
      const auto right = std::count_if(crossings_.begin(), crossings_.end(), [x](double crossing) { return x < crossing; });
      inside = right % 2 == 1;
    } else if (zone.kind == ZoneKind::kGrid) {
      const auto cell_row = static_cast<size_t>(std::floor(y * zone.rows));
      const auto cell_column = static_cast<size_t>(std::floor(x * zone.columns));
      inside = zone.cells[cell_row * static_cast<size_t>(zone.columns) + cell_column] != 0;
    }
    if (!inside) continue;
    at[column] |= bit;
    ++pixels;
  }
  return pixels;
}

}  // namespace nvrd::codec
