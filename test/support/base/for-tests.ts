import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/** What is ended by one of its own functions. */
interface Ending {
  readonly stop?: () => unknown;
  readonly close?: () => unknown;
  readonly remove?: () => unknown;
}

/** Makes something before each test of the file, or of the block, and ends it after; stands for the one that was made last. */
export function forEachTest<T extends object>(
  make: () => T | Promise<T>,
  end: (made: T) => unknown = ended,
): T {
  let made: T | undefined;
  beforeEach(async () => {
    made = undefined;
    made = await make();
  });
  afterEach(async () => {
    if (made !== undefined) await end(made);
  });
  return standingFor(() => made);
}

/** Makes something once for all tests of the file, or of the block, and ends it after them; stands for it. */
export function forAllTests<T extends object>(
  make: () => T | Promise<T>,
  end: (made: T) => unknown = ended,
): T {
  let made: T | undefined;
  beforeAll(async () => {
    made = await make();
  });
  afterAll(async () => {
    if (made !== undefined) await end(made);
  });
  return standingFor(() => made);
}

/** An object whose members are those of another one, which is not there yet. */
export function standingFor<T extends object>(made: () => T | undefined): T {
  const there = (): T => {
    const found = made();
    if (found === undefined) throw new Error("it is used outside of the tests that it is made for");
    return found;
  };
  return new Proxy({} as T, {
    get(_, name) {
      const of = there();
      const value: unknown = Reflect.get(of, name, of);
      return typeof value === "function" && !Object.hasOwn(of, name) ? value.bind(of) : value;
    },
    set: (_, name, value) => Reflect.set(there(), name, value, there()),
    has: (_, name) => Reflect.has(there(), name),
  });
}

async function ended(made: Ending): Promise<void> {
  const end = made.stop ?? made.close ?? made.remove;
  if (end === undefined) throw new Error("nothing says how it is ended");
  await end.call(made);
}
