// Threads that help another one with work of many small parts, and wait in between.
#pragma once
#include <cstddef>

namespace nvrd::helpers {

class Parts {
 public:
  // Takes the next part, and the next, until none is left. Several threads call it at once.
  virtual void Work() = 0;

 protected:
  ~Parts() = default;
};

// One less than there are processors, and at most three: the others have recording to do.
size_t Most();

// Does the work on this thread and on up to `wanted` helpers. All of it is done when it returns, also without any: those that come too
// late are not waited for, and another thread's work at the same time has none.
void Share(Parts& parts, size_t wanted);

}  // namespace nvrd::helpers
