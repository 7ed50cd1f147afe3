import { expect } from "vitest";
import { freePorts } from "./background-process.js";
import { Service } from "./service.js";

interface Placement {
  readonly name: string;
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

interface Placed extends Placement {
  readonly ports: Readonly<Record<string, number>>;
  readonly httpPort: number;
}

/** A recorder that comes back at the ports that it had. */
export class PartnerRecorder {
  readonly #options: Placement & {
    readonly ports: Readonly<Record<string, number>>;
    readonly httpPort: number;
  };
  service: Service;

  private constructor(options: Placed, service: Service) {
    this.#options = options;
    this.service = service;
  }

  static async start(options: Placement): Promise<PartnerRecorder> {
    const [partnerPort = 0, replicaPort = 0, httpPort = 0] = await freePorts(3);
    const all = { ...options, ports: { partnerPort, replicaPort }, httpPort };
    return new PartnerRecorder(all, await launched(all));
  }

  async again(settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
    this.service = await launched({ ...this.#options, settings: { ...this.#options.settings, ...settings } });
  }

  async id(): Promise<string> {
    const { SenderId } = await this.service.json<{ SenderId: string }>("/configex?responsetype=json");
    return SenderId;
  }
}

async function launched({ dataDir, settings, ports, httpPort }: Placed): Promise<Service> {
  return await Service.start({ dataDir, httpPort, settings: { ...settings, ...ports } });
}

interface Listed {
  readonly Partners: readonly { readonly IsConnected: boolean }[];
}

export async function makePartners(one: PartnerRecorder, other: PartnerRecorder): Promise<void> {
  const { Code } = await one.service.json<{ Code: string }>("/api/fleet/partners/code", { method: "POST" });
  await other.service.json("/api/fleet/partners", { method: "POST", body: { Code } });
  const connected = async ({ service }: PartnerRecorder): Promise<readonly boolean[]> =>
    (await service.json<Listed>("/api/fleet/partners")).Partners.map(({ IsConnected }) => IsConnected);
  for (const each of [one, other]) await expect.poll(() => connected(each)).toEqual([true]);
}
