// See blob_finder.h.
#include "blob_finder.h"

#include <algorithm>

namespace nvrd::codec {
namespace {

// Of nine, itself included: less is a speck or a streak of one pixel's width.
constexpr uint8_t kOpenNeighbours = 4;
constexpr uint8_t kJoinNeighbours = 2;
constexpr uint8_t kUnseen = 1;
constexpr uint8_t kSeen = 2;

}  // namespace

BlobFinder::BlobFinder(const ZoneMap& zones)
    : zones_(zones),
      width_(static_cast<size_t>(zones.Width())),
      pixels_(zones.Pixels()),
      kept_(pixels_),
      opened_(pixels_),
      rows_(pixels_ + 2 * width_),
      stack_(pixels_) {
  blobs_.reserve(kBlobsMax);
}

const std::vector<Blob>& BlobFinder::Find(const std::vector<uint8_t>& mask, double pixels_min) {
  SumRows(mask.data());
  SumColumns(mask.data(), kOpenNeighbours, opened_.data());
  SumRows(opened_.data());
  SumColumns(nullptr, kJoinNeighbours, kept_.data());
  blobs_.clear();
  for (size_t at = 0; at < pixels_; ++at) {
    if (kept_[at] != kUnseen) continue;
    Blob blob{zones_.Width(), zones_.Height(), 0, 0, 0, {}};
    Fill(at, &blob);
    if (blob.pixels >= pixels_min && blobs_.size() < kBlobsMax) blobs_.push_back(blob);
  }
  return blobs_;
}

// Of each pixel and its two neighbours in the row: how many are set.
void BlobFinder::SumRows(const uint8_t* mask) {
  for (size_t row = 0; row < pixels_; row += width_) {
    const uint8_t* const from = mask + row;
    uint8_t* const to = rows_.data() + width_ + row;
    if (width_ == 1) {
      to[0] = from[0];
      continue;
    }
    to[0] = static_cast<uint8_t>(from[0] + from[1]);
    for (size_t x = 1; x + 1 < width_; ++x) to[x] = static_cast<uint8_t>(from[x - 1] + from[x] + from[x + 1]);
    to[width_ - 1] = static_cast<uint8_t>(from[width_ - 2] + from[width_ - 1]);
  }
}

// Sets a pixel when of the nine around it at least `least` are set; where `only` is given, it must be set itself.
void BlobFinder::SumColumns(const uint8_t* only, uint8_t least, uint8_t* into) {
  const uint8_t* const above = rows_.data();
  const uint8_t* const row = above + width_;
  const uint8_t* const below = row + width_;
  for (size_t at = 0; at < pixels_; ++at) {
    into[at] = static_cast<uint8_t>(above[at] + row[at] + below[at] >= least ? kUnseen : 0);
  }
  if (only == nullptr) return;
  for (size_t at = 0; at < pixels_; ++at) into[at] &= only[at];
}

// Measures the piece that holds `start` and marks it as seen.
void BlobFinder::Fill(size_t start, Blob* blob) {
  size_t depth = 0;
  See(start, &depth);
  while (depth > 0) {
    const size_t at = stack_[--depth];
    const size_t x = at % width_;
    Measure(at, static_cast<int>(x), static_cast<int>(at / width_), blob);
    if (x > 0 && kept_[at - 1] == kUnseen) See(at - 1, &depth);
    if (x + 1 < width_ && kept_[at + 1] == kUnseen) See(at + 1, &depth);
    if (at >= width_ && kept_[at - width_] == kUnseen) See(at - width_, &depth);
    if (at + width_ < pixels_ && kept_[at + width_] == kUnseen) See(at + width_, &depth);
  }
}

// Each pixel is put on the stack once: it has room for all.
void BlobFinder::See(size_t at, size_t* depth) {
  kept_[at] = kSeen;
  stack_[(*depth)++] = static_cast<uint32_t>(at);
}

void BlobFinder::Measure(size_t at, int x, int y, Blob* blob) const {
  blob->left = std::min(blob->left, x);
  blob->top = std::min(blob->top, y);
  blob->right = std::max(blob->right, x + 1);
  blob->bottom = std::max(blob->bottom, y + 1);
  if (opened_[at] == 0) return;
  ++blob->pixels;
  unsigned bits = zones_.ZonesAt()[at];
  for (size_t zone = 0; bits != 0; ++zone, bits >>= 1) blob->zone_pixels[zone] += bits & 1;
}

}  // namespace nvrd::codec
