import { utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LmdbSiteStore } from "../../src/site/index.js";
import {
  answerOrder,
  HERE_BYTES_MAX,
  type RevisionOrder,
  type RevisionReply,
  type RevisionThread,
} from "../../src/site/store/revision-reader.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { addCamera, startStore } from "../support/site/site-samples.js";

/** A thread that is asked what the test sees, and answers when the test says so. */
class AskedThread {
  readonly orders: RevisionOrder[] = [];
  #reply: ((reply: RevisionReply | undefined) => void) | undefined;
  #isHeld = false;

  readonly start = (): RevisionThread => ({
    post: (order) => {
      this.orders.push(order);
      if (!this.#isHeld) queueMicrotask(() => this.#answer());
    },
    onReply: (listener) => {
      this.#reply = listener;
    },
    end: () => undefined,
  });

  hold(): void {
    this.#isHeld = true;
  }

  goOn(): void {
    this.#isHeld = false;
    this.#answer();
  }

  /** Ends without an answer, as a thread does that has no more memory. */
  fail(): void {
    this.#reply?.(undefined);
  }

  #answer(): void {
    const order = this.orders.at(-1);
    if (order !== undefined) this.#reply?.(answerOrder(order));
  }
}

/** A store with so many revisions whose documents are large. */
async function largeStore(count: number, startReader?: () => RevisionThread): Promise<Large> {
  const directory = await temporaryDirectory();
  const store = await startStore(directory, startReader === undefined ? {} : { startReader });
  onTestFinished(() => store.stop());
  const description = "x".repeat(1000);
  const names = Array.from({ length: HERE_BYTES_MAX / 1000 }, (_, at) => `Camera ${at}`);
  await store.change((site) => names.reduce((next, name) => addCamera({ name, description })(next), site), {
    summary: "cameras",
  });
  for (let at = 1; at < count; at += 1) await rename(store, `${at}`);
  return { store, directory };
}

interface Large {
  readonly store: LmdbSiteStore;
  readonly directory: string;
}

const rename = (store: LmdbSiteStore, name: string) =>
  store.change((site) => ({ ...site, server: { ...site.server, name } }), { summary: `named ${name}` });
const summaries = async (store: LmdbSiteStore) => (await store.history()).map(({ summary }) => summary);

describe("the history of a large configuration", () => {
  it("has its documents read by another thread, those of a small one here", async () => {
    const thread = new AskedThread();
    const { store } = await largeStore(2, thread.start);
    expect(await summaries(store)).toEqual(["named 1", "cameras", "first configuration"]);
    expect(thread.orders).toHaveLength(2);
    for (const { bytes } of thread.orders) expect(bytes.length).toBeGreaterThan(HERE_BYTES_MAX);
  });

  it("is read by the thread of the service as it is here", async () => {
    const { store } = await largeStore(3);
    expect(await store.history()).toMatchObject([
      { revision: 4, by: null, summary: "named 2", appliedAtUs: store.current.appliedAtUs },
      { revision: 3, summary: "named 1" },
      { revision: 2, summary: "cameras" },
      { revision: 1, summary: "first configuration" },
    ]);
  });

  it("is read once, and of a later one what is new", async () => {
    const thread = new AskedThread();
    const { store } = await largeStore(2, thread.start);
    await store.history();
    await store.history();
    expect(thread.orders).toHaveLength(2);
    await rename(store, "other");
    expect((await summaries(store))[0]).toBe("named other");
    expect(thread.orders).toHaveLength(3);
  });

  it("is read again where a file was changed", async () => {
    const thread = new AskedThread();
    const { store, directory } = await largeStore(1, thread.start);
    await store.history();
    const file = path.join(directory, "configuration-revisions", "00000002.json");
    await writeFile(file, "x".repeat(HERE_BYTES_MAX + 1));
    await utimes(file, 1, 1);
    expect((await summaries(store))[0]).toBe("its file is damaged");
  });

  it("is read once for all who ask at once", async () => {
    const thread = new AskedThread();
    const { store } = await largeStore(2, thread.start);
    const all = await Promise.all(Array.from({ length: 20 }, () => summaries(store)));
    for (const one of all) expect(one).toEqual(all[0]);
    expect(thread.orders).toHaveLength(2);
  });

  it("has a change that was made while it was being read", async () => {
    const thread = new AskedThread();
    const { store } = await largeStore(1, thread.start);
    thread.hold();
    const first = summaries(store);
    await expect.poll(() => thread.orders.length).toBe(1);
    await rename(store, "meanwhile");
    const second = summaries(store);
    thread.goOn();
    await first;
    expect((await second)[0]).toBe("named meanwhile");
  });

  it("is refused, and nothing false is remembered, where the thread ends", async () => {
    const thread = new AskedThread();
    const { store } = await largeStore(1, thread.start);
    thread.hold();
    const failing = store.history();
    await expect.poll(() => thread.orders.length).toBe(1);
    thread.fail();
    await expect(failing).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    const later = summaries(store);
    await expect.poll(() => thread.orders.length).toBe(2);
    thread.goOn();
    expect((await later)[0]).toBe("cameras");
  });
});
