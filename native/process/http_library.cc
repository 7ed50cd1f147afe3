// See http_library.h.
#include "http_library.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace nvrd::http_library {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kSlotTypes[] = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT};
#elif defined(__aarch64__)
constexpr uint32_t kSlotTypes[] = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT};
#else
#error "the relocations of this processor are not known"
#endif

// realloc, but what it gives is never where it was: who compares the two addresses sees that it is another object.
void* MovingRealloc(void* old, size_t size) {
  if (old == nullptr || size == 0) return std::realloc(old, size);
  void* moved = std::malloc(size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, old, std::min(size, malloc_usable_size(old)));
  std::free(old);
  return moved;
}

// What the dynamic section of a loaded file says (System V ABI, "Dynamic Section"); glibc has made the addresses absolute.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * calls = nullptr;
  size_t call_bytes = 0;
  const ElfW(Rela) * others = nullptr;
  size_t other_bytes = 0;
};

Dynamic ReadDynamic(const ElfW(Dyn) * entry) {
  Dynamic dynamic;
  for (; entry->d_tag != DT_NULL; entry++) {
    const auto address = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) dynamic.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
    if (entry->d_tag == DT_STRTAB) dynamic.names = reinterpret_cast<const char*>(address);
    if (entry->d_tag == DT_JMPREL) dynamic.calls = reinterpret_cast<const ElfW(Rela)*>(address);
    if (entry->d_tag == DT_PLTRELSZ) dynamic.call_bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_RELA) dynamic.others = reinterpret_cast<const ElfW(Rela)*>(address);
    if (entry->d_tag == DT_RELASZ) dynamic.other_bytes = entry->d_un.d_val;
  }
  return dynamic;
}

// The linker makes these pages read-only once it has filled them (RELRO); they stay writable then.
bool WriteSlot(void** slot, void* function) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* start = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(slot) & ~(page - 1));
  if (mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(slot, function, __ATOMIC_RELEASE);
  return true;
}

// How many of these relocations led to `name` and lead to `function` now.
int Redirect(const link_map* map, const Dynamic& dynamic, const ElfW(Rela) * relocations, size_t bytes, const char* name,
             void* function) {
  int redirected = 0;
  for (size_t at = 0; relocations != nullptr && at < bytes / sizeof(ElfW(Rela)); at++) {
    const ElfW(Rela)& relocation = relocations[at];
    const uint32_t type = ELF64_R_TYPE(relocation.r_info);
    if (std::find(std::begin(kSlotTypes), std::end(kSlotTypes), type) == std::end(kSlotTypes)) continue;
    const ElfW(Sym)& symbol = dynamic.symbols[ELF64_R_SYM(relocation.r_info)];
    if (std::strcmp(dynamic.names + symbol.st_name, name) != 0) continue;
    if (WriteSlot(reinterpret_cast<void**>(map->l_addr + relocation.r_offset), function)) redirected++;
  }
  return redirected;
}

// moveReallocated(file: string): makes every realloc of a loaded shared library move what it resizes; the result is the
// number of its references to realloc, 0 where it has none or is not loaded. Once for each library is enough, for all
// threads.
Napi::Value MoveReallocated(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::string file = info[0].As<Napi::String>();
  void* library = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return Napi::Number::New(env, 0);
  link_map* map = nullptr;
  int redirected = 0;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) {
    const Dynamic dynamic = ReadDynamic(map->l_ld);
    auto* function = reinterpret_cast<void*>(&MovingRealloc);
    redirected = Redirect(map, dynamic, dynamic.calls, dynamic.call_bytes, "realloc", function) +
                 Redirect(map, dynamic, dynamic.others, dynamic.other_bytes, "realloc", function);
  }
  dlclose(library);
  return Napi::Number::New(env, redirected);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("moveReallocated", Napi::Function::New(env, MoveReallocated));
}

}  // namespace nvrd::http_library
