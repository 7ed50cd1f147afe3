import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  MS_PER_SECOND,
  NvrdError,
  openPlain,
  pauseUnlessAborted,
  Semaphore,
  US_PER_MS,
} from "../../base/index.js";
import { KeptFile } from "../../kept/index.js";
import type { BoxState, Hub } from "../hub/hub.js";
import type { HubUser } from "../link/identity.js";
import { type BoxUpdateState, readBoxUpdate, sendBundle, UpdateRefusal } from "./box-update.js";
import {
  GROUPS_MAX,
  type KeptRollout,
  ROLLOUT_KIND,
  type RolloutBox,
  type RolloutStep,
  type rolloutSchema,
} from "./rollout-keeping.js";

/** A box that installs or restarts is asked so often how it does. */
const ASK_MS = 5 * MS_PER_SECOND;
/** From the check of the bundle until it was kept or given up: the box's own gate has ten minutes, and slow machines start slowly. */
const INSTALLED_MS_MAX = 60 * 60 * MS_PER_SECOND;
/** Boxes that lost their hub are back by then. */
const BACK_MS_MAX = 6 * 60 * MS_PER_SECOND;
/** Bundles on their way at once. */
const SENT_AT_ONCE = 4;
const REASON_LENGTH_MAX = 500;
const US_PER_MINUTE = 60 * MS_PER_SECOND * US_PER_MS;

const UNDER_WAY: readonly BoxUpdateState["Phase"][] = [
  ...(["receiving", "checking", "waiting", "installing", "installed", "trial", "rejected"] as const),
];

/** Where a bundle is received, and lies. */
export interface RolloutInbox {
  readonly file: string;
  receive(
    upload: { readonly chunks: AsyncIterable<Uint8Array>; readonly bytes?: number },
    onBytes: (bytes: number) => void,
  ): Promise<string>;
  discard(): Promise<void>;
}

export interface RolloutOptions {
  /** The data directory. */
  readonly dataDir: string;
  readonly hub: Pick<Hub, "box" | "open">;
  readonly inbox: RolloutInbox;
  /** How often boxes are asked. */
  readonly askMs?: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** A bundle that lies at the hub. */
export interface RolloutBundle {
  readonly bytes: number;
  readonly sha256: string;
}

export interface RolloutPlan {
  /** Boxes that are updated together; the next group's turn comes when all of one are well. */
  readonly groups: readonly (readonly Guid[])[];
  /** For how long a box is looked at that has kept the update. */
  readonly watchMinutes: number;
  /** In whose name; each box decides whether this user may. */
  readonly by: HubUser;
}

/** How it does. */
export interface RolloutState extends Omit<KeptRollout, "groups"> {
  readonly groups: readonly (readonly (RolloutBox & { readonly percent: number | undefined })[])[];
}

/** Thrown for a box whose update has not gone well. */
class Failure extends Error {}
/** Thrown for a box at which nothing was tried. */
class Skip extends Error {}

/**
 * An update of many boxes, a group after the other. What a box keeps is decided by its own gate; the hub orders, watches how it does
 * afterwards, and begins no other box once one has failed.
 */
export class Rollout {
  readonly #options: RolloutOptions;
  readonly #log: Log;
  readonly #file: KeptFile<typeof rolloutSchema>;
  readonly #sending = new Semaphore({ atOnce: SENT_AT_ONCE, waitingMax: Number.POSITIVE_INFINITY });
  readonly #ending = new AbortController();
  readonly #percents = new Map<Guid, number>();
  #bundle: RolloutBundle | undefined;
  #kept: KeptRollout | undefined;
  #running: Promise<void> | undefined;
  #isReceiving = false;

  constructor(options: RolloutOptions) {
    this.#options = options;
    this.#log = options.log.child({ part: "rollout" });
    this.#file = new KeptFile(ROLLOUT_KIND, { directory: path.join(options.dataDir, "hub"), log: this.#log });
  }

  /** Goes on with what was under way. */
  async start(): Promise<void> {
    const kept = this.#file.read();
    if (kept === undefined) {
      // A bundle that nothing was begun with.
      await this.#options.inbox.discard();
      return;
    }
    this.#kept = kept;
    this.#bundle = { bytes: kept.bytes, sha256: kept.sha256 };
    if (kept.phase === "running" || kept.groups.flat().some(isUnderWay)) this.#go();
  }

  /** Boxes go on by themselves; this hub goes on with them after its next start. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  get bundle(): RolloutBundle | undefined {
    return this.#bundle;
  }

  /** Undefined: there was none. */
  get state(): RolloutState | undefined {
    const kept = this.#kept;
    if (kept === undefined) return undefined;
    const shown = (box: RolloutBox) => ({ ...box, percent: this.#percents.get(box.id) });
    return { ...kept, groups: kept.groups.map((group) => group.map(shown)) };
  }

  /** Receives the bundle that is rolled out next. Rejects with NvrdError CONFLICT while one is rolled out, and as the inbox does. */
  async receive(upload: Parameters<RolloutInbox["receive"]>[0]): Promise<RolloutBundle> {
    await this.#settled();
    this.#requireIdle();
    this.#isReceiving = true;
    try {
      this.#bundle = undefined;
      const counting = createHash("sha256");
      const chunks = hashed(upload.chunks, (chunk) => counting.update(chunk));
      let bytes = 0;
      await this.#options.inbox.receive({ ...upload, chunks }, (received) => {
        bytes = received;
      });
      this.#bundle = { bytes, sha256: counting.digest("hex") };
      await this.#keep(undefined);
      return this.#bundle;
    } finally {
      this.#isReceiving = false;
    }
  }

  /** Begins. Rejects with NvrdError CONFLICT without a bundle, or while one is rolled out; BAD_REQUEST for a plan that cannot be. */
  async begin({ groups, watchMinutes, by }: RolloutPlan): Promise<void> {
    await this.#settled();
    this.#requireIdle();
    const bundle = this.#bundle;
    if (bundle === undefined)
      throw new NvrdError("CONFLICT", "there is no bundle to roll out", { hint: "send it first" });
    const ids = groups.flat();
    const { hub, clock } = this.#options;
    const stranger = ids.find((id) => hub.box(id) === undefined);
    if (stranger !== undefined) throw new NvrdError("BAD_REQUEST", `this hub has no recorder ${stranger}`);
    if (new Set(ids).size !== ids.length || ids.length === 0 || groups.length > GROUPS_MAX)
      throw new NvrdError("BAD_REQUEST", `a plan has each recorder once, in ${GROUPS_MAX} groups at most`);
    const nowUs = clock.nowUs();
    const waiting = (id: Guid): RolloutBox => ({ id, step: "waiting", reason: "", sinceUs: nowUs });
    this.#percents.clear();
    await this.#keep({
      ...{ phase: "running", reason: "", version: null, ...bundle, watchMinutes, startedUs: nowUs, by },
      groups: groups.filter((group) => group.length > 0).map((group) => group.map(waiting)),
    });
    this.#log.info(
      { user: by.Name, recorders: ids.length, groups: groups.length },
      "an update is rolled out",
    );
    this.#go();
  }

  /** Begins no other box; without one under way, forgets what was, and the bundle. */
  async end(by: string): Promise<void> {
    const kept = this.#kept;
    if (kept?.phase === "running") {
      this.#log.warn({ user: by }, "the rollout of an update was stopped");
      await this.#change(stoppedBy(`stopped by ${by}`));
      return;
    }
    await this.#settled();
    this.#requireIdle();
    this.#bundle = undefined;
    await this.#options.inbox.discard();
    await this.#keep(undefined);
  }

  /** Where all have come to their end, the rest of the work is awaited. */
  async #settled(): Promise<void> {
    const { phase, groups = [] } = this.#kept ?? {};
    if (phase !== "running" && !groups.flat().some(isUnderWay)) await this.#running;
  }

  #requireIdle(): void {
    if (this.#isReceiving || this.#running !== undefined || this.#kept?.phase === "running")
      throw new NvrdError("CONFLICT", "an update is being rolled out, or its bundle received", {
        hint: "wait until it has ended, or stop it",
      });
  }

  #go(): void {
    this.#running = this.#run()
      .catch((error: unknown) => this.#log.error({ reason: errorText(error) }, "the rollout has stopped"))
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Group after group. What is under way at boxes is followed to its end, also once it was stopped. */
  async #run(): Promise<void> {
    const { length = 0 } = this.#kept?.groups ?? [];
    for (let at = 0; at < length && !this.#isEnding; at += 1) {
      const group = this.#kept?.groups[at] ?? [];
      const isRunning = this.#kept?.phase === "running";
      const due = group.filter((box) => isUnderWay(box) || (isRunning && box.step === "waiting"));
      await Promise.all(due.map(({ id }) => this.#bring(id)));
    }
    if (this.#kept?.phase !== "running" || this.#isEnding) return;
    await this.#change({ phase: "done" });
    this.#log.info({ version: this.#kept.version }, "the update was rolled out");
  }

  /** One box, to its end. Never rejects but with the disk's error. */
  async #bring(id: Guid): Promise<void> {
    try {
      await this.#update(id);
      // Stopped before its turn has come, it waits for ever.
      if (!this.#isEnding && this.#boxOf(id).step !== "waiting") await this.#step(id, "done");
    } catch (error) {
      if (this.#isEnding) return;
      if (error instanceof Skip) await this.#step(id, "skipped", error.message);
      else await this.#failed(id, errorText(error));
    } finally {
      this.#percents.delete(id);
    }
  }

  async #failed(id: Guid, reason: string): Promise<void> {
    const name = this.#options.hub.box(id)?.name ?? id;
    this.#log.error({ box: id, reason }, "the update of a recorder has failed: no other is begun");
    // In one change: no other may begin between.
    const groups = this.#stepped(id, { step: "failed", reason });
    await this.#change({
      groups,
      ...(this.#required.phase === "running" ? stoppedBy(`${name}: ${reason}`) : {}),
    });
  }

  async #update(id: Guid): Promise<void> {
    if (this.#boxOf(id).step === "waiting" || this.#boxOf(id).step === "sending") await this.#send(id);
    if (this.#boxOf(id).step === "installing") await this.#follow(id);
    if (this.#boxOf(id).step === "watched") await this.#watch(id);
  }

  async #send(id: Guid): Promise<void> {
    const isAgain = this.#boxOf(id).step === "sending";
    await this.#sending.run(async () => {
      if (this.#isEnding) return;
      if (this.#kept?.phase !== "running") {
        if (isAgain) throw new Failure("this hub was restarted while the bundle was on its way");
        return;
      }
      const { hub } = this.#options;
      if (hub.box(id)?.silence === "started") await this.#back(id);
      if (this.#isEnding) return;
      const box = hub.box(id);
      if (box === undefined) throw new Skip("it belongs to this hub no more");
      if (box.silence !== undefined) throw new Skip("it is not connected");
      const state = await this.#readState(id);
      const { version } = this.#kept;
      if (!state.Supported) throw new Skip("it has no second slot to install an update into");
      if (version !== null && state.RunningVersion === version) throw new Skip(`it has version ${version}`);
      // This hub was restarted after the box had all of it.
      if (isAgain && UNDER_WAY.includes(state.Phase) && state.Version !== null) {
        await this.#sent(id, state.Version);
        return;
      }
      if (UNDER_WAY.includes(state.Phase)) throw new Skip(`another update is under way (${state.Phase})`);
      await this.#step(id, "sending", "", howItDoes(box));
      const { bytes } = this.#kept;
      const chunks = async () =>
        (await openPlain(this.#options.inbox.file, constants.O_RDONLY)).createReadStream();
      const onBytes = (sent: number): void => void this.#percents.set(id, Math.floor((100 * sent) / bytes));
      const taken = await sendBundle(id, { bytes, chunks }, { ...this.#asking, onBytes }).catch(
        refusalAsFailure,
      );
      if (taken.Version === null) throw new Failure("it does not say which version it was sent");
      await this.#sent(id, taken.Version);
    });
  }

  /** Throws Skip where it does not let the hub, or cannot. */
  async #readState(id: Guid): Promise<BoxUpdateState> {
    try {
      return await readBoxUpdate(id, this.#asking);
    } catch (error) {
      if (error instanceof UpdateRefusal && error.status === 403)
        throw new Skip("its owner does not let this hub update it");
      throw new Skip(errorText(error));
    }
  }

  async #sent(id: Guid, version: string): Promise<void> {
    const known = this.#kept?.version ?? null;
    if (known !== null && known !== version)
      throw new Failure(`it takes the bundle for version ${version}, others for ${known}`);
    if (known === null) await this.#change({ version });
    await this.#step(id, "installing");
  }

  /** Until the box has kept the update or given it up. */
  async #follow(id: Guid): Promise<void> {
    const { clock } = this.#options;
    const endUs = this.#boxOf(id).sinceUs + INSTALLED_MS_MAX * US_PER_MS;
    const version = this.#kept?.version ?? null;
    for (;;) {
      const state = await this.#stateIfThere(id);
      if (state?.Phase === "kept" && state.Version === version) break;
      if (state !== undefined && !UNDER_WAY.includes(state.Phase))
        throw new Failure(
          state.Phase === "rolledBack"
            ? `it went back to the version before: ${state.Message}`
            : `it has not kept the update (${state.Phase}): ${state.Message}`,
        );
      if (clock.nowUs() >= endUs) throw new Failure("it has not come back with the update within an hour");
      await pauseUnlessAborted(clock, this.#askMs, this.#ending.signal);
      if (this.#isEnding) return;
    }
    await this.#step(id, "watched");
  }

  /** Undefined: it restarts, or its connection does. */
  async #stateIfThere(id: Guid): Promise<BoxUpdateState | undefined> {
    try {
      return await readBoxUpdate(id, this.#asking);
    } catch (error) {
      this.#log.debug({ box: id, reason: errorText(error) }, "a recorder does not say how its update does");
      return undefined;
    }
  }

  /** Throws Failure where it does worse than before at the end of that time. */
  async #watch(id: Guid): Promise<void> {
    const { clock, hub } = this.#options;
    const endUs = this.#boxOf(id).sinceUs + (this.#kept?.watchMinutes ?? 0) * US_PER_MINUTE;
    while (clock.nowUs() < endUs) {
      const ms = Math.min(this.#askMs, (endUs - clock.nowUs()) / US_PER_MS);
      await pauseUnlessAborted(clock, ms, this.#ending.signal);
      if (this.#isEnding) return;
    }
    await this.#back(id);
    if (this.#isEnding) return;
    const worse = worseThan(this.#boxOf(id).before, hub.box(id));
    if (worse !== undefined) throw new Failure(`it has kept the update, and ${worse}`);
  }

  /** Until it is connected, but not for ever. */
  async #back(id: Guid): Promise<void> {
    const { clock, hub } = this.#options;
    const endUs = clock.nowUs() + BACK_MS_MAX * US_PER_MS;
    while (hub.box(id)?.silence !== undefined && clock.nowUs() < endUs && !this.#isEnding)
      await pauseUnlessAborted(clock, this.#askMs, this.#ending.signal);
  }

  get #askMs(): number {
    return this.#options.askMs ?? ASK_MS;
  }

  get #asking() {
    const { hub, clock } = this.#options;
    const { by: user } = this.#required;
    return { open: (...asked: Parameters<Hub["open"]>) => hub.open(...asked), user, clock };
  }

  get #isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  get #required(): KeptRollout {
    if (this.#kept === undefined) throw new Error("nothing is rolled out");
    return this.#kept;
  }

  #boxOf(id: Guid): RolloutBox {
    const box = this.#required.groups.flat().find((each) => each.id === id);
    if (box === undefined) throw new Error("it is not in the plan");
    return box;
  }

  async #step(id: Guid, step: RolloutStep, reason = "", before?: RolloutBox["before"]): Promise<void> {
    await this.#change({
      groups: this.#stepped(id, { step, reason, ...(before === undefined ? {} : { before }) }),
    });
  }

  #stepped(id: Guid, change: Pick<RolloutBox, "step" | "reason" | "before">): KeptRollout["groups"] {
    const changed = {
      ...{ ...change, reason: change.reason.slice(0, REASON_LENGTH_MAX) },
      sinceUs: this.#options.clock.nowUs(),
    };
    return this.#required.groups.map((group) =>
      group.map((box) => (box.id === id ? { ...box, ...changed } : box)),
    );
  }

  async #change(change: Partial<KeptRollout>): Promise<void> {
    await this.#keep({ ...this.#required, ...change });
  }

  async #keep(kept: KeptRollout | undefined): Promise<void> {
    this.#kept = kept;
    if (kept === undefined) await rm(this.#file.path, { force: true });
    else await this.#file.replace(kept);
  }
}

function stoppedBy(reason: string): Pick<KeptRollout, "phase" | "reason"> {
  return { phase: "stopped", reason: reason.slice(0, REASON_LENGTH_MAX) };
}

/** What was begun at the box has not come to its end. */
function isUnderWay({ step }: RolloutBox): boolean {
  return step === "sending" || step === "installing" || step === "watched";
}

function howItDoes({ figures }: BoxState): RolloutBox["before"] {
  if (figures === undefined) return undefined;
  const { camerasLost, volumesAtFault } = figures;
  return { camerasLost, volumesAtFault, errors: errorsOf(figures) };
}

function errorsOf({ problems }: NonNullable<BoxState["figures"]>): string[] {
  return [...new Set(problems.flatMap(({ code, severity }) => (severity === "error" ? [code] : [])))];
}

/** In what it does worse than before, for people; undefined: it does as well. */
function worseThan(before: RolloutBox["before"], box: BoxState | undefined): string | undefined {
  if (box === undefined || box.silence !== undefined) return "it is not connected";
  const { figures } = box;
  if (before === undefined || figures === undefined) return undefined;
  const lost = figures.camerasLost - before.camerasLost;
  if (lost > 0) return `${lost} more of its cameras are lost`;
  const bad = figures.volumesAtFault - before.volumesAtFault;
  if (bad > 0) return `${bad} more of its disks are at fault`;
  const errors = errorsOf(figures).filter((code) => !before.errors.includes(code));
  return errors.length === 0 ? undefined : `it has problems that it had not before: ${errors.join(", ")}`;
}

function refusalAsFailure(error: unknown): never {
  throw error instanceof UpdateRefusal ? new Failure(error.message) : error;
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    onChunk(chunk);
    yield chunk;
  }
}
