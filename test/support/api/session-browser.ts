import type { ApiHarness } from "./api-harness.js";

/** As much of a browser as the login by a form needs: it keeps the cookie, and says where its requests come from. */
export class SessionBrowser {
  cookie: string | undefined;
  /** `Set-Cookie` of the last answer that had one. */
  setCookie: string | undefined;
  readonly #api: Pick<ApiHarness, "port" | "url">;

  constructor(api: Pick<ApiHarness, "port" | "url">) {
    this.#api = api;
  }

  /** The origin of the recorder's page. */
  get origin(): string {
    return `http://127.0.0.1:${this.#api.port}`;
  }

  async logIn(login = "root", password = "secret"): Promise<Response> {
    return await this.send("POST", "/api/session", { Login: login, Password: password });
  }

  /** A request of the page itself; `headers` replace its own, and an empty one leaves it out. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const all = {
      ...(this.cookie === undefined ? {} : { Cookie: this.cookie }),
      ...(method === "GET" ? {} : { Origin: this.origin }),
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(this.#api.url(path), { method, headers: sent, ...given });
    const setCookie = response.headers.get("set-cookie");
    if (setCookie !== null) this.#take(setCookie);
    return response;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return await this.send("GET", path, undefined, headers);
  }

  /** The status of a request, whose body is not read. */
  async status(method: string, path: string, headers: Record<string, string> = {}): Promise<number> {
    const response = await this.send(method, path, undefined, headers);
    await response.body?.cancel();
    return response.status;
  }

  #take(setCookie: string): void {
    this.setCookie = setCookie;
    const [pair = ""] = setCookie.split(";");
    this.cookie = pair.endsWith("=") ? undefined : pair;
  }
}
