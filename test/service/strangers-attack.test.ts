import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/event/index.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { type Attack, attack, attackRequest } from "../support/http/attacker.js";
import { freePorts } from "../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";
import { Service } from "../support/service/service.js";

const CAMERAS = 8;
const CONNECTIONS = 8;
const TIMES = 25;
const ALL_TIMES = "starttime=01.01.2020 00:00:00&endtime=01.01.2100 00:00:00";

const members = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",")}}`;
/** 979 kB. */
const LARGE = members(90_000);
/** As much as routes for everybody take. */
const SMALL = members(600);
const SOCKET =
  "GET /api/live HTTP/1.1\r\nHost: nvr\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: nvrd.live.1\r\n\r\n";
const rtsp = (method: string, more: string): string =>
  `${method} rtsp://nvr/rtsp?channelid=0 RTSP/1.0\r\nCSeq: 1\r\n${more}\r\n`;

/** Own process: eight streams are recorded while strangers do what they can at every door. */
describe("strangers who attack a recorder of eight cameras", () => {
  const directory = new TemporaryDirectory("strangers-attack");
  let source: PacedSource;
  let service: Service;
  let ids: string[];
  let rtspPort = 0;

  beforeAll(async () => {
    source = await PacedSource.start(CAMERAS, SMALL_CLIP);
    [rtspPort = 0] = await freePorts(1);
    service = await Service.start({ dataDir: directory.join("data"), rtspPort });
    ids = await service.addCameras(
      Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) })),
    );
    await service.recorded(ids, 2_000_000);
  });
  afterAll(async () => {
    await service.stop();
    await source.stop();
    directory.remove();
  });

  const attacks = (): Attack[] => {
    const http = (name: string, head: string, body: string): Attack => ({
      ...{ name, port: service.httpPort },
      bytes: attackRequest(head, body),
    });
    const toRtsp = (name: string, text: string): Attack => ({
      ...{ name, port: rtspPort },
      bytes: Buffer.from(text),
    });
    return [
      http("979 kB of members to the login", "POST /api/session", LARGE),
      http("8 kB of members to the login", "POST /api/session", SMALL),
      http("979 kB of members to what needs a login", "POST /configure/channels", LARGE),
      http("brackets", "POST /api/session", "[".repeat(8000)),
      http("XML to the ONVIF service", "POST /onvif/device_service", `<a>${"<b c='d'/>".repeat(6000)}</a>`),
      { name: "WebSockets", port: service.httpPort, bytes: Buffer.from(SOCKET) },
      toRtsp("descriptions of RTSP", rtsp("DESCRIBE", "").repeat(100)),
      toRtsp("headers of RTSP", rtsp("OPTIONS", "X: a\r\n".repeat(95)).repeat(20)),
      toRtsp("bytes to RTSP", "a".repeat(200_000)),
    ];
  };

  it("lose no frame of it, and no disk is blamed", async () => {
    const before = await source.report();
    for (const one of attacks())
      await attack(one, { connections: CONNECTIONS, times: TIMES, network: "127.0.3" });
    const later = Date.now() * 1000;
    for (const id of ids) {
      let fragments = await service.fragments(id);
      while ((fragments.at(-1)?.toUs ?? 0) < later) fragments = await service.fragments(id);
      expect(fragments).toHaveLength(1);
    }
    expect((await source.report()).droppedFrames - before.droppedFrames).toBe(0);
    const events = (await service.get(`/specialarchiveevents?${encodeURI(ALL_TIMES)}`)).body.toString();
    expect(events).toContain(EVENT_TYPES.recordingStarted.id);
    for (const type of [EVENT_TYPES.volumeLost, EVENT_TYPES.cameraLost, EVENT_TYPES.recordingStopped])
      expect(events).not.toContain(type.id);
    expect(service.log).not.toMatch(/has not answered/);
    expect(service.process.exit).toBeUndefined();
  });

  it("do not keep who has logged in from being answered", async () => {
    const [first] = attacks();
    const statuses: number[] = [];
    if (first === undefined) throw new Error("there is no attack");
    const attacking = attack(first, { connections: CONNECTIONS, times: TIMES, network: "127.0.3" });
    let isOver = false;
    void attacking.then(() => {
      isOver = true;
    });
    while (!isOver) statuses.push((await service.get("/command?type=gettime")).status);
    await attacking;
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
