import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { kill, pid } from "node:process";
import { BackgroundProcess } from "../service/background-process.js";
import { pause } from "../service/service.js";
import { ownControlGroup, removeControlGroup } from "./control-group.js";
import { debianMissing, debianTree } from "./systemd-debian.js";
import { type CommandResult, SystemdHost } from "./systemd-host.js";

const START_TIMEOUT_MS = 120_000;
const COMMAND_TIMEOUT_MS = 300_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
const NAMESPACES = ["-m", "-u", "-i", "-n", "-p", "-C"];
const ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", DEBIAN_FRONTEND: "noninteractive" };

/** A Debian under its own systemd in a container: on this machine's kernel, so as fast as this machine. */
export class SystemdContainer extends SystemdHost {
  static #count = 0;
  readonly #process: BackgroundProcess;
  readonly #pid: number;
  readonly #group: string;

  private constructor(
    process: BackgroundProcess,
    { pid, group }: { readonly pid: number; readonly group: string },
  ) {
    super();
    this.#process = process;
    this.#pid = pid;
    this.#group = group;
  }

  /** Why there can be none here; undefined where it works. */
  static missing(): string | undefined {
    if (spawnSync("which", ["systemd-nspawn"]).status !== 0) return "systemd-container is not installed";
    return debianMissing() ?? mountsMissing();
  }

  /** Starts one in `directory`, with the .deb files at /packages and no network but its own loopback. */
  static async start(
    directory: string,
    { suite, packages }: { readonly suite: string; readonly packages: readonly string[] },
  ): Promise<SystemdContainer> {
    const lower = debianTree(suite, packages);
    for (const name of ["upper/packages", "work", "root"])
      mkdirSync(join(directory, name), { recursive: true });
    for (const file of packages) copyFileSync(file, join(directory, "upper/packages", basename(file)));
    // The overlay is mounted in a namespace of its own: it goes when the container does.
    const options = `lowerdir=${lower},upperdir=${directory}/upper,workdir=${directory}/work`;
    const flags = "--quiet --register=no --keep-unit --private-network --capability=all --link-journal=no";
    const group = `nvsystem${pid}-${SystemdContainer.#count++}`;
    const script = `${ownControlGroup(group)}; mount -t overlay overlay -o ${options} ${directory}/root && exec systemd-nspawn ${flags} -D ${directory}/root -b`;
    const process = new BackgroundProcess("unshare", ["-m", "bash", "-c", script], {
      env: { SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1" },
    });
    try {
      const container = new SystemdContainer(process, { pid: await initOf(process), group });
      await container.until("systemctl is-system-running", (state) => /running|degraded/.test(state));
      return container;
    } catch (error) {
      await process.stop("SIGKILL");
      throw error;
    }
  }

  async shell(command: string): Promise<CommandResult> {
    const target = ["-t", String(this.#pid), ...NAMESPACES, "bash", "-c", command];
    const child = spawn("nsenter", target, { stdio: ["ignore", "pipe", "pipe"], env: ENVIRONMENT });
    let output = "";
    const take = (text: string) => {
      output = (output + text).slice(-OUTPUT_BYTES_MAX);
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new Error(`${command}: no answer in time: ${output}`));
      }, COMMAND_TIMEOUT_MS);
      child.once("error", reject);
      child.once("close", (code) => {
        clearTimeout(timer);
        resolve({ status: code ?? -1, output: output.trimEnd() });
      });
    });
  }

  /** The end of its first process is the end of all of its processes; of systemd-nspawn alone they would go on. */
  async stop(): Promise<void> {
    kill(this.#pid, "SIGKILL");
    await this.#process.stop("SIGKILL");
    removeControlGroup(this.#group);
  }
}

/** Root of a container that may not mount cannot hold one of its own. */
function mountsMissing(): string | undefined {
  const tried = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "nvrd-test", "/mnt"]);
  return tried.status === 0 ? undefined : "nothing can be mounted";
}

/** The container's first process as this machine sees it. */
async function initOf(process: BackgroundProcess): Promise<number> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  const children = `/proc/${process.pid}/task/${process.pid}/children`;
  for (;;) {
    const [first] = existsSync(children) ? readFileSync(children, "utf8").trim().split(" ") : [];
    const isInit = first !== undefined && first !== "" && isSystemd(first);
    if (isInit) return Number(first);
    if (process.exit !== undefined || performance.now() > deadline)
      throw process.failure("the container does not start");
    await pause(100);
  }
}

function isSystemd(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "systemd";
  } catch {
    return false; // it is gone again: a helper of the start
  }
}
