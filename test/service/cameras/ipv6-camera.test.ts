import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { clipLane } from "../../../src/demo/clip-player.js";
import { H264_CLIP, readClip } from "../../../src/demo/demo-cameras.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { startClipServer } from "../../support/rtsp/clip-server.js";
import { pause, Service } from "../../support/service/service.js";

const hasIpv6 = (networkInterfaces().lo ?? []).some(({ family }) => family === "IPv6");
const missing = hasIpv6 ? undefined : "no IPv6 on the loopback interface";

const directory = forEachTest(() => new TemporaryDirectory("ipv6"));
const camera = forEachTest(async () =>
  startClipServer([clipLane(await readClip(H264_CLIP))], { listen: "::1" }),
);
const service = forEachTest(() => Service.start({ dataDir: directory.join("data") }));

interface Status {
  readonly Status: string;
  readonly Reason: string | null;
  readonly IsRecording: boolean;
}

async function until(id: string, holds: (status: Status) => boolean): Promise<Status> {
  const endMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const status = await service.json<Status>(`/api/channels/${id}/status`);
    if (holds(status)) return status;
    if (Date.now() > endMs) throw new Error(`waited in vain, at last: ${JSON.stringify(status)}`);
    await pause(100);
  }
}

async function setIpv6(id: string, Ipv6Enabled: boolean): Promise<void> {
  const path = `/configure/channels/${id}`;
  const { ConnectionSettings } = await service.json<{ ConnectionSettings: { ModelId: string } }>(path);
  const { ModelId } = ConnectionSettings;
  await service.json(path, { method: "PUT", body: { ConnectionSettings: { ModelId, Ipv6Enabled } } });
}

it.skipIf(missing !== undefined)(
  `a camera at an IPv6 address is recorded with Ipv6Enabled, and told why not without${notHere(missing)}`,
  async () => {
    const url = `rtsp://[::1]:${camera.port}/clip`;
    const [id = ""] = await service.addCameras([{ name: "Gate", url }]);
    const lost = await until(id, ({ Status }) => Status === "Lost");
    expect(lost.Reason).toMatch(/IPv6/);
    await setIpv6(id, true);
    await until(id, ({ Status, IsRecording }) => Status === "Ok" && IsRecording);
    await setIpv6(id, false);
    await until(id, ({ Status }) => Status === "Lost");
  },
);
