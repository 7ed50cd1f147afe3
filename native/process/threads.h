// Threads of the addon's own. They take no signals, which are the main thread's, and the addon stays loaded for them.
#pragma once
#include <functional>

namespace nvrd::threads {

// Runs `body` on a thread that nobody waits for. `name` has at most 15 characters (pthread_setname_np(3)). False where the system has
// no more threads.
bool Start(const char* name, std::function<void()> body);

}  // namespace nvrd::threads
