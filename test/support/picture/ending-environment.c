/*
 * Stands between codec.node and Node: from a chosen call on, Node-API answers as in a thread that is being ended, where
 * every function that could run JavaScript fails (NAPI_PREAMBLE in Node's js_native_api_v8.h).
 *
 *   cc -shared -fPIC -I node_modules/node-api-headers/include ending-environment.c build/codec.node -o FILE
 *
 * Load it with process.dlopen and RTLD_DEEPBIND: its exports are those of codec.node and endFrom(n), which begins to count
 * such calls anew, lets those before the n-th pass (all for 0) and answers how many there were since it was called last.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <node_api.h>

static unsigned calls;
static unsigned first_failing;

static int Ended(void) {
  calls += 1;
  return first_failing != 0 && calls >= first_failing;
}

static void* InNode(const char* name) { return dlsym(dlopen(NULL, RTLD_LAZY), name); }

#define GATE(name, parameters, arguments)                                 \
  napi_status name parameters {                                           \
    static napi_status(*real) parameters;                                 \
    if (Ended()) return napi_pending_exception;                           \
    if (real == NULL) real = (napi_status(*) parameters)InNode(#name);    \
    return real arguments;                                                \
  }

GATE(napi_create_promise, (napi_env env, napi_deferred* deferred, napi_value* promise), (env, deferred, promise))
GATE(napi_resolve_deferred, (napi_env env, napi_deferred deferred, napi_value value), (env, deferred, value))
GATE(napi_reject_deferred, (napi_env env, napi_deferred deferred, napi_value value), (env, deferred, value))
GATE(napi_coerce_to_bool, (napi_env env, napi_value value, napi_value* result), (env, value, result))
GATE(napi_coerce_to_number, (napi_env env, napi_value value, napi_value* result), (env, value, result))
GATE(napi_coerce_to_string, (napi_env env, napi_value value, napi_value* result), (env, value, result))
GATE(napi_coerce_to_object, (napi_env env, napi_value value, napi_value* result), (env, value, result))
GATE(napi_get_element, (napi_env env, napi_value object, uint32_t index, napi_value* result),
     (env, object, index, result))
GATE(napi_set_element, (napi_env env, napi_value object, uint32_t index, napi_value value), (env, object, index, value))
GATE(napi_get_property, (napi_env env, napi_value object, napi_value key, napi_value* result),
     (env, object, key, result))
GATE(napi_has_property, (napi_env env, napi_value object, napi_value key, bool* result), (env, object, key, result))
GATE(napi_get_named_property, (napi_env env, napi_value object, const char* name, napi_value* result),
     (env, object, name, result))
GATE(napi_set_named_property, (napi_env env, napi_value object, const char* name, napi_value value),
     (env, object, name, value))
GATE(napi_define_properties,
     (napi_env env, napi_value object, size_t count, const napi_property_descriptor* properties),
     (env, object, count, properties))
GATE(napi_define_class,
     (napi_env env, const char* name, size_t length, napi_callback constructor, void* data, size_t count,
      const napi_property_descriptor* properties, napi_value* result),
     (env, name, length, constructor, data, count, properties, result))
GATE(napi_create_function,
     (napi_env env, const char* name, size_t length, napi_callback callback, void* data, napi_value* result),
     (env, name, length, callback, data, result))
GATE(napi_call_function,
     (napi_env env, napi_value receiver, napi_value function, size_t count, const napi_value* arguments,
      napi_value* result),
     (env, receiver, function, count, arguments, result))
GATE(napi_throw, (napi_env env, napi_value error), (env, error))
GATE(napi_wrap,
     (napi_env env, napi_value object, void* native, napi_finalize finalize, void* hint, napi_ref* result),
     (env, object, native, finalize, hint, result))
GATE(napi_unwrap, (napi_env env, napi_value object, void** result), (env, object, result))
GATE(napi_remove_wrap, (napi_env env, napi_value object, void** result), (env, object, result))
GATE(napi_create_arraybuffer, (napi_env env, size_t length, void** data, napi_value* result),
     (env, length, data, result))
GATE(napi_create_external_arraybuffer,
     (napi_env env, void* data, size_t length, napi_finalize finalize, void* hint, napi_value* result),
     (env, data, length, finalize, hint, result))
GATE(napi_create_typedarray,
     (napi_env env, napi_typedarray_type type, size_t length, napi_value buffer, size_t offset, napi_value* result),
     (env, type, length, buffer, offset, result))

static napi_value EndFrom(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument = NULL;
  napi_value before = NULL;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  napi_create_uint32(env, calls, &before);
  napi_get_value_uint32(env, argument, &first_failing);
  calls = 0;
  return before;
}

NAPI_MODULE_EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value (*codec)(napi_env, napi_value) =
      (napi_value(*)(napi_env, napi_value))dlsym(RTLD_NEXT, "napi_register_module_v1");
  exports = codec(env, exports);
  const unsigned counted = calls;
  const unsigned failing = first_failing;
  napi_value end_from = NULL;
  first_failing = 0;
  if (napi_create_function(env, "endFrom", NAPI_AUTO_LENGTH, EndFrom, NULL, &end_from) == napi_ok)
    napi_set_named_property(env, exports, "endFrom", end_from);
  calls = counted;
  first_failing = failing;
  return exports;
}
