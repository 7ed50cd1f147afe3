export interface ScriptedEvent {
  /** `tns1:VideoSource/MotionAlarm`. */
  readonly topic: string;
  readonly source: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, string>>;
  /** Further elements of the data, as they are written. */
  readonly elements?: string;
  /** `none`: it is not said to be a property. */
  readonly operation?: "Initialized" | "Changed" | "Deleted" | "none";
}

/** A NotificationMessage of a device whose clock shows `now`. */
export function notificationMessage(event: ScriptedEvent, now: Date): string {
  const items = (fields: Readonly<Record<string, string>>): string =>
    Object.entries(fields)
      .map(([name, value]) => `<tt:SimpleItem Name="${name}" Value="${value}"/>`)
      .join("");
  return `<wsnt:NotificationMessage><wsnt:Topic Dialect="http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet">${event.topic}</wsnt:Topic><wsnt:Message><tt:Message UtcTime="${now.toISOString()}"${operationAttribute(event)}><tt:Source>${items(event.source)}</tt:Source><tt:Data>${items(event.data)}${event.elements ?? ""}</tt:Data></tt:Message></wsnt:Message></wsnt:NotificationMessage>`;
}

function operationAttribute({ operation = "Changed" }: ScriptedEvent): string {
  return operation === "none" ? "" : ` PropertyOperation="${operation}"`;
}

/** CurrentTime and TerminationTime of a subscription that lasts `lifetimeMs` more. */
export function subscriptionTimes(prefix: string, now: Date, lifetimeMs: number): string {
  const end = new Date(now.getTime() + lifetimeMs);
  return `<${prefix}:CurrentTime>${now.toISOString()}</${prefix}:CurrentTime><${prefix}:TerminationTime>${end.toISOString()}</${prefix}:TerminationTime>`;
}
