import { describe, expect, it, vi } from "vitest";
import { XmlError } from "../../../src/camera/index.js";
import { readDocument } from "../../../src/camera/xml/xml-document.js";
import { XmlReader } from "../../../src/camera/xml/xml-reader.js";
import {
  READ_MS_MAX,
  type ReadingThread,
  type XmlReply,
  XmlThread,
} from "../../../src/camera/xml/xml-thread.js";
import { tokensIn } from "../../../src/camera/xml/xml-tokens.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { bombAnswer, XML_BOMBS } from "../../support/camera/xml-bombs.js";

const MEGABYTE = 1_000_000;
/** What may come of a document in all: elements and attributes. */
const TOKENS_MAX = 45_000;

describe.each(Object.entries(XML_BOMBS))("a megabyte of %s", (_name, bomb) => {
  it.each([
    ["alone", bomb(MEGABYTE)],
    ["as an answer", bombAnswer("GetProfiles", bomb(MEGABYTE))],
  ])("is refused, or read within its bounds: %s", (_where, text) => {
    let tokens = 0;
    try {
      tokens = tokensIn(readDocument(Buffer.from(text)));
    } catch (error) {
      expect(error).toBeInstanceOf(XmlError);
    }
    expect(tokens).toBeLessThanOrEqual(TOKENS_MAX);
  });
});

it.each([
  ["behind a quoted > of an element", '<a b=">"><!DOCTYPE c [<!ENTITY d "e">]></a>'],
  ["behind a quoted > of an instruction", '<?a b=">"?><!DOCTYPE c [<!ENTITY d "e">]><c>&d;</c>'],
  ["behind a quote of an instruction", '<?a "?><!DOCTYPE c [<!ENTITY d "e">]><c>&d;</c>'],
  ["behind a comment with a quote", "<!-- ' --><!DOCTYPE c><c/>"],
  ["behind a CDATA section with a >", "<a><![CDATA[ > ' ]]><!DOCTYPE c></a>"],
  ["in small letters", "<!doctype a><a/>"],
  ["of another kind of declaration", "<a><!ENTITY b 'c'></a>"],
])("a document type is refused %s", (_where, text) => {
  expect(() => readDocument(Buffer.from(text))).toThrow("document type");
});

/** A thread that answers as it is ordered, or never. */
function scriptedThread(answers: (bytes: Uint8Array) => XmlReply | undefined | "never") {
  const started: { ended: boolean; read: number }[] = [];
  const start = (): ReadingThread => {
    const state = { ended: false, read: 0 };
    started.push(state);
    let reply: (reply: XmlReply | undefined) => void = () => undefined;
    return {
      post: ({ bytes }) => {
        state.read += 1;
        const answer = answers(bytes);
        if (answer !== "never") queueMicrotask(() => reply(answer));
      },
      onReply: (listener) => {
        reply = listener;
      },
      end: () => {
        state.ended = true;
      },
    };
  };
  return { started, start };
}

const read = (bytes: Uint8Array): XmlReply => ({ tokens: readDocument(bytes) });
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a device's answer", () => {
  const large = Buffer.from(`<a>${"<b>text</b>".repeat(5000)}</a>`);

  it("that is small is read at once, a large one by a thread", async () => {
    const clock = new ManualClock();
    const { started, start } = scriptedThread(read);
    const reader = new XmlReader(clock, new XmlThread(clock, start));
    expect((await reader.read(Buffer.from("<a>1</a>"), { peer: "x" })).text("a")).toBe("1");
    expect(started).toHaveLength(0);
    expect((await reader.read(large, { peer: "x" })).child("a")?.children("b")).toHaveLength(5000);
    expect(started).toEqual([{ ended: false, read: 1 }]);
  });

  it("that a real thread reads is the same", async () => {
    const reader = new XmlReader(new ManualClock());
    const document = await reader.read(large, { peer: "x" });
    expect(document.child("a")?.children("b").at(-1)?.rawText).toBe("text");
    await expect(reader.read(Buffer.from(`${large}<`), { peer: "x" })).rejects.toThrow(XmlError);
  });

  it("that takes the thread too long is given up with it, and the next has a new one", async () => {
    const clock = new ManualClock();
    let isStuck = true;
    const { started, start } = scriptedThread((bytes) => (isStuck ? "never" : read(bytes)));
    const thread = new XmlThread(clock, start);
    const first = thread.read(large, undefined);
    const second = thread.read(large, undefined);
    const refused = expect(first).rejects.toThrow("took too long");
    await settled();
    isStuck = false;
    clock.advance(READ_MS_MAX);
    await refused;
    await second;
    expect(started).toEqual([
      { ended: true, read: 1 },
      { ended: false, read: 1 },
    ]);
  });

  it("whose thread ends by itself is refused, and the next has a new one", async () => {
    const clock = new ManualClock();
    let count = 0;
    const { started, start } = scriptedThread((bytes) => (++count === 1 ? undefined : read(bytes)));
    const thread = new XmlThread(clock, start);
    await expect(thread.read(large, undefined)).rejects.toThrow(XmlError);
    await thread.read(large, undefined);
    expect(started).toHaveLength(2);
  });

  it("waits without a listener where nobody can give it up", async () => {
    const clock = new ManualClock();
    const reader = new XmlReader(clock, new XmlThread(clock, scriptedThread(read).start));
    const costly = Buffer.from(`<a>${"<b/>".repeat(24_000)}</a>`);
    const listening = vi.spyOn(EventTarget.prototype, "addEventListener");
    const flood = Array.from({ length: 20 }, () => reader.read(costly, { peer: "flood" }));
    const outcomes = Promise.allSettled(flood);
    for (let index = 0; index < 100; index += 1) await settled();
    expect(listening.mock.calls.filter(([kind]) => kind === "abort")).toEqual([]);
    listening.mockRestore();
    clock.advance(60_000);
    await outcomes;
  });

  it("waits when its device had much read, while another's is read at once", async () => {
    const clock = new ManualClock();
    const { started, start } = scriptedThread(read);
    const reader = new XmlReader(clock, new XmlThread(clock, start));
    const costly = Buffer.from(`<a>${"<b/>".repeat(24_000)}</a>`);
    const flood = Array.from({ length: 40 }, () => reader.read(costly, { peer: "flood" }));
    const outcomes = Promise.allSettled(flood);
    for (let index = 0; index < 100; index += 1) await settled();
    const readAtOnce = started[0]?.read ?? 0;
    expect(readAtOnce).toBeLessThan(15);
    await reader.read(costly, { peer: "honest" });
    expect(started[0]?.read).toBe(readAtOnce + 1);
    for (let second = 0; second < 60; second += 1) {
      clock.advance(1000);
      for (let index = 0; index < 5; index += 1) await settled();
    }
    const kinds = new Set((await outcomes).map(({ status }) => status));
    expect(kinds).toEqual(new Set(["fulfilled", "rejected"]));
    expect(started[0]?.read).toBeLessThan(40);
  });
});
