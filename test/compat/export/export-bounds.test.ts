import { describe, expect, it } from "vitest";
import { EXPORT_IDLE_MS } from "../../../src/compat/export/export-ledger.js";
import { EXPORTS_MAX, EXPORTS_PER_USER_MAX, Exports } from "../../../src/compat/export/exports.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { attachment } from "../../../src/http/content-disposition.js";
import { camera, GATE_ID, guardsGroup, rights, YARD_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../../support/api/api-frames.js";
import { apiByClock, ROOT_QUERY, until } from "../../support/api/api-harness.js";
import { GATE_MAIN, timeText } from "../../support/api/exported-archive.js";
import type { RawClient } from "../../support/http/raw-http.js";

const SPAN = `fromtime=${timeText(0)}&totime=${timeText(60)}`;
const PATH = `/exportarchive?channelid=${GATE_ID}&${SPAN}`;
/** Frames that no socket buffers of this machine hold. */
const MANY = archivedFrames(1000, NINE_US, { size: 60_000 });

const { api, clock } = apiByClock(NINE_US + 86_400_000_000);

const text = async (path: string): Promise<string> => {
  const answer = await api.get(path);
  return `${answer.status} ${await answer.text()}`;
};

/** Begins a download and takes nothing of it but what comes by itself. */
function stuck(query = ROOT_QUERY): RawClient {
  const client = api.connect({ paused: true });
  client.get(`${PATH}&${query}`);
  return client;
}

const raised = () => api.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.exportMade.id);

describe("an export is refused", () => {
  it.each([
    ["without a channel", `/exportarchive?${SPAN}`, 400],
    ["of a channel that is none", `/exportarchive?channelid=x&${SPAN}`, 400],
    [
      "of a channel that does not exist",
      `/exportarchive?channelid=${GATE_ID.replace("1", "f")}&${SPAN}`,
      404,
    ],
    ["without fromtime", `/exportarchive?channelid=${GATE_ID}&totime=${timeText(1)}`, 400],
    ["with a time that is none", `${PATH.replace(timeText(60), "yesterday")}`, 400],
    ["of no time", `/exportarchive?channelid=${GATE_ID}&fromtime=${timeText(5)}&totime=${timeText(5)}`, 404],
    ["backwards", `/exportarchive?channelid=${GATE_ID}&fromtime=${timeText(5)}&totime=${timeText(4)}`, 404],
    [
      "of more than a day",
      `/exportarchive?channelid=${GATE_ID}&fromtime=${timeText(-2)}&totime=${timeText(86_400)}`,
      400,
    ],
    ["with a sound that is none", `${PATH}&sound=loud`, 400],
    ["with a digest that is none", `${PATH}&digest=md5`, 400],
    ["with a stream that is none", `${PATH}&streamtype=Fifth`, 400],
  ])("%s", async (_what, path, status) => {
    api.archive.record(GATE_MAIN, archivedFrames(10));
    expect((await api.get(path)).status).toBe(status);
  });

  it("where nothing is recorded, with where to look", async () => {
    expect(await text(PATH)).toMatch(/^404 [\s\S]*nothing is recorded in this time[\s\S]*archivefragments/);
  });

  it("where no player could be told what is recorded, with the reason", async () => {
    const video = { codec: 3, width: 0, height: 0, initialization: new Uint8Array(0) } as const;
    api.archive.recordings.add(GATE_MAIN, archivedFrames(10), { video });
    expect(await text(PATH)).toMatch(/^501 [\s\S]*MPEG-4 Part 2 cannot be put into an MP4 file/);
  });

  it("by 429 beyond the exports one user may have, until one of them ends", async () => {
    api.archive.record(GATE_MAIN, MANY);
    const [first] = Array.from({ length: EXPORTS_PER_USER_MAX }, () => stuck());
    await until("downloads are open", () => api.archive.recordings.open === EXPORTS_PER_USER_MAX);
    const refused = await api.get(PATH);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    first?.destroy();
    await until("one has ended", () => api.archive.recordings.open < EXPORTS_PER_USER_MAX);
    expect((await api.get(PATH, { range: "bytes=0-9" })).status).toBe(206);
  });

  it("by 503 beyond those of all users together", async () => {
    const { archive: recordings, events } = api;
    const exports = new Exports({ recordings, events, clock, version: "1" });
    const taken = Array.from({ length: EXPORTS_MAX }, (_, at) => exports.takePlace(`user ${at}`));
    const [first] = await Promise.all(taken);
    await expect(exports.takePlace("another")).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    first?.();
    first?.();
    await exports.takePlace("another");
    await expect(exports.takePlace("a third")).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });

  it("by 503 beyond those that the memory is there for", async () => {
    const { archive: recordings, events } = api;
    const exports = new Exports({ recordings, events, clock, version: "1", exportsMax: 1 });
    await exports.takePlace("one");
    await expect(exports.takePlace("another")).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });
});

/** From now on nothing more is read of what is exported, until the answer is called. */
async function holdReading(): Promise<() => void> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  api.archive.recordings.add(GATE_MAIN, MANY);
  await (await api.get(PATH, { range: "bytes=0-9" })).arrayBuffer();
  api.archive.recordings.beforeRead = () => held;
  return release;
}

describe("an export for which there is no place", () => {
  it("waits for what is still read for clients that have gone", async () => {
    const release = await holdReading();
    api.archive.recordings.endsWhenGone = false;
    const clients = Array.from({ length: EXPORTS_PER_USER_MAX }, () => stuck());
    await until("downloads are open", () => api.archive.recordings.open === EXPORTS_PER_USER_MAX);
    for (const client of clients) client.destroy();
    await until("nobody is there", () => api.server.figures().openStreams === 0);
    const happened: string[] = [];
    const answered = api.get(PATH, { range: "bytes=0-9" }).then((answer) => {
      happened.push("answered");
      return answer;
    });
    // What came before is handled when this is answered.
    for (let count = 0; count < 3; count += 1) await api.get("/command?type=gettime");
    happened.push("let go");
    release();
    api.archive.recordings.beforeRead = () => undefined;
    expect((await answered).status).toBe(206);
    expect(happened).toEqual(["let go", "answered"]);
    await until("nothing is read any more", () => api.archive.recordings.open === 0);
    api.archive.recordings.endsWhenGone = true;
  });

  it("has one when what was fetched for clients that have gone is given up", async () => {
    const release = await holdReading();
    const clients = Array.from({ length: EXPORTS_PER_USER_MAX }, () => stuck());
    await until("downloads are open", () => api.archive.recordings.open === EXPORTS_PER_USER_MAX);
    for (const client of clients) client.destroy();
    await until("nothing is open any more", () => api.archive.recordings.open === 0);
    api.archive.recordings.beforeRead = () => undefined;
    expect((await api.get(PATH, { range: "bytes=0-9" })).status).toBe(206);
    release();
  });
});

describe("a client that takes nothing", () => {
  it("is not read for", async () => {
    let reads = 0;
    api.archive.recordings.beforeRead = () => void reads++;
    api.archive.record(GATE_MAIN, MANY);
    const client = stuck();
    await until("it began", () => reads > 0);
    let before = -1;
    await until("reading stands still", () => {
      const stands = before === reads;
      before = reads;
      return stands;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    // 60 MB in pieces of 1.5 MB: sockets of loopback hold some megabytes.
    expect(reads).toBeLessThan(20);
    client.destroy();
    await until("it is let go", () => api.archive.recordings.open === 0);
  });

  it("is cut off when the right to export is withdrawn", async () => {
    api.archive.record(GATE_MAIN, MANY);
    const change = (may: boolean) =>
      api.site.change((site) => ({
        ...site,
        groups: site.groups.map((group) =>
          group.seniorAdministrators
            ? group
            : guardsGroup({ rights: rights({ CanUseArchiveExport: may }), archiveChannels: [GATE_ID] }),
        ),
      }));
    await change(true);
    stuck("login=guard");
    await until("it began", () => api.archive.recordings.open === 1, {
      seen: () => api.archive.recordings.open,
    });
    await change(false);
    await clock.advanceSlowly(1_000_000, 100_000);
    await until("it was cut off", () => api.archive.recordings.open === 0, {
      seen: () => api.archive.recordings.open,
    });
  });
});

describe("each export is reported", () => {
  it("with who, what, how many bytes, and that it is whole", async () => {
    api.archive.record(GATE_MAIN, archivedFrames(50));
    const bytes = (await (await api.get(PATH)).arrayBuffer()).byteLength;
    await until("it is told", () => raised().length === 1);
    expect(raised()[0]).toMatchObject({
      channelId: GATE_ID,
      channelName: "Gate",
      comment: `2026-11-21T09:00:00.0000000Z to 2026-11-21T09:01:00.0000000Z, stream Main: ${bytes} bytes sent, whole`,
      initiator: { name: "root" },
    });
  });

  it("once, whole, when it is fetched in parts", async () => {
    api.archive.record(GATE_MAIN, archivedFrames(50));
    await (await api.get(PATH, { range: "bytes=0-999" })).arrayBuffer();
    await (await api.get(PATH, { range: "bytes=500-" })).arrayBuffer();
    await until("it is told", () => raised().length === 1);
    expect(raised()[0]?.comment).toContain("bytes sent, whole");
  });

  it("as aborted when no more of it is fetched for a minute", async () => {
    api.archive.record(GATE_MAIN, archivedFrames(50));
    await (await api.get(PATH, { range: "bytes=0-999" })).arrayBuffer();
    await clock.advanceSlowly(EXPORT_IDLE_MS * 1000 + 1000, 1_000_000);
    await until("it is told", () => raised().length === 1);
    expect(raised()[0]?.comment).toMatch(/1000 bytes sent, aborted: 1000 of \d+ bytes$/);
  });

  it("and neither HEAD nor a digest is one", async () => {
    api.archive.record(GATE_MAIN, archivedFrames(50));
    await (await api.get(`${PATH}&digest=true`)).json();
    await fetch(api.url(`${PATH}&${ROOT_QUERY}`), { method: "HEAD" });
    await clock.advanceSlowly(EXPORT_IDLE_MS * 1000 + 1000, 1_000_000);
    expect(raised()).toEqual([]);
  });
});

describe("the name of the file", () => {
  it("has channel and time, and cannot leave its header or directory", async () => {
    await api.site.change((site) => ({
      ...site,
      cameras: [...site.cameras, camera(FENCE_ID, 'Двор "1" X-Evil: 1/../../etc; a=b')],
    }));
    api.archive.record({ channelId: FENCE_ID, streamType: "Main" }, archivedFrames(10));
    const answer = await api.get(PATH.replace(GATE_ID, FENCE_ID));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-evil")).toBeNull();
    const disposition = answer.headers.get("content-disposition") ?? "";
    expect(disposition).toMatch(
      /^attachment; filename="[^"\\/\r\n]*09-00-00 to 09-01-00\.mp4"; filename\*=UTF-8''[A-Za-z0-9%._~-]+$/,
    );
    expect(decodeURIComponent(disposition.split("''")[1] ?? "")).toContain("Двор");
    await answer.arrayBuffer();
  });

  it.each(["", "...", "1\r\nX-Evil: 1", "\u202e4pm.exe", "\ud800", "a".repeat(5000)])(
    "is a plain one for the channel name %j",
    (name) => {
      expect(attachment(name, "mp4")).toMatch(
        /^attachment; filename="[^."\\/][^"\\/\r\n]{0,122}\.mp4"; filename\*=UTF-8''[^ "';]+$/,
      );
    },
  );
});

const FENCE_ID = YARD_ID.replace(/2$/, "9");
