import { expect, test } from "vitest";
import { createLog, SystemClock } from "../../../src/base/index.js";
import { type CameraKey, CameraKeys, CameraNotes } from "../../../src/camera/index.js";
import type { Camera } from "../../../src/site/index.js";
import { sampleSite } from "../../support/api/api-fakes.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const [FIRST, SECOND, THIRD] = ["a", "b", "c"].map((letter) => ({ sha256: letter.repeat(64) })) as [
  { sha256: string },
  { sha256: string },
  { sha256: string },
];

async function keysOf(change: (cameras: readonly Camera[]) => readonly Camera[] = (cameras) => cameras) {
  const dataDir = await temporaryDirectory();
  const log = createLog({ level: "silent" });
  const site = { current: { ...sampleSite(), cameras: change(sampleSite().cameras) } };
  const changed: CameraKey[] = [];
  const begin = () => {
    const notes = new CameraNotes({ dataDir, clock: new SystemClock(), log });
    notes.start();
    const keys = new CameraKeys({ site, notes, onChanged: (_camera, key) => changed.push(key) });
    return { keys, notes };
  };
  const [camera, other] = site.current.cameras;
  if (camera === undefined || other === undefined) throw new Error("the sample has cameras");
  return { begin, changed, camera, other, site };
}

test("the first key of a port is expected from then on, also after a restart", async () => {
  const { begin, changed, camera } = await keysOf();
  const before = begin();
  expect(before.keys.accepts(camera.id, 322, FIRST)).toBe(true);
  expect(before.keys.accepts(camera.id, 443, SECOND)).toBe(true);
  await before.notes.stop();
  const { keys } = begin();
  expect(keys.accepts(camera.id, 322, FIRST)).toBe(true);
  expect(keys.accepts(camera.id, 322, SECOND)).toBe(false);
  expect(changed).toEqual([{ port: 322, ...FIRST, offered: SECOND.sha256 }]);
});

test("each other key is reported once, and the expected one ends the matter", async () => {
  const { begin, changed, camera } = await keysOf();
  const { keys } = begin();
  keys.accepts(camera.id, 322, FIRST);
  for (const key of [SECOND, SECOND, THIRD, THIRD]) expect(keys.accepts(camera.id, 322, key)).toBe(false);
  expect(changed.map(({ offered }) => offered)).toEqual([SECOND.sha256, THIRD.sha256]);
  expect(keys.accepts(camera.id, 322, FIRST)).toBe(true);
  expect(keys.of(camera)).toEqual([{ port: 322, ...FIRST }]);
});

test("only what is shown now can be accepted", async () => {
  const { begin, camera } = await keysOf();
  const { keys } = begin();
  keys.accepts(camera.id, 322, FIRST);
  keys.accepts(camera.id, 322, SECOND);
  expect(keys.accept(camera, THIRD.sha256)).toBe(false);
  expect(keys.accept(camera, SECOND.sha256)).toBe(true);
  expect(keys.accepts(camera.id, 322, SECOND)).toBe(true);
  expect(keys.accepts(camera.id, 322, FIRST)).toBe(false);
});

test("what is accepted of one channel holds for all of its device", async () => {
  const { begin, camera, other } = await keysOf((cameras) =>
    cameras.map((one) => ({ ...one, connection: { ...one.connection, hostname: "rtsps://192.0.2.9/live" } })),
  );
  const { keys } = begin();
  for (const { id } of [camera, other]) {
    keys.accepts(id, 322, FIRST);
    keys.accepts(id, 322, SECOND);
  }
  keys.accept(camera, SECOND.sha256);
  expect(keys.accepts(other.id, 322, SECOND)).toBe(true);
});

test("at another address that its owner gave, a camera is met anew", async () => {
  const { begin, camera, site } = await keysOf();
  const { keys } = begin();
  keys.accepts(camera.id, 322, FIRST);
  const moved = { ...camera, connection: { ...camera.connection, hostname: "192.0.2.77" } };
  site.current = { ...site.current, cameras: [moved] };
  expect(keys.accepts(camera.id, 322, SECOND)).toBe(true);
});

test("keys go with what else is known of a device that is no longer the camera, and stay where nothing else was", async () => {
  const { begin, camera, other } = await keysOf();
  const { keys, notes } = begin();
  for (const { id } of [camera, other]) keys.accepts(id, 322, FIRST);
  notes.learn(other, { tookDigest: true });
  for (const one of [camera, other]) notes.forgetDevice(one);
  expect(keys.accepts(camera.id, 322, SECOND)).toBe(false);
  expect(keys.accepts(other.id, 322, SECOND)).toBe(true);
});

test("a channel that is only tried has no key of its own", async () => {
  const { begin } = await keysOf();
  const { keys } = begin();
  const id = "99999999-0000-4000-8000-000000000001";
  expect([FIRST, SECOND].map((key) => keys.accepts(id, 322, key))).toEqual([true, true]);
});
