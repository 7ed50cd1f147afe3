/**
 * Another suite's or processor's packages by this machine's own APT sources: with state of its own below build/, so that
 * nothing of the machine changes.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Debian's releases that nvrd is packaged for. */
export const SUITES = ["bookworm", "trixie"];
const FETCH_MS_MAX = 600_000;
/** Age at which package lists are read again. */
const LISTS_MS_MAX = 24 * 3600 * 1000;

/**
 * The suite this machine's sources are for. Throws when it is not one of SUITES.
 * @returns {string}
 */
export function hostSuite() {
  const name = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  if (name !== undefined && SUITES.includes(name)) return name;
  throw new Error(`packages are built on Debian ${SUITES.join(" or ")}, not on ${name ?? "this system"}`);
}

/** This machine's sources, for `suite` in place of its own; one text a file, by the file's name. */
export function sourcesFor(suite) {
  const own = hostSuite();
  const folder = "/etc/apt/sources.list.d";
  const files = ["/etc/apt/sources.list"];
  if (existsSync(folder)) files.push(...readdirSync(folder).map((name) => join(folder, name)));
  const texts = new Map();
  for (const file of files.filter((name) => /\.(list|sources)$/.test(name) && existsSync(name))) {
    const text = readFileSync(file, "utf8");
    if (!new RegExp(`\\b${own}\\b`).test(text)) continue;
    texts.set(file.slice(file.lastIndexOf("/") + 1), text.replaceAll(new RegExp(`\\b${own}\\b`, "g"), suite));
  }
  if (texts.size === 0) throw new Error(`/etc/apt names no sources of ${own}`);
  return texts;
}

/** APT of its own for `suite` and `processor`, in `folder`. */
export class Apt {
  #folder;
  #options;

  constructor(folder, { suite, processor }) {
    this.#folder = folder;
    for (const name of ["lists/partial", "archives/partial", "sources"])
      mkdirSync(join(folder, name), { recursive: true });
    for (const [name, text] of sourcesFor(suite)) writeFileSync(join(folder, "sources", name), text);
    writeFileSync(join(folder, "status"), "");
    this.#options = [
      `APT::Architecture=${processor}`,
      `APT::Architectures=${processor}`,
      "Acquire::Retries=3",
      "APT::Sandbox::User=root",
      "Dir::Etc::sourcelist=/dev/null",
      `Dir::Etc::sourceparts=${join(folder, "sources")}`,
      `Dir::State=${folder}`,
      `Dir::State::status=${join(folder, "status")}`,
      `Dir::State::lists=${join(folder, "lists")}`,
      `Dir::Cache=${folder}`,
    ].flatMap((option) => ["-o", option]);
  }

  /** Reads the package lists unless they are recent. */
  update() {
    const stamp = join(this.#folder, "updated");
    if (existsSync(stamp) && Date.now() - statSync(stamp).mtimeMs < LISTS_MS_MAX) return;
    this.#run("apt-get", ["-q", "update"]);
    writeFileSync(stamp, "");
  }

  /** Puts the .deb files of the named packages into the folder; returns their paths. */
  download(names) {
    this.#run("apt-get", ["-q", "download", ...names]);
    const files = readdirSync(this.#folder).filter((name) => name.endsWith(".deb"));
    return names.map((name) => {
      const file = files.find((entry) => entry.startsWith(`${name}_`));
      if (file === undefined) throw new Error(`${name} was not downloaded`);
      return join(this.#folder, file);
    });
  }

  /** Packages that `name` depends on. */
  dependenciesOf(name) {
    const text = this.#run("apt-cache", ["depends", "--no-recommends", "--no-suggests", name]);
    return [...text.matchAll(/^ {2}Depends: ([a-z0-9][a-z0-9+.-]*)$/gm)].map((match) => match[1]);
  }

  #run(command, args) {
    const done = spawnSync(command, [...this.#options, ...args], {
      cwd: this.#folder,
      encoding: "utf8",
      timeout: FETCH_MS_MAX,
      maxBuffer: 1e8,
      env: { ...process.env, LC_ALL: "C" },
    });
    if (done.status === 0) return done.stdout;
    throw new Error(`${command} ${args.join(" ")}: ${done.stderr || done.error?.message || "ended early"}`);
  }
}
