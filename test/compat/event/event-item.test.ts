import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { EMPTY_GUID, formatBinaryTime, parseBinaryTime } from "../../../src/base/index.js";
import { ANALYTICS_MEMBERS } from "../../../src/compat/event/analytics-members.js";
import {
  formatExportItem,
  formatKeepAlive,
  formatLiveItem,
  LIVE_ITEM_BYTES_MAX,
} from "../../../src/compat/event/event-item.js";
import { formatZonedTime } from "../../../src/compat/event/event-time.js";
import { EVENT_TYPE_LIST, EVENT_TYPES, type EventRecord } from "../../../src/event/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { readItem, readLiveItems } from "../../support/api/event-items.js";
import { expectGolden } from "../../support/api/golden.js";
import { inTimeZone, TimeZone } from "../../support/base/time-zone.js";

function record(change: Partial<EventRecord> = {}): EventRecord {
  return {
    sequence: 1,
    typeId: EVENT_TYPES.plateRecognized.id,
    timeUs: NINE_US + 123_456,
    channelId: GATE_ID,
    channelName: "Gate",
    comment: "",
    description: "License plate recognized",
    category: 0,
    initiator: { type: 8, id: EMPTY_GUID, name: "ExternalEvent" },
    fields: undefined,
    ...change,
  };
}

const LINE_END = Buffer.from("\r\n");

/** The beginning of a body: the line end that carries the head, then the item. */
const live = (event: EventRecord): Buffer => Buffer.concat([LINE_END, formatLiveItem(event), LINE_END]);

describe("an item", () => {
  const zone = new TimeZone();
  afterEach(() => zone.restore());

  it("of a plate has all members in the order that programs know, empty and zero where the event has none", async () => {
    zone.set("Europe/Moscow");
    const item = live(record());
    expect(readLiveItems(item)[0]?.names).toBe(
      "EventId Timestamp BinaryTimestamp ZonedTimestamp EventDescription IsAlarmEvent ChannelId ChannelName Comment " +
        "EventType InitiatorName IsIdentified plateText Speed Reliability Left Top lastName firstName patronymic " +
        "carbrand carcolor additionalInfo groups direction ExternalId ExternalOwnerId Width Height Numberplate",
    );
    await expectGolden(new URL("../../support/golden/event-plate-empty.txt", import.meta.url), item);
  });

  it("of a plate with values looks as programs expect it", async () => {
    zone.set("Europe/Moscow");
    const fields = {
      plateText: "А123ВС77",
      Speed: "54,5",
      Left: "0,125",
      direction: ["Up", "Left"],
      additionalInfo: 'brace } and "quote"',
      ImageBytes: "AAAA",
    };
    await expectGolden(
      new URL("../../support/golden/event-plate.txt", import.meta.url),
      live(record({ fields, category: 1, comment: "line\nbreak" })),
    );
  });

  it("that only says the connection lives has its Comment last", async () => {
    zone.set("America/St_Johns");
    const item = Buffer.concat([LINE_END, formatKeepAlive(EVENT_TYPES.keepAlive.id, NINE_US), LINE_END]);
    await expectGolden(new URL("../../support/golden/event-keepalive.txt", import.meta.url), item);
  });

  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3000 }),
    fc.string({
      unit: fc.constantFrom("}", "{", '"', "\\", "\u2028", "\u0085", "é", "😀", "\r\n", "\ud800"),
    }),
  );
  const anyEvent = fc.record({
    typeId: fc.constantFrom(...EVENT_TYPE_LIST.map((type) => type.id)),
    channelName: text,
    comment: text,
    description: text,
    category: fc.constantFrom(0, 1, 2) as fc.Arbitrary<0 | 1 | 2>,
    fields: fc.dictionary(
      fc.constantFrom(...ANALYTICS_MEMBERS.map((member) => member.name)),
      fc.oneof(text, fc.array(text, { maxLength: 20 })),
    ),
  });

  it("is within its bound and whole, whatever the event says", () => {
    fc.assert(
      fc.property(anyEvent, (change) => {
        const item = live(record(change));
        expect(item.length - LINE_END.length).toBeLessThanOrEqual(LIVE_ITEM_BYTES_MAX);
        const [read, ...others] = readLiveItems(item);
        expect(others).toEqual([]);
        expect(read?.names.startsWith("EventId Timestamp BinaryTimestamp ZonedTimestamp ")).toBe(true);
        expect(read?.value("Comment")).toBeDefined();
        // To a program that looks for it, a brace ends the item.
        expect(item.indexOf("}")).toBe(item.length - 3);
        expect(JSON.parse(item.toString("utf8"))).toMatchObject({ ChannelId: GATE_ID });
      }),
      { numRuns: 300 },
    );
  });

  it("keeps everything where it is searched for", () => {
    fc.assert(
      fc.property(anyEvent, (change) => {
        const item = readItem(formatExportItem(record(change)));
        expect(item.value("Comment")).toBe(change.comment);
        for (const [name, value] of Object.entries(change.fields)) expect(item.value(name)).toEqual(value);
      }),
      { numRuns: 100 },
    );
  });

  it("that is too long loses its image first, then the end of its comment, then of its longest text", () => {
    const long = "ю".repeat(3000);
    const withImage = readLiveItems(
      live(record({ comment: "kept", fields: { ImageBytes: "A".repeat(5000) } })),
    )[0];
    expect([withImage?.value("ImageBytes"), withImage?.value("Comment")]).toEqual([undefined, "kept"]);
    const small = readLiveItems(live(record({ fields: { ImageBytes: "A".repeat(1000) } })))[0];
    expect(small?.value("ImageBytes")).toHaveLength(1000);
    const commented = readLiveItems(live(record({ comment: long, fields: { lastName: "kept" } })))[0];
    expect(commented?.value("lastName")).toBe("kept");
    expect(String(commented?.value("Comment")).length).toBeGreaterThan(1000);
    const named = readLiveItems(
      live(record({ comment: "c", fields: { lastName: long, firstName: "kept" } })),
    )[0];
    expect([named?.value("firstName"), named?.value("Comment")]).toEqual(["kept", ""]);
  });
});

describe("times", () => {
  // 5233041986427387904 is what .NET gives for DateTime.UnixEpoch.
  it.each([
    [0, "5233041986427387904"],
    [NINE_US + 1, "5250994502427387914"],
  ])("%i is BinaryTimestamp %s and back", (timeUs, binary) => {
    expect(formatBinaryTime(timeUs)).toBe(binary);
    expect(parseBinaryTime(binary)).toBe(timeUs);
  });

  it.each(["", "21.11.2026 09:00:00", "1234567890123456789", "99999999999999999999"])(
    "%j is no BinaryTimestamp",
    (text) => expect(parseBinaryTime(text)).toBeUndefined(),
  );

  it.each([
    ["Europe/Moscow", "21.11.2026 12:00:00.007 +03:00"],
    ["America/St_Johns", "21.11.2026 05:30:00.007 -03:30"],
    ["Asia/Kathmandu", "21.11.2026 14:45:00.007 +05:45"],
    ["UTC", "21.11.2026 09:00:00.007 +00:00"],
  ])("in %s is ZonedTimestamp %s", async (zone, zoned) => {
    expect(await inTimeZone(zone, () => formatZonedTime(NINE_US + 7000))).toBe(zoned);
  });
});
