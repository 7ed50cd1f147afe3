// See segment_syncer.h. Here is JavaScript's side: orders are made of its values.
#include "segment_syncer.h"

#include <memory>
#include <utility>
#include <vector>

#include "../process/message_thread.h"
#include "../process/order_value.h"
#include "segment_syncs.h"

namespace nvrd::segment_syncer {
namespace {

using message_thread::Listener;
using message_thread::MessageThread;
using segment_syncs::Move;
using segment_syncs::SegmentSyncs;
using segment_syncs::SyncFile;

class Syncer {
 public:
  Syncer(const std::string& directory, std::shared_ptr<Listener> listener)
      : thread_(std::make_shared<MessageThread>(std::move(listener))),
        syncs_(std::make_shared<SegmentSyncs>(directory, *thread_)) {}

  bool Start() {
    return thread_->Start("nvrd-syncer", [syncs = syncs_] { syncs->AbandonAll(); });
  }
  void End() { thread_->End(); }

  // pin(device, identityMs, volumeId)
  void Pin(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    volume_disk::Place place{order_value::Number(env, info[0]), order_value::Number(env, info[1]),
                             order_value::Text(env, info[2])};
    Post([place = std::move(place)](SegmentSyncs& syncs) { syncs.Pin(place); });
  }

  // sync(slots: number[], paths: string[], bytes: number[])
  void Sync(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    const std::vector<napi_value> slots = order_value::Elements(env, info[0]);
    const std::vector<napi_value> paths = order_value::Elements(env, info[1]);
    const std::vector<napi_value> bytes = order_value::Elements(env, info[2]);
    if (paths.size() != slots.size() || bytes.size() != slots.size()) return;
    std::vector<SyncFile> files;
    for (size_t at = 0; at < slots.size(); ++at) files.push_back(FileOf(env, slots[at], paths[at], bytes[at]));
    Post([files = std::move(files)](SegmentSyncs& syncs) { syncs.Sync(files); });
  }

  // close(slot, path, bytes)
  void Close(const Napi::CallbackInfo& info) {
    Post([file = FileOf(info.Env(), info[0], info[1], info[2])](SegmentSyncs& syncs) { syncs.Close(file); });
  }

  // abandon(slot)
  void Abandon(const Napi::CallbackInfo& info) {
    const int64_t slot = order_value::Whole(info.Env(), info[0]);
    Post([slot](SegmentSyncs& syncs) { syncs.Abandon(slot); });
  }

  // rename(id, from: string[], to: string[])
  void Rename(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    const std::vector<napi_value> from = order_value::Elements(env, info[1]);
    const std::vector<napi_value> to = order_value::Elements(env, info[2]);
    std::vector<Move> moves;
    for (size_t at = 0; at < from.size() && at < to.size(); ++at)
      moves.push_back({order_value::Text(env, from[at]), order_value::Text(env, to[at])});
    const double id = order_value::Number(env, info[0]);
    Post([id, moves = std::move(moves)](SegmentSyncs& syncs) { syncs.Rename(id, moves); });
  }

 private:
  static SyncFile FileOf(napi_env env, napi_value slot, napi_value path, napi_value bytes) {
    return {order_value::Whole(env, slot), order_value::Text(env, path), order_value::Whole(env, bytes)};
  }

  void Post(std::function<void(SegmentSyncs&)> order) {
    thread_->Post([syncs = syncs_, order = std::move(order)] { order(*syncs); });
  }

  const std::shared_ptr<MessageThread> thread_;
  const std::shared_ptr<SegmentSyncs> syncs_;
};

// startSegmentSyncer(directory, listener): as startSegmentWriter.
Napi::Value StartSegmentSyncer(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::shared_ptr<Listener> listener = Listener::Make(info[1], "segment syncer");
  if (listener == nullptr) return env.Undefined();
  const auto syncer = std::make_shared<Syncer>(info[0].ToString(), listener);
  if (!syncer->Start()) {
    listener->Close();
    return env.Undefined();
  }
  Napi::Object orders = Napi::Object::New(env);
  const auto add = [&](const char* name, void (Syncer::*run)(const Napi::CallbackInfo&)) {
    orders.Set(name, Napi::Function::New(env, [syncer, run](const Napi::CallbackInfo& call) { ((*syncer).*run)(call); }, name));
  };
  add("pin", &Syncer::Pin);
  add("sync", &Syncer::Sync);
  add("close", &Syncer::Close);
  add("abandon", &Syncer::Abandon);
  add("rename", &Syncer::Rename);
  orders.Set("end", Napi::Function::New(env, [syncer](const Napi::CallbackInfo&) { syncer->End(); }, "end"));
  return orders;
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("startSegmentSyncer", Napi::Function::New<StartSegmentSyncer>(env, "startSegmentSyncer"));
}

}  // namespace nvrd::segment_syncer
