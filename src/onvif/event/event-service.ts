import { randomBytes } from "node:crypto";
import { type Clock, MS_PER_SECOND, US_PER_MS } from "../../base/index.js";
import type { Profiles } from "../media/profiles.js";
import {
  type DeviceService,
  forEverybody,
  forUser,
  type Operation,
  serviceAddress,
  type UserCall,
} from "../soap/operation.js";
import { SoapFault, textElement } from "../soap/soap-message.js";
import { readDurationMs } from "../soap/xml-duration.js";
import type { CameraProperties } from "./camera-properties.js";
import { CONCRETE_SET, CROSSED, propertyXml, TOPICS } from "./property-message.js";
import { PullPoint } from "./pull-point.js";
import { SEEN_TOPICS } from "./seen-properties.js";
import { topicFilter } from "./topic-filter.js";

/** Pull points of one user, and of all. */
export const PULL_POINTS_PER_USER_MAX = 8;
export const PULL_POINTS_MAX = 64;
const LIFE_MS_DEFAULT = 60_000;
const LIFE_MS_MIN = 10_000;
const LIFE_MS_MAX = 3_600_000;
/** Longest that a client waits for a message. */
export const PULL_MS_MAX = 60_000;
const MESSAGES_MAX = 100;
const ID_BYTES = 16;
const SERVICE_NAME = "event_service";

const CONCRETE = "http://docs.oasis-open.org/wsn/t-1/TopicExpression/Concrete";
const ITEM_FILTER = "http://www.onvif.org/ver10/tev/messageContentFilter/ItemFilter";

export interface EventServiceOptions {
  readonly profiles: Profiles;
  readonly properties: CameraProperties;
  readonly clock: Clock;
}

/** Events of the cameras that a user sees, over pull points (ONVIF Core Specification, 9). */
export class EventService {
  readonly service: DeviceService;
  readonly #options: EventServiceOptions;
  /** The oldest first. */
  readonly #points = new Map<string, PullPoint>();

  constructor(options: EventServiceOptions) {
    this.#options = options;
    options.properties.onChange((message, event) => {
      this.#forgetEnded();
      for (const point of this.#points.values()) {
        const { user } = point;
        const isShown = event === undefined || user.shown(event) !== undefined;
        if (isShown && this.#options.profiles.camera(user, message.channelId) !== undefined)
          point.offer(message);
      }
    });
    this.service = this.#service();
  }

  /** Ends what waits. */
  stop(): void {
    for (const point of this.#points.values()) point.wake();
    this.#points.clear();
  }

  #service(): DeviceService {
    return {
      name: SERVICE_NAME,
      prefix: "tev",
      version: { major: 26, minor: 6 },
      capabilities: CAPABILITIES,
      foreign: new Map([
        ["Renew", "wsnt"],
        ["Unsubscribe", "wsnt"],
      ]),
      legacyCapability: (address) => ({ name: "Events", xml: legacy(address) }),
      operations: new Map<string, Operation>([
        ["GetServiceCapabilities", forEverybody(() => CAPABILITIES)],
        ["GetEventProperties", forUser(() => EVENT_PROPERTIES)],
        ["CreatePullPointSubscription", forUser((call) => this.#create(call))],
        ["PullMessages", forUser((call) => this.#pull(call))],
        ["SetSynchronizationPoint", forUser((call) => this.#synchronize(this.#pointOf(call)))],
        ["Renew", forUser((call) => this.#renew(call))],
        ["Unsubscribe", forUser((call) => this.#end(this.#pointOf(call)))],
      ]),
    };
  }

  #create({ user, content, place }: UserCall): string {
    this.#forgetEnded();
    const own = [...this.#points.values()].filter((point) => point.user.who.id === user.who.id);
    if (own.length >= PULL_POINTS_PER_USER_MAX || this.#points.size >= PULL_POINTS_MAX)
      throw new SoapFault(
        "Receiver",
        ["Action", "MaxPullPoints"],
        `there may be ${PULL_POINTS_PER_USER_MAX} subscriptions of a user: end one`,
      );
    const point = new PullPoint({
      ...{ id: randomBytes(ID_BYTES).toString("hex"), user, nowMs: this.#monotonicMs() },
      isWanted: topicFilter(content.child("Filter")),
      lifeMs: this.#lifeMs(content.text("InitialTerminationTime")),
    });
    this.#points.set(point.id, point);
    this.#synchronize(point);
    const address = serviceAddress(place, `${SERVICE_NAME}.${point.id}`);
    return (
      `<tev:SubscriptionReference>${textElement("wsa:Address", address)}</tev:SubscriptionReference>` +
      this.#times(point, "wsnt", "wsnt")
    );
  }

  async #pull(call: UserCall): Promise<string> {
    const { content, signal, user } = call;
    const point = this.#pointOf(call);
    const limit = Math.min(Math.max(content.number("MessageLimit") ?? MESSAGES_MAX, 1), MESSAGES_MAX);
    const waitMs = Math.min(readDurationMs(content.text("Timeout")) ?? 0, PULL_MS_MAX);
    this.#prolong(point, point.lifeMs);
    if (point.isEmpty && waitMs > 0) await this.#wait(point, waitMs, signal);
    // It is in use until its answer is there.
    if (this.#points.has(point.id)) this.#prolong(point, point.lifeMs);
    const { profiles } = this.#options;
    const messages = point
      .take(limit)
      .filter(({ channelId }) => profiles.camera(user, channelId) !== undefined)
      .map((message) => `<wsnt:NotificationMessage>${propertyXml(message)}</wsnt:NotificationMessage>`);
    return this.#times(point, "tev", "tev") + messages.join("");
  }

  #wait(point: PullPoint, waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer.clear();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = this.#options.clock.setTimeout(end, waitMs);
      signal.addEventListener("abort", end, { once: true });
      point.onMessage(end);
    });
  }

  #synchronize(point: PullPoint): string {
    const { profiles, properties } = this.#options;
    for (const message of properties.now(profiles.cameras(point.user))) point.offer(message);
    return "";
  }

  #renew(call: UserCall): string {
    const point = this.#pointOf(call);
    point.endsMs = this.#monotonicMs() + this.#lifeMs(call.content.text("TerminationTime"));
    const [now, end] = this.#timeTexts(point);
    return textElement("wsnt:TerminationTime", end) + textElement("wsnt:CurrentTime", now);
  }

  #end(point: PullPoint): string {
    this.#points.delete(point.id);
    point.wake();
    return "";
  }

  /** The subscription of the address. To others than its owner there is none. */
  #pointOf({ part, user }: UserCall): PullPoint {
    this.#forgetEnded();
    const point = this.#points.get(part);
    if (point === undefined || point.user.who.id !== user.who.id)
      throw new SoapFault(
        "Sender",
        ["InvalidArgVal", "ResourceUnknown"],
        "there is no such subscription: make another one",
      );
    point.user = user;
    return point;
  }

  #prolong(point: PullPoint, lifeMs: number): void {
    point.endsMs = Math.max(point.endsMs, this.#monotonicMs() + lifeMs);
  }

  #forgetEnded(): void {
    const nowMs = this.#monotonicMs();
    for (const point of this.#points.values()) if (point.endsMs <= nowMs) this.#end(point);
  }

  /** A length of time, or the moment of the end. */
  #lifeMs(text: string): number {
    const atMs = Date.parse(text);
    const asked = readDurationMs(text) ?? (Number.isNaN(atMs) ? undefined : atMs - this.#nowMs());
    return Math.min(Math.max(asked ?? LIFE_MS_DEFAULT, LIFE_MS_MIN), LIFE_MS_MAX);
  }

  #times(point: PullPoint, now: string, end: string): string {
    const [nowText, endText] = this.#timeTexts(point);
    return textElement(`${now}:CurrentTime`, nowText) + textElement(`${end}:TerminationTime`, endText);
  }

  #timeTexts(point: PullPoint): readonly [now: string, end: string] {
    const nowMs = this.#nowMs();
    const endMs = nowMs + (point.endsMs - this.#monotonicMs());
    return [secondsText(nowMs), secondsText(endMs)];
  }

  #nowMs(): number {
    return this.#options.clock.nowUs() / US_PER_MS;
  }

  #monotonicMs(): number {
    return this.#options.clock.monotonicUs() / US_PER_MS;
  }
}

/** Whole seconds, as clients of all ages read them. */
function secondsText(ms: number): string {
  return new Date(Math.floor(ms / MS_PER_SECOND) * MS_PER_SECOND).toISOString().replace(".000Z", "Z");
}

const CAPABILITIES =
  '<tev:Capabilities WSSubscriptionPolicySupport="false" WSPullPointSupport="true" ' +
  'WSPausableSubscriptionManagerInterfaceSupport="false" MaxNotificationProducers="0" ' +
  `MaxPullPoints="${PULL_POINTS_PER_USER_MAX}" PersistentNotificationStorage="false"/>`;

function legacy(address: string): string {
  return (
    `<tt:Events>${textElement("tt:XAddr", address)}<tt:WSSubscriptionPolicySupport>false</tt:WSSubscriptionPolicySupport>` +
    "<tt:WSPullPointSupport>true</tt:WSPullPointSupport>" +
    "<tt:WSPausableSubscriptionManagerInterfaceSupport>false</tt:WSPausableSubscriptionManagerInterfaceSupport></tt:Events>"
  );
}

/** A topic, what names its source, and the name and type of its state. */
interface OfferedTopic {
  readonly path: string;
  readonly source: string;
  readonly item: string;
  readonly type: string;
  /** It has no state, it only happens; its rule is named too. */
  readonly isMoment?: boolean;
}

const OFFERED: readonly OfferedTopic[] = [
  ...[TOPICS.motion, TOPICS.lost].map((path) => ({
    path,
    source: "Source",
    item: "State",
    type: "xs:boolean",
  })),
  { path: CROSSED.topic, source: CROSSED.source, item: CROSSED.item, type: "xs:integer", isMoment: true },
  { path: TOPICS.input, source: "InputToken", item: "LogicalState", type: "xs:boolean" },
  ...SEEN_TOPICS.map(({ kind, topic: path, item }) => ({
    ...{ path, item },
    source: kind === "relay" ? "RelayToken" : "Source",
    type: kind === "relay" ? "tt:RelayLogicalState" : "xs:boolean",
  })),
];

interface TopicNode {
  readonly children: Map<string, TopicNode>;
  topic?: OfferedTopic;
}

/** Topics as a tree of elements, with what a message of each holds. */
function topicTree(topics: readonly OfferedTopic[]): string {
  const root: TopicNode = { children: new Map() };
  for (const topic of topics) {
    let node = root;
    for (const name of topic.path.split("/")) {
      const next: TopicNode = node.children.get(name) ?? { children: new Map() };
      node.children.set(name, next);
      node = next;
    }
    node.topic = topic;
  }
  const inner = ({ children, topic }: TopicNode): string =>
    (topic === undefined ? "" : description(topic)) +
    [...children].map(([name, node]) => element(name, node)).join("");
  const element = (name: string, node: TopicNode): string =>
    `<${name}${node.topic === undefined ? "" : ' wstop:topic="true"'}>${inner(node)}</${name}>`;
  return [...root.children].map(([name, node]) => element(`tns1:${name}`, node)).join("");
}

function description({ source, item, type, isMoment = false }: OfferedTopic): string {
  return (
    `<tt:MessageDescription IsProperty="${!isMoment}"><tt:Source>` +
    `<tt:SimpleItemDescription Name="${source}" Type="tt:ReferenceToken"/>` +
    `${isMoment ? '<tt:SimpleItemDescription Name="Rule" Type="xs:string"/>' : ""}</tt:Source>` +
    `<tt:Data><tt:SimpleItemDescription Name="${item}" Type="${type}"/></tt:Data></tt:MessageDescription>`
  );
}

const EVENT_PROPERTIES =
  "<tev:TopicNamespaceLocation>http://www.onvif.org/onvif/ver10/topics/topicns.xml</tev:TopicNamespaceLocation>" +
  `<wsnt:FixedTopicSet>true</wsnt:FixedTopicSet><wstop:TopicSet>${topicTree(OFFERED)}</wstop:TopicSet>` +
  textElement("wsnt:TopicExpressionDialect", CONCRETE) +
  textElement("wsnt:TopicExpressionDialect", CONCRETE_SET) +
  textElement("tev:MessageContentFilterDialect", ITEM_FILTER) +
  "<tev:MessageContentSchemaLocation>http://www.onvif.org/onvif/ver10/schema/onvif.xsd</tev:MessageContentSchemaLocation>";
