import { describe, expect, it } from "vitest";
import { messagesOf, unexplainedMessages } from "../../scripts/docs/log-messages.mjs";

describe("the messages of a source", () => {
  it.each([
    ['log.warn("the disk is gone");', ["the disk is gone"]],
    ['this.#log.error({ error: errorText(error) }, "the disk is gone");', ["the disk is gone"]],
    [
      'this.#options.log?.fatal(\n  { a: { b: "x: a long word" } },\n  "the disk is gone",\n);',
      ["the disk is gone"],
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a source that is read
    ["log.warn(`volume left out: ${reason(`a ${b}`)}`);", ["volume left out: …"]],
    [
      'log.warn(isNew ? "a new one is there" : "the old one is there");',
      ["a new one is there", "the old one is there"],
    ],
    [
      'log.warn({ path }, "it (the disk) \\"sda\\" is gone"); other("no message");',
      ['it (the disk) "sda" is gone'],
    ],
    ['log.info("nothing to look at");', []],
  ])("are read from %j", (source, messages) => {
    expect(messagesOf(source)).toEqual(messages);
  });

  it("are reported by a page wherever its lines break", () => {
    const messages = new Map([
      ["the disk is gone", ["src/a.ts"]],
      ["the disk is back", ["src/a.ts"]],
    ]);
    expect(unexplainedMessages(messages, "`the disk\nis gone`")).toEqual([
      ["the disk is back", ["src/a.ts"]],
    ]);
  });
});
