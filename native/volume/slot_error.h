// A segment's failure, as the threads of a volume report it (SlotError of src/archive/disk/volume-messages.ts).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../process/message_value.h"
#include "volume_disk.h"

namespace nvrd::slot_error {

struct SlotError {
  int64_t slot;
  std::string code;
  std::string message;
  // The file could not be created.
  bool is_creation = false;

  SlotError(int64_t slot, const std::string& what, const volume_disk::Failure& failure)
      : slot(slot), code(failure.code()), message(what + ": " + failure.what()) {}
  SlotError(int64_t slot, std::string code, std::string message)
      : slot(slot), code(std::move(code)), message(std::move(message)) {}

  napi_value ToValue(napi_env env) const {
    message_value::Object value(env);
    value.Set("slot", static_cast<double>(slot)).Set("code", code).Set("message", message);
    if (is_creation) value.SetFlag("isCreation", true);
    return value.Value();
  }
};

inline napi_value ToArray(napi_env env, const std::vector<SlotError>& errors) {
  std::vector<napi_value> values;
  for (const SlotError& error : errors) values.push_back(error.ToValue(env));
  return message_value::ArrayOf(env, values);
}

}  // namespace nvrd::slot_error
