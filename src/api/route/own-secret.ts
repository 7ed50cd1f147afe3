import { NvrdError } from "../../base/index.js";
import type { SiteStore, User } from "../../site/index.js";

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
