import { createSocket } from "node:dgram";
import { type Clock, errorText, NvrdError, startProgram } from "../../base/index.js";

const ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };
const TOOL_MS_MAX = 30_000;
const PRINTED_BYTES_MAX = 64 * 1024;
const REASON_LENGTH_MAX = 300;
/** RFC 5227 sends three probes. */
const PROBES = 3;
const NEIGHBOUR_LOOKS = 16;
const NEIGHBOUR_LOOK_MS = 250;
/** Nobody listens there (RFC 863): the datagram only makes the kernel look for the neighbour. */
const DISCARD_PORT = 9;
const PROBE_LINK = "nvrd-probe";
const BACK_UNIT = "nvrd-network-back";

/** What the keeper does with the machine. Each rejects with an NvrdError. */
export interface NetworkTools {
  /** Whether another machine on the interface's network has the address. */
  isAnswered(link: string, address: string): Promise<boolean>;
  /** Runs `work` with the name of a link in a VLAN, which goes afterwards. Rejects with NOT_SUPPORTED where there are none. */
  inVlan<T>(parent: string, id: number, work: (link: string) => Promise<T>): Promise<T>;
  /**
   * Has networkd read its files again: it configures those interfaces anew whose files have changed. Not twice: a second time
   * drops the lease that the first one has just got, and networkd 252 then may ask for none again.
   */
  apply(): Promise<void>;
  /** Starts the time after which the trial ends, whatever becomes of this program and of the service. */
  startDeadline(): Promise<void>;
  stopDeadline(): Promise<void>;
  /** Ends the trial now, as the deadline does. */
  goBack(): Promise<void>;
  /** It reads what it is to announce when it starts. Nothing if it does not run. */
  restartResolved(): Promise<void>;
  setName(name: string): Promise<void>;
  setTimeZone(zone: string): Promise<void>;
}

interface Finished {
  readonly status: number;
  readonly text: string;
}

/** The machine's own tools: systemd, iproute2 and arping. */
export class SystemNetworkTools implements NetworkTools {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async isAnswered(link: string, address: string): Promise<boolean> {
    return address.includes(":")
      ? await this.#isNeighbour(link, address)
      : await this.#isProbed(link, address);
  }

  /** A probe has no sender, so no machine notes anything about this one (RFC 5227, 2.1.1). */
  async #isProbed(link: string, address: string): Promise<boolean> {
    const count = String(PROBES);
    const { status, text } = await this.#run("arping", [
      "-D",
      "-q",
      "-c",
      count,
      "-w",
      count,
      "-I",
      link,
      address,
    ]);
    if (status === 0 || status === 1) return status === 1;
    throw failed("arping", status, text);
  }

  /** The kernel asks for the neighbour when something is sent to it (RFC 4861). */
  async #isNeighbour(link: string, address: string): Promise<boolean> {
    const isOnLink = address.startsWith("fe80:");
    const route = [`${address}/128`, "dev", link];
    if (!isOnLink) await this.#done("ip", ["-6", "route", "replace", ...route]);
    try {
      await this.#run("ip", ["-6", "neigh", "del", address, "dev", link]);
      await sendNothing(isOnLink ? `${address}%${link}` : address);
      for (let look = 0; look < NEIGHBOUR_LOOKS; look++) {
        await this.#pause();
        const { text } = await this.#run("ip", ["-6", "neigh", "show", address, "dev", link]);
        if (text.includes("lladdr")) return true;
        if (text.includes("FAILED")) return false;
      }
      return false;
    } finally {
      if (!isOnLink) await this.#run("ip", ["-6", "route", "del", ...route]);
    }
  }

  async inVlan<T>(parent: string, id: number, work: (link: string) => Promise<T>): Promise<T> {
    await this.#run("ip", ["link", "del", PROBE_LINK]);
    const made = ["link", "add", "link", parent, "name", PROBE_LINK, "type", "vlan", "id", String(id)];
    const { status } = await this.#run("ip", made);
    if (status !== 0)
      throw new NvrdError("NOT_SUPPORTED", `no VLAN can be made on ${parent}: the kernel has none (8021q)`, {
        hint: "use a port of the switch that is in the VLAN untagged",
      });
    try {
      await this.#done("ip", ["link", "set", PROBE_LINK, "up"]);
      return await work(PROBE_LINK);
    } finally {
      await this.#run("ip", ["link", "del", PROBE_LINK]);
    }
  }

  async apply(): Promise<void> {
    await this.#done("networkctl", ["reload"]);
  }

  async startDeadline(): Promise<void> {
    await this.#done("systemctl", ["restart", `${BACK_UNIT}.timer`]);
  }

  async stopDeadline(): Promise<void> {
    await this.#done("systemctl", ["stop", `${BACK_UNIT}.timer`]);
  }

  async goBack(): Promise<void> {
    await this.#done("systemctl", ["start", `${BACK_UNIT}.service`]);
  }

  async restartResolved(): Promise<void> {
    await this.#done("systemctl", ["try-restart", "systemd-resolved.service"]);
  }

  async setName(name: string): Promise<void> {
    await this.#done("hostnamectl", ["set-hostname", name]);
  }

  async setTimeZone(zone: string): Promise<void> {
    await this.#done("timedatectl", ["set-timezone", zone]);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimeout(resolve, NEIGHBOUR_LOOK_MS));
  }

  async #done(tool: string, args: readonly string[]): Promise<void> {
    const { status, text } = await this.#run(tool, args);
    if (status !== 0) throw failed(tool, status, text);
  }

  #run(tool: string, args: readonly string[]): Promise<Finished> {
    return new Promise((resolve, reject) => {
      const child = startProgram(tool, args, { stdio: ["ignore", "pipe", "pipe"], env: ENVIRONMENT });
      const timer = this.#clock.setTimeout(() => child.kill("SIGKILL"), TOOL_MS_MAX);
      let text = "";
      const take = (chunk: string): void => {
        text = (text + chunk).slice(0, PRINTED_BYTES_MAX);
      };
      child.stdout.setEncoding("utf8").on("data", take);
      child.stderr.setEncoding("utf8").on("data", take);
      child.once("error", (error) => {
        timer.clear();
        reject(
          new NvrdError("NOT_AVAILABLE", `${tool} does not run: ${errorText(error)}`, {
            hint: hintFor(tool),
          }),
        );
      });
      child.once("close", (status) => {
        timer.clear();
        resolve({ status: status ?? -1, text });
      });
    });
  }
}

/** Sends an empty datagram. An error means that there is no such neighbour, which the kernel's table says as well. */
function sendNothing(address: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = createSocket("udp6");
    socket.once("error", () => resolve());
    socket.send("", DISCARD_PORT, address, () => {
      socket.close();
      resolve();
    });
  });
}

function hintFor(tool: string): string {
  return tool === "arping" ? "apt-get install iputils-arping" : "see the log of nvrd-network-keeper";
}

function failed(tool: string, status: number, text: string): NvrdError {
  const said = text.trim().slice(0, REASON_LENGTH_MAX);
  return new NvrdError(
    "NOT_AVAILABLE",
    `${tool} failed with status ${status}${said === "" ? "" : `: ${said}`}`,
    {
      hint: hintFor(tool),
    },
  );
}
