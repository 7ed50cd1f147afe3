import type * as v from "valibot";
import { once } from "../../base/index.js";
import type { Site } from "../../site/index.js";
import { Faults } from "../body/body-reader.js";
import { readBody } from "../body/body-schema.js";
import { type JsonSchema, schemaOfBody } from "../body/json-schema.js";
import { bodyWarnings, WARNINGS, withWarnings } from "../body/unknown-members.js";
import type { Endpoint } from "../endpoint/context.js";
import type { Route } from "../endpoint/route.js";
import { jsonAnswer, type RouteDescription } from "../endpoint/route-description.js";
import { CHANGE_PARAMETERS, OTHER_REVISION, UNKNOWN_IDS } from "./configuration-change.js";
import { answerConfiguration, editConfiguration, type SiteNeeds } from "./configuration-edit.js";
import { objectSchema, type SettingsDescription } from "./object-description.js";

/** A part of the configuration that is one object. */
export interface SettingsOptions<I> {
  readonly path: string;
  /** The schema of the body of PUT. */
  readonly schema: v.GenericSchema<unknown, I>;
  readonly description: SettingsDescription;
  describe(site: Site): object;
  /** The configuration with the members that are given; what contradicts it is noted. */
  apply(site: Site, input: I, faults: Faults): Site;
}

/** GET and PUT of one object. PUT changes the given members and returns the whole object. */
export function settingsRoutes<I>(options: SettingsOptions<I>): readonly Route<SiteNeeds>[] {
  const get: Endpoint<SiteNeeds> = ({ needs }) => {
    const site = needs.site.current;
    return answerConfiguration(options.describe(site), site);
  };
  // Made for the first body, or the first who reads the description: a start needs neither.
  const schema = once(() => objectSchema(schemaOfBody(options.schema), options.description));
  const put: Endpoint<SiteNeeds> = async (context) => {
    const input = readBody(options.schema, context.request.body);
    const site = await editConfiguration(context, (current) => {
      const faults = new Faults();
      const next = options.apply(current, input, faults);
      faults.throwIfAny();
      return next;
    });
    const warnings = bodyWarnings(context.request.body, schema());
    return answerConfiguration(withWarnings(options.describe(site), warnings), site);
  };
  const description = once(() => describeSettings(schema(), options.description));
  const place = { path: options.path, login: "administration" } as const;
  return [
    {
      method: "GET",
      ...place,
      endpoint: get,
      get describe() {
        return description().get;
      },
    },
    {
      method: "PUT",
      ...place,
      endpoint: put,
      get describe() {
        return description().put;
      },
    },
  ];
}

function describeSettings(
  schema: JsonSchema,
  description: SettingsDescription,
): Readonly<Record<"get" | "put", RouteDescription>> {
  const answer = { ...jsonAnswer(schema, "The whole object."), revision: true } as const;
  const { rules } = description;
  const warned = { allOf: [schema], properties: { Warnings: WARNINGS } };
  const topic = "configuration";
  return {
    get: {
      topic,
      summary: `Returns ${description.noun}`,
      text: description.text,
      answer,
      example: description.examples.get,
    },
    put: {
      topic,
      summary: `Changes ${description.noun} in the members given`,
      parameters: CHANGE_PARAMETERS,
      body: { required: true, schema: rules === undefined ? schema : { allOf: [schema, ...rules] } },
      answer: { ...answer, ...jsonAnswer(warned, "The whole object.") },
      errors: { 404: UNKNOWN_IDS, 409: OTHER_REVISION },
      example: description.examples.put,
    },
  };
}
