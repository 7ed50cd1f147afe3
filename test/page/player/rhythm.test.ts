import { beforeEach, describe, expect, it } from "vitest";
import { Rhythm } from "../../../src/page/player/rhythm.js";

describe("pictures that come in a rhythm", () => {
  let rhythm: Rhythm;
  beforeEach(() => {
    rhythm = new Rhythm();
  });

  const note = (...takenMs: readonly number[]): void => {
    for (const each of takenMs) rhythm.note(each);
  };

  it("are waited for during three distances at which they were taken", () => {
    note(1000, 6000);
    expect(rhythm.patienceMs).toBe(15_000);
  });

  it("are waited for as those of a slow camera while one alone has come", () => {
    note(1000);
    expect(rhythm.patienceMs).toBe(12_000);
  });

  it("are waited for longer at once when they come farther apart, and less little by little", () => {
    note(0, 40, 4040);
    expect(rhythm.patienceMs).toBe(12_000);
    note(4080);
    expect(rhythm.patienceMs).toBe(3 * 3010);
    note(...Array.from({ length: 50 }, (_, index) => 4120 + index * 40));
    expect(rhythm.patienceMs).toBeCloseTo(120, 0);
  });

  it("are waited for as before after one that comes again, and after a clock that was set", () => {
    note(1000, 1500, 1000, 10_000_000, 10_000_500);
    expect(rhythm.patienceMs).toBe(1500);
  });

  it("have another one once pictures are left out", () => {
    note(0, 40);
    rhythm.forget();
    expect(rhythm.patienceMs).toBe(12_000);
    note(5000);
    expect(rhythm.patienceMs).toBe(12_000);
  });
});
