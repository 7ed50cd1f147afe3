import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { renameSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CERTIFICATE_CHECK_MS } from "../../src/http/https-server.js";
import { GATE_ID } from "../support/api/api-fakes.js";
import { liveFrame } from "../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../support/api/api-harness.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { readParts } from "../support/http/raw-http.js";

let api: ApiHarness | undefined;

afterEach(async () => {
  await api?.stop();
  api = undefined;
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

/** Makes a key and a certificate for `name` and puts them in place of what is there, one after the other. */
function writeCertificate(directory: string, name: string): { keyFile: string; certificateFile: string } {
  const files = { keyFile: join(directory, "own.key"), certificateFile: join(directory, "own.pem") };
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", `/CN=${name}`],
      ...["-keyout", `${files.keyFile}.new`, "-out", `${files.certificateFile}.new`],
    ],
    { stdio: "pipe" },
  );
  renameSync(`${files.keyFile}.new`, files.keyFile);
  renameSync(`${files.certificateFile}.new`, files.certificateFile);
  return files;
}

async function certificateName(port: number): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

describe("a certificate that is renewed", () => {
  let directory: string;
  let clock: SimulatedClock;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    const tls = writeCertificate(directory, "first");
    clock = new SimulatedClock();
    api = await startApi({ clock, settings: { httpPort: 0, httpsPort: "any", tls } });
  });

  /** Lets the check fall due until the log says `text`. */
  async function checkedUntil(text: string): Promise<void> {
    const says = () => api?.logLines.some(({ msg }) => String(msg).includes(text)) === true;
    clock.advance(CERTIFICATE_CHECK_MS * 1000);
    await until(text, says);
  }

  it("is in use without a restart, on the same port, while open streams go on", async () => {
    if (api === undefined) throw new Error("not started");
    const { httpsPort } = api;
    expect(await certificateName(httpsPort)).toBe("first");
    const stream = api.streams.live(GATE_ID);
    const path = `/video?${ROOT_QUERY}&channelid=${GATE_ID}`;
    const client = request({ port: httpsPort, host: "127.0.0.1", path, rejectUnauthorized: false });
    client.end();
    let bytes = 0;
    client.on("response", (response) => {
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
    });
    await until("it subscribes", () => stream.subscribers === 1);
    stream.publish(liveFrame(0, { key: true }));
    await until("the first frame", () => bytes > 0);
    writeCertificate(directory, "second");
    await checkedUntil("renewed certificate");
    expect(await certificateName(httpsPort)).toBe("second");
    const before = bytes;
    stream.publish(liveFrame(1));
    await until("the next frame on the old connection", () => bytes > before);
    client.destroy();
  });

  it("is not taken while key and certificate do not belong together, and is once they do", async () => {
    if (api === undefined) throw new Error("not started");
    const { httpsPort } = api;
    const old = await readFile(join(directory, "own.pem"));
    writeCertificate(directory, "second");
    const renewed = await readFile(join(directory, "own.pem"));
    await writeFile(join(directory, "own.pem"), old);
    await checkedUntil("keeps its certificate");
    expect(await certificateName(httpsPort)).toBe("first");
    await writeFile(join(directory, "own.pem"), renewed);
    await checkedUntil("renewed certificate");
    expect(await certificateName(httpsPort)).toBe("second");
  });
});

it("HTTP is off with port 0, and HTTPS is", async () => {
  api = await startApi({ settings: { httpPort: 0, httpsPort: "any" } });
  expect([api.port, api.httpsPort > 0]).toEqual([0, true]);
  await api.stop();
  api = await startApi({ settings: { httpPort: "any", httpsPort: 0 } });
  expect([api.port > 0, api.httpsPort]).toEqual([true, 0]);
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
