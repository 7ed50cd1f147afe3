/**
 * The drawing that scripts/check-arrows.mjs holds src/ to: which room may import which, how a room is cut into parts,
 * and which file wraps which package. docs/design/index.md shows the same to people.
 */

const FRAME_ROOMS = ["rtsp", "archive", "picture", "event", "mp4"];
const SERVICE_ROOMS = ["camera", "recording", "health", "alarm", "update", "away"];
const BELOW_API = [
  "base",
  "contract",
  "messages",
  "live",
  "site",
  "access",
  ...FRAME_ROOMS,
  ...SERVICE_ROOMS,
  "hls",
  "feed",
  "storage",
  "network",
  "task",
  "scenario",
  "card",
  "analysis",
  "acme",
];
const BELOW_SERVICE = [
  ...BELOW_API,
  "api",
  "mqtt",
  "monitoring",
  "onvif",
  "http",
  "lmdb",
  "control",
  "demo",
  "settings",
  "systemd",
];

/** What each room may import besides itself, through the other room's door. */
export const ARROWS = {
  base: [],
  messages: [],
  contract: ["base"],
  page: ["contract", "messages"],
  live: ["base"],
  lmdb: ["base"],
  site: ["base", "contract", "lmdb"],
  access: ["base", "site"],
  control: ["base"],
  systemd: ["base"],
  http: ["base"],
  settings: ["access", "base", "systemd"],
  ...Object.fromEntries(FRAME_ROOMS.map((room) => [room, ["base", "live"]])),
  archive: ["base", "live", "lmdb"],
  event: ["base", "live", "lmdb"],
  ...Object.fromEntries(
    SERVICE_ROOMS.map((room) => [room, ["base", "live", "site", "access", ...FRAME_ROOMS]]),
  ),
  hls: ["base", "live", "archive", "picture", "mp4"],
  feed: ["base", "live", "hls", "picture", "mp4"],
  storage: ["base", "archive", "health"],
  network: ["base", "health"],
  task: ["base"],
  acme: ["base", "http", "task"],
  analysis: ["alarm", "base", "event", "picture", "recording", "site"],
  monitoring: ["alarm", "base", "event", "site"],
  scenario: ["base", "camera", "event", "live", "recording", "site"],
  card: ["archive", "base", "camera", "event", "live", "site", "task"],
  mqtt: ["base", "camera", "event", "health", "live", "recording", "scenario", "site", "update"],
  onvif: ["access", "archive", "base", "camera", "event", "live", "site"],
  demo: ["base", "live", "onvif", "rtsp"],
  api: [...BELOW_API, "http"],
  service: BELOW_SERVICE,
  command: [...BELOW_SERVICE, "service"],
};

/** The files beside the rooms, and what they may import. */
export const ROOT_FILES = {
  "cli.ts": ["base", "command", "systemd", "main.ts"],
  "main.ts": ["base", "command", "control", "service", "settings", "systemd"],
};

/**
 * The folders of a room, in an order that reads upwards: a part may import those named before it. The files beside them
 * may import every part, and no part imports them.
 */
export const PARTS = {
  api: [
    "route",
    "camera",
    "channel",
    "video",
    "archive",
    "event",
    "export",
    "hls",
    "mobile",
    "rtsp",
    "still",
    "timeline",
    "live",
    "talk",
    "configuration",
    "discovery",
    "scenario",
    "analysis",
    "command",
    "task",
    "session",
    "page",
    "setup",
    "system",
    "health",
    "disk",
    "alarm",
    "away",
    "certificate",
    "network",
    "onvif",
  ],
  archive: [
    "notice",
    "segment",
    "disk",
    "index",
    "time",
    "write",
    "volume",
    "read",
    "repair",
    "retention",
    "move",
  ],
  away: ["s3", "seal", "send", "plan", "back", "reader"],
  base: ["value", "log", "process", "time", "wait"],
  contract: ["kinds", "resource", "reading"],
  camera: [
    "description",
    "xml",
    "soap",
    "onvif",
    "device",
    "discovery",
    "event",
    "ptz",
    "relay",
    "card",
    "stream",
    "talk",
  ],
  onvif: ["soap", "discovery", "media", "ptz", "event", "recording"],
  health: ["disk", "report", "metric", "history"],
  page: [
    "words",
    "state",
    "control",
    "player",
    "login",
    "finding",
    "wall",
    "playback",
    "events",
    "settings",
    "account",
    "setup",
  ],
  picture: ["codec", "transcode", "still"],
  recording: ["motion"],
  rtsp: ["message", "rtp", "depacketize", "packetize", "client", "server"],
  service: ["report", "shared", "control", "part", "process"],
  site: ["model", "schema", "store"],
};

/** Parts with their own index.ts: imports from outside the part go through it. */
export const PART_DOORS = new Set([
  ...PARTS.api.map((topic) => `api/${topic}`),
  "contract/reading",
  "rtsp/server",
  "service/control",
  "service/shared",
]);

/** Those of them that other rooms may use beside the room's own door. */
export const OPEN_PARTS = new Set(["contract/reading", "rtsp/server", "service/control", "service/shared"]);

/** Packages that only the named files may import: each is wrapped once. */
export const WRAPPED_PACKAGES = new Map([
  [
    "uWebSockets.js",
    /^http\/(http-server|library|request-body|response|socket-connection|stream-response)\.ts$/,
  ],
  ["uwebsockets-node24", /^http\/library\.ts$/],
  ["lmdb", /^(lmdb\/(environment|library)|site\/store\/configuration-database)\.ts$/],
  ["@zxcvbn-ts/core", /^access\/password-judge-worker\.ts$/],
  ["@zxcvbn-ts/language-common", /^access\/password-judge-worker\.ts$/],
  ["ldapts", /^access\/ldap-(connection|library)\.ts$/],
  ["node-onvif", /^camera\/(onvif|discovery)\//],
  ["sharp", /^picture\//],
  ["aws4fetch", /^away\/s3\/s3-signature\.ts$/],
  ["mqtt", /^mqtt\/mqtt-connection\.ts$/],
  ["nodemailer", /^alarm\/mail-sender\.ts$/],
  ["jose", /^acme\/account-key\.ts$/],
  ["web-push", /^alarm\/push-sender\.ts$/],
  ["systeminformation", /^health\/disk\/disk-names-child\.ts$/],
  ["rtsp-stream", /^rtsp\/message\//],
]);
