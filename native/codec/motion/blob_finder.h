// Finds the connected pieces of a mask: removes single pixels and thin streaks, and joins near pieces. Memory is
// allocated once. No N-API.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "zone_map.h"

namespace nvrd::codec {

// A connected piece of differing pixels. Numbers are pixels.
struct Blob {
  int left;
  int top;
  // First column and row beyond it.
  int right;
  int bottom;
  // Pixels that differ, and those in each zone.
  uint32_t pixels;
  uint32_t zone_pixels[kZonesMax];
};

class BlobFinder {
 public:
  // At most this many pieces are reported: a picture of more is noise or weather.
  static constexpr size_t kBlobsMax = 63;

  explicit BlobFinder(const ZoneMap& zones);

  // The pieces of at least `pixels_min` pixels, at most kBlobsMax; valid until the next call. `mask`: 0 or 1 a pixel.
  const std::vector<Blob>& Find(const std::vector<uint8_t>& mask, double pixels_min);
  // What remained of the mask: not 0 in a piece, including joins.
  const std::vector<uint8_t>& Kept() const { return kept_; }

 private:
  void SumRows(const uint8_t* mask);
  void SumColumns(const uint8_t* only, uint8_t least, uint8_t* into);
  void Fill(size_t start, Blob* blob);
  void Measure(size_t at, int x, int y, Blob* blob) const;
  void See(size_t at, size_t* depth);

  const ZoneMap& zones_;
  const size_t width_;
  const size_t pixels_;
  std::vector<uint8_t> kept_;
  std::vector<uint8_t> opened_;
  // Sums of rows, with an empty row above and below the picture.
  std::vector<uint8_t> rows_;
  std::vector<uint32_t> stack_;
  std::vector<Blob> blobs_;
};

}  // namespace nvrd::codec
