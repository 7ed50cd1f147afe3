// Size, pixel format, range and colour matrix of a decoded frame in one step of libswscale. No N-API.
#pragma once
#include <cstdint>

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/pixfmt.h>
}

#include "../failure.h"
#include "picture.h"

struct SwsContext;

namespace nvrd::codec {

// The configuration of a scaler. RGB output is full range; YUV output is BT.601.
struct ScalerShape {
  Size from;
  AVPixelFormat from_format = AV_PIX_FMT_NONE;
  // SWS_CS_*.
  int from_matrix = 0;
  bool from_full_range = false;
  Size to;
  AVPixelFormat to_format = AV_PIX_FMT_NONE;
  bool to_full_range = false;

  bool operator==(const ScalerShape& other) const;
  // The shape for `frame`: the stream's matrix, or BT.601 if it has none; MJPEG is full range.
  static ScalerShape Of(const AVFrame& frame, Size to, AVPixelFormat to_format, bool to_full_range);
};

class Scaler {
 public:
  explicit Scaler(const ScalerShape& shape);
  ~Scaler();
  Scaler(const Scaler&) = delete;
  Scaler& operator=(const Scaler&) = delete;

  const ScalerShape& Shape() const { return shape_; }
  // The planes have the alignment and slack of PictureMaker's scratch memory.
  Failure Scale(const AVFrame& frame, uint8_t* const data[4], const int strides[4]);

 private:
  ScalerShape shape_;
  SwsContext* context_;
};

}  // namespace nvrd::codec
