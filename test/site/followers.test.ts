import { expect, test } from "vitest";
import { FOLLOWER_ORDER } from "../../src/site/model/followers.js";
import { MemorySiteStore } from "../support/api/api-fakes.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { MemorySite } from "../support/site/memory-site.js";
import { startStore } from "../support/site/site-samples.js";

const STORES = [
  { name: "LmdbSiteStore", open: async () => await startStore(await temporaryDirectory()) },
  { name: "MemorySite", open: async () => new MemorySite() },
  { name: "MemorySiteStore", open: async () => new MemorySiteStore() },
];

test.each(STORES)(
  "followers of $name follow in the order of their places, whichever came first",
  async ({ open }) => {
    const store = await open();
    const followed: string[] = [];
    for (const place of [...FOLLOWER_ORDER].reverse()) store.onChange(place, () => followed.push(place));
    await store.change((site) => ({ ...site, useTimeZones: true }));
    expect(followed).toEqual(FOLLOWER_ORDER);
    if ("stop" in store) await store.stop();
  },
);

test.each(STORES)("followers of $name of one place follow in the order they came", async ({ open }) => {
  const store = await open();
  const followed: string[] = [];
  store.onChange("recording", () => followed.push("recording"));
  store.onChange("cameras", () => followed.push("first"));
  store.onChange("cameras", () => followed.push("second"));
  await store.change((site) => ({ ...site, useTimeZones: true }));
  expect(followed).toEqual(["first", "second", "recording"]);
  if ("stop" in store) await store.stop();
});
