import type { ClientHttp2Stream } from "node:http2";
import { maySeeFleet } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { clientFrame, closePayload, headOf, OPCODES, WebSocketFrames } from "../../fleet/index.js";
import { SocketClose, type SocketConnection, type SocketListener } from "../../http/index.js";
import { type EndpointResult, type RequestContext, STREAMED } from "../../route/index.js";
import { type BoxTarget, openBox } from "./box-request.js";
import type { FleetNeeds } from "./fleet-control.js";

/** With more waiting for the browser, nothing more is taken of the box: it goes on at its next key frame. */
const WAITING_BYTES_MAX = 256 * 1024;
/** With more waiting for the box, the connection is closed. */
const UNSENT_BYTES_MAX = 1024 * 1024;
/** The codes that may be passed on (RFC 6455, 7.4). */
const isPassedOn = (code: number): boolean =>
  (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 4999);

/** A WebSocket of a box through the hub: message by message. */
export async function passSocket(
  context: RequestContext<FleetNeeds>,
  target: BoxTarget,
): Promise<EndpointResult> {
  const { request, response, needs } = context;
  const offered = request.header("sec-websocket-protocol")?.split(",")[0]?.trim() ?? "";
  response.requireSocket(offered);
  needs.openStreams.requireRoom();
  const headers = {
    ...{ ":method": "CONNECT", ":protocol": "websocket", ":scheme": "https", ":authority": "box" },
    ...{ ":path": target.path, "sec-websocket-protocol": offered },
  };
  const stream = await openBox(context, target, { headers, role: "media", hasBody: true });
  const { status } = await headOf(stream);
  if (status !== 200) {
    stream.close();
    throw new NvrdError(
      status === 403 ? "FORBIDDEN" : "NOT_AVAILABLE",
      `the recorder answers with status ${status}`,
      {
        hint: "",
      },
    );
  }
  const passage = new SocketPassage(stream);
  const connection = response.startSocket(offered, { listener: passage, clock: needs.clock });
  if (connection === undefined) {
    stream.close();
    return STREAMED;
  }
  const remove = needs.openStreams.add({
    credentials: context.credentials,
    mayContinue: maySeeFleet,
    end: () => connection.close(SocketClose.policy, "no longer allowed"),
  });
  connection.onClose(remove);
  passage.join(connection);
  return STREAMED;
}

/** Both ends of a WebSocket. */
class SocketPassage implements SocketListener {
  readonly #stream: ClientHttp2Stream;
  readonly #frames: WebSocketFrames;
  #connection: SocketConnection | undefined;

  constructor(stream: ClientHttp2Stream) {
    this.#stream = stream;
    this.#frames = new WebSocketFrames({
      onMessage: (payload, isBinary) => this.#connection?.send(isBinary ? payload : payload.toString("utf8")),
      onPing: (payload) => this.#connection?.ping(payload.toString("latin1")),
      onClose: (code, reason) => this.#end(isPassedOn(code) ? code : SocketClose.goingAway, reason),
    });
  }

  join(connection: SocketConnection): void {
    this.#connection = connection;
    this.#stream.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#stream.once("close", () =>
      this.#end(SocketClose.goingAway, "the connection to the recorder has ended"),
    );
  }

  onMessage(text: string | undefined): void {
    if (text !== undefined) this.#send(OPCODES.text, Buffer.from(text));
  }

  onBytes(bytes: Uint8Array): void {
    this.#send(OPCODES.binary, bytes);
  }

  onDrain(): void {
    if (this.#connection !== undefined && this.#connection.waitingBytes <= WAITING_BYTES_MAX)
      this.#stream.resume();
  }

  /** The box learns from it that the browser has what was sent before. */
  onPong(text: string): void {
    this.#send(OPCODES.pong, Buffer.from(text, "latin1"));
  }

  onClose(): void {
    this.#connection = undefined;
    this.#send(OPCODES.close, closePayload(SocketClose.goingAway, ""));
    this.#stream.close();
  }

  #take(chunk: Buffer): void {
    try {
      const connection = this.#connection;
      if (connection === undefined) return;
      connection.together(() => this.#frames.push(chunk));
      if (connection.waitingBytes > WAITING_BYTES_MAX) this.#stream.pause();
    } catch {
      // What a box sends is not to be believed; who watches opens it anew.
      this.#end(SocketClose.goingAway, "the recorder sent what is no WebSocket's");
    }
  }

  #send(opcode: number, payload: Uint8Array): void {
    if (this.#stream.destroyed || this.#stream.writableEnded) return;
    if (this.#stream.writableLength > UNSENT_BYTES_MAX)
      this.#end(SocketClose.policy, "the recorder takes too little");
    else this.#stream.write(clientFrame(opcode, payload));
  }

  #end(code: number, reason: string): void {
    this.#connection?.close(code, reason.slice(0, 100));
    this.#stream.close();
  }
}
