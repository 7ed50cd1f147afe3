import { existsSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type {
  RecorderPlace,
  ReplicaKeeper,
  ReplicaServing,
  ReplicaShares,
  SendTarget,
} from "../../../away/index.js";
import {
  BYTES_PER_GB,
  BYTES_PER_MB,
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  MS_PER_SECOND,
  NvrdError,
} from "../../../base/index.js";
import type { PartnerPlace, Partners } from "../../../fleet/index.js";
import type { ReplicaShareState, ReplicasControl } from "../../../owner/index.js";
import type { Settings } from "../../../settings/index.js";
import { cameraOptions, type SiteStore } from "../../../site/index.js";
import { descriptorShares } from "../descriptor-shares.js";
import type { ArchiveService } from "../record/archive-service.js";
import { ReplicaPlaces } from "./replica-places.js";

/** In the data directory: what says that another recorder has a share. */
const SHARES = ["away", "replicas.json"] as const;
/** On the volume. */
const FOLDER = "replicas";
/** What may have changed is looked at so often. */
const LOOK_MS = 5 * MS_PER_SECOND;
/** The disk keeps so much free, or this share of it: less than retention does. */
const FREE_BYTES_MIN = 64 * BYTES_PER_MB;
const FREE_SHARE_MIN = 1 / 200;
const EVERYWHERE = new Set(["0.0.0.0", "::", ""]);

export interface ReplicaServiceOptions {
  readonly settings: Pick<Settings, "dataDir" | "listen" | "replicaPort" | "hubPort">;
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly archive: Pick<ArchiveService, "archive">;
  /** Calls `use` with the partners as soon as there is a reason to have them. */
  readonly whenPartners: (use: (partners: Partners) => void) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Replicas of recordings at other recorders of the LAN, and theirs here. Where no camera names another recorder and no share was given
 * not even the code is loaded.
 */
export class ReplicaService implements ReplicasControl {
  readonly #options: ReplicaServiceOptions;
  readonly #listeners: (() => void)[] = [];
  #partners: Partners | undefined;
  #places: ReplicaPlaces | undefined;
  #shares: ReplicaShares | undefined;
  #keeper: ReplicaKeeper | undefined;
  #loading: Promise<void> | undefined;
  #timer: ClockTimer | undefined;
  #away: typeof import("../../../away/index.js") | undefined;
  #problem = "";
  #notifiedTargets: readonly SendTarget[] = [];
  #isStopped = false;

  constructor(options: ReplicaServiceOptions) {
    this.#options = options;
    options.site.onChange("replicas", () => this.#follow());
    options.whenPartners((partners) => {
      this.#partners = partners;
      partners.serve("/replica", async ({ partnerId, stream }) => await this.#offer(partnerId, stream));
      this.#follow();
    });
  }

  /** Calls `listener` when targets or places are others. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  start(): void {
    this.#follow();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loading;
    this.#timer?.clear();
    this.#keeper?.stop();
  }

  /** Other recorders that recordings go to. */
  sendTargets(): readonly SendTarget[] {
    return this.#places?.targets(this.#options.site.current) ?? [];
  }

  /** What other recorders have sent here, to be played. */
  keptTargets(): readonly SendTarget[] {
    const [shares, away, place] = [this.#shares, this.#away, this.#ownPlace()];
    if (shares === undefined || away === undefined || place === undefined) return [];
    const ownId = this.#options.site.current.server.id;
    return shares.all.map((owner) => away.keptTarget({ owner, ownId, place }));
  }

  get port(): number {
    return this.#keeper?.port ?? 0;
  }

  get problem(): string | undefined {
    const problem = this.#problem || (this.#keeper?.problem ?? "");
    return problem === "" ? undefined : problem;
  }

  get volumeId(): Guid | undefined {
    return this.#shares?.volumeId;
  }

  shares(): readonly ReplicaShareState[] {
    const given = this.#shares?.all ?? [];
    return given.map(({ id, name, bytesMax }) => ({
      ...{ id, name: this.#partners?.state(id)?.name ?? name, bytesMax },
      usedBytes: this.#keeper?.usedBytes(id) ?? 0,
      isPartner: this.#partners?.state(id) !== undefined,
    }));
  }

  async give(id: Guid, bytesMax: number, volumeId: Guid | undefined): Promise<void> {
    const partner = this.#partners?.state(id);
    const known = this.#shares?.get(id);
    if (partner === undefined && known === undefined)
      throw new NvrdError("NOT_FOUND", "there is no such partner", { hint: "see GET /api/fleet/partners" });
    const shares = await this.#loaded();
    const volume = this.#volumeFor(volumeId ?? shares.volumeId);
    const { totalBytes } = volume.lastSpace;
    const others = shares.all.filter((share) => share.id !== id);
    if (others.reduce((sum, share) => sum + share.bytesMax, bytesMax) > totalBytes)
      throw new NvrdError("BAD_REQUEST", "the shares are more than the disk has", {
        hint: `its disk has ${Math.floor(totalBytes / BYTES_PER_GB)} GB: give less`,
      });
    if (shares.volumeId !== undefined && shares.volumeId !== volume.id && others.length > 0)
      throw new NvrdError("CONFLICT", "replicas lie on another disk already", {
        hint: "leave VolumeId out, or take the other shares back first",
      });
    await shares.give({ id, name: partner?.name ?? known?.name ?? "", bytesMax }, volume.id);
    this.#look();
  }

  async remove(id: Guid): Promise<void> {
    const shares = await this.#loaded();
    if (shares.get(id) === undefined)
      throw new NvrdError("NOT_FOUND", "this recorder has no share here", {
        hint: "see GET /api/fleet/replicas",
      });
    await this.#keeper?.remove(id);
    await shares.takeBack(id);
    this.#look();
  }

  #volumeFor(id: Guid | undefined) {
    const volumes = this.#options.archive.archive.volumeAccess();
    const [largest] = [...volumes].sort((a, b) => b.lastSpace.totalBytes - a.lastSpace.totalBytes);
    const volume = id === undefined ? largest : volumes.find((each) => each.id === id);
    if (volume !== undefined) return volume;
    throw new NvrdError("NOT_AVAILABLE", "the disk for replicas is not there", {
      hint: "see GET /api/disks for the volumes that are",
    });
  }

  #follow(): void {
    const { settings, site, log } = this.#options;
    const { cameras, server } = site.current;
    const isNamed = cameras.some(
      (camera) =>
        camera.ownerServerId === server.id && cameraOptions(camera).servers.replicationServerId !== null,
    );
    const isNeeded = isNamed || existsSync(path.join(settings.dataDir, ...SHARES)) || this.#hasSent();
    if (!isNeeded && this.#shares === undefined) return;
    this.#loaded()
      .then(() => this.#look())
      .catch((error: unknown) => log.error({ reason: errorText(error) }, "replicas cannot be used"));
  }

  /** Whether something lies at a partner, though no camera names it any more. */
  #hasSent(): boolean {
    const { dataDir } = this.#options.settings;
    const partners = this.#partners?.states() ?? [];
    return partners.some(({ id }) => existsSync(path.join(dataDir, "away", id)));
  }

  async #loaded(): Promise<ReplicaShares> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    await this.#loading;
    if (this.#shares === undefined) throw new NvrdError("NOT_AVAILABLE", "the recorder is stopping");
    return this.#shares;
  }

  async #load(): Promise<void> {
    const away = await import("../../../away/index.js");
    if (this.#isStopped) return;
    const { settings, clock, log } = this.#options;
    const shares = new away.ReplicaShares({ dataDir: settings.dataDir, log });
    shares.start();
    this.#away = away;
    this.#places = new ReplicaPlaces({
      dataDir: settings.dataDir,
      ...{ clock, log, away },
      partners: () => this.#partners,
    });
    this.#keeper = new away.ReplicaKeeper({ clock, log, onPort: () => this.#look() });
    this.#shares = shares;
    this.#timer = clock.setInterval(() => this.#look(), LOOK_MS);
  }

  #look(): void {
    if (this.#isStopped || this.#keeper === undefined) return;
    this.#keeper.serve(this.#serving());
    this.#places?.ask(this.#options.site.current, () => this.#notify());
    this.#notify();
  }

  #notify(): void {
    const now = [...this.sendTargets(), ...this.keptTargets()];
    if (isDeepStrictEqual(now, this.#notifiedTargets)) return;
    this.#notifiedTargets = now;
    for (const listener of this.#listeners) listener();
  }

  #serving(): ReplicaServing | undefined {
    const { settings, archive } = this.#options;
    const shares = this.#shares?.all ?? [];
    const own = this.#own();
    this.#problem = "";
    if (shares.length === 0 || own === undefined) return undefined;
    const volume = archive.archive.volumeAccess().find(({ id }) => id === this.#shares?.volumeId);
    if (volume === undefined) {
      this.#problem = "the disk for replicas is not there";
      return undefined;
    }
    const { listen, replicaPort: port } = settings;
    return {
      ...{ directory: path.join(volume.directory, FOLDER), listen, port, own },
      connectionsMax: descriptorShares(settings).replicas,
      freeBytesMin: Math.min(FREE_BYTES_MIN, volume.lastSpace.totalBytes * FREE_SHARE_MIN),
      owners: shares.map(({ id, bytesMax }) => ({
        ...{ id, bytesMax },
        // Of who is no partner any more nobody comes; what was kept is played still.
        certificate: this.#partners?.place(id)?.certificate ?? "",
      })),
    };
  }

  /** What this recorder shows its partners; undefined: it has none. */
  #own(): PartnerPlace["own"] | undefined {
    const partners = this.#partners;
    return partners?.states().flatMap(({ id }) => partners.place(id) ?? [])[0]?.own;
  }

  /** As this recorder reaches itself. */
  #ownPlace(): RecorderPlace | undefined {
    const [own, port, away] = [this.#own(), this.port, this.#away];
    if (own === undefined || port === 0 || away === undefined) return undefined;
    const { listen } = this.#options.settings;
    return {
      ...{ name: this.#options.site.current.server.name, port, own, problem: "" },
      certificate: away.recorderHash(own.certificate),
      hosts: [EVERYWHERE.has(listen) ? "127.0.0.1" : listen],
    };
  }

  async #offer(
    partnerId: Guid,
    stream: Parameters<typeof import("../../../fleet/index.js").answerPartner>[0],
  ) {
    const { answerPartner } = await import("../../../fleet/index.js");
    const share = this.#shares?.get(partnerId);
    answerPartner(stream, 200, {
      Port: share === undefined ? 0 : this.port,
      BytesMax: share?.bytesMax ?? 0,
      UsedBytes: this.#keeper?.usedBytes(partnerId) ?? 0,
    });
  }
}
