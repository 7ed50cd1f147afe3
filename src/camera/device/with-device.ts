import { type Clock, NvrdError } from "../../base/index.js";
import type { Camera } from "../../site/index.js";
import type { DeviceDescription } from "../description/device-description.js";
import type { SoapClient } from "../soap/soap-client.js";
import { type CameraDevices, questionOf } from "./camera-devices.js";
import { deviceClient, proveLogin } from "./device-client.js";
import { attemptLogin } from "./login-attempt.js";
import type { LoginBudgets } from "./login-budget.js";

export interface AskedDevices {
  readonly devices: Pick<CameraDevices, "described" | "knowledge" | "acceptsKey">;
  readonly budgets: LoginBudgets;
  readonly clock: Clock;
}

export interface DeviceWork {
  readonly camera: Camera;
  readonly callTimeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` with a client of the camera's device, whose login is proved first within the budget of its tries. Rejects with
 * NvrdError: NOT_AVAILABLE while nothing is known of the device, and with CameraFailure.
 */
export async function withDevice<T>(
  { devices, budgets, clock }: AskedDevices,
  { camera, callTimeoutMs, signal }: DeviceWork,
  work: (client: SoapClient, description: DeviceDescription) => Promise<T>,
): Promise<T> {
  const description = devices.described(camera);
  if (description === undefined) {
    const reason = devices.knowledge(camera).failure?.reason ?? "the camera is being asked what it can do";
    throw new NvrdError("NOT_AVAILABLE", reason, { hint: "try again in some seconds" });
  }
  const question = questionOf(camera);
  const acceptsKey = devices.acceptsKey(camera);
  const client = deviceClient({ question, description, acceptsKey, clock, callTimeoutMs });
  try {
    const { address: device, login, password } = question;
    const prove = () => proveLogin(client, description, signal);
    await attemptLogin(budgets, { login: { device, login, password }, signal }, prove);
    return await work(client, description);
  } finally {
    client.close();
  }
}
