import { createHash } from "node:crypto";
import type { Habit, ZooReply, ZooRequest } from "../habit.js";
import type { CameraSession } from "../zoo-session.js";
import { dropHeader, setHeader } from "./replies.js";

const kind = "login";
const login = { user: "admin", password: "s3cret pass" };
const REALM = "IP Camera(C2189)";

interface Demand {
  /** The headers of a 401. */
  readonly challenges: (nonce: string) => readonly string[];
  /** The hash that it takes; md5 when absent. */
  readonly hash?: string;
  readonly realm?: string;
  /** A-1 has the nonces too. */
  readonly isSession?: boolean;
  /** Requests that a nonce is good for; all when absent. */
  readonly uses?: number;
  readonly takesBasic?: boolean;
  /** Requests that it asks a login for; all when absent. */
  readonly asks?: (request: ZooRequest) => boolean;
  /** Something else about the 401. */
  readonly refusing?: (reply: ZooReply, request: ZooRequest, session: CameraSession) => void;
}

/** What a camera remembers of its challenges. */
interface Memory {
  nonces: number;
  readonly left: Map<string, number>;
}

/** A camera that asks for a login, and checks it as RFC 7616 says. */
function asking(demand: Demand): Pick<Habit, "reply" | "login" | "claims"> {
  const memories = new WeakMap<object, Memory>();
  const reply = (answer: ZooReply, request: ZooRequest, session: CameraSession): void => {
    const memory = memories.get(session.camera) ?? { nonces: 0, left: new Map() };
    memories.set(session.camera, memory);
    if (demand.asks?.(request) === false || isGranted(demand, request, memory)) return;
    memory.nonces += 1;
    const nonce = createHash("md5").update(`nonce ${memory.nonces}`).digest("hex");
    memory.left.set(nonce, demand.uses ?? Number.POSITIVE_INFINITY);
    answer.status = 401;
    answer.body = "";
    answer.headers = answer.headers.filter(([name]) => name === "CSeq");
    for (const challenge of demand.challenges(nonce)) answer.headers.push(["WWW-Authenticate", challenge]);
    demand.refusing?.(answer, request, session);
  };
  return { login, reply, claims: ["login", "options"] };
}

function isGranted(demand: Demand, { method, headers }: ZooRequest, memory: Memory): boolean {
  const text = headers.get("authorization") ?? "";
  if (text.startsWith("Basic ")) {
    const given = Buffer.from(text.slice(6), "base64").toString();
    return demand.takesBasic === true && given === `${login.user}:${login.password}`;
  }
  const field = (name: string): string =>
    new RegExp(`[ ,]${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^ ,]+))`).exec(text)?.slice(1).find(Boolean) ?? "";
  const nonce = field("nonce");
  const left = memory.left.get(nonce) ?? 0;
  if (left <= 0) return false;
  memory.left.set(nonce, left - 1);
  const { realm = REALM, isSession } = demand;
  const hash = (words: string): string =>
    createHash(demand.hash ?? "md5")
      .update(words)
      .digest("hex");
  const secret = hash(`${login.user}:${realm}:${login.password}`);
  const first = isSession ? hash(`${secret}:${nonce}:${field("cnonce")}`) : secret;
  const second = hash(`${method}:${field("uri")}`);
  const middle = field("qop") === "" ? "" : `${field("nc")}:${field("cnonce")}:${field("qop")}:`;
  return field("response") === hash(`${first}:${nonce}:${middle}${second}`);
}

const digest = (nonce: string, more = ""): string => `Digest realm="${REALM}", nonce="${nonce}"${more}`;
const basic = `Basic realm="${REALM}"`;
const isKnownOnly = (...methods: string[]): ((request: ZooRequest) => boolean) => {
  return ({ method }) => methods.includes(method);
};

/** How a login is asked for. */
export const LOGIN: readonly Habit[] = [
  {
    name: "asks for Digest or Basic",
    ...{ kind, report: "ExoPlayer #9800" },
    ...asking({ challenges: (nonce) => [digest(nonce, ', stale="FALSE"'), basic] }),
  },
  {
    name: "asks for Basic before Digest, with lines that end with LF",
    ...{ kind, report: "OvenMediaEngine #1935" },
    ...asking({ challenges: (nonce) => [basic, digest(nonce, ', stale="FALSE"')] }),
    written: (text) => text.replaceAll("\r", ""),
  },
  {
    name: "takes SHA-256 alone",
    ...{ kind, report: "go2rtc PR 2344" },
    ...asking({
      hash: "sha256",
      challenges: (nonce) => [digest(nonce, ', algorithm="SHA-256", stale="FALSE"')],
    }),
  },
  {
    name: "offers SHA-256 and MD5 in one header and takes SHA-256",
    ...{ kind, report: "go2rtc PR 2451" },
    ...asking({
      hash: "sha256",
      challenges: (nonce) => [`${digest(nonce)}, ${digest(nonce, ', algorithm=SHA-256, qop="auth"')}`],
    }),
  },
  {
    name: "takes MD5-sess",
    ...{ kind, report: "go2rtc PR 2451" },
    ...asking({ isSession: true, challenges: (nonce) => [digest(nonce, ", algorithm=MD5-sess, qop=auth")] }),
  },
  {
    name: "offers an algorithm that nobody knows beside MD5",
    ...{ kind, report: "go2rtc PR 2451" },
    ...asking({ challenges: (nonce) => [digest("x", ", algorithm=SHA3-512"), digest(nonce)] }),
  },
  {
    name: "takes each nonce once, and does not call it stale",
    ...{ kind, report: "retina #62" },
    ...asking({ uses: 1, challenges: (nonce) => [digest(nonce)] }),
  },
  {
    name: "takes each nonce once, and calls it stale",
    ...{ kind, report: "retina #62" },
    ...asking({ uses: 1, challenges: (nonce) => [digest(nonce, ", stale=true")] }),
  },
  {
    name: "writes its challenge without quotes, in small letters",
    ...{ kind, report: "retina #10" },
    ...asking({ realm: "RTSPD", challenges: (nonce) => [`digest realm=RTSPD,nonce=${nonce},algorithm=md5`] }),
  },
  {
    name: "has quotes within the name of its realm",
    ...{ kind, report: "RFC 7616, 3.3" },
    ...asking({
      realm: 'the "front" door',
      challenges: (nonce) => [`Digest realm="the \\"front\\" door", nonce="${nonce}"`],
    }),
  },
  {
    name: "has no name for its realm",
    ...{ kind, report: "cameradar #199" },
    ...asking({ realm: "", challenges: (nonce) => [`Digest realm="", nonce="${nonce}"`] }),
  },
  {
    name: "asks for a login at SETUP and PLAY anew",
    ...{ kind, report: "mediamtx #368" },
    ...asking({ uses: 2, challenges: (nonce) => [digest(nonce)] }),
  },
  {
    name: "asks for a login at SETUP alone",
    ...{ kind, report: "mediamtx #368" },
    ...asking({ asks: isKnownOnly("SETUP"), challenges: (nonce) => [digest(nonce)] }),
  },
  {
    name: "asks for a login at PLAY alone",
    ...{ kind, report: "mediamtx #368" },
    ...asking({ asks: isKnownOnly("PLAY"), challenges: (nonce) => [digest(nonce)] }),
  },
  {
    name: "asks for a login without CSeq",
    ...{ kind, report: "go2rtc #347" },
    ...asking({
      challenges: () => [basic],
      takesBasic: true,
      refusing: (reply) => dropHeader(reply, "CSeq"),
    }),
  },
  {
    name: "closes the connection after it has asked for a login",
    ...{ kind, report: "retina #45" },
    ...asking({
      challenges: (nonce) => [digest(nonce)],
      asks: isKnownOnly("DESCRIBE", "SETUP", "PLAY"),
      refusing: (reply, request, session) => {
        reply.isSilent = true;
        session.answer(reply, request);
        session.hangUp();
      },
    }),
  },
  {
    name: "puts a page of text behind its 401, without a length",
    ...{ kind, report: "ZLMediaKit #1246" },
    ...asking({ challenges: () => [basic], takesBasic: true }),
    written: (text) =>
      text.includes(" 401 ") ? `${text}403 Forbidden\r\n\r\nThis method is not supported.` : text,
  },
  {
    name: "refuses OPTIONS, and asks for a login at DESCRIBE",
    ...{ kind, report: "ZLMediaKit #1246" },
    ...asking({
      challenges: () => [basic],
      takesBasic: true,
      refusing: (reply, { method }) => {
        if (method === "OPTIONS") reply.status = 403;
      },
    }),
  },
  {
    name: "asks for a login at the keep-alive request too, with a new nonce",
    ...{ kind, report: "media-stream-library-js #101", seconds: 80 },
    ...asking({ uses: 3, challenges: (nonce) => [digest(nonce)] }),
  },
  {
    name: "names the next nonce in its answers",
    ...{ kind, report: "RFC 7616, 3.5" },
    ...nextNonces(),
  },
];

/** Each answer to a login has the nonce of the next one, and a nonce is good once. */
function nextNonces(): Pick<Habit, "reply" | "login" | "claims"> {
  const names = new WeakMap<object, number>();
  const demand: Demand = { uses: 1, challenges: () => [] };
  const reply = (answer: ZooReply, request: ZooRequest, { camera }: CameraSession): void => {
    const number = names.get(camera) ?? 0;
    names.set(camera, number + 1);
    const memory = { nonces: number, left: new Map([[`n${number}`, 1]]) };
    if (isGranted(demand, request, memory))
      setHeader(answer, "Authentication-Info", `nextnonce="n${number + 1}"`);
    else {
      answer.status = 401;
      answer.headers.push(["WWW-Authenticate", digest(`n${number + 1}`)]);
    }
  };
  return { login, reply, claims: ["login", "options"] };
}
