import { describe, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../../src/camera/index.js";
import { startAdministration } from "../../support/api/administration.js";
import { deviceDescription, readable } from "../../support/api/memory/memory-devices.js";

interface TaskAnswer {
  readonly Id: string;
  readonly State: string;
  readonly Result: { readonly Cameras: readonly object[] } | null;
}

async function begun() {
  const administration = await startAdministration();
  const { call } = administration;
  const tried = async (body: object): Promise<readonly object[]> => {
    const started = await call("POST", "/api/tasks", { Kind: "TryCamera", ...body });
    expect([started.status, started.text]).toEqual([202, expect.anything()]);
    const { Id } = started.json as TaskAnswer;
    const task = async () => (await call("GET", `/api/tasks/${Id}`)).json as TaskAnswer;
    await expect.poll(async () => (await task()).State).toBe("Done");
    return (await task()).Result?.Cameras ?? [];
  };
  const [camera] = administration.store.current.cameras;
  if (camera === undefined) throw new Error("there is no camera");
  return { ...administration, tried, camera };
}

describe("a trial of a camera's settings", () => {
  it("uses the address and login that are given, the stored ones else, and stores none", async () => {
    const { api, store, tried, camera } = await begun();
    const stream = {
      ...{ codec: "H.264", width: 640, height: 360, framesPerSecond: 25, kbitPerSecond: 900 },
      hasSound: false,
    };
    api.streamTrials.found = { result: "Readable", reason: "", stream };
    const { revision } = store.current;
    const hostname = new URL("/other", camera.connection.hostname).href;
    const [found] = await tried({ ChannelId: camera.id, Hostname: hostname, Login: "other" });
    expect(found).toMatchObject({
      Result: "Readable",
      Streams: [{ Format: "H.264", Width: 640, Height: 360, FramesPerSecond: 25, KbitPerSecond: 900 }],
    });
    expect(api.streamTrials.tried.map(({ connection }) => connection)).toMatchObject([
      { hostname, login: "other", password: camera.connection.password },
    ]);
    expect([store.current.revision, store.current.cameras[0]]).toEqual([revision, camera]);
  });

  it("asks an ONVIF device", async () => {
    const { api, tried, camera } = await begun();
    api.streamTrials.found = undefined;
    api.devices.readings.set("192.168.7.10", readable(deviceDescription()));
    const [found] = await tried({
      ...{ ChannelId: camera.id, ModelId: ONVIF_MODEL.id, Hostname: "192.168.7.10" },
      ...{ Login: "admin", Password: "secret" },
    });
    expect(found).toMatchObject({ Result: "Readable", Manufacturer: "Acme", Streams: [{ Format: "H264" }] });
    expect(api.devices.logins).toEqual([{ address: "192.168.7.10", login: "admin", password: "secret" }]);
  });

  it.each([
    [{ ChannelId: "22222222-0000-4000-8000-0000000000ff" }, 404],
    [{}, 400],
    [{ Hostname: "rtsp://" }, 400],
  ])("refuses %o with %d", async (body, status) => {
    const { call, camera } = await begun();
    const whole = { ...(status === 400 && "Hostname" in body ? { ChannelId: camera.id } : {}), ...body };
    expect((await call("POST", "/api/tasks", { Kind: "TryCamera", ...whole })).status).toBe(status);
  });
});
