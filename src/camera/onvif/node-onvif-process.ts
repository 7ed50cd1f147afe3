import { type ChildProcess, fork } from "node:child_process";
import { builtScript, type Clock } from "../../base/index.js";
import type { ChildOrder } from "./node-onvif-child.js";

/** Longest that the child may ask, in milliseconds; then it is killed. */
export const NODE_ONVIF_MS_MAX = 20_000;
/** Heap of the child, in MB: it reads whatever the device sends. */
const HEAP_MB = 64;
/** Most children at once: each is a process. A device beyond them keeps the failure it has. */
const CHILDREN_MAX = 2;

let children = 0;

export interface NodeOnvifOptions extends ChildOrder {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/**
 * Asks a device by node-onvif, in a process of its own with a deadline. Undefined when it could not read the device, did
 * not end in time, or too many are asked already; never rejects for what the device does. The answer is unchecked.
 */
export async function askByNodeOnvif(options: NodeOnvifOptions): Promise<unknown> {
  if (children >= CHILDREN_MAX || options.signal?.aborted === true) return undefined;
  children += 1;
  const child = fork(builtScript(import.meta.url, "node-onvif-child"), [], {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: { PATH: process.env.PATH ?? "" },
  });
  const kill = (): boolean => child.kill("SIGKILL");
  const timer = options.clock.setTimeout(kill, NODE_ONVIF_MS_MAX);
  options.signal?.addEventListener("abort", kill, { once: true });
  try {
    const { address, login, password } = options;
    return await answerOf(child, { address, login, password });
  } finally {
    timer.clear();
    options.signal?.removeEventListener("abort", kill);
    kill();
    children -= 1;
  }
}

/** The password goes over the channel between the processes: arguments and environment can be read by others. */
function answerOf(child: ChildProcess, order: ChildOrder): Promise<unknown> {
  return new Promise((resolve) => {
    child.once("message", resolve);
    child.once("exit", () => resolve(undefined));
    child.once("error", () => resolve(undefined));
    child.send(order, (error) => {
      if (error !== null) resolve(undefined);
    });
  });
}
