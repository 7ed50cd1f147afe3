import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceWarning, DeviceWarningCode } from "../description/device-description.js";
import { isUnsupported } from "../soap/soap-answer.js";
import type { ServiceName, SoapClient } from "../soap/soap-client.js";
import type { XmlElement } from "../xml/xml-element.js";

export interface Question {
  readonly service: ServiceName;
  readonly address: string;
  readonly operation: string;
  readonly content?: string;
  /** See `SoapCall`. */
  readonly asUser?: boolean;
}

/** The requests of one inspection: mandatory ones, optional ones that fail with a warning, and the deadline. */
export class DeviceQuestions {
  readonly client: SoapClient;
  readonly signal: AbortSignal;
  readonly warnings: DeviceWarning[] = [];
  /** Aborted by the caller of the inspection, not by its deadline. */
  readonly #caller: AbortSignal | undefined;
  #saidTooSlow = false;

  constructor(
    client: SoapClient,
    signals: { readonly all: AbortSignal; readonly caller: AbortSignal | undefined },
  ) {
    this.client = client;
    this.signal = signals.all;
    this.#caller = signals.caller;
  }

  warn(code: DeviceWarningCode, message: string): void {
    this.warnings.push({ code, message });
  }

  /** Rejects with CameraFailure. */
  call(question: Question): Promise<XmlElement> {
    return this.client.call({ ...question, signal: this.signal });
  }

  /**
   * Returns the result of `run`. If the device fails it, returns undefined, with a warning that `what` is missing. Only a
   * refused login and the caller's abort fail the inspection. An unsupported operation causes no warning.
   */
  async optional<T>(what: string, run: () => Promise<T>): Promise<T | undefined> {
    if (this.signal.aborted && this.#caller?.aborted !== true) {
      this.#tooSlow(what);
      return undefined;
    }
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof CameraFailure) || this.#isFatal()) throw error;
      if (this.signal.aborted) this.#tooSlow(what);
      else if (!isUnsupported(error)) this.warn("incomplete", `${what} could not be read: ${error.message}`);
      return undefined;
    }
  }

  /** The same of a question that needs no login by the standard; "login" from a device that wants one for it. */
  openly(what: string, question: Question): Promise<XmlElement | "login" | undefined> {
    return this.optional(what, async () => {
      try {
        return await this.call(question);
      } catch (error) {
        if (this.#isFatal() || !(error instanceof CameraFailure)) throw error;
        if (error.lostCause !== "unauthorized") throw error;
        return "login";
      }
    });
  }

  #isFatal(): boolean {
    return this.client.refusal !== undefined || this.#caller?.aborted === true;
  }

  #tooSlow(what: string): void {
    if (!this.#saidTooSlow)
      this.warn(
        "incomplete",
        `the device answers too slowly: not everything was read, starting with ${what}`,
      );
    this.#saidTooSlow = true;
  }
}
