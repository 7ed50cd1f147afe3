/*
 * heapBytes(): the bytes that malloc has given out in this process and not taken back, of all threads and all its users:
 * libav*, addons, Node and the memory of ArrayBuffers. Unlike resident memory it does not count what lies free in between.
 *
 *   cc -shared -fPIC -I node_modules/node-api-headers/include heap-use.c -o heap-use.node
 */
#include <malloc.h>
#include <node_api.h>

static napi_value HeapBytes(napi_env env, napi_callback_info info) {
  (void)info;
  const struct mallinfo2 use = mallinfo2();
  napi_value bytes = NULL;
  napi_create_double(env, (double)(use.uordblks + use.hblkhd), &bytes);
  return bytes;
}

NAPI_MODULE_EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function = NULL;
  if (napi_create_function(env, "heapBytes", NAPI_AUTO_LENGTH, HeapBytes, NULL, &function) == napi_ok)
    napi_set_named_property(env, exports, "heapBytes", function);
  return exports;
}
