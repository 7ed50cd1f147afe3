import { define } from "./definition.js";
import { byteCount } from "./values.js";

/** Less than this is a mistake: nothing runs in it. */
const MEMORY_MAX_LOWEST = 128e6;

/** The settings about memory. */
export const MEMORY_SETTING_DEFINITIONS = {
  memoryMax: define<number | undefined>({
    kind: byteCount(MEMORY_MAX_LOWEST, 1e13),
    fallback: undefined,
    fallbackText: "what the machine has, or the control groups allow that the service runs in",
    unit: "bytes",
    description:
      "Memory that the service plans with, where that is less than the machine or its control group has: all bounds on " +
      "memory are shares of it (docs/design/memory.md). It limits nothing by itself: a control group does.",
  }),
} as const;
