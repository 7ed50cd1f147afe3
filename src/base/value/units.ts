/** Conversion factors of units. KiB is binary, MB, GB and TB are decimal. */
export const NS_PER_US = 1000;
export const US_PER_MS = 1000;
export const US_PER_SECOND = 1_000_000;
export const US_PER_MINUTE = 60_000_000;
export const US_PER_HOUR = 3_600_000_000;
export const US_PER_DAY = 86_400_000_000;
export const MS_PER_SECOND = 1000;
export const MS_PER_MINUTE = 60_000;
export const SECONDS_PER_HOUR = 3600;
export const SECONDS_PER_DAY = 86_400;
export const MINUTES_PER_HOUR = 60;
export const MINUTES_PER_DAY = 1440;
export const DAYS_PER_YEAR = 365;
/** Of a year of 365.25 days. */
export const HOURS_PER_YEAR = 8766;

export const BITS_PER_BYTE = 8;
export const BYTES_PER_KIB = 1024;
export const BYTES_PER_MB = 1_000_000;
export const BYTES_PER_GB = 1_000_000_000;
export const BYTES_PER_TB = 1_000_000_000_000;

export const PARTS_PER_MILLION = 1_000_000;
