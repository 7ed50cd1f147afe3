import { randomBytes } from "node:crypto";
import { type ClockTimer, endsWithin, errorText, MS_PER_SECOND } from "../../base/index.js";
import { Codec, codecName } from "../../live/index.js";
import { headerOf, isSuccess, type RtspResponse } from "../message/rtsp-message.js";
import type { MediaTrack } from "../rtp/types.js";
import { ControlTries } from "./control-tries.js";
import { KeepAlive } from "./keep-alive.js";
import { type DialogueOptions, RtspDialogue } from "./rtsp-dialogue.js";
import { droppedSession, RtspFailure, statusFailure } from "./rtsp-failure.js";
import type { SessionOffer } from "./sdp/sdp.js";
import {
  keepAliveMethods,
  parseSessionHeader,
  parseTransportHeader,
  SESSION_TIMEOUT_S_DEFAULT,
} from "./session-headers.js";
import { protectedTransport, usableTransports } from "./socket/srtp-transport.js";
import {
  InterleavedTransport,
  type TrackTransport,
  type TransportKind,
  UdpTransport,
} from "./track-transport.js";

/** Asks for the back channel (ONVIF Streaming, 5.3.1). */
const REQUIRE = { Require: "www.onvif.org/ver20/backchannel" };
const OPTION_NOT_SUPPORTED = 551;
const UNSUPPORTED_TRANSPORT = 461;
const RTP_HEADER_BYTES = 12;
const RTP_VERSION_2 = 0x80;
const MARKER = 0x80;
const G711_RATE = 8000;
/** The best first: G.711 costs nothing, and every camera with a loudspeaker should take it. */
const CODECS: readonly Codec[] = [Codec.PCMU, Codec.PCMA, Codec.AAC];

interface BackChannelOptions extends Omit<DialogueOptions, "describeHeaders"> {
  /** In the order to try. */
  readonly transports: readonly TransportKind[];
  /** What is going to be sent is AAC already: a track that takes it as it is goes before others. */
  readonly spokenAac?: SpokenAac;
}

/** A format of AAC. */
export interface SpokenAac {
  readonly sampleRate: number;
  readonly channels: number;
  /** AudioSpecificConfig. */
  readonly initialization: Uint8Array;
}

/** What the camera takes. */
export interface SoundWanted extends Pick<MediaTrack, "codec" | "clockRate"> {
  /** It takes the AAC that is spoken as it is. */
  readonly isAsSpoken?: boolean;
}

/** A session in which a camera is sent sound and sends nothing itself: on a connection of its own, from DESCRIBE to TEARDOWN. */
export class BackChannel {
  readonly #options: BackChannelOptions;
  readonly #dialogue: RtspDialogue;
  readonly #ssrc = randomBytes(4);
  readonly #timestampBase = randomBytes(4).readUInt32BE();
  #sequence = randomBytes(2).readUInt16BE();
  #transport: TrackTransport | undefined;
  #track: MediaTrack | undefined;
  #control = "";
  readonly #controlTries = new ControlTries();
  #sessionId: string | undefined;
  #timeoutS = SESSION_TIMEOUT_S_DEFAULT;
  #timer: ClockTimer | undefined;
  #earlyFailure: RtspFailure | undefined;
  #state: "opening" | "open" | "closed" = "opening";

  constructor(options: BackChannelOptions) {
    this.#options = options;
    this.#dialogue = new RtspDialogue({
      ...options,
      describeHeaders: REQUIRE,
      onFailure: (failure) => this.#end(failure),
    });
  }

  /** The camera took the login as a digest. */
  get tookDigest(): boolean {
    return this.#dialogue.tookDigest;
  }

  get transport(): TransportKind | undefined {
    return this.#transport?.kind;
  }

  /** Resolves when the camera listens; rejects with RtspFailure. */
  async open(): Promise<SoundWanted> {
    try {
      const wanted = await this.#controlTries.open(
        () => this.#start(),
        () => this.#startOver(),
      );
      this.#live();
      return wanted;
    } catch (error) {
      this.#abandon();
      throw error;
    }
  }

  async #start(): Promise<SoundWanted> {
    const offer = await this.#describe();
    this.#earlyFailure = undefined;
    this.#control = offer.aggregateControl;
    const { spokenAac } = this.#options;
    const same = spokenAac === undefined ? undefined : trackFor(offer, spokenAac);
    const track = same ?? chooseTrack(offer);
    this.#track = track;
    await this.#setUp(track);
    const response = await this.#controlTries.ask("PLAY", offer.aggregateControls, (url) => {
      this.#control = url;
      return this.#request("PLAY", url, REQUIRE);
    });
    if (!isSuccess(response.status)) throw statusFailure(response.status, response.reason, "PLAY");
    const { codec, clockRate } = track;
    return { codec, clockRate, isAsSpoken: same !== undefined };
  }

  /** The camera hung up at one reading of its description. */
  #startOver(): void {
    this.#transport?.close();
    this.#transport = undefined;
    this.#sessionId = undefined;
  }

  /**
   * Sends a packet, once the camera listens.
   * @param timestamp In units of the clock rate, from the beginning of the sound.
   * @param isFirst The first after silence, or the end of a unit of AAC.
   */
  send(payload: Uint8Array, timestamp: number, isFirst: boolean): void {
    const track = this.#track;
    if (this.#state !== "open" || track === undefined) return;
    const packet = Buffer.allocUnsafe(RTP_HEADER_BYTES + payload.length);
    packet[0] = RTP_VERSION_2;
    packet[1] = (isFirst ? MARKER : 0) | track.payloadType;
    packet.writeUInt16BE(this.#sequence, 2);
    packet.writeUInt32BE((this.#timestampBase + timestamp) >>> 0, 4);
    this.#ssrc.copy(packet, 8);
    packet.set(payload, RTP_HEADER_BYTES);
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#transport?.sendRtp(packet);
  }

  /** Ends the session in order. Twice is harmless. */
  async close(): Promise<void> {
    if (this.#state !== "open") {
      this.#abandon();
      return;
    }
    this.#state = "closed";
    const answer = this.#request("TEARDOWN", this.#control, REQUIRE).then(
      () => undefined,
      // The session is over either way: closing the connection ends it too.
      (error: unknown) => this.#options.log.debug({ error: errorText(error) }, "TEARDOWN not answered"),
    );
    const { clock, timeouts } = this.#options;
    await endsWithin(answer, { clock, ms: timeouts.teardownMs });
    this.#shut();
  }

  async #describe(): Promise<SessionOffer> {
    try {
      return await this.#dialogue.describe();
    } catch (error) {
      if (error instanceof RtspFailure && error.rtspStatus === OPTION_NOT_SUPPORTED)
        throw noBackChannel(error);
      throw error;
    }
  }

  async #setUp(track: MediaTrack): Promise<void> {
    const { connection } = this.#dialogue;
    const transports = usableTransports(this.#options.transports, connection, [track]);
    for (const kind of transports) {
      const plain = await this.#open(kind);
      const { isSecure } = connection;
      const transport = protectedTransport(plain, { track, isSecure, log: this.#options.log });
      this.#transport = transport;
      const response = await this.#controlTries.ask("SETUP", track.controls ?? [track.control], (url) =>
        this.#request("SETUP", url, { Transport: transport.request, ...REQUIRE }),
      );
      if (isSuccess(response.status)) {
        this.#accept(transport, response);
        return;
      }
      transport.close();
      this.#transport = undefined;
      if (response.status === OPTION_NOT_SUPPORTED) throw noBackChannel();
      if (response.status !== UNSUPPORTED_TRANSPORT)
        throw statusFailure(response.status, response.reason, "SETUP");
    }
    const tried = transports.map((kind) => kind.toUpperCase()).join(" nor ");
    throw new RtspFailure("transport", `the camera takes sound neither over ${tried}`);
  }

  async #open(kind: TransportKind): Promise<TrackTransport> {
    const { connection } = this.#dialogue;
    if (kind === "tcp") return new InterleavedTransport(connection, 0);
    const { dialer, clock, log } = this.#options;
    const { remoteAddress, allowance } = connection;
    const onFailure = (failure: RtspFailure): void => this.#end(failure);
    return await UdpTransport.open({
      ...{ dialer, clock, log, remoteAddress, allowance, onFailure },
      isBackChannel: true,
    });
  }

  /** What the camera sends, such as receiver reports, is read and dropped. */
  #accept(transport: TrackTransport, response: RtspResponse): void {
    const session = parseSessionHeader(headerOf(response, "session") ?? "");
    this.#sessionId = session?.id;
    this.#timeoutS = session?.timeoutS ?? SESSION_TIMEOUT_S_DEFAULT;
    const header = headerOf(response, "transport");
    const ignored = { receive: () => undefined };
    transport.accept(header === undefined ? undefined : parseTransportHeader(header), {
      rtp: ignored,
      rtcp: ignored,
    });
  }

  #live(): void {
    if (this.#state === "closed") throw new RtspFailure("stopped", "the session was closed");
    if (this.#earlyFailure !== undefined) throw this.#earlyFailure;
    const { clock, log } = this.#options;
    this.#state = "open";
    const keepAlive = new KeepAlive({
      methods: keepAliveMethods(this.#dialogue.methods),
      timeoutS: this.#timeoutS,
      startUs: clock.monotonicUs(),
      log,
      send: (method) => this.#request(method, this.#control, {}),
      onDropped: () => this.#end(droppedSession()),
      onLost: (failure) => this.#end(failure),
    });
    this.#timer = clock.setInterval(() => keepAlive.onTick(clock.monotonicUs()), MS_PER_SECOND);
    log.debug(
      { codec: codecName(this.#track?.codec ?? Codec.PCMU), transport: this.transport },
      "camera listens",
    );
  }

  #request(method: string, uri: string, headers: Readonly<Record<string, string>>): Promise<RtspResponse> {
    return this.#dialogue.send(method, uri, { ...headers, ...this.#sessionHeader });
  }

  get #sessionHeader(): Readonly<Record<string, string>> {
    return this.#sessionId === undefined ? {} : { Session: this.#sessionId };
  }

  #end(failure: RtspFailure): void {
    if (this.#state === "opening") this.#earlyFailure ??= failure;
    if (this.#state !== "open") return;
    this.#abandon();
    this.#options.onFailure(failure);
  }

  /** Cameras serve few sessions: one that is given up is closed, without waiting for the response. */
  #abandon(): void {
    if (this.#state !== "closed" && this.#sessionId !== undefined)
      this.#dialogue.abandon("TEARDOWN", this.#control, { ...REQUIRE, ...this.#sessionHeader });
    this.#shut();
  }

  #shut(): void {
    this.#state = "closed";
    this.#timer?.clear();
    this.#transport?.close();
    this.#transport = undefined;
    this.#dialogue.close();
  }
}

function chooseTrack({ backTracks }: SessionOffer): MediaTrack {
  for (const codec of CODECS) {
    const track = backTracks.find((one) => one.codec === codec && isTaken(one));
    if (track !== undefined) return track;
  }
  if (backTracks.length === 0) throw noBackChannel();
  const offered = backTracks.map(
    ({ codec, clockRate, channels }) => `${codecName(codec)}/${clockRate}/${channels}`,
  );
  const words = `the camera takes only ${offered.join(", ")}: set its loudspeaker to G.711 of 8 kHz, mono`;
  throw new RtspFailure("unsupported", words);
}

/** The track that takes AAC of a format: by its AudioSpecificConfig, where the camera names it. */
function trackFor({ backTracks }: SessionOffer, spoken: SpokenAac): MediaTrack | undefined {
  const wanted = Buffer.from(spoken.initialization).toString("hex");
  return backTracks.find(({ codec, clockRate, channels, fmtp }) => {
    if (codec !== Codec.AAC || !hasUsualFields(fmtp)) return false;
    const config = fmtp.get("config")?.toLowerCase() ?? "";
    // What follows the first two bytes are extensions that a decoder may ignore.
    if (config !== "") return config.startsWith(wanted) && clockRate === spoken.sampleRate;
    return clockRate === spoken.sampleRate && channels === spoken.channels;
  });
}

/** The fields of RFC 3640, 3.3.6, are the only ones that are written. */
function hasUsualFields(fmtp: MediaTrack["fmtp"]): boolean {
  return (fmtp.get("sizelength") ?? "13") === "13";
}

function isTaken({ codec, clockRate, channels, fmtp }: MediaTrack): boolean {
  if (channels !== 1) return false;
  return codec === Codec.AAC ? hasUsualFields(fmtp) : clockRate === G711_RATE;
}

function noBackChannel(cause?: unknown): RtspFailure {
  const words = "the camera takes no sound: it offers no ONVIF back channel in this profile";
  return new RtspFailure("unsupported", words, { cause });
}
