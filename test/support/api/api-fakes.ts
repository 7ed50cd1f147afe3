import { hash } from "node:crypto";
import { HubPrincipal } from "../../../src/access/hub-principal.js";
import {
  type Access,
  type Credentials,
  type HubAdmission,
  type HubCredentials,
  type LoginCredentials,
  type Principal,
  type Sessions,
  sessionEnded,
} from "../../../src/access/index.js";
import {
  type ArchiveAccess,
  type ArchivedFrame,
  type ArchiveFragment,
  type ArchiveKey,
  type ArchiveReader,
  type ReadOptions,
  type RecordedAccess,
  type RecordedChangeListener,
  type RecordedChannel,
  type RecordedDay,
  type RecordedFile,
  type RecordedQuery,
  type RecordedSegment,
  RecordingsNeeded,
  type StreamWriter,
  streamTypesOf,
} from "../../../src/archive/index.js";
import {
  type Guid,
  type Interval,
  NvrdError,
  type StreamKey,
  type StreamType,
  streamKeyText,
  US_PER_DAY,
} from "../../../src/base/index.js";
import { RTSP_MODEL } from "../../../src/camera/index.js";
import { isAudioCodec } from "../../../src/live/codec/codec.js";
import { LiveStream, type StreamDirectory } from "../../../src/live/index.js";
import {
  type Camera,
  DEFAULT_GROUP_PARTS,
  DEFAULT_SITE_PARTS,
  GROUP_RIGHTS,
  type GroupRight,
  type Site,
  type SiteStore,
  type StreamSettings,
  type UserGroup,
} from "../../../src/site/index.js";
import { SiteInMemory } from "../site/site-in-memory.js";
import { FRAME_US } from "./api-frames.js";
import { MemoryRecordings } from "./memory/memory-recordings.js";

export const SERVER_ID = "11111111-0000-4000-8000-000000000001";
export const GATE_ID = "22222222-0000-4000-8000-000000000001";
export const YARD_ID = "22222222-0000-4000-8000-000000000002";
export const STORE_ID = "22222222-0000-4000-8000-000000000003";
export const ROOT_FOLDER_ID = "33333333-0000-4000-8000-000000000001";
export const OUTSIDE_FOLDER_ID = "33333333-0000-4000-8000-000000000002";
export const ADMINISTRATORS_ID = "44444444-0000-4000-8000-000000000001";
export const GUARDS_ID = "44444444-0000-4000-8000-000000000002";

/** MD5 of `secret`. */
export const ROOT_MD5 = "5ebe2294ecd0e0f08eab7690d2a6ee69";
/** The same as a configuration that is checked has it. */
export const ROOT_SECRET = `scrypt$16384$8$1$${"A".repeat(22)}$${"A".repeat(43)}`;
export const EMPTY_MD5 = "d41d8cd98f00b204e9800998ecf8427e";

export function rights(change: Partial<Record<GroupRight, boolean>> = {}): Record<GroupRight, boolean> {
  const all = Object.fromEntries(GROUP_RIGHTS.map((right) => [right, right !== "IsAllForbidden"]));
  return { ...(all as Record<GroupRight, boolean>), ...change };
}

export function streamSettings(change: Partial<StreamSettings> = {}): StreamSettings {
  return { enabled: false, format: "H264", additionalParams: "", rotationMode: "None", roles: [], ...change };
}

export function camera(id: Guid, name: string, change: Partial<Camera> = {}): Camera {
  return {
    id,
    name,
    description: "",
    disabled: false,
    ownerServerId: SERVER_ID,
    connection: {
      modelId: RTSP_MODEL.id,
      hostname: "rtsp://192.0.2.1/main",
      login: "viewer",
      password: "camera-password",
      soundReceivingEnabled: true,
      ptzEnabled: false,
      streams: {
        Main: streamSettings({ enabled: true, roles: ["Archive", "DesktopClient"] }),
        Alternative: streamSettings({
          enabled: true,
          format: "MJPEG",
          additionalParams: "rtsp://192.0.2.1/alt",
          roles: ["VideoAnalysis", "MobileClient"],
        }),
        SecondAlternative: streamSettings(),
        ThirdAlternative: streamSettings(),
      },
    },
    archive: {
      archivingDisabled: false,
      archivingMode: "AlwaysOn",
      archivingSoundDisabled: false,
      minDays: 0,
      maxDays: 30,
    },
    latitude: null,
    longitude: null,
    ...change,
  };
}

export function guardsGroup(change: Partial<UserGroup> = {}): UserGroup {
  return {
    id: GUARDS_ID,
    name: "Guards",
    comment: "night shift",
    seniorAdministrators: false,
    ptzPriority: "Low",
    ...DEFAULT_GROUP_PARTS,
    rights: rights({ CanConfigure: false }),
    realtimeChannels: [GATE_ID, YARD_ID],
    archiveChannels: [YARD_ID],
    ...change,
  };
}

/** Gives the guards of a configuration what a test says of their group. */
export async function changeGuards(site: SiteStore, change: Partial<UserGroup> = {}): Promise<void> {
  await site.change((current) => ({
    ...current,
    groups: current.groups.map((group) => (group.seniorAdministrators ? group : guardsGroup(change))),
  }));
}

/** Three cameras: Gate (Main is recorded), Yard (on the map), Store (switched off); root sees all, guard two. */
export function sampleSite(): Site {
  return {
    id: "55555555-0000-4000-8000-000000000001",
    revision: 7,
    appliedAtUs: 1_686_119_415_327_940,
    server: { id: SERVER_ID, name: "Recorder 1" },
    cameras: [
      camera(GATE_ID, "Gate"),
      camera(YARD_ID, 'Двор <north> & "south"', { description: "pole 4", latitude: 55.75, longitude: 37.61 }),
      camera(STORE_ID, "Store", { disabled: true }),
    ],
    rootSecurityObject: {
      id: ROOT_FOLDER_ID,
      name: null,
      children: [{ id: OUTSIDE_FOLDER_ID, name: "Outside", children: [], channelIds: [YARD_ID] }],
      channelIds: [GATE_ID, STORE_ID],
    },
    groups: [
      {
        id: ADMINISTRATORS_ID,
        name: "Senior administrators",
        comment: null,
        seniorAdministrators: true,
        ptzPriority: "High",
        ...DEFAULT_GROUP_PARTS,
        rights: rights(),
        realtimeChannels: "all",
        archiveChannels: "all",
      },
      guardsGroup(),
    ],
    users: [
      {
        id: "66666666-0000-4000-8000-000000000001",
        name: "root",
        groupId: ADMINISTRATORS_ID,
        secret: ROOT_MD5,
      },
      { id: "66666666-0000-4000-8000-000000000002", name: "guard", groupId: GUARDS_ID, secret: null },
    ],
    ...DEFAULT_SITE_PARTS,
  };
}

/** The configuration of the API's tests, whose secrets are MD5. */
export class MemorySiteStore extends SiteInMemory {
  constructor(site: Site = sampleSite()) {
    super(site, importableSite);
  }
}

/** The sample with passwords as they are stored, so that it can be imported again. */
export function importableSite(site: Site = sampleSite()): Site {
  const users = site.users.map((user) =>
    /^[0-9a-f]{32}$/.test(user.secret ?? "") ? { ...user, secret: ROOT_SECRET } : user,
  );
  return { ...site, users };
}

/** Compares the MD5 as it is kept in the sample site. Remembers verified logins per revision. */
export class MemoryAccess implements Access {
  /** Addresses that nobody has logged in from. */
  readonly strangers = new Set<string>();

  knowsAddress(address: string): boolean {
    return !this.strangers.has(address);
  }

  verifications = 0;
  readonly seen: Credentials[] = [];
  readonly #site: SiteStore;
  readonly #verified = new Map<string, number>();

  readonly #sessions: Sessions | undefined;

  constructor(site: SiteStore, sessions?: Sessions) {
    this.#site = site;
    this.#sessions = sessions;
  }

  recall(credentials: Credentials): Principal | undefined {
    this.seen.push(credentials);
    if ("hub" in credentials) return this.#hubPrincipal(credentials);
    if ("session" in credentials) return this.#sessions?.use(credentials.session, credentials.address);
    if (this.#verified.get(keyOf(credentials)) !== this.#site.current.revision) return undefined;
    return this.#principal(credentials.login);
  }

  async verify(credentials: Credentials): Promise<Principal> {
    this.verifications += 1;
    if ("session" in credentials || "hub" in credentials) throw sessionEnded();
    await Promise.resolve();
    const user = this.#site.current.users.find((candidate) => candidate.name === credentials.login);
    const password = credentials.password?.toLowerCase() ?? "";
    const plain = credentials.isPlainOrMd5 === true ? hash("md5", credentials.password ?? "") : undefined;
    const secret = user?.secret === ROOT_SECRET ? ROOT_MD5 : user?.secret;
    const right =
      secret === null ? ["", EMPTY_MD5].includes(password) : secret === password || secret === plain;
    if (user === undefined || !right) throw new NvrdError("UNAUTHORIZED", "login or password is wrong");
    this.#verified.set(keyOf(credentials), this.#site.current.revision);
    return this.#principal(credentials.login) ?? Promise.reject(new Error("no group"));
  }

  /** How far a hub goes; undefined: there is none. */
  admission: HubAdmission | undefined;

  #hubPrincipal({ hub }: HubCredentials): Principal | undefined {
    return this.admission === undefined ? undefined : new HubPrincipal(hub, this.admission);
  }

  #principal(login: string): Principal | undefined {
    const { users, groups } = this.#site.current;
    const user = users.find((candidate) => candidate.name === login);
    const group = groups.find((candidate) => candidate.id === user?.groupId);
    if (user === undefined || group === undefined) return undefined;
    const may = (channels: "all" | readonly Guid[]) => (id: Guid) =>
      !group.rights.IsAllForbidden && (channels === "all" || channels.includes(id));
    const mayWatchRealtime = may(group.realtimeChannels);
    const mayWatchArchive = may(group.archiveChannels);
    return {
      user,
      group,
      mayWatchRealtime,
      mayWatchArchive,
      maySee: (id) => mayWatchRealtime(id) || mayWatchArchive(id),
    };
  }
}

function keyOf({ login, password, isPlainOrMd5 }: LoginCredentials): string {
  return `${login}\n${password}\n${isPlainOrMd5 === true}`;
}

/** Live streams of every camera that is switched on. */
export class MemoryStreams implements StreamDirectory {
  readonly #streams = new Map<string, LiveStream>();
  readonly #site: SiteStore;

  constructor(site: SiteStore) {
    this.#site = site;
  }

  stream(channelId: Guid, streamType: StreamType): LiveStream | undefined {
    const found = this.#site.current.cameras.find((candidate) => candidate.id === channelId);
    if (found === undefined || found.disabled || !found.connection.streams[streamType].enabled)
      return undefined;
    const key: StreamKey = { channelId, streamType };
    const text = streamKeyText(key);
    const stream = this.#streams.get(text) ?? new LiveStream(key);
    this.#streams.set(text, stream);
    return stream;
  }

  /** The stream of a camera that a test knows to exist. */
  live(channelId: Guid, streamType: StreamType = "Main"): LiveStream {
    const stream = this.stream(channelId, streamType);
    if (stream === undefined) throw new Error("no such stream");
    return stream;
  }
}

/** Recordings in memory: frames by stream; a frame with `startsFragment` begins a fragment. */
export class MemoryArchive implements ArchiveAccess, RecordedAccess {
  /** What files are made of: what was recorded, or what a test puts in. */
  readonly recordings = new MemoryRecordings();
  /** Where they are taken from: a real archive in its place. */
  recordedFrom: RecordedAccess = this.recordings;
  readonly #frames = new Map<string, ArchivedFrame[]>();
  readonly #waiting = new Set<() => void>();
  readers = 0;
  /** What is read does not come. */
  isFarAway = false;
  batchFrames = 10;

  recorded(key: ArchiveKey, query: RecordedQuery): Iterable<RecordedSegment> {
    return this.recordedFrom.recorded(key, query);
  }

  openRecorded(segment: RecordedSegment, gone?: AbortSignal): Promise<RecordedFile> {
    return this.recordedFrom.openRecorded(segment, gone);
  }

  record(key: StreamKey, frames: readonly ArchivedFrame[]): void {
    const text = streamKeyText(key);
    const isSegment = frames.some((frame) => frame.key);
    const added = isSegment ? this.recordings.summary(key, this.recordings.add(key, frames)) : undefined;
    this.#frames.set(text, [...(this.#frames.get(text) ?? []), ...frames]);
    for (const wake of [...this.#waiting]) wake();
    for (const { decodeTimeUs } of frames)
      this.#kept.delete(dayText(key, Math.floor(decodeTimeUs / US_PER_DAY)));
    const change = added && { key, fromUs: added.fromUs, toUs: added.toUs, added };
    for (const listener of this.#changeListeners) listener(change);
  }

  /** Former cameras whose recordings belong to another camera, by it; what it records stays its own here. */
  readonly given = new Map<Guid, Guid>();

  givenRecordings(): readonly { formerId: Guid; channelId: Guid }[] {
    return [...this.given].map(([formerId, channelId]) => ({ formerId, channelId }));
  }

  giveRecordings(formerId: Guid, channelId: Guid): Promise<void> {
    this.given.set(formerId, channelId);
    return Promise.resolve();
  }

  takeBackRecordings(formerId: Guid): Promise<void> {
    this.given.delete(formerId);
    return Promise.resolve();
  }

  /** Channels whose recordings are to go. */
  readonly deletedChannels: Guid[] = [];

  /** Why what was recorded before the start is not known. */
  fault: string | undefined;
  /** Why recordings are missing. */
  lack: string | undefined;

  indexLack(): string | undefined {
    return this.lack;
  }

  /** What was recorded from this time on is known even so. */
  knownFromUs = Number.POSITIVE_INFINITY;

  indexFault(fromUs = 0): string | undefined {
    return fromUs >= this.knownFromUs ? undefined : this.fault;
  }

  /** What has to be fetched before a question, named by its arguments, can be answered; undefined: nothing. */
  needed: (question: string) => Promise<unknown> | undefined = () => undefined;

  /** Who waits for it now, and who left before it was there. */
  waiting = 0;
  gone = 0;

  /** From now on each question is answered when it is asked the second time. */
  coolDown(): void {
    const asked = new Set<string>();
    this.needed = (question) => {
      if (asked.has(question)) return undefined;
      asked.add(question);
      return Promise.resolve();
    };
  }

  #requireKnown(...question: readonly unknown[]): void {
    const known = this.needed(JSON.stringify(question));
    if (known === undefined) return;
    throw new RecordingsNeeded(known, () => {
      this.waiting += 1;
      return (isGone) => {
        this.waiting -= 1;
        if (isGone) this.gone += 1;
      };
    });
  }

  /** What is off the box alone. */
  readonly away: { readonly fromUs: number; readonly toUs: number }[] = [];

  awayOnly(_key: ArchiveKey, fromUs: number, toUs: number): { fromUs: number; toUs: number }[] {
    return cutTo(this.away, fromUs, toUs);
  }

  /** What is left as key frames alone. */
  readonly keyFrames: { readonly fromUs: number; readonly toUs: number }[] = [];

  keyFramesOnly(_key: ArchiveKey, fromUs: number, toUs: number): { fromUs: number; toUs: number }[] {
    return cutTo(this.keyFrames, fromUs, toUs);
  }

  /** Channels whose recordings have sound, besides the runs that have a frame of it. */
  readonly withSound = new Set<Guid>();
  readonly #changeListeners: RecordedChangeListener[] = [];

  hasSoundAt(key: StreamKey, timeUs: number): boolean | undefined {
    const [run] = this.fragments(key, timeUs, timeUs + 1);
    if (run === undefined) return undefined;
    const isInRun = ({ decodeTimeUs }: ArchivedFrame) =>
      decodeTimeUs >= run.fromUs && decodeTimeUs < run.toUs;
    return (
      this.withSound.has(key.channelId) ||
      this.#of(key).some((frame) => isAudioCodec(frame.codec) && isInRun(frame))
    );
  }

  readonly #kept = new Map<string, RecordedDay>();

  keptDay(key: StreamKey, day: number): RecordedDay | undefined {
    return this.#kept.get(dayText(key, day));
  }

  keepDay(key: StreamKey, day: number, recorded: RecordedDay): void {
    this.#kept.set(dayText(key, day), recorded);
  }

  onChange(listener: RecordedChangeListener): void {
    this.#changeListeners.push(listener);
  }

  hasChannel(channelId: Guid): boolean {
    if (this.given.has(channelId)) return false;
    const formers = [...this.given].flatMap(([former, owner]) => (owner === channelId ? [former] : []));
    return [channelId, ...formers].some((id) => [...this.#frames.keys()].some((key) => key.startsWith(id)));
  }

  /** Names that the volumes carry. */
  readonly names = new Map<Guid, string>();

  recordedName(channelId: Guid): string | undefined {
    return this.names.get(channelId);
  }

  recordedChannels(): RecordedChannel[] {
    const times = new Map<Guid, number[]>();
    for (const [text, frames] of this.#frames) {
      const [id = ""] = text.split("/");
      const pictures = frames.filter(({ codec }) => !isAudioCodec(codec));
      times.set(id, [...(times.get(id) ?? []), ...pictures.map(({ decodeTimeUs }) => decodeTimeUs)]);
    }
    return [...times].map(([id, all]) => ({
      ...{ id, fromUs: Math.min(...all), toUs: Math.max(...all) + FRAME_US },
    }));
  }

  async deleteChannel(channelId: Guid): Promise<void> {
    this.deletedChannels.push(channelId);
    for (const key of [...this.#frames.keys()]) if (key.startsWith(channelId)) this.#frames.delete(key);
  }

  writer(): StreamWriter {
    throw new Error("nothing is written in these tests");
  }

  retainWriters(): void {
    throw new Error("nothing is written in these tests");
  }

  fragments(key: ArchiveKey, fromUs: number, toUs: number): ArchiveFragment[] {
    this.#requireKnown(key, fromUs, toUs);
    const fragments: { id: Guid; fromUs: number; toUs: number }[] = [];
    for (const frame of this.#of(key)) {
      const last = fragments.at(-1);
      const endUs = frame.decodeTimeUs + (isAudioCodec(frame.codec) ? 0 : FRAME_US);
      if (last === undefined || frame.startsFragment) {
        const id = `77777777-0000-4000-8000-${String(fragments.length + 1).padStart(12, "0")}`;
        fragments.push({ id, fromUs: frame.decodeTimeUs, toUs: endUs });
      } else last.toUs = Math.max(last.toUs, endUs);
    }
    return fragments.filter((fragment) => fragment.fromUs < toUs && fragment.toUs > fromUs);
  }

  nearestFrameUs(key: ArchiveKey, timeUs: number): number | undefined {
    this.#requireKnown(key, timeUs);
    let nearest: number | undefined;
    for (const { codec, key: isKey, decodeTimeUs } of this.#of(key)) {
      if (!isKey || isAudioCodec(codec)) continue;
      if (nearest === undefined || Math.abs(decodeTimeUs - timeUs) < Math.abs(nearest - timeUs))
        nearest = decodeTimeUs;
    }
    return nearest;
  }

  hasArchiveAt(key: ArchiveKey, timeUs: number): boolean {
    return this.fragments(key, timeUs, timeUs + 1).length > 0;
  }

  read(key: ArchiveKey, options: ReadOptions): ArchiveReader {
    let closed = false;
    const frames = (): ArchivedFrame[] => this.#of(key);
    // Sound is always key, and no reader begins with it.
    const start = frames().findLastIndex(
      (frame) => frame.key && !isAudioCodec(frame.codec) && frame.decodeTimeUs <= options.fromUs,
    );
    let at =
      start >= 0 && this.hasArchiveAt(key, options.fromUs)
        ? start
        : frames().findIndex((frame) => frame.decodeTimeUs >= options.fromUs);
    if (at < 0) at = frames().length;
    let wake: () => void = () => undefined;
    this.readers += 1;
    return {
      next: async () => {
        if (options.endsAtEdge === true && at >= frames().length) return [];
        while (!closed && (this.isFarAway || at >= frames().length)) {
          if (!this.isFarAway) options.onEdge?.();
          await new Promise<void>((resolve) => {
            wake = resolve;
            this.#waiting.add(resolve);
          });
          this.#waiting.delete(wake);
        }
        const batch = closed ? [] : frames().slice(at, at + this.batchFrames);
        at += batch.length;
        return batch.filter((frame) => options.videoOnly !== true || !isAudioCodec(frame.codec));
      },
      close: () => {
        if (!closed) this.readers -= 1;
        closed = true;
        wake();
      },
    };
  }

  /** What was recorded is gone, as after retention. */
  forget(key: StreamKey): void {
    this.#frames.delete(streamKeyText(key));
  }

  /** Several streams are not joined here: the first that has anything stands for them. */
  #of(key: ArchiveKey): ArchivedFrame[] {
    const { channelId } = key;
    const texts = streamTypesOf(key).map((streamType) => streamKeyText({ channelId, streamType }));
    return this.#frames.get(texts.find((text) => this.#frames.has(text)) ?? "") ?? [];
  }
}

function dayText(key: StreamKey, day: number): string {
  return `${streamKeyText(key)} ${day}`;
}

function cutTo(spans: readonly Interval[], fromUs: number, toUs: number): Interval[] {
  return spans
    .filter((span) => span.fromUs < toUs && span.toUs > fromUs)
    .map((span) => ({ fromUs: Math.max(span.fromUs, fromUs), toUs: Math.min(span.toUs, toUs) }));
}
