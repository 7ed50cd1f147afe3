// Values for JavaScript that are made when its thread may be ending: every call of Node's may be refused then, and nothing is thrown.
#pragma once
#include <string>
#include <vector>

#include <node_api.h>

namespace nvrd::message_value {

// An object in the making. Null when Node refused anything of it.
class Object {
 public:
  explicit Object(napi_env env) : env_(env) { Check(napi_create_object(env, &object_)); }

  Object& Set(const char* name, double number) {
    napi_value value = nullptr;
    Check(napi_create_double(env_, number, &value));
    return Set(name, value);
  }
  Object& Set(const char* name, const std::string& text) {
    napi_value value = nullptr;
    Check(napi_create_string_utf8(env_, text.data(), text.size(), &value));
    return Set(name, value);
  }
  Object& SetFlag(const char* name, bool flag) {
    napi_value value = nullptr;
    Check(napi_get_boolean(env_, flag, &value));
    return Set(name, value);
  }
  Object& Set(const char* name, napi_value value) {
    Check(value == nullptr ? napi_generic_failure : napi_ok);
    if (is_whole_) Check(napi_set_named_property(env_, object_, name, value));
    return *this;
  }

  napi_value Value() const { return is_whole_ ? object_ : nullptr; }

 private:
  void Check(napi_status status) { is_whole_ = is_whole_ && status == napi_ok; }

  const napi_env env_;
  napi_value object_ = nullptr;
  bool is_whole_ = true;
};

// Null when one of them is, or when Node refuses.
inline napi_value ArrayOf(napi_env env, const std::vector<napi_value>& values) {
  napi_value array = nullptr;
  if (napi_create_array_with_length(env, values.size(), &array) != napi_ok) return nullptr;
  for (uint32_t at = 0; at < values.size(); ++at) {
    if (values[at] == nullptr || napi_set_element(env, array, at, values[at]) != napi_ok) return nullptr;
  }
  return array;
}

// A message for a listener: { op, … }.
inline Object Message(napi_env env, const char* op) {
  Object message(env);
  message.Set("op", std::string(op));
  return message;
}

}  // namespace nvrd::message_value
