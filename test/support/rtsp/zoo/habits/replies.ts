import type { Habit, ZooReply } from "../habit.js";

/** Sets a header of an answer, in the place of the one of that name. */
export function setHeader(reply: ZooReply, name: string, value: string): void {
  const header = reply.headers.find(named(name));
  if (header === undefined) reply.headers.push([name, value]);
  else header[1] = value;
}

export function headerOf(reply: ZooReply, name: string): string {
  return reply.headers.find(named(name))?.[1] ?? "";
}

export function dropHeader(reply: ZooReply, name: string): void {
  const isIt = named(name);
  reply.headers = reply.headers.filter((header) => !isIt(header));
}

/** Names of headers are alike in any case (RFC 2326, 4.2). */
function named(name: string): (header: readonly [string, string]) => boolean {
  return ([own]) => own.toLowerCase() === name.toLowerCase();
}

/** Another description, with its length. */
export function setBody(reply: ZooReply, body: string): void {
  reply.body = body;
  setHeader(reply, "Content-Length", String(Buffer.byteLength(body, "latin1")));
}

/** Only with the answers to one method. */
export function answering(method: string, change: (reply: ZooReply) => void): Pick<Habit, "reply"> {
  return { reply: (reply, request) => (request.method === method ? change(reply) : undefined) };
}

/** As it is written on the wire. */
export function replyText(reply: ZooReply): string {
  const reason = reply.status === 200 ? "OK" : "Reason";
  const lines = reply.headers.map(([name, value]) => `${name}: ${value}`);
  return [`RTSP/1.0 ${reply.status} ${reason}`, ...lines, "", reply.body].join("\r\n");
}

/** The session's name in the answer; its time limit stays. */
export function nameSession(reply: ZooReply, id: string): void {
  const [, limit] = /(;.*)$/.exec(headerOf(reply, "Session")) ?? [];
  setHeader(reply, "Session", `${id}${limit ?? ""}`);
}

/** The session's time limit, as `;timeout=60`; its name stays. */
export function limitSession(reply: ZooReply, limit: string): void {
  const [id] = headerOf(reply, "Session").split(";");
  if (id !== "") setHeader(reply, "Session", `${id}${limit}`);
}
