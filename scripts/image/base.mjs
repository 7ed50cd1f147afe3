/** The Debian system that the image stands on, as a tar file, made by mmdebstrap. */
import { createHash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { outputOf, run } from "./run.mjs";
import { sourceLines } from "./sources.mjs";

/** A base is reused for this long, so that two images of a day differ only in our own changes. */
const BASE_MS_MAX = 24 * 3600 * 1000;
/** Without documentation, with licences. */
const DPKG_OPTIONS = [
  "path-exclude=/usr/share/man/*",
  "path-exclude=/usr/share/locale/*",
  "path-exclude=/usr/share/info/*",
  "path-exclude=/usr/share/lintian/*",
  "path-exclude=/usr/share/doc/*",
  "path-include=/usr/share/doc/*/copyright",
];

/** Names of Debian packages that `file` (.deb) depends on, the first of each choice. */
export function dependenciesOf(file) {
  const text = outputOf("dpkg-deb", ["-f", file, "Depends"]).trim();
  return text === ""
    ? []
    : text.split(",").map(
        (entry) =>
          entry
            .split("|")[0]
            .trim()
            .split(/[\s(:]/, 1)[0],
      );
}

/**
 * The tar file of a base with `packages`; made when there is no fresh one, or when `fresh` is set.
 * Emulated: it takes some six minutes and more.
 */
export function makeBase({ folder, suite, packages, components, epoch, fresh }) {
  const lines = sourceLines(suite, ["main", ...components]);
  const names = [...new Set(packages)].sort();
  const key = createHash("sha256")
    .update(JSON.stringify([lines, names, DPKG_OPTIONS, epoch]))
    .digest("hex")
    .slice(0, 16);
  const file = join(folder, `base-${suite}-${key}.tar`);
  const made = statSync(file, { throwIfNoEntry: false });
  if (made !== undefined && !fresh && Date.now() - made.mtimeMs < BASE_MS_MAX) return file;
  mkdirSync(dirname(file), { recursive: true });
  const list = join(folder, `base-${key}.list`);
  writeFileSync(list, `${lines.join("\n")}\n`);
  const unfinished = `${file}.unfinished`;
  rmSync(unfinished, { force: true });
  run(
    "mmdebstrap",
    [
      ...["--mode=auto", "--architectures=arm64", "--variant=minbase", "--format=tar"],
      `--include=${names.join(",")}`,
      ...DPKG_OPTIONS.map((option) => `--dpkgopt=${option}`),
      '--aptopt=Acquire::Retries "3"',
      ...[suite, unfinished, list],
    ],
    // The first root is made beside: mkinitramfs takes long when it is emulated.
    { env: { INITRD: "No", SOURCE_DATE_EPOCH: `${epoch}` } },
  );
  rmSync(list);
  renameSync(unfinished, file);
  return file;
}
