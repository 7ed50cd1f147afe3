// See segment_files.h.
#include "segment_files.h"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "crc32.h"
#include "records.h"

namespace nvrd::segment_files {
namespace {

using slot_error::SlotError;
using volume_disk::Failure;
using volume_disk::File;

// Most buffers of one pwritev; Linux takes 1024.
constexpr size_t kPiecesMax = 512;
constexpr mode_t kFileMode = 0640;

// As in volume-messages.ts.
constexpr double kRaw = -1;
constexpr int64_t kScratchSlab = 0;

// Writes the pieces at `position` to the last byte. A short write is rare (a full disk, a signal): the next call returns the error.
void WriteAll(int fd, iovec* pieces, size_t count, off_t position) {
  while (count > 0) {
    const ssize_t written = ::pwritev(fd, pieces, static_cast<int>(std::min(count, kPiecesMax)), position);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = EIO;
    if (written <= 0) throw Failure::OfCall("pwritev");
    position += written;
    auto left = static_cast<size_t>(written);
    for (; count > 0 && left >= pieces->iov_len; ++pieces, --count) left -= pieces->iov_len;
    if (count == 0) return;
    pieces->iov_base = static_cast<uint8_t*>(pieces->iov_base) + left;
    pieces->iov_len -= left;
  }
}

}  // namespace

void SegmentFiles::SetBatch(const Memory& memory, size_t numbers_bytes) {
  numbers_ = reinterpret_cast<const double*>(memory.data);
  numbers_max_ = numbers_bytes / sizeof(double);
  scratch_ = {memory.data + numbers_bytes, memory.length - numbers_bytes};
}

void SegmentFiles::Open(const OpenOrder& order) {
  bool is_created = false;
  try {
    guard_.Check();
    File file(volume_disk::Join(directory_, order.path), O_RDWR | O_CREAT | O_EXCL, kFileMode);
    is_created = true;
    Preallocate(file, order.preallocate_bytes);
    iovec header{const_cast<uint8_t*>(order.header.data()), order.header.size()};
    WriteAll(file.fd(), &header, 1, 0);
    files_.insert_or_assign(order.slot, SlotFile{std::move(file), order.path, order.crc_seed, {}});
  } catch (const Failure& failure) {
    SlotError error(order.slot, "create " + order.path, failure);
    error.is_creation = !is_created;
    failed_.insert_or_assign(order.slot, std::move(error));
  }
}

void SegmentFiles::Preallocate(const File& file, int64_t bytes) {
  if (!preallocates_ || bytes == 0) return;
  int result = 0;
  do {
    result = ::fallocate(file.fd(), FALLOC_FL_KEEP_SIZE, 0, bytes);
  } while (result != 0 && errno == EINTR);
  if (result == 0 || errno == ENOSPC || errno == EDQUOT) return;
  preallocates_ = false;
  Note("segments are not preallocated: " + volume_disk::ErrnoName(errno));
}

void SegmentFiles::Write(const WriteOrder& order) {
  if (order.numbers > numbers_max_) throw std::out_of_range("a batch has more numbers than its memory");
  if (order.forget_slabs) slabs_.clear();
  for (const Slab& slab : order.slabs) slabs_.insert_or_assign(slab.id, slab.memory);
  std::vector<SlotError> errors;
  const size_t end = order.numbers;
  for (size_t at = 0; at < end && !thread_.IsEnding();) at = WriteRun(at, end, &errors);
  for (const Slab& slab : order.slabs) {
    if (slab.id < 0) slabs_.erase(slab.id);
  }
  thread_.listener().Post([errors = std::move(errors)](napi_env env) {
    message_value::Object message = message_value::Message(env, "written");
    message.Set("batch", 0.0);
    if (!errors.empty()) message.Set("errors", slot_error::ToArray(env, errors));
    return message.Value();
  });
}

size_t SegmentFiles::WriteRun(size_t at, size_t end, std::vector<SlotError>* errors) {
  const auto slot = static_cast<int64_t>(Number(at, end));
  const auto position = static_cast<off_t>(Number(at + 1, end));
  const double records = Number(at + 2, end);
  const auto found = files_.find(slot);
  pieces_.clear();
  size_t next = at + 3;
  for (double record = 0; record < records; ++record)
    next = AddRecord(next, end, found == files_.end() ? 0 : found->second.crc_seed);
  if (found == files_.end()) {
    const auto failed = failed_.find(slot);
    errors->push_back(failed != failed_.end()
                          ? failed->second
                          : SlotError(slot, "EBADF", "segment slot " + std::to_string(slot) + " is not open"));
    return next;
  }
  SlotFile& file = found->second;
  try {
    if (file.error.empty()) WritePieces(file.file.fd(), position);
  } catch (const Failure& failure) {
    file.error.emplace_back(slot, "write " + file.path, failure);
  }
  errors->insert(errors->end(), file.error.begin(), file.error.end());
  return next;
}

size_t SegmentFiles::AddRecord(size_t at, size_t end, uint32_t crc_seed) {
  const double header_at = Number(at, end);
  const auto ranges = static_cast<size_t>(Number(at + 1, end));
  uint8_t* header = nullptr;
  uint32_t crc = 0;
  if (header_at != kRaw) {
    if (!(header_at >= 0 && header_at + records::kHeaderBytes <= scratch_.length))
      throw std::out_of_range("a record's header is not in the batch");
    header = scratch_.data + static_cast<size_t>(header_at);
    crc = records::SealHeader(header, crc_seed);
    AddPiece(header, records::kHeaderBytes);
  }
  size_t next = at + 2;
  Number(next + 3 * ranges - 1, end);
  for (size_t range = 0; range < ranges; ++range, next += 3) {
    const Memory bytes = Range(next);
    if (header != nullptr) crc = crc32::Update(crc, bytes.data, bytes.length);
    AddPiece(bytes.data, bytes.length);
  }
  if (header != nullptr) records::FinishHeader(header, crc);
  return next;
}

// Neighbours become one.
void SegmentFiles::AddPiece(uint8_t* data, size_t length) {
  if (length == 0) return;
  if (!pieces_.empty()) {
    iovec& last = pieces_.back();
    if (static_cast<uint8_t*>(last.iov_base) + last.iov_len == data) {
      last.iov_len += length;
      return;
    }
  }
  pieces_.push_back({data, length});
}

Memory SegmentFiles::Range(size_t at) {
  const auto id = static_cast<int64_t>(numbers_[at]);
  const auto found = slabs_.find(id);
  if (id != kScratchSlab && found == slabs_.end())
    throw std::out_of_range("slab " + std::to_string(id) + " was never made known");
  const Memory& memory = id == kScratchSlab ? scratch_ : found->second;
  const double offset = numbers_[at + 1];
  const double length = numbers_[at + 2];
  if (!(offset >= 0 && length >= 0 && offset + length <= static_cast<double>(memory.length)))
    throw std::out_of_range("a range is not in slab " + std::to_string(id));
  return {memory.data + static_cast<size_t>(offset), static_cast<size_t>(length)};
}

double SegmentFiles::Number(size_t at, size_t end) const {
  if (at >= end) throw std::out_of_range("a batch ends within a run");
  return numbers_[at];
}

void SegmentFiles::WritePieces(int fd, off_t position) { WriteAll(fd, pieces_.data(), pieces_.size(), position); }

void SegmentFiles::Release(int64_t slot) {
  failed_.erase(slot);
  const auto found = files_.find(slot);
  if (found == files_.end()) return;
  const std::string path = found->second.path;
  // What matters was synced before.
  const std::string error = found->second.file.Close();
  files_.erase(found);
  if (!error.empty()) Note("close " + path + ": " + error);
}

void SegmentFiles::Note(std::string message) {
  thread_.listener().Post([message = std::move(message)](napi_env env) {
    return message_value::Message(env, "note").Set("message", message).Value();
  });
}

}  // namespace nvrd::segment_files
