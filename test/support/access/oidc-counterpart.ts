import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export const CLIENT_ID = "nvrd";
export const CLIENT_SECRET = "client-secret-of-tests";

/** People at the provider, by the name that they type, and their groups. */
export const PEOPLE: Readonly<Record<string, readonly string[]>> = {
  alice: ["guards", "night shift"],
  root: ["administrators"],
  mallory: ["visitors"],
};

/** oidc-provider, a certified OpenID provider, on loopback: its own pages for logins, and its own keys. */
export class OidcCounterpart {
  readonly #server: Server;
  readonly issuer: string;

  private constructor(server: Server, issuer: string) {
    this.#server = server;
    this.issuer = issuer;
  }

  /** `returnTo`: the address to which browsers may be sent back. */
  static async start(returnTo: string): Promise<OidcCounterpart> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: [returnTo],
          response_types: ["code"],
          grant_types: ["authorization_code"],
        },
      ],
      claims: { openid: ["sub"], profile: ["preferred_username", "groups"] },
      pkce: { required: () => true },
      findAccount: (_context: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, preferred_username: id, groups: PEOPLE[id] ?? [] }),
      }),
      cookies: { keys: ["a key of tests"] },
    });
    server.on("request", provider.callback());
    return new OidcCounterpart(server, issuer);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** A browser without a screen: it follows redirects, keeps cookies by host, and fills in the provider's forms. */
export class PlainBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Opens an address as far as `stopAt`, whose address and answer it returns. */
  async open(
    address: string,
    login: string,
    stopAt: (url: URL) => boolean,
  ): Promise<{ readonly url: URL; readonly answer: Response }> {
    let url = new URL(address);
    let body: URLSearchParams | undefined;
    for (let steps = 0; steps < 20; steps += 1) {
      const answer = await this.fetch(url, body);
      body = undefined;
      const location = answer.headers.get("location");
      if (stopAt(url)) return { url, answer };
      if (location !== null) {
        url = new URL(location, url);
        continue;
      }
      const page = await answer.text();
      const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
      const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1];
      if (action === undefined || prompt === undefined)
        throw new Error(`${url.href} has no form: ${page.slice(0, 500)}`);
      url = new URL(action, url);
      body = new URLSearchParams(prompt === "login" ? { prompt, login, password: "any" } : { prompt });
    }
    throw new Error(`the browser goes round in circles at ${url.href}`);
  }

  async fetch(url: URL, body?: URLSearchParams): Promise<Response> {
    const known = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, known);
    const cookie = [...known].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, {
      ...{ redirect: "manual", headers: cookie === "" ? {} : { cookie } },
      ...(body === undefined ? {} : { method: "POST", body }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) known.delete(name);
      else known.set(name, value);
    }
    return answer;
  }
}
