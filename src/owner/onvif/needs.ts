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
