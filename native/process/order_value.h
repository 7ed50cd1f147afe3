// Values of JavaScript in an order. Its thread may be ending: every call of Node's may be refused then, and nothing is thrown. What is
// not there is 0, "" or empty.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <node_api.h>

namespace nvrd::order_value {

inline double Number(napi_env env, napi_value value) {
  double number = 0;
  return napi_get_value_double(env, value, &number) == napi_ok ? number : 0;
}

inline int64_t Whole(napi_env env, napi_value value) {
  int64_t whole = 0;
  return napi_get_value_int64(env, value, &whole) == napi_ok ? whole : 0;
}

inline bool Flag(napi_env env, napi_value value) {
  bool flag = false;
  return napi_get_value_bool(env, value, &flag) == napi_ok && flag;
}

inline std::string Text(napi_env env, napi_value value) {
  size_t length = 0;
  if (napi_get_value_string_utf8(env, value, nullptr, 0, &length) != napi_ok) return "";
  std::string text(length, '\0');
  // With the byte that ends it, for which std::string has room.
  napi_get_value_string_utf8(env, value, text.data(), length + 1, &length);
  return text;
}

inline std::vector<napi_value> Elements(napi_env env, napi_value array) {
  uint32_t length = 0;
  if (napi_get_array_length(env, array, &length) != napi_ok) return {};
  std::vector<napi_value> elements(length);
  for (uint32_t at = 0; at < length; ++at) {
    if (napi_get_element(env, array, at, &elements[at]) != napi_ok) return {};
  }
  return elements;
}

struct Memory {
  uint8_t* data = nullptr;
  size_t length = 0;
};

// Of a Uint8Array; it may be shared. Null for anything else.
inline Memory MemoryOf(napi_env env, napi_value value) {
  Memory memory;
  void* data = nullptr;
  bool is_array = false;
  napi_typedarray_type type{};
  if (napi_is_typedarray(env, value, &is_array) != napi_ok || !is_array ||
      napi_get_typedarray_info(env, value, &type, &memory.length, &data, nullptr, nullptr) != napi_ok ||
      type != napi_uint8_array) {
    return {};
  }
  memory.data = static_cast<uint8_t*>(data);
  return memory;
}

}  // namespace nvrd::order_value
