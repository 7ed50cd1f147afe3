import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { Service } from "../../support/service/service.js";

const RECORDED_MS_MAX = 120_000;
/** So much is recorded of a camera before and after its volume's file was written by somebody else. */
const SOME_US = 4_000_000;

const directory = new TemporaryDirectory("touched-volume");
const IDENTITY = directory.join("data/volume/volume.json");
let source: PacedSource;
let service: Service;
let gate = "";

beforeAll(async () => {
  source = await PacedSource.start(2, SMALL_CLIP);
  service = await Service.start({ dataDir: directory.join("data") });
  [gate = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
  await service.recorded([gate], SOME_US, RECORDED_MS_MAX);
}, 2 * RECORDED_MS_MAX);

afterAll(async () => {
  await service?.stop();
  await source?.stop();
  directory.remove();
});

/** A further camera begins a file on the volume, so that the volume is looked at. */
async function recordAnother(name: string): Promise<void> {
  const added = await service.addCameras([{ name, url: source.url(1) }]);
  await service.recorded(added, SOME_US, RECORDED_MS_MAX);
}

it.each([
  ["touched", () => utimesSync(IDENTITY, new Date(), new Date())],
  ["put back from a copy", () => writeFileSync(IDENTITY, readFileSync(IDENTITY))],
])("recording goes on without a gap when the volume's identity file is %s", async (how, change) => {
  change();
  await recordAnother(how);
  expect(await service.fragments(gate)).toHaveLength(1);
  expect(service.process.output).not.toContain("VOLUME_GONE");
});
