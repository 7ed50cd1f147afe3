/**
 * Writes docs/ref/camera-events.md from the table by which the recorder recognizes what cameras tell (read from dist):
 * `node scripts/docs/make-camera-events-doc.mjs`. With `--check` nothing is written; status 1 when the page differs.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = join(ROOT, "docs", "ref", "camera-events.md");

const load = (path) => import(pathToFileURL(join(ROOT, "dist", path)).href);
const { PRESENCE_KINDS, SEEN_KINDS } = await load("base/kinds/seen-kinds.js");
const { EVENT_TYPES } = await load("event/catalogue.js");
const { EVENT_KINDS, seenTypeNames } = await load("event/seen-types.js");
const { PAIR_TABLE, RULE_CLASSES, SEEN_TABLE } = await load("camera/event/seen-table.js");
const { SEEN_TOPICS } = await load("onvif/event/seen-properties.js");

const cell = (text) => text.replaceAll("|", "\\|");

const kinds = EVENT_KINDS.map((kind) => {
  const [began, ended] = seenTypeNames(kind);
  const isRecorded = PRESENCE_KINDS.includes(kind) ? "yes" : "";
  return `| \`${kind}\` | ${EVENT_TYPES[began].name} | \`${began}\` | \`${ended}\` | ${isRecorded} |`;
});
const wordRow = ({ kind, words: pattern, from }) =>
  `| ${kind === undefined ? "" : `\`${kind}\``} | \`${cell(pattern.source)}\` | ${from} |`;
const words = SEEN_TABLE.map(wordRow);
const pairs = PAIR_TABLE.map(wordRow);
const rules = [...RULE_CLASSES].map(([name, { kind, from }]) => `| \`${kind}\` | \`${name}\` | ${from} |`);
const topics = SEEN_TOPICS.map(
  ({ kind, topic, item }) => `| \`${kind}\` | \`tns1:${topic}\` | \`${item}\` |`,
);

const page = `# What cameras report

What ONVIF cameras report, and what the recorder makes of it. How it is set up is in the
[guide](../guide/cameras.md#events-from-cameras), why it is so in the [design](../design/cameras.md#events-from-cameras).

<!-- checkout -->
This page is made by \`npm run docs\` from \`src/camera/event/seen-table.ts\`; edit it there.
<!-- /checkout -->

## Kinds

What begins and ends has an event for each; what only happens has the first. *Recorded* says which kinds a channel is
recorded on by default where \`BuildInCameraDetectorEnabled\` leaves motion to the camera. \`CameraEventSettings\` of
the [camera object](api.md#put-configurechannelsid) chooses among the kinds: \`Marked\`, those that become events, and
\`Recorded\`. \`motion\` is the ${SEEN_KINDS.length}th kind: it has [events of its own](events.md), and counts where the camera's own detector
is chosen.

| Kind | Name | Type | Type of its end | Recorded |
|---|---|---|---|---|
${kinds.join("\n")}

## How they are recognized

A topic is looked up by the words of its parts, the last part first: \`CellMotionDetector/LineCross\` is a line that is
crossed, and no motion. In \`LineCross\` the words are \`line cross\`. The first row that fits counts. Then the names of the
items say more where the topic says little (\`TPSmartEvent\` with \`IsPeople\`), and so do the words of their values
(\`ClassTypes\` with \`Human Vehicle\`); JSON and \`a=1;b=0\` within a value are read as items. Housekeeping of the camera has
no kind: it is not reported. What fits no row is \`rule\` below \`RuleEngine\`, and \`other\` elsewhere: it keeps the camera's own words.

Each item of the data with \`true\`, \`1\`, \`on\`, \`active\` or \`yes\`, in any case, or their opposites, is a state of its own; under a name such
as \`State\` or \`IsMotion\`, so are \`Start\` and \`Stop\`, \`Alarm\` and \`Normal\` and their like. A 1 beside a plain state is a number, and so is one under
the name of a place (\`Channel\`). Without a state it is a moment. An item that is never said to end is a moment too, from the second time on
that it is said. An \`Action\` with \`Start\` and \`Stop\` is a state where the message has no other; of any
other the next one ends the one before.

| Kind | Words | Who says so |
|---|---|---|
${words.join("\n")}

The last two parts of a topic are looked up together first:

| Kind | Words | Who says so |
|---|---|---|
${pairs.join("\n")}

Rules of the camera's own making say by their names what they saw, beside what the topic says:

| Kind | Rule | Who says so |
|---|---|---|
${rules.join("\n")}

## To ONVIF clients

The recorder [as an ONVIF device](../guide/onvif.md) reports the states of kinds by these topics; \`Source\` is the video source.
A line that the recorder itself watches is reported as \`tns1:RuleEngine/LineDetector/Crossed\` besides, each time that it is crossed: \`Rule\` is its name, and
\`ObjectId\` the number of the event.

| Kind | Topic | State |
|---|---|---|
${topics.join("\n")}
`;

if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
else if (!existsSync(PAGE) || readFileSync(PAGE, "utf8") !== page) {
  console.error("docs/ref/camera-events.md differs from src/camera/event/seen-table.ts: npm run docs");
  process.exitCode = 1;
}
