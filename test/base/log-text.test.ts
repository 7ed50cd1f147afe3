import { expect, it } from "vitest";
import { logText } from "../../src/base/index.js";
import { GATE_ID } from "../support/api/api-fakes.js";

const TIME = Date.UTC(2026, 10, 22, 9, 0, 0, 7);
const nameOf = (id: string) => (id === GATE_ID ? "Gate" : undefined);
const text = (entry: object) => logText(`${JSON.stringify({ level: 40, time: TIME, ...entry })}\n`, nameOf);

it("a line has time, level, message and fields", () => {
  expect(text({ msg: "no answer", port: 554, reason: "timed out" })).toBe(
    '2026-11-22T09:00:00.007Z WARN  no answer  port=554 reason="timed out"\n',
  );
});

it.each([
  ["camera", GATE_ID],
  ["channelId", GATE_ID],
  ["stream", `${GATE_ID}/Main`],
  ["stream", `${GATE_ID.toUpperCase()} Main`],
])("the camera's name stands first where %s is %s", (member, value) => {
  expect(text({ msg: "is lost", [member]: value })).toMatch(/Z WARN {2}Gate: is lost {2}/);
});

it("a camera that is not known is no name", () => {
  expect(text({ msg: "m", camera: "12345678-0000-4000-8000-000000000009" })).toMatch(/WARN {2}m {2}camera=/);
});

it("control characters of others do not reach the terminal", () => {
  const line = text({ msg: "says \u001b]0;x\u0007\nand", agent: "a\u009bb" });
  expect(line).toContain('says  ]0;x  and  agent="a b"');
});

it("what is no JSON is shown as it is", () => {
  expect(logText("plain text\n", nameOf)).toBe("plain text\n");
});
