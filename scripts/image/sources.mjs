/** The Debian sources of this machine, for another suite: the image comes from the servers that the machine itself installs from. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/**
 * Lines for APT: those of `etcApt` that are Debian's own release, with `suite` in place of this machine's and the given
 * components. Throws when there are none.
 */
export function sourceLines(suite, components, etcApt = "/etc/apt", osRelease = "/etc/os-release") {
  const own = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync(osRelease, "utf8"))?.[1] ?? "";
  const wanted = new Map(["", "-updates", "-security"].map((part) => [`${own}${part}`, `${suite}${part}`]));
  const lines = new Set();
  for (const { uri, suites } of entries(etcApt)) {
    for (const name of suites.filter((entry) => wanted.has(entry)))
      lines.add(`deb [signed-by=${KEYRING}] ${uri} ${wanted.get(name)} ${components.join(" ")}`);
  }
  if (lines.size > 0) return [...lines];
  throw new Error(`${etcApt} names no Debian sources of ${own || "this system"}; the image needs them`);
}

function entries(etcApt) {
  const folder = join(etcApt, "sources.list.d");
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [join(etcApt, "sources.list"), ...files]
    .filter((file) => existsSync(file))
    .flatMap((file) => {
      const text = readFileSync(file, "utf8").replace(/^#.*\n?/gm, "");
      if (file.endsWith(".sources")) return text.split(/\n\s*\n/).flatMap(stanzaEntries);
      return file.endsWith(".list") ? text.split("\n").flatMap(lineEntries) : [];
    });
}

/** sources.list(5), deb822 style. */
function stanzaEntries(stanza) {
  const field = (name) => new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(stanza)?.[1].split(/\s+/) ?? [];
  if (!field("Types").includes("deb") || field("Enabled")[0] === "no") return [];
  return field("URIs").map((uri) => ({ uri, suites: field("Suites") }));
}

/** sources.list(5), one line style. */
function lineEntries(line) {
  const match = /^deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)/.exec(line.trim());
  return match === null ? [] : [{ uri: match[1], suites: [match[2]] }];
}
