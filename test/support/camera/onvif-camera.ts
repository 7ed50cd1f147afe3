import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { generate } from "selfsigned";
import { ANSWERS, type DeviceFacts, PTZ_PRESETS } from "./onvif-camera-answers.js";
import { cardAnswer } from "./onvif-camera-card.js";
import { ScriptedPullPoints } from "./onvif-camera-events.js";
import { ScriptedLogin } from "./onvif-camera-login.js";
import { ScriptedMasks } from "./onvif-camera-masks.js";
import type { ScriptedEvent } from "./onvif-camera-messages.js";
import { ScriptedNotifier } from "./onvif-camera-notify.js";
import { insteadOf, sendAnswer, soapAnswer, type WholeAnswer } from "./onvif-camera-quirks.js";
import { faultBody } from "./onvif-camera-soap.js";
import {
  MAIN_PROFILE,
  MAKERS,
  type MakerStyle,
  type OnvifCameraOptions,
  type Quirk,
  type ScriptedProfile,
  SUB_PROFILE,
} from "./onvif-camera-types.js";

export type { ScriptedEvent } from "./onvif-camera-messages.js";
export * from "./onvif-camera-types.js";

const UUID = "4c1a9b70-0000-4000-8000-b8a44f000001";
const REQUEST_BYTES_MAX = 64 * 1024;
/** Operations that everyone may ask (ONVIF Core, PRE_AUTH). */
const PRE_AUTH = new Set([
  "GetSystemDateAndTime",
  "GetServices",
  "GetCapabilities",
  "GetEndpointReference",
  "GetServiceCapabilities",
]);
/** SOI, a comment, EOI: enough to be told from a web page. */
const SMALL_JPEG = Buffer.from("ffd8fffe000b736e617073686f74ffd9", "hex");

/** A scripted ONVIF device: Device, Media, Media2, PTZ, events by pull point or pushed, snapshots; with the quirks it is given. */
export class OnvifCamera {
  #options: OnvifCameraOptions;
  readonly #style: MakerStyle;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #login: ScriptedLogin;
  #port = 0;
  readonly pullPoints = new ScriptedPullPoints(() => this.#now());
  readonly notifier = new ScriptedNotifier(
    () => this.#now(),
    () => this.#options.prefixes ?? this.#style.prefixes,
  );
  /** Operations that were asked, in order, with the service: `media2 GetProfiles`. */
  readonly calls: string[] = [];
  /** Outputs that were switched: token and state. */
  readonly relayCommands: string[] = [];
  /** Its privacy masks; none unless the options say so. */
  readonly masks: ScriptedMasks;
  /** Levels that loudspeakers were set to, with the rest of the configuration. */
  readonly loudspeakerCommands: string[] = [];
  /** PTZ operations with their whole requests. */
  readonly ptzCommands: { readonly operation: string; readonly body: string }[] = [];
  /** Names of PTZ presets by their tokens. */
  readonly presets = new Map<string, string>(PTZ_PRESETS);
  /** Most connections that were open at once. */
  connectionsMax = 0;
  connections = 0;

  private constructor(options: OnvifCameraOptions, server: Server) {
    this.#options = options;
    this.masks = new ScriptedMasks(options.masks);
    this.#style = MAKERS[options.maker ?? "axis"];
    this.#server = server;
    this.#login = this.#makeLogin();
    server.on(options.tls === true ? "secureConnection" : "connection", (socket: Socket) => {
      this.#sockets.add(socket);
      this.connections += 1;
      this.connectionsMax = Math.max(this.connectionsMax, this.#sockets.size);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => socket.destroy());
    });
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch((error: unknown) => {
        console.error("the scripted camera failed:", error);
        response.destroy();
      });
    });
  }

  /** A camera that answers at `address`. */
  static async start(options: OnvifCameraOptions = {}): Promise<OnvifCamera> {
    const camera = new OnvifCamera(options, await makeServer(options.tls === true));
    await camera.listen();
    return camera;
  }

  /** Answers (again), at the port it had before. */
  async listen(): Promise<void> {
    this.#server.listen(this.#port || (this.#options.port ?? 0), this.#options.host ?? "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Goes from the network; `listen` brings it back. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.pullPoints.forget();
    this.notifier.forget();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Changes the device while it runs: its clock, password, profiles, quirks. */
  change(options: Partial<OnvifCameraOptions>): void {
    this.#options = { ...this.#options, ...options };
    const { refusals, plainPasswords, logins } = this.#login;
    this.#login = this.#makeLogin();
    Object.assign(this.#login, { refusals, plainPasswords, logins });
  }

  /** Queues an event at every pull point, and sends it to every consumer. */
  emit(event: ScriptedEvent): void {
    this.pullPoints.emit(event);
    this.notifier.emit(event);
  }

  get port(): number {
    return this.#port;
  }

  /** `host:port`. */
  get address(): string {
    return `${urlHost(this.#options.host ?? "127.0.0.1")}:${this.#port}`;
  }

  get identity(): string {
    return `urn:uuid:${this.#options.uuid ?? UUID}`;
  }

  /** Logins with a wrong password or time. */
  get refusals(): number {
    return this.#login.refusals;
  }

  /** Requests that carried a login of any kind. */
  get logins(): number {
    return this.#login.logins;
  }

  /** Passwords that were sent by Basic. */
  get plainPasswords(): number {
    return this.#login.plainPasswords;
  }

  #makeLogin(): ScriptedLogin {
    return new ScriptedLogin({
      demand: this.#options.auth ?? this.#style.auth,
      login: this.#options.login ?? "admin",
      password: this.#options.password ?? "Secret#1",
      now: () => this.#now(),
      oneNonceARequest: this.#quirks("").has("one-nonce-a-request"),
      offersDigest: this.#quirks("").has("offers-digest"),
      coversBody: this.#quirks("").has("auth-int"),
    });
  }

  #now(): Date {
    return new Date(Date.now() + (this.#options.clockOffsetMs ?? 0));
  }

  #quirks(operation: string): Set<Quirk> {
    const scripted = this.#options.quirks ?? [];
    const given = scripted.filter((entry) => typeof entry === "string" || entry.on === operation);
    return new Set(given.map((entry) => (typeof entry === "string" ? entry : entry.quirk)));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const path = request.url ?? "";
    const { httpDate, httpDateUnzoned = false } = this.#options;
    response.sendDate = httpDate === undefined;
    if (typeof httpDate === "number") {
      const date = new Date(this.#now().getTime() + httpDate).toUTCString();
      response.setHeader("Date", httpDateUnzoned ? date.replace(/ GMT$/, "") : date);
    }
    if (request.method === "GET") {
      await this.#serveSnapshot(request, response);
      return;
    }
    const operation = /Body>\s*<(?:[\w-]+:)?(\w+)/.exec(body)?.[1] ?? "";
    const service = serviceOf(path);
    this.calls.push(`${service} ${operation}`);
    const quirks = this.#quirks(operation);
    const prefixes = this.#options.prefixes ?? this.#style.prefixes;
    let answer = this.#refusal(request, response, { operation, body });
    answer ??= await this.#answer({ service, operation, path, body });
    for (const quirk of quirks) answer = insteadOf(quirk, answer, prefixes) ?? answer;
    await sendAnswer(response, answer, quirks, this.#options.delayMs ?? 100);
  }

  /** What an answer is until the login is right; undefined when it is, or none is needed. */
  #refusal(
    request: IncomingMessage,
    response: ServerResponse,
    { operation, body }: { readonly operation: string; readonly body: string },
  ): WholeAnswer | undefined {
    const isSecret = operation === "GetEndpointReference" && this.#options.endpointReference === "user";
    if (PRE_AUTH.has(operation) && !isSecret) return undefined;
    if (isSecret && !/UsernameToken/.test(body) && request.headers.authorization === undefined) {
      return { status: 400, type: "text/plain", body: Buffer.from("Bad Request") };
    }
    const { authorization } = request.headers;
    if (this.#login.check({ method: "POST", authorization, body }) === "granted") return undefined;
    const challenge = this.#login.challenge();
    const fault = faultBody({ code: "Sender", subcodes: ["NotAuthorized"], reason: "Sender not Authorized" });
    if (challenge.length > 0) response.setHeader("WWW-Authenticate", challenge);
    return soapAnswer(
      fault,
      this.#options.prefixes ?? this.#style.prefixes,
      challenge.length > 0 ? 401 : 400,
    );
  }

  async #answer(call: {
    readonly service: string;
    readonly operation: string;
    readonly path: string;
    readonly body: string;
  }): Promise<WholeAnswer> {
    const { service, operation, path, body } = call;
    const prefixes = this.#options.prefixes ?? this.#style.prefixes;
    const facts = this.#facts(operation);
    const isMissing = operation === "GetEndpointReference" && this.#options.endpointReference === "none";
    let text = isMissing ? undefined : ANSWERS[`${service} ${operation}`]?.(facts, body);
    if (text === undefined && service === (this.#options.relayService ?? "device"))
      text = this.#relays(service, operation, body);
    if (text === undefined && service === "media2") text = this.masks.answer(operation, body);
    if (text === undefined && service === "media") text = this.#loudspeakers(operation, body);
    if (text === undefined && (service === "ptz" || service === "imaging")) text = this.#ptz(operation, body);
    const { card } = this.#options;
    if (text === undefined && card !== undefined && (service === "search" || service === "replay"))
      text = cardAnswer(card, operation, body, this.#now());
    if (text === undefined && (service === "events" || service === "subscription")) {
      text = await this.#events(path, operation, body, facts.origin);
    }
    if (text !== undefined) return soapAnswer(text, prefixes);
    const fault = faultBody({ code: "Sender", subcodes: ["ActionNotSupported"], reason: "no such action" });
    return soapAnswer(fault, prefixes, 400);
  }

  async #events(path: string, operation: string, body: string, origin: string): Promise<string | undefined> {
    const { events, pushesEvents = events === "base-notification", topicSet } = this.#options;
    if (operation === "GetEventProperties" && topicSet !== undefined)
      return `<tev:GetEventPropertiesResponse><wsnt:FixedTopicSet xmlns:wsnt="http://docs.oasis-open.org/wsn/b-2">true</wsnt:FixedTopicSet><wstop:TopicSet xmlns:wstop="http://docs.oasis-open.org/wsn/t-1" xmlns:tns1="http://www.onvif.org/ver10/topics">${topicSet}</wstop:TopicSet></tev:GetEventPropertiesResponse>`;
    const pulled =
      events === "base-notification"
        ? undefined
        : await this.pullPoints.answer(path, operation, body, origin);
    return pulled ?? (pushesEvents ? await this.notifier.answer(path, operation, body, origin) : undefined);
  }

  #relays(service: string, operation: string, body: string): string | undefined {
    const { relays } = this.#options;
    const prefix = service === "device" ? "tds" : "tmd";
    if (relays === undefined) return undefined;
    if (operation === "SetRelayOutputState") {
      const value = (name: string) => new RegExp(`${name}>([^<]*)<`).exec(body)?.[1] ?? "";
      this.relayCommands.push(`${value("RelayOutputToken")} ${value("LogicalState")}`);
      return `<${prefix}:SetRelayOutputStateResponse/>`;
    }
    if (operation !== "GetRelayOutputs") return undefined;
    const outputs = relays.map(([token, pulse]) => {
      const mode = pulse === undefined ? "Bistable" : "Monostable";
      return `<${prefix}:RelayOutputs token="${token}"><tt:Properties><tt:Mode>${mode}</tt:Mode><tt:DelayTime>PT${pulse ?? 0}S</tt:DelayTime><tt:IdleState>open</tt:IdleState></tt:Properties></${prefix}:RelayOutputs>`;
    });
    return `<${prefix}:GetRelayOutputsResponse>${outputs.join("")}</${prefix}:GetRelayOutputsResponse>`;
  }

  #loudspeakers(operation: string, body: string): string | undefined {
    const { loudspeakers } = this.#options;
    if (loudspeakers === undefined || !operation.includes("AudioOutputConfiguration")) return undefined;
    if (operation === "SetAudioOutputConfiguration") {
      this.loudspeakerCommands.push(body);
      return "<trt:SetAudioOutputConfigurationResponse/>";
    }
    const { levels, min, max } = loudspeakers;
    if (operation === "GetAudioOutputConfigurationOptions") {
      const range = `<tt:OutputLevelRange><tt:Min>${min}</tt:Min><tt:Max>${max}</tt:Max></tt:OutputLevelRange>`;
      return `<trt:${operation}Response><trt:Options><tt:OutputTokensAvailable>o</tt:OutputTokensAvailable>${range}</trt:Options></trt:${operation}Response>`;
    }
    const configurations = levels.map(
      (level, index) =>
        `<trt:Configurations token="out${index}"><tt:Name>Loud &amp; clear</tt:Name><tt:UseCount>1</tt:UseCount><tt:OutputToken>o</tt:OutputToken><tt:OutputLevel>${level}</tt:OutputLevel></trt:Configurations>`,
    );
    return `<trt:${operation}Response>${configurations.join("")}</trt:${operation}Response>`;
  }

  #ptz(operation: string, body: string): string | undefined {
    if (
      !/^(ContinuousMove|RelativeMove|AbsoluteMove|Stop|Goto\w+|Set\w+|Remove\w+|Send\w+)$/.test(operation)
    ) {
      return undefined;
    }
    if (this.#options.ptzRefusesTimeout === true && body.includes("Timeout>")) return undefined;
    this.ptzCommands.push({ operation, body });
    const [, token = String(100 + this.presets.size)] = /PresetToken>([^<]*)</.exec(body) ?? [];
    if (operation === "SetPreset") this.presets.set(token, /PresetName>([^<]*)</.exec(body)?.[1] ?? "");
    if (operation === "RemovePreset") this.presets.delete(token);
    if (operation === "SetPreset")
      return `<tptz:SetPresetResponse><tptz:PresetToken>${token}</tptz:PresetToken></tptz:SetPresetResponse>`;
    return `<${operation === "SetImagingSettings" ? "timg" : "tptz"}:${operation}Response/>`;
  }

  async #serveSnapshot(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.calls.push(`snapshot ${request.url}`);
    const quirks = this.#quirks("snapshot");
    const challenge = this.#login.challenge();
    const isBasic = challenge[0]?.startsWith("Basic") === true;
    const { authorization } = request.headers;
    const login = { method: "GET", authorization, body: "" };
    if (authorization?.startsWith("Basic ")) this.#login.plainPasswords += 1;
    const granted = challenge.length === 0 || (authorization !== undefined && this.#login.http(login));
    if (!granted && authorization !== undefined && !isBasic) this.#login.refusals += 1;
    if (!granted) response.setHeader("WWW-Authenticate", challenge);
    const picture = { status: 200, type: "image/jpeg", body: this.#options.snapshot ?? SMALL_JPEG };
    let answer = granted ? picture : { status: 401, type: "text/html", body: Buffer.from("401") };
    for (const quirk of quirks) answer = insteadOf(quirk, answer, "s") ?? answer;
    await sendAnswer(response, answer, quirks, this.#options.delayMs ?? 100);
  }

  #facts(operation: string): DeviceFacts {
    const options = this.#options;
    const profiles = options.profiles ?? [MAIN_PROFILE, SUB_PROFILE];
    const wrong = this.#quirks(operation).has("wrong-addresses");
    const host = wrong ? "192.168.0.64" : (options.advertised?.host ?? options.host ?? "127.0.0.1");
    const port = options.advertised?.port ?? this.#port;
    const numbered = (path: string, profile: ScriptedProfile): string =>
      path.replaceAll("{n}", String(profiles.indexOf(profile) + 1));
    const { rtspUrl } = options;
    const origin = `${options.tls === true ? "https" : "http"}://${urlHost(host)}:${port}`;
    return {
      options,
      style: this.#style,
      uuid: options.uuid ?? UUID,
      profiles,
      origin,
      rtspUrl: (profile) => {
        if (typeof rtspUrl === "string") return rtspUrl;
        const own = `rtsp://${urlHost(host)}:${options.advertised?.rtspPort ?? 554}${this.#style.streamPath}`;
        return rtspUrl?.(profile) ?? numbered(own, profile);
      },
      snapshotUrl: (profile) => numbered(`${origin}${this.#style.snapshotPath}`, profile),
      presets: this.presets,
      now: () => this.#now(),
      bareAmpersands: this.#quirks(operation).has("bare-ampersand"),
    };
  }
}

/** An IPv6 address stands in brackets. */
function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function serviceOf(path: string): string {
  return /^\/onvif\/(\w+?)(?:_service)?(?:\?|$)/.exec(path)?.[1] ?? path;
}

async function makeServer(tls: boolean): Promise<Server> {
  if (!tls) return createServer();
  const made = await generate([{ name: "commonName", value: "camera" }], { keySize: 2048 });
  return createSecureServer({ key: made.private, cert: made.cert });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > REQUEST_BYTES_MAX) throw new Error("a request of more than 64 KB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
