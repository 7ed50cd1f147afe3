import { createHash } from "node:crypto";
import { hashNewPassword, ReadablePasswords, SiteAccess } from "../../../src/access/index.js";
import type { ArchivedFrame } from "../../../src/archive/index.js";
import { createLog, type Guid, NvrdError, newGuid, type StreamType } from "../../../src/base/index.js";
import {
  type CameraFailure,
  NO_PTZ,
  type PtzCapabilities,
  type PtzCommand,
  type PtzPosition,
  type PtzRequest,
} from "../../../src/camera/index.js";
import { EVENT_TYPES, type EventRecord } from "../../../src/event/index.js";
import { LiveStream } from "../../../src/live/index.js";
import { OnvifDevice, type OnvifUser } from "../../../src/onvif/index.js";
import { MotionStates, SeenStates } from "../../../src/recording/index.js";
import type { Camera } from "../../../src/site/index.js";
import { SimulatedClock } from "../base/simulated-clock.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { MemoryEventLog } from "../event/memory-event-log.js";
import { MemorySite, testCamera } from "../site/memory-site.js";
import {
  NAMESPACES,
  question,
  readReply,
  type SoapLogin,
  type SoapReply,
  usernameToken,
} from "./soap-questions.js";

const log = createLog({ level: "silent" });

export const ALICE: SoapLogin = { login: "alice", password: "Alice's sentence" };
/** May log in, and may not use ONVIF. */
export const BOB: SoapLogin = { login: "bob", password: "Bob's sentence" };

interface Asked {
  readonly content?: string;
  readonly login?: SoapLogin;
  readonly security?: string;
  readonly authorization?: string;
  readonly address?: string;
  readonly host?: string;
  readonly namespace?: string;
  readonly signal?: AbortSignal;
}

/** The device at the room's door: with two cameras, of which alice sees one, and a simulated clock. */
export class MemoryDevice {
  readonly clock = new SimulatedClock();
  readonly gate: Camera;
  readonly hidden: Camera;
  readonly site: MemorySite;
  readonly events = new MemoryEventLog(this.clock);
  readonly motion = new MotionStates(this.clock);
  readonly seen = new SeenStates(this.clock);
  readonly directory = new TemporaryDirectory("onvif-device");
  readonly commands: PtzCommand[] = [];
  readonly recorded = new Map<Guid, readonly { readonly fromUs: number; readonly toUs: number }[]>();
  /** Instead of what is in `recorded`. */
  archiveFragments:
    | ((
        id: Guid,
        fromUs: number,
        toUs: number,
      ) => readonly { readonly fromUs: number; readonly toUs: number }[])
    | undefined;
  hasSoundAt: (timeUs: number) => boolean | undefined = () => undefined;
  /** What a reader of recordings reads. */
  framesAt: (fromUs: number) => readonly ArchivedFrame[] = () => [];
  closedReaders = 0;
  rtspPort = 554;
  mayMove = true;
  isShown: (event: EventRecord) => boolean = () => true;
  mayKeepPresets = true;
  can: PtzCapabilities = { ...NO_PTZ, panTilt: true, presets: [{ index: 3, name: "Door" }], presetsMax: 9 };
  position: PtzPosition = {};
  /** Of the camera, for every command. */
  refusal: CameraFailure | undefined;
  access!: SiteAccess;
  device!: OnvifDevice;
  passwords!: ReadablePasswords;
  readonly #streams = new Map<string, LiveStream>();

  private constructor() {
    const ptz = (camera: Camera): Camera => ({
      ...camera,
      connection: { ...camera.connection, ptzEnabled: true },
    });
    this.gate = ptz(testCamera({ name: "Gate" }));
    this.hidden = testCamera({ name: "Hidden" });
    this.site = new MemorySite([this.gate, this.hidden]);
  }

  static async create(): Promise<MemoryDevice> {
    const made = new MemoryDevice();
    const { site, clock } = made;
    made.passwords = made.readPasswords();
    for (const { login, password } of [ALICE, BOB]) await made.setPassword(login, password);
    made.access = new SiteAccess({ site, clock, log, readable: made.passwords });
    made.device = made.#device();
    return made;
  }

  /** As a start of the service reads them. */
  readPasswords(users: readonly string[] = [ALICE.login]): ReadablePasswords {
    const { site, clock } = this;
    const dataDir = this.directory.path;
    const passwords = new ReadablePasswords({ users: () => users, dataDir, site, clock, log });
    passwords.start();
    return passwords;
  }

  async setPassword(login: string, password: string): Promise<void> {
    const secret = await hashNewPassword(password);
    await this.site.change((site) => {
      const user = { id: newGuid(), name: login, groupId: site.groups[0]?.id ?? "", secret };
      const others = site.users.filter(({ name }) => name !== login);
      const before = site.users.find(({ name }) => name === login);
      return { ...site, users: [...others, { ...user, id: before?.id ?? user.id }] };
    });
  }

  /** Asks as a client does. */
  async ask(service: string, operation: string, asked: Asked = {}): Promise<SoapReply> {
    const known = service.split(".", 1)[0] as keyof typeof NAMESPACES;
    const security = asked.security ?? (asked.login === undefined ? "" : this.token(asked.login));
    const text = question(asked.namespace ?? NAMESPACES[known], operation, asked.content, security);
    return await this.send(service, text, asked);
  }

  token(login: SoapLogin, options: { readonly nonce?: Buffer; readonly created?: string } = {}): string {
    return usernameToken(login, { created: this.time(), ...options });
  }

  /** The recorder's time, and so many seconds later. */
  time(offsetSeconds = 0): string {
    return new Date(this.clock.nowUs() / 1000 + offsetSeconds * 1000).toISOString();
  }

  async send(service: string, text: string | Uint8Array, asked: Asked = {}): Promise<SoapReply> {
    const answer = await this.device.answer({
      path: `/onvif/${service}`,
      method: "POST",
      body: Buffer.from(text),
      authorization: asked.authorization,
      host: asked.host ?? "192.0.2.1:8080",
      isSecure: false,
      address: asked.address ?? "192.0.2.7",
      signal: asked.signal ?? new AbortController().signal,
    });
    const headers = new Headers();
    for (const [name, value] of answer?.headers ?? []) headers.append(name, value);
    return readReply(answer?.status ?? 404, headers, Buffer.from(answer?.body ?? []).toString());
  }

  /** An input of the gate's camera, as the event log has it. */
  input(active: boolean, channelId = this.gate.id): void {
    const typeId = (active ? EVENT_TYPES.inputActivated : EVENT_TYPES.inputDeactivated).id;
    this.events.raise({ typeId, channelId, comment: "Door" });
  }

  async close(): Promise<void> {
    this.device.stop();
    await this.passwords.stop();
    await this.access.stop();
    this.directory.remove();
  }

  #device(): OnvifDevice {
    const { site, clock, events, motion, seen } = this;
    const stream = (channelId: Guid, streamType: StreamType) => this.#stream(channelId, streamType);
    return new OnvifDevice({
      ...{ site, clock, log, events, motion, seen, streams: { stream }, version: "1.2.3" },
      verify: (credentials) => this.access.verify(credentials),
      prove: (proof) => this.access.prove(proof),
      isAllowed: (name) => this.passwords.isFor(name),
      userOf: ({ user }) => this.#user(user.id, user.name),
      ports: () => ({ httpPort: 8080, httpsPort: 0, rtspPort: this.rtspPort }),
      ptz: {
        capabilities: async () => this.can,
        position: async () => this.position,
        perform: async ({ command }: PtzRequest) => {
          this.commands.push(command);
          if (this.refusal !== undefined) throw this.refusal;
          return command.kind === "save-preset" ? { presetIndex: command.index ?? 7 } : {};
        },
      },
      archive: {
        indexFault: () => undefined,
        hasSoundAt: (_, timeUs) => this.hasSoundAt(timeUs),
        hasArchiveAt: ({ channelId }, timeUs) =>
          (this.recorded.get(channelId) ?? []).some((one) => one.fromUs <= timeUs && timeUs < one.toUs),
        read: (_, { fromUs }) => {
          let isRead = false;
          return {
            next: async () => {
              const frames = isRead ? [] : this.framesAt(fromUs);
              isRead = true;
              return frames;
            },
            close: () => {
              this.closedReaders += 1;
            },
          };
        },
        fragments: ({ channelId }, fromUs, toUs) =>
          (this.archiveFragments?.(channelId, fromUs, toUs) ?? this.recorded.get(channelId) ?? [])
            .filter((one) => one.fromUs < toUs && one.toUs > fromUs)
            .map((one) => ({ ...one, id: newGuid() })),
        nearestFrameUs: ({ channelId }, timeUs) => {
          const all = this.recorded.get(channelId) ?? [];
          return timeUs === 0 ? all[0]?.fromUs : all.at(-1)?.fromUs;
        },
      },
    });
  }

  #stream(channelId: Guid, streamType: StreamType): LiveStream | undefined {
    if (streamType !== "Main") return undefined;
    const known = this.#streams.get(channelId) ?? new LiveStream({ channelId, streamType });
    this.#streams.set(channelId, known);
    return known;
  }

  #user(id: Guid, name: string): OnvifUser {
    if (name === "nobody") throw new NvrdError("FORBIDDEN", "your group may do nothing here");
    const mayWatch = (channelId: Guid): boolean => channelId !== this.hidden.id;
    return {
      who: { id, name, priority: "Highest" },
      maySee: mayWatch,
      mayWatch,
      mayReplay: mayWatch,
      mayHear: true,
      mayMove: this.mayMove,
      mayKeepPresets: this.mayKeepPresets,
      shown: (event) => (this.isShown(event) ? event : undefined),
    };
  }
}

/** An Authorization header as a client makes it from a challenge. */
export function digestHeader(
  challenge: string,
  { login, password }: SoapLogin,
  { uri = "/onvif/device_service", count = 1, cnonce = "c0ffee" } = {},
): string {
  const of = (name: string): string => new RegExp(`${name}="?([^",]+)`).exec(challenge)?.[1] ?? "";
  const algorithm = of("algorithm");
  const hash = (text: string): string =>
    createHash(algorithm === "MD5" ? "md5" : "sha256")
      .update(text)
      .digest("hex");
  const [realm, nonce, nc] = [of("realm"), of("nonce"), count.toString(16).padStart(8, "0")];
  const secret = hash(`${login}:${realm}:${password}`);
  const response = hash(`${secret}:${nonce}:${nc}:${cnonce}:auth:${hash(`POST:${uri}`)}`);
  return (
    `Digest username="${login}", realm="${realm}", nonce="${nonce}", uri="${uri}", algorithm=${algorithm}, ` +
    `qop=auth, nc=${nc}, cnonce="${cnonce}", response="${response}"`
  );
}
