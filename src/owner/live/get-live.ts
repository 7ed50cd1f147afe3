import { liveNotices, liveOrders } from "../../contract/answer/index.js";
import type { SocketListener } from "../../http/index.js";
import {
  type EndpointResult,
  type RequestContext,
  type Route,
  STREAMED,
  schemaOfMessages,
  TEXT,
} from "../../route/index.js";
import { LiveClient, type LiveNeeds } from "./live-client.js";
import { SOCKETS_PER_ADDRESS_MAX } from "./live-sockets.js";

/** The subprotocol: its number changes when older clients could not go on. */
export const LIVE_PROTOCOL = "nvrd.live.1";

export const LIVE_ROUTE: Route<LiveNeeds> = {
  method: "GET",
  path: "/api/live",
  login: "user",

  describe: {
    topic: "live",
    summary: "Opens a WebSocket over which any number of channels are watched, live and recorded",
    access:
      "Each channel needs the rights that `/video` needs, at the moment, and for as long as it is watched.",
    text: [
      `A WebSocket (RFC 6455) of the subprotocol \`${LIVE_PROTOCOL}\`. [The live socket](live-socket.md) describes its messages byte by byte; \`x-messages\` of this description has the schemas of those that are text.`,
      "",
      "- Credentials are those of any other request.",
      "- A browser's `Origin` must be the address that the page came from, or one of `corsOrigins`; others get 403.",
      `- Up to ${SOCKETS_PER_ADDRESS_MAX} sockets from one address. One is enough for a client.`,
    ],
    answer: {
      status: 101,
      text: "The connection is a WebSocket.",
      content: { "application/octet-stream": TEXT },
    },
    messages: { client: schemaOfMessages(liveOrders), service: schemaOfMessages(liveNotices) },
    errors: {
      400: `The request asks for no WebSocket, or not for the subprotocol \`${LIVE_PROTOCOL}\`.`,
      403: "The page's origin is not welcome.",
      429: `${SOCKETS_PER_ADDRESS_MAX} sockets are open from the address.`,
      503: "There are too many streams (512).",
    },
    example: [
      `curl -fsSN -u "$AUTH" -H "Connection: Upgrade" -H "Upgrade: websocket" -H "Sec-WebSocket-Version: 13" -H "Sec-WebSocket-Key: $(head -c 16 /dev/urandom | base64)" -H "Sec-WebSocket-Protocol: ${LIVE_PROTOCOL}" --max-time 1 -D - "$NVRD/api/live"`,
    ],
  },
  /** GET /api/live: makes the connection a live socket. */
  endpoint: (context) => openLive(context),
};

/** A client of the live socket, as its connection and the rights of its user know it. */
export type LiveListener = SocketListener & Pick<LiveClient, "start" | "recheck">;

/** Makes the connection a live socket. `around` may put another client before that of this server. */
export function openLive(
  context: RequestContext<LiveNeeds>,
  around: (client: LiveClient) => LiveListener = (client) => client,
): EndpointResult {
  const { needs, request, response, principal, credentials, log } = context;
  needs.liveSockets.requireRoom(request.address);
  needs.openStreams.requireRoom();
  const { clock } = needs;
  const client = new LiveClient({ needs, principal, clock, log });
  const listener = around(client);
  const connection = response.startSocket(LIVE_PROTOCOL, { listener, clock });
  if (connection === undefined) return STREAMED;
  listener.start(connection);
  const leave = needs.liveSockets.add(request.address, client);
  const forget = needs.openStreams.add({
    credentials,
    viewer: { over: "socket", source: "live" },
    mayContinue: (present) => {
      listener.recheck(present);
      return true;
    },
    end: () => client.end("your login is no longer valid"),
  });
  connection.onClose(() => {
    leave();
    forget();
  });
  return STREAMED;
}
