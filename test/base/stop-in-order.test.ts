import { expect, test } from "vitest";
import { createLog } from "../../src/base/index.js";
import { stopInOrder } from "../../src/base/wait/stop-in-order.js";

class Part {
  readonly #run: () => Promise<void> | void;

  constructor(run: () => Promise<void> | void) {
    this.#run = run;
  }

  stop(): Promise<void> | void {
    return this.#run();
  }
}

function bench() {
  const lines: string[] = [];
  const log = createLog({ level: "info", destination: { write: (line) => void lines.push(line) } });
  const stopped: string[] = [];
  const good = (name: string) =>
    new Part(async () => {
      await Promise.resolve();
      stopped.push(name);
    });
  const bad = (text: string) =>
    new Part(() => {
      throw new Error(text);
    });
  return { lines, log, stopped, good, bad };
}

test("parts stop one after the other", async () => {
  const { lines, log, stopped, good } = bench();
  await stopInOrder([good("a"), good("b")], log);
  expect(stopped).toEqual(["a", "b"]);
  expect(lines).toEqual([]);
});

test("a part that throws does not keep others from stopping, and its error is thrown at the end", async () => {
  const { log, stopped, good, bad } = bench();
  await expect(stopInOrder([good("a"), bad("no disk"), good("b")], log)).rejects.toThrow(/^no disk$/);
  expect(stopped).toEqual(["a", "b"]);
});

test("a part without a class is logged by its name", async () => {
  const { lines, log } = bench();
  const named = { name: "upkeep", stop: () => Promise.reject(new Error("no disk")) };
  await expect(stopInOrder([named], log)).rejects.toThrow("no disk");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ part: "upkeep" }]);
});

test("the errors of several parts are one, with the texts of all, and a line of the log each", async () => {
  const { lines, log, bad } = bench();
  const rejected = new Part(() => Promise.reject(new Error("no port")));
  await expect(stopInOrder([bad("no disk"), rejected], log)).rejects.toMatchObject({
    message: "no disk; no port",
    errors: [new Error("no disk"), new Error("no port")],
  });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { part: "Part", error: "no disk" },
    { part: "Part", error: "no port" },
  ]);
});
