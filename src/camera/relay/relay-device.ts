import { NvrdError } from "../../base/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceServices } from "../description/device-description.js";
import type { SoapCall, SoapClient } from "../soap/soap-client.js";
import { escapeXml } from "../soap/soap-envelope.js";
import type { XmlElement } from "../xml/xml-element.js";

/** Outputs that are read of a device; more are left out. */
export const OUTPUTS_MAX = 64;
/** Longest pulse of a device's own, in seconds, that is believed. */
const PULSE_SECONDS_MAX = 86_400;

/** A digital output (relay) of a device. */
export interface RelayOutput {
  readonly token: string;
  /** The device switches it off by itself after so many seconds; undefined: it stays as it was switched. */
  readonly pulseSeconds: number | undefined;
}

/** The digital outputs of a device, as ONVIF calls. Rejects with CameraFailure, and with NvrdError NOT_FOUND. */
export class RelayDevice {
  readonly #client: SoapClient;
  readonly #services: DeviceServices;

  constructor(client: SoapClient, services: DeviceServices) {
    this.#client = client;
    this.#services = services;
  }

  async outputs(signal: AbortSignal): Promise<readonly RelayOutput[]> {
    const response = await this.#call("GetRelayOutputs", "", signal);
    const elements = response.children("RelayOutputs").slice(0, OUTPUTS_MAX);
    return elements.map(outputOf).filter(({ token }) => token !== "");
  }

  async switch(token: string, isOn: boolean, signal: AbortSignal): Promise<void> {
    const state = isOn ? "active" : "inactive";
    const content = `<m:RelayOutputToken>${escapeXml(token)}</m:RelayOutputToken><m:LogicalState>${state}</m:LogicalState>`;
    await this.#call("SetRelayOutputState", content, signal);
  }

  /** Of the device service, which old devices have, else of DeviceIO (ONVIF DeviceIO, 5.7). */
  async #call(operation: string, content: string, signal: AbortSignal): Promise<XmlElement> {
    const { device, deviceIo } = this.#services;
    const call = { operation, content, signal };
    const calls: SoapCall[] = [{ ...call, address: device, service: "device" }];
    if (deviceIo !== undefined) calls.push({ ...call, address: deviceIo, service: "deviceIo" });
    let refused: CameraFailure | undefined;
    for (const one of calls) {
      try {
        return await this.#client.call(one);
      } catch (error) {
        if (!(error instanceof CameraFailure) || error.kind !== "refused") throw error;
        refused = error;
      }
    }
    throw new NvrdError(
      "NOT_SUPPORTED",
      `the camera refuses to switch or name outputs: ${refused?.message ?? ""}`,
      {
        hint: "",
      },
    );
  }
}

function outputOf(element: XmlElement): RelayOutput {
  const properties = element.child("Properties");
  const isPulse = properties?.text("Mode") === "Monostable";
  return {
    token: element.attribute("token"),
    pulseSeconds: isPulse ? secondsOf(properties?.text("DelayTime") ?? "") : undefined,
  };
}

/** Of an xs:duration in hours, minutes and seconds. */
function secondsOf(duration: string): number {
  const [, hours = "0", minutes = "0", seconds = "0"] =
    /^PT(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,7}(?:\.\d{1,9})?)S)?$/.exec(duration) ?? [];
  return Math.min(PULSE_SECONDS_MAX, Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}
