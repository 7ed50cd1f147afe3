import { RequestError } from "../state/request.js";

/** Whether somebody else has changed the configuration since it was read. */
export function isOutdated(error: unknown): boolean {
  return error instanceof RequestError && error.status === 409;
}
