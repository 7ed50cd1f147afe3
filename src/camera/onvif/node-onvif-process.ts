import type { ChildProcess } from "node:child_process";
import { builtScript, type Clock, startScript } from "../../base/index.js";
import type { ChildOrder } from "./node-onvif-child.js";

/** Timeout of the child, in milliseconds; then it is killed. */
export const NODE_ONVIF_MS_MAX = 20_000;
/** Heap limit of the child, in MB, because it reads answers of any size. */
const HEAP_MB = 64;
/** Maximum number of concurrent children. A device beyond that keeps its first failure. */
const CHILDREN_MAX = 2;

let children = 0;

export interface NodeOnvifOptions extends ChildOrder {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/**
 * Reads a device with node-onvif, in a separate process with a deadline. Undefined if it cannot read the device, exceeds the
 * deadline, or too many are running; never rejects because of the device. The answer is unchecked.
 */
export async function askByNodeOnvif(options: NodeOnvifOptions): Promise<unknown> {
  if (children >= CHILDREN_MAX || options.signal?.aborted === true) return undefined;
  const child = startChild();
  if (child === undefined) return undefined;
  children += 1;
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

/** Undefined where the system has no room for another process. */
function startChild(): ChildProcess | undefined {
  try {
    return startScript(builtScript(import.meta.url, "node-onvif-child"), {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: { PATH: process.env.PATH ?? "" },
    });
  } catch {
    return undefined; // as if it could not read the device
  }
}

/** The password is sent over the IPC channel, because other users can read arguments and environment. */
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
