import type {
  EventInput,
  EventLog,
  EventMoments,
  EventRecord,
  EventSubscription,
  EventType,
} from "../../../event/index.js";

/** The events of what has none: they are where it is recorded. */
export class NoEvents implements EventLog {
  readonly types: readonly EventType[] = [];
  readonly keptSinceUs = 0;

  raise(input: EventInput): EventRecord {
    throw new Error(`nothing happens here: ${input.typeId}`);
  }

  async *search(): AsyncIterable<readonly EventRecord[]> {
    // There are none.
  }

  async *moments(): AsyncIterable<EventMoments> {
    // There are none.
  }

  onEvent(): EventSubscription {
    return { close: () => undefined };
  }
}
