// What the writer thread of a volume knows and does. Called on that thread alone.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sys/uio.h>

#include "../process/message_thread.h"
#include "../process/order_value.h"
#include "slot_error.h"
#include "volume_disk.h"

namespace nvrd::segment_files {

using order_value::Memory;

// Memory that a batch names by an id.
struct Slab {
  int64_t id;
  Memory memory;
};

struct OpenOrder {
  int64_t slot;
  // Under the volume's directory.
  std::string path;
  std::vector<uint8_t> header;
  uint32_t crc_seed;
  int64_t preallocate_bytes;
};

struct WriteOrder {
  // How many numbers the batch has.
  size_t numbers;
  std::vector<Slab> slabs;
  // Slabs known before these are not named any more.
  bool forget_slabs;
};

class SegmentFiles {
 public:
  SegmentFiles(std::string directory, message_thread::MessageThread& thread)
      : directory_(directory), guard_(std::move(directory)), thread_(thread) {}

  void Pin(volume_disk::Place place) { guard_.Pin(std::move(place)); }
  // The memory of batches: `numbers_bytes` of numbers, then scratch memory.
  void SetBatch(const Memory& memory, size_t numbers_bytes);
  void Open(const OpenOrder& order);
  // Throws std::out_of_range for numbers that are not in the batch, or name memory which nobody made known.
  void Write(const WriteOrder& order);
  // Nothing more is written to the segment.
  void Release(int64_t slot);
  // Closes all files as they are.
  void ReleaseAll() { files_.clear(); }

 private:
  struct SlotFile {
    volume_disk::File file;
    std::string path;
    uint32_t crc_seed;
    // None or one.
    std::vector<slot_error::SlotError> error = {};
  };

  void Preallocate(const volume_disk::File& file, int64_t bytes);
  // Writes the run whose numbers start at `at`; returns where the next run's start.
  size_t WriteRun(size_t at, size_t end, std::vector<slot_error::SlotError>* errors);
  size_t AddRecord(size_t at, size_t end, uint32_t crc_seed);
  void AddPiece(uint8_t* data, size_t length);
  Memory Range(size_t at);
  double Number(size_t at, size_t end) const;
  void WritePieces(int fd, off_t position);
  void Note(std::string message);

  const std::string directory_;
  volume_disk::MountGuard guard_;
  message_thread::MessageThread& thread_;
  std::map<int64_t, SlotFile> files_;
  std::map<int64_t, slot_error::SlotError> failed_;
  std::map<int64_t, Memory> slabs_;
  const double* numbers_ = nullptr;
  size_t numbers_max_ = 0;
  Memory scratch_;
  // Of the run that is being written; kept for its memory.
  std::vector<iovec> pieces_;
  bool preallocates_ = true;
};

}  // namespace nvrd::segment_files
