import { NvrdError } from "../../base/index.js";
import type { LoginTurn } from "../../rtsp/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceLogin, LoginBudgets } from "./login-budget.js";

/**
 * Runs `run` as one login attempt, counted in the budget shared by everything that logs in to the device. If the password was
 * refused before, it rejects with CameraFailure at once instead of trying again.
 */
export async function attemptLogin<T>(
  budgets: LoginBudgets,
  { login, signal }: { readonly login: DeviceLogin; readonly signal: AbortSignal },
  run: () => Promise<T>,
): Promise<T> {
  const turn = await loginTurn(budgets, login, signal);
  try {
    const result = await run();
    turn?.accepted();
    return result;
  } catch (error) {
    if (isRefusal(error)) turn?.refused(error instanceof CameraFailure ? Math.max(1, error.loginTries) : 1);
    throw error;
  } finally {
    turn?.ended();
  }
}

/** Whether the device checked the password and refused it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof CameraFailure && error.lostCause === "unauthorized";
}

async function loginTurn(
  budgets: LoginBudgets,
  login: DeviceLogin,
  signal: AbortSignal,
): Promise<LoginTurn | undefined> {
  if (login.login === "" && login.password === "") return undefined;
  const waiting = new AbortController();
  const onAbort = (): void => waiting.abort();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) waiting.abort();
  const turn = await budgets.sideGate(login).turn({ signal: waiting.signal, onRefused: onAbort });
  signal.removeEventListener("abort", onAbort);
  if (turn !== undefined) return turn;
  if (signal.aborted) throw new NvrdError("NOT_AVAILABLE", "the request was cancelled", { hint: "" });
  throw new CameraFailure("unauthorized", "the camera refuses user name or password: correct them");
}
