import { expect, it } from "vitest";
import { IntervalWheel } from "../../src/base/time/interval-wheel.js";

/** A machine whose time passes when told, and that counts how often it is woken. */
class Machine {
  now = 0;
  wakes = 0;
  readonly failures: unknown[] = [];
  readonly lateMs: number[] = [];
  #timer: { readonly atMs: number; readonly run: () => void } | undefined;

  nowMs(): number {
    return this.now;
  }

  setTimeout(run: () => void, delayMs: number) {
    const timer = { atMs: this.now + delayMs, run };
    this.#timer = timer;
    return {
      clear: () => {
        if (this.#timer === timer) this.#timer = undefined;
      },
    };
  }

  fail(error: unknown): void {
    this.failures.push(error);
  }

  late(lateMs: number): void {
    this.lateMs.push(lateMs);
  }

  get isArmed(): boolean {
    return this.#timer !== undefined;
  }

  pass(ms: number, lateMs = 0): void {
    const until = this.now + ms;
    for (let timer = this.#timer; timer !== undefined && timer.atMs <= until; timer = this.#timer) {
      this.#timer = undefined;
      this.now = Math.max(this.now, timer.atMs + lateMs);
      this.wakes += 1;
      timer.run();
    }
    this.now = Math.max(this.now, until);
  }
}

it("wakes the process once for all that began at different times", () => {
  const machine = new Machine();
  const wheel = new IntervalWheel(machine);
  const runs = new Map([200, 400, 1000].map((periodMs) => [periodMs, 0]));
  for (const periodMs of runs.keys()) {
    machine.pass(37.3);
    wheel.add(() => runs.set(periodMs, (runs.get(periodMs) ?? 0) + 1), periodMs);
  }
  machine.pass(2000 - machine.now + 50);
  const first = [...runs.values()];
  machine.wakes = 0;
  machine.pass(10_000);
  expect([...runs.values()].map((count, at) => count - (first[at] ?? 0))).toEqual([50, 25, 10]);
  expect(machine.wakes).toBe(50);
});

it("comes for the first time after half a period to one and a half", () => {
  for (const atMs of [0, 1, 499, 500, 501, 999]) {
    const machine = new Machine();
    const wheel = new IntervalWheel(machine);
    machine.pass(atMs);
    let first = 0;
    wheel.add(() => {
      first ||= machine.now - atMs;
    }, 1000);
    machine.pass(2000);
    expect([first >= 500, first <= 1500]).toEqual([true, true]);
  }
});

it("runs each once after the thread was held for several periods, and then as before", () => {
  const machine = new Machine();
  const wheel = new IntervalWheel(machine);
  const at: number[] = [];
  wheel.add(() => at.push(machine.now), 200);
  machine.pass(200, 1130);
  machine.pass(400);
  expect(at).toEqual([1330, 1400, 1600]);
});

it("does not run again early where a timer comes a little before its time", () => {
  const machine = new Machine();
  const wheel = new IntervalWheel(machine);
  const at: number[] = [];
  wheel.add(() => at.push(machine.now), 200);
  machine.pass(200, -0.7);
  machine.pass(201);
  expect(at).toEqual([199.3, 400.3]);
});

it("runs the others where one throws, and tells its error", () => {
  const machine = new Machine();
  const wheel = new IntervalWheel(machine);
  let runs = 0;
  wheel.add(() => {
    throw new Error("broken");
  }, 200);
  wheel.add(() => {
    runs += 1;
  }, 200);
  machine.pass(400);
  expect([runs, machine.failures.length]).toEqual([2, 2]);
});

it("does not run what another ends in the same turn, and has no timer when all have ended", () => {
  const machine = new Machine();
  const wheel = new IntervalWheel(machine);
  let runs = 0;
  const first = wheel.add(() => second.clear(), 200);
  const second = wheel.add(() => {
    runs += 1;
  }, 200);
  machine.pass(400);
  expect([runs, machine.isArmed]).toEqual([0, true]);
  first.clear();
  first.clear();
  expect(machine.isArmed).toBe(false);
});

it("does not run what is added in a turn before half a period has passed", () => {
  const machine = new Machine();
  const wheel = new IntervalWheel(machine);
  const at: number[] = [];
  const first = wheel.add(() => {
    first.clear();
    wheel.add(() => at.push(machine.now), 200);
  }, 200);
  machine.pass(700);
  expect(at).toEqual([400, 600]);
});

it("tells how late its timer comes, and nothing of what it rounds", () => {
  const machine = new Machine();
  const wheel = new IntervalWheel(machine);
  machine.pass(10.4);
  wheel.add(() => undefined, 200);
  machine.pass(250 - machine.now);
  machine.pass(200, 35);
  machine.pass(200, -0.7);
  expect(machine.lateMs.map((ms) => Math.round(ms * 10) / 10)).toEqual([0, 35, 0]);
});

it("takes periods that meet, and not those that are paced exactly or seldom", () => {
  expect([20, 100, 250, 400, 10_000, 60_000].map((periodMs) => IntervalWheel.fits(periodMs))).toEqual([
    false,
    true,
    false,
    true,
    true,
    false,
  ]);
});
