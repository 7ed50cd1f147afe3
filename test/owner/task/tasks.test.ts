import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { startAdministration } from "../../support/api/administration.js";
import {
  deviceDescription,
  deviceProfile,
  foundDevice,
  readable,
} from "../../support/api/memory/memory-devices.js";
import { SessionBrowser } from "../../support/api/session-browser.js";

interface TaskAnswer {
  readonly Id: string;
  readonly State: string;
  readonly Result: Record<string, unknown> | null;
  readonly [member: string]: unknown;
}

const DOOR = "192.168.7.10";
const YARD = "192.168.7.11";

async function begun() {
  const administration = await startAdministration();
  const { call, api } = administration;
  const start = async (body: unknown): Promise<TaskAnswer> => {
    const answer = await call("POST", "/api/tasks", body);
    expect(answer.text).not.toContain("ErrorMessage");
    expect(answer.status).toBe(202);
    return answer.json as TaskAnswer;
  };
  const task = async (id: string) => (await call("GET", `/api/tasks/${id}`)).json as TaskAnswer;
  const ended = async (id: string): Promise<TaskAnswer> => {
    await expect.poll(async () => (await task(id)).State).not.toMatch(/Waiting|Running/);
    return await task(id);
  };
  return { ...administration, api, start, task, ended };
}

describe("/api/tasks", () => {
  it("fills the result of a scan as cameras answer, and keeps it", async () => {
    const { api, start, task, ended } = await begun();
    let end = (): void => undefined;
    api.devices.scanEnds = new Promise((resolve) => (end = resolve));
    api.devices.found = [foundDevice(), foundDevice({ identity: "", address: YARD })];
    const { Id } = await start({ Kind: "Scan" });
    await expect.poll(async () => (await task(Id)).Result).toMatchObject({ Devices: [{ Address: DOOR }] });
    expect(await task(Id)).toMatchObject({ State: "Running", Progress: 0.5, User: "root", CanCancel: true });
    end();
    expect((await ended(Id)).Result).toMatchObject({ Devices: [{ Address: DOOR }, { Address: YARD }] });
  });

  it("reads cameras with one login, says what they send and why one cannot be used, and adds none", async () => {
    const { api, start, ended, store } = await begun();
    const before = store.current.cameras.length;
    const profile = deviceProfile("p1", { bitrateLimit: 3000 });
    api.devices.readings.set(DOOR, readable(deviceDescription({ profiles: [profile] })));
    api.devices.readings.set(YARD, { result: "LoginRefused", reason: "it refused the login", warnings: [] });
    const devices = [{ Address: DOOR, Name: "Door" }, { Address: YARD }];
    const { Id } = await start({ Kind: "ReadCameras", Devices: devices, Login: "admin", Password: "secret" });
    const { Result, State } = await ended(Id);
    expect(State).toBe("Done");
    expect(Result?.Cameras).toMatchObject([
      {
        Name: "Door",
        Result: "Readable",
        Channels: 1,
        Streams: [{ Format: "H264", KbitPerSecond: 3000 }],
        Picture: null,
      },
      { Address: YARD, Result: "LoginRefused", Reason: "it refused the login" },
    ]);
    expect(api.devices.logins).toMatchObject([{ login: "admin" }, { login: "admin" }]);
    expect(store.current.cameras).toHaveLength(before);
  });

  it("adds cameras of a table as one revision, and none where a line has a fault", async () => {
    const { api, call, start, ended, store } = await begun();
    const { revision, cameras } = store.current;
    for (const host of [DOOR, YARD]) {
      const identity = `urn:uuid:aaaaaaaa-0000-4000-8000-0000000000${host.slice(-2)}`;
      api.devices.readings.set(host, readable(deviceDescription({ host, identity })));
    }
    const wrong = await call("POST", "/api/tasks", { Kind: "AddCameras", Csv: `address\n${DOOR}\n${DOOR}` });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("line 3")]);
    const Csv = `name;address;login;password\nDoor;${DOOR};;\nYard;${YARD};own;"a;b"`;
    const { Id } = await start({ Kind: "AddCameras", Csv, Login: "admin", Password: "secret" });
    expect((await ended(Id)).Result?.Cameras).toMatchObject([
      { Name: "Door", Result: "Added" },
      { Name: "Yard", Result: "Added" },
    ]);
    expect(store.current.revision).toBe(revision + 1);
    expect(store.current.cameras.slice(cameras.length).map(({ connection }) => connection.password)).toEqual([
      "secret",
      "a;b",
    ]);
  });

  it("checks the archive, with its report as the result", async () => {
    const { start, ended } = await begun();
    const { Id } = await start({ Kind: "Check", Deep: true });
    const { Result } = await ended(Id);
    expect(Result).toMatchObject({
      IsClean: true,
      Files: 12,
      Problems: 0,
      Repaired: 0,
      Text: expect.stringContaining("index and segments agree"),
    });
  });

  it("lists a disk that is formatted, from wherever it was started", async () => {
    const { call, start } = await begun();
    const disk = { Device: "/dev/sdb", Serial: "WD-2", Confirm: "WD-2" };
    const task = await start({ Kind: "Format", ...disk });
    expect(task).toMatchObject({ Kind: "Format", State: "Running", Subject: "/dev/sdb", CanCancel: false });
    expect((await call("GET", "/api/tasks")).json).toMatchObject([{ Id: task.Id }]);
    expect((await call("DELETE", `/api/tasks/${task.Id}`)).status).toBe(409);
  });

  it("cancels what can be cancelled, and forgets what has ended", async () => {
    const { api, call, start, task } = await begun();
    api.devices.scanEnds = new Promise(() => undefined);
    const { Id } = await start({ Kind: "Scan" });
    expect((await call("DELETE", `/api/tasks/${Id}`)).status).toBe(200);
    expect((await task(Id)).State).toBe("Cancelled");
    expect((await call("DELETE", `/api/tasks/${Id}`)).status).toBe(200);
    expect((await call("GET", `/api/tasks/${Id}`)).status).toBe(404);
  });

  it("writes beginning and end into the event log, with the user's name", async () => {
    const { api, start, ended } = await begun();
    await ended((await start({ Kind: "Check" })).Id);
    const raised = api.events.raised.filter(({ typeId }) =>
      [EVENT_TYPES.taskStarted.id, EVENT_TYPES.taskEnded.id].some((id) => id === typeId),
    );
    expect(raised).toMatchObject([
      { comment: "Check", initiator: { name: "root" } },
      { comment: "Check: Done", initiator: { name: "root" } },
    ]);
  });

  it("is for administrators where the work is, and shows a user the own tasks alone", async () => {
    const { api, start } = await begun();
    const { Id } = await start({ Kind: "Check" });
    const guard = new SessionBrowser(api);
    await guard.logIn("guard", "");
    expect(await (await guard.get("/api/tasks")).json()).toEqual([]);
    expect(await guard.status("GET", `/api/tasks/${Id}`)).toBe(404);
    for (const body of [{ Kind: "Check" }, { Kind: "Scan" }, { Kind: "Adopt", Path: "/srv" }]) {
      const answer = await guard.send("POST", "/api/tasks", body);
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("administrators")]);
    }
  });

  it.each([
    [{}, "Kind"],
    [{ Kind: "Update" }, "Kind"],
    [{ Kind: "Scan", Seconds: 1000 }, "Seconds"],
    [{ Kind: "Scan", Address: "a\u0000b" }, "Address"],
    [{ Kind: "ReadCameras", Devices: [{ Identity: "urn:uuid:1" }] }, "Address"],
    [{ Kind: "AddCameras", Devices: [{ Address: DOOR }], Csv: "address\n1.2.3.4" }, "Csv"],
    [{ Kind: "Adopt", Path: "srv" }, "Path"],
  ])("refuses %j and says where the fault is", async (body, fault) => {
    const { call } = await begun();
    const answer = await call("POST", "/api/tasks", body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(fault)]);
  });
});
