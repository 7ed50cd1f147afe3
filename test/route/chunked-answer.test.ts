import { describe, expect, it } from "vitest";
import {
  answerInChunks,
  CHUNKED_ANSWER_MS_MAX,
  type ChunkedNeeds,
} from "../../src/route/answer/chunked-answer.js";
import { PIECE_CHARACTERS } from "../../src/route/answer/slices.js";
import type { RequestContext } from "../../src/route/endpoint/context.js";
import { STREAMED } from "../../src/route/endpoint/context.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { silentLog } from "../support/site/site-samples.js";

const PIECE = "a".repeat(PIECE_CHARACTERS);

/** A client that takes what it gets, or waits with it. */
class Client {
  readonly clock = new SimulatedClock();
  readonly sent: string[] = [];
  readonly streams: { group: object; mayContinue(now: { group: object }): boolean }[] = [];
  takes = true;
  isStarted = false;
  isGone = false;
  finished = false;
  ended = 0;
  onDrain: (() => void) | undefined;
  readonly #closing: (() => void)[] = [];

  close(): void {
    this.finished = true;
    for (const listener of this.#closing.splice(0)) listener();
  }

  context(method = "GET"): RequestContext<ChunkedNeeds> {
    const client = this;
    const group = { id: "guards", rights: { a: true } };
    const stream = {
      get closed() {
        return client.finished;
      },
      set onDrain(listener: () => void) {
        client.onDrain = listener;
      },
      onClose: (listener: () => void) => client.#closing.push(listener),
      send: ([piece]: readonly Uint8Array[]) => {
        client.sent.push(Buffer.from(piece ?? []).toString());
        return client.takes;
      },
      end: () => {
        client.ended += 1;
      },
    };
    const response = {
      get finished() {
        return client.finished;
      },
      close: () => client.close(),
      startStream: () => {
        client.isStarted = !client.isGone;
        return client.isGone ? undefined : stream;
      },
    };
    const openStreams = {
      add: (open: { mayContinue(now: { group: object }): boolean }) => {
        const entry = { group, mayContinue: open.mayContinue };
        client.streams.push(entry);
        return () => client.streams.splice(client.streams.indexOf(entry), 1);
      },
    };
    return {
      ...{ request: { method }, response, principal: { group }, credentials: {}, log: silentLog },
      needs: { openStreams, clock: this.clock },
    } as unknown as RequestContext<ChunkedNeeds>;
  }

  /** What is left of it when it is over. */
  get left() {
    return [this.streams.length, this.clock.timers];
  }
}

async function* texts(...all: readonly (string | Error)[]) {
  for (const text of all) {
    if (text instanceof Error) throw text;
    yield text;
  }
}

const answer = (client: Client, ...all: readonly (string | Error)[]) =>
  answerInChunks(client.context(), "text/plain", texts(...all), [["X-More", "1"]]);

describe("an answer that is made while it is sent", () => {
  it("is sent whole where it is shorter than a piece", async () => {
    const client = new Client();
    const result = await answer(client, "a", "b");
    expect(result).toMatchObject({ status: 200, body: Buffer.from("ab") });
    expect((result as { headers: unknown }).headers).toContainEqual(["X-More", "1"]);
    expect([client.isStarted, ...client.left]).toEqual([false, 0, 0]);
  });

  it("has no body for HEAD, and nothing is made for it", async () => {
    const client = new Client();
    const never = texts(new Error("made"));
    expect(await answerInChunks(client.context("HEAD"), "text/plain", never)).toMatchObject({
      ...{ status: 200, body: new Uint8Array(0) },
    });
    expect(client.streams).toEqual([]);
  });

  it("is sent in pieces, the rest last", async () => {
    const client = new Client();
    expect(await answer(client, PIECE, "b", PIECE, "c")).toBe(STREAMED);
    expect(client.sent).toEqual([PIECE, `b${PIECE}`, "c"]);
    expect([client.ended, ...client.left]).toEqual([1, 0, 0]);
  });

  it("waits until the client has taken a piece", async () => {
    const client = new Client();
    client.takes = false;
    const answered = answer(client, PIECE, PIECE);
    await expect.poll(() => client.sent.length).toBe(1);
    client.onDrain?.();
    await expect.poll(() => client.sent.length).toBe(2);
    client.takes = true;
    client.onDrain?.();
    expect(await answered).toBe(STREAMED);
    expect(client.sent).toEqual([PIECE, PIECE, ""]);
  });

  it("is made no further for a client that is gone", async () => {
    const gone = new Client();
    gone.isGone = true;
    expect(await answer(gone, PIECE, new Error("made"))).toBe(STREAMED);
    const leaving = new Client();
    leaving.takes = false;
    const answered = answer(leaving, PIECE, new Error("made"));
    await expect.poll(() => leaving.sent.length).toBe(1);
    leaving.close();
    expect(await answered).toBe(STREAMED);
    expect([gone.ended, leaving.ended, ...gone.left, ...leaving.left]).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it("fails with what makes it, unless the client is gone", async () => {
    const client = new Client();
    await expect(answer(client, "a", new Error("made"))).rejects.toThrow("made");
    expect(client.left).toEqual([0, 0]);
    client.finished = true;
    expect(await answer(client, "a", new Error("made"))).toBe(STREAMED);
  });

  it("is closed when it has taken too long, and when the group has other rights", async () => {
    const client = new Client();
    client.takes = false;
    const answered = answer(client, PIECE, PIECE);
    await expect.poll(() => client.sent.length).toBe(1);
    const [open] = client.streams;
    expect(open?.mayContinue({ group: { id: "guards", rights: { a: true } } })).toBe(true);
    expect(open?.mayContinue({ group: { id: "guards", rights: { a: false } } })).toBe(false);
    client.clock.advance(CHUNKED_ANSWER_MS_MAX * 1000 - 1);
    expect(client.finished).toBe(false);
    client.clock.advance(1);
    expect(client.finished).toBe(true);
    expect(await answered).toBe(STREAMED);
  });
});
