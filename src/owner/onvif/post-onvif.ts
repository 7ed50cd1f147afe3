import { NvrdError } from "../../base/index.js";
import { type JsonSchema, type Route, untilGone } from "../../route/index.js";

/** One request to the ONVIF device. */
interface SoapQuestion {
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

interface SoapAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** The recorder as an ONVIF device. */
export interface OnvifService {
  /** Undefined: there is no such service. */
  answer(question: SoapQuestion): Promise<SoapAnswer | undefined>;
}

/** What the routes of this topic work with. */
export interface OnvifNeeds {
  /** Undefined while the recorder is no ONVIF device. */
  readonly onvif: OnvifService | undefined;
}

/** Twice what a message may have, so that a larger one is mostly refused in words of SOAP. */
const BODY_BYTES_MAX = 64 * 1024;

const SOAP: JsonSchema = { type: "string", description: "An envelope of SOAP 1.2." };

export const ONVIF_ROUTE: Route<OnvifNeeds> = {
  method: "POST",
  path: "/onvif/{service}",
  login: "none",
  bodyBytesMax: BODY_BYTES_MAX,

  describe: {
    topic: "onvif",
    summary: "The recorder as an ONVIF device",
    access:
      "Who asks is in the message: HTTP Digest, HTTP Basic or a UsernameToken of WS-Security, of a user in the setting `onvifUsers`. The rights are those of the user's group.",
    text: [
      "Off until [`PUT /api/system/onvif-device`](#put-apisystemonvif-device) or [`onvifUsers`](settings.md#onvifusers) names users. The device service is `/onvif/device_service`; it names the others. What is not served is the SOAP fault `ActionNotSupported`. See the [guide](../guide/onvif.md).",
    ],
    pathValues: { service: "The service, as `GetServices` names it." },
    body: {
      mediaType: "application/soap+xml",
      schema: SOAP,
      required: true,
      text: "At most 32 KiB. Its `Content-Type` is not looked at.",
    },
    answer: {
      text: "The answer, or with another status a SOAP fault.",
      content: { "application/soap+xml": SOAP },
    },
    errors: {
      400: "The message cannot be read, or an argument is refused: a SOAP fault.",
      401: "Nobody logged in: a SOAP fault, with challenges for Digest and Basic.",
      404: "There is no such service, or the recorder is no ONVIF device, or not yet after a start: a SOAP fault.",
      413: "The message is larger than 32 KiB: a SOAP fault.",
      429: "Too many failed logins: a SOAP fault. `Retry-After` says how long to wait.",
      500: "There is no such operation, or the recorder cannot do it: a SOAP fault.",
      503: "The service is stopping, or too busy: a SOAP fault.",
    },
    example: [
      'ASK=\'<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><GetServices xmlns="http://www.onvif.org/ver10/device/wsdl"/></s:Body></s:Envelope>\'',
      "# Where no ONVIF client is allowed in: 404.",
      'curl -f "$NVRD/onvif/device_service" --data "$ASK"',
    ],
  },
  /** POST /onvif/{service}: a SOAP message to the recorder as an ONVIF device, whose login is in the message. */
  async endpoint(context) {
    const { needs, request } = context;
    const { path, method, body, address, content } = request;
    const answer = await needs.onvif?.answer({
      ...{ path, method, body, address, signal: untilGone(context) },
      authorization: request.header("authorization"),
      host: request.header("host"),
      isSecure: content.secure,
    });
    if (answer !== undefined) return answer;
    throw new NvrdError("NOT_FOUND", "the recorder is no ONVIF device, or has no such service", {
      hint: "name the users who may use ONVIF (PUT /api/system/onvif-device), and ask /onvif/device_service",
    });
  },
};
