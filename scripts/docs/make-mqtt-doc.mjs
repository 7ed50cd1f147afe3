/**
 * Writes docs/ref/mqtt.md, the topics and payloads at an MQTT broker, with the code that makes them (read from dist):
 * `node scripts/docs/make-mqtt-doc.mjs`. With `--check` nothing is written; status 1 when the page differs.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = join(ROOT, "docs", "ref", "mqtt.md");
const SERVER = "11111111-0000-4000-8000-000000000001";
const SCENARIO = "88888888-0000-4000-8000-000000000002";
const GATE = "22222222-0000-4000-8000-000000000001";
// The event's zoned time is that of the machine, unless it is told.
process.env.TZ = "UTC";
/** 2026-11-21T09:00:00Z. */
const TIME_US = 1_795_251_600_000_000;

const load = (path) => import(pathToFileURL(join(ROOT, "dist", path)).href);
const { MqttTopics } = await load("mqtt/mqtt-topics.js");
const { channelStates } = await load("mqtt/channel-states.js");
const { recorderStates } = await load("mqtt/recorder-states.js");
const { channelDevice, discoveryPayload, recorderDevice } = await load("mqtt/discovery.js");
const { answerText, COMMANDS_AT_ONCE_MAX, COMMANDS_PER_SECOND } = await load("mqtt/mqtt-commands.js");
const { COMMAND_BYTES_MAX } = await load("mqtt/mqtt-command.js");
const { WAITING_MESSAGES_MAX } = await load("mqtt/mqtt-outbox.js");
const { PICTURE_LENGTH_MAX } = await load("mqtt/motion-pictures.js");
const { formatLiveItem } = await load("compat/event/event-item.js");
const { EVENT_TYPES } = await load("event/catalogue.js");
const { NvrdError } = await load("base/value/errors.js");

const topics = new MqttTopics("nvrd", SERVER, "homeassistant");
const CAMERA = { id: GATE, name: "Gate", disabled: false, archive: { archivingMode: "OnlyManual" } };
const DISK = {
  device: "/dev/sda",
  model: "WDC WD40PURX",
  serial: "WX41D1234567",
  bytes: 4_000_787_030_016,
  verdict: "good",
  summary: "The disk reports no fault.",
  isAsleep: false,
  smart: { temperatureCelsius: 38 },
};
const DISKS = [{ key: "WX41D1234567", disk: DISK }];

const MEANINGS = {
  [topics.channel(GATE, "info")]: "What is known of the channel.",
  [topics.channel(GATE, "status")]: "`online` while the camera sends, else `offline`.",
  [topics.channel(GATE, "connected")]: "The same as `ON` or `OFF`.",
  [topics.channel(GATE, "motion")]: "Whether there is motion: by the camera, the recorder or a program.",
  [topics.channel(GATE, "recording")]: "Whether frames go to the disk now.",
  [topics.channel(GATE, "recording", "switch")]: "Whether a user has switched the recording on.",
  [topics.channel(GATE, "recording", "switchable")]:
    "`online` where the mode has a part that users switch (`OnlyManual`, `MDandManual`), else `offline`.",
  [topics.seen(GATE, "person")]:
    "Whether what the camera reports is so; a topic for each of the [kinds](camera-events.md) that it can report and that the owner wants. What only happens is `ON` for 5 s.",
  [topics.inZone(GATE, "Door", "person")]:
    "Whether one is in a zone, where the recorder itself looks for objects: a topic for each of its zones and for `person`, `vehicle` and `animal`, as far as the owner wants them. A zone whose name has other signs than letters of English, digits, `_` and `-` has them as `_`, and a sum of the name behind it.",
  [topics.recorder]:
    "The state of the recorder, as in [/api/health](api.md#get-apihealth). `WriteErrors`: the archive or its index cannot be written, or could not in the last five minutes; null: not known.",
  [topics.update]: "Updates of the whole system, as Home Assistant reads them.",
  [topics.disk("WX41D1234567")]:
    "A disk, under its serial number, or its device where it has none. `IsFaulty`: the verdict is `failing` or `worn`.",
};

function states() {
  const channel = channelStates(topics, {
    camera: CAMERA,
    health: { isConnected: true, isRecording: false, mustRecord: false },
    hasMotion: true,
    seen: new Map([["person", true]]),
    zones: [{ zone: "Door", kind: "person", active: true }],
    isSwitchedOn: false,
    isSwitchable: true,
  });
  const recorder = recorderStates(topics, {
    name: "Recorder 1",
    report: {
      state: "warning",
      problems: [
        {
          code: "disk-worn",
          severity: "warning",
          text: "disk /dev/sdb is worn",
          action: "plan to replace the disk",
          channelId: null,
        },
      ],
      archive: { depthDays: 29.98, daysLeft: 0.4 },
      clock: { isKnown: true, knownBy: "network", isSynchronized: true },
      versions: { nvrd: "0.1.0" },
    },
    errors: { database: false, frameSaving: false, drives: false },
    disks: DISKS,
    update: { phase: "none", version: null, percent: null, message: "" },
  });
  return [...recorder, ...channel];
}

const shown = (topic) =>
  topic.replace(SERVER, "<recorder>").replace(GATE, "<channel>").replace(SCENARIO, "<scenario>");
const fence = (text, kind = "json") => `\`\`\`${kind}\n${text}\n\`\`\``;

function event() {
  const item = formatLiveItem({
    typeId: EVENT_TYPES.motionStarted.id,
    timeUs: TIME_US,
    channelId: GATE,
    channelName: "Gate",
    comment: "zone 1",
    description: EVENT_TYPES.motionStarted.name,
    category: 0,
    initiator: { type: 0, id: "", name: "System" },
    fields: undefined,
  });
  return Buffer.from(item).toString().trimStart().replaceAll("\r\n", "\n");
}

function stateSections() {
  return states().map(([topic, payload]) =>
    [
      `### ${shown(topic)}`,
      "",
      MEANINGS[topic],
      "",
      fence(payload, payload.startsWith("{") ? "json" : "text"),
    ].join("\n"),
  );
}

const refusal = new NvrdError("CONFLICT", "channel Gate is recorded in the mode AlwaysOn", {
  hint: "set ArchivingMode to OnlyManual or MDandManual",
});
const device = channelDevice({
  topics,
  serverId: SERVER,
  camera: CAMERA,
  presets: [{ index: 1, name: "Door" }],
  seen: ["person"],
  zones: [{ zone: "Door", kind: "person", active: true }],
  maySwitch: true,
});
const recorder = recorderDevice({
  topics,
  serverId: SERVER,
  name: "Recorder 1",
  version: "0.1.0",
  disks: DISKS,
  scenarios: [{ id: SCENARIO, name: "Night at the gate" }],
});

const page = `# MQTT

What the recorder publishes at the broker of the [settings](settings.md#mqtturl), and what it takes from there: each topic with a
payload as it is sent. How to set it up is in the [guide](../guide/home-assistant.md), why it is so in the
[design](../design/mqtt.md).

<!-- checkout -->
This page is made by \`npm run docs\` with the code that makes the payloads.
<!-- /checkout -->

The protocol is MQTT 3.1.1, each message with QoS 1. \`<recorder>\` is the recorder's id, \`<channel>\` a channel's, as in
[/configex](api.md#get-configex); \`nvrd\` is the setting \`mqttPrefix\`. With \`mqttUser\` there is only what that user may
see, and commands have that user's rights.

## Whether the recorder is there

\`${shown(topics.status)}\`, retained: \`online\`, and \`offline\` when it has stopped or, by the last will, when it is gone.
What the other topics say holds only while it says \`online\`.

## States

All are retained. One is published when it changes, and all of them after each connection and when Home Assistant has
started. While the broker is away only the newest value of each is kept. A topic whose camera or disk is gone gets an
empty payload, also when that happened while the recorder was off.

${stateSections().join("\n\n")}

### ${shown(topics.picture(GATE))}

A JPEG with the channel's picture when the last motion began, 1280 pixels wide, at most ${PICTURE_LENGTH_MAX / 1024} KiB; at most one
in 5 s for a channel. Without the right to watch the channel live there is none.

## Events

\`${shown(topics.events)}\`, not retained: each event of the log as it happens, with the same text as its item of
[/event](api.md#get-event), without the empty line before it. Lines end with CR LF.

${fence(event())}

While the broker is away, or does not keep up, at most ${WAITING_MESSAGES_MAX} events and answers wait. Beyond that the oldest are dropped,
and \`Mqtt.DroppedMessages\` of [/api/health](api.md#get-apihealth) counts them. An event may come twice after a
connection was lost.

## Commands

| Topic | Value | What it does | Right of \`mqttUser\` |
|---|---|---|---|
| \`${shown(topics.channel(GATE, "recording", "set"))}\` | \`ON\`, \`OFF\` | as [POST /api/channels/{id}/recording](api.md#post-apichannelsidrecording) | \`CanManageRec\` |
| \`${shown(topics.channel(GATE, "preset", "set"))}\` | a preset's number | as [/ptz](api.md#get-and-post-ptz) with \`gotopreset\` | \`CanPTZ\`, and the channel live |
| \`${shown(topics.scenario(SCENARIO, "set"))}\` | \`RUN\`, or the id of one of its channels | as [POST /api/scenarios/{id}/run](api.md#post-apiscenariosidrun); where the scenario must be confirmed, with \`"Confirmed":true\` in the object | \`CanRunUserScenarios\` |

The payload is the value alone, or an object whose \`Id\` (a text of at most 64 characters) comes back in the answer; at most ${COMMAND_BYTES_MAX} bytes.

${fence('{"Value":"ON","Id":"42"}')}

Each command is answered on the topic with \`answer\` in place of \`set\`, such as
\`${shown(topics.answer(GATE, "recording"))}\`, not retained. A scenario is answered when it has ended, or after 15 s; which of its
actions failed is in the events \`scenarioFailed\`:

${fence(answerText({ id: "42", value: "ON", refusal: undefined, timeUs: TIME_US }))}

${fence(answerText({ id: "42", value: "ON", refusal, timeUs: TIME_US }))}

\`Error.Code\` is one of the [errors](errors.md). Each command is an event \`mqttCommand\` with the user's name, also one that is
refused. A retained command is refused, because the broker would repeat it after each connection. Commands are carried
out one after the other: ${COMMANDS_AT_ONCE_MAX} at once, and ${COMMANDS_PER_SECOND} a second for long. Of more, the first is answered with \`TOO_MANY_REQUESTS\`, and
the others are not.

## Home Assistant

Devices are described under the setting \`mqttDiscoveryPrefix\`, retained, and published again when \`${topics.homeAssistant}\`
says \`online\`. An entity that is gone is named by its \`platform\` alone, which removes it. The switch and the buttons are
there only if \`mqttUser\` has the rights for them. Line breaks are added here.

### ${topics.discovery("nvrd_<recorder without dashes>")}

${fence(JSON.stringify(JSON.parse(discoveryPayload(recorder, "0.1.0", new Map())), undefined, 2))}

### ${topics.discovery("nvrd_<channel without dashes>")}

${fence(JSON.stringify(JSON.parse(discoveryPayload(device, "0.1.0", new Map())), undefined, 2))}
`;

if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
else if (!existsSync(PAGE) || readFileSync(PAGE, "utf8") !== page) {
  console.error("docs/ref/mqtt.md differs from what the code publishes: npm run docs");
  process.exitCode = 1;
}
