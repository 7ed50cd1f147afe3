import { afterEach, expect, it, vi } from "vitest";
import type { StartVolumeThread } from "../../../src/archive/disk/volume-thread.js";

/** Starts threads as with an addon that has `functions`. */
async function startWith(
  functions: Readonly<Record<string, unknown>>,
  missing: string | undefined,
): Promise<StartVolumeThread> {
  vi.resetModules();
  vi.doMock("../../../src/base/process/native-addon.js", () => ({
    loadNativeAddon: () => ({ functions, missing }),
  }));
  return (await import("../../../src/archive/disk/start-thread.js")).startVolumeThread;
}

afterEach(() => vi.doUnmock("../../../src/base/process/native-addon.js"));

it.each(["writer", "syncer"] as const)("a %s fails, and says why, without the addon", async (role) => {
  const start = await startWith({}, "Cannot find module nvrd.node");
  const failed = vi.fn();
  start({ role, directory: "/nowhere" }).onFailure(failed);
  await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(1));
  expect(failed).toHaveBeenCalledWith("the native addon is missing (Cannot find module nvrd.node)");
});

it.each(["writer", "syncer"] as const)(
  "a %s fails, and says why, where the system has no more threads",
  async (role) => {
    const none = () => undefined;
    const start = await startWith({ startSegmentWriter: none, startSegmentSyncer: none }, undefined);
    const failed = vi.fn();
    start({ role, directory: "/nowhere" }).onFailure(failed);
    await vi.waitFor(() => expect(failed).toHaveBeenCalledWith("the system has no more threads"));
  },
);

it("one that was ended before does not fail", async () => {
  const start = await startWith({}, "Cannot find module nvrd.node");
  const failed = vi.fn();
  const thread = start({ role: "writer", directory: "/nowhere" });
  thread.onFailure(failed);
  await thread.terminate();
  await new Promise((resolve) => setImmediate(resolve));
  expect(failed).not.toHaveBeenCalled();
});
