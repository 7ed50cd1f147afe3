import { beforeEach, describe, expect, it, vi } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { type Administration, errorOf, startAdministration } from "../../support/api/administration.js";
import { GATE_ID, GUARDS_ID, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";

const NIGHT = {
  Name: "Night",
  ChannelIds: [GATE_ID],
  Actions: [
    { Type: "Preset", Preset: 2 },
    { Type: "Record", ChannelId: YARD_ID, Seconds: 30 },
    { Type: "Alarm", Text: "night falls" },
  ],
  Starts: [
    { Type: "Event", EventTypeIds: [EVENT_TYPES.inputActivated.id] },
    { Type: "Schedule", Days: ["Monday", "Sunday"], Time: "22:30" },
  ],
};

let admin: Administration;
beforeEach(async () => {
  admin = await startAdministration();
});

async function add(change: object = {}): Promise<string> {
  const { status, json, text } = await admin.call("POST", "/configure/userscenarios", [
    { ...NIGHT, ...change },
  ]);
  expect(status, text).toBe(200);
  return (json as { CreatedObjectsIds: string[] }).CreatedObjectsIds[0] ?? "";
}

/** As the guard, who has no password. */
async function asGuard(method: string, path: string, body?: object) {
  const url = admin.api.url(`${path}${path.includes("?") ? "&" : "?"}login=guard&password=`);
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: (): unknown => JSON.parse(text) };
}

describe("/configure/userscenarios", () => {
  it("keeps actions and starts, and a PUT changes only what it names", async () => {
    const Id = await add();
    const get = async () => (await admin.call("GET", `/configure/userscenarios/${Id}`)).json;
    const [preset, record, alarm] = NIGHT.Actions;
    const Actions = [{ ChannelId: null, ...preset }, record, { ChannelId: null, ...alarm }];
    const stored = { ...NIGHT, Id, NeedConfirmation: false, Actions };
    expect(await get()).toEqual(stored);
    await admin.call("PUT", "/configure/userscenarios", [{ Id, NeedConfirmation: true }]);
    expect(await get()).toEqual({ ...stored, NeedConfirmation: true });
    await admin.call("PUT", "/configure/userscenarios", [{ Id, Actions: [], Starts: [] }]);
    expect(await get()).toMatchObject({ Actions: [], Starts: [], ChannelIds: [GATE_ID] });
  });

  it("a camera that is deleted takes its actions with it", async () => {
    const Id = await add();
    expect((await admin.call("DELETE", `/configure/channels/${YARD_ID}`)).status).toBe(200);
    const { json } = await admin.call("GET", `/configure/userscenarios/${Id}`);
    expect((json as typeof NIGHT).Actions.map(({ Type }) => Type)).toEqual(["Preset", "Alarm"]);
  });

  it.each<[object, RegExp]>([
    [{ Actions: [{ Type: "Record" }] }, /Actions\[0\]\.Seconds: is required for Record/],
    [{ Actions: [{ Type: "Preset" }] }, /Actions\[0\]\.Preset: is required for Preset/],
    [{ Actions: [{ Type: "Explode" }] }, /Actions\[0\]\.Type/],
    [{ Actions: [{ Type: "Record", Seconds: 1e9 }] }, /86400/],
    [{ Actions: [{ Type: "Record", Seconds: 1, ChannelId: GUARDS_ID }] }, /ChannelId/],
    [{ Actions: Array.from({ length: 17 }, () => ({ Type: "Alarm" })) }, /at most 16 actions/],
    [{ Actions: [{ Type: "Event", Text: "a\nb" }] }, /one line/],
    [{ Starts: [{ Type: "Event" }] }, /EventTypeIds: is required/],
    [{ Starts: [{ Type: "Event", EventTypeIds: [GATE_ID] }] }, /no event type has the id/],
    [{ Starts: [{ Type: "Schedule", Days: ["Monday"] }] }, /Time: is required/],
    [{ Starts: [{ Type: "Schedule", Days: ["Monday"], Time: "24:00" }] }, /23:59/],
    [{ Starts: [{ Type: "Schedule", Days: ["Monday", "Monday"], Time: "12:00" }] }, /names one twice/],
  ])("refuses %j and names what is wrong", async (change, expected) => {
    const answer = await admin.call("POST", "/configure/userscenarios", [{ ...NIGHT, ...change }]);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(errorOf(answer)).toMatch(expected);
    expect(admin.store.current.userScenarios).toEqual([]);
  });
});

describe("an announcement of a scenario", () => {
  const action = (AnnouncementId: string) => ({ Type: "Announcement", ChannelId: GATE_ID, AnnouncementId });
  const keep = async (): Promise<string> => {
    const head = Buffer.alloc(44);
    head.write("RIFF....WAVEfmt ", 0, "latin1");
    head.writeUInt32LE(16, 16);
    head.writeUInt16LE(1, 20);
    head.writeUInt16LE(1, 22);
    head.writeUInt32LE(8000, 24);
    head.writeUInt16LE(8, 34);
    head.write("data", 36, "latin1");
    async function* wav() {
      yield Buffer.concat([head, Buffer.alloc(800, 128)]);
    }
    return (await admin.api.announcements.add("Closing time", wav())).id;
  };

  it("must be there when the scenario is saved, and cannot be deleted while it names it", async () => {
    const refused = await admin.call("POST", "/configure/userscenarios", [
      { ...NIGHT, Actions: [action(STORE_ID)] },
    ]);
    expect(refused.status).toBe(404);
    expect(errorOf(refused)).toMatch(/scenario Night: there is no announcement/);
    expect(admin.store.current.userScenarios).toEqual([]);
    const announcement = await keep();
    const Id = await add({ Actions: [action(announcement)] });
    const path = `/api/announcements/${announcement}`;
    expect((await admin.call("DELETE", path)).status).toBe(409);
    const changed = await admin.call("PUT", "/configure/userscenarios", [
      { Id, Actions: [action(STORE_ID)] },
    ]);
    expect(changed.status).toBe(404);
    await admin.call("PUT", "/configure/userscenarios", [{ Id, Actions: [] }]);
    expect((await admin.call("DELETE", path)).status).toBe(200);
  });

  it("that is deleted while a scenario that names it waits to be saved is not named by it", async () => {
    const announcement = await keep();
    const change = admin.store.change.bind(admin.store);
    let save: () => void = () => undefined;
    const saved = new Promise<void>((resolve) => {
      save = resolve;
    });
    const waiting = vi.spyOn(admin.store, "change").mockImplementation(async (...given) => {
      await saved;
      return await change(...given);
    });
    const body = [{ ...NIGHT, Actions: [action(announcement)] }];
    const adding = admin.call("POST", "/configure/userscenarios", body);
    await vi.waitFor(() => expect(waiting).toHaveBeenCalledTimes(1));
    const deleting = admin.call("DELETE", `/api/announcements/${announcement}`);
    await vi.waitFor(() => expect(waiting).toHaveBeenCalledTimes(2));
    save();
    expect([(await adding).status, (await deleting).status]).toEqual([404, 200]);
    waiting.mockRestore();
    expect(admin.store.current.userScenarios).toEqual([]);
  });

  it("that is being deleted cannot be named any more", async () => {
    const announcement = await keep();
    let go: () => void = () => undefined;
    const removing = admin.api.announcements.remove(
      announcement,
      () =>
        new Promise<void>((resolve) => {
          go = resolve;
        }),
    );
    const refused = await admin.call("POST", "/configure/userscenarios", [
      { ...NIGHT, Actions: [action(announcement)] },
    ]);
    go();
    await removing;
    expect(refused.status).toBe(404);
  });

  it("that has gone all the same, as after a restore, lets the rest of the scenario be changed", async () => {
    const announcement = await keep();
    const Id = await add({ Actions: [action(announcement)] });
    await admin.api.announcements.remove(announcement);
    const { status } = await admin.call("PUT", "/configure/userscenarios", [{ Id, Name: "Evening" }]);
    expect(status).toBe(200);
  });
});

describe("running a scenario", () => {
  it("answers with what became of each action, and the list has the run", async () => {
    const id = await add();
    const { status, json } = await admin.call("POST", `/api/scenarios/${id}/run`, { ChannelId: GATE_ID });
    expect(status).toBe(200);
    const run = {
      ...{ ScenarioId: id, Name: "Night", ChannelId: GATE_ID, StartedBy: "User", Cause: "root" },
      IsRunning: false,
      Actions: [
        { Type: "Preset", ChannelId: GATE_ID, IsDone: true, Problem: null },
        { Type: "Record", ChannelId: YARD_ID, IsDone: true, Problem: null },
        { Type: "Alarm", ChannelId: GATE_ID, IsDone: true, Problem: null },
      ],
    };
    expect(json).toMatchObject(run);
    expect((await admin.call("GET", "/api/scenarios")).json).toMatchObject([
      { Id: id, Name: "Night", NeedConfirmation: false, ChannelIds: [GATE_ID], ActionCount: 3, LastRun: run },
    ]);
    expect(admin.api.ptz.requests).toHaveLength(1);
  });

  it("is one of the functions for mobile programs, and a command", async () => {
    const id = await add({ NeedConfirmation: true });
    const configex = await admin.call("GET", "/configex?responsetype=json");
    expect(configex.json).toMatchObject({ MobileDevicesCapabilities: { UserScenarios: true } });
    const command = `/command?type=runuserscenario&scenarioid=${id}&responsetype=json`;
    const refused = await admin.api.get(command);
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("confirmed=true")]);
    const head = admin.api.url(
      `${command}&confirmed=true&login=root&password=5ebe2294ecd0e0f08eab7690d2a6ee69`,
    );
    expect((await fetch(head, { method: "HEAD" })).status).toBe(200);
    expect(admin.api.events.raised.some(({ typeId }) => typeId === EVENT_TYPES.scenarioStarted.id)).toBe(
      false,
    );
    const answer = await (await admin.api.get(`${command}&channelid=${GATE_ID}&confirmed=true`)).text();
    expect(answer).toMatch(/"DoneActions": ?3,\s*"FailedActions": ?0/);
    const xml = await (
      await admin.api.get(`/command?type=runuserscenario&scenarioid=${id}&confirmed=true`)
    ).text();
    expect(xml).toContain("<DoneActions>3</DoneActions>");
  });

  it("tells the user nothing of channels that the user may not see", async () => {
    const id = await add({
      ChannelIds: [GATE_ID, STORE_ID],
      Actions: [{ Type: "Preset", ChannelId: STORE_ID, Preset: 1 }],
    });
    const guards = (rights: object, channels: readonly string[]) =>
      admin.call("PUT", "/configure/groups", [
        {
          Id: GUARDS_ID,
          Rights: rights,
          ChannelsAccessOptions: { ChannelsRealtimeAllowed: channels, ChannelsArchiveAllowed: channels },
        },
      ]);
    expect((await guards({ CanRunUserScenarios: false }, [GATE_ID])).status).toBe(200);
    expect((await asGuard("GET", "/api/scenarios")).status).toBe(403);
    expect((await asGuard("POST", `/api/scenarios/${id}/run`)).status).toBe(403);
    expect((await asGuard("GET", `/command?type=runuserscenario&scenarioid=${id}`)).status).toBe(403);
    await guards({ CanRunUserScenarios: true }, [GATE_ID]);
    admin.api.ptz.failure = new Error("the camera of Store does not answer");
    expect((await asGuard("GET", "/api/scenarios")).json()).toMatchObject([{ ChannelIds: [GATE_ID] }]);
    expect((await asGuard("POST", `/api/scenarios/${id}/run`, { ChannelId: STORE_ID })).status).toBe(404);
    const run = await asGuard("POST", `/api/scenarios/${id}/run`);
    expect(run.json()).toMatchObject({
      Actions: [{ IsDone: false, ChannelId: null, Problem: "the action failed" }],
    });
    await guards({ CanRunUserScenarios: true }, []);
    expect((await asGuard("GET", "/api/scenarios")).json()).toEqual([]);
    expect((await asGuard("POST", `/api/scenarios/${id}/run`)).status).toBe(404);
  });
});

describe("/api/channels/{id}/outputs", () => {
  const path = `/api/channels/${GATE_ID}/outputs`;

  it("lists and switches outputs for administrators alone, and each switching is an event with the name", async () => {
    expect((await admin.call("GET", path)).json).toEqual([{ Output: "relay_1", PulseSeconds: null }]);
    const body = { Output: "relay_1", IsOn: true, Seconds: 5 };
    const { status, json } = await admin.call("POST", path, body);
    expect([status, json]).toEqual([200, { ChannelId: GATE_ID, ...body }]);
    expect(admin.api.events.raised.at(-1)).toMatchObject({
      ...{ typeId: EVENT_TYPES.outputSwitched.id, channelId: GATE_ID, comment: "relay_1 on for 5 s" },
      initiator: { type: 1, name: "root" },
    });
    expect((await asGuard("POST", path, body)).status).toBe(403);
    expect((await asGuard("GET", path)).status).toBe(403);
    expect(admin.api.relays.requests).toHaveLength(1);
  });

  it("are listed of all cameras at once for administrators alone, null where a camera has not named them", async () => {
    expect((await admin.call("GET", "/api/outputs")).json).toEqual([
      { ChannelId: GATE_ID, Outputs: [{ Output: "relay_1", PulseSeconds: null }] },
      { ChannelId: STORE_ID, Outputs: null },
    ]);
    expect((await asGuard("GET", "/api/outputs")).status).toBe(403);
  });

  it.each<[object, number, RegExp]>([
    [{ Output: "relay_2", IsOn: true }, 404, /no such output/],
    [{ IsOn: true }, 400, /Output/],
    [{ Output: "relay_1" }, 400, /IsOn/],
    [{ Output: "relay_1", IsOn: true, Seconds: 0 }, 400, /Seconds/],
    [{ Output: "", IsOn: true }, 400, /the name of an output/],
  ])("refuses %j", async (body, status, expected) => {
    const answer = await admin.call("POST", path, body);
    expect([answer.status, errorOf(answer)]).toEqual([status, expect.stringMatching(expected)]);
    expect(admin.api.relays.requests).toEqual([]);
  });

  it("an action Output is kept as it was given", async () => {
    const action = { Type: "Output", ChannelId: GATE_ID, Output: "relay_1", IsOn: false, Seconds: null };
    const Id = await add({ Actions: [action] });
    expect((await admin.call("GET", `/configure/userscenarios/${Id}`)).json).toMatchObject({
      Actions: [action],
    });
    const refused = await admin.call("POST", "/configure/userscenarios", [
      { ...NIGHT, Actions: [{ Type: "Output" }] },
    ]);
    expect(errorOf(refused)).toMatch(/Actions\[0\]\.Output: is required/);
  });
});
