/** Programs of another processor on this machine: the image's Debian is set up by its own, which QEMU runs. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const FORMATS = "/proc/sys/fs/binfmt_misc";
const MOUNT = ["mount", "-t", "binfmt_misc", "binfmt_misc", FORMATS];

const system = {
  isRoot: () => process.getuid?.() === 0,
  isMounted: () => existsSync(`${FORMATS}/register`),
  /** @param {readonly string[]} command */
  succeeds: ([program, ...args]) => spawnSync(program, args, { stdio: "ignore" }).status === 0,
};

/**
 * Makes the kernel start programs of `architecture` (Debian's name), as the packages do where systemd runs them. Throws where that
 * takes somebody else, with the commands.
 */
export function startForeignPrograms(architecture, machine, { isRoot, isMounted, succeeds } = system) {
  const isThere = () => succeeds(["arch-test", architecture]);
  const enable = ["update-binfmts", "--enable", `qemu-${machine}`];
  if (isThere()) return;
  if (isRoot()) {
    if (!isMounted()) succeeds(MOUNT);
    succeeds(enable);
    if (isThere()) return;
  }
  throw new Error(
    `programs for ${architecture} do not run here, which its Debian takes; as root: ${MOUNT.join(" ")}; ${enable.join(" ")}`,
  );
}
