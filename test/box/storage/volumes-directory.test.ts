import { beforeEach, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { MOUNTS_LOOK_MS, VolumesDirectory, volumeMounts } from "../../../src/box/storage/index.js";
import { ManualClock } from "../../support/base/manual-clock.js";

let mounted: string[];
let added: string[];
let seen: (readonly string[])[];
let clock: ManualClock;
let watch: VolumesDirectory;

function table(): string {
  return mounted.map((point, index) => `${index} 1 8:${index} / ${point} rw - ext4 /dev/sd rw\n`).join("");
}

beforeEach(() => {
  mounted = ["/", "/srv/nvrd-known"];
  added = [];
  seen = [];
  clock = new ManualClock();
  watch = new VolumesDirectory({
    directory: "/srv",
    known: ["/srv/nvrd-known"],
    mountTable: table,
    add: async (point) => void added.push(point),
    seen: async (points) => void seen.push(points),
    clock,
    log: createLog({ level: "silent" }),
  });
});

it("of the mounts those directly below the directory count whose names begin with nvrd-", () => {
  mounted = [
    "/srv/nvrd-b",
    "/srv/nvrd-a",
    "/srv/nvrd-a",
    "/srv/other",
    "/srv/x/nvrd-c",
    "/nvrd-d",
    "/srv/nvrd-",
  ];
  expect(volumeMounts("/srv/", table())).toEqual(["/srv/nvrd-a", "/srv/nvrd-b"]);
  mounted = ["/srv/nvrd-a\\040b", "/srv/nvrd-\\134"];
  expect(volumeMounts("/srv", table())).toEqual([]);
});

it("a disk that is mounted later is added once", async () => {
  watch.start();
  mounted.push("/srv/nvrd-new");
  clock.advance(MOUNTS_LOOK_MS);
  clock.advance(MOUNTS_LOOK_MS);
  await watch.look();
  expect(added).toEqual(["/srv/nvrd-new"]);
  watch.stop();
});

it("one that was given up stays out until it is mounted again, or adopted", async () => {
  watch.forget("/srv/nvrd-known");
  await watch.look();
  expect(added).toEqual([]);
  await watch.readmit("/srv/nvrd-known");
  expect(added).toEqual(["/srv/nvrd-known"]);
  watch.forget("/srv/nvrd-known");
  mounted = ["/"];
  await watch.look();
  mounted.push("/srv/nvrd-known");
  await watch.look();
  expect(added).toEqual(["/srv/nvrd-known", "/srv/nvrd-known"]);
});

it("tells at each look what is mounted, before a disk is added", async () => {
  mounted = ["/", "/srv/other"];
  await watch.look();
  mounted.push("/srv/nvrd-new");
  await watch.look();
  expect(seen).toEqual([[], ["/srv/nvrd-new"]]);
});

it("a table that cannot be read costs a look, not the watch", async () => {
  const failing = new VolumesDirectory({
    directory: "/srv",
    known: [],
    mountTable: () => {
      if (mounted.length === 0) throw new Error("EIO");
      return table();
    },
    add: async (point) => void added.push(point),
    seen: async () => undefined,
    clock,
    log: createLog({ level: "silent" }),
  });
  mounted = [];
  await failing.look();
  mounted = ["/srv/nvrd-new"];
  await failing.look();
  expect(added).toEqual(["/srv/nvrd-new"]);
});
