// See pool.h.
#include "pool.h"

#include <cmath>
#include <csignal>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "decode/frame_memory.h"
#include "picture/picture_maker.h"

namespace nvrd::codec {
namespace {

struct EnvironmentData {
  std::shared_ptr<Pool> pool;
};

// A whole number from 1 to `largest`; false for anything else.
template <typename Number>
bool ReadBound(const Napi::Object& options, const char* name, Number largest, Number* out) {
  const Napi::Value value = options.Get(name);
  if (!value.IsNumber()) return false;
  const double number = value.As<Napi::Number>().DoubleValue();
  if (!(number >= 1 && number <= static_cast<double>(largest)) || number != std::floor(number)) return false;
  *out = static_cast<Number>(number);
  return true;
}

// Node handles signals: its handlers must not run on the pool's threads.
void BlockSignals(sigset_t* before) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, before);
}

}  // namespace

Napi::Error ErrorOf(Napi::Env env, const Failure& failure) {
  Napi::Error error = Napi::Error::New(env, failure.message);
  error.Set("kind", Napi::String::New(env, NameOf(failure.kind)));
  return error;
}

std::shared_ptr<Pool> Pool::Of(Napi::Env env) { return env.GetInstanceData<EnvironmentData>()->pool; }

Pool::Pool(Napi::Env env) : single_jobs_(std::make_shared<Lane>(1)) {
  single_jobs_->single_jobs_ = true;
  const Napi::String name = Napi::String::New(env, "nvrd-codec");
  const auto wake = [](napi_env raw, napi_value, void* pool, void*) {
    if (raw != nullptr) static_cast<Pool*>(pool)->SettleFinished(Napi::Env(raw));
  };
  if (napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, this, wake, &wake_) != napi_ok) {
    wake_ = nullptr;
    return;
  }
  napi_unref_threadsafe_function(env, wake_);
}

Pool::~Pool() { Stop(); }

std::shared_ptr<Lane> Pool::OpenLane(bool when_idle) {
  if (open_lanes_.size() >= bounds_.open_max || stopping_) return nullptr;
  const std::shared_ptr<Lane>& lane = open_lanes_.emplace_back(std::make_shared<Lane>(1));
  lane->when_idle_ = when_idle;
  return lane;
}

void Pool::CloseLane(Napi::Env env, const std::shared_ptr<Lane>& lane) {
  if (lane->closed_.exchange(true)) return;
  open_lanes_.remove(lane);
  std::deque<Entry> waiting;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting.swap(lane->waiting_);
    queued_ -= waiting.size();
  }
  for (Entry& entry : waiting) {
    entry.job->failure = Deadline::FailureOf(FailureKind::kClosed);
    unsettled_ -= 1;
    Settle(env, std::move(entry));
  }
  if (unsettled_ == 0 && !waiting.empty() && !stopping_) napi_unref_threadsafe_function(env, wake_);
}

Napi::Value Pool::Submit(Napi::Env env, const std::shared_ptr<Lane>& lane, std::unique_ptr<Job> job) {
  Entry entry{std::move(job), nullptr};
  napi_value promise = nullptr;
  // A thread that is being terminated cannot create a promise, and nothing would receive it. Napi::Promise::Deferred
  // would then leave both values unset.
  if (napi_create_promise(env, &entry.deferred, &promise) != napi_ok) return env.Undefined();
  Failure refused;
  if (stopping_ || wake_ == nullptr || lane->IsClosed()) {
    refused = Deadline::FailureOf(FailureKind::kClosed);
  } else if (!StartThreads()) {
    refused = Failure::Of(FailureKind::kBusy, "the system has no thread for the codec");
  } else {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (queued_ >= bounds_.queue_max) {
      refused = Failure::Of(FailureKind::kBusy, "the codec's queue is full");
    } else if (!lane->single_jobs_ && lane->waiting_.size() >= kLaneQueueMax) {
      refused = Failure::Of(FailureKind::kBusy, "the stream's queue of the codec is full");
    } else {
      lane->waiting_.push_back(std::move(entry));
      queued_ += 1;
      MarkReady(lane);
    }
  }
  if (refused) {
    entry.job->failure = std::move(refused);
    Settle(env, std::move(entry));
    return Napi::Value(env, promise);
  }
  if (unsettled_++ == 0) napi_ref_threadsafe_function(env, wake_);
  return Napi::Value(env, promise);
}

bool Pool::StartThreads() {
  if (!threads_.empty()) return true;
  sigset_t before;
  BlockSignals(&before);
  try {
    while (threads_.size() < bounds_.threads) threads_.emplace_back([this] { WorkOff(); });
  } catch (const std::system_error&) {
    // The system has no more threads (pids.max, RLIMIT_NPROC): those that it had do the work.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  const std::lock_guard<std::mutex> lock(mutex_);
  single_jobs_->width_ = threads_.size() > 1 ? threads_.size() - 1 : 1;
  return !threads_.empty();
}

void Pool::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    ready_.clear();
    ready_when_idle_.clear();
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

// Stops, and destroys waiting jobs with their references, on the main thread. Their promises stay pending: nothing is
// left to receive them.
void Pool::End() {
  Stop();
  finished_.clear();
  single_jobs_->waiting_.clear();
  for (const std::shared_ptr<Lane>& lane : open_lanes_) lane->waiting_.clear();
}

void Pool::WorkOff() {
  pthread_setname_np(pthread_self(), "nvrd-codec");
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kThreadNice);
  PictureMaker pictures;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    AwaitWork(lock, pictures);
    if (stopping_) return;
    const std::shared_ptr<Lane> lane = NextLane();
    if (lane == nullptr) continue;
    Entry entry = std::move(lane->waiting_.front());
    lane->waiting_.pop_front();
    lane->running_ += 1;
    queued_ -= 1;
    running_ += 1;
    MarkReady(lane);
    lock.unlock();
    JobContext context{pictures, stopping_, lane->closed_};
    try {
      entry.job->Run(context);
    } catch (const std::bad_alloc&) {
      entry.job->failure = Failure::Of(FailureKind::kMemory, "no memory left");
    }
    lock.lock();
    running_ -= 1;
    lane->running_ -= 1;
    MarkReady(lane);
    Finish(std::move(entry));
  }
}

// Returns when there is work or the pool stops. A thread without work for a while drops what it kept for the next picture.
void Pool::AwaitWork(std::unique_lock<std::mutex>& lock, PictureMaker& pictures) {
  const auto is_called = [this] { return stopping_ || !ready_.empty() || !ready_when_idle_.empty(); };
  if (work_.wait_for(lock, std::chrono::milliseconds(bounds_.keep_ms), is_called)) return;
  lock.unlock();
  pictures.Drop();
  lock.lock();
  work_.wait(lock, is_called);
}

// Removes the next lane from the list; null if its work was withdrawn.
std::shared_ptr<Lane> Pool::NextLane() {
  std::list<std::shared_ptr<Lane>>& ready = ready_.empty() ? ready_when_idle_ : ready_;
  const std::shared_ptr<Lane> lane = ready.front();
  ready.pop_front();
  lane->ready_ = false;
  return lane->waiting_.empty() ? nullptr : lane;
}

// Puts a lane with work at the end of the list; single jobs after the first lane.
void Pool::MarkReady(const std::shared_ptr<Lane>& lane) {
  if (lane->ready_ || lane->waiting_.empty() || lane->running_ >= lane->width_ || stopping_) return;
  lane->ready_ = true;
  if (lane->when_idle_) {
    ready_when_idle_.push_back(lane);
  } else {
    const auto behind = lane->single_jobs_ && !ready_.empty() ? std::next(ready_.begin()) : ready_.end();
    ready_.insert(behind, lane);
  }
  work_.notify_one();
}

// With the mutex held. One wake-up of the main thread settles all jobs finished by then.
void Pool::Finish(Entry entry) {
  finished_.push_back(std::move(entry));
  if (wake_sent_ || stopping_) return;
  wake_sent_ = true;
  napi_call_threadsafe_function(wake_, nullptr, napi_tsfn_nonblocking);
}

void Pool::SettleFinished(Napi::Env env) {
  std::deque<Entry> finished;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finished.swap(finished_);
    wake_sent_ = false;
  }
  unsettled_ -= finished.size();
  for (Entry& entry : finished) Settle(env, std::move(entry));
  if (unsettled_ == 0 && !stopping_) napi_unref_threadsafe_function(env, wake_);
}

// The results of these two Node-API functions are ignored: they fail if the thread is being terminated, and then
// nothing waits.
void Pool::Settle(Napi::Env env, Entry entry) {
  const Napi::HandleScope scope(env);
  if (!entry.job->failure) {
    const Napi::Value value = entry.job->Result(env);
    if (env.IsExceptionPending()) {
      napi_reject_deferred(env, entry.deferred, env.GetAndClearPendingException().Value());
      return;
    }
    if (!entry.job->failure) {
      napi_resolve_deferred(env, entry.deferred, value);
      return;
    }
  }
  napi_reject_deferred(env, entry.deferred, ErrorOf(env, entry.job->failure).Value());
}

// configurePool({ threads, queueMax, openMax, frameBytesMax, keepMs }): true if it was accepted. The number of running threads
// cannot change.
Napi::Value Pool::Configure(const Napi::CallbackInfo& info) {
  PoolBounds bounds;
  if (!info[0].IsObject()) return Napi::Boolean::New(info.Env(), false);
  const Napi::Object options = info[0].As<Napi::Object>();
  const bool read = ReadBound(options, "threads", kThreadsMax, &bounds.threads) &&
                    ReadBound(options, "queueMax", kQueueMax, &bounds.queue_max) &&
                    ReadBound(options, "openMax", kOpenMax, &bounds.open_max) &&
                    ReadBound(options, "frameBytesMax", kFrameBytesMax, &bounds.frame_bytes_max) &&
                    ReadBound(options, "keepMs", kKeepMsMax, &bounds.keep_ms);
  const std::shared_ptr<Pool> pool = Of(info.Env());
  if (read && (pool->threads_.empty() || bounds.threads == pool->bounds_.threads)) {
    const std::lock_guard<std::mutex> lock(pool->mutex_);
    pool->bounds_ = bounds;
    FrameMemory::SetAllBytesMax(bounds.frame_bytes_max);
    return Napi::Boolean::New(info.Env(), true);
  }
  return Napi::Boolean::New(info.Env(), false);
}

// poolLoad(): { threads, running, queued, open, frameBytes, frameBytesMax, frameRefusals }.
Napi::Value Pool::Load(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::shared_ptr<Pool> pool = Of(env);
  const std::lock_guard<std::mutex> lock(pool->mutex_);
  Napi::Object load = Napi::Object::New(env);
  load.Set("threads", Napi::Number::New(env, pool->bounds_.threads));
  load.Set("running", Napi::Number::New(env, static_cast<double>(pool->running_)));
  load.Set("queued", Napi::Number::New(env, static_cast<double>(pool->queued_)));
  load.Set("open", Napi::Number::New(env, static_cast<double>(pool->open_lanes_.size())));
  load.Set("frameBytes", Napi::Number::New(env, static_cast<double>(FrameMemory::AllBytes())));
  load.Set("frameBytesMax", Napi::Number::New(env, static_cast<double>(pool->bounds_.frame_bytes_max)));
  load.Set("frameRefusals", Napi::Number::New(env, static_cast<double>(FrameMemory::Refusals())));
  return load;
}

void InitPool(Napi::Env env, Napi::Object exports) {
  auto* data = new EnvironmentData{std::make_shared<Pool>(env)};
  env.SetInstanceData<EnvironmentData>(data);
  // Added after the thread-safe function's hook, so it runs before it: no thread of the pool calls that function once
  // it has ended.
  env.AddCleanupHook([](EnvironmentData* ending) { ending->pool->End(); }, data);
  exports.Set("configurePool", Napi::Function::New<Pool::Configure>(env, "configurePool"));
  exports.Set("poolLoad", Napi::Function::New<Pool::Load>(env, "poolLoad"));
}

}  // namespace nvrd::codec
