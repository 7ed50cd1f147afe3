import { existsSync, readdirSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import type { Findings } from "../../src/contract/answer/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { forAllTests } from "../support/base/for-tests.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";
import { Service, type ServiceOptions } from "../support/service/service.js";

const directory = forAllTests(() => new TemporaryDirectory("findings-service"));
const source = forAllTests(() => PacedSource.start(1, SMALL_CLIP));

it("what was seen lies with the recordings, and is found after a crash that cost the index", async () => {
  const options: ServiceOptions = { dataDir: directory.join("data") };
  let service = await Service.launch(options);
  try {
    await service.ready();
    const ids = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
    await service.recorded(ids, 2_000_000);
    const event = { EventId: EVENT_TYPES.plateRecognized.id, ChannelId: ids[0], plateText: "A123BC" };
    await service.json("/api/events", { method: "POST", body: [event] });
    const found = async () => (await service.json<Findings>("/api/findings?kinds=plate")).Findings;
    await expect.poll(found, { timeout: PATIENCE_MS }).toMatchObject([{ Number: "A123BC" }]);
    const [before] = await found();
    const folder = directory.join("data/volume/findings", `${ids[0]}`);
    const isKept = () => existsSync(folder) && readdirSync(folder).length > 0;
    await expect.poll(isKept, { timeout: PATIENCE_MS }).toBe(true);
    const picture = await service.get(`/api/findings/${before?.Id}/picture`);
    expect([picture.status, picture.headers["content-type"]]).toEqual([200, "image/jpeg"]);
    await service.kill();
    rmSync(directory.join("data/findings"), { recursive: true });
    service = await Service.start({ ...options, httpPort: service.httpPort });
    await expect.poll(found, { timeout: PATIENCE_MS }).toEqual([before]);
    expect(existsSync(directory.join("data/findings"))).toBe(true);
  } finally {
    await service.stop();
  }
});
