import * as v from "valibot";

/**
 * What `smartctl --json` (smartmontools 7.0 and later) prints, as far as it is used. It comes from the disks, so each member may
 * be missing or invalid: an invalid one counts as missing.
 */

/** Attributes that one table may have; the standard's has 30. */
const ATTRIBUTES_MAX = 256;
/** Entries of a log of self-tests; ATA keeps 21, NVMe and SCSI 20. */
const SELF_TESTS_MAX = 64;
const MESSAGES_MAX = 64;
/** Longer texts count as missing: no model or serial number is. */
const TEXT_MAX = 256;

const count = optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)));
const figure = optional(v.pipe(v.number(), v.finite()));
const flag = optional(v.boolean());
const text = optional(v.pipe(v.string(), v.maxLength(TEXT_MAX)));

const attribute = v.object({
  id: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(255)),
  name: text,
  value: count,
  when_failed: text,
  flags: optional(v.object({ prefailure: flag })),
  raw: optional(v.object({ value: figure, string: text })),
});

const ataSelfTests = optional(
  v.object({ table: list(v.object({ status: optional(v.object({ value: count })) }), SELF_TESTS_MAX) }),
);
const scsiSelfTest = optional(v.object({ result: optional(v.object({ value: count, string: text })) }));
const scsiErrors = optional(
  v.object({
    total_uncorrected_errors: count,
    gigabytes_processed: optional(v.union([v.string(), v.number()])),
  }),
);

const schema = v.object({
  smartctl: v.object({
    version: optional(v.array(v.number())),
    exit_status: count,
    messages: list(v.object({ string: text }), MESSAGES_MAX),
  }),
  device: optional(v.object({ type: text, protocol: text })),
  model_name: text,
  scsi_model_name: text,
  serial_number: text,
  firmware_version: text,
  scsi_revision: text,
  user_capacity: optional(v.object({ bytes: count })),
  nvme_total_capacity: count,
  logical_block_size: count,
  rotation_rate: count,
  in_smartctl_database: flag,
  smart_status: optional(v.object({ passed: flag })),
  temperature: optional(v.object({ current: figure })),
  power_on_time: optional(v.object({ hours: count })),
  endurance_used: optional(v.object({ current_percent: count })),
  ata_smart_attributes: optional(v.object({ table: list(attribute, ATTRIBUTES_MAX) })),
  ata_smart_self_test_log: optional(v.object({ standard: ataSelfTests, extended: ataSelfTests })),
  nvme_smart_health_information_log: optional(
    v.object({
      critical_warning: count,
      temperature: figure,
      available_spare: count,
      available_spare_threshold: count,
      percentage_used: count,
      data_units_written: count,
      power_on_hours: count,
      media_errors: count,
    }),
  ),
  nvme_self_test_log: optional(
    v.object({
      table: list(v.object({ self_test_result: optional(v.object({ value: count })) }), SELF_TESTS_MAX),
    }),
  ),
  scsi_grown_defect_list: count,
  scsi_percentage_used_endurance_indicator: count,
  scsi_error_counter_log: optional(v.object({ read: scsiErrors, write: scsiErrors, verify: scsiErrors })),
  scsi_self_test_0: scsiSelfTest,
});

export type SmartctlOutput = v.InferOutput<typeof schema>;
export type AtaAttribute = v.InferOutput<typeof attribute>;

/** What smartctl printed; undefined when it is no JSON of smartctl's. Never throws. */
export function parseSmartctl(printed: string): SmartctlOutput | undefined {
  let value: unknown;
  try {
    value = JSON.parse(printed);
  } catch {
    return undefined; // the caller says so, with smartctl's exit status
  }
  const result = v.safeParse(schema, value);
  return result.success ? result.output : undefined;
}

function optional<const T extends v.GenericSchema>(inner: T) {
  return v.fallback(v.optional(inner), undefined);
}

/** A list of its valid items. */
function list<const T extends v.GenericSchema>(item: T, itemsMax: number) {
  return v.fallback(
    v.optional(
      v.pipe(
        v.array(v.fallback(v.nullable(item), null)),
        v.maxLength(itemsMax),
        v.transform((items) => items.filter((entry) => entry !== null)),
      ),
      [],
    ),
    [],
  );
}
