import type { LoginCredentials, PasswordProof, Principal } from "../access/index.js";
import { whenKnown } from "../archive/index.js";
import { type Clock, errorText, type Log, NvrdError } from "../base/index.js";
import { XmlReader } from "../camera/index.js";
import type { EventLog } from "../event/index.js";
import { type DeviceFacts, deviceService } from "./device-service.js";
import { CameraProperties, type CameraPropertiesOptions } from "./event/camera-properties.js";
import { EventService } from "./event/event-service.js";
import { type MediaOptions, media2Service, mediaService } from "./media/media-service.js";
import { Profiles, type ProfilesOptions } from "./media/profiles.js";
import { PtzService, type PtzServiceOptions } from "./ptz/ptz-service.js";
import { MediaAttributes } from "./recording/media-attributes.js";
import { RecordedEvents } from "./recording/recorded-events.js";
import { recordingService, replayService, searchService } from "./recording/recording-services.js";
import { Recordings, type RecordingsOptions } from "./recording/recordings.js";
import { SearchSessions } from "./recording/search-sessions.js";
import { DeviceLogins } from "./soap/device-logins.js";
import type { OnvifUser } from "./soap/onvif-user.js";
import { type DevicePlace, type DeviceService, ONVIF_PATH, type OpenCall } from "./soap/operation.js";
import { actionNotSupported, SOAP_TYPE, SoapFault, soapEnvelope, textElement } from "./soap/soap-message.js";
import { readRequest, type SoapRequest } from "./soap/soap-request.js";

export interface OnvifDeviceOptions
  extends ProfilesOptions,
    DeviceFacts,
    CameraPropertiesOptions,
    RecordingsOptions {
  readonly events: Pick<EventLog, "onEvent" | "search">;
  readonly ptz: PtzServiceOptions["ptz"];
  readonly verify: (credentials: LoginCredentials) => Promise<Principal>;
  readonly prove: (proof: PasswordProof) => Principal;
  /** Whether a user may use ONVIF at all. */
  readonly isAllowed: (userName: string) => boolean;
  /** What of the recorder exists for a user. Throws NvrdError for one who may do nothing. */
  readonly userOf: (principal: Principal) => OnvifUser;
  readonly clock: Clock;
  readonly log: Log;
}

/** One request, as the HTTP server has it. */
export interface OnvifRequest {
  /** Normalized. */
  readonly path: string;
  readonly method: string;
  readonly body: Uint8Array;
  readonly authorization: string | undefined;
  /** The `Host` header. */
  readonly host: string | undefined;
  readonly isSecure: boolean;
  /** Of the client. */
  readonly address: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

export interface OnvifAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** The recorder as an ONVIF device: its services, over SOAP. */
export class OnvifDevice {
  readonly #options: OnvifDeviceOptions;
  readonly #logins: DeviceLogins;
  /** With a budget of its own: whoever floods it takes nothing from the cameras' answers. */
  readonly #reader: XmlReader;
  readonly #services: ReadonlyMap<string, DeviceService>;
  readonly #properties: CameraProperties;
  readonly #events: EventService;

  constructor(options: OnvifDeviceOptions) {
    this.#options = options;
    this.#logins = new DeviceLogins(options);
    this.#reader = new XmlReader(options.clock);
    const profiles = new Profiles(options);
    this.#properties = new CameraProperties(options);
    this.#events = new EventService({ profiles, properties: this.#properties, clock: options.clock });
    const { clock, log } = options;
    const ptz = new PtzService({ profiles, ptz: options.ptz, clock, log });
    const media: MediaOptions = {
      profiles,
      rtspPort: () => options.ports().rtspPort,
      ptz: (name, call, profile) => ptz.configurationOf(name, call, profile),
    };
    const { rtspPort } = media;
    const recordings = new Recordings(options);
    const recorded = {
      recordings,
      recordedEvents: new RecordedEvents({ recordings, events: options.events }),
      attributes: new MediaAttributes(options.archive, recordings),
      sessions: new SearchSessions(options.clock),
      rtspPort,
    };
    const others = [
      ...[mediaService(media), media2Service(media), this.#events.service, ptz.service],
      ...[recordingService(recorded), searchService(recorded), replayService(recorded)],
    ];
    const services = [deviceService(options, others), ...others];
    this.#services = new Map(services.map((service) => [service.name, service]));
  }

  /** Ends what waits. */
  stop(): void {
    this.#properties.stop();
    this.#events.stop();
  }

  /** Answers a request; undefined: there is no such service. */
  async answer(request: OnvifRequest): Promise<OnvifAnswer | undefined> {
    const [name = "", part = ""] = request.path.slice(ONVIF_PATH.length + 1).split(".", 2);
    const service = this.#services.get(name);
    if (service === undefined) return undefined;
    let message: SoapRequest | undefined;
    try {
      message = await readRequest(request.body, {
        ...{ peer: request.address, reader: this.#reader, signal: request.signal },
      });
      const content = await this.#perform(service, part, message, request);
      return soapAnswer(200, soapEnvelope(content, { header: replyHeader(service, message) }));
    } catch (error) {
      const fault = this.#faultOf(error, message);
      const header = message === undefined ? "" : replyHeader(service, message);
      return soapAnswer(fault.status, soapEnvelope(fault.xml, { header }), fault.headers);
    }
  }

  async #perform(
    service: DeviceService,
    part: string,
    message: SoapRequest,
    request: OnvifRequest,
  ): Promise<string> {
    const { operation: name, content, token } = message;
    const operation = service.operations.get(name);
    const place = placeOf(request);
    const open: OpenCall = { content, place };
    if (operation?.login === "none") return this.#element(service, name, await operation.answer(open));
    const { authorization, address, method, path, signal } = request;
    const principal = await this.#logins.principal({ authorization, token, address, method, path });
    // Only who is logged in learns what there is.
    if (operation === undefined) throw actionNotSupported("this device has no such operation");
    const user = this.#options.userOf(principal);
    const call = { ...open, user, address, part, signal };
    // Recordings far away may have to be looked up first: whoever asks for them does so before anything else.
    const answer = await whenKnown(() => operation.answer(call), this.#options.clock, { gone: () => signal });
    return this.#element(service, name, answer);
  }

  #element(service: DeviceService, operation: string, content: string): string {
    const name = `${service.foreign?.get(operation) ?? service.prefix}:${operation}Response`;
    return `<${name}>${content}</${name}>`;
  }

  #faultOf(error: unknown, message: SoapRequest | undefined): SoapFault {
    if (error instanceof SoapFault) return error;
    if (error instanceof NvrdError) return refusal(error);
    const { log } = this.#options;
    log.error({ operation: message?.operation, error: errorText(error) }, "an ONVIF request failed");
    return new SoapFault("Receiver", ["Action"], "the request failed: see the log of the recorder");
  }
}

/** What the recorder refuses, as a fault that the client can distinguish. */
function refusal({ code, message }: NvrdError): SoapFault {
  if (code === "FORBIDDEN") return new SoapFault("Sender", ["NotAuthorized", "OperationProhibited"], message);
  if (code === "NOT_SUPPORTED") return actionNotSupported(message);
  if (code === "BAD_REQUEST" || code === "NOT_FOUND")
    return new SoapFault("Sender", ["InvalidArgVal"], message);
  return new SoapFault("Receiver", ["Action"], message);
}

function placeOf({ host = "", isSecure }: OnvifRequest): DevicePlace {
  if (!HOST.test(host)) throw new SoapFault("Sender", ["WellFormed"], "the Host header is no host");
  const origin = `${isSecure ? "https" : "http"}://${host}`;
  return { origin, hostname: host.replace(/:\d+$/, "") };
}

/** Clients that number their questions get the number back (WS-Addressing). */
function replyHeader(service: DeviceService, { messageId }: SoapRequest): string {
  return messageId === "" || service.prefix !== "tev" ? "" : textElement("wsa:RelatesTo", messageId);
}

function soapAnswer(status: number, text: string, headers: OnvifAnswer["headers"] = []): OnvifAnswer {
  return { status, headers: [["Content-Type", SOAP_TYPE], ...headers], body: Buffer.from(text) };
}
