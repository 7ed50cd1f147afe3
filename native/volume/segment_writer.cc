// See segment_writer.h. Here is JavaScript's side: orders are made of its values, and memory that they name is kept from being collected.
#include "segment_writer.h"

#include <memory>
#include <utility>
#include <vector>

#include "../process/message_thread.h"
#include "../process/order_value.h"
#include "segment_files.h"

namespace nvrd::segment_writer {
namespace {

using message_thread::Listener;
using message_thread::MessageThread;
using order_value::Memory;
using segment_files::OpenOrder;
using segment_files::SegmentFiles;
using segment_files::Slab;
using segment_files::WriteOrder;

// The thread, and the memory that it knows: that is kept as long as the object of JavaScript.
class Writer {
 public:
  Writer(const std::string& directory, std::shared_ptr<Listener> listener)
      : thread_(std::make_shared<MessageThread>(std::move(listener))),
        files_(std::make_shared<SegmentFiles>(directory, *thread_)) {}

  bool Start() {
    return thread_->Start("nvrd-writer", [files = files_] { files->ReleaseAll(); });
  }
  void End() { thread_->End(); }

  // pin(device, identityMs, volumeId)
  void Pin(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    volume_disk::Place place{order_value::Number(env, info[0]), order_value::Number(env, info[1]),
                             order_value::Text(env, info[2])};
    Post([place = std::move(place)](SegmentFiles& files) { files.Pin(place); });
  }

  // setBatch(memory: Uint8Array, numbersBytes)
  void SetBatch(const Napi::CallbackInfo& info) {
    const Memory memory = order_value::MemoryOf(info.Env(), info[0]);
    const auto numbers_bytes = static_cast<size_t>(order_value::Whole(info.Env(), info[1]));
    if (numbers_bytes > memory.length) return;
    Keep(info[0], &batch_);
    Post([memory, numbers_bytes](SegmentFiles& files) { files.SetBatch(memory, numbers_bytes); });
  }

  // open(slot, path, header: Uint8Array, crcSeed, preallocateBytes)
  void Open(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    const Memory header = order_value::MemoryOf(env, info[2]);
    OpenOrder order{order_value::Whole(env, info[0]),
                    order_value::Text(env, info[1]),
                    std::vector<uint8_t>(header.data, header.data + header.length),
                    static_cast<uint32_t>(order_value::Whole(env, info[3])),
                    order_value::Whole(env, info[4])};
    Post([order = std::move(order)](SegmentFiles& files) { files.Open(order); });
  }

  // write(numbers, slabIds: number[], memories: Uint8Array[], forgetSlabs)
  void Write(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    WriteOrder order{static_cast<size_t>(order_value::Whole(env, info[0])), {}, order_value::Flag(env, info[3])};
    // The batch before has been answered, so the thread is done with what it is to forget, and with what it forgot by itself.
    once_.clear();
    if (order.forget_slabs) slabs_.clear();
    const std::vector<napi_value> ids = order_value::Elements(env, info[1]);
    const std::vector<napi_value> memories = order_value::Elements(env, info[2]);
    for (size_t at = 0; at < ids.size() && at < memories.size(); ++at) {
      const Slab slab{order_value::Whole(env, ids[at]), order_value::MemoryOf(env, memories[at])};
      Keep({env, memories[at]}, slab.id < 0 ? &once_ : &slabs_);
      order.slabs.push_back(slab);
    }
    Post([order = std::move(order)](SegmentFiles& files) { files.Write(order); });
  }

  // release(slot)
  void Release(const Napi::CallbackInfo& info) {
    const int64_t slot = order_value::Whole(info.Env(), info[0]);
    Post([slot](SegmentFiles& files) { files.Release(slot); });
  }

 private:
  void Post(std::function<void(SegmentFiles&)> order) {
    thread_->Post([files = files_, order = std::move(order)] { order(*files); });
  }

  using Kept = std::vector<Napi::ObjectReference>;

  static void Keep(const Napi::Value& memory, Kept* kept) { kept->push_back(Napi::Persistent(memory.As<Napi::Object>())); }

  const std::shared_ptr<MessageThread> thread_;
  const std::shared_ptr<SegmentFiles> files_;
  Kept batch_;
  Kept slabs_;
  // Memory for the batch under way alone.
  Kept once_;
};

// startSegmentWriter(directory, listener): an object with the orders as its functions. The listener gets { op: "started" }, then the
// answers of volume-messages.ts, or { op: "failed", message } and nothing more, and { op: "ended" } last. The object is to be kept
// until then. Undefined where the system has no more threads.
Napi::Value StartSegmentWriter(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::shared_ptr<Listener> listener = Listener::Make(info[1], "segment writer");
  if (listener == nullptr) return env.Undefined();
  const auto writer = std::make_shared<Writer>(info[0].ToString(), listener);
  if (!writer->Start()) {
    listener->Close();
    return env.Undefined();
  }
  Napi::Object orders = Napi::Object::New(env);
  const auto add = [&](const char* name, void (Writer::*run)(const Napi::CallbackInfo&)) {
    orders.Set(name, Napi::Function::New(env, [writer, run](const Napi::CallbackInfo& call) { ((*writer).*run)(call); }, name));
  };
  add("pin", &Writer::Pin);
  add("setBatch", &Writer::SetBatch);
  add("open", &Writer::Open);
  add("write", &Writer::Write);
  add("release", &Writer::Release);
  orders.Set("end", Napi::Function::New(env, [writer](const Napi::CallbackInfo&) { writer->End(); }, "end"));
  return orders;
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("startSegmentWriter", Napi::Function::New<StartSegmentWriter>(env, "startSegmentWriter"));
}

}  // namespace nvrd::segment_writer
