import { onTestFinished } from "vitest";
import type { LmdbSiteStore, Site } from "../../../src/site/index.js";
import { cheapSecret } from "../access/cheap-secret.js";
import { temporaryDirectory } from "../base/temporary-directory.js";
import { startStore } from "../site/site-samples.js";
import { ROOT_MD5, sampleSite } from "./api-fakes.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "./api-harness.js";

const secret = cheapSecret(ROOT_MD5);

export interface CallAnswer {
  readonly status: number;
  readonly etag: string | null;
  readonly json: unknown;
  readonly text: string;
}

export interface Administration {
  readonly api: ApiHarness;
  readonly store: LmdbSiteStore;
  readonly site: Site;
  /** A request as root with a JSON body; text bodies go as they are. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<CallAnswer>;
}

/** The API over a real store and real logins, with the sample site's cameras, folders, groups and users. */
export async function startAdministration(
  options: Pick<Parameters<typeof startApi>[0] & object, "directory" | "firstRun"> & {
    /** Root's password counts as the one that was generated. */
    readonly hasFirstPassword?: boolean;
  } = {},
): Promise<Administration> {
  const store = await startStore(await temporaryDirectory());
  await store.change((site) => {
    const sample = sampleSite();
    return {
      ...sample,
      server: site.server,
      cameras: sample.cameras.map((camera) => ({ ...camera, ownerServerId: site.server.id })),
      users: sample.users.map((user) => (user.name === "root" ? { ...user, secret } : user)),
    };
  });
  const { hasFirstPassword = false, ...rest } = options;
  const mustChangePassword = (user: { readonly name: string; readonly secret: string | null }): boolean =>
    hasFirstPassword && user.name === "root" && user.secret === secret;
  const api = await startApi({ site: store, realAccess: true, mustChangePassword, ...rest });
  onTestFinished(async () => {
    await api.stop();
    await store.stop();
  });
  const call: Administration["call"] = async (method, path, body, headers = {}) => {
    const url = api.url(`${path}${path.includes("?") ? "&" : "?"}${ROOT_QUERY}`);
    const given = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const response = await fetch(url, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      ...given,
    });
    const text = await response.text();
    return { status: response.status, etag: response.headers.get("etag"), json: JSON.parse(text), text };
  };
  return {
    api,
    store,
    get site() {
      return store.current;
    },
    call,
  };
}

/** The text of an error answer. */
export function errorOf(answer: CallAnswer): string {
  return (answer.json as { ErrorMessage: string }).ErrorMessage;
}
