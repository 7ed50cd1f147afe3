import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLog, REQUESTS_A_TURN_MS, US_PER_MS } from "../../../src/base/index.js";
import { RtspServer } from "../../../src/rtsp/server/index.js";
import { REQUESTS_A_TURN } from "../../../src/rtsp/server/server-connection.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { MemoryStrangers } from "../../support/rtsp/memory-strangers.js";

/** What each request takes of the main thread. */
const REQUEST_MS = 2;
const CLIENTS = 40;

let server: RtspServer;
let clients: Socket[] = [];
let isCounting = true;

beforeEach(() => {
  isCounting = true;
});

afterEach(async () => {
  isCounting = false;
  for (const client of clients) client.destroy();
  await server.stop();
});

/** A server at a port, and how many requests it took in each turn. */
async function start(
  requestMs: number,
): Promise<{ readonly port: number; readonly turns: readonly number[] }> {
  const turns = [0];
  const turn = (): void => {
    turns.push(0);
    if (isCounting) setImmediate(turn);
  };
  setImmediate(turn);
  const clock = new SimulatedClock();
  const strangers = new MemoryStrangers();
  strangers.require = () => {
    clock.advance(requestMs * US_PER_MS);
    turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
  };
  server = new RtspServer({
    ...{ listen: "127.0.0.1", port: 0, mounts: new Map(), clock, strangers },
    log: createLog({ level: "silent" }),
  });
  return { ...(await server.start()), turns };
}

it("requests that come at once on one connection are all answered, so many a turn", async () => {
  const { port, turns } = await start(0);
  const client = connect(port, "127.0.0.1");
  clients = [client];
  let answers = "";
  client.on("data", (bytes) => {
    answers += String(bytes);
  });
  const asked = Array.from(
    { length: 3 * REQUESTS_A_TURN },
    (_, at) => `OPTIONS * RTSP/1.0\r\nCSeq: ${at}\r\n\r\n`,
  );
  client.write(asked.join(""));
  await expect.poll(() => answers.split("RTSP/1.0 200 OK").length - 1).toBe(asked.length);
  expect(Math.max(...turns)).toBe(REQUESTS_A_TURN);
});

it("requests that come at once on connections of their own are all answered, over several turns", async () => {
  const { port, turns } = await start(REQUEST_MS);
  clients = Array.from({ length: CLIENTS }, () => connect(port, "127.0.0.1"));
  await Promise.all(clients.map((client) => once(client, "connect")));
  await expect.poll(() => server.connections).toBe(CLIENTS);
  const answers = clients.map(async (client) => String((await once(client, "data"))[0]).split("\r\n", 1));
  for (const client of clients) client.write("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n");
  expect(await Promise.all(answers)).toEqual(clients.map(() => ["RTSP/1.0 200 OK"]));
  expect(Math.max(...turns)).toBeLessThanOrEqual(Math.ceil(REQUESTS_A_TURN_MS / REQUEST_MS));
});
