import { beforeEach, expect, it } from "vitest";
import { LockCopy } from "../../src/away/lock-copy.js";
import type { EvidenceLock } from "../../src/away/lock-file.js";
import { locksKey } from "../../src/away/plan/lock-keys.js";
import { createLog } from "../../src/base/index.js";

const LOCK: EvidenceLock = {
  ...{ id: "00000001-0000-4000-8000-000000000001", channelId: "00000002-0000-4000-8000-000000000002" },
  ...{ fromUs: 1, toUs: 2, mode: "governance", untilUs: 3, isHeld: false, isLifted: false },
  ...{ comment: "theft", userName: "root", createdUs: 4 },
};

let objects: Map<string, Buffer>;
let puts: string[];
let isRefusing: boolean;

beforeEach(() => {
  objects = new Map();
  puts = [];
  isRefusing = false;
});

function copy(isSealed = false): LockCopy {
  const run = async (work: { readonly op: string; readonly key: string; readonly content?: Uint8Array }) => {
    if (work.op === "list") return [...objects.keys()].map((key) => ({ key }));
    if (work.op === "get") return objects.get(work.key);
    if (work.op === "remove") return void objects.delete(work.key);
    puts.push(work.key);
    if (isRefusing) throw new Error("no");
    objects.set(work.key, Buffer.from(work.content ?? []));
    return undefined;
  };
  return new LockCopy({ sender: { run: run as never }, isSealed, log: createLog({ level: "silent" }) });
}

it("is not written again by the next start where the bucket has it", async () => {
  expect(await copy().write([LOCK])).toBe(true);
  const next = copy();
  expect(await next.read()).toEqual([LOCK]);
  expect([await next.write([LOCK]), await copy().write([LOCK])]).toEqual([false, false]);
  expect(puts).toEqual([locksKey(1)]);
});

it("is written anew, and the older one removed, where it has changed", async () => {
  await copy().write([LOCK]);
  const next = copy();
  expect(await next.write([{ ...LOCK, isHeld: true }])).toBe(true);
  expect(await next.write([{ ...LOCK, isHeld: true }])).toBe(false);
  expect([...objects.keys()]).toEqual([locksKey(2)]);
  expect(await copy().read()).toEqual([{ ...LOCK, isHeld: true }]);
});

it("is read from the newest list that is whole, and written again where a newer one is not", async () => {
  await copy().write([LOCK]);
  objects.set(locksKey(2), Buffer.from("{ damaged"));
  const next = copy();
  expect(await next.read()).toEqual([LOCK]);
  expect(await next.write([LOCK])).toBe(true);
  expect([...objects.keys()]).toEqual([locksKey(3)]);
});

it("uses no number twice: a list whose answer is lost may be there", async () => {
  const locks = copy();
  isRefusing = true;
  await expect(locks.write([LOCK])).rejects.toThrow("no");
  isRefusing = false;
  expect(await locks.write([LOCK])).toBe(true);
  expect(puts).toEqual([locksKey(1), locksKey(2)]);
});

it("is not begun for no locks, and is emptied when the last one goes", async () => {
  const locks = copy();
  expect(await locks.write([])).toBe(false);
  await locks.write([LOCK]);
  expect(await locks.write([])).toBe(true);
  expect(await copy().read()).toEqual([]);
});

it("says beside encrypted recordings neither why nor who", async () => {
  await copy(true).write([LOCK, { ...LOCK, id: LOCK.channelId, userName: "" }]);
  expect((await copy(true).read()).map(({ comment, userName }) => [comment, userName])).toEqual([
    ["", "?"],
    ["", ""],
  ]);
});
