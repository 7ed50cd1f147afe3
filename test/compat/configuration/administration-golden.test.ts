import { afterAll, beforeAll, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { type Camera, DEFAULT_CAMERA_OPTIONS, type Site } from "../../../src/site/index.js";
import { alarmTarget } from "../../support/alarm/alarm-samples.js";
import {
  GATE_ID,
  GUARDS_ID,
  MemorySiteStore,
  SERVER_ID,
  sampleSite,
  streamSettings,
  YARD_ID,
} from "../../support/api/api-fakes.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { expectGolden } from "../../support/api/golden.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TimeZone } from "../../support/base/time-zone.js";

const VIEW_ID = "88888888-0000-4000-8000-000000000001";
const SCENARIO_ID = "88888888-0000-4000-8000-000000000002";

/** A camera of four streams with everything switched on that can be; its second stream is recorded, on motion. */
function richCamera(camera: Camera): Camera {
  const { connection, archive } = camera;
  const turned = streamSettings({ enabled: true, format: "Hevc", rotationMode: "By90ClockwiseDegree" });
  return {
    ...camera,
    connection: {
      ...connection,
      ptzEnabled: true,
      streams: {
        Main: { ...connection.streams.Main, roles: [] },
        Alternative: { ...turned, roles: ["Archive"] },
        SecondAlternative: { ...turned, format: "MPEG4_Part2", rotationMode: "By180Degree" },
        ThirdAlternative: { ...turned, format: "MJPEG", rotationMode: "By90AntiClockwiseDegree" },
      },
    },
    archive: { ...archive, archivingMode: "MDandManual", archivingSoundDisabled: true },
    kept: {
      ...DEFAULT_CAMERA_OPTIONS,
      connection: { ...DEFAULT_CAMERA_OPTIONS.connection, soundTransmittingEnabled: true },
      analyze: { ...DEFAULT_CAMERA_OPTIONS.analyze, faceDetectorEnabled: true },
    },
  };
}

/** The sample site with something in every part. */
function richSite(): Site {
  const site = sampleSite();
  return {
    ...site,
    cameras: site.cameras.map((camera) => (camera.id === YARD_ID ? richCamera(camera) : camera)),
    views: [
      {
        id: VIEW_ID,
        name: 'Doors & "gates"',
        channelIds: [GATE_ID, YARD_ID, GATE_ID],
        gridType: "GridType4",
        groupIds: [GUARDS_ID],
      },
    ],
    awayTargets: [
      {
        ...{ id: "88888888-0000-4000-8000-000000000007", name: "Cellar", isEnabled: true },
        ...{ endpoint: "https://s3.example", region: "us-east-1", bucket: "recordings", prefix: "gate/" },
        ...{ style: "path", accessKeyId: "AKIDEXAMPLE", secretAccessKey: "hunter2", sessionToken: "hunter2" },
        ...{ authority: "", proxy: "http://proxy.example:3128", proxyLogin: "nvr", proxyPassword: "hunter2" },
        plan: { content: "events", stream: "main", from: "oldest", secondsBefore: 5, secondsAfter: 30 },
        cameras: [
          {
            ...{ channelId: GATE_ID, content: "everything", stream: "recorded", from: "now" },
            ...{ secondsBefore: 10, secondsAfter: 60 },
          },
        ],
        kbpsMax: 4000,
        hours: [{ day: "Sunday", fromMinute: 0, toMinute: 1440, kbpsMax: null }],
        ...{ gbPerMonthMax: 500, auditPercent: 1 },
        lock: { mode: "governance", days: 365, isHeld: true },
        ...{ keepDays: 400, ageBy: "bucket", identity: "" },
        recipients: ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"],
      },
    ],
    alarmTargets: [
      alarmTarget({
        id: "88888888-0000-4000-8000-000000000003",
        name: 'Chat & "phone"',
        events: [EVENT_TYPES.cameraLost.id],
        channelIds: [GATE_ID],
        delivery: { kind: "webhook", url: "https://chat.example/hooks/nvr?a=1&b=2", secret: "hunter2" },
      }),
      alarmTarget({
        id: "88888888-0000-4000-8000-000000000004",
        name: "Owner",
        events: "errorsAndAlarms",
        delivery: {
          ...{ kind: "mail", host: "mail.example", port: 587, security: "startTls" },
          ...{
            login: "nvr",
            password: "hunter2",
            sender: "nvr@mail.example",
            recipients: ["owner@mail.example"],
          },
        },
      }),
      alarmTarget({
        id: "88888888-0000-4000-8000-000000000005",
        name: "Log",
        isEnabled: false,
        delivery: { kind: "syslog", host: "log.example", port: 6514, transport: "tls", facility: 16 },
      }),
    ],
    userScenarios: [{ id: SCENARIO_ID, name: "Open <gate>", needConfirmation: true, channelIds: [GATE_ID] }],
    mapLocations: {
      name: "World",
      locations: [{ name: "Depot", latitude: 58.01, longitude: -56.23, zoom: 14.5 }],
      folders: [
        {
          name: "Север",
          locations: [],
          folders: [
            { name: 'A & "B"', locations: [{ name: "C", latitude: -1, longitude: 0, zoom: 3 }], folders: [] },
          ],
        },
      ],
    },
    mobile: { ...site.mobile, port: 8090, fpsLimit: 12, usePFrames: true },
    rtsp: { isEnabled: true, tcpPort: 8554, isMjpegEnabled: false },
    monitoring: {
      ...site.monitoring,
      isEnabled: true,
      url: "https://monitoring.example/",
      password: "hunter2",
      serverIds: [SERVER_ID],
      proxyServerId: SERVER_ID,
    },
    useTimeZones: true,
  };
}

let api: ApiHarness;
let zone: TimeZone;

beforeAll(async () => {
  zone = new TimeZone("Asia/Kolkata");
  api = await startApi({ clock: new SimulatedClock(), site: new MemorySiteStore(richSite()) });
});
afterAll(async () => {
  await api.stop();
  zone.restore();
});

it.each([
  ["configex-rich.xml", "/configex"],
  ["configex-rich.json.txt", "/configex?responsetype=json"],
  ["configure-groups.json.txt", "/configure/groups"],
  ["configure-group.json.txt", `/configure/groups/${GUARDS_ID}`],
  ["configure-users.json.txt", "/configure/users"],
  ["configure-securityobjects.json.txt", "/configure/securityobjects"],
  ["configure-views.json.txt", "/configure/views"],
  ["configure-alarms.json.txt", "/configure/alarms"],
  ["configure-away.json.txt", "/configure/away"],
  ["configure-userscenarios.json.txt", "/configure/userscenarios"],
  ["configure-locations.json.txt", "/configure/locations"],
  ["configure-mobile.json.txt", "/configure/mobile"],
  ["configure-rtsp.json.txt", "/configure/rtsp"],
  ["configure-monitoring.json.txt", "/configure/monitoring"],
  ["configure-server.json.txt", "/configure/server"],
])("answers %s", async (name, path) => {
  const response = await api.get(path);
  expect(response.status).toBe(200);
  const body = (await response.text()).replace(new RegExp(`\\b${api.port}\\b`, "g"), "8080");
  expect(body).not.toMatch(/hunter2|camera-password|5ebe2294ecd0e0f08eab7690d2a6ee69/);
  await expectGolden(new URL(`../../support/golden/${name}`, import.meta.url), Buffer.from(body));
});
