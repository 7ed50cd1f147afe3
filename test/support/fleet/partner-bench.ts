import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { Guid } from "../../../src/base/index.js";
import { Partners, type PartnersOptions } from "../../../src/fleet/partner/partners.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { until } from "../base/until.js";
import { freePorts } from "../service/background-process.js";
import { silentLog } from "../site/site-samples.js";
import { ShiftedClock } from "./fleet-bench.js";

/** One recorder with its partners. */
export interface Box {
  readonly id: Guid;
  readonly partners: Partners;
}

/** Recorders at this machine that may become partners. */
export class PartnerBench {
  readonly clock = new ShiftedClock();
  readonly #directory = new TemporaryDirectory("nvrd-partners");
  readonly #boxes: Box[] = [];
  /** The port of each name, over a restart. */
  readonly #ports = new Map<string, number>();

  static async start(): Promise<PartnerBench> {
    return new PartnerBench();
  }

  /** A box that is started; `name` again: it is started anew, in the same folder. */
  async box(name: string, options: Partial<PartnersOptions> & { readonly id?: Guid } = {}): Promise<Box> {
    const { id = randomUUID(), ...more } = options;
    mkdirSync(this.path(name), { recursive: true });
    const [free = 0] = this.#ports.has(name) ? [] : await freePorts(1);
    const port = this.#ports.get(name) ?? free;
    this.#ports.set(name, port);
    const partners = new Partners({
      ...{ dataDir: this.path(name), listen: "127.0.0.1", port },
      own: () => ({ id, name, version: "1.2.3", httpPort: 80, httpsPort: 443 }),
      ...{ clock: this.clock, log: silentLog, ...more },
    });
    const box = { id, partners };
    this.#boxes.push(box);
    await partners.start();
    return box;
  }

  /** Two boxes that are partners and hear each other. */
  async pair(): Promise<readonly [Box, Box]> {
    const [one, other] = [await this.box("one"), await this.box("other")];
    await other.partners.join((await one.partners.makeCode()).code);
    await this.heard(one, other);
    return [one, other];
  }

  async heard(one: Box, other: Box): Promise<void> {
    await until(
      "they hear each other",
      () =>
        one.partners.state(other.id)?.isConnected === true &&
        other.partners.state(one.id)?.isConnected === true,
      { seen: () => [one.partners.states(), other.partners.states()] },
    );
  }

  path(name: string): string {
    return this.#directory.join(name);
  }

  async stop(): Promise<void> {
    for (const { partners } of this.#boxes) await partners.stop();
    this.#directory.remove();
  }
}
