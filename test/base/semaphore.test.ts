import { describe, expect, it } from "vitest";
import { Semaphore } from "../../src/base/index.js";

/** Tasks that end when told to, and the order in which they began. */
function worksOf(semaphore: Semaphore) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, signal = new AbortController().signal) =>
    semaphore.run(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    }, signal);
  return { begun, run, end: (name: string) => ends.get(name)?.() };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("Semaphore", () => {
  it("runs a limited number of tasks at once, and the others in order of arrival", async () => {
    const { begun, run, end } = worksOf(new Semaphore({ atOnce: 2, waitingMax: 10 }));
    const all = ["a", "b", "c", "d"].map((name) => run(name));
    await settle();
    expect(begun).toEqual(["a", "b"]);
    end("b");
    await settle();
    expect(begun).toEqual(["a", "b", "c"]);
    for (const name of ["a", "c"]) end(name);
    await settle();
    end("d");
    expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
  });

  it("never gives away a place that passes to a waiting task", async () => {
    const semaphore = new Semaphore({ atOnce: 1, waitingMax: 10 });
    const { begun, run, end } = worksOf(semaphore);
    const first = run("a").then(() => run("late"));
    const second = run("b");
    await settle();
    end("a");
    await settle();
    expect(begun).toEqual(["a", "b"]);
    end("b");
    await second;
    await settle();
    end("late");
    expect(await first).toBe("late");
  });

  it("frees the place of a task that fails", async () => {
    const semaphore = new Semaphore({ atOnce: 1, waitingMax: 1 });
    await expect(semaphore.run(() => Promise.reject(new Error("it fails")))).rejects.toThrow("it fails");
    expect(await semaphore.run(async () => 1)).toBe(1);
  });

  it("lets a task leave the queue, and the next one keeps its position", async () => {
    const { begun, run, end } = worksOf(new Semaphore({ atOnce: 1, waitingMax: 10 }));
    const leaving = new AbortController();
    const all = [run("a"), run("b", leaving.signal), run("c")];
    await settle();
    leaving.abort();
    expect(await all[1]).toBeUndefined();
    end("a");
    await settle();
    expect(begun).toEqual(["a", "c"]);
    end("c");
    expect(await all[2]).toBe("c");
  });

  it("passes the place on when its new owner is aborted at that moment", async () => {
    const { begun, run, end } = worksOf(new Semaphore({ atOnce: 1, waitingMax: 10 }));
    const leaving = new AbortController();
    const first = run("a").finally(() => leaving.abort());
    const second = run("b", leaving.signal);
    const third = run("c");
    end("a");
    await first;
    await settle();
    end("b");
    await second;
    await settle();
    end("c");
    expect(await third).toBe("c");
    expect(begun).toContain("c");
  });

  it("rejects a task when too many wait", async () => {
    const { run, end } = worksOf(new Semaphore({ atOnce: 1, waitingMax: 1 }));
    const first = run("a");
    const second = run("b");
    await expect(run("c")).rejects.toThrow(expect.objectContaining({ code: "TOO_MANY_REQUESTS" }));
    end("a");
    await first;
    await settle();
    end("b");
    await second;
  });
});
