// Makes a picture from a decoded frame: scales and converts in one step, rotates, encodes. Each thread of the pool has
// its own, which keeps its scalers and encoders for the next picture of the same shape. No N-API.
#pragma once
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

extern "C" {
#include <libavutil/frame.h>
}

#include "../failure.h"
#include "jpeg_encoder.h"
#include "picture.h"
#include "scaler.h"

namespace nvrd::codec {

class PictureMaker {
 public:
  // Allocates `bytes`, all of which the picture fills.
  using Room = std::function<uint8_t*(size_t bytes)>;

  // `size` is the picture's, after rotation.
  Failure Make(const AVFrame& frame, const PictureTarget& target, Size* size, const Room& room);
  // Frees what is kept for the next picture.
  void Drop();

 private:
  struct Planes {
    uint8_t* data[4] = {};
    int strides[4] = {};
  };

  // The quality at which pictures of one size fit a number of bytes.
  struct Fit {
    Size size;
    int asked;
    size_t bytes_max;
    int quality;
  };

  Failure MakeWhole(const AVFrame& frame, const PictureTarget& target, Size* size, const Room& room);
  Failure MakePacked(const Planes& scaled, Size unturned, const PictureTarget& target, const Room& room);
  Failure MakeJpeg(const Planes& scaled, Size unturned, Size size, const PictureTarget& target, const Room& room);
  Failure EncodeWithin(const Planes& planes, Size size, const PictureTarget& target, std::vector<uint8_t>* file);
  Failure SearchQuality(const Planes& planes, Size size, const PictureTarget& target, Fit* fit,
                        std::vector<uint8_t>* file);
  Fit& FitFor(Size size, const PictureTarget& target);
  Scaler& ScalerFor(const ScalerShape& shape);
  JpegEncoder& EncoderFor(Size size, int quality);
  static bool LayOut(std::vector<uint8_t>* memory, Size size, AVPixelFormat format, Planes* planes);

  // Newest first.
  std::list<std::unique_ptr<Scaler>> scalers_;
  std::list<std::unique_ptr<JpegEncoder>> encoders_;
  std::list<Fit> fits_;
  std::vector<uint8_t> scratch_;
  std::vector<uint8_t> turned_;
};

}  // namespace nvrd::codec
