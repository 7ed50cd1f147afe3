import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";
import { Service } from "../../support/service/service.js";

const MB = 1_000_000;
const SIZE_BYTES = 256 * MB;
const RESERVE_BYTES = 16 * MB;
const SLACK_BYTES = 4 * MB;

interface Figures {
  readonly Volumes: readonly { readonly AllowedBytes: number }[];
}

interface Reach {
  readonly AllowedBytes: number;
}

const missing = loopMountMissing("tmpfs");
const directory = new TemporaryDirectory("one-file-system");
let disk: LoopMount | undefined;
let service: Service | undefined;

describe.skipIf(missing !== undefined)(`two volumes on one file system${notHere(missing)}`, () => {
  beforeAll(async () => {
    const mounted = LoopMount.mount("tmpfs", directory.path, SIZE_BYTES);
    disk = mounted;
    const volumes = ["a", "b"].map((name) => ({
      path: `${mounted.mountPoint}/${name}`,
      reserveBytes: RESERVE_BYTES,
    }));
    for (const { path } of volumes) mkdirSync(path);
    service = await Service.start({
      dataDir: directory.join("data"),
      settings: { volumes },
      startTimeoutMs: PATIENCE_MS,
    });
  });

  afterAll(async () => {
    await service?.stop();
    disk?.remove();
    directory.remove();
  });

  it("may hold together what is free, and no more", async () => {
    const health = await service?.json<Figures>("/api/health");
    const allowed = health?.Volumes.map(({ AllowedBytes }) => AllowedBytes) ?? [];
    const [first = 0, second = 0] = allowed;
    expect(allowed).toHaveLength(2);
    expect(Math.abs(first - second)).toBeLessThan(SLACK_BYTES);
    expect(first + second).toBeGreaterThan(SIZE_BYTES - RESERVE_BYTES - SLACK_BYTES);
    expect(first + second).toBeLessThanOrEqual(SIZE_BYTES - RESERVE_BYTES);
    const reach = await service?.json<Reach>("/api/archive");
    expect(reach?.AllowedBytes).toBeLessThanOrEqual(SIZE_BYTES - RESERVE_BYTES);
  });
});
