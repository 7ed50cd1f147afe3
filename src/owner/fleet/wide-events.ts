import type { ClientHttp2Stream } from "node:http2";
import * as v from "valibot";
import { maySeeFleet, type Principal } from "../../access/index.js";
import {
  type ClockTimer,
  CostBucket,
  EMPTY_GUID,
  errorText,
  type Guid,
  NvrdError,
} from "../../base/index.js";
import { type EventListener, openEvents } from "../../compat/index.js";
import { headOf } from "../../fleet/index.js";
import { type EndpointResult, type RequestContext, STREAMED } from "../../route/index.js";
import { openBox } from "./box-request.js";
import { requireHub } from "./boxes.js";
import type { FleetNeeds } from "./fleet-control.js";
import { shownIds } from "./named-channels.js";
import { withoutLogin } from "./without-login.js";

/** How often it is looked for boxes whose events do not come: new ones, and those that are back. */
const LOOK_MS = 2000;
/** Streams of events from boxes, for all clients of this hub together. */
const STREAMS_MAX = 4096;
/** An item of a box is no longer (`LIVE_ITEM_BYTES_MAX`, with room for ids that are changed). */
const ITEM_BYTES_MAX = 8192;
/** Of one box: it cannot crowd out what the others tell. */
const ITEMS = { burst: 200, perSecond: 50 } as const;
const KEEP_ALIVE = "KeepAlive";

const itemSchema = v.looseObject({ ChannelId: v.string(), Comment: v.optional(v.string()) });

/** Of all clients of a hub. */
let streams = 0;

/** Events of this server and of all its recorders, as they happen, without end. */
export function answerAllEvents(context: RequestContext<FleetNeeds>): EndpointResult {
  const boxes = requireHub(context.needs);
  if (streams + boxes.boxes().length > STREAMS_MAX)
    throw new NvrdError("TOO_MANY_REQUESTS", "too many programs receive the events of all recorders", {
      hint: "ask for the events of one recorder: /boxes/{id}/event",
      retryAfterMs: LOOK_MS,
    });
  const listener = openEvents(context);
  if (typeof listener === "symbol" || "body" in listener) return listener;
  const all = new WideEvents(listener, context);
  context.response.onClose(() => all.close());
  all.start();
  return STREAMED;
}

/** The events of all boxes of a hub, for one client. */
class WideEvents {
  readonly #listener: EventListener;
  readonly #context: RequestContext<FleetNeeds>;
  readonly #open = new Map<Guid, BoxEvents>();
  #principal: Principal;
  #timer: ClockTimer | undefined;
  #forget: () => void = () => undefined;

  constructor(listener: EventListener, context: RequestContext<FleetNeeds>) {
    this.#listener = listener;
    this.#context = context;
    this.#principal = context.principal;
  }

  start(): void {
    const { needs, credentials } = this.#context;
    this.#forget = needs.openStreams.add({
      credentials,
      mayContinue: (now) => {
        this.#recheck(now);
        return true;
      },
      end: () => this.close(),
    });
    this.#timer = needs.clock.setInterval(() => this.#look(), LOOK_MS);
    this.#look();
  }

  close(): void {
    this.#timer?.clear();
    this.#forget();
    this.#closeAll();
  }

  /** Each box is told anew what the user may do. */
  #recheck(now: Principal): void {
    if (now.group === this.#principal.group) return;
    this.#principal = now;
    this.#closeAll();
  }

  #closeAll(): void {
    for (const box of this.#open.values()) box.close();
    this.#open.clear();
  }

  #look(): void {
    if (!maySeeFleet(this.#principal)) return;
    for (const { id, silence } of requireHub(this.#context.needs).boxes()) {
      const known = this.#open.get(id);
      if (silence !== undefined || known?.isOpen === true) continue;
      known?.close();
      const box = new BoxEvents(id, { ...this.#asked(), onItem: (item) => this.#listener.pass(item) });
      this.#open.set(id, box);
    }
  }

  #asked() {
    const { needs, request, log } = this.#context;
    return { needs, request, log, principal: this.#principal };
  }
}

interface BoxEventsOptions
  extends Pick<RequestContext<FleetNeeds>, "needs" | "request" | "log" | "principal"> {
  readonly onItem: (item: Uint8Array) => void;
}

/** The events of one box. What it sends is not to be believed: of other boxes' channels it tells nothing. */
class BoxEvents {
  readonly #boxId: Guid;
  readonly #options: BoxEventsOptions;
  readonly #items: CostBucket;
  #stream: ClientHttp2Stream | undefined;
  #rest = "";
  #isOver = false;

  constructor(boxId: Guid, options: BoxEventsOptions) {
    this.#boxId = boxId;
    this.#options = options;
    this.#items = new CostBucket(ITEMS, options.needs.clock.monotonicUs());
    streams += 1;
    void this.#open();
  }

  get isOpen(): boolean {
    return !this.#isOver;
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    streams -= 1;
    this.#stream?.close();
  }

  /** Never rejects: a box that tells nothing now is asked again. */
  async #open(): Promise<void> {
    const { needs, request, principal, log } = this.#options;
    const [, sent = ""] = request.content.target.split(/\?(.*)/s);
    const path = `/event${withoutLogin(`?${sent}`)}`;
    try {
      const asked = { headers: { ":method": "GET", ":path": path }, role: "media", hasBody: false } as const;
      const stream = await openBox({ needs, request, principal }, { boxId: this.#boxId, path }, asked);
      if (this.#isOver) {
        stream.close();
        return;
      }
      this.#stream = stream;
      const { status } = await headOf(stream);
      if (status !== 200) throw new NvrdError("NOT_AVAILABLE", `it answers with status ${status}`);
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => this.#take(text));
      stream.once("close", () => this.close());
    } catch (error) {
      log.debug({ box: this.#boxId, reason: errorText(error) }, "a recorder tells no events now");
      this.close();
    }
  }

  /** Each item ends with the only `}` in it. */
  #take(text: string): void {
    const items = `${this.#rest}${text}`.split("}");
    this.#rest = items.pop() ?? "";
    if (this.#rest.length > ITEM_BYTES_MAX) this.close();
    for (const item of items) if (!this.#isOver) this.#takeItem(`${item}}`);
  }

  #takeItem(text: string): void {
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), itemSchema), text);
    if (!read.success || text.length > ITEM_BYTES_MAX) {
      this.close();
      return;
    }
    const { ChannelId: id, Comment } = read.output;
    const nowUs = this.#options.needs.clock.monotonicUs();
    if (Comment === KEEP_ALIVE || this.#items.waitUs(nowUs) > 0) return;
    const own = this.#channels();
    if (id !== EMPTY_GUID && !own.some(({ ownId }) => ownId === id)) return;
    this.#items.charge(1, nowUs);
    this.#options.onItem(Buffer.from(`\r\n${shownIds(text.trim(), own)}`));
  }

  #channels() {
    const { catalogue } = requireHub(this.#options.needs);
    const { channels = [] } = catalogue.boxes.find(({ boxId }) => boxId === this.#boxId) ?? {};
    return channels.flatMap(({ Id }) => {
      const place = catalogue.place(Id);
      return place === undefined ? [] : [{ ...place, id: Id }];
    });
  }
}
