import { request } from "node:http";
import { HUB_USER_HEADER } from "../../../src/contract/index.js";
import type { HubUser } from "../../../src/fleet/link/identity.js";

export interface DoorAnswer {
  readonly status: number;
  readonly body: string;
}

/** A request at the door of the API that the link to the hub uses, in a user's name; in nobody's where it is undefined. */
export async function askDoor(
  socketPath: string,
  path: string,
  {
    user,
    method = "GET",
    headers = {},
    body,
  }: {
    readonly user?: HubUser;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  },
): Promise<DoorAnswer> {
  const named =
    user === undefined ? {} : { [HUB_USER_HEADER]: Buffer.from(JSON.stringify(user)).toString("base64url") };
  return await new Promise((resolve, reject) => {
    const call = request(
      { socketPath, path, method, headers: { ...headers, ...named }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
      },
    );
    call.on("error", reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
