import { until } from "../api/api-harness.js";
import type { WebSocketClient } from "./web-socket.js";

/** The status that a WebSocket was answered with: 101, or that of a refusal; 0 where the connection ended without one. */
export async function statusOf(client: WebSocketClient): Promise<number> {
  await until("the answer", () => client.isAnswered);
  return client.status;
}
