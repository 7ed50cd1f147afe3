import { expect, it, vi } from "vitest";
import { LateThread } from "../../../src/archive/disk/late-thread.js";
import type { VolumeThread } from "../../../src/archive/disk/volume-thread.js";

function lateThread() {
  const posted: unknown[] = [];
  const thread = {
    postMessage: (message: unknown) => void posted.push(message),
    onMessage: vi.fn(),
    onFailure: vi.fn(),
    terminate: vi.fn(async () => undefined),
  } satisfies VolumeThread;
  const create = vi.fn((): VolumeThread => thread);
  return { late: new LateThread(create), create, thread, posted };
}

it("a late thread starts with the first message that needs it, and gets first what was kept for it", () => {
  const { late, create, posted } = lateThread();
  late.keep("kept");
  expect(create).not.toHaveBeenCalled();
  late.postMessage("first");
  late.keep("later");
  late.start();
  expect(posted).toEqual(["kept", "first", "later"]);
  expect(create).toHaveBeenCalledTimes(1);
});

it("a late thread's listeners hear of a thread that starts after them, and before them", () => {
  const { late, thread } = lateThread();
  const listener = (): void => undefined;
  late.onMessage(listener);
  late.start();
  late.onFailure(listener);
  expect(thread.onMessage).toHaveBeenCalledWith(listener);
  expect(thread.onFailure).toHaveBeenCalledWith(listener);
});

it("a late thread that is ended does not start any more", async () => {
  const { late, create, thread, posted } = lateThread();
  await late.terminate();
  late.postMessage("too late");
  late.start();
  expect(create).not.toHaveBeenCalled();
  expect(thread.terminate).not.toHaveBeenCalled();
  expect(posted).toEqual([]);
});
