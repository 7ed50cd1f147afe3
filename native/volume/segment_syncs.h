// What the sync thread of a volume knows and does. Called on that thread alone.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../process/message_thread.h"
#include "slot_error.h"
#include "volume_disk.h"

namespace nvrd::segment_syncs {

// A segment, its path under the volume's directory, and the bytes of it that the writer thread has confirmed.
struct SyncFile {
  int64_t slot;
  std::string path;
  int64_t bytes;
};

// From and to, under the volume's directory.
struct Move {
  std::string from;
  std::string to;
};

class SegmentSyncs {
 public:
  SegmentSyncs(std::string directory, message_thread::MessageThread& thread)
      : directory_(directory), guard_(std::move(directory)), thread_(thread) {}

  void Pin(volume_disk::Place place) { guard_.Pin(std::move(place)); }
  // Starts write-back of all, then syncs one file after the other: the first one commits the journal for all.
  void Sync(const std::vector<SyncFile>& wanted);
  // Cuts the file to its bytes, makes it durable and releases it.
  void Close(const SyncFile& wanted);
  void Abandon(int64_t slot);
  // Closes all files as they are.
  void AbandonAll() { files_.clear(); }
  // Moves closed segments to their place, and answers the request `id`. Recovery repairs a lost rename, so there is no sync here.
  void Rename(double id, const std::vector<Move>& moves);

 private:
  struct SyncedFile {
    volume_disk::File file;
    std::string path;
    int64_t synced_bytes = 0;
    int64_t uncached_bytes = 0;
    // Whether the directory entry is durable.
    bool is_entry_synced = false;
    // None or one.
    std::vector<slot_error::SlotError> error = {};
  };
  struct Progress {
    std::vector<int64_t> slots;
    std::vector<slot_error::SlotError> errors;
  };

  // Null, with the reason in `errors`, where it cannot be opened.
  SyncedFile* FileOf(const SyncFile& wanted, std::vector<slot_error::SlotError>* errors);
  bool SyncOne(int64_t slot, SyncedFile& file, int64_t bytes);
  void MakeDurable(SyncedFile& file);
  void Finish(int64_t slot, SyncedFile& file, int64_t bytes);
  void Uncache(SyncedFile& file, int64_t end);
  void MoveOne(const Move& move);
  void ReportSynced(Progress progress, bool is_last);
  void ReportClosed(int64_t slot, std::vector<slot_error::SlotError> error);

  const std::string directory_;
  volume_disk::MountGuard guard_;
  message_thread::MessageThread& thread_;
  std::map<int64_t, SyncedFile> files_;
};

}  // namespace nvrd::segment_syncs
