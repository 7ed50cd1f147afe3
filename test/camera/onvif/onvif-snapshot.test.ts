import { afterEach, describe, expect, it } from "vitest";
import { fetchSnapshot, inspectDevice, SNAPSHOT_BYTES_MAX } from "../../../src/camera/index.js";
import { accessTo, OnvifCameras } from "../../support/camera/onvif-access.js";
import type { LoginDemand } from "../../support/camera/onvif-camera.js";

const cameras = new OnvifCameras();
afterEach(() => cameras.stop());

const JPEG = Buffer.concat([
  Buffer.from("ffd8", "hex"),
  Buffer.alloc(200_000, 7),
  Buffer.from("ffd9", "hex"),
]);

describe("a snapshot", () => {
  it.each(["none", "basic", "digest", "digest-sha256", "both"] satisfies LoginDemand[])(
    "comes as the camera made it, with the login it asks for: %s",
    async (auth) => {
      const camera = await cameras.start({ auth, snapshot: JPEG });
      const [profile] = (await inspectDevice(accessTo(camera))).profiles;
      expect(profile?.snapshotUri).toBeDefined();
      const picture = await fetchSnapshot(accessTo(camera), { snapshotUri: profile?.snapshotUri });
      expect(picture.equals(JPEG)).toBe(true);
    },
  );

  it("with a wrong password is refused after one try", async () => {
    const camera = await cameras.start({ auth: "digest" });
    const snapshotUri = `http://${camera.address}/snap.jpg`;
    await expect(
      fetchSnapshot(accessTo(camera, { password: "wrong" }), { snapshotUri }),
    ).rejects.toMatchObject({
      kind: "unauthorized",
    });
    expect(camera.refusals).toBe(1);
  });

  it.each([
    ["web-page", "not-onvif"],
    ["not-found", "not-onvif"],
    ["garbage", "bad-answer"],
    ["empty", "bad-answer"],
    ["busy", "busy"],
    ["closes-mid-body", "interrupted"],
    ["silent", "unreachable"],
  ] as const)("that is none is told so: %s", async (quirk, kind) => {
    const camera = await cameras.start({ auth: "none", snapshot: JPEG, quirks: [quirk] });
    const snapshotUri = `http://${camera.address}/snap.jpg`;
    const access = accessTo(camera, { callTimeoutMs: 400 });
    await expect(fetchSnapshot(access, { snapshotUri })).rejects.toMatchObject({ kind });
  });

  it("is bounded", async () => {
    const snapshot = Buffer.concat([JPEG, Buffer.alloc(SNAPSHOT_BYTES_MAX)]);
    const camera = await cameras.start({ auth: "none", snapshot });
    const snapshotUri = `http://${camera.address}/snap.jpg`;
    await expect(fetchSnapshot(accessTo(camera), { snapshotUri })).rejects.toThrow(
      /more than 16777216 bytes/,
    );
  });

  it("is given up with who asked, and never asked for in clear where that is not allowed", async () => {
    const camera = await cameras.start({ auth: "none", quirks: ["silent"] });
    const snapshotUri = `http://${camera.address}/snap.jpg`;
    const stop = AbortSignal.timeout(50);
    await expect(fetchSnapshot(accessTo(camera), { snapshotUri }, stop)).rejects.toMatchObject({
      kind: "interrupted",
    });
    const asked = camera.calls.length;
    await expect(
      fetchSnapshot(accessTo(camera, { secureOnly: true }), { snapshotUri }),
    ).rejects.toMatchObject({
      kind: "insecure",
    });
    expect(camera.calls).toHaveLength(asked);
  });
});
