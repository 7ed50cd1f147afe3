import { join } from "node:path";
import { expect, it } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { ArchiveService } from "../../../src/service/part/record/archive-service.js";
import { loadSettings } from "../../../src/settings/settings.js";
import {
  append,
  newStreamKey,
  patternBytes,
  SILENT_LOG,
  startArchive,
  temporaryDirectory,
} from "../../support/archive/archive-fixture.js";
import { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import { PATIENCE_MS } from "../../support/base/patience.js";

it("the quota of a volume whose path ends in a slash is kept", async () => {
  const directory = temporaryDirectory();
  const volumes = JSON.stringify([{ path: `${join(directory.path, "video")}/`, quotaBytes: 123_000_000 }]);
  const flags = { data: join(directory.path, "data") };
  const settings = loadSettings({ flags, environment: { NVRD_VOLUMES: volumes } });
  // Callers of their own may hand over paths as they are written.
  const asWritten = settings.volumes.map((volume) => ({ ...volume, path: `${volume.path}/` }));
  const service = new ArchiveService({
    settings: { ...settings, volumes: asWritten },
    clock: new SystemClock(),
    log: SILENT_LOG,
  });
  await service.start();
  // A volume whose threads load slowly comes after the start.
  const allowed = async () => (await service.volumeStatus()).map(({ allowedBytes }) => allowedBytes);
  await expect.poll(allowed, { timeout: PATIENCE_MS }).toEqual([123_000_000]);
  await service.stop();
  directory.remove();
});

it("a camera goes to the empty volume, not to the larger disk whose quota is used up", async () => {
  const directory = temporaryDirectory();
  const [full, empty] = ["full", "empty"].map((name) => join(directory.path, name));
  // Both are on one disk: the free space of that says nothing of what each may take.
  const index = new MemorySegmentIndex();
  const volumes = [{ path: full ?? "" }, { path: empty ?? "" }];
  const { archive } = await startArchive(directory.path, {
    index,
    volumes,
    useOf: (volume, space) => {
      const quotaBytes = volume.directory === full ? 10e9 : 1e9;
      return { quota: { quotaBytes }, usedBytes: volume.directory === full ? 10e9 : 0, space };
    },
  });
  const idOf = (path: string | undefined) => archive.volumeIdAt(path ?? "");
  const keys = [newStreamKey(), newStreamKey()];
  for (const key of keys) {
    const bytes = patternBytes(2000, 1);
    append(archive.writer(key), { decodeTimeUs: Date.now() * 1000, bytes, key: true });
  }
  const placed = () => archive.overload().streams.map(({ volumeId }) => volumeId);
  await expect.poll(placed, { timeout: PATIENCE_MS }).toEqual([idOf(empty), idOf(full)]);
  await archive.stop();
  directory.remove();
});
