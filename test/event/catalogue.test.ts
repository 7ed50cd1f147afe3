import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseGuid } from "../../src/base/index.js";
import { EVENT_TYPE_LIST, EVENT_TYPES, eventTypeOf } from "../../src/event/index.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

test("every type has a GUID and a name of its own", () => {
  const ids = EVENT_TYPE_LIST.map(({ id }) => id);
  expect(ids.map(parseGuid)).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  const names = EVENT_TYPE_LIST.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("the types that existing clients know have the ids they know", () => {
  expect(EVENT_TYPES).toMatchObject({
    motionDetected: { id: "00000000-0000-0000-0000-000000000033", name: "Detected Motion" },
    faceRecognized: { id: "427f1cc3-2c2f-4f50-8865-56ae99c3610d" },
    plateRecognized: { id: "c9d6d086-c965-4cf8-aef6-85b3894e3a4a" },
    fireDetected: { id: "bcad095a-f2b0-4c20-a7f0-88ee5da703b1" },
    abandonedItemDetected: { id: "d99a411f-d0a6-42c4-b320-3c2dd0aa0821" },
    emergencyVehicleDetected: { id: "65afbe3d-41b2-41d2-802a-dbd2a00db0ed" },
  });
});

test("a type is found by its id in any letter case", () => {
  const { plateRecognized } = EVENT_TYPES;
  expect(eventTypeOf(plateRecognized.id.toUpperCase())).toBe(plateRecognized);
  expect(eventTypeOf("nothing")).toBeUndefined();
});

test("docs/ref/events.md says what the catalogue says", () => {
  const script = join(REPOSITORY_ROOT, "scripts", "docs", "make-events-doc.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});
