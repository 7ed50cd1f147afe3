import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Guid } from "../../../src/base/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { ROOT_QUERY } from "../../support/api/api-harness.js";
import { readLiveItems } from "../../support/api/event-items.js";
import { until } from "../../support/base/until.js";
import { RecordersAtHub } from "../../support/fleet/recorders-at-hub.js";

const GATE: Guid = "22222222-0000-4000-8000-0000000000a1";
const YARD: Guid = "22222222-0000-4000-8000-0000000000b1";
const SAME: Guid = "22222222-0000-4000-8000-0000000000c1";
const CAMERAS = { North: { [GATE]: "Gate", [SAME]: "Hall" }, South: { [YARD]: "Yard", [SAME]: "Store" } };
const MOTION = EVENT_TYPES.motionDetected.id;

let place: RecordersAtHub;
const programs: { end(): void }[] = [];

beforeEach(async () => {
  place = await RecordersAtHub.start({ cameras: CAMERAS });
});

afterEach(async () => {
  for (const program of programs.splice(0)) program.end();
  await place.stop();
});

/** A program that receives the events of the hub. */
async function listening(query = "") {
  const abort = new AbortController();
  const answer = await fetch(place.hub.url(`/event?${ROOT_QUERY}${query}`), { signal: abort.signal });
  const chunks: Buffer[] = [];
  const reading = (async () => {
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk));
  })().catch(() => undefined);
  const program = {
    status: answer.status,
    comments: () =>
      readLiveItems(wholeItems(Buffer.concat(chunks)))
        .map((item) => String(item.value("Comment")))
        .filter((comment) => comment !== "KeepAlive"),
    channels: () => readLiveItems(wholeItems(Buffer.concat(chunks))).map((item) => item.value("ChannelId")),
    end: () => abort.abort(),
    reading,
  };
  programs.push(program);
  return program;
}

/** Up to the end of the last whole item. */
function wholeItems(bytes: Buffer): Buffer {
  return bytes.length === 0
    ? Buffer.from("\r\n")
    : bytes.subarray(0, Math.max(2, bytes.lastIndexOf("}\r\n") + 3));
}

function raise(name: string, comment: string, channelId: Guid): void {
  place.of(name).api.events.raise({ typeId: MOTION, comment, channelId });
}

type Program = Awaited<ReturnType<typeof listening>>;

/** Raises again and again what recorders are to report, until `program` hears all of it. */
async function raisedUntilHeard(program: Program, ...events: Parameters<typeof raise>[]): Promise<void> {
  let count = 0;
  await until(
    "its events come",
    () => {
      count += 1;
      if (count % 20 === 0) for (const event of events) raise(...event);
      return events.every(([, comment]) => program.comments().includes(comment));
    },
    { seen: () => program.comments() },
  );
}

/** Both recorders tell this hub their events. */
const told = (program: Program): Promise<void> =>
  raisedUntilHeard(program, ["North", "ready north", GATE], ["South", "ready south", YARD]);

describe("the live events of a hub", () => {
  it("are those of all its recorders and its own, in the form that programs read", async () => {
    const program = await listening();
    await told(program);

    raise("North", "at the gate", GATE);
    raise("South", "in the yard", YARD);
    place.hub.events.raise({ typeId: MOTION, comment: "of the hub" });

    const wanted = ["at the gate", "in the yard", "of the hub"];
    await until("all three come", () => wanted.every((text) => program.comments().includes(text)), {
      seen: () => program.comments(),
    });
  });

  it("name a channel as the hub does where two recorders have its id", async () => {
    const program = await listening();
    await told(program);
    const { value } = await place.json<{ Channels: { Id: Guid; Name: string }[] }>(
      "/configex?responsetype=json",
    );
    const hall = value.Channels.find(({ Name }) => Name === "Hall")?.Id;

    raise("North", "in the hall", SAME);

    await until("it comes", () => program.comments().includes("in the hall"), {
      seen: () => program.comments(),
    });
    expect(program.channels()).toContain(hall);
    expect(program.channels()).not.toContain(SAME);
  });

  it("come from a recorder again that was away", async () => {
    const program = await listening();
    await told(program);
    const { box } = place.of("South");
    await box.membership.stop();
    await until("it is away", () => place.bench.hub.box(box.id)?.silence !== undefined, {
      seen: () => place.bench.hub.boxes(),
    });

    await box.membership.start();

    await raisedUntilHeard(program, ["South", "back again", YARD]);
  });

  it("of one channel are its recorder's alone", async () => {
    const program = await listening(`&channelid=${YARD}`);
    raise("North", "at the gate", GATE);

    await raisedUntilHeard(program, ["South", "in the yard", YARD]);
    expect(program.comments()).not.toContain("at the gate");
  });
});

interface ChannelState {
  readonly Id: Guid;
  readonly IsRecordingOn: boolean;
  readonly StreamsStates: readonly { readonly Type: string; readonly State: string }[];
}

async function states() {
  const answer = await place.hub.get("/command?type=getchannelsstates&accept=application/json");
  const text = (await answer.text()).replace(/^\ufeff/, "");
  return { missing: answer.headers.get("recorders-missing"), states: JSON.parse(text) as ChannelState[] };
}

describe("the states of channels at a hub", () => {
  it("are those of the cameras of all recorders", async () => {
    place.of("North").api.streams.live(GATE).setState({ state: "active" });

    const told = await states();

    expect(told.missing).toBeNull();
    expect(told.states).toHaveLength(4);
    expect(new Set(told.states.map(({ Id }) => Id)).size).toBe(4);
    expect(told.states.find(({ Id }) => Id === GATE)?.StreamsStates[0]).toEqual({
      Type: "MainVideo",
      State: "Active",
    });
  });

  it("say of a recorder that is away that its cameras are not connected, and name it", async () => {
    const { box } = place.of("South");
    await box.membership.stop();
    await until("it is away", () => place.bench.hub.box(box.id)?.silence !== undefined, {
      seen: () => place.bench.hub.boxes(),
    });

    const told = await states();

    expect(told.missing).toBe(box.id);
    const yard = told.states.find(({ Id }) => Id === YARD);
    expect(yard?.StreamsStates.map(({ State }) => State)).not.toContain("Active");
    expect(yard?.StreamsStates[0]).toEqual({ Type: "MainVideo", State: "NoConnection" });
  });

  it("are XML where nothing else is asked for", async () => {
    const answer = await place.hub.get("/command?type=getchannelsstates");

    expect(await answer.text()).toContain(`<Id>${YARD}</Id>`);
  });
});
