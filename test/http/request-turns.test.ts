import { afterEach, describe, expect, it } from "vitest";
import { createLog, REQUESTS_A_TURN_MS, RequestTurns } from "../../src/base/index.js";
import { HttpServer } from "../../src/http/http-server.js";
import type { Answer } from "../../src/http/response.js";
import { until } from "../support/api/api-harness.js";
import { ManualClock } from "../support/base/manual-clock.js";
import { RawClient } from "../support/http/raw-http.js";

/** What each request takes of the main thread. */
const REQUEST_MS = 2;
/** Those that begin before the part of a turn is used up. */
const A_TURN_MAX = Math.ceil(REQUESTS_A_TURN_MS / REQUEST_MS);
const REQUEST = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
const answer: Answer = { status: 200, headers: [], body: Buffer.from("x") };

const clients: RawClient[] = [];
let server: HttpServer | undefined;
/** How many requests each turn of the event loop has had. */
let turns: number[];
let isCounting: boolean;

afterEach(async () => {
  isCounting = false;
  for (const client of clients.splice(0)) client.destroy();
  await server?.stop();
});

/** Whose requests are handled, or answered from what is cached; either takes its time of the clock. */
function serve(answers: "handled" | "cached"): number {
  const clock = new ManualClock();
  turns = [0];
  isCounting = true;
  const turn = (): void => {
    turns.push(0);
    if (isCounting) setImmediate(turn);
  };
  setImmediate(turn);
  const take = (): Answer => {
    clock.advance(REQUEST_MS);
    turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
    return answer;
  };
  server = new HttpServer({
    handler: (_request, response) => response.send(take()),
    ...(answers === "cached" ? { cachedAnswers: take } : {}),
    clock,
    log: createLog({ level: "silent" }),
  });
  return server.listen("127.0.0.1", 0);
}

function open(port: number): RawClient {
  const client = new RawClient(port);
  clients.push(client);
  return client;
}

const answersOf = (client: RawClient): number => client.text.split("HTTP/1.1 200 ").length - 1;

describe.each(["handled", "cached"] as const)("requests that are %s", (answers) => {
  it("and are pipelined have a part of a turn, and the connection ends where more follow", async () => {
    const port = serve(answers);
    const client = open(port);
    client.send(REQUEST.repeat(1000));
    await until(`the connection to end, of whose requests ${turns} were handled`, () => client.closed);
    expect(Math.max(...turns)).toBeLessThanOrEqual(A_TURN_MAX);
    expect(turns.reduce((sum, count) => sum + count, 0)).toBeLessThan(1000);
  });

  it("and come at once on connections of their own are all answered, over several turns", async () => {
    const port = serve(answers);
    const all = Array.from({ length: 40 }, () => open(port));
    await Promise.all(all.map((client) => new Promise((done) => client.socket.once("connect", done))));
    for (const client of all) client.send(REQUEST);
    await until("all answers", () => all.every((client) => answersOf(client) === 1));
    expect(Math.max(...turns)).toBeLessThanOrEqual(A_TURN_MAX);
  });
});

it("a request whose client has gone before its turn is not handled", async () => {
  const port = serve("handled");
  const client = open(port);
  client.send(REQUEST.repeat(10));
  await until("the connection to end", () => client.closed);
  const other = open(port);
  other.send(REQUEST);
  await until("an answer to another client", () => answersOf(other) === 1);
  expect(turns.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(A_TURN_MAX + 1);
});

it("requests come to their end on a machine on which a look at the clock takes longer than their part of a turn", async () => {
  class SlowClock extends ManualClock {
    override monotonicUs(): number {
      this.advance(2 * REQUESTS_A_TURN_MS);
      return super.monotonicUs();
    }
  }
  const turns = new RequestTurns(new SlowClock());
  const done: number[] = [];
  for (const request of [1, 2, 3]) turns.run(() => done.push(request));
  await until("all are handled", () => done.length === 3, { seen: () => done });
  expect(done).toEqual([1, 2, 3]);
});
