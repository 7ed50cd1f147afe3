import type * as v from "valibot";
import type { Site } from "../../site/index.js";
import { Faults } from "./body-reader.js";
import { readBody } from "./body-schema.js";
import { answerConfiguration, editConfiguration, type SiteNeeds } from "./configuration-edit.js";
import type { Endpoint } from "./context.js";
import type { SettingsDescription } from "./object-description.js";

/** A part of the configuration that is one object. */
export interface SettingsOptions<I> {
  readonly path: string;
  readonly schema: v.GenericSchema<unknown, I>;
  readonly description: SettingsDescription;
  describe(site: Site): unknown;
  /** The configuration with the members that are given; what contradicts it is noted. */
  apply(site: Site, input: I, faults: Faults): Site;
}

export interface SettingsEndpoints {
  readonly path: string;
  /** The object that PUT takes. */
  readonly bodySchema: v.GenericSchema;
  readonly description: SettingsDescription;
  readonly get: Endpoint<SiteNeeds>;
  readonly put: Endpoint<SiteNeeds>;
}

/** GET and PUT of one object. PUT changes the members that are given and answers the whole object. */
export function settingsEndpoints<I>(options: SettingsOptions<I>): SettingsEndpoints {
  const get: Endpoint<SiteNeeds> = ({ needs }) => {
    const site = needs.site.current;
    return answerConfiguration(options.describe(site), site);
  };
  const put: Endpoint<SiteNeeds> = async (context) => {
    const input = readBody(options.schema, context.request.body);
    const site = await editConfiguration(context, (current) => {
      const faults = new Faults();
      const next = options.apply(current, input, faults);
      faults.throwIfAny();
      return next;
    });
    return answerConfiguration(options.describe(site), site);
  };
  const { path, schema, description } = options;
  return { path, bodySchema: schema, description, get, put };
}
