// The codec's own threads: nothing of it runs on libuv's pool, so that no burst of pictures delays a disk or a name
// look-up. Work is fair between long-lived objects: each has a lane, lanes take turns.
//
// A long-lived object (decoder, encoder, transcoder) is used like this:
//
//   class SpeakJob : public Job {                            // made on the main thread
//     void Run(JobContext& context) override { ... }         // on a thread of the pool: no N-API; failure = ...;
//     Napi::Value Result(Napi::Env env) override { ... }     // on the main thread, when there was no failure
//   };
//   lane_ = pool->OpenLane();                                 // null: openMax objects are open
//   return pool->Submit(env, lane_, std::make_unique<SpeakJob>(...));   // a Promise
//   pool->CloseLane(lane_);                                   // what waits is rejected, what runs sees its deadline
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

// What a job finds on the thread it runs on.
struct JobContext {
  // Scalers and encoders of this thread.
  PictureMaker& pictures;
  const std::atomic<bool>& stopping;
  const std::atomic<bool>& lane_closed;

  // A deadline that also holds when the lane is closed or the process ends.
  Deadline DeadlineAt(Deadline::Clock::time_point end) const { return Deadline(end, &stopping, &lane_closed); }
  Deadline DeadlineIn(unsigned milliseconds) const {
    return DeadlineAt(Deadline::Clock::now() + std::chrono::milliseconds(milliseconds));
  }
};

// One piece of work. Made, settled and destroyed on the main thread, so that it may own N-API references; Run alone
// happens elsewhere.
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
  // Jobs that wait, of all lanes together.
  unsigned queue_max = 1;
  // Lanes of long-lived objects.
  unsigned open_max = 1;
  // Decoded pictures of all decoders, bytes.
  size_t frame_bytes_max = 1;
};

class Lane;

class Pool : public std::enable_shared_from_this<Pool> {
 public:
  // The pool of this environment (a thread of Node has its own), made at its first use and ended with it. Its threads
  // start with the first job.
  static std::shared_ptr<Pool> Of(Napi::Env env);

  Pool(Napi::Env env);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // A lane for a long-lived object; null when open_max lanes are open. Main thread.
  std::shared_ptr<Lane> OpenLane();
  // Rejects what waits on it; what runs meets its deadline. To close it again does nothing. Main thread.
  void CloseLane(Napi::Env env, const std::shared_ptr<Lane>& lane);
  // The lane of jobs that stand alone: several of them run at once, one thread at least is left to the other lanes
  // (where there are two), and somebody waits for them, so they have each second turn.
  const std::shared_ptr<Lane>& SingleJobs() const { return single_jobs_; }

  // A promise of the job's result. When the lane or the queue is full it is rejected at once (kBusy). Main thread.
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

  void StartThreads();
  void Stop();
  void End();
  void WorkOff();
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
  // Those of long-lived objects. Main thread only.
  std::list<std::shared_ptr<Lane>> open_lanes_;
  std::atomic<bool> stopping_{false};

  std::mutex mutex_;
  std::condition_variable work_;
  // Lanes with work that may run now, in turn.
  std::list<std::shared_ptr<Lane>> ready_;
  std::deque<Entry> finished_;
  bool wake_sent_ = false;
  size_t queued_ = 0;
  size_t running_ = 0;
};

// Jobs in the order they were given. All but `closed` is guarded by the pool's mutex.
class Lane {
 public:
  explicit Lane(size_t width) : width_(width) {}
  bool IsClosed() const { return closed_.load(std::memory_order_relaxed); }

 private:
  friend class Pool;
  std::deque<Pool::Entry> waiting_;
  // How many of its jobs may run at once, and how many do.
  size_t width_;
  size_t running_ = 0;
  bool ready_ = false;
  bool single_jobs_ = false;
  std::atomic<bool> closed_{false};
};

// Rejects with an Error that has `kind`.
Napi::Error ErrorOf(Napi::Env env, const Failure& failure);

// Adds configurePool and poolLoad to `exports`.
void InitPool(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::codec
