import { expect, it } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { messagesOf } from "../../../src/camera/event/camera-event-message.js";
import { signalsOf } from "../../../src/camera/event/camera-event-signal.js";
import { readXml } from "../../../src/camera/xml/xml-reader.js";

const FOREVER = new AbortController().signal;
const TOPIC = "<w:Topic>tns1:RuleEngine/CellMotionDetector/Motion</w:Topic>";

/** A message whose data, and whose attributes, are written in some way. */
function message(data: string, attributes = 'PropertyOperation="Changed"'): string {
  return `<w:NotificationMessage>${TOPIC}<w:Message><t:Message ${attributes}><t:Data>${data}</t:Data></t:Message></w:Message></w:NotificationMessage>`;
}

async function read(xml: string) {
  const body = Buffer.from(`<a xmlns:w="w" xmlns:t="t" xmlns:x="x">${xml}</a>`);
  const options = { peer: "camera", charset: undefined, clock: new SystemClock(), signal: FOREVER };
  const document = await readXml(body, options);
  return messagesOf(document.child("a") ?? document);
}

async function activity(xml: string): Promise<(boolean | undefined)[]> {
  const messages = await read(xml);
  return messages.flatMap((one) => signalsOf(one)?.signals.map(({ active }) => active) ?? []);
}

const SPELLINGS: readonly (readonly [habit: string, data: (value: string) => string])[] = [
  ["an attribute", (value) => `<t:SimpleItem Name="IsMotion" Value="${value}"/>`],
  ["attributes in lower case", (value) => `<t:SimpleItem name="IsMotion" value="${value}"/>`],
  ["attributes with a prefix", (value) => `<t:SimpleItem t:Name="IsMotion" t:Value="${value}"/>`],
  ["the text of the item", (value) => `<t:SimpleItem Name="IsMotion">${value}</t:SimpleItem>`],
  ["an element", (value) => `<t:SimpleItem Name="IsMotion"><t:Value>${value}</t:Value></t:SimpleItem>`],
  [
    "elements alone",
    (value) => `<t:SimpleItem><t:Name>IsMotion</t:Name><t:Value>${value}</t:Value></t:SimpleItem>`,
  ],
  [
    "an element of a simple type",
    (value) => `<t:ElementItem Name="IsMotion"><x:boolean>${value}</x:boolean></t:ElementItem>`,
  ],
  ["the text of an element item", (value) => `<t:ElementItem Name="State">${value}</t:ElementItem>`],
  ["an attribute of an element item", (value) => `<t:ElementItem Name="State" Value="${value}"/>`],
  ["blanks around it", (value) => `<t:SimpleItem Name="IsMotion" Value=" ${value}&#10;"/>`],
];

it.each(SPELLINGS)("a state that is written as %s begins and ends", async (_, data) => {
  expect(await activity(message(data("true")))).toEqual([true]);
  expect(await activity(message(data("false")))).toEqual([false]);
});

it.each([
  ["in the outer element alone", (data: string) => `<w:Message>${data}</w:Message>`],
  ["in the inner element alone", (data: string) => `<t:Message>${data}</t:Message>`],
])("a message %s is read", async (_, wrapped) => {
  const data = '<t:Data><t:SimpleItem Name="IsMotion" Value="false"/></t:Data>';
  expect(await activity(`<w:NotificationMessage>${TOPIC}${wrapped(data)}</w:NotificationMessage>`)).toEqual([
    false,
  ]);
});

const PEOPLE = "<w:Topic>tns1:RuleEngine/PeopleDetector/People</w:Topic>";
const item = (name: string, value: string): string => `<t:SimpleItem Name="${name}" Value="${value}"/>`;
const inner = (content: string): string => `<t:Message PropertyOperation="Changed">${content}</t:Message>`;

const SHAPES: readonly (readonly [habit: string, content: (value: string) => string])[] = [
  ["without an element for the data", (value) => item("IsPeople", value)],
  ["in lower case", (value) => `<t:data>${item("IsPeople", value)}</t:data>`],
  [
    "in a second data",
    (value) => `<t:Data>${item("Score", "0.4")}</t:Data><t:Data>${item("IsPeople", value)}</t:Data>`,
  ],
  ["in an extension", (value) => `<t:Data><t:Extension>${item("IsPeople", value)}</t:Extension></t:Data>`],
  [
    "as a description",
    (value) => `<t:Data><t:SimpleItemDescription Name="IsPeople" Value="${value}"/></t:Data>`,
  ],
  ["without a name after another without", (value) => `<t:Data>${item("", "5")}${item("", value)}</t:Data>`],
  ["without a name before another without", (value) => `<t:Data>${item("", value)}${item("", "7")}</t:Data>`],
  [
    "as an element of an element item",
    (value) => `<t:Data><t:ElementItem Name="Foo"><t:IsPeople>${value}</t:IsPeople></t:ElementItem></t:Data>`,
  ],
];

it.each(SHAPES)("a state that is written %s begins and ends", async (_, content) => {
  for (const value of ["true", "false"]) {
    const xml = `<w:NotificationMessage>${PEOPLE}<w:Message>${inner(content(value))}</w:Message></w:NotificationMessage>`;
    expect(await activity(xml)).toEqual([value === "true"]);
  }
});

const RULES = ["A", "B"].map((rule) =>
  inner(`<t:Source>${item("Rule", rule)}</t:Source><t:Data>${item("IsPeople", "true")}</t:Data>`),
);

it.each([
  ["in one message of WS-Notification", `<w:Message>${RULES.join("")}</w:Message>`],
  ["in a message each", RULES.map((rule) => `<w:Message>${rule}</w:Message>`).join("")],
])("two rules %s of one notification are two messages", async (_, messages) => {
  const notified = await read(`<w:NotificationMessage>${PEOPLE}${messages}</w:NotificationMessage>`);
  expect(notified.map(({ source }) => source.get("Rule"))).toEqual(["A", "B"]);
});

it.each([
  ["within the source", `<t:Source>${item("Rule", "R")}<t:Key>${item("ObjectId", "5")}</t:Key></t:Source>`],
  ["beside the source", `<t:Source>${item("Rule", "R")}</t:Source><t:Key>${item("ObjectId", "5")}</t:Key>`],
  [
    "as a description",
    `<t:Source>${item("Rule", "R")}</t:Source><t:Key><t:SimpleItemDescription Name="ObjectId" Value="5"/></t:Key>`,
  ],
  [
    "within another source",
    `<t:Source><t:Source>${item("Rule", "R")}${item("ObjectId", "5")}</t:Source></t:Source>`,
  ],
])("a key %s is part of the source", async (_, parts) => {
  const people = inner(`${parts}<t:Data>${item("IsPeople", "true")}</t:Data>`);
  const [one] = await read(
    `<w:NotificationMessage>${PEOPLE}<w:Message>${people}</w:Message></w:NotificationMessage>`,
  );
  expect([...(one?.source ?? [])]).toEqual([
    ["Rule", "R"],
    ["ObjectId", "5"],
  ]);
});

it.each([
  ["VideoSourceToken", "Rule"],
  ["videosourcetoken", "rule"],
  ["VIDEOSOURCETOKEN", "RULENAME"],
  ["SourceToken", "ruleName"],
])("a source named by %s and a rule by %s are known", async (token, rule) => {
  const people = inner(
    `<t:Source>${item(token, "vs2")}${item(rule, "Gate")}</t:Source><t:Data>${item("IsPeople", "true")}</t:Data>`,
  );
  const [one] = await read(
    `<w:NotificationMessage>${PEOPLE}<w:Message>${people}</w:Message></w:NotificationMessage>`,
  );
  if (one === undefined) throw new Error("no message");
  expect(signalsOf(one)?.signals.map(({ sourceToken, name }) => [sourceToken, name])).toEqual([
    ["vs2", "Gate"],
  ]);
});

it("a word that denies what it names is not listed", async () => {
  expect(await activity(message('<t:SimpleItem Name="Event" Value="NoMotion"/>'))).not.toContain(true);
});

it.each([
  ["Initialized", "Initialized"],
  ["INITIALIZED", "Initialized"],
  ["Initialised", "Initialized"],
  ["Initialize", "Initialized"],
  ["changed", "Changed"],
  ["deleted", "Deleted"],
  ["Paused", undefined],
] as const)("the operation %s is %s", async (spelling, operation) => {
  const [one] = await read(message("", `PropertyOperation="${spelling}"`));
  expect(one?.operation).toBe(operation);
});

it.each([
  ["State", "Start", true],
  ["State", "Stop", false],
  ["AlarmState", "Alarm", true],
  ["AlarmState", "Normal", false],
  ["IsMotion", "end", false],
  ["Status", "cleared", false],
  ["State", "Enabled", true],
  ["State", "Disabled", false],
  ["AlarmStatus", "ALARM_ON", true],
  ["AlarmStatus", "ALARM_OFF", false],
  ["State", "NoAlarm", false],
  ["Active", "Undetected", false],
  ["IsMotion", "T", true],
  ["IsMotion", "F", false],
  ["IsMotion", "y", true],
  ["IsMotion", "n", false],
  ["IsMotion", "2", true],
  ["IsMotion", "1.0", true],
  ["IsMotion", "0.0", false],
  ["IsMotion", "00", false],
  ["IsMotion", "Motion", true],
  ["IsMotion", "NoMotion", false],
  ["State", "NO_MOTION", false],
  ["State", "nomotion", false],
  ["State", "Not moving", false],
  ["Action", "Start", true],
  ["Action", "Stop", false],
  ["LogicalState", "High", true],
  ["LogicalState", "LOW", false],
] as const)("%s %s says whether it is so", async (name, value, active) => {
  expect(await activity(message(`<t:SimpleItem Name="${name}" Value="${value}"/>`))).toEqual([active]);
});

it.each(["Source", "Channel", "Region", "Score", "Priority", "Level", "Rule", "Foo"])(
  "%s 1 beside a state is a number: what is said to end ends",
  async (name) => {
    const number = `<t:SimpleItem Name="${name}" Value="1"/>`;
    const state = (value: string): string => `<t:SimpleItem Name="State" Value="${value}"/>`;
    expect(await activity(message(number + state("1")))).toEqual([true]);
    expect(await activity(message(number + state("0")))).toEqual([false]);
    expect(await activity(message(number + state("false")))).toEqual([false]);
  },
);

it.each(["Channel", "SourceToken", "window", "Confidence"])("%s 1 alone is no state", async (name) => {
  expect(await activity(message(`<t:SimpleItem Name="${name}" Value="1"/>`))).toEqual([undefined]);
});
