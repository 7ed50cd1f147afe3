import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { DayBooks } from "../../src/away/day-books.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { silentLog } from "../support/site/site-samples.js";

const CHANNEL = "22222222-0000-4000-8000-000000000001";

function booksIn(directory: string): DayBooks {
  const unused = async () => Promise.reject(new Error("not asked for"));
  return new DayBooks({
    ...{ directory, sender: { run: unused }, factsOf: unused, beforeNaming: unused },
    ...{ clock: new SimulatedClock(), log: silentLog },
  });
}

it("a target that has sent nothing yet has no journals", async () => {
  const directory = path.join(await temporaryDirectory(), "none");
  await expect(booksIn(directory).retain(() => false)).resolves.toBeUndefined();
});

it("journals that cannot be listed are a fault, not an empty folder", async () => {
  const directory = await temporaryDirectory();
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, CHANNEL), "no folder");
  await expect(booksIn(directory).retain(() => false)).rejects.toThrow("ENOTDIR");
});
