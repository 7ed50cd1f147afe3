import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import type { Archive } from "../../archive/index.js";
import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  STREAM_TYPES,
  writeAfresh,
} from "../../base/index.js";
import {
  type GateChannel,
  type GateState,
  type GateVolume,
  HandoverDirectory,
  Inbox,
  JournalFile,
  RaucSystem,
  type RecorderBefore,
  type ReportedPhase,
  runCommand,
  type UpdateRecord,
  Updater,
  type UpdateState,
  UpdateWatch,
} from "../../box/update/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import type { ControlServer } from "../../host/control/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { RecordingReason, RecordingState } from "../../recording/index.js";
import type { SiteStore } from "../../site/index.js";

/** The directory for received bundles, in the data directory; watched by `nvrd-update.path`. */
export const UPDATE_INBOX = "update";
const PROBE_FILE = "health-gate.probe";
const EVENT_OF = {
  installed: "updateInstalled",
  kept: "updateKept",
  rolledBack: "updateRolledBack",
  failed: "updateFailed",
} as const satisfies Readonly<Record<ReportedPhase, keyof typeof EVENT_TYPES>>;

/** What the health gate needs from the service, besides the API's answer, which it requests itself. */
export interface GateAnswer extends Omit<GateState, "apiAnswers"> {
  readonly address: string;
  readonly httpPort: number;
  readonly httpsPort: number;
}

export interface UpdateServiceOptions {
  readonly dataDir: string;
  /** Directory of the update journal, written by the root units; undefined: there are no slots. */
  readonly updateDir: string | undefined;
  readonly site: SiteStore;
  readonly archive: Pick<Archive, "overload">;
  readonly recording: { state(channelId: Guid): RecordingState };
  readonly streams: StreamDirectory;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when an update was installed, before the machine restarts; sets the reason for the end of this run. */
  readonly onInstalled: (versions: string) => void;
  /** The address of the API; called each time. */
  readonly reach: () => { readonly address: string; readonly httpPort: number; readonly httpsPort: number };
}

/** The update section of the health report; visible to every user. */
export function updatePart({ supported, phase, version, slot }: UpdateState): Record<string, unknown> {
  return { supported, phase, version: version ?? null, slot: slot ?? null };
}

/** Updates: receives them, reports their progress, and answers the health gate. */
export class UpdateService {
  readonly updater: Updater;
  readonly #options: UpdateServiceOptions;
  readonly #watch: UpdateWatch | undefined;
  /** Id of this run of the service. */
  readonly #runId = randomUUID();

  constructor(options: UpdateServiceOptions) {
    this.#options = options;
    const { dataDir, updateDir, clock, log } = options;
    const before = (): RecorderBefore => this.#before();
    if (updateDir === undefined) {
      this.updater = new Updater({ before, clock, log });
      return;
    }
    const directory = path.join(dataDir, UPDATE_INBOX);
    const journal = new JournalFile({ directory: updateDir, log });
    const box = {
      inbox: new Inbox({ directory, clock }),
      handover: new HandoverDirectory({ directory, log }),
      journal,
      slots: new RaucSystem({ run: runCommand }),
    };
    this.updater = new Updater({ box, before, clock, log });
    const report = (phase: ReportedPhase, update: UpdateRecord): void => this.#report(phase, update);
    this.#watch = new UpdateWatch({ journal, dataDir, clock, log, report });
  }

  async start(): Promise<void> {
    await this.updater.start();
    this.#watch?.start();
  }

  async stop(): Promise<void> {
    await this.#watch?.stop();
  }

  /** Registers the commands on the control socket: a bundle that the command line placed in the inbox, and the health gate. */
  register(control: ControlServer): void {
    control.register("update-state", async () => this.updater.state);
    control.register("update", async (call) => {
      const given = v.safeParse(updateArguments, call.arguments);
      if (!given.success) throw new NvrdError("BAD_REQUEST", "update wants the name of a bundle");
      return await this.updater.receiveLocal(given.output.name, `command line, ${given.output.person}`);
    });
    control.register("health-gate", async () => await this.#gateAnswer());
  }

  #report(phase: ReportedPhase, update: UpdateRecord): void {
    const { fromVersion, toVersion, message, phase: now } = update;
    if (phase === "installed" && now === "installed")
      this.#options.onInstalled(`${fromVersion} to ${toVersion}`);
    const why = phase === "installed" || message === "" ? "" : `: ${message}`;
    const comment = `${fromVersion} to ${toVersion}${why}`;
    this.#options.events.raise({ typeId: EVENT_TYPES[EVENT_OF[phase]].id, comment });
  }

  #before(): RecorderBefore {
    const { site, recording, archive } = this.#options;
    const channels = site.current.cameras
      .filter(({ id }) => isSteady(recording.state(id)))
      .map(({ id }) => id);
    const volumes = archive
      .overload()
      .volumes.flatMap(({ volumeId, usable }) => (volumeId !== undefined && usable ? [volumeId] : []));
    return { channels, volumes };
  }

  async #gateAnswer(): Promise<GateAnswer> {
    const { site, recording, archive, reach } = this.#options;
    const channels = site.current.cameras.map(({ id, name }): GateChannel => {
      const { reason, isRecording } = recording.state(id);
      return { id, name, wanted: isLasting(reason), isRecording, isUnreachable: this.#isUnreachable(id) };
    });
    const volumes = archive
      .overload()
      .volumes.map(
        ({ volumeId, directory, usable }): GateVolume => ({ id: volumeId ?? null, directory, usable }),
      );
    const { address, httpPort, httpsPort } = reach();
    const dataWritable = await this.#isDataWritable();
    return { runId: this.#runId, address, httpPort, httpsPort, dataWritable, channels, volumes };
  }

  /** Whether the addresses of all requested streams are unreachable. */
  #isUnreachable(id: Guid): boolean {
    const lost = STREAM_TYPES.flatMap((type) => {
      const state = this.#options.streams.stream(id, type)?.state;
      return state?.state === "lost" ? [state.cause] : [];
    });
    return lost.length > 0 && lost.every((cause) => cause === "unreachable");
  }

  async #isDataWritable(): Promise<boolean> {
    const file = path.join(this.#options.dataDir, PROBE_FILE);
    try {
      await writeAfresh(file, "written by the health gate\n");
      await rm(file);
      return true;
    } catch (error) {
      this.#options.log.error({ error: errorText(error) }, "the data directory cannot be written");
      return false;
    }
  }
}

/** Recording for a reason that outlasts an update; motion and manual recording may have ended by then. */
function isSteady({ isRecording, reason }: RecordingState): boolean {
  return isRecording && isLasting(reason);
}

function isLasting(reason: RecordingReason | undefined): boolean {
  return reason?.kind === "always" || reason?.kind === "schedule" || reason?.kind === "clock-unknown";
}

const updateArguments = v.object({
  name: v.pipe(v.string(), v.maxLength(100)),
  person: v.pipe(v.string(), v.maxLength(100)),
});

const portSchema = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));
const gateAnswerSchema = v.object({
  runId: v.string(),
  address: v.string(),
  httpPort: portSchema,
  httpsPort: portSchema,
  dataWritable: v.boolean(),
  channels: v.array(
    v.object({
      id: v.string(),
      name: v.string(),
      wanted: v.boolean(),
      isRecording: v.boolean(),
      isUnreachable: v.boolean(),
    }),
  ),
  volumes: v.array(v.object({ id: v.nullable(v.string()), directory: v.string(), usable: v.boolean() })),
});

/** Validates the answer of the control command `health-gate`. Throws NvrdError INTERNAL. */
export function readGateAnswer(answer: unknown): GateAnswer {
  const result = v.safeParse(gateAnswerSchema, answer);
  if (!result.success) throw new NvrdError("INTERNAL", "the service's answer is invalid");
  return result.output;
}
