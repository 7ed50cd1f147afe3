import { describe, expect, it } from "vitest";
import { startForeignPrograms } from "../../scripts/image/foreign-programs.mjs";

const MOUNT = "mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc";
const ENABLE = "update-binfmts --enable qemu-aarch64";

/** A machine whose kernel starts arm64 programs after these commands. */
function machine({ isRoot = true, isMounted = false, takes = [MOUNT, ENABLE] } = {}) {
  const done: string[] = [];
  const succeeds = (command: readonly string[]) => {
    const line = command.join(" ");
    if (line === "arch-test arm64") return takes.every((each) => done.includes(each));
    done.push(line);
    return true;
  };
  return { done, system: { isRoot: () => isRoot, isMounted: () => isMounted, succeeds } };
}

describe("programs of another processor", () => {
  it.each([
    ["are left alone where they run", { takes: [] }, []],
    ["are enabled where the kernel's formats are mounted", { isMounted: true, takes: [ENABLE] }, [ENABLE]],
    ["are enabled after the kernel's formats are mounted", {}, [MOUNT, ENABLE]],
  ])("%s", (_, options, wanted) => {
    const { done, system } = machine(options);
    startForeignPrograms("arm64", "aarch64", system);
    expect(done).toEqual(wanted);
  });

  it.each([
    ["who is not root", { isRoot: false }],
    ["where it does not help", { takes: ["another kernel"] }],
  ])("are refused with the commands, %s", (_, options) => {
    const { system } = machine(options);
    expect(() => startForeignPrograms("arm64", "aarch64", system)).toThrow(`as root: ${MOUNT}; ${ENABLE}`);
  });
});
