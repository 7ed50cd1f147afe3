import { request } from "node:https";
import { createServer, type Server } from "node:net";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { EVENT_TYPES } from "../../src/event/index.js";
import { LISTENER_RETRY_MS } from "../../src/http/listener.js";
import { GATE_ID } from "../support/api/api-fakes.js";
import { liveFrame } from "../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../support/api/api-harness.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { RawClient } from "../support/http/raw-http.js";

const started: ApiHarness[] = [];

afterEach(async () => {
  for (const api of started.splice(0)) await api.stop();
});

async function start(options: Parameters<typeof startApi>[0] = {}): Promise<ApiHarness> {
  const api = await startApi(options);
  started.push(api);
  return api;
}

async function holdPort(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { server, port: address.port };
}

describe("a stop with open viewers", () => {
  it.each(["any", "asked for"] as const)("leaves the HTTP port (%s) free at once", async (how) => {
    const { server, port: free } = await holdPort();
    await new Promise((resolve) => server.close(resolve));
    const first = await start({ settings: { httpPort: how === "any" ? "any" : free } });
    const { port } = first;
    const video = new RawClient(port);
    const event = new RawClient(port);
    onTestFinished(() => {
      video.destroy();
      event.destroy();
    });
    video.get(`/video?${ROOT_QUERY}&channelid=${GATE_ID}`);
    event.get(`/event?${ROOT_QUERY}`);
    const stream = first.streams.live(GATE_ID);
    await until("the viewer watches", () => stream.subscribers === 1);
    stream.publish(liveFrame(0, { key: true }));
    await until("both are served", () => video.length > 0 && event.length > 0);
    await first.server.stop();
    const second = await start({ settings: { httpPort: port } });
    expect(second.port).toBe(port);
    expect((await second.get("/command?type=gettime")).status).toBe(200);
  });

  it("leaves the HTTPS port free at once", async () => {
    const first = await start({ settings: { httpPort: 0, httpsPort: "any" } });
    const { httpsPort } = first;
    const path = `/event?${ROOT_QUERY}`;
    const client = request({ port: httpsPort, host: "127.0.0.1", path, rejectUnauthorized: false });
    let ended = false;
    let bytes = 0;
    client.on("error", () => {
      ended = true;
    });
    client.on("response", (response) => {
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("close", () => {
        ended = true;
      });
    });
    client.end();
    await until("an item", () => bytes > 0);
    await first.server.stop();
    await until("the stream has ended", () => ended);
    const second = await start({ settings: { httpPort: 0, httpsPort } });
    expect(second.httpsPort).toBe(httpsPort);
  });
});

describe("a port that another program holds", () => {
  it("is tried each second when the service is to run anyway, and told as events", async () => {
    const { server, port } = await holdPort();
    const clock = new SimulatedClock();
    const api = await start({ clock, settings: { httpPort: port, httpsPort: "any" }, keepTrying: true });
    expect([api.port, api.httpsPort > 0]).toEqual([0, true]);
    const raised = () => api.events.raised.map(({ typeId, comment }) => [typeId, comment]);
    expect(raised()).toEqual([
      [
        EVENT_TYPES.apiUnreachable.id,
        expect.stringContaining(`HTTP: cannot listen on 127.0.0.1 port ${port}`),
      ],
    ]);
    clock.advance(LISTENER_RETRY_MS * 1000);
    expect(api.server.reach.httpPort).toBe(0);
    await new Promise((resolve) => server.close(resolve));
    await until("it listens", () => {
      clock.advance(LISTENER_RETRY_MS * 1000);
      return api.server.reach.httpPort === port;
    });
    await until("it is told", () => raised().length === 2);
    expect(raised()[1]).toEqual([EVENT_TYPES.apiReachable.id, "HTTP"]);
    expect((await fetch(`http://127.0.0.1:${port}/command?type=gettime&${ROOT_QUERY}`)).status).toBe(200);
  });

  it("is no longer tried after a stop", async () => {
    const { server, port } = await holdPort();
    const clock = new SimulatedClock();
    const api = await start({ clock, settings: { httpPort: port }, keepTrying: true });
    await api.server.stop();
    await new Promise((resolve) => server.close(resolve));
    clock.advance(10 * LISTENER_RETRY_MS * 1000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(api.server.reach.httpPort).toBe(0);
  });

  it("keeps a service from starting that has nothing else to do", async () => {
    const { port } = await holdPort();
    await expect(startApi({ settings: { httpPort: port } })).rejects.toThrow(/in use or privileged/);
  });
});
