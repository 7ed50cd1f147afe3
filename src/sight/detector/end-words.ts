/** How a process ended. */
export interface ProcessEnd {
  /** `SIGSEGV`, `status 1`, or why it could not be started. */
  readonly reason: string;
  /** What it printed last. */
  readonly words: string;
  /** It had said that it is ready. */
  readonly wasReady: boolean;
}

/** What ends a process while its library looks at the processor, or runs what that does not know. */
const OF_PROCESSOR: ReadonlySet<string> = new Set(["SIGSEGV", "SIGILL", "SIGABRT", "SIGBUS"]);

/** Why the detector's process ended, and what can be done about it. */
export function endWords({ reason, words, wasReady }: ProcessEnd): string {
  const all = `it ended: ${reason}${words === "" ? "" : `: ${words}`}`;
  const remedy = remedyOf({ reason, words, wasReady });
  return remedy === undefined ? all : `${remedy} (${all})`;
}

function remedyOf({ reason, words, wasReady }: ProcessEnd): string | undefined {
  // Node's words for a package that is not there, and the dynamic linker's for a library.
  if (/Cannot find (?:package|module)|cannot open shared object file/.test(words))
    return "a library of the detector is missing: install nvrd again";
  if (reason === "SIGKILL")
    return "the system ended it, as it does where memory is short: switch objects off for some cameras, or add memory";
  if (!wasReady && OF_PROCESSOR.has(reason))
    return "its library does not work here: it has to read /proc/cpuinfo and /sys/devices/system/cpu (no ProcSubset=pid), on a processor that it knows";
  return undefined;
}
