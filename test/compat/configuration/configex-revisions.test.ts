import { describe, expect, it, onTestFinished } from "vitest";
import { newGuid } from "../../../src/base/index.js";
import {
  ConfigurationAnswers,
  REMEMBERED_ANSWER_BYTES_MAX,
} from "../../../src/compat/configuration/configuration-answers.js";
import type { MadeBody } from "../../../src/route/index.js";
import { cameraOptions } from "../../../src/site/index.js";
import { startAdministration } from "../../support/api/administration.js";
import { camera, GUARDS_ID, guardsGroup, MemorySiteStore, sampleSite } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { configurationView, principalOf } from "../../support/api/configuration-view.js";
import { MemoryFormats } from "../../support/api/memory/memory-formats.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

function textOf({ pieces }: MadeBody): string {
  return Buffer.concat(pieces).toString();
}

interface Applied {
  RevNum: number;
  Timestamp: string;
  Channels: { Name: string }[];
}

describe("the revision of /configex", () => {
  it("rises by one with every applied change, the timestamp with it, and not with what changes nothing", async () => {
    const { api, call, site } = await startAdministration();
    const read = async (): Promise<Applied> =>
      (await (await api.get(`/configex?responsetype=json`)).json()) as Applied;
    const rename = async (name: string): Promise<number> => {
      const [first] = site.cameras;
      const body = [
        { Id: first?.id, Name: name, ConnectionSettings: { ModelId: first?.connection.modelId } },
      ];
      return (await call("PUT", "/configure/channels", body)).status;
    };
    const before = await read();
    expect(await rename("Gate, north")).toBe(200);
    const after = await read();
    expect(after.RevNum).toBe(before.RevNum + 1);
    expect(after.Timestamp > before.Timestamp).toBe(true);
    expect(after.Channels.map((channel) => channel.Name)).toContain("Gate, north");
    expect(await rename("Gate, north")).toBe(200);
    expect(await read()).toEqual(after);
    const xml = await (await fetch(api.url(`/configex?${ROOT_QUERY}`))).text();
    expect(xml).toContain(`Revision="${after.RevNum}" Timestamp="${after.Timestamp}"`);
  });
});

describe("remembered answers of /configex", () => {
  it("are made once a revision, group and format", async () => {
    const answers = new ConfigurationAnswers(new SimulatedClock());
    const site = sampleSite();
    const root = configurationView({ site });
    const guard = { ...root, principal: principalOf(site, GUARDS_ID) };
    const ofRoot = await answers.body(root, "xml");
    expect(await answers.body({ ...root, principal: principalOf(site) }, "xml")).toBe(ofRoot);
    expect((await answers.body(guard, "xml")).pieces).not.toEqual(ofRoot.pieces);
    expect((await answers.body(root, "json")).pieces).not.toEqual(ofRoot.pieces);
    expect(answers.size).toBe(3);
  });

  it("are forgotten with a new revision, a new address, and the other half of the year", async () => {
    const answers = new ConfigurationAnswers(new SimulatedClock());
    const view = configurationView();
    const text = async (change: Parameters<typeof configurationView>[0]): Promise<string> =>
      textOf(await answers.body({ ...view, ...change }, "xml"));
    expect(await text({})).toContain('Revision="7"');
    expect(await text({ site: { ...view.site, revision: 8 } })).toContain('Revision="8"');
    expect(await text({ reach: { ...view.reach, httpPort: 81 } })).toContain('PrimaryPort="81"');
    expect(await text({ timeZoneOffsetHours: 5.75 })).toContain('TimeZoneOffset="5.75"');
    expect(await text({})).toContain('TimeZoneOffset="0"');
  });

  it("name the format that a stream is found to have, in the same revision", async () => {
    const answers = new ConfigurationAnswers(new SimulatedClock());
    const formats = new MemoryFormats();
    const view = { ...configurationView(), formats };
    const text = async (): Promise<string> => textOf(await answers.body(view, "xml"));
    const [camera] = view.site.cameras;
    expect(await text()).not.toContain('ArchiveVideoFormat="Hevc"');
    formats.learn(camera?.id ?? "", "Main", "Hevc");
    expect(await text()).toContain('ArchiveVideoFormat="Hevc"');
    expect(await text()).toContain('StreamType="Main" StreamFormat="Hevc"');
    expect(await text()).toContain('Revision="7"');
  });

  it("say that a camera takes no sound where it has said so, whatever is switched on", async () => {
    const answers = new ConfigurationAnswers(new SimulatedClock());
    const formats = new MemoryFormats();
    const before = configurationView();
    const cameras = before.site.cameras.map((camera) => {
      const kept = cameraOptions(camera);
      const connection = { ...kept.connection, soundTransmittingEnabled: true };
      return { ...camera, kept: { ...kept, connection } };
    });
    const view = { ...before, site: { ...before.site, cameras }, formats };
    const count = async (): Promise<number> =>
      textOf(await answers.body(view, "xml")).split('IsTransmitSoundOn="true"').length - 1;
    expect(await count()).toBe(cameras.length);
    formats.learnRefusal(cameras[0]?.id ?? "");
    expect(await count()).toBe(cameras.length - 1);
  });

  it("of a group as it was are not shown to the group as it is", async () => {
    const answers = new ConfigurationAnswers(new SimulatedClock());
    const site = sampleSite();
    const view = configurationView({ site });
    const before = principalOf(site, GUARDS_ID);
    const group = guardsGroup({ name: "Guards of the night" });
    await answers.body({ ...view, principal: before }, "xml");
    const body = await answers.body({ ...view, principal: { ...before, group } }, "xml");
    expect(textOf(body)).toContain("Guards of the night");
  });

  it("take no more than their bound", async () => {
    const answers = new ConfigurationAnswers(new SimulatedClock());
    const cameras = Array.from({ length: 256 }, (_, index) => camera(newGuid(), `Camera ${index}`));
    const groups = Array.from({ length: 128 }, () => guardsGroup({ id: newGuid(), realtimeChannels: "all" }));
    const sample = sampleSite();
    const site = { ...sample, cameras, groups: [...sample.groups, ...groups] };
    const view = configurationView({ site });
    let bytes = 0;
    for (const { id } of groups) {
      bytes += (await answers.body({ ...view, principal: principalOf(site, id) }, "json")).bytes;
    }
    expect(bytes).toBeGreaterThan(REMEMBERED_ANSWER_BYTES_MAX);
    expect(answers.size).toBe(Math.floor(REMEMBERED_ANSWER_BYTES_MAX / (bytes / groups.length)));
  });

  it("are made once for all that ask meanwhile", async () => {
    const answers = new ConfigurationAnswers(new SimulatedClock());
    const view = configurationView();
    const [first, second] = await Promise.all([answers.body(view, "xml"), answers.body(view, "xml")]);
    expect(second).toBe(first);
  });

  it("are not those that were begun before a change", async () => {
    const answers = new ConfigurationAnswers(new SimulatedClock());
    const view = configurationView();
    const changed = { ...view, site: { ...view.site, revision: 8 } };
    const begun = answers.body(view, "xml");
    expect(textOf(await answers.body(changed, "xml"))).toContain('Revision="8"');
    expect(textOf(await begun)).toContain('Revision="7"');
    expect(textOf(await answers.body(changed, "xml"))).toContain('Revision="8"');
    expect(answers.size).toBe(1);
  });
});

describe("long answers of /configex", () => {
  const cameras = Array.from({ length: 400 }, (_, index) => camera(newGuid(), `Camera ${index}`));
  const sample = sampleSite();
  const site = { ...sample, cameras };

  it.each(["xml", "json"])("have their length, also for HEAD, in %s", async (format) => {
    const api = await startApi({ site: new MemorySiteStore(site) });
    onTestFinished(() => api.stop());
    const url = api.url(`/configex?${ROOT_QUERY}&responsetype=${format}`);

    const answer = await fetch(url);
    const text = await answer.text();
    const head = await fetch(url, { method: "HEAD" });

    expect(text.match(/Camera \d+/g)).toHaveLength(cameras.length);
    expect(Number(answer.headers.get("content-length"))).toBe(Buffer.byteLength(text));
    expect(head.headers.get("content-length")).toBe(answer.headers.get("content-length"));
  });

  it("let other work run after each slice of their making", async () => {
    const clock = new SimulatedClock();
    const answers = new ConfigurationAnswers({
      ...{ nowUs: () => clock.nowUs(), heldUs: () => 0 },
      setTimeout: (run, ms) => clock.setTimeout(run, ms),
      setInterval: (run, ms) => clock.setInterval(run, ms),
      // Each look at the clock costs a tenth of a millisecond.
      monotonicUs: () => (us += 100),
    });
    let us = 0;
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);

    await answers.body(configurationView({ site }), "json");
    isOver = true;

    expect(turns).toBeGreaterThan(50);
  });

  it("are refused where too many different ones are on their way", async () => {
    const answers = new ConfigurationAnswers(new SimulatedClock());
    const ends: (() => void)[] = [];
    const waiting = () => new Promise<void>((resolve) => ends.push(resolve));
    const bodyOf = (revision: number) =>
      answers.body(configurationView({ site: { ...site, revision } }), "json");
    const sent: Promise<void>[] = [];
    for (let revision = 1; revision <= 8; revision += 1) {
      const body = await bodyOf(revision);
      sent.push(answers.whileSent(body, waiting), answers.whileSent(body, waiting));
    }

    await expect(answers.whileSent(await bodyOf(9), waiting)).rejects.toMatchObject({
      code: "NOT_AVAILABLE",
    });
    for (const end of ends) end();
    await Promise.all(sent);
    await expect(answers.whileSent(await bodyOf(9), async () => "sent")).resolves.toBe("sent");
  });
});
