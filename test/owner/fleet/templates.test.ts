import { afterEach, describe, expect, it } from "vitest";
import type { Guid } from "../../../src/base/index.js";
import type { HubTemplates, TemplateResult } from "../../../src/contract/answer/index.js";
import { ROOT_QUERY } from "../../support/api/api-harness.js";
import { RecordersAtHub } from "../../support/fleet/recorders-at-hub.js";

const GATE: Guid = "22222222-0000-4000-8000-0000000000a1";
const HALL: Guid = "22222222-0000-4000-8000-0000000000a2";
const YARD: Guid = "22222222-0000-4000-8000-0000000000b1";
const CAMERAS = { North: { [GATE]: "Gate", [HALL]: "Hall" }, South: { [YARD]: "Yard" } };
const TEMPLATES = "/api/fleet/templates";

let place: RecordersAtHub;

afterEach(() => place?.stop());

async function started(ceiling: "Everything" | "Operate" = "Everything"): Promise<void> {
  place = await RecordersAtHub.start({ cameras: CAMERAS, ceiling });
}

async function send<T>(
  path: string,
  body: unknown,
  method = "POST",
): Promise<{ readonly status: number; readonly value: T }> {
  const answer = await fetch(place.hub.url(`${path}?${ROOT_QUERY}`), {
    ...{ method, headers: { "Content-Type": "application/json" } },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, value: (await answer.json()) as T };
}

const idOf = (name: string): Guid => place.of(name).box.id;

/** At the recorder itself. */
async function change(name: string, camera: Guid, settings: object): Promise<void> {
  const { api } = place.of(name);
  const before = await cameraOf(name, camera);
  const { ModelId } = before.ConnectionSettings as { ModelId: string };
  const answer = await fetch(api.url(`/configure/channels/${camera}?${ROOT_QUERY}`), {
    method: "PUT",
    body: JSON.stringify({ ...settings, ConnectionSettings: { ModelId } }),
  });
  expect(await answer.text()).not.toContain("ErrorMessage");
}

async function cameraOf(name: string, camera: Guid): Promise<Record<string, unknown>> {
  const answer = await place.of(name).api.get(`/configure/channels/${camera}`);
  return (await answer.json()) as Record<string, unknown>;
}

async function archiveOf(name: string, camera: Guid): Promise<Record<string, unknown>> {
  return (await cameraOf(name, camera)).ArchiveSettings as Record<string, unknown>;
}

async function made(body: object): Promise<HubTemplates["Templates"][number]> {
  const { value } = await send<HubTemplates>(TEMPLATES, { Name: "Shops", ...body });
  const [template] = value.Templates ?? [];
  if (template === undefined) throw new Error(`no template: ${JSON.stringify(value)}`);
  return template;
}

type Recorders = TemplateResult["Recorders"];

async function preview(id: Guid, ...names: string[]): Promise<Recorders> {
  return (await send<TemplateResult>(`${TEMPLATES}/${id}/preview`, { Recorders: names.map(idOf) })).value
    .Recorders;
}

async function apply(id: Guid, previewed: Recorders): Promise<Recorders> {
  const targets = previewed.map(({ Id, Revision }) => ({ Id, Revision: Revision ?? "unknown" }));
  return (await send<TemplateResult>(`${TEMPLATES}/${id}/apply`, { Recorders: targets })).value.Recorders;
}

async function undo(...names: string[]): Promise<Recorders> {
  return (await send<TemplateResult>(`${TEMPLATES}/undo`, { Recorders: names.map(idOf) })).value.Recorders;
}

const MONTH = { ArchiveSettings: { ArchivingMaxDeepnessInDays: 45, ArchivingMode: "MDandManual" } };

describe("a template", () => {
  it("has the settings of a camera that belong to its parts, and nothing else", async () => {
    await started();
    await change("North", GATE, MONTH);

    const { Settings, Source } = await made({ Camera: GATE, Parts: ["Retention"] });

    expect([Source, Settings]).toEqual([
      "Gate",
      [
        { Part: "Retention", Setting: "ArchiveSettings.ArchivingMinDeepnessInDays", Value: "0" },
        { Part: "Retention", Setting: "ArchiveSettings.ArchivingMaxDeepnessInDays", Value: "45" },
      ],
    ]);
  });

  it("has neither secrets nor addresses, whatever its parts are", async () => {
    await started();

    const { Settings } = await made({
      Camera: GATE,
      Parts: ["Recording", "Schedule", "Retention", "Motion", "Objects", "CameraEvents", "Analysers", "Card"],
    });

    const names = Settings.map(({ Setting }) => Setting);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !/^(?:ArchiveSettings|AnalyzeSettings)\./.test(name))).toEqual([]);
    expect(names.filter((name) => /Password|Login|Hostname|Zones|Lines|Params/.test(name))).toEqual([]);
  });

  it("of a recorder has what all of its cameras have alike", async () => {
    await started();
    await change("North", GATE, MONTH);
    await change("North", HALL, { ArchiveSettings: { ArchivingMaxDeepnessInDays: 7 } });

    const { Settings, Source } = await made({ Recorder: idOf("North"), Parts: ["Retention"] });

    expect([Source, Settings.map(({ Setting }) => Setting)]).toEqual([
      "North",
      ["ArchiveSettings.ArchivingMinDeepnessInDays"],
    ]);
  });

  it("is forgotten when it is deleted", async () => {
    await started();
    const { Id } = await made({ Camera: GATE, Parts: ["Retention"] });

    expect((await send<HubTemplates>(`${TEMPLATES}/${Id}`, undefined, "DELETE")).value.Templates).toEqual([]);
    expect((await send(`${TEMPLATES}/${Id}/preview`, { Recorders: [] })).status).toBe(404);
  });
});

describe("the preview of a template", () => {
  it("says for each recorder, camera and setting what it is and what it would be, and changes nothing", async () => {
    await started();
    await change("North", GATE, MONTH);
    const { Id } = await made({ Camera: GATE, Parts: ["Retention"] });

    const [north, south] = await preview(Id, "North", "South");

    const expected = { Setting: "ArchiveSettings.ArchivingMaxDeepnessInDays", Before: "30", After: "45" };
    expect(north).toMatchObject({ Name: "North", State: "Ready" });
    expect(north?.Changes).toEqual([{ Camera: HALL, CameraName: "Hall", Part: "Retention", ...expected }]);
    expect(south?.Changes).toEqual([{ Camera: YARD, CameraName: "Yard", Part: "Retention", ...expected }]);
    expect(await archiveOf("South", YARD)).toMatchObject({ ArchivingMaxDeepnessInDays: 30 });
  });

  it("says where nothing would change", async () => {
    await started();
    const { Id } = await made({ Camera: GATE, Parts: ["Retention"] });

    expect(await preview(Id, "South")).toMatchObject([{ State: "Same", Changes: [] }]);
  });
});

describe("a template that is applied", () => {
  it("changes the cameras of each recorder, in the name of who applies it", async () => {
    await started();
    await change("North", GATE, MONTH);
    const { Id } = await made({ Camera: GATE, Parts: ["Retention", "Recording"] });

    const results = await apply(Id, await preview(Id, "North", "South"));

    expect(results.map(({ State }) => State)).toEqual(["Done", "Done"]);
    expect(await archiveOf("South", YARD)).toMatchObject(MONTH.ArchiveSettings);
    expect(await archiveOf("North", HALL)).toMatchObject(MONTH.ArchiveSettings);
    const { events } = place.of("South").api;
    const acts = events.raised.filter(({ initiator }) => initiator.name.startsWith("root @ hub.example"));
    expect(acts.map(({ comment }) => comment)).toEqual([expect.stringContaining("/configure/channels")]);
  });

  it("keeps what stands beside its settings: zones and lines are each camera's own", async () => {
    await started();
    const lines = [{ Name: "Door", X1: 0.1, Y1: 0.1, X2: 0.9, Y2: 0.9, Direction: "Both" }];
    await change("South", YARD, { AnalyzeSettings: { ObjectDetectionSettings: { Lines: lines } } });
    await change("North", GATE, { AnalyzeSettings: { ObjectDetectionSettings: { MinScore: 80 } } });
    const { Id } = await made({ Camera: GATE, Parts: ["Objects"] });

    await apply(Id, await preview(Id, "South"));

    const { AnalyzeSettings } = await cameraOf("South", YARD);
    expect(AnalyzeSettings).toMatchObject({ ObjectDetectionSettings: { MinScore: 80, Lines: lines } });
  });

  it("changes nothing at a recorder whose owner does not let the hub, and says so", async () => {
    await started();
    await change("North", GATE, MONTH);
    const { Id } = await made({ Camera: GATE, Parts: ["Retention"] });
    const previewed = await preview(Id, "North", "South");
    place.of("South").api.access.admission = {
      hub: "hub.example:7443",
      ceiling: "Operate",
      mayUpdate: false,
    };

    const [north, south] = await apply(Id, previewed);

    expect([north?.State, south?.State]).toEqual(["Done", "Failed"]);
    expect(south?.Problem).toContain("its owner does not let this hub change its settings");
    expect(await archiveOf("South", YARD)).toMatchObject({ ArchivingMaxDeepnessInDays: 30 });
  });

  it("changes nothing where the configuration is another one than was looked at", async () => {
    await started();
    await change("North", GATE, MONTH);
    const { Id } = await made({ Camera: GATE, Parts: ["Retention"] });
    const previewed = await preview(Id, "South");
    await change("South", YARD, { Description: "by somebody else" });

    const [south] = await apply(Id, previewed);

    expect(south).toMatchObject({ State: "Failed" });
    expect(await archiveOf("South", YARD)).toMatchObject({ ArchivingMaxDeepnessInDays: 30 });
  });
});

describe("a template that was applied", () => {
  it("is undone at one recorder and stays at another", async () => {
    await started();
    await change("North", GATE, MONTH);
    const { Id } = await made({ Camera: GATE, Parts: ["Retention"] });
    await apply(Id, await preview(Id, "North", "South"));

    const [south] = await undo("South");

    expect(south).toMatchObject({ State: "Done", Problem: null });
    expect(await archiveOf("South", YARD)).toMatchObject({ ArchivingMaxDeepnessInDays: 30 });
    expect(await archiveOf("North", HALL)).toMatchObject({ ArchivingMaxDeepnessInDays: 45 });
    const { value } = await place.json<HubTemplates>(TEMPLATES);
    expect(value.Applied).toMatchObject([{ Name: "North", Template: "Shops", By: "root" }]);
  });

  it("leaves what somebody has changed since, and says so", async () => {
    await started();
    await change("North", GATE, MONTH);
    const { Id } = await made({ Camera: GATE, Parts: ["Retention", "Recording"] });
    await apply(Id, await preview(Id, "South"));
    await change("South", YARD, { ArchiveSettings: { ArchivingMaxDeepnessInDays: 5 } });

    const [south] = await undo("South");

    expect(south?.Problem).toContain("1 settings stay as they are");
    expect(await archiveOf("South", YARD)).toMatchObject({
      ...{ ArchivingMaxDeepnessInDays: 5, ArchivingMode: "AlwaysOn" },
    });
  });

  it("is not undone twice", async () => {
    await started();
    await change("North", GATE, MONTH);
    const { Id } = await made({ Camera: GATE, Parts: ["Retention"] });
    await apply(Id, await preview(Id, "South"));
    await undo("South");

    expect(await undo("South")).toMatchObject([{ State: "Failed" }]);
  });
});
