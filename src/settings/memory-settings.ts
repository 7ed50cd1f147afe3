import { define } from "./definition.js";
import { byteCount } from "./values.js";

/** Anything below this is a mistake: the service cannot run with it. */
const MEMORY_MAX_LOWEST = 128e6;

/** The settings about memory. */
export const MEMORY_SETTING_DEFINITIONS = {
  memoryMax: define<number | undefined>({
    kind: byteCount(MEMORY_MAX_LOWEST, 1e13),
    fallback: undefined,
    fallbackText: "the memory of the machine, or the limit of the service's control groups",
    unit: "bytes",
    description:
      "Memory that the service plans with, if less than that of the machine or its control group: all limits on " +
      "memory are shares of it (docs/design/memory.md). It does not limit the process; use a control group for that.",
  }),
} as const;
