// See scaler.h.
#include "scaler.h"

extern "C" {
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

namespace nvrd::codec {
namespace {

struct FullRangeName {
  AVPixelFormat name;
  AVPixelFormat format;
};

// The deprecated names of full-range formats, which some decoders still return.
constexpr FullRangeName kFullRangeNames[] = {
    {AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV420P}, {AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUV422P},
    {AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUV444P}, {AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUV440P},
    {AV_PIX_FMT_YUVJ411P, AV_PIX_FMT_YUV411P},
};

int MatrixOf(AVColorSpace space) {
  switch (space) {
    case AVCOL_SPC_BT709: return SWS_CS_ITU709;
    case AVCOL_SPC_FCC: return SWS_CS_FCC;
    case AVCOL_SPC_SMPTE240M: return SWS_CS_SMPTE240M;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL: return SWS_CS_BT2020;
    default: return SWS_CS_ITU601;
  }
}

// When shrinking to half or less, each pixel is the mean of those under it: as good as other filters, and the cheapest
// that uses all pixels. Otherwise bicubic.
int FlagsFor(const ScalerShape& shape) {
  const bool shrinks = shape.to.width * 2 <= shape.from.width && shape.to.height * 2 <= shape.from.height;
  int flags = shrinks ? SWS_AREA : SWS_BICUBIC;
  // libswscale's fast conversion to RGB works on pairs of columns and lines, and omits an odd last one.
  const bool odd = shape.from.width % 2 != 0 || shape.from.height % 2 != 0;
  if (odd && shape.to_format == AV_PIX_FMT_RGB24) flags |= SWS_ACCURATE_RND;
  return flags;
}

}  // namespace

bool ScalerShape::operator==(const ScalerShape& other) const {
  return from.width == other.from.width && from.height == other.from.height && from_format == other.from_format &&
         from_matrix == other.from_matrix && from_full_range == other.from_full_range &&
         to.width == other.to.width && to.height == other.to.height && to_format == other.to_format &&
         to_full_range == other.to_full_range;
}

ScalerShape ScalerShape::Of(const AVFrame& frame, Size to, AVPixelFormat to_format, bool to_full_range) {
  ScalerShape shape;
  shape.from = {frame.width, frame.height};
  shape.from_format = static_cast<AVPixelFormat>(frame.format);
  shape.from_full_range = frame.color_range == AVCOL_RANGE_JPEG;
  for (const FullRangeName& name : kFullRangeNames) {
    if (shape.from_format != name.name) continue;
    shape.from_format = name.format;
    shape.from_full_range = true;
  }
  shape.from_matrix = MatrixOf(frame.colorspace);
  shape.to = to;
  shape.to_format = to_format;
  shape.to_full_range = to_full_range;
  return shape;
}

Scaler::Scaler(const ScalerShape& shape) : shape_(shape), context_(sws_alloc_context()) {
  if (context_ == nullptr) return;
  av_opt_set_int(context_, "srcw", shape.from.width, 0);
  av_opt_set_int(context_, "srch", shape.from.height, 0);
  av_opt_set_int(context_, "src_format", shape.from_format, 0);
  av_opt_set_int(context_, "src_range", shape.from_full_range, 0);
  av_opt_set_int(context_, "dstw", shape.to.width, 0);
  av_opt_set_int(context_, "dsth", shape.to.height, 0);
  av_opt_set_int(context_, "dst_format", shape.to_format, 0);
  av_opt_set_int(context_, "dst_range", shape.to_full_range, 0);
  av_opt_set_int(context_, "sws_flags", FlagsFor(shape), 0);
  if (sws_init_context(context_, nullptr, nullptr) < 0) {
    sws_freeContext(context_);
    context_ = nullptr;
    return;
  }
  // Luma alone has no matrix. From YUV to YUV the call returns an error but works: no table is needed unless the matrix
  // changes.
  const int to_matrix = shape.to_format == AV_PIX_FMT_GRAY8 ? shape.from_matrix : SWS_CS_ITU601;
  sws_setColorspaceDetails(context_, sws_getCoefficients(shape.from_matrix), shape.from_full_range,
                           sws_getCoefficients(to_matrix), shape.to_full_range, 0, 1 << 16, 1 << 16);
}

Scaler::~Scaler() { sws_freeContext(context_); }

Failure Scaler::Scale(const AVFrame& frame, uint8_t* const data[4], const int strides[4]) {
  if (context_ == nullptr) return Failure::Of(FailureKind::kUnsupported, "libswscale does not scale this format");
  const int lines = sws_scale(context_, frame.data, frame.linesize, 0, frame.height, data, strides);
  if (lines == shape_.to.height) return Failure::None();
  return Failure::Of(FailureKind::kInternal, "libswscale scaled " + std::to_string(lines) + " lines");
}

}  // namespace nvrd::codec
