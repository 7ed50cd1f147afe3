import * as v from "valibot";
import { type NewRootPassword, resetRootPassword } from "../../access/index.js";
import { EMPTY_GUID, NvrdError } from "../../base/index.js";
import type { ControlServer } from "../../host/control/index.js";
import type { SiteStore } from "../../site/index.js";

/** `nvrd password reset`, to the running service or offline. */

const PERSON_LENGTH_MAX = 64;
const requestSchema = v.object({ person: v.pipe(v.string(), v.maxLength(PERSON_LENGTH_MAX)) });
/** The user at the machine who asks for another password. */
type PasswordResetRequest = v.InferOutput<typeof requestSchema>;

export interface PasswordResetPlace {
  readonly store: SiteStore;
  readonly dataDir: string;
}

/** Gives root another password, in the name of somebody at the command line. Rejects with NvrdError of the store. */
export async function runPasswordReset(
  { store, dataDir }: PasswordResetPlace,
  { person }: PasswordResetRequest,
): Promise<NewRootPassword> {
  const by = { userId: EMPTY_GUID, name: `command line (${person})` };
  return await resetRootPassword({ store, dataDir, by });
}

/** Registers the command on the control socket, which only the service's user and root can open. `done` is called after each. */
export function registerPasswordReset(
  control: ControlServer,
  { done, ...place }: PasswordResetPlace & { readonly done: () => void },
): void {
  control.register("password-reset", async (call) => {
    const given = v.safeParse(requestSchema, call.arguments);
    if (!given.success) throw new NvrdError("BAD_REQUEST", "password-reset requires a person");
    const password = await runPasswordReset(place, given.output);
    done();
    return password;
  });
}

const answerSchema = v.object({ file: v.string(), password: v.string() });

/** Validates an answer received over the control socket. Throws NvrdError INTERNAL. */
export function readPasswordReset(data: unknown): NewRootPassword {
  const result = v.safeParse(answerSchema, data);
  if (result.success) return result.output;
  throw new NvrdError("INTERNAL", "the service's answer is invalid");
}
