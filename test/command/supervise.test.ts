import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { type Stoppable, supervise } from "../../src/service/process/supervise.js";
import { ManualClock } from "../support/base/manual-clock.js";
import { silentLog } from "../support/site/site-samples.js";

function bench() {
  const signals = new EventEmitter();
  const clock = new ManualClock();
  const exits: number[] = [];
  const steps: string[] = [];
  let finishStop: () => void = () => undefined;
  const service = {
    stop: () => {
      steps.push("stopping");
      return new Promise<void>((resolve) => {
        finishStop = resolve;
      });
    },
  };
  const run = (start: () => Promise<Stoppable>) =>
    supervise({ start, signals, exit: (status) => void exits.push(status), clock, log: silentLog });
  return { signals, clock, exits, steps, service, run, finishStop: () => finishStop() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("supervise", () => {
  it.each(["SIGTERM", "SIGINT"])("stops in order at %s", async (signal) => {
    const { signals, exits, steps, service, run, finishStop } = bench();
    const ended = run(async () => service);
    await turn();
    expect(steps).toEqual([]);
    signals.emit(signal, signal);
    await turn();
    expect(steps).toEqual(["stopping"]);
    finishStop();
    await ended;
    expect(exits).toEqual([]);
    expect(signals.listenerCount(signal)).toBe(0);
  });

  it("stops in order and throws the reason when what runs cannot go on", async () => {
    const { signals, steps, service, run, finishStop } = bench();
    const failure = Promise.resolve(new Error("written by a newer nvrd"));
    const ended = run(async () => ({ ...service, failure }));
    await turn();
    expect(steps).toEqual(["stopping"]);
    finishStop();
    await expect(ended).rejects.toThrow("written by a newer nvrd");
    expect(signals.listenerCount("SIGTERM")).toBe(0);
  });

  it.each([
    [true, 0],
    [false, 1],
  ])(
    "stops in order for a restart, and guards the process only if it ends (restarts here: %s)",
    async (restartsHere, guards) => {
      const { signals, clock, exits, service, steps, finishStop } = bench();
      let guarded = 0;
      const guard = () => {
        guarded += 1;
        return () => undefined;
      };
      const ended = supervise({
        start: async () => ({ ...service, restart: Promise.resolve() }),
        ...{ signals, clock, guard, restartsHere, log: silentLog },
        exit: (status) => void exits.push(status),
      });
      await turn();
      expect(steps).toEqual(["stopping"]);
      finishStop();
      expect(await ended).toBe("restart");
      expect([guarded, exits]).toEqual([guards, []]);
    },
  );

  it("throws the reason why what runs cannot go on, also when it does not stop well", async () => {
    const { clock, exits, run } = bench();
    const failure = Promise.resolve(new Error("written by a newer nvrd"));
    const stop = () => Promise.reject(new Error("read-only"));
    await expect(run(async () => ({ stop, failure }))).rejects.toThrow("written by a newer nvrd");
    clock.advance(60_000);
    expect(exits).toEqual([]);
  });

  it("throws what a stop fails with as a line for a person", async () => {
    const { signals, run } = bench();
    const ended = run(async () => ({ stop: () => Promise.reject(new Error("EIO:\n  read-only")) }));
    await turn();
    signals.emit("SIGTERM", "SIGTERM");
    const line = { code: "NOT_AVAILABLE", message: "stopped, but not in order: EIO: read-only" };
    await expect(ended).rejects.toMatchObject(line);
  });

  it("throws what a stop fails with, and lets the process end in its own time", async () => {
    const { signals, clock, exits, run } = bench();
    const ended = run(async () => ({ stop: () => Promise.reject(new Error("read-only")) }));
    await turn();
    signals.emit("SIGTERM", "SIGTERM");
    await expect(ended).rejects.toThrow("read-only");
    clock.advance(60_000);
    expect(exits).toEqual([]);
  });

  it("ends the process at once at a second signal", async () => {
    const { signals, exits, service, run } = bench();
    void run(async () => service);
    await turn();
    signals.emit("SIGINT", "SIGINT");
    signals.emit("SIGTERM", "SIGTERM");
    expect(exits).toEqual([143]);
  });

  it("stops as soon as the start is through when a signal came before", async () => {
    const { signals, steps, service, run, finishStop } = bench();
    let started: () => void = () => undefined;
    const ended = run(async () => {
      await new Promise<void>((resolve) => {
        started = resolve;
      });
      return service;
    });
    signals.emit("SIGTERM", "SIGTERM");
    await turn();
    expect(steps).toEqual([]);
    started();
    await turn();
    expect(steps).toEqual(["stopping"]);
    finishStop();
    await ended;
  });

  it.each(["after a stop that failed", "after one that took too long"])(
    "has the guard say nothing where a line was said already: %s",
    async (how) => {
      const { signals, clock, service } = bench();
      const lines: string[] = [];
      const stop =
        how === "after a stop that failed" ? () => Promise.reject(new Error("disk")) : service.stop;
      const ended = supervise({
        start: async () => ({ stop }),
        guard: () => () => void lines.push("silent"),
        say: () => void lines.push("said"),
        ...{ signals, clock, exit: () => undefined, log: silentLog },
      });
      const failed = ended.catch(() => undefined);
      await turn();
      signals.emit("SIGTERM", "SIGTERM");
      await turn();
      if (stop === service.stop) clock.advance(30_000);
      else await failed;
      expect(lines).toEqual(stop === service.stop ? ["silent", "said"] : ["silent"]);
    },
  );

  it("ends the process when the service does not stop", async () => {
    const { signals, clock, exits, service, run } = bench();
    void run(async () => service);
    await turn();
    signals.emit("SIGTERM", "SIGTERM");
    await turn();
    clock.advance(30_000);
    expect(exits).toEqual([3]);
  });

  it("passes on what the start throws", async () => {
    const { signals, run } = bench();
    const failed = run(async () => {
      throw new Error("no disk");
    });
    await expect(failed).rejects.toThrow("no disk");
    expect(signals.listenerCount("SIGTERM")).toBe(0);
  });
});
