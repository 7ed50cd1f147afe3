import type { RtspCredentials } from "../../../../src/rtsp/message/rtsp-url.js";
import type { ClipName, ClipPicture } from "./clips.js";
import type { ZooCodec } from "./codecs.js";
import type { SoundName } from "./sounds.js";
import type { CameraSession } from "./zoo-session.js";

export type HabitKind =
  | "numbering"
  | "clock"
  | "key frames"
  | "session"
  | "transport"
  | "login"
  | "sound"
  | "H.265"
  | "packets";

/** What a camera has once. */
export type Claim =
  | "parameter sets"
  | "payload types"
  | "description"
  | "options"
  | "time limit"
  | "pace"
  | "copies"
  | "login"
  | "address"
  | "line ends"
  | "transport"
  | "session id";

/** An RTP packet before it is written: a habit may change all of it. */
export interface ZooPacket {
  payload: Buffer;
  payloadType: number;
  sequence: number;
  timestamp: number;
  ssrc: number;
  marker: boolean;
  /** Words of a header extension, and its profile. */
  extension?: { readonly profile: number; readonly data: Buffer };
  padding?: number;
  csrc?: number;
  /** Bits of the header's first byte that are set besides. */
  bits?: number;
  /** Which track's channel it goes out on. */
  track: number;
  /** Packets of the track before it, and of all tracks. */
  readonly count: number;
  readonly total: number;
  /** Packets of its GOP before it; of sound, the same as `count`. */
  readonly inGop: number;
}

/** A picture that the camera sends. */
export interface ZooPicture extends ClipPicture {
  /** Pictures that the camera made before it. */
  readonly index: number;
  /** When the camera took the picture that is shown as the one of this number, after its start. */
  readonly atMs: number;
  /** The clip's parameter sets. */
  readonly sets: readonly Buffer[];
}

/** A unit of sound that the camera sends. */
export interface ZooSound {
  readonly index: number;
  readonly atMs: number;
}

/** What a packet carries: one or several NAL units, or a part of one. */
export interface Piece {
  payload: Buffer;
  marker: boolean;
}

export interface ZooRequest {
  readonly method: string;
  readonly uri: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** Requests of the session before it. */
  readonly index: number;
}

export interface ZooReply {
  status: number;
  headers: [name: string, value: string][];
  body: string;
  /** The camera says nothing. */
  isSilent?: boolean;
}

/** What is to come of a camera with the habit. Everything is recorded unless it says otherwise. */
export interface Expectation {
  /** What the recorder makes of it, for the owner; "records everything" when absent. */
  readonly makes?: string;
  /** Which pictures may be missing, because the camera did not send what they need. */
  readonly mayMiss?: (picture: ZooPicture) => boolean;
  /** Words of the status that have to be reported within ten seconds. */
  readonly status?: RegExp;
  /** Nothing can be asked of it. */
  readonly isNothing?: boolean;
  /** 1 when absent. */
  readonly fragments?: number;
  /** Sessions that play; 1 when absent. */
  readonly sessions?: number;
  /** How far a time may lie from the arrival; 500 when absent. */
  readonly offMs?: number;
  /** "none" when there is nothing that could be recorded of the sound. */
  readonly sound?: "none";
}

/** One thing that a camera does. Each part is applied to what the parts of other habits have left. */
export interface Habit {
  /** What the camera does: "sends ..." */
  readonly name: string;
  /** Public reports: project and number. */
  readonly report: string;
  readonly kind: HabitKind;
  /** What it encodes; `h264` when absent. */
  readonly clip?: ClipName | undefined;
  /** The codecs with which it can be combined; all when absent. */
  readonly codecs?: readonly ZooCodec[];
  /** Two habits with the same claim do not go together. */
  readonly claims?: readonly Claim[];
  /** The one transport that it makes sense over; both when absent. */
  readonly over?: "tcp" | "udp";
  /** The picture of the clip that it begins with, and again after the last. */
  readonly from?: number;
  readonly sound?: SoundName | undefined;
  /** Seconds that a run needs to show it; 20 when absent. */
  readonly seconds?: number;
  /** When picture `index` is taken, milliseconds after the start; 100 apart when absent. */
  readonly takenMs?: (index: number) => number;
  /** When what was taken then is sent, milliseconds after the start: late, in bursts. */
  readonly sentMs?: ((atMs: number) => number) | undefined;
  /** The link is the cause that it comes so late: the time when it was taken is right, that when it came is, and all between. */
  readonly isHeldUp?: boolean | undefined;
  /** The RTP timestamp of a picture, from the true one. */
  readonly stamp?: (ticks: number, picture: ZooPicture) => number;
  readonly stampSound?: (ticks: number, sound: ZooSound) => number;
  /** The NTP time of a sender report in milliseconds, and its RTP timestamp; undefined: none is sent. */
  readonly senderReport?: (report: {
    ntpMs: number;
    ticks: number;
  }) => { ntpMs: number; ticks: number } | undefined;
  /** NAL units of a picture; of MPEG-4 and JPEG its bytes. */
  readonly units?: (units: readonly Buffer[], picture: ZooPicture) => readonly Buffer[];
  /** How units are cut into packets. */
  readonly pieces?: (units: readonly Buffer[], picture: ZooPicture) => Piece[];
  readonly packets?: (packets: ZooPacket[], picture: ZooPicture, session: CameraSession) => ZooPacket[];
  readonly soundPackets?: (packets: ZooPacket[], sound: ZooSound) => ZooPacket[];
  readonly sdp?: (lines: string[]) => string[];
  readonly reply?: (reply: ZooReply, request: ZooRequest, session: CameraSession) => void;
  /** The text of an answer, otherwise. */
  readonly written?: (text: string, request: ZooRequest) => string;
  /** The login that it wants to be asked with; its `reply` checks it. */
  readonly login?: RtspCredentials;
  /** Path and query of its address; `/live` when absent. */
  readonly address?: string;
  /** The track that an address of SETUP means; by its path when absent. */
  readonly trackAt?: (uri: string) => number | undefined;
  /** Over UDP: of which track's pair of ports, and from which of the two, it sends. */
  readonly sendsFrom?: (track: number, isRtcp: boolean) => readonly [track: number, isRtcp: boolean];
  /** It sends its reports where its packets go. */
  readonly mixesReports?: boolean;
  /** What it does by itself, each few milliseconds while it plays. */
  readonly tick?: (session: CameraSession) => void;
  readonly expect?: Expectation;
}
