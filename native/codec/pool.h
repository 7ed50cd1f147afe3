// The codec's own threads: none of its work runs on libuv's pool, so that a burst of pictures does not delay disk
// access or name lookup. Scheduling is fair between long-lived objects: each has a lane, and lanes take turns. Lanes of work
// that nobody waits for have a turn only when no other lane has work.
//
// A long-lived object (decoder, encoder, transcoder) is used like this:
//
//   class SpeakJob : public Job {                            // created on the main thread
//     void Run(JobContext& context) override { ... }         // on a thread of the pool: no N-API; failure = ...;
//     Napi::Value Result(Napi::Env env) override { ... }     // on the main thread, if there was no failure
//   };
//   lane_ = pool->OpenLane();                                 // null: openMax objects are open
//   return pool->Submit(env, lane_, std::make_unique<SpeakJob>(...));   // a Promise
//   pool->CloseLane(lane_);                                   // rejects waiting jobs; running ones reach their deadline
//
// Rejections are Errors with `kind` (failure.h). Jobs of one lane never run at the same time.
#pragma once
#include <napi.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "deadline.h"
#include "failure.h"
#include "limits.h"

namespace nvrd::codec {

class PictureMaker;

// What a job can use on its thread.
struct JobContext {
  // Scalers and encoders of this thread.
  PictureMaker& pictures;
  const std::atomic<bool>& stopping;
  const std::atomic<bool>& lane_closed;

  // A deadline that is also reached when the lane is closed or the process ends.
  Deadline DeadlineAt(Deadline::Clock::time_point end) const { return Deadline(end, &stopping, &lane_closed); }
  Deadline DeadlineIn(unsigned milliseconds) const {
    return DeadlineAt(Deadline::Clock::now() + std::chrono::milliseconds(milliseconds));
  }
};

// One piece of work. Created, settled and destroyed on the main thread, so that it may own N-API references; only Run
// is called on another thread.
class Job {
 public:
  virtual ~Job() = default;
  virtual void Run(JobContext& context) = 0;
  // The value of its promise. An exception left pending in `env` rejects it.
  virtual Napi::Value Result(Napi::Env env) = 0;

  // Set by Run: the promise is rejected with it.
  Failure failure;
};

struct PoolBounds {
  unsigned threads = 1;
  // Waiting jobs of all lanes.
  unsigned queue_max = 1;
  // Lanes of long-lived objects.
  unsigned open_max = 1;
  // Decoded pictures of all decoders, bytes.
  size_t frame_bytes_max = 1;
  // A thread without work for so long drops what it keeps for the next picture.
  unsigned keep_ms = 1;
};

class Lane;

class Pool : public std::enable_shared_from_this<Pool> {
 public:
  // The pool of this environment (each thread of Node has its own), created with it and ended with it. Its threads
  // start with the first job.
  static std::shared_ptr<Pool> Of(Napi::Env env);

  Pool(Napi::Env env);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // A lane for a long-lived object; null when open_max lanes are open. Main thread.
  // `when_idle`: its jobs run only when no other lane has work.
  std::shared_ptr<Lane> OpenLane(bool when_idle = false);
  // Rejects its waiting jobs; a running job reaches its deadline. Closing it again does nothing. Main thread.
  void CloseLane(Napi::Env env, const std::shared_ptr<Lane>& lane);
  // The lane of single jobs. Several run at once, but at least one thread (if there are two) is left to the other
  // lanes. Somebody waits for each, so they get every second turn.
  const std::shared_ptr<Lane>& SingleJobs() const { return single_jobs_; }

  // A promise of the job's result. If the lane or the queue is full, it is rejected at once (kBusy). Main thread.
  Napi::Value Submit(Napi::Env env, const std::shared_ptr<Lane>& lane, std::unique_ptr<Job> job);

 private:
  struct Entry {
    std::unique_ptr<Job> job;
    napi_deferred deferred;
  };
  friend class Lane;
  friend void InitPool(Napi::Env env, Napi::Object exports);

  static Napi::Value Configure(const Napi::CallbackInfo& info);
  static Napi::Value Load(const Napi::CallbackInfo& info);

  // As many as the system has, up to the bound. False without any.
  bool StartThreads();
  void Stop();
  void End();
  void WorkOff();
  void AwaitWork(std::unique_lock<std::mutex>& lock, PictureMaker& pictures);
  std::shared_ptr<Lane> NextLane();
  void MarkReady(const std::shared_ptr<Lane>& lane);
  void Finish(Entry entry);
  void SettleFinished(Napi::Env env);
  static void Settle(Napi::Env env, Entry entry);

  PoolBounds bounds_;
  std::shared_ptr<Lane> single_jobs_;
  std::vector<std::thread> threads_;
  napi_threadsafe_function wake_ = nullptr;
  // Promises not settled yet: they keep the process alive. Main thread only.
  size_t unsettled_ = 0;
  // Lanes of long-lived objects. Main thread only.
  std::list<std::shared_ptr<Lane>> open_lanes_;
  std::atomic<bool> stopping_{false};

  std::mutex mutex_;
  std::condition_variable work_;
  // Lanes with work that may run now, in order of their turns.
  std::list<std::shared_ptr<Lane>> ready_;
  // The same, of those that wait until `ready_` is empty.
  std::list<std::shared_ptr<Lane>> ready_when_idle_;
  std::deque<Entry> finished_;
  bool wake_sent_ = false;
  size_t queued_ = 0;
  size_t running_ = 0;
};

// Jobs in order. All members but `closed_` are guarded by the pool's mutex.
class Lane {
 public:
  explicit Lane(size_t width) : width_(width) {}
  bool IsClosed() const { return closed_.load(std::memory_order_relaxed); }

 private:
  friend class Pool;
  std::deque<Pool::Entry> waiting_;
  // Most jobs that may run at once, and the number running.
  size_t width_;
  size_t running_ = 0;
  bool ready_ = false;
  bool single_jobs_ = false;
  bool when_idle_ = false;
  std::atomic<bool> closed_{false};
};

// Rejects with an Error that has `kind`.
Napi::Error ErrorOf(Napi::Env env, const Failure& failure);

// Adds configurePool and poolLoad to `exports`.
void InitPool(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::codec
