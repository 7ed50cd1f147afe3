import { describe, expect, it } from "vitest";
import { ControlTries } from "../../../src/rtsp/client/control-tries.js";
import { RtspFailure } from "../../../src/rtsp/client/rtsp-failure.js";
import type { RtspResponse } from "../../../src/rtsp/message/rtsp-message.js";

const URLS = ["a", "b", "c"];

/** A server that answers each URL with a status, hangs up, or fails otherwise. */
function setUp(answers: Record<string, number | "closed" | "no-answer" | "unauthorized">) {
  const tries = new ControlTries();
  const asked: string[] = [];
  const request = (url: string): Promise<RtspResponse> => {
    asked.push(url);
    const answer = answers[url] ?? 404;
    return typeof answer === "number"
      ? Promise.resolve({ status: answer } as RtspResponse)
      : Promise.reject(new RtspFailure(answer, answer));
  };
  const ask = async (method = "SETUP", further: string[] = []): Promise<number> =>
    (await tries.ask(method, URLS, request, further)).status;
  return { tries, asked, request, ask };
}

describe("of the readings of a control attribute", () => {
  it("the first is asked for alone where the server knows it, whatever else it answers", async () => {
    const { ask, asked, tries } = setUp({ a: 200, b: 200 });
    expect([await ask(), asked, tries.of(URLS)]).toEqual([200, ["a"], "a"]);
    const busy = setUp({ a: 503, b: 200 });
    expect([await busy.ask(), busy.asked]).toEqual([503, ["a"]]);
  });

  it.each([400, 403, 404, 410, 451, 454, 455, 459, 460, 500])(
    "after a %i the next is asked for",
    async (status) => {
      const { ask, asked } = setUp({ a: status, b: 200 });
      expect([await ask(), asked]).toEqual([200, ["a", "b"]]);
    },
  );

  it("the one that was known is the first from then on", async () => {
    const { ask, asked, tries } = setUp({ a: 404, b: 200 });
    await ask();
    asked.length = 0;
    expect([await ask("PLAY"), asked, tries.of(URLS)]).toEqual([200, ["b"], "b"]);
    expect(tries.of([])).toBe("");
    expect(tries.of(["x"])).toBe("x");
  });

  it("the first answer is told where none is known, also of the further ones", async () => {
    const { ask, asked, tries } = setUp({ a: 451, b: 404, c: 404, d: 404 });
    expect([await ask("SETUP", ["d"]), asked]).toEqual([451, ["a", "b", "c", "d"]]);
    const known = setUp({ d: 200 });
    expect([await known.ask("SETUP", ["d"]), known.tries.of(URLS), tries.of(URLS)]).toEqual([200, "a", "a"]);
  });
});

describe("where the server hangs up at a reading", () => {
  it.each(["closed", "no-answer"] as const)("%s: the session is opened again with the next", async (how) => {
    const { tries, asked, ask } = setUp({ a: how, b: 200 });
    const undone: string[] = [];
    const status = await tries.open(
      () => ask(),
      () => undone.push(`goes on: ${tries.goesOn}`),
    );
    expect([status, asked, undone, tries.goesOn]).toEqual([200, ["a", "b"], ["goes on: true"], false]);
  });

  it("at each of them the last failure is reported", async () => {
    const { tries, asked, ask } = setUp({ a: "closed", b: "closed", c: "no-answer" });
    let undone = 0;
    const opening = tries.open(
      () => ask(),
      () => undone++,
    );
    await expect(opening).rejects.toMatchObject({ kind: "no-answer" });
    expect([asked, undone, tries.goesOn]).toEqual([["a", "b", "c"], 2, false]);
  });

  it("another method is asked of it all the same", async () => {
    const { tries, asked, request, ask } = setUp({ a: "closed", b: 200 });
    await expect(tries.askOnce("PLAY", URLS, request)).rejects.toMatchObject({ kind: "closed" });
    expect(tries.goesOn).toBe(true);
    asked.length = 0;
    expect([(await tries.askOnce("PLAY", URLS, request)).status, asked]).toEqual([200, ["b"]]);
    asked.length = 0;
    await expect(ask("SETUP")).rejects.toMatchObject({ kind: "closed" });
    expect(asked).toEqual(["a"]);
  });

  it("another failure is reported at once", async () => {
    const { tries, asked, ask } = setUp({ a: "unauthorized", b: 200 });
    const opening = tries.open(
      () => ask(),
      () => undefined,
    );
    await expect(opening).rejects.toMatchObject({ kind: "unauthorized" });
    expect([asked, tries.goesOn]).toEqual([["a"], false]);
  });
});

it("one reading alone is asked for, and the session goes on with another while there is one", async () => {
  const { tries, asked, request } = setUp({ a: "closed", b: "no-answer", c: "closed" });
  const goesOn: boolean[] = [];
  for (let time = 0; time < 4; time++) {
    await expect(tries.askOnce("PLAY", URLS, request)).rejects.toThrow();
    goesOn.push(tries.goesOn);
  }
  expect(asked).toEqual(["a", "b", "c", "a"]);
  expect(goesOn).toEqual([true, true, false, false]);
});
