import { expect, test } from "vitest";
import { LoginBudgets, REFUSALS_BEFORE_WAIT, REFUSED_WAIT_MS } from "../../../src/camera/index.js";
import type { LoginGate, LoginTurn } from "../../../src/rtsp/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const LOGIN = { device: "192.0.2.7", login: "viewer", password: "one" };
const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;

function setUp() {
  const clock = new SimulatedClock();
  return { clock, budgets: new LoginBudgets({ clock, random: () => 0 }) };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A stream that tries again and again, and what happens to it. */
class Trier {
  readonly tries: LoginTurn[] = [];
  sent = 0;
  readonly #stop = new AbortController();
  readonly #gate: LoginGate;
  constructor(gate: LoginGate) {
    this.#gate = gate;
  }
  async wait(): Promise<void> {
    const turn = await this.#gate.turn({ signal: this.#stop.signal, onRefused: () => (this.sent += 1) });
    if (turn !== undefined) this.tries.push(turn);
  }
  stop(): void {
    this.#stop.abort();
  }
}

async function play(clock: SimulatedClock, us: number, triers: readonly Trier[], cost = 1): Promise<number> {
  const endUs = clock.monotonicUs() + us;
  let answers = 0;
  while (clock.monotonicUs() < endUs) {
    await settle();
    for (const trier of triers) {
      for (const turn of trier.tries.splice(0)) {
        answers += 1;
        turn.refused(cost);
        turn.ended();
        void trier.wait();
      }
    }
    clock.advance(SECOND_US);
  }
  return answers;
}

test("four streams with a wrong password make one try in the first minute, three in five, and one in ten minutes after", async () => {
  const { clock, budgets } = setUp();
  const triers = [1, 2, 3, 4].map(() => new Trier(budgets.gate(LOGIN)));
  for (const trier of triers) void trier.wait();
  expect(await play(clock, MINUTE_US, triers)).toBe(1);
  expect(await play(clock, 4 * MINUTE_US, triers)).toBe(REFUSALS_BEFORE_WAIT - 1);
  expect(await play(clock, 60 * MINUTE_US, triers)).toBeLessThanOrEqual(60 / (REFUSED_WAIT_MS / 60_000));
  expect(triers.every((trier) => trier.sent > 0)).toBe(true);
});

test("a changed password is tried at once, and so is another login and another device", async () => {
  const { clock, budgets } = setUp();
  const wrong = new Trier(budgets.gate(LOGIN));
  void wrong.wait();
  await play(clock, MINUTE_US, [wrong]);
  const others = [
    { ...LOGIN, password: "two" },
    { ...LOGIN, login: "root" },
    { ...LOGIN, device: "192.0.2.8" },
  ].map((login) => new Trier(budgets.gate(login)));
  for (const other of others) void other.wait();
  await settle();
  expect(others.map((other) => other.tries.length)).toEqual([1, 1, 1]);
});

test("until the device took the password, one stream tries and the others wait for what it finds", async () => {
  const { budgets } = setUp();
  const [one, other] = [new Trier(budgets.gate(LOGIN)), new Trier(budgets.gate(LOGIN))];
  void one.wait();
  void other.wait();
  await settle();
  expect([one.tries.length, other.tries.length]).toEqual([1, 0]);
  one.tries[0]?.accepted();
  await settle();
  expect(other.tries).toHaveLength(1);
});

test("a camera that is away holds nobody up: an attempt without a verdict lets the next one try", async () => {
  const { budgets } = setUp();
  const [one, other] = [new Trier(budgets.gate(LOGIN)), new Trier(budgets.gate(LOGIN))];
  void one.wait();
  void other.wait();
  await settle();
  one.tries[0]?.ended();
  await settle();
  expect(other.tries).toHaveLength(1);
});

test("one stream's refusal does not hold up another whose session the camera serves", async () => {
  const { budgets } = setUp();
  const gate = budgets.gate(LOGIN);
  const [main, sub] = [new Trier(gate), new Trier(budgets.gate(LOGIN))];
  void main.wait();
  await settle();
  main.tries[0]?.accepted();
  void sub.wait();
  await settle();
  sub.tries[0]?.refused();
  main.tries[0]?.ended();
  void main.wait();
  void sub.wait();
  await settle();
  expect([main.tries.length, sub.tries.length]).toEqual([2, 1]);
});

test("a password changed at the camera costs no more tries than a wrong one, however many streams come back at once", async () => {
  const { clock, budgets } = setUp();
  const triers = Array.from({ length: 16 }, () => new Trier(budgets.gate(LOGIN)));
  for (const trier of triers) {
    void trier.wait();
    await settle();
    trier.tries[0]?.accepted();
  }
  for (const trier of triers) trier.tries.splice(0)[0]?.ended();
  for (const trier of triers) void trier.wait();
  expect(await play(clock, MINUTE_US, triers)).toBe(REFUSALS_BEFORE_WAIT);
});

test("a stopped stream leaves the queue, and no timer is left when nobody waits", async () => {
  const { clock, budgets } = setUp();
  const trier = new Trier(budgets.gate(LOGIN));
  void trier.wait();
  await settle();
  trier.tries[0]?.refused();
  void trier.wait();
  await settle();
  expect(clock.timers).toBe(1);
  trier.stop();
  await settle();
  expect(clock.timers).toBe(0);
  expect(trier.tries).toHaveLength(1);
});

test("an attempt that cost two tries is waited for twice as long: four tries in the first minutes, two each twenty after", async () => {
  const { clock, budgets } = setUp();
  const trier = new Trier(budgets.gate(LOGIN));
  void trier.wait();
  expect(await play(clock, 2 * MINUTE_US, [trier], 2)).toBe(1);
  expect(await play(clock, 20 * MINUTE_US, [trier], 2)).toBe(1);
  expect(await play(clock, 60 * MINUTE_US, [trier], 2)).toBe(3);
});

test("who was refused alone is reported at once that it has to wait", async () => {
  const { budgets } = setUp();
  const [stream, picture] = [new Trier(budgets.gate(LOGIN)), new Trier(budgets.gate(LOGIN))];
  void stream.wait();
  await settle();
  stream.tries[0]?.accepted();
  void picture.wait();
  await settle();
  picture.tries.splice(0)[0]?.refused();
  void picture.wait();
  await settle();
  expect([picture.tries.length, picture.sent, stream.sent]).toEqual([0, 1, 0]);
});
