import { mkdirSync } from "node:fs";
import type { HubMembershipOptions } from "../../../src/fleet/box/membership.js";
import { BucketHubStore, Hub, headOf, type PeerLive } from "../../../src/fleet/index.js";
import { createHubAuthority } from "../../../src/fleet/join/certificates.js";
import type { KeyAndCertificate } from "../../../src/http/index.js";
import { s3Target } from "../away/away-samples.js";
import { ScriptedStore } from "../away/scripted-store.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { until } from "../base/until.js";
import { silentLog } from "../site/site-samples.js";
import { ALICE, FleetBox, LOOK, ShiftedClock } from "./fleet-bench.js";

/** Several hubs at this machine that share their boxes in one bucket, and boxes that may join them. */
export class SharedHubs {
  readonly clock = new ShiftedClock();
  readonly store: ScriptedStore;
  readonly authority: KeyAndCertificate;
  readonly hubs: Hub[] = [];
  /** What each hub heard of sessions at others: its number, and the key. */
  readonly sessionsElsewhere: string[] = [];
  readonly boxes: FleetBox[] = [];
  /** Serves viewers of another hub at the hub of this place; where it is left out, hubs share nothing. */
  readonly #onPeerLive: ((at: number, live: PeerLive) => void) | undefined;
  readonly #directory = new TemporaryDirectory("nvrd-shared-hubs");

  private constructor(
    store: ScriptedStore,
    authority: KeyAndCertificate,
    onPeerLive: ((at: number, live: PeerLive) => void) | undefined,
  ) {
    this.store = store;
    this.authority = authority;
    this.#onPeerLive = onPeerLive;
  }

  static async start(count: number, onPeerLive?: (at: number, live: PeerLive) => void): Promise<SharedHubs> {
    const store = await new ScriptedStore().start();
    const bench = new SharedHubs(store, await createHubAuthority(Date.now()), onPeerLive);
    for (let at = 0; at < count; at += 1) await bench.addHub();
    return bench;
  }

  /** Another hub; `port`: where one was before that has stopped. */
  async addHub(port = 0): Promise<Hub> {
    const { clock, authority } = this;
    const at = this.hubs.length;
    const serve = this.#onPeerLive;
    const hub = new Hub({
      ...(serve === undefined ? {} : { onPeerLive: (live) => serve(at, live) }),
      ...{ dataDir: this.#directory.join(`hub${this.hubs.length}`), listen: "127.0.0.1", port },
      ...{ host: () => "127.0.0.1", publicPort: undefined, clock, log: silentLog },
      shared: {
        store: this.newStore(),
        authority,
        peer: () => ({ host: "127.0.0.1", port: 0 }),
        logins: {
          sessionElsewhere: (key) => void this.sessionsElsewhere.push(`${at} ${key}`),
          takeTicket: (key) => (key === `of ${at}` ? `proofs of ${at}` : undefined),
        },
      },
    });
    this.hubs.push(hub);
    await hub.start();
    const others = this.hubs.filter((each) => each !== hub && each.port !== 0);
    await until(
      "the hubs have met",
      () => others.every((each) => each.peersThere > 0) && hub.peersThere >= others.length,
      {
        seen: () => [this.hubs.map((each) => each.peersThere), [...this.store.objects.keys()]],
      },
    );
    return hub;
  }

  /** A way of its own to what the hubs share. */
  newStore(): BucketHubStore {
    return new BucketHubStore(
      s3Target({ endpoint: `http://127.0.0.1:${this.store.port}`, prefix: "fleet/" }),
      this.clock,
    );
  }

  newBox(options: Partial<HubMembershipOptions> = {}): FleetBox {
    const dataDir = this.#directory.join(`box${this.boxes.length}`);
    mkdirSync(dataDir, { recursive: true });
    const box = new FleetBox(dataDir, { ...options, clock: this.clock });
    this.boxes.push(box);
    return box;
  }

  /** A box that has joined at a hub and is connected to as many as it may be. */
  async joined(hub: Hub, options: Partial<HubMembershipOptions> = {}): Promise<FleetBox> {
    const connections = Math.min(2, this.hubs.length);
    const box = this.newBox(options);
    await box.membership.join(hub.makeCode().code, LOOK);
    await until(
      "the box is connected",
      () =>
        (box.membership.state?.hubs ?? []).filter(({ isConnected }) => isConnected).length >= connections &&
        this.hubs.every((each) => each.port === 0 || each.box(box.id)?.silence === undefined),
      { seen: () => [box.membership.state, this.hubs.map((each) => each.boxes())] },
    );
    return box;
  }

  /** What a box answers through a hub. */
  async ask(
    hub: Hub,
    box: FleetBox,
    path = "/api/channels",
  ): Promise<{ readonly status: number; readonly body: string }> {
    const stream = await hub.open(box.id, {
      ...{ user: ALICE, role: "commands", hasBody: false },
      headers: { ":path": path },
    });
    const { status } = await headOf(stream);
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    return { status, body: Buffer.concat(chunks).toString() };
  }

  /** `hub` is stopped, and is no hub any more. */
  async stopHub(hub: Hub): Promise<void> {
    this.hubs.splice(this.hubs.indexOf(hub), 1);
    await hub.stop();
  }

  path(name: string): string {
    return this.#directory.join(name);
  }

  async stop(): Promise<void> {
    for (const box of this.boxes) await box.stop();
    for (const hub of this.hubs) await hub.stop();
    this.store.stop();
    this.#directory.remove();
  }
}
