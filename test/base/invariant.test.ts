import { expect, it } from "vitest";
import {
  brokenInvariants,
  INVARIANTS,
  type InvariantCode,
  InvariantError,
  invariant,
} from "../../src/base/index.js";

const CODES = Object.keys(INVARIANTS) as InvariantCode[];

it("an invariant that holds does nothing", () => {
  const before = [...brokenInvariants()];
  for (const code of CODES) invariant(true, code);
  expect([...brokenInvariants()]).toEqual(before);
});

it.each(CODES)("one that does not hold throws an error with its name, and is counted: %s", (code) => {
  const before = brokenInvariants().get(code) ?? 0;
  const breaking = () => invariant(false, code);
  expect(breaking).toThrow(InvariantError);
  expect(breaking).toThrow(
    expect.objectContaining({ code, message: `fault in nvrd (${code}): ${INVARIANTS[code]}` }),
  );
  expect(brokenInvariants().get(code)).toBe(before + 2);
});
