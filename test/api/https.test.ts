import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterEach, expect, it } from "vitest";
import { ensureSelfSigned } from "../../src/api/tls-certificate.js";
import { createLog } from "../../src/base/index.js";
import { GATE_ID } from "../support/api-fakes.js";
import { liveFrame } from "../support/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../support/api-harness.js";
import { readParts } from "../support/raw-http.js";

let api: ApiHarness | undefined;

afterEach(async () => {
  await api?.stop();
  api = undefined;
});

it("HTTPS answers with a self-signed certificate made at the first start, its key readable by the service alone", async () => {
  api = await startApi({ settings: { httpPort: 0, httpsPort: "any" } });
  expect(api.port).toBe(0);
  const socket = connect({ port: api.httpsPort, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const peer = socket.getPeerCertificate();
  expect(peer.subjectaltname).toContain("IP Address:127.0.0.1");
  expect(Date.parse(peer.valid_to)).toBeGreaterThan(Date.now() + 9 * 365 * 86_400_000);
  socket.destroy();
  const key = join(api.dataDir, "tls", "key.pem");
  expect((await stat(key)).mode & 0o777).toBe(0o600);
  const before = await readFile(key, "utf8");
  const log = createLog({ level: "silent" });
  await ensureSelfSigned(api.dataDir, { address: "127.0.0.1", log });
  expect(await readFile(key, "utf8")).toBe(before);
});

it("a live stream over HTTPS comes whole, frame for frame", async () => {
  api = await startApi({ settings: { httpPort: 0, httpsPort: "any" } });
  const stream = api.streams.live(GATE_ID);
  const size = 300_000;
  const total = 40;
  const path = `/video?${ROOT_QUERY}&channelid=${GATE_ID}`;
  const client = request({ port: api.httpsPort, host: "127.0.0.1", path, rejectUnauthorized: false });
  client.end();
  const chunks: Buffer[] = [];
  let bytes = 0;
  client.on("response", (response) => {
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
    });
  });
  await until("it subscribes", () => stream.subscribers === 1);
  for (let index = 0; index < total; index++) {
    stream.publish(liveFrame(index, { key: index === 0, bytes: Buffer.alloc(size, index) }));
    await until("the frame is through", () => bytes > (index + 1) * size);
  }
  await until("every part", () => readParts(Buffer.concat(chunks)).parts.length === total);
  const { parts } = readParts(Buffer.concat(chunks));
  expect(parts.every((part, index) => part.body.equals(Buffer.alloc(size, index)))).toBe(true);
  client.destroy();
});

it("takes another port where the wanted one is busy, if it may, and refuses to start otherwise", async () => {
  api = await startApi();
  const busy = api.port;
  await expect(startApi({ settings: { httpPort: busy } })).rejects.toThrow(/in use or privileged/);
  const other = await startApi({ settings: { httpPort: busy, portFallback: true } });
  try {
    expect(other.port).not.toBe(busy);
    expect(other.logLines.some((line) => line.wanted === busy && line.port === other.port)).toBe(true);
  } finally {
    await other.stop();
  }
});
