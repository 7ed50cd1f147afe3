import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { Service } from "../support/service/service.js";

const WINDOW_MS = 5000;
/** Four a second. */
const WAKES_MAX = 20;
/** V8 compiles and the disks are looked at in the first seconds. */
const SETTLING_MS_MAX = 90_000;

/** How often the main thread has gone to sleep since it began. */
function wakesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/task/${pid}/status`, "utf8");
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
}

test("a service without a camera comes to rest: its main thread wakes up four times a second at most", async () => {
  const directory = new TemporaryDirectory("idle");
  const service = await Service.start({ dataDir: directory.join("data") });
  const { pid } = service.process;
  if (pid === undefined) throw new Error("the service has no process");
  const wakesInWindow = async () => {
    const before = wakesOf(pid);
    await pause(WINDOW_MS);
    return wakesOf(pid) - before;
  };
  try {
    await expect.poll(wakesInWindow, { timeout: SETTLING_MS_MAX }).toBeLessThanOrEqual(WAKES_MAX);
  } finally {
    await service.stop();
    directory.remove();
  }
});
