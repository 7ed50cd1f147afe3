/** A value of each small file that is declared, and one with a bad entry. */
export interface KeptSample {
  readonly value: object;
  readonly bad: object;
  /** What is left of the latter; undefined: nothing. */
  readonly left?: object;
}

const ID = "00000001-0000-4000-8000-000000000001";
const OTHER = "00000002-0000-4000-8000-000000000002";

const RANGE = {
  ...{ id: ID, channelId: OTHER, fromUs: 1, toUs: 2, comment: "theft" },
  ...{ userId: ID, userName: "root", createdUs: 3 },
};
const FILE = {
  ...{ id: ID, ownerId: ID, ownerName: "root", channelId: OTHER, channelName: "Gate", sound: true },
  ...{ streamTypes: ["Main"], name: "Gate 2026-11-21", fromUs: 1, toUs: 2, createdUs: 3 },
  ...{ headBytes: 4, mediaBytes: 5 },
};
const LINK = {
  ...{ id: ID, fileId: OTHER, makerId: ID, makerName: "root", hash: "a".repeat(64), secret: null },
  ...{ createdUs: 1, untilUs: 2, openings: 0, openedUs: null },
};
const LOCK = {
  ...{ id: ID, channelId: OTHER, fromUs: 1, toUs: 2, mode: "governance", untilUs: 3, isHeld: false },
  ...{ isLifted: false, comment: "", userName: "root", createdUs: 4 },
};
const SESSION = {
  ...{ id: "s1", key: "k1", userId: "u1", userName: "guard", secretMark: null, directoryUser: null },
  ...{ address: "192.0.2.7", userAgent: "Test", sinceUs: 1, lastUsedUs: 2, ageUs: 3, idleUs: 4 },
};
const BOOT = {
  ...{ bootId: ID, offsetUs: 1, shiftUs: 2, epochShift: 0, fromUs: 3, toUs: 4, pending: false },
};
const MOVED = {
  ...{ key: { channelId: ID, streamType: "Main" }, segmentId: 1, fragmentId: OTHER, epoch: 0, fromUs: 2 },
  volumeId: ID,
};
const PROFILE = {
  ...{ token: "t", name: "n", videoSourceToken: "v", channelNumber: 1, encoding: "H264" },
  ...{ width: 1920, height: 1080, hasAnalytics: false },
};
const UPDATE = {
  ...{ id: ID, phase: "installed", fromVersion: "1", toVersion: "2", fromSlot: "a", toSlot: "b" },
  ...{ message: "", percent: null, sinceUs: 1, attempts: 1, before: { channels: [ID], volumes: [] } },
};
const RUN = { startMs: 1, bootId: ID, version: "1", aliveMs: 2, end: null };
const GAP = {
  ...{ channelId: ID, fromUs: 1, toUs: 2, state: "waiting", tries: 1, nextUs: 3, reason: "", filledUs: 0 },
};
const EPOCHS = {
  ...{ epoch: 1, newestUs: 2, segmentId: 3, bootId: ID, bootEpoch: 1, wallUs: 4, monotonicUs: 5 },
};
const TARGET = {
  ...{ sinceUs: { [ID]: 1 }, settled: { day: "wanted" }, month: "2026-11", monthBytes: 1 },
  ...{ sentSegments: 1, sentBytes: 1, sentDays: [{ day: "2026-11-29", bytes: 1 }] },
  ...{ auditedKey: "", auditedDay: "" },
};
const AUTHORITY = {
  ...{ directoryUrl: "https://ca.example/", names: ["recorder.example"], email: null, trust: null },
  account: null,
};
const EXCHANGE = {
  ...{ account: null, obtained: null, share: 0.5, window: null, lookUs: 0, failures: 0, tryUs: 0 },
  failure: null,
};
const MEMBERSHIP = {
  ...{ host: "hub.example", port: 7443, authority: "PEM", ceiling: "look", kbpsMax: null, hours: [] },
  mayUpdate: true,
  joinedUs: 1,
};
const BOX = {
  ...{ id: ID, name: "Warehouse", version: "1", addedUs: 1, seenUs: 2, certificates: ["hash"] },
};
const ROLLOUT = {
  ...{
    phase: "running",
    reason: "",
    version: null,
    bytes: 1,
    sha256: "hash",
    watchMinutes: 10,
    startedUs: 1,
  },
  by: {
    ...{ Id: ID, Name: "root", Group: "Administrators", IsAdministrator: true, Rights: [] },
    ...{ Realtime: true, Archive: true, Address: "192.0.2.7" },
  },
  groups: [[{ id: ID, step: "waiting", reason: "", sinceUs: 1 }]],
};
const PARTNER = {
  ...{ id: ID, name: "Gatehouse", version: "1", certificate: "hash", hosts: ["192.0.2.9"], port: 7444 },
  ...{ httpPort: 80, httpsPort: 443, addedUs: 1 },
};
const SUBSCRIPTION = {
  ...{ id: ID, userId: OTHER, name: "phone", language: "en", sinceUs: 1, events: "errors" },
  ...{ channelIds: null, isToldOfRecorder: true, quietHours: null },
};
const VOLUMES = { volumes: { "/a": { id: ID, mounted: true } }, former: {}, making: {}, adopting: ["/b"] };

export const KEPT_SAMPLES: Readonly<Record<string, KeptSample>> = {
  "`alarms.json`": {
    value: { targets: { [ID]: { sequence: 1, timeUs: 2 } }, results: {} },
    bad: { targets: { [ID]: { sequence: -1, timeUs: 2 } }, results: {} },
  },
  "`files/list.json`": {
    value: { files: [FILE] },
    bad: { files: [{ ...FILE, headBytes: -1 }] },
  },
  "`files/links.json`": {
    value: { links: [LINK] },
    bad: { links: [{ ...LINK, hash: "a link" }] },
  },
  "`announcements/list.json`": {
    value: { announcements: [{ id: ID, name: "closing", seconds: 2 }] },
    bad: { announcements: [{ id: "x", name: "closing", seconds: 2 }] },
  },
  "`archive.json`": { value: EPOCHS, bad: { ...EPOCHS, newestUs: "soon" }, left: { ...EPOCHS, newestUs: 0 } },
  "`away/…/known-days.json`": {
    value: { place: "bucket", days: { day: 1 }, names: { [ID]: { name: "Gate", day: "2026-11-29" } } },
    bad: { place: "bucket", days: { day: -1 } },
  },
  "`away/…/locks.json`": { value: { locks: [LOCK] }, bad: { locks: [{ ...LOCK, mode: "some" }] } },
  "`away/replicas.json`": {
    value: { volumeId: ID, shares: [{ id: OTHER, name: "Cellar", bytesMax: 1 }] },
    bad: { volumeId: ID, shares: [{ id: OTHER, name: "Cellar", bytesMax: -1 }] },
  },
  "`away/…/state.json`": { value: TARGET, bad: { ...TARGET, sentDays: [{ day: 1 }] } },
  "`boots.json`": { value: { boots: [BOOT] }, bad: { boots: [{ ...BOOT, offsetUs: 0.5 }] } },
  "`camera-devices.json`": {
    value: { devices: { "http://camera/": { identity: "i", profiles: [PROFILE] } } },
    bad: { devices: { "http://camera/": { profiles: [{ ...PROFILE, channelNumber: 0 }] } } },
  },
  "`camera-notes.json`": {
    value: { cameras: { [ID]: { hostname: "camera", tookDigest: true } } },
    bad: { cameras: { [ID]: { hostname: "camera", tookDigest: "yes" } } },
  },
  "`card-gaps.json`": { value: { gaps: [GAP] }, bad: { gaps: [{ ...GAP, channelId: "x" }] } },
  "`channel-removals.json`": { value: { removals: { [ID]: 1 } }, bad: { removals: { [ID]: "all" } } },
  "`clock.json`": {
    value: { bootId: ID, provisional: null, setOffsetUs: 1, knownBy: null, batteryAgreedUs: null },
    bad: { bootId: ID, provisional: { offsetUs: 1 }, setOffsetUs: 1 },
  },
  "`crash.json`": { value: { timeMs: 1, version: "1", text: "Error" }, bad: { timeMs: 1, version: "1" } },
  "`disk-history.json`": {
    value: { disks: [{ key: "d", samples: [[20000, [31, null]]] }] },
    bad: { disks: [{ key: "d", samples: [[20000, ["hot"]]] }] },
  },
  "`disks.json`": {
    value: { disks: [{ key: "d", name: "sda", verdict: "good", isHot: false }] },
    bad: { disks: [{ key: "d", name: "sda", verdict: "odd", isHot: false }] },
  },
  "`first-run.json`": {
    value: { language: { value: "ru", insteadOf: "en" }, isGoing: true },
    bad: { language: "ru", isGoing: true },
    left: { isGoing: true },
  },
  "`fleet/hub.json`": { value: MEMBERSHIP, bad: { ...MEMBERSHIP, ceiling: "all" } },
  "`hub/boxes.json`": { value: { boxes: [BOX] }, bad: { boxes: [{ ...BOX, id: "x" }] } },
  "`hub/storages.json`": {
    value: { storages: [{ id: ID, sealed: "c2VhbGVk" }] },
    bad: { storages: [{ id: ID, sealed: 1 }] },
  },
  "`hub/rollout.json`": { value: ROLLOUT, bad: { ...ROLLOUT, phase: "halted" } },
  "`hub/templates.json`": {
    value: { documents: [{ name: "hub/templates/a.json", text: "{}" }] },
    bad: { documents: [{ name: "hub/templates/a.json" }] },
  },
  "`partners/partners.json`": {
    value: { partners: [PARTNER] },
    bad: { partners: [{ ...PARTNER, port: -1 }] },
  },
  "`given-recordings.json`": {
    value: { given: [{ formerId: ID, channelId: OTHER }] },
    bad: { given: [{ formerId: ID, channelId: "x" }] },
  },
  "`known-logins.json`": {
    value: { Addresses: [{ Key: "192.0.2.7", AtUs: 1 }], Users: [] },
    bad: { Addresses: [{ Key: "192.0.2.7" }], Users: [] },
  },
  "`manual-recording.json`": {
    value: { channels: { [ID]: { userId: OTHER, userName: "guard", sinceUs: 1 } } },
    bad: { channels: { [ID]: { userId: "x", userName: "guard", sinceUs: 1 } } },
  },
  "`mqtt-published.json`": {
    value: { broker: "mqtt://broker", topics: ["a"], entities: { device: { key: "sensor" } } },
    bad: { broker: "mqtt://broker", topics: [1], entities: {} },
  },
  "`onvif-passwords.json`": {
    value: { Passwords: [{ Secret: "hash", Password: "word" }] },
    bad: { Passwords: [{ Secret: "hash" }] },
  },
  "`left-channels.json`": {
    value: { channels: [{ id: ID, untilUs: 1 }] },
    bad: { channels: [{ id: ID, untilUs: "x" }] },
  },
  "`protected.json`": { value: { revision: 1, ranges: [RANGE] }, bad: { revision: 1, ranges: [RANGE, {}] } },
  "`push.json`": {
    value: { key: null, subscriptions: [] },
    bad: { key: null, subscriptions: [SUBSCRIPTION] },
  },
  "`removed-times.json`": {
    value: { channels: { [ID]: [[1, 2, "age"]] } },
    bad: { channels: { [ID]: [[1, 2, "whim"]] } },
  },
  "`restarts.json`": { value: { runs: [RUN] }, bad: { runs: [RUN, { ...RUN, startMs: "x" }] } },
  "`retention.json`": {
    value: { countedUs: 1, leadUs: 0, leadForUs: 0 },
    bad: { countedUs: -1, leadUs: 0, leadForUs: 0 },
  },
  "`seen-findings.json`": {
    value: { users: { [ID]: { upToUs: 1, ids: ["a"] } } },
    bad: { users: { [ID]: { upToUs: -1, ids: [] } } },
  },
  "`sessions.json`": { value: { Sessions: [SESSION] }, bad: { Sessions: [SESSION, { ...SESSION, id: 1 }] } },
  "`tls/acme/settings.json`": { value: AUTHORITY, bad: { ...AUTHORITY, names: [] } },
  "`tls/acme/state.json`": { value: EXCHANGE, bad: { ...EXCHANGE, share: 2 } },
  "`update-told.json`": { value: { id: ID, phases: ["installed"] }, bad: { id: ID, phases: ["gone"] } },
  "`volume-move.json`": {
    value: { order: null, underWay: [MOVED] },
    bad: { order: null, underWay: [{ ...MOVED, segmentId: -1 }] },
  },
  "`volumes.json`": {
    value: VOLUMES,
    bad: { ...VOLUMES, volumes: { ...VOLUMES.volumes, "/c": { id: "x" } } },
    left: VOLUMES,
  },
  "`wear.json`": {
    value: { volumes: { [ID]: { "20000": 1 } } },
    bad: { volumes: { [ID]: { yesterday: 1 } } },
  },
  "each volume: `channels.json`": {
    value: { channels: [{ id: ID, name: "Gate", sinceUs: 1 }] },
    bad: {
      channels: [
        { id: ID, name: 5, sinceUs: 1 },
        { id: OTHER, name: "Yard", sinceUs: 1 },
      ],
    },
    left: { channels: [{ id: OTHER, name: "Yard", sinceUs: 1 }] },
  },
  "each volume: `index-mark.json`": {
    value: { marks: [null, ID] },
    bad: { marks: ["x"] },
  },
  "update directory: `state.json`": {
    value: { box: null, update: UPDATE },
    bad: { box: null, update: { ...UPDATE, phase: "odd" } },
  },
  "update inbox: `request.json`": {
    value: { id: ID, version: "2", before: { channels: [], volumes: [] } },
    bad: { id: ID, version: "2", before: { channels: ["x"], volumes: [] } },
  },
};
