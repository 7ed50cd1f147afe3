import { NvrdError } from "../../base/index.js";
import type { SiteStore, User } from "../../site/index.js";

/** Throws NvrdError FORBIDDEN for a user that the configuration does not have. */
export function requireOwnUser(site: SiteStore, { id }: User): void {
  if (site.current.users.some((user) => user.id === id)) return;
  throw new NvrdError("FORBIDDEN", "a directory user's password is changed in the directory");
}

/**
 * Gives a user another secret, by its own wish. Rejects with NvrdError CONFLICT if the user has changed since `user` was read:
 * its password was verified before, and an administrator may have changed it meanwhile.
 */
export async function changeOwnSecret(site: SiteStore, user: User, secret: string): Promise<void> {
  const { id, name } = user;
  await site.change(
    (current) => {
      const now = current.users.find((candidate) => candidate.id === id);
      if (now === undefined || now.secret !== user.secret)
        throw new NvrdError("CONFLICT", "the user was changed while the password was being set");
      const users = current.users.map((one) => (one.id === id ? { ...one, secret } : one));
      return { ...current, users };
    },
    { by: { userId: id, name }, summary: "user changed its own password" },
  );
}
