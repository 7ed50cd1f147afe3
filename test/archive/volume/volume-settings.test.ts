import { join } from "node:path";
import { expect, it } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { ArchiveService } from "../../../src/service/part/archive-service.js";
import { loadSettings } from "../../../src/settings/settings.js";
import { SILENT_LOG, temporaryDirectory } from "../../support/archive/archive-fixture.js";
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
