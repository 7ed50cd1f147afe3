import { describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { KeepAlive, KeepAliveManners } from "../../../src/rtsp/client/keep-alive.js";
import { RtspFailure } from "../../../src/rtsp/client/rtsp-failure.js";
import type { KeepAliveMethod } from "../../../src/rtsp/client/session-headers.js";
import type { RtspResponse } from "../../../src/rtsp/message/rtsp-message.js";

const SECOND_US = 1_000_000;
const METHODS: readonly KeepAliveMethod[] = ["GET_PARAMETER", "OPTIONS"];

/** `answers`: a status or an error for each request, the last one for all others; none: no answer. */
function setUp(
  answers: readonly (number | Error | undefined)[] = [200],
  options: { timeoutS?: number; methods?: readonly KeepAliveMethod[] } = {},
) {
  const sent: string[] = [];
  const reported: string[] = [];
  const limits: number[] = [];
  const { timeoutS = 60, methods = METHODS } = options;
  const keepAlive = new KeepAlive({
    ...{ methods, timeoutS, startUs: 0, log: createLog({ level: "silent" }) },
    send: (method, timeoutMs) => {
      sent.push(method);
      limits.push(timeoutMs);
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (answer === undefined) return new Promise(() => undefined);
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ status: answer } as RtspResponse);
    },
    onDropped: () => reported.push("dropped"),
    onLost: ({ kind }) => reported.push(`lost: ${kind}`),
  });
  /** Ticks at these seconds; the requests that were sent at each. */
  const at = async (...seconds: number[]): Promise<number[]> => {
    const counts: number[] = [];
    for (const second of seconds) {
      const before = sent.length;
      keepAlive.onTick(second * SECOND_US);
      await new Promise(setImmediate);
      counts.push(sent.length - before);
    }
    return counts;
  };
  /** How long the answers to these requests may take. */
  const timeouts = async (...seconds: number[]): Promise<number[]> => {
    await at(...seconds);
    return limits;
  };
  return { keepAlive, sent, reported, at, timeouts };
}

describe("a session is renewed", () => {
  it.each([
    ["at half of its lifetime", 20, [9.9, 10, 19.9, 20], [0, 1, 0, 1]],
    ["each thirty seconds at least", 3600, [29.9, 30, 59.9, 60], [0, 1, 0, 1]],
    ["once a second at most", 1, [0.9, 1, 1.9, 2], [0, 1, 0, 1]],
  ])("%s", async (_name, timeoutS, seconds, expected) => {
    expect(await setUp([200], { timeoutS }).at(...seconds)).toEqual(expected);
  });

  it("by the next request where the server refuses one, from then on", async () => {
    const { at, sent } = setUp([405, 200]);
    await at(30, 60);
    expect(sent).toEqual(["GET_PARAMETER", "OPTIONS", "OPTIONS"]);
  });

  it("by the last one, whatever the server answers", async () => {
    const { at, sent, reported } = setUp([500]);
    expect(await at(30, 60)).toEqual([2, 1]);
    expect([sent.at(-1), reported]).toEqual(["OPTIONS", []]);
  });

  it("by no second request while one is not answered, of which it is known which it is", async () => {
    const { at, keepAlive } = setUp([undefined]);
    expect(keepAlive.unanswered).toBeUndefined();
    expect(await at(30, 60, 90)).toEqual([1, 0, 0]);
    expect(keepAlive.unanswered).toBe("GET_PARAMETER");
  });

  it("again after a request that failed, or was answered", async () => {
    const { at, keepAlive, reported } = setUp([new Error("no answer"), 200]);
    expect(await at(30, 60, 90)).toEqual([1, 1, 1]);
    expect([keepAlive.unanswered, reported]).toEqual([undefined, []]);
  });

  it("by the next request at once where a server does not answer one, and by the first again where it answers none", async () => {
    const silence = new RtspFailure("no-answer", "nothing came");
    const { at, sent } = setUp([silence, 200, silence, silence, 200]);
    expect(await at(30, 60, 90)).toEqual([2, 1, 2]);
    expect(sent).toEqual(["GET_PARAMETER", "OPTIONS", "OPTIONS", "GET_PARAMETER", "OPTIONS"]);
  });

  it("by requests that leave time for another one", async () => {
    expect([await setUp([200], { timeoutS: 2 }).timeouts(1), await setUp().timeouts(30)]).toEqual([
      [500],
      [15_000],
    ]);
  });

  it("by no request where there is none that may be sent", async () => {
    expect(await setUp([200], { methods: [] }).at(30, 60)).toEqual([0, 0]);
  });

  it("when it is asked for, and half a lifetime later", async () => {
    const { keepAlive, at, sent } = setUp();
    keepAlive.ask(20 * SECOND_US);
    await new Promise(setImmediate);
    expect(sent).toHaveLength(1);
    expect(await at(30, 49.9, 50)).toEqual([0, 0, 1]);
  });
});

it("a session that is gone, and credentials that are no longer accepted, are reported", async () => {
  const gone = setUp([454, 200]);
  await gone.at(30);
  expect(gone.reported).toEqual(["dropped"]);
  const lost = setUp([new RtspFailure("unauthorized", "401")]);
  await lost.at(30);
  expect(lost.reported).toEqual(["lost: unauthorized"]);
  const other = setUp([new RtspFailure("closed", "hung up")]);
  await other.at(30);
  expect(other.reported).toEqual([]);
});

it("requests at which a camera hung up are not sent to it, until it hangs up without one", () => {
  const manners = new KeepAliveManners();
  expect(manners.bearable(METHODS)).toEqual(METHODS);
  manners.hungUp("GET_PARAMETER");
  expect(manners.bearable(METHODS)).toEqual(["OPTIONS"]);
  manners.hungUp("OPTIONS");
  expect(manners.bearable(METHODS)).toEqual([]);
  manners.hungUp(undefined);
  expect(manners.bearable(METHODS)).toEqual(METHODS);
});
