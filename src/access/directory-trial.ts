import { errorText, NvrdError } from "../base/index.js";
import type { DirectoryProblem, DirectoryTrialResult } from "../contract/answer/index.js";
import type { Site } from "../site/index.js";
import type { Directory } from "./ldap/directory.js";
import { directoryProblem } from "./ldap/directory-problem.js";
import { SitePrincipals } from "./site-principals.js";

/** How a login at the directory went, shown to an administrator. */
interface DirectoryTrial {
  readonly result: DirectoryTrialResult["Result"];
  /** The user's entry. */
  readonly dn: string | undefined;
  /** The user's groups in the directory. */
  readonly groups: readonly string[];
  /** The name of the user group that they lead to. */
  readonly group: string | undefined;
  /** What keeps the recorder from asking it; also where nobody is found because of it. */
  readonly problem: DirectoryProblem | undefined;
  /** Why the directory is not available, in its own words. */
  readonly reason: string | undefined;
}

/** Asks the directory as a login does, without logging anybody in, and without what is remembered of logins. */
export async function tryDirectory(
  directory: Directory,
  site: Site,
  { login, password }: { readonly login: string; readonly password: string },
): Promise<DirectoryTrial> {
  const nothing = { dn: undefined, groups: [], group: undefined, problem: undefined, reason: undefined };
  try {
    const user = await directory.authenticate(login, password);
    if (user === undefined) {
      const hasBase = (await directory.hasBase?.()) ?? true;
      return hasBase
        ? { ...nothing, result: "Refused" }
        : { ...nothing, result: "Unavailable", problem: "NoBase" };
    }
    const group = new SitePrincipals(site).directoryPrincipal(login, user)?.group.name;
    const { dn, groups } = user;
    return { ...nothing, dn, groups, group, result: group === undefined ? "NoGroup" : "Accepted" };
  } catch (error) {
    if (!(error instanceof NvrdError) || error.code !== "NOT_AVAILABLE") throw error;
    const [problem, reason] = [directoryProblem(error), errorText(error.cause ?? error)];
    return { ...nothing, result: "Unavailable", problem, reason };
  }
}
