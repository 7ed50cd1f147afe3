/** What the image consists of, as CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/). */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The installed packages of dpkg's status file: name, version, architecture, source. */
export function debianPackages(status) {
  return status
    .split("\n\n")
    .map((stanza) => {
      const field = (name) => new RegExp(`^${name}: (.*)$`, "m").exec(stanza)?.[1];
      return {
        name: field("Package"),
        version: field("Version"),
        architecture: field("Architecture"),
        source: field("Source")?.split(" ")[0],
        installed: / installed$/.test(field("Status") ?? ""),
      };
    })
    .filter(({ name, installed }) => name !== undefined && installed);
}

/** Name, version and licence of each npm package below `folder` (a node_modules). */
export function npmPackages(folder) {
  if (!existsSync(folder)) return [];
  const found = [];
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of entries.filter((entry) => !entry.name.startsWith("."))) {
    const place = join(folder, name);
    if (name.startsWith("@")) {
      found.push(...npmPackages(place));
      continue;
    }
    const file = join(place, "package.json");
    if (existsSync(file)) {
      const { name: full, version, license } = JSON.parse(readFileSync(file, "utf8"));
      if (typeof full === "string" && typeof version === "string")
        found.push({ name: full, version, license });
    }
    found.push(...npmPackages(join(place, "node_modules")));
  }
  return found;
}

/** The whole document. The same packages at the same time give the same bytes. */
export function bomOf({ version, compatible, suite, epoch, debian, npm }) {
  const components = [...debian.map((entry) => debianComponent(entry, suite)), ...npm.map(npmComponent)];
  const sorted = [...new Map(components.map((entry) => [entry["bom-ref"], entry])).values()].sort(
    (one, other) => (one["bom-ref"] < other["bom-ref"] ? -1 : 1),
  );
  const digest = createHash("sha256")
    .update(JSON.stringify([version, compatible, sorted]))
    .digest("hex");
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    serialNumber: `urn:uuid:${uuidOf(digest)}`,
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: { type: "firmware", name: compatible, version, "bom-ref": `${compatible}@${version}` },
    },
    components: sorted,
  };
}

/** A UUID (RFC 9562, version 8: vendor's own) of 32 hexadecimal digits and more. */
export function uuidOf(hex) {
  const digits = `${hex.slice(0, 12)}8${hex.slice(13, 16)}8${hex.slice(17, 32)}`;
  return digits.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}

function debianComponent({ name, version, architecture, source }, suite) {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=${suite}`;
  const properties = source === undefined ? {} : { properties: [{ name: "debian:source", value: source }] };
  return { type: "library", "bom-ref": purl, name, version, purl, ...properties };
}

function npmComponent({ name, version, license }) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const licenses = typeof license === "string" ? { licenses: [{ expression: license }] } : {};
  return { type: "library", "bom-ref": purl, name, version, purl, ...licenses };
}
