import { expect, it } from "vitest";
import { atOnce, inTurns } from "../../src/base/index.js";

function* work(done: string[]): Generator<undefined, string> {
  for (const piece of ["a", "b", "c"]) {
    done.push(piece);
    yield;
  }
  return "made";
}

it("other work runs between the pieces of work that is done in turns", async () => {
  const done: string[] = [];
  let other: NodeJS.Immediate;
  const otherWork = () => {
    done.push("-");
    other = setImmediate(otherWork);
  };
  other = setImmediate(otherWork);
  expect(await inTurns(work(done))).toBe("made");
  clearImmediate(other);
  expect(done.join("")).toMatch(/^a-+b-+c/);
});

it("work that is done at once is not interrupted, and what it throws is thrown", () => {
  const done: string[] = [];
  expect(atOnce(work(done))).toBe("made");
  expect(done).toEqual(["a", "b", "c"]);
  const broken = (function* () {
    yield;
    throw new Error("broken");
  })();
  expect(() => atOnce(broken)).toThrow("broken");
});
