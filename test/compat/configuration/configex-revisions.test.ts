import { describe, expect, it } from "vitest";
import { newGuid } from "../../../src/base/index.js";
import {
  ConfigurationAnswers,
  REMEMBERED_ANSWER_BYTES_MAX,
} from "../../../src/compat/configuration/configuration-answers.js";
import { cameraOptions } from "../../../src/site/index.js";
import { startAdministration } from "../../support/api/administration.js";
import { camera, GUARDS_ID, guardsGroup, sampleSite } from "../../support/api/api-fakes.js";
import { ROOT_QUERY } from "../../support/api/api-harness.js";
import { configurationView, principalOf } from "../../support/api/configuration-view.js";
import { MemoryFormats } from "../../support/api/memory/memory-formats.js";

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
  it("are made once a revision, group and format", () => {
    const answers = new ConfigurationAnswers();
    const site = sampleSite();
    const root = configurationView({ site });
    const guard = { ...root, principal: principalOf(site, GUARDS_ID) };
    expect(answers.answer(root, "xml")).toBe(
      answers.answer({ ...root, principal: principalOf(site) }, "xml"),
    );
    expect(answers.answer(guard, "xml").body).not.toEqual(answers.answer(root, "xml").body);
    expect(answers.answer(root, "json").body).not.toEqual(answers.answer(root, "xml").body);
    expect(answers.size).toBe(3);
  });

  it("are forgotten with a new revision, a new address, and the other half of the year", () => {
    const answers = new ConfigurationAnswers();
    const view = configurationView();
    const text = (change: Parameters<typeof configurationView>[0]): string =>
      Buffer.from(answers.answer({ ...view, ...change }, "xml").body).toString();
    expect(text({})).toContain('Revision="7"');
    expect(text({ site: { ...view.site, revision: 8 } })).toContain('Revision="8"');
    expect(text({ reach: { ...view.reach, httpPort: 81 } })).toContain('PrimaryPort="81"');
    expect(text({ timeZoneOffsetHours: 5.75 })).toContain('TimeZoneOffset="5.75"');
    expect(text({})).toContain('TimeZoneOffset="0"');
  });

  it("name the format that a stream is found to have, in the same revision", () => {
    const answers = new ConfigurationAnswers();
    const formats = new MemoryFormats();
    const view = { ...configurationView(), formats };
    const text = (): string => Buffer.from(answers.answer(view, "xml").body).toString();
    const [camera] = view.site.cameras;
    expect(text()).not.toContain('ArchiveVideoFormat="Hevc"');
    formats.learn(camera?.id ?? "", "Main", "Hevc");
    expect(text()).toContain('ArchiveVideoFormat="Hevc"');
    expect(text()).toContain('StreamType="Main" StreamFormat="Hevc"');
    expect(text()).toContain('Revision="7"');
  });

  it("say that a camera takes no sound where it has said so, whatever is switched on", () => {
    const answers = new ConfigurationAnswers();
    const formats = new MemoryFormats();
    const before = configurationView();
    const cameras = before.site.cameras.map((camera) => {
      const kept = cameraOptions(camera);
      const connection = { ...kept.connection, soundTransmittingEnabled: true };
      return { ...camera, kept: { ...kept, connection } };
    });
    const view = { ...before, site: { ...before.site, cameras }, formats };
    const count = (): number =>
      Buffer.from(answers.answer(view, "xml").body).toString().split('IsTransmitSoundOn="true"').length - 1;
    expect(count()).toBe(cameras.length);
    formats.learnRefusal(cameras[0]?.id ?? "");
    expect(count()).toBe(cameras.length - 1);
  });

  it("of a group as it was are not shown to the group as it is", () => {
    const answers = new ConfigurationAnswers();
    const site = sampleSite();
    const view = configurationView({ site });
    const before = principalOf(site, GUARDS_ID);
    const group = guardsGroup({ name: "Guards of the night" });
    answers.answer({ ...view, principal: before }, "xml");
    const { body } = answers.answer({ ...view, principal: { ...before, group } }, "xml");
    expect(Buffer.from(body).toString()).toContain("Guards of the night");
  });

  it("take no more than their bound", () => {
    const answers = new ConfigurationAnswers();
    const cameras = Array.from({ length: 256 }, (_, index) => camera(newGuid(), `Camera ${index}`));
    const groups = Array.from({ length: 128 }, () => guardsGroup({ id: newGuid(), realtimeChannels: "all" }));
    const sample = sampleSite();
    const site = { ...sample, cameras, groups: [...sample.groups, ...groups] };
    const view = configurationView({ site });
    let bytes = 0;
    for (const { id } of groups) {
      const { body } = answers.answer({ ...view, principal: principalOf(site, id) }, "json");
      bytes += body.length;
    }
    expect(bytes).toBeGreaterThan(REMEMBERED_ANSWER_BYTES_MAX);
    expect(answers.size).toBe(Math.floor(REMEMBERED_ANSWER_BYTES_MAX / (bytes / groups.length)));
  });
});
