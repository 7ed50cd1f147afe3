// See segment_syncs.h.
#include "segment_syncs.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nvrd::segment_syncs {
namespace {

using message_value::Message;
using slot_error::SlotError;
using volume_disk::Failure;
using volume_disk::File;
using volume_disk::Join;

// Newest bytes of each segment left in the page cache for readers at the live edge.
constexpr int64_t kCachedBytesPerSegment = 2 * 1024 * 1024;
constexpr int64_t kPageBytes = 4096;
constexpr int64_t kBlockBytes = 512;
// As a length: up to the end of the file (posix_fadvise(2)).
constexpr off_t kToTheEnd = 0;
// While many files are synced one after the other, progress is reported this often: the disk is slow, not hung.
constexpr std::chrono::milliseconds kProgress{500};

int64_t RoundUp(int64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

// A segment that is durable in the index is old: readers at the live edge have moved on. Throws Failure.
void UncacheWhole(const std::string& path) {
  try {
    const File file(path, O_RDONLY);
    ::posix_fadvise(file.fd(), 0, kToTheEnd, POSIX_FADV_DONTNEED);
  } catch (const Failure& failure) {
    // Moved by an earlier turn.
    if (failure.code() != "ENOENT") throw;
  }
}

// False where there is no file, or no directory to move it to. Throws Failure.
bool IsMoved(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return true;
  if (errno != ENOENT) throw Failure::OfCall("rename");
  return false;
}

void MakeDirectories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return;
  errno = error.value();
  throw Failure::OfCall("mkdir");
}

// Cuts the file to `bytes`. Throws Failure.
void Truncate(const File& file, int64_t bytes) {
  int result = 0;
  do {
    result = ::ftruncate(file.fd(), bytes);
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw Failure::OfCall("ftruncate");
}

int64_t AllocatedBytes(const File& file) {
  struct stat found {};
  if (::fstat(file.fd(), &found) != 0) throw Failure::OfCall("fstat");
  return static_cast<int64_t>(found.st_blocks) * kBlockBytes;
}

}  // namespace

void SegmentSyncs::Sync(const std::vector<SyncFile>& wanted) {
  Progress progress;
  std::vector<std::pair<const SyncFile*, SyncedFile*>> opened;
  for (const SyncFile& one : wanted) {
    SyncedFile* const file = FileOf(one, &progress.errors);
    if (file != nullptr) opened.emplace_back(&one, file);
  }
  for (const auto& [one, file] : opened) {
    if (file->error.empty())
      ::sync_file_range(file->file.fd(), file->synced_bytes, one->bytes - file->synced_bytes, SYNC_FILE_RANGE_WRITE);
  }
  auto reported = std::chrono::steady_clock::now();
  for (const auto& [one, file] : opened) {
    if (thread_.IsEnding()) return;
    if (SyncOne(one->slot, *file, one->bytes)) progress.slots.push_back(one->slot);
    else progress.errors.insert(progress.errors.end(), file->error.begin(), file->error.end());
    if (std::chrono::steady_clock::now() - reported < kProgress) continue;
    ReportSynced(std::exchange(progress, {}), false);
    reported = std::chrono::steady_clock::now();
  }
  ReportSynced(std::move(progress), true);
}

SegmentSyncs::SyncedFile* SegmentSyncs::FileOf(const SyncFile& wanted, std::vector<SlotError>* errors) {
  const auto known = files_.find(wanted.slot);
  if (known != files_.end()) return &known->second;
  try {
    SyncedFile file{File(Join(directory_, wanted.path), O_RDWR), wanted.path};
    return &files_.emplace(wanted.slot, std::move(file)).first->second;
  } catch (const Failure& failure) {
    errors->emplace_back(wanted.slot, "open " + wanted.path + " for its sync", failure);
    return nullptr;
  }
}

// Makes the first `bytes` durable, which must have been written.
bool SegmentSyncs::SyncOne(int64_t slot, SyncedFile& file, int64_t bytes) {
  if (!file.error.empty()) return false;
  try {
    MakeDurable(file);
  } catch (const Failure& failure) {
    // After a failed sync the kernel may have dropped the pages: nothing more goes into this file.
    file.error.emplace_back(slot, "sync " + file.path, failure);
    return false;
  }
  file.synced_bytes = bytes;
  Uncache(file, bytes - kCachedBytesPerSegment);
  return true;
}

void SegmentSyncs::MakeDurable(SyncedFile& file) {
  if (::fdatasync(file.file.fd()) != 0) throw Failure::OfCall("fdatasync");
  if (file.is_entry_synced) return;
  // A new file's name is durable only with its directory (fsync(2)).
  volume_disk::SyncDirectory(Join(directory_, "open"));
  for (auto& [slot, other] : files_) other.is_entry_synced = true;
}

void SegmentSyncs::Uncache(SyncedFile& file, int64_t end) {
  const int64_t aligned = end / kPageBytes * kPageBytes;
  if (aligned <= file.uncached_bytes) return;
  ::posix_fadvise(file.file.fd(), file.uncached_bytes, aligned - file.uncached_bytes, POSIX_FADV_DONTNEED);
  file.uncached_bytes = aligned;
}

void SegmentSyncs::Close(const SyncFile& wanted) {
  std::vector<SlotError> error;
  SyncedFile* const file = FileOf(wanted, &error);
  if (file != nullptr) {
    if (file->error.empty()) Finish(wanted.slot, *file, wanted.bytes);
    error = file->error;
  }
  Abandon(wanted.slot);
  ReportClosed(wanted.slot, std::move(error));
}

void SegmentSyncs::Finish(int64_t slot, SyncedFile& file, int64_t bytes) {
  try {
    Truncate(file.file, bytes);
    const int64_t allocated = AllocatedBytes(file.file);
    // Not every file system frees preallocated space beyond the end on a truncation to the same size.
    if (allocated > bytes + kPageBytes)
      ::fallocate(file.file.fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, RoundUp(bytes), allocated);
  } catch (const Failure& failure) {
    file.error.emplace_back(slot, "close " + file.path, failure);
    return;
  }
  SyncOne(slot, file, bytes);
}

void SegmentSyncs::Abandon(int64_t slot) {
  const auto found = files_.find(slot);
  if (found == files_.end()) return;
  const std::string path = found->second.path;
  // What matters was synced before.
  const std::string error = found->second.file.Close();
  files_.erase(found);
  if (error.empty()) return;
  thread_.listener().Post([message = "close " + path + ": " + error](napi_env env) {
    return Message(env, "note").Set("message", message).Value();
  });
}

void SegmentSyncs::Rename(double id, const std::vector<Move>& moves) {
  std::vector<Failure> failed;
  try {
    for (const Move& move : moves) MoveOne(move);
  } catch (const Failure& failure) {
    failed.push_back(failure);
  }
  thread_.listener().Post([id, failed = std::move(failed)](napi_env env) {
    message_value::Object message = Message(env, "reply");
    message.Set("id", id);
    if (failed.empty()) return message.Value();
    message_value::Object error(env);
    error.Set("code", failed.front().code()).Set("message", std::string(failed.front().what()));
    return message.Set("error", error.Value()).Value();
  });
}

void SegmentSyncs::MoveOne(const Move& move) {
  const std::string from = Join(directory_, move.from);
  const std::string to = Join(directory_, move.to);
  UncacheWhole(from);
  if (IsMoved(from, to)) return;
  guard_.Check();
  MakeDirectories(to.substr(0, to.rfind('/')));
  // Where it is gone still, retention or an earlier turn moved or removed it already.
  IsMoved(from, to);
}

void SegmentSyncs::ReportSynced(Progress progress, bool is_last) {
  thread_.listener().Post([progress = std::move(progress), is_last](napi_env env) {
    std::vector<napi_value> slots(progress.slots.size());
    for (size_t at = 0; at < slots.size(); ++at)
      napi_create_double(env, static_cast<double>(progress.slots[at]), &slots[at]);
    return Message(env, "synced")
        .Set("slots", message_value::ArrayOf(env, slots))
        .Set("errors", slot_error::ToArray(env, progress.errors))
        .SetFlag("last", is_last)
        .Value();
  });
}

void SegmentSyncs::ReportClosed(int64_t slot, std::vector<SlotError> error) {
  thread_.listener().Post([slot, error = std::move(error)](napi_env env) {
    message_value::Object message = Message(env, "closed");
    message.Set("slot", static_cast<double>(slot));
    if (!error.empty()) message.Set("error", error.front().ToValue(env));
    return message.Value();
  });
}

}  // namespace nvrd::segment_syncs
