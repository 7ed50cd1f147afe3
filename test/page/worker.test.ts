import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

const ORIGIN = "https://recorder.example";
const MESSAGE = {
  ...{ Title: "Motion", Body: "Gate", Tag: "7", Time: "2026-01-01T00:00:00.000Z", Language: "en" },
  ...{ Url: "/#/playback?time=1", Picture: "/site?channelid=1" },
};

interface Shown {
  readonly title: string;
  readonly options: { readonly image?: string; readonly data?: unknown; readonly tag?: string };
}
type Listener = (event: object) => void;

/** The page's worker as it is built, in a browser that remembers what it was asked for. */
function startWorker(picture: () => Promise<Response>, tabs: readonly string[] = []) {
  const listeners = new Map<string, Listener>();
  const shown: Shown[] = [];
  const fetched: string[] = [];
  const opened: string[] = [];
  const posted: unknown[] = [];
  const self = {
    registration: {
      showNotification: async (title: string, options: object) => void shown.push({ title, options }),
    },
    location: new URL(`${ORIGIN}/worker.js`),
    clients: {
      matchAll: async () =>
        tabs.map((url) => ({
          url,
          focus: async () => opened.push("focus"),
          postMessage: (said: unknown) => posted.push(said),
        })),
      openWindow: async (url: string) => void opened.push(url),
    },
    skipWaiting: async () => undefined,
    addEventListener: (type: string, listener: Listener) => void listeners.set(type, listener),
  };
  const fetchPicture = (url: string): Promise<Response> => {
    fetched.push(url);
    return picture();
  };
  const code = readFileSync(join(REPOSITORY_ROOT, "build", "page", "worker.js"), "utf8");
  runInNewContext(code, { self, fetch: fetchPicture, URL, AbortSignal, Uint8Array, btoa, Date, String });
  const happen = async (type: string, event: object): Promise<void> => {
    const work: Promise<unknown>[] = [];
    listeners.get(type)?.({ ...event, waitUntil: (one: Promise<unknown>) => work.push(one) });
    await Promise.all(work);
  };
  return { shown, fetched, opened, posted, types: [...listeners.keys()], happen };
}

const push = (message: object) => ({ data: { json: () => message } });
const jpeg = async (): Promise<Response> => new Response(Buffer.from("a picture"));

it("shows a message with the recorder's picture", async () => {
  const worker = startWorker(jpeg);
  await worker.happen("push", push(MESSAGE));
  expect(worker.fetched).toEqual([`${ORIGIN}/site?channelid=1`]);
  expect(worker.shown).toMatchObject([
    { title: "Motion", options: { body: "Gate", tag: "7", lang: "en", data: MESSAGE.Url } },
  ]);
  expect(worker.shown[0]?.options.image).toBe(`data:image/jpeg;base64,${btoa("a picture")}`);
});

it.each([
  ["the recorder is out of reach", () => Promise.reject(new Error("no network"))],
  ["nobody is logged in", async () => new Response("", { status: 401 })],
  ["it is too large", async () => new Response(Buffer.alloc(300_001))],
])("shows it without a picture where %s", async (_, picture) => {
  const worker = startWorker(picture);
  await worker.happen("push", push(MESSAGE));
  expect(worker.shown).toHaveLength(1);
  expect(worker.shown[0]?.options).not.toHaveProperty("image");
});

it("asks no other host for a picture, and opens none", async () => {
  const worker = startWorker(jpeg);
  await worker.happen("push", push({ ...MESSAGE, Picture: "https://elsewhere.example/" }));
  await worker.happen("notificationclick", {
    notification: { data: "//elsewhere.example/", close: () => undefined },
  });
  expect([worker.fetched, worker.opened, worker.shown.length]).toEqual([[], [], 1]);
});

it.each([
  ["a new tab where none has the page", [], [`${ORIGIN}${MESSAGE.Url}`], []],
  ["the tab that has it", [`${ORIGIN}/#/wall`], ["focus"], [{ open: "#/playback?time=1" }]],
])("a click opens %s", async (_, tabs, opened, posted) => {
  const worker = startWorker(jpeg, tabs);
  await worker.happen("notificationclick", { notification: { data: MESSAGE.Url, close: () => undefined } });
  expect([worker.opened, worker.posted]).toEqual([opened, posted]);
});

it("answers no request of the page, so that none is ever of an older version", () => {
  expect(startWorker(jpeg).types.toSorted()).toEqual(["install", "notificationclick", "push"]);
});
