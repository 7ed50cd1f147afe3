/** The image itself: a GPT disk in a file, without loop devices. */
import { createHash } from "node:crypto";
import { rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf, run } from "./run.mjs";
import { uuidOf } from "./sbom.mjs";

const MIB = 1024 * 1024;
const BLOCK_BYTES = 512;
/** The first MiB holds the table, the last one its copy. */
const START_MIB = 1;
const END_MIB = 1;
/** UEFI specification 2.10, 5.3.3; https://uapi-group.org/specifications/specs/discoverable_partitions_specification/ */
const TYPES = {
  esp: "C12A7328-F81F-11D2-BA4B-00A0C93EC93B",
  rootArm64: "B921B045-1DF0-41C3-AF44-4C6F280D3FAE",
  linux: "0FC63DAF-8483-4772-8E79-3D69D8477DE4",
};

/** The contract of docs/design/image.md. */
export const PARTITIONS = [
  { label: "esp", mib: 512, type: TYPES.esp },
  { label: "nvrd-a", mib: 1024, type: TYPES.rootArm64 },
  { label: "nvrd-b", mib: 1024, type: TYPES.rootArm64 },
  { label: "nvrd-data", mib: 256, type: TYPES.linux },
];

/** An id that is the same for the same image, and another for each use. */
export function idFor(seed, use) {
  return uuidOf(createHash("sha256").update(`${seed}\0${use}`).digest("hex"));
}

/** The data partition, empty. Its structures are sized for the terabytes it grows to at the first boot. */
export function makeDataPartition({ file, seed, epoch, folder }) {
  const { mib } = PARTITIONS.find(({ label }) => label === "nvrd-data");
  rmSync(file, { force: true });
  writeFileSync(file, "");
  truncateSync(file, mib * MIB);
  const options = [
    ...[
      "-F",
      "-q",
      "-L",
      "nvrd-data",
      "-U",
      idFor(seed, "data"),
      "-b",
      "4096",
      "-i",
      "16384",
      "-m",
      "1",
      "-J",
      "size=64",
    ],
    ...["-O", "64bit,meta_bg,metadata_csum,^resize_inode"],
    // The time zone is fixed here; the time comes from E2FSPROGS_FAKE_TIME, libext2fs' clock.
    ...["-E", `hash_seed=${idFor(seed, "hash")},lazy_itable_init=0,lazy_journal_init=0,nodiscard`],
  ];
  run("mkfs.ext4", [...options, "-d", folder, file], { env: { E2FSPROGS_FAKE_TIME: `${epoch}` } });
}

/** Writes the disk `file` with the given contents, by label; a partition without contents stays empty. */
export function makeDisk({ file, seed, contents }) {
  const megabytes = PARTITIONS.reduce((sum, { mib }) => sum + mib, START_MIB + END_MIB);
  rmSync(file, { force: true });
  writeFileSync(file, "");
  truncateSync(file, megabytes * MIB);
  let start = START_MIB;
  const rows = PARTITIONS.map(({ label, mib, type }) => {
    const row = { label, start, mib, type };
    start += mib;
    return row;
  });
  const table = [
    "label: gpt",
    `label-id: ${idFor(seed, "disk")}`,
    "unit: sectors",
    ...rows.map(
      (row) =>
        `start=${(row.start * MIB) / BLOCK_BYTES}, size=${(row.mib * MIB) / BLOCK_BYTES}, type=${row.type}, ` +
        `uuid=${idFor(seed, row.label)}, name="${row.label}"`,
    ),
  ];
  outputOf("sfdisk", ["--quiet", "--no-reread", "--no-tell-kernel", file], {
    input: `${table.join("\n")}\n`,
  });
  for (const row of rows) {
    const from = contents[row.label];
    if (from === undefined) continue;
    const { size } = statSync(from);
    if (size > row.mib * MIB)
      throw new Error(`${from} has ${size} bytes, more than ${row.label} with ${row.mib} MiB`);
    run("dd", [
      `if=${from}`,
      `of=${file}`,
      "bs=1M",
      `seek=${row.start}`,
      "conv=notrunc,sparse",
      "status=none",
    ]);
  }
}

/** Where a partition lies in the disk, in bytes. */
export function partitionPlace(label) {
  let start = START_MIB;
  for (const { label: name, mib } of PARTITIONS) {
    if (name === label) return { offset: start * MIB, bytes: mib * MIB };
    start += mib;
  }
  throw new Error(`the image has no partition ${label}`);
}

/** The short number of a FAT file system. */
export function volumeIdFor(seed) {
  return createHash("sha256").update(`${seed}\0fat`).digest("hex").slice(0, 8);
}

/** The parts of the disk, in `folder`. */
export function partFiles(folder) {
  return { esp: join(folder, "esp.vfat"), data: join(folder, "data.ext4") };
}
