/**
 * The order of the test files: first those with a process of their own, then those that share processes, because vitest
 * ends a shared process when the next file in line has its own, and the files after it load the same modules again. Of
 * each kind those that are known to take long start first, so that none of them is left for the end, when the other
 * processors have nothing to do. Files that mostly wait are spread among those that compute: of five waiting at once the
 * processors would be half idle, and of five computing at once each would be late. The times of an earlier run of this
 * checkout count; where there was none, those of the files that are known to take long, and of a room.
 */
import { statSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer } from "vitest/node";

/** Seconds that the longest files take on two processors, roughly: the order is all that matters. */
export const LONG_SECONDS = {
  "test/service/cameras/card.test.ts": 195,
  "test/host/systemd/installed-service.test.ts": 150,
  "test/page/playback/recordings-screen.test.ts": 145,
  "test/page/fleet-demo.test.ts": 135,
  "test/rtsp/zoo/habits.test.ts": 115,
  "test/box/network/network-trials.test.ts": 105,
  "test/owner/session/foreign-pages.test.ts": 100,
  "test/service/disks/volume-faults.test.ts": 100,
  "test/service/away/away.test.ts": 90,
  "test/service/away/bucket.test.ts": 90,
  "test/service/disks/pulled-disk.test.ts": 90,
  "test/page/bucket.test.ts": 85,
  "test/page/playback/random-clicks.test.ts": 85,
  "test/page/setup/first-run.test.ts": 85,
  "test/service/away/away-cut.test.ts": 85,
  "test/service/away/away-key-frames.test.ts": 80,
  "test/service/disks/protected.test.ts": 80,
  "test/page/walks.test.ts": 75,
  "test/service/disks/hddstatus.test.ts": 75,
  "test/service/disks/hung-volume.test.ts": 75,
  "test/service/disks/retention.test.ts": 75,
  "test/service/programs/neighbours.test.ts": 75,
  "test/service/away/replicas.test.ts": 70,
  "test/camera/discovery/discovery-lan.test.ts": 65,
  "test/page/settings/away.test.ts": 65,
  "test/page/settings/camera/cameras.test.ts": 65,
  "test/page/settings/replicas.test.ts": 65,
  "test/service/command-line.test.ts": 65,
  "test/service/disks/stop-failing-disks.test.ts": 65,
  "test/compat/video/video-slow-readers.test.ts": 60,
  "test/service/cameras/kept-gop.test.ts": 60,
  "test/service/disks/volume-move.test.ts": 60,
  "test/service/programs/timeline.test.ts": 60,
  "test/owner/system/docs-curl.test.ts": 55,
  "test/service/cameras/picture-fidelity.test.ts": 55,
  "test/box/network/network-page.test.ts": 50,
  "test/owner/file/saved-files.test.ts": 50,
  "test/service/away/away-keyless.test.ts": 50,
  "test/service/away/away-slow.test.ts": 50,
  "test/service/cameras/cameras.test.ts": 50,
  "test/service/disks/system-disk-full.test.ts": 50,
  "test/service/programs/odd-files.test.ts": 50,
  "test/archive/volume/volume-bounds.test.ts": 45,
  "test/http/http-understood.test.ts": 45,
  "test/image/box-firewall.test.ts": 45,
  "test/box/network/network-names.test.ts": 45,
  "test/owner/file/edited-files.test.ts": 45,
  "test/page/review.test.ts": 45,
  "test/page/wall/wall.test.ts": 45,
  "test/route/rights.test.ts": 45,
  "test/service/cameras/stream-faults.test.ts": 45,
  "test/service/clock-unknown.test.ts": 45,
  "test/service/disks/joined-archive.test.ts": 45,
  "test/service/fleet/reserve.test.ts": 45,
  "test/mqtt/broker-faults.test.ts": 40,
  "test/mqtt/brokers.test.ts": 40,
  "test/owner/system/openapi.test.ts": 40,
  "test/page/comes-back.test.ts": 40,
  "test/page/settings/copy-replace.test.ts": 40,
  "test/page/settings/system.test.ts": 40,
  "test/picture/codec/codec-fuzz.test.ts": 40,
  "test/service/cameras/talk.test.ts": 40,
  "test/service/cameras/video-whole.test.ts": 40,
  "test/away/send/slow-links.test.ts": 35,
  "test/page/every-screen.test.ts": 35,
  "test/service/disks/full-disk.test.ts": 35,
  "test/service/disks/index-lost.test.ts": 35,
  "test/service/programs/live-socket.test.ts": 35,
};

/** Milliseconds for another file that has not run here yet, by its room; a file's size decides among those of a room. */
const GUESSED_MS = {
  ...{
    service: 14_000,
    page: 15_000,
    picture: 12_000,
    lmdb: 12_000,
    update: 9000,
    http: 8000,
    hls: 7000,
    mp4: 6000,
  },
  ...{ archive: 4000, api: 3500 },
};
const GUESSED_MS_OTHERS = 2000;

/** What a file that has not run here yet is taken to need. */
export function guessedMs(file, bytes) {
  if (Object.hasOwn(LONG_SECONDS, file)) return LONG_SECONDS[file] * 1000;
  const room = file.split("/")[1] ?? "";
  return (GUESSED_MS[room] ?? GUESSED_MS_OTHERS) + bytes / 1000;
}

/** Rooms whose files mostly wait: for a service to record, a disk to fail, a machine to start. */
const WAITING_ROOM = /^test\/(?:service|network|systemd)\//;

/** The share of the computing files' time that is left when the last waiting one starts: nothing waits alone at the end. */
const LEFT_SHARE = 0.1;

export function mostlyWaits(file) {
  return WAITING_ROOM.test(file);
}

/** Files of a process of their own first, then those that share one, of which the waiting ones lie among the others. */
export function inOrder(files) {
  const longestFirst = [...files].sort((a, b) => b.durationMs - a.durationMs);
  const shared = longestFirst.filter(({ isOwn }) => !isOwn);
  return [
    ...longestFirst.filter(({ isOwn }) => isOwn),
    ...spread(
      shared.filter(({ waits }) => waits),
      shared.filter(({ waits }) => !waits),
    ),
  ];
}

/** Both in their order, so that of each the same share of its time is over at any moment, of the waiting ones a little more. */
function spread(waiting, computing) {
  const all = { waiting: sumMs(waiting), computing: sumMs(computing) };
  const left = { ...all };
  const isWaitingNext = () =>
    left.waiting / all.waiting >= (left.computing / all.computing - LEFT_SHARE) / (1 - LEFT_SHARE);
  const [waits, computes] = [[...waiting], [...computing]];
  const order = [];
  while (waits.length > 0 && computes.length > 0) {
    const kind = isWaitingNext() ? "waiting" : "computing";
    const next = (kind === "waiting" ? waits : computes).shift();
    left[kind] -= next.durationMs;
    order.push(next);
  }
  return [...order, ...waits, ...computes];
}

function sumMs(files) {
  return files.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

export class LongestFirst extends BaseSequencer {
  async sort(specifications) {
    const { cache, config } = this.ctx;
    const fileOf = ({ moduleId }) => relative(config.root, moduleId);
    const durationMs = (specification) => {
      const file = fileOf(specification);
      const known = cache.getFileTestResults(`${specification.project.name}:${file}`);
      return known?.duration ?? guessedMs(file, statSync(specification.moduleId).size);
    };
    return inOrder(
      specifications.map((specification) => ({
        specification,
        isOwn: specification.project.config.isolate,
        waits: mostlyWaits(fileOf(specification)),
        durationMs: durationMs(specification),
      })),
    ).map(({ specification }) => specification);
  }
}
