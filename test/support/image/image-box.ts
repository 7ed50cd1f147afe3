import { found, Lan, LEASED } from "../network/lan.js";
import type { TrialBox } from "../network/network-changes.js";
import { ROOT_PASSWORD } from "../service/service.js";
import { ImageMachine } from "./image-machine.js";

/** Beside other work an emulated box starts in ten minutes. */
const START_TIMEOUT_MS = 1_500_000;
/** Behind an order of the network are the start of a process of Node and probes. */
const ANSWER_SECONDS = 90;
const TAP = "tap0";
/** What follows from the hardware address of the emulator's first card, and stays whatever the settings are. */
const LINK_LOCAL = "fe80::5054:ff:fe12:3456%lan0";
/** The unit's own. */
const TRIAL_SECONDS = 90;

/** A box with the image in an emulator, plugged into a switch with a router and a DHCP server. */
export class ImageBox implements TrialBox {
  readonly lan: Lan;
  readonly interface: string;
  readonly #machine: ImageMachine;
  #trialSeconds = TRIAL_SECONDS;

  private constructor(lan: Lan, machine: ImageMachine, name: string) {
    this.lan = lan;
    this.#machine = machine;
    this.interface = name;
  }

  /** Why there can be none here; undefined where it works. */
  static missing(): string | undefined {
    return Lan.missing() ?? ImageMachine.missing();
  }

  /** A box at its first start, with root's password of the tests and a key for a shell. */
  static async start(directory: string): Promise<ImageBox> {
    const namespace = `nvlan${`${process.pid}`.slice(-6)}`;
    const lan = Lan.start(namespace, switchScript(namespace), ANSWER_SECONDS);
    const machine = ImageMachine.make(directory, { namespace, tap: TAP, shellAddress: LINK_LOCAL });
    try {
      machine.putFile("authorized_keys", machine.publicKey);
      await machine.start();
      const [, first] = await machine.process.waitFor(/nvrd: Password: +(\S+)/, START_TIMEOUT_MS);
      await found(
        "root's password",
        async () => {
          const body = { Password: ROOT_PASSWORD };
          const { status } = await lan.ask(LINK_LOCAL, "PUT", "/api/password", { body, password: first });
          return status === 200 ? true : undefined;
        },
        START_TIMEOUT_MS,
      );
      const [port] = await ports(lan);
      if (port === undefined) throw new Error("the box has no port");
      console.info(`the box answers ${machine.secondsOn.toFixed(0)} s after its first start`);
      return new ImageBox(lan, machine, port.Name);
    } catch (error) {
      if (machine.isOn) await machine.cut();
      await lan.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.#machine.isOn) await this.#machine.cut();
    await this.lan.stop();
  }

  async powerOff(): Promise<void> {
    await this.#machine.cut();
  }

  async powerOn(): Promise<void> {
    this.#trialSeconds = TRIAL_SECONDS;
    await this.#machine.start();
    const isThere = async () => ((await this.lan.isReached(LINK_LOCAL)) ? true : undefined);
    try {
      await found("the box", isThere, START_TIMEOUT_MS);
    } catch (error) {
      throw new Error(`the console:\n${this.#machine.console.slice(-8000)}`, { cause: error });
    }
  }

  async shell(command: string): Promise<string> {
    return await this.#machine.shell(`${command}\ntrue`, START_TIMEOUT_MS);
  }

  async setCable(isPlugged: boolean): Promise<void> {
    await this.#machine.setCable(isPlugged);
  }

  /** Until the next start. */
  async setTrialSeconds(seconds: number): Promise<void> {
    if (seconds === this.#trialSeconds) return;
    const folder = "/run/systemd/system/nvrd-network-back.timer.d";
    await this.shell(
      `mkdir -p ${folder}; printf '[Timer]\\nOnActiveSec=\\nOnActiveSec=${seconds}s\\n' >${folder}/test.conf; systemctl daemon-reload`,
    );
    this.#trialSeconds = seconds;
  }

  async leased(): Promise<string> {
    return await found(
      "an address of the DHCP server",
      async () => {
        const all = (await ports(this.lan)).flatMap(({ Addresses }) => Addresses);
        return all.map(({ Address }) => Address.split("/")[0] ?? "").find((address) => LEASED.test(address));
      },
      START_TIMEOUT_MS,
    );
  }

  async networkJournal(): Promise<string> {
    const units = "-u systemd-networkd -u nvrd-network-back -u 'nvrd-network-keeper*' -u nvrd";
    return await this.shell(
      `ip address; head -50 /run/nvrd-network/* /run/systemd/network/*; journalctl -b --no-pager -n 90 ${units}`,
    );
  }
}

interface Port {
  readonly Name: string;
  readonly Addresses: readonly { readonly Address: string }[];
}

/** Of the box, as it says over its link-local address; none while it does not answer. */
async function ports(lan: Lan): Promise<readonly Port[]> {
  const { json } = await lan.ask(LINK_LOCAL, "GET", "/api/network");
  return (json.Interfaces ?? []) as readonly Port[];
}

/** A switch with the router at one of its ports and the box at another; its link stays when the box is off. */
function switchScript(namespace: string): string {
  return `ip netns exec ${namespace} sh -ec '
    ip link add lan0 type bridge mcast_snooping 0
    ip link add other0 type veth peer name other1
    ip tuntap add ${TAP} mode tap
    for port in other0 ${TAP}; do ip link set $port master lan0 up; done
    ip link set other1 up'`;
}
