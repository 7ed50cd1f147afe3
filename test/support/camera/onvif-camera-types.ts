import type { ScriptedCard } from "./onvif-camera-card.js";
import type { MaskBounds } from "./onvif-camera-masks.js";

/** How a maker's device writes its SOAP. */
export type PrefixStyle =
  /** gSOAP's: `SOAP-ENV:Envelope`, all namespaces declared at the top. */
  | "SOAP-ENV"
  | "s"
  /** Hikvision's and Dahua's: `env:` or `soap:` */
  | "env"
  /** No prefix for SOAP and the service: default namespaces. */
  | "default"
  /** Prefixes that mean nothing: `ns1`, `ns2`. */
  | "numbered";

export interface MakerStyle {
  readonly manufacturer: string;
  readonly model: string;
  readonly prefixes: PrefixStyle;
  readonly media: "media1" | "media2" | "both";
  readonly auth: LoginDemand;
  /** How the endpoint reference is written. */
  readonly writeIdentity: (uuid: string) => string;
  /** Path and query of a stream; `{n}` is the profile's number from 1. */
  readonly streamPath: string;
  readonly snapshotPath: string;
}

/** What the device asks a user for. `token` is WS-Security's username token; `both` takes either. */
export type LoginDemand = "none" | "token" | "digest" | "digest-sha256" | "basic" | "both";

const urn = (uuid: string): string => `urn:uuid:${uuid}`;

/** In the manner of several makers; none of it is copied from a device. */
export const MAKERS = {
  axis: {
    manufacturer: "AXIS",
    model: "P3265-LVE",
    prefixes: "SOAP-ENV",
    media: "both",
    auth: "digest",
    writeIdentity: urn,
    streamPath: "/onvif-media/media.amp?profile=profile_{n}_h264&sessiontimeout=60&streamtype=unicast",
    snapshotPath: "/onvif-cgi/jpg/image.cgi?resolution=1920x1080&compression=30",
  },
  hikvision: {
    manufacturer: "HIKVISION",
    model: "DS-2CD2143G2-I",
    prefixes: "env",
    media: "both",
    auth: "both",
    writeIdentity: urn,
    streamPath: "/Streaming/Channels/10{n}?transportmode=unicast&profile=Profile_{n}",
    snapshotPath: "/onvif-http/snapshot?Profile_{n}",
  },
  dahua: {
    manufacturer: "Dahua",
    model: "IPC-HFW2431S",
    prefixes: "s",
    media: "both",
    auth: "token",
    writeIdentity: (uuid) => `uuid:${uuid.toUpperCase()}`,
    streamPath: "/cam/realmonitor?channel=1&subtype={n}&unicast=true&proto=Onvif",
    snapshotPath: "/onvifsnapshot/media_service/snapshot?channel=1&subtype={n}",
  },
  hanwha: {
    manufacturer: "Hanwha Vision",
    model: "XNO-6080R",
    prefixes: "SOAP-ENV",
    media: "media2",
    auth: "digest-sha256",
    writeIdentity: urn,
    streamPath: "/onvif/profile{n}/media.smp",
    snapshotPath: "/stw-cgi/video.cgi?msubmenu=snapshot&Profile={n}&action=view",
  },
  noname: {
    manufacturer: "IPCamera",
    model: "C6F0SgZ3N0P6L2",
    prefixes: "default",
    media: "media1",
    auth: "token",
    writeIdentity: (uuid) => uuid.replaceAll("-", ""),
    streamPath: "/user=admin_password=_channel=1_stream={n}.sdp?real_stream",
    snapshotPath: "/webcapture.jpg?command=snap&channel={n}",
  },
  encoder: {
    manufacturer: "ACTi",
    model: "ECD-1000",
    prefixes: "numbered",
    media: "media1",
    auth: "basic",
    writeIdentity: urn,
    streamPath: "/track{n}",
    snapshotPath: "/cgi-bin/encoder?SNAPSHOT=N640x480&CH={n}",
  },
} as const satisfies Record<string, MakerStyle>;

export type MakerName = keyof typeof MAKERS;

export interface ScriptedProfile {
  readonly token: string;
  readonly name: string;
  /** Number of the video source, from 1. */
  readonly source: number;
  /** As Media2 writes it; Media's words are made of it. */
  readonly encoding: "H264" | "H265" | "JPEG" | "MPV4-ES" | "AV1";
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  readonly gopLength: number;
  readonly audio?: "PCMU" | "G726" | "MP4A-LATM";
  /** What Media says of its encoder; default: all. "unnamed": an empty codec; "none": no encoder; "bare": no configuration at all. */
  readonly media1Encoder?: "unnamed" | "none" | "bare";
}

export type ScriptedService = "media1" | "media2" | "ptz" | "imaging" | "events" | "deviceio";

/** A space of a PTZ node: `ContinuousPanTiltVelocity`. */
export interface ScriptedSpace {
  readonly kind: string;
  readonly uri?: string;
  readonly x?: readonly [min: number, max: number];
  readonly y?: readonly [min: number, max: number];
}

/** What a device does wrong, or differently; named by what it does. */
export type Quirk =
  /** Answers with what cannot be read, or never whole. */
  | "silent"
  | "slow"
  | "drip-fed"
  | "truncated"
  | "closes-mid-body"
  | "huge"
  | "entity-bomb"
  | "deep-nesting"
  | "garbage"
  | "empty"
  /** Answers rightly in an odd wrapping. */
  | "wrong-content-type"
  | "byte-order-mark"
  | "chunked"
  | "latin-1"
  | "bare-ampersand"
  | "trailing-zeros"
  | "closes-each-connection"
  /** Says no. */
  | "unclear-fault"
  | "echoes-login"
  | "fault-not-supported"
  | "fault-internal"
  | "web-page"
  | "not-found"
  | "busy"
  | "not-activated"
  | "locked"
  | "forbidden"
  /** Says where it is not. */
  | "wrong-addresses"
  | "redirects-elsewhere"
  | "redirects-in-circles"
  | "redirects-to-set-up"
  /** Each nonce of Digest is good for one request, and the device does not say stale. */
  | "one-nonce-a-request"
  /** Digest must cover the body, too. */
  | "auth-int"
  /** Offers Digest, and takes tokens alone. */
  | "offers-digest";

export type ScriptedQuirk = Quirk | { readonly quirk: Quirk; readonly on: string };

export interface OnvifCameraOptions {
  /** Default "axis". */
  readonly maker?: MakerName;
  readonly manufacturer?: string;
  readonly model?: string;
  readonly firmware?: string;
  readonly serial?: string;
  /** Who is told the endpoint reference: default everybody; a user alone, the others get 400; nobody. */
  readonly endpointReference?: "open" | "user" | "none";
  /** UUID; a fixed one by default. */
  readonly uuid?: string;
  readonly prefixes?: PrefixStyle;
  readonly media?: "media1" | "media2" | "both";
  readonly auth?: LoginDemand;
  /** Default "admin" and "Secret#1". */
  readonly login?: string;
  readonly password?: string;
  /** Default: one source with a large H.265 or H.264 and a small H.264 profile. */
  readonly profiles?: readonly ScriptedProfile[];
  /** Address of every profile's stream, or of each; default: one of the maker's kind, where nothing answers. */
  readonly rtspUrl?: string | ((profile: ScriptedProfile) => string);
  readonly quirks?: readonly ScriptedQuirk[];
  /** Its streams have addresses for RTSP through HTTP alone. */
  readonly onlyTunnels?: boolean;
  /** The device's clock less the machine's, milliseconds. */
  readonly clockOffsetMs?: number;
  /** What it tells as UTC less its clock, milliseconds, and its time zone as POSIX writes it. */
  readonly reportedTime?: {
    readonly offsetMs: number;
    readonly zone?: string;
    /** Its local time minus its UTC, milliseconds; absent: it tells UTC alone. */
    readonly localMs?: number;
  };
  /** HTTP's Date less its clock, milliseconds; "none": there is no Date. Default: the machine's own. */
  readonly httpDate?: number | "none";
  /** The Date names no zone. */
  readonly httpDateUnzoned?: boolean;
  /** Speak HTTPS with a certificate of its own. */
  readonly tls?: boolean;
  /** Default 127.0.0.1 and any port. */
  readonly host?: string;
  readonly port?: number;
  /** Host and port that it names in its addresses; default: where it listens. */
  readonly advertised?: { readonly host: string; readonly port: number; readonly rtspPort?: number };
  /** Services that the device has and leaves out of GetServices, or out of GetCapabilities. */
  readonly unlisted?: readonly ScriptedService[];
  readonly withoutCapability?: readonly ScriptedService[];
  readonly ptz?: boolean;
  /** What it keeps itself (Profile G). */
  readonly card?: ScriptedCard;
  /** Digital outputs by their tokens, and the seconds of those that are pulses. */
  readonly relays?: readonly (readonly [token: string, pulseSeconds?: number])[];
  /** It has privacy masks, within these bounds. */
  readonly masks?: MaskBounds;
  /** Levels of the loudspeakers, and the range of all. */
  readonly loudspeakers?: { readonly levels: readonly number[]; readonly min: number; readonly max: number };
  /** The service that knows the outputs; default: the device's. */
  readonly relayService?: "device" | "deviceio";
  /** Token of the PTZ node that the profiles name; default: that of the only node. */
  readonly ptzNodeToken?: string;
  /** Codec of every profile's sound as both media services write it; default: of the profile. */
  readonly audioEncoding?: string;
  /** Elements of a profile's PTZ configuration behind the node's token. */
  readonly ptzConfiguration?: string;
  /** What its PTZ node says that it can; default: all but relative zoom, without ranges. */
  readonly ptzSpaces?: readonly ScriptedSpace[];
  /** Refuses a movement that comes with a time limit. */
  readonly ptzRefusesTimeout?: boolean;
  /** Whether its PTZ node has a home position; default: true. */
  readonly ptzHome?: boolean;
  /** The tree of topics inside TopicSet, with prefixes tns1, tt and wstop; default: it does not list its events. */
  readonly topicSet?: string | undefined;
  readonly events?: "pull-point" | "base-notification" | "none";
  /** Takes Subscribe; default: where it has nothing else. */
  readonly pushesEvents?: boolean;
  /** The snapshot's bytes; default a small JPEG. */
  readonly snapshot?: Buffer;
  /** Milliseconds that "slow" and "drip-fed" take. */
  readonly delayMs?: number;
}

export const MAIN_PROFILE: ScriptedProfile = {
  token: "profile_1",
  name: "Main",
  source: 1,
  encoding: "H264",
  width: 1920,
  height: 1080,
  framesPerSecond: 25,
  gopLength: 50,
  audio: "PCMU",
};

export const SUB_PROFILE: ScriptedProfile = {
  ...MAIN_PROFILE,
  token: "profile_2",
  name: "Sub",
  width: 640,
  height: 360,
  framesPerSecond: 12,
  gopLength: 24,
};
