import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { forAllTests } from "../../support/base/for-tests.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { RefusingCamera } from "../../support/camera/refusing-camera.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { pause, Service } from "../../support/service/service.js";

/** A camera that comes back is recorded within 3 s and one key-frame interval after its port answers. */
const BACK_WITHIN_US = 3_000_000 + (SMALL_CLIP.gopFrames / SMALL_CLIP.fps) * 1_000_000;
const ABSENCE_MS = 6000;
const REFUSED_WATCH_MS = 12_000;

const directory = forAllTests(() => new TemporaryDirectory("camera-lost"));
const service = forAllTests(() => Service.start({ dataDir: directory.join("data") }));

describe("a camera that goes away and comes back", () => {
  let port = 0;
  let source: PacedSource;
  beforeEach(async () => {
    [port = 0] = await freePorts(1);
    source = await PacedSource.start(1, SMALL_CLIP, port);
  });
  afterEach(() => source.stop());

  it("is recorded within 3 s and one key-frame interval after its port answers", async () => {
    const [id = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
    await service.recorded([id], 2_000_000);
    await source.stop();
    await pause(ABSENCE_MS);
    source = await PacedSource.start(1, SMALL_CLIP, port);
    const answersUs = Date.now() * 1000;
    await service.recorded([id], 500_000, undefined, answersUs - BACK_WITHIN_US);
    const fragments = await service.fragments(id);
    expect(fragments).toHaveLength(2);
    const [before, after] = fragments;
    expect(after?.fromUs).toBeGreaterThan(before?.toUs ?? 0);
    expect(after?.fromUs).toBeLessThanOrEqual(answersUs + BACK_WITHIN_US);
  });
});

describe("a camera that refuses the password", () => {
  it("sees one attempt a minute at most, and the password stays out of the log", async () => {
    const camera = await RefusingCamera.start();
    const password = "Camera-secret-7";
    await service.addCameras([{ name: "Door", url: camera.url, login: "installer", password }]);
    await pause(REFUSED_WATCH_MS);
    await camera.stop();
    expect(camera.attempts).toBe(1);
    expect(service.log).not.toContain(password);
    expect(service.log).not.toContain(Buffer.from(`installer:${password}`).toString("base64"));
  });
});
