import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { ServiceRestarts } from "../../src/service/part/restarts.js";
import { UPDATE_INBOX } from "../../src/service/shared/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

async function box() {
  const dataDir = await temporaryDirectory();
  const inbox = path.join(dataDir, UPDATE_INBOX);
  const request = path.join(inbox, "reboot-requested");
  /** What was expected, and whether the request was there by then. */
  const expected: [string, boolean][] = [];
  const runs = { expectEnd: (_kind: string, why: string) => expected.push([why, existsSync(request)]) };
  const restarts = new ServiceRestarts({ dataDir, updateDir: "/update", runs, clock: new SimulatedClock() });
  return { restarts, inbox, request, expected };
}

it("an end is expected once the restart of the box is requested", async () => {
  const { restarts, inbox, request, expected } = await box();
  mkdirSync(inbox);
  await restarts.ask("Box", "root");
  expect(expected).toEqual([["restart requested by root", true]]);
  expect(readFileSync(request, "utf8")).toBe("root\n");
});

it("no end is expected where the restart of the box cannot be requested", async () => {
  const { restarts, expected } = await box();
  await expect(restarts.ask("Box", "root")).rejects.toThrow();
  expect(expected).toEqual([]);
});

it("an end is expected when the recorder is to be restarted", async () => {
  const { restarts, expected } = await box();
  await restarts.ask("Recorder", "root");
  expect(expected).toEqual([["restart requested by root", false]]);
});
