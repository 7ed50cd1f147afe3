// See picture_maker.h.
#include "picture_maker.h"

#include <algorithm>
#include <cstring>

extern "C" {
#include <libavutil/imgutils.h>
}

#include "../limits.h"

namespace nvrd::codec {
namespace {

// libswscale writes whole vectors, beyond the end of a line.
constexpr int kStrideAlignment = 64;
constexpr size_t kScratchSlack = 4096;

// A reduced quality is kept for the next picture while the file has at least this percentage of bytes_max.
constexpr size_t kJpegGoodFitPercent = 70;

struct Plane {
  const uint8_t* data;
  int stride;
  Size size;
};

Size Turned(Size size, int rotation) { return rotation % 180 == 0 ? size : Size{size.height, size.width}; }

// 4:2:0: chroma planes have half the sides, rounded up.
Size Halved(Size size) { return {(size.width + 1) / 2, (size.height + 1) / 2}; }

AVPixelFormat FormatOf(PictureForm form) {
  switch (form) {
    case PictureForm::kRgb: return AV_PIX_FMT_RGB24;
    case PictureForm::kGray:
    case PictureForm::kMotion: return AV_PIX_FMT_GRAY8;
    case PictureForm::kYuv420:
    case PictureForm::kJpeg: return AV_PIX_FMT_YUV420P;
  }
  return AV_PIX_FMT_NONE;
}

template <int kBytes>
void Turn(const Plane& from, int rotation, uint8_t* to, int to_stride) {
  const int width = from.size.width;
  const int height = from.size.height;
  const Size size = Turned(from.size, rotation);
  // Source of the result's first pixel, and the steps in the source for one pixel to the right and one down.
  const ptrdiff_t stride = from.stride;
  const uint8_t* start = from.data;
  ptrdiff_t right = kBytes;
  ptrdiff_t down = stride;
  if (rotation == 90) {
    start += stride * (height - 1);
    right = -stride;
    down = kBytes;
  } else if (rotation == 180) {
    start += stride * (height - 1) + ptrdiff_t{kBytes} * (width - 1);
    right = -kBytes;
    down = -stride;
  } else if (rotation == 270) {
    start += ptrdiff_t{kBytes} * (width - 1);
    right = stride;
    down = -kBytes;
  }
  for (int row = 0; row < size.height; ++row) {
    const uint8_t* source = start + down * row;
    uint8_t* target = to + static_cast<ptrdiff_t>(to_stride) * row;
    if (rotation == 0) {
      std::memcpy(target, source, static_cast<size_t>(size.width) * kBytes);
      continue;
    }
    for (int column = 0; column < size.width; ++column, source += right, target += kBytes) {
      for (int byte = 0; byte < kBytes; ++byte) target[byte] = source[byte];
    }
  }
}

struct FreePart {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};

// Frees the memory after a large picture.
void GiveBack(std::vector<uint8_t>* memory) {
  if (memory->capacity() > kThreadScratchBytesMax) std::vector<uint8_t>().swap(*memory);
}

}  // namespace

Failure PictureMaker::Make(const AVFrame& frame, const PictureTarget& target, Size* size, const Room& room) {
  if (target.part.IsWhole()) return MakeWhole(frame, target, size, room);
  // Refers to the same memory: only its pointers and sides differ.
  const std::unique_ptr<AVFrame, FreePart> part(av_frame_clone(&frame));
  if (part == nullptr) return Failure::Of(FailureKind::kMemory, "no memory for a part of a picture");
  const Pixels pixels = PixelsOf(target.part, target.rotation, {frame.width, frame.height});
  part->crop_left = static_cast<size_t>(pixels.left);
  part->crop_top = static_cast<size_t>(pixels.top);
  part->crop_right = static_cast<size_t>(frame.width - pixels.left - pixels.size.width);
  part->crop_bottom = static_cast<size_t>(frame.height - pixels.top - pixels.size.height);
  const int error = av_frame_apply_cropping(part.get(), AV_FRAME_CROP_UNALIGNED);
  if (error < 0) return FromAverror(error, "a part of a picture cannot be taken");
  return MakeWhole(*part, target, size, room);
}

Failure PictureMaker::MakeWhole(const AVFrame& frame, const PictureTarget& target, Size* size, const Room& room) {
  *size = SizeFor(target, Turned({frame.width, frame.height}, target.rotation));
  const Size unturned = Turned(*size, target.rotation);
  const AVPixelFormat format = FormatOf(target.form);
  Planes scaled;
  if (!LayOut(&scratch_, unturned, format, &scaled)) return Failure::Of(FailureKind::kMemory, "no memory for a picture");
  Scaler& scaler = ScalerFor(ScalerShape::Of(frame, unturned, format, target.form != PictureForm::kYuv420));
  Failure failure = scaler.Scale(frame, scaled.data, scaled.strides);
  if (!failure) {
    failure = target.form == PictureForm::kJpeg ? MakeJpeg(scaled, unturned, *size, target, room)
                                                : MakePacked(scaled, unturned, target, room);
  }
  GiveBack(&scratch_);
  GiveBack(&turned_);
  return failure;
}

void PictureMaker::Drop() { *this = PictureMaker(); }

Failure PictureMaker::MakePacked(const Planes& scaled, Size unturned, const PictureTarget& target, const Room& room) {
  const Size size = Turned(unturned, target.rotation);
  const auto area = [](Size of) { return static_cast<size_t>(of.width) * static_cast<size_t>(of.height); };
  const auto plane = [&scaled](int index, Size of) { return Plane{scaled.data[index], scaled.strides[index], of}; };
  if (target.form == PictureForm::kRgb) {
    Turn<3>(plane(0, unturned), target.rotation, room(area(size) * 3), size.width * 3);
    return Failure::None();
  }
  const Size chroma = Halved(size);
  const bool gray = target.form == PictureForm::kGray;
  uint8_t* to = room(area(size) + (gray ? 0 : 2 * area(chroma)));
  Turn<1>(plane(0, unturned), target.rotation, to, size.width);
  if (gray) return Failure::None();
  to += area(size);
  Turn<1>(plane(1, Halved(unturned)), target.rotation, to, chroma.width);
  Turn<1>(plane(2, Halved(unturned)), target.rotation, to + area(chroma), chroma.width);
  return Failure::None();
}

Failure PictureMaker::MakeJpeg(const Planes& scaled, Size unturned, Size size, const PictureTarget& target,
                               const Room& room) {
  Planes planes = scaled;
  if (target.rotation != 0) {
    if (!LayOut(&turned_, size, AV_PIX_FMT_YUV420P, &planes)) {
      return Failure::Of(FailureKind::kMemory, "no memory for a picture");
    }
    for (int index = 0; index < 3; ++index) {
      const Size of = index == 0 ? unturned : Halved(unturned);
      Turn<1>({scaled.data[index], scaled.strides[index], of}, target.rotation, planes.data[index], planes.strides[index]);
    }
  }
  std::vector<uint8_t> file;
  const Failure failure = EncodeWithin(planes, size, target, &file);
  if (!failure) std::memcpy(room(file.size()), file.data(), file.size());
  return failure;
}

// The best quality up to the requested one whose file fits, found in at most kJpegTriesMax tries. Pictures of a stream
// are similar, so the previous one's quality is tried first.
Failure PictureMaker::EncodeWithin(const Planes& planes, Size size, const PictureTarget& target,
                                   std::vector<uint8_t>* file) {
  if (target.bytes_max == 0) return EncoderFor(size, target.quality).Encode(planes.data, planes.strides, file);
  Fit& fit = FitFor(size, target);
  if (fit.quality < target.quality) {
    const Failure failure = EncoderFor(size, fit.quality).Encode(planes.data, planes.strides, file);
    if (failure) return failure;
    const bool fits = file->size() <= target.bytes_max;
    if (fits && file->size() >= target.bytes_max / 100 * kJpegGoodFitPercent) return failure;
  }
  return SearchQuality(planes, size, target, &fit, file);
}

// Binary search, from the requested quality down.
Failure PictureMaker::SearchQuality(const Planes& planes, Size size, const PictureTarget& target, Fit* fit,
                                    std::vector<uint8_t>* file) {
  fit->quality = target.quality;
  Failure failure = EncoderFor(size, target.quality).Encode(planes.data, planes.strides, file);
  if (failure || file->size() <= target.bytes_max) return failure;
  int too_good = target.quality;
  int fits = 0;
  std::vector<uint8_t> next;
  for (int tries = 1; tries < kJpegTriesMax && too_good - fits > 1; ++tries) {
    const int quality = (too_good + fits) / 2;
    // Not kept, because the next picture does not need it.
    failure = JpegEncoder(size, quality).Encode(planes.data, planes.strides, &next);
    if (failure) return failure;
    if (next.size() <= target.bytes_max) {
      fits = quality;
      file->swap(next);
    } else {
      too_good = quality;
    }
  }
  if (fits > 0) {
    fit->quality = fits;
    return failure;
  }
  return Failure::Of(FailureKind::kTooLarge, "the picture does not fit the asked number of bytes at any quality");
}

PictureMaker::Fit& PictureMaker::FitFor(Size size, const PictureTarget& target) {
  const auto found = std::find_if(fits_.begin(), fits_.end(), [&](const Fit& fit) {
    return fit.size.width == size.width && fit.size.height == size.height && fit.asked == target.quality &&
           fit.bytes_max == target.bytes_max;
  });
  if (found != fits_.end()) {
    fits_.splice(fits_.begin(), fits_, found);
  } else {
    if (fits_.size() >= kThreadToolsMax) fits_.pop_back();
    fits_.push_front({size, target.quality, target.bytes_max, target.quality});
  }
  return fits_.front();
}

Scaler& PictureMaker::ScalerFor(const ScalerShape& shape) {
  const auto found = std::find_if(scalers_.begin(), scalers_.end(),
                                  [&shape](const auto& scaler) { return scaler->Shape() == shape; });
  if (found != scalers_.end()) {
    scalers_.splice(scalers_.begin(), scalers_, found);
  } else {
    if (scalers_.size() >= kThreadToolsMax) scalers_.pop_back();
    scalers_.push_front(std::make_unique<Scaler>(shape));
  }
  return *scalers_.front();
}

JpegEncoder& PictureMaker::EncoderFor(Size size, int quality) {
  const auto found = std::find_if(encoders_.begin(), encoders_.end(),
                                  [=](const auto& encoder) { return encoder->IsFor(size, quality); });
  if (found != encoders_.end()) {
    encoders_.splice(encoders_.begin(), encoders_, found);
  } else {
    if (encoders_.size() >= kThreadToolsMax) encoders_.pop_back();
    encoders_.push_front(std::make_unique<JpegEncoder>(size, quality));
  }
  return *encoders_.front();
}

bool PictureMaker::LayOut(std::vector<uint8_t>* memory, Size size, AVPixelFormat format, Planes* planes) {
  const int bytes = av_image_get_buffer_size(format, size.width, size.height, kStrideAlignment);
  if (bytes < 0) return false;
  const size_t needed = static_cast<size_t>(bytes) + kScratchSlack;
  if (memory->size() < needed) memory->resize(needed);
  auto start = reinterpret_cast<uintptr_t>(memory->data());
  start = (start + kStrideAlignment - 1) / kStrideAlignment * kStrideAlignment;
  return av_image_fill_arrays(planes->data, planes->strides, reinterpret_cast<uint8_t*>(start), format, size.width,
                              size.height, kStrideAlignment) >= 0;
}

}  // namespace nvrd::codec
