import { broker, brokerTexts, changed, defaultsOf, type InputOf } from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import { ENTER_AGAIN, Faults, type JsonSchema, schemaOfBody, withNotes } from "../../route/index.js";
import { type BrokerInConfiguration, goesElsewhere, SECRET_PLACES, type Site } from "../../site/index.js";

/* The MQTT broker in the configuration, in bodies and answers. */

export const brokerBody = readerOf(broker);

/** The description of the body, which is that of the answer too. */
export function brokerSchema(): JsonSchema {
  return withNotes(schemaOfBody(brokerBody), notesOf(broker, brokerTexts));
}

const FIRST: BrokerInConfiguration = { url: "", ...defaultsOf(broker) };

/** The broker with the members that are given. Throws NvrdError with all faults. */
export function brokerOf(
  input: InputOf<typeof broker>,
  { broker: before, users }: Pick<Site, "broker" | "users">,
): BrokerInConfiguration {
  const base = before ?? FIRST;
  const password = (input.Login ?? base.login) === "" ? "" : input.Password || base.password;
  const next = changed(broker, { ...input, Password: password }, base);
  const faults = new Faults();
  if (next.url === "") faults.add("Url", "is required where there is none yet", "CONFLICT");
  if (next.authority !== "" && !next.url.startsWith("mqtts:"))
    faults.add("Authority", "is for addresses that begin with mqtts://", "CONFLICT");
  // Who was named before may have been removed since: then nothing is published, which is no reason to refuse the rest.
  const isNamedNow = next.userName !== "" && next.userName !== base.userName;
  if (isNamedNow && !users.some(({ name }) => name === next.userName))
    faults.add("UserName", "there is no such user", "CONFLICT");
  if (next.password !== "" && !input.Password && goesElsewhere(placesOf(base), placesOf(next)))
    faults.add("Password", ENTER_AGAIN.server, "CONFLICT");
  faults.throwIfAny();
  return next;
}

const placesOf = SECRET_PLACES.broker;
