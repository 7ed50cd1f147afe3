import { expect, test } from "vitest";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { PictureCamera } from "../../support/camera/picture-camera.js";
import { reply } from "../../support/rtsp/scripted-rtsp-server.js";
import { lastReason, makeSource } from "../../support/rtsp/source-harness.js";

const TRANSPORT = "Transport: RTP/AVP/TCP;unicast;interleaved=0-1";

test("a camera that serves one session keeps it: the second stream is refused as busy, and served when the first ends", async () => {
  let holder: object | undefined;
  const camera = await new PictureCamera({
    answers: {
      SETUP: (_request, socket) => {
        if (holder !== undefined && holder !== socket) return reply(453);
        holder = socket;
        socket.on("close", () => {
          if (holder === socket) holder = undefined;
        });
        return reply(200, ["Session: 4711;timeout=60", TRANSPORT]);
      },
    },
  }).start();
  const [main, sub] = [makeSource({ url: camera.server.url }), makeSource({ url: camera.server.url })];
  main.source.start();
  await main.until(() => main.frames.length > 5, PATIENCE_MS);
  sub.source.start();
  await sub.until(() => sub.states.some(({ state }) => state === "lost"), PATIENCE_MS);
  expect(sub.stream.state).toMatchObject({ state: "lost", cause: "no-stream" });
  expect(lastReason(sub)).toContain("busy");
  const seen = main.frames.length;
  await main.until(() => main.frames.length > seen + 10, PATIENCE_MS);
  expect(main.states.map(({ state }) => state)).toEqual(["connecting", "active"]);
  await main.source.stop();
  await sub.until(() => sub.frames.length > 0, PATIENCE_MS);
  await sub.source.stop();
  await camera.stop();
});
