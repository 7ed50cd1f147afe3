// JFIF files of one size and quality (libavcodec's mjpeg). No N-API.
#pragma once
#include <cstdint>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
}

#include "../failure.h"
#include "picture.h"

namespace nvrd::codec {

class JpegEncoder {
 public:
  // `quality`: 1 to 100, the scale of the Independent JPEG Group.
  JpegEncoder(Size size, int quality);
  ~JpegEncoder();
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;

  bool IsFor(Size size, int quality) const;
  // Y, U, V planes, 4:2:0, full range, BT.601. The file begins with SOI and JFIF's APP0, and has no other APPn.
  Failure Encode(uint8_t* const data[4], const int strides[4], std::vector<uint8_t>* file);

 private:
  Size size_;
  int quality_;
  AVCodecContext* context_ = nullptr;
  AVFrame* frame_ = nullptr;
  AVPacket* packet_ = nullptr;
  int64_t next_ = 0;
};

}  // namespace nvrd::codec
