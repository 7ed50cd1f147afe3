// See message_thread.h.
#include "message_thread.h"

#include <exception>
#include <string>
#include <utility>

#include "threads.h"
#include "message_value.h"

namespace nvrd::message_thread {

using message_value::Message;

std::shared_ptr<Listener> Listener::Make(const Napi::Value& function, const char* name) {
  const Napi::Env env = function.Env();
  if (!function.IsFunction()) {
    Napi::TypeError::New(env, "the listener is no function").ThrowAsJavaScriptException();
    return nullptr;
  }
  auto listener = std::make_shared<Listener>();
  // The finalizer's own hold: the listener outlives the function.
  auto* const hold = new std::shared_ptr<Listener>(listener);
  const napi_status status =
      napi_create_threadsafe_function(env, function, nullptr, Napi::String::New(env, name), 0, 1, hold,
                                      &Listener::Finalize, nullptr, &Listener::Call, &listener->function_);
  if (status == napi_ok) return listener;
  delete hold;
  Napi::Error::New(env, "no function for other threads").ThrowAsJavaScriptException();
  return nullptr;
}

void Listener::Post(Answer answer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (function_ == nullptr) return;
  auto owned = std::make_unique<Answer>(std::move(answer));
  // The queue has no bound, so this does not wait.
  if (napi_call_threadsafe_function(function_, owned.get(), napi_tsfn_nonblocking) == napi_ok) owned.release();
}

void Listener::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (function_ == nullptr) return;
  napi_release_threadsafe_function(function_, napi_tsfn_release);
  function_ = nullptr;
}

void Listener::Call(napi_env env, napi_value function, void*, void* data) {
  const std::unique_ptr<Answer> answer(static_cast<Answer*>(data));
  // Without an environment JavaScript's thread is ending.
  if (env == nullptr) return;
  napi_value receiver = nullptr;
  napi_value message = (*answer)(env);
  if (message == nullptr || napi_get_undefined(env, &receiver) != napi_ok) return;
  // What the listener throws is Node's to report.
  napi_call_function(env, receiver, function, 1, &message, nullptr);
}

void Listener::Finalize(napi_env, void* data, void*) {
  const std::unique_ptr<std::shared_ptr<Listener>> hold(static_cast<std::shared_ptr<Listener>*>(data));
  Listener& listener = **hold;
  {
    const std::lock_guard<std::mutex> lock(listener.mutex_);
    if (listener.function_ == nullptr) return;
    listener.function_ = nullptr;
  }
  if (listener.on_abandoned) listener.on_abandoned();
}

bool MessageThread::Start(const char* name, std::function<void()> at_end) {
  const std::weak_ptr<MessageThread> self = weak_from_this();
  listener_->on_abandoned = [self] {
    if (const auto thread = self.lock()) thread->End();
  };
  return threads::Start(name, [thread = shared_from_this(), at_end = std::move(at_end)] { thread->Run(at_end); });
}

void MessageThread::Post(std::function<void()> order) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    orders_.push_back(std::move(order));
  }
  posted_.notify_one();
}

void MessageThread::End() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_ending_ = true;
  }
  posted_.notify_one();
}

void MessageThread::Run(const std::function<void()>& at_end) {
  listener_->Post([](napi_env env) { return Message(env, "started").Value(); });
  try {
    Work();
  } catch (const std::exception& error) {
    listener_->Post([message = std::string(error.what())](napi_env env) {
      return Message(env, "failed").Set("message", message).Value();
    });
  }
  at_end();
  listener_->Post([](napi_env env) { return Message(env, "ended").Value(); });
  listener_->Close();
}

void MessageThread::Work() {
  while (const auto order = Next()) order();
}

std::function<void()> MessageThread::Next() {
  std::unique_lock<std::mutex> lock(mutex_);
  posted_.wait(lock, [this] { return is_ending_ || !orders_.empty(); });
  if (is_ending_) return nullptr;
  std::function<void()> order = std::move(orders_.front());
  orders_.pop_front();
  return order;
}

}  // namespace nvrd::message_thread
