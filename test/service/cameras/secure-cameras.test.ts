import { afterAll, beforeAll, expect, it } from "vitest";
import { clipLane } from "../../../src/demo/clip-player.js";
import { H264_CLIP, readClip } from "../../../src/demo/demo-cameras.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { TlsProxy } from "../../support/http/tls-proxy.js";
import { type ClipServer, startClipServer } from "../../support/rtsp/clip-server.js";
import { TunnelFront } from "../../support/rtsp/tunnel-front.js";
import { pause, Service } from "../../support/service/service.js";

interface Status {
  readonly Status: string;
  readonly Cause: string | null;
  readonly Reason: string | null;
  readonly IsRecording: boolean;
}
interface Key {
  readonly Port: number;
  readonly Sha256: string;
  readonly Offered: string | null;
}

let directory: TemporaryDirectory;
let camera: ClipServer;
let proxy: TlsProxy;
let front: TunnelFront;
let service: Service;

beforeAll(async () => {
  directory = new TemporaryDirectory("secure-cameras");
  camera = await startClipServer([clipLane(await readClip(H264_CLIP))]);
  proxy = await TlsProxy.start(camera.port);
  front = await TunnelFront.start(camera.port);
  service = await Service.start({ dataDir: directory.join("data") });
});

afterAll(async () => {
  await service?.stop();
  await front?.stop();
  await proxy?.stop();
  await camera?.stop();
  directory?.remove();
});

async function until(id: string, holds: (status: Status) => boolean): Promise<Status> {
  const endMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const status = await service.json<Status>(`/api/channels/${id}/status`);
    if (holds(status)) return status;
    if (Date.now() > endMs) throw new Error(`waited in vain, at last: ${JSON.stringify(status)}`);
    await pause(100);
  }
}

const isRecorded = ({ Status, IsRecording }: Status): boolean => Status === "Ok" && IsRecording;

it("a camera that sends through HTTP is recorded", async () => {
  const url = front.url.replace("/live", "/clip");
  const [id = ""] = await service.addCameras([{ name: "Tunnel", url }]);
  await until(id, isRecorded);
  expect(front.count("GET")).toBe(1);
});

it("a camera that shows another certificate is lost until the owner accepts it, also after a restart", async () => {
  const url = `rtsps://127.0.0.1:${proxy.port}/clip`;
  const [id = ""] = await service.addCameras([{ name: "Gate", url }]);
  const path = `/api/channels/${id}/certificate`;
  await until(id, isRecorded);
  const [met] = await service.json<Key[]>(path);
  expect(met).toEqual({ Port: proxy.port, Sha256: expect.stringMatching(/^[0-9a-f]{64}$/), Offered: null });
  await service.stop();
  proxy.renew("new key");
  proxy.disconnect();
  service = await Service.start({ dataDir: directory.join("data") });
  const lost = await until(id, ({ Cause }) => Cause === "certificate-changed");
  expect(lost.Reason).toContain("shows another certificate than before");
  const [changed] = await service.json<Key[]>(path);
  expect(changed).toMatchObject({ Sha256: met?.Sha256, Offered: expect.stringMatching(/^[0-9a-f]{64}$/) });
  await service.json(path, { method: "POST", body: { Sha256: changed?.Offered } });
  await until(id, isRecorded);
});
