import { describe, expect, it } from "vitest";
import { type Lane, Turns } from "../../src/access/turns.js";

/** Checks that end when they are told to. */
class Checks {
  readonly begun: string[] = [];
  readonly results = new Map<string, Promise<string>>();
  readonly #turns: Turns;
  readonly #ends = new Map<string, (error?: Error) => void>();

  constructor(atOnceMax: number) {
    this.#turns = new Turns({ atOnceMax });
  }

  /** One of a queue of its own, unless named. */
  ask(name: string, lane: Lane, queue = name): Promise<string> {
    const result = this.#turns.take({ lane, queue }, () => this.#check(name));
    result.catch(() => undefined); // looked at by who asks
    this.results.set(name, result);
    return result;
  }

  #check(name: string): Promise<string> {
    this.begun.push(name);
    return new Promise((resolve, reject) => {
      this.#ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
    });
  }

  async end(name: string, error?: Error): Promise<void> {
    this.#ends.get(name)?.(error);
    await settled();
  }

  /** Ends each as it has begun, until none is left. */
  async endAll(): Promise<void> {
    for (const name of this.begun) await this.end(name);
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("checks that take turns", () => {
  it("are done a few at a time, of strangers one less", async () => {
    const checks = new Checks(3);
    for (const name of ["a", "b", "c"]) checks.ask(name, "new");
    await settled();
    expect(checks.begun).toEqual(["a", "b"]);
    for (const name of ["d", "e"]) checks.ask(name, "known");
    await settled();
    expect(checks.begun).toEqual(["a", "b", "d"]);
    await checks.end("a");
    expect(checks.begun).toEqual(["a", "b", "d", "e"]);
    await checks.end("d");
    expect(checks.begun).toEqual(["a", "b", "d", "e", "c"]);
  });

  it("of strangers are done also where there is one place", async () => {
    const checks = new Checks(1);
    checks.ask("a", "failed");
    await settled();
    expect(checks.begun).toEqual(["a"]);
  });

  it("go in the order of their lanes, and within one in that of their asking", async () => {
    const checks = new Checks(1);
    checks.ask("first", "known");
    for (const lane of ["failed", "new", "known"] as const)
      for (const at of [1, 2]) checks.ask(`${lane} ${at}`, lane);
    await settled();
    await checks.endAll();
    expect(checks.begun).toEqual(["first", "known 1", "known 2", "new 1", "new 2", "failed 1", "failed 2"]);
  });

  it("of one queue are done one after the other, also when one fails", async () => {
    const checks = new Checks(4);
    for (const name of ["a", "b", "c"]) checks.ask(name, "known", "one");
    await settled();
    expect(checks.begun).toEqual(["a"]);
    await checks.end("a", new Error("no"));
    await expect(checks.results.get("a")).rejects.toThrow("no");
    expect(checks.begun).toEqual(["a", "b"]);
    await checks.end("b");
    await expect(checks.results.get("b")).resolves.toBe("b");
    expect(checks.begun).toEqual(["a", "b", "c"]);
  });

  it("give their place back when they fail", async () => {
    const checks = new Checks(2);
    checks.ask("a", "new");
    checks.ask("b", "new");
    await settled();
    await checks.end("a", new Error("no"));
    expect(checks.begun).toEqual(["a", "b"]);
  });
});

describe("checks that are too many", () => {
  const refused = { code: "TOO_MANY_REQUESTS", retryAfterMs: 5000 };

  it.each([
    ["known", 256],
    ["new", 128],
    ["failed", 64],
  ] as const)(
    "of the lane %s are turned away beyond %i, and taken again when one is done",
    async (lane, most) => {
      const checks = new Checks(1);
      for (let at = 0; at < most; at += 1) checks.ask(`${at}`, lane);
      await expect(checks.ask("over", lane)).rejects.toMatchObject(refused);
      await settled();
      await checks.end("0");
      checks.ask("again", lane);
      await expect(checks.ask("over", lane)).rejects.toMatchObject(refused);
      await checks.endAll();
      await expect(checks.results.get("again")).resolves.toBe("again");
    },
  );

  it("of one queue are turned away beyond 64, others are not", async () => {
    const checks = new Checks(1);
    for (let at = 0; at < 64; at += 1) checks.ask(`${at}`, "known", "one");
    await expect(checks.ask("over", "known", "one")).rejects.toMatchObject(refused);
    checks.ask("other", "known");
    await settled();
    await checks.end("0");
    expect(checks.begun).toEqual(["0", "other"]);
    checks.ask("again", "known", "one");
    await checks.endAll();
    await expect(checks.results.get("again")).resolves.toBe("again");
  });

  it("of a queue that was empty meanwhile are counted anew", async () => {
    const checks = new Checks(1);
    for (let round = 0; round < 2; round += 1) {
      for (let at = 0; at < 64; at += 1) checks.ask(`${round} ${at}`, "known", "one");
      await settled();
      await checks.endAll();
    }
    expect(checks.begun).toHaveLength(128);
  });
});
