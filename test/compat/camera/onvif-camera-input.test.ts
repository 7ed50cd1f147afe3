import { describe, expect, it } from "vitest";
import { deviceModels, ONVIF_MODEL, RTSP_MODEL } from "../../../src/camera/index.js";
import type { Camera } from "../../../src/site/index.js";
import { SERVER_ID } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

type Json = Record<string, unknown>;

const PATH_MODEL = deviceModels().find(
  (model) => model.manufacturer === "Foscam" && model.connection === "path",
);

const api = forEachTest(() => startApi());

async function send(method: "POST" | "PUT", camera: Json): Promise<{ status: number; json: Json }> {
  const response = await fetch(api.url(`/configure/channels?${ROOT_QUERY}`), {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify([camera]),
  });
  return { status: response.status, json: (await response.json()) as Json };
}

function post(connection: Json): Promise<{ status: number; json: Json }> {
  const ConnectionSettings = { ModelId: ONVIF_MODEL.id, Hostname: "192.0.2.7", ...connection };
  return send("POST", { ServerBindingsSettings: { OwnerServerId: SERVER_ID }, ConnectionSettings });
}

async function added(connection: Json = {}): Promise<Camera> {
  const { status, json } = await post(connection);
  expect([status, json.CreatedObjectsIds]).toEqual([200, [expect.any(String)]]);
  return known(json.CreatedObjectsIds);
}

function known(ids: unknown): Camera {
  const camera = api.site.current.cameras.find(({ id }) => Array.isArray(ids) && id === ids[0]);
  if (camera === undefined) throw new Error("the camera is not there");
  return camera;
}

/** The camera after a PUT that must be taken. */
async function changed(camera: Camera, connection: Json): Promise<Camera> {
  const { status } = await send("PUT", {
    Id: camera.id,
    ConnectionSettings: { ModelId: camera.connection.modelId, ...connection },
  });
  expect(status).toBe(200);
  return known([camera.id]);
}

/** The camera with what its device showed. */
async function met(camera: Camera): Promise<Camera> {
  const { findStreams: _gone, ...connection } = camera.connection;
  const Main = { ...connection.streams.Main, profileToken: "big" };
  const streams = { ...connection.streams, Main };
  const shown = { ...camera, connection: { ...connection, deviceIdentity: "urn:uuid:1", streams } };
  await api.site.change((site) => ({
    ...site,
    cameras: site.cameras.map((one) => (one.id === camera.id ? shown : one)),
  }));
  return shown;
}

describe("the address of a device", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7", "192.0.2.7"],
    ["camera-4.lan:8000", "camera-4.lan:8000", "camera-4.lan"],
    ["[2001:db8::7]:80", "[2001:db8::7]:80", "2001:db8::7"],
    ["2001:db8::7", "2001:db8::7", "2001:db8::7"],
    ["http://192.0.2.7/onvif/device_service", "http://192.0.2.7/onvif/device_service", "192.0.2.7"],
  ])("%s is kept, and names a camera without a name", async (Hostname, hostname, name) => {
    const camera = await added({ Hostname });
    expect([camera.connection.hostname, camera.name]).toEqual([hostname, name]);
  });

  it("gives its credentials to Login and Password", async () => {
    const { connection } = await added({ Hostname: "http://viewer:se%20cret@192.0.2.7/" });
    expect(connection).toMatchObject({ hostname: "http://192.0.2.7/", login: "viewer", password: "se cret" });
  });

  it.each(["rtsp://192.0.2.7/live", "two words", "192.0.2.7:99999", "", "ftp://192.0.2.7/", "a/../@b:c:d"])(
    "is refused as %s",
    async (Hostname) => {
      const { status, json } = await post({ Hostname });
      expect([status, String(json.ErrorMessage)]).toEqual([
        400,
        expect.stringContaining("Hostname: must be"),
      ]);
    },
  );

  it("must be given anew when the model comes to be found in another way", async () => {
    const camera = await added();
    const ConnectionSettings = { ModelId: RTSP_MODEL.id };
    const { status, json } = await send("PUT", { Id: camera.id, ConnectionSettings });
    expect([status, String(json.ErrorMessage)]).toEqual([
      400,
      expect.stringContaining("Hostname: is required"),
    ]);
  });
});

describe("streams", () => {
  it("found in another way keep neither parameters nor profile", async () => {
    const camera = await met(await added({ AltVideoStreamEnabled: true, AltVideoAdditionalParams: "fps=5" }));
    const url = "rtsp://192.0.2.7/main";
    const { connection } = await changed(camera, { ModelId: RTSP_MODEL.id, Hostname: url });
    expect(connection.hostname).toBe(url);
    expect(connection.streams.Main.profileToken).toBeUndefined();
    expect(connection.streams.Alternative).toMatchObject({ enabled: false, additionalParams: "" });
  });

  it("are found at the device where nobody chose any", async () => {
    expect((await added()).connection.findStreams).toBe(true);
    expect((await added({ AltVideoStreamEnabled: false })).connection.findStreams).toBeUndefined();
    expect((await added({ ModelId: PATH_MODEL?.id })).connection.findStreams).toBeUndefined();
  });

  it("are switched on without a URL, and take parameters or a whole URL", async () => {
    const { streams } = (
      await added({
        AltVideoStreamEnabled: true,
        MainVideoAdditionalParams: "fps=5&x=1",
        AltVideoAdditionalParams: "rtsp://192.0.2.9/sub",
      })
    ).connection;
    expect(streams.Main).toMatchObject({ enabled: true, additionalParams: "fps=5&x=1" });
    expect(streams.Alternative).toMatchObject({ enabled: true, additionalParams: "rtsp://192.0.2.9/sub" });
  });

  it.each(["two words", "http://192.0.2.7/x", "a=1#part", "rtsp://"])(
    "refuse the parameters %s",
    async (params) => {
      expect((await post({ MainVideoAdditionalParams: params })).status).toBe(400);
    },
  );

  it("lose their profile when another codec is asked for, and keep it else", async () => {
    const camera = await met(await added());
    expect((await changed(camera, { PtzEnabled: true })).connection.streams.Main.profileToken).toBe("big");
    const other = await changed(camera, { MainVideoStreamFormat: "Hevc" });
    expect(other.connection.streams.Main.profileToken).toBeUndefined();
    expect(other.connection.deviceIdentity).toBe("urn:uuid:1");
  });

  it("lose profile and identity when the device that answers now is accepted", async () => {
    const { connection } = await changed(await met(await added()), { AcceptDevice: true });
    expect([connection.streams.Main.profileToken, connection.deviceIdentity]).toEqual([undefined, undefined]);
  });

  it("receive sound where nobody says otherwise", async () => {
    expect((await added()).connection.soundReceivingEnabled).toBe(true);
    expect((await added({ SoundReceivingEnabled: false })).connection.soundReceivingEnabled).toBe(false);
  });

  it("lose profile and identity at another address, which may be another device", async () => {
    const { connection } = await changed(await met(await added()), { Hostname: "192.0.2.8" });
    expect([connection.streams.Main.profileToken, connection.deviceIdentity]).toEqual([undefined, undefined]);
  });
});

describe("a channel of a device with several", () => {
  it("is kept and given back", async () => {
    const channel = { MultiChannelServerEnabled: true, MultiChannelServerChannelNum: 3 };
    const camera = await added(channel);
    const response = await fetch(api.url(`/configure/channels/${camera.id}?${ROOT_QUERY}`));
    expect(await response.json()).toMatchObject({ ConnectionSettings: channel });
  });
});

it("a secure connection refuses an http:// address and an rtsp:// stream", async () => {
  const IsSecureConnectionEnabled = true;
  expect((await post({ IsSecureConnectionEnabled, Hostname: "http://192.0.2.7/" })).status).toBe(400);
  expect(
    (await post({ IsSecureConnectionEnabled, MainVideoAdditionalParams: "rtsp://192.0.2.7/" })).status,
  ).toBe(400);
  expect((await post({ IsSecureConnectionEnabled, Hostname: "https://192.0.2.7/" })).status).toBe(200);
});
