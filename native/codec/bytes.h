// Bytes between JavaScript and the pool's threads.
#pragma once
#include <napi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace nvrd::codec {

// Bytes of a job's input in pieces: read on a thread of the pool, and kept alive (not copied, not locked) until the job
// is destroyed. Shared memory may change meanwhile: copy it first, and read only the copy.
class InputBytes {
 public:
  // Takes `value`, an array of at most kUnitPiecesMax Uint8Arrays of at most `bytes_max` bytes in all. False for
  // anything else. Main thread.
  bool Take(const Napi::Value& value, size_t bytes_max);
  size_t Size() const { return size_; }
  // Any thread. `target` has room for Size() bytes.
  void CopyTo(uint8_t* target) const;

 private:
  struct Piece {
    const uint8_t* at;
    size_t length;
  };
  std::vector<Piece> pieces_;
  size_t size_ = 0;
  Napi::ObjectReference kept_;
};

// Memory allocated on a thread of the pool that becomes the caller's Uint8Array without a copy (small ones are copied).
class OutputBytes {
 public:
  OutputBytes() = default;
  // Not cleared. Throws std::bad_alloc.
  explicit OutputBytes(size_t size);
  uint8_t* Data() { return data_.get(); }
  const uint8_t* Data() const { return data_.get(); }
  size_t Size() const { return size_; }
  // Reduces the size; the excess memory is freed.
  void Shrink(size_t size);
  // Returns a Uint8Array that owns the memory; this object is empty afterwards. Main thread.
  Napi::Value Give(Napi::Env env);

 private:
  struct Free {
    void operator()(uint8_t* data) const { std::free(data); }
  };
  std::unique_ptr<uint8_t, Free> data_;
  size_t size_ = 0;
};

}  // namespace nvrd::codec
