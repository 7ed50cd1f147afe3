import { isAddressRange } from "../../camera/index.js";
import { SITE_LIMITS } from "../../site/index.js";
import { readDeviceAddress } from "../camera/index.js";
import type { DeviceRequest } from "./device-addition.js";

/** Characters of a table of cameras, and its lines. */
export const CSV_LENGTH_MAX = 1_000_000;
export const CSV_ROWS_MAX = 1024;

/** Columns by their names in the first line, in English and Russian; any order, any case. */
const COLUMNS = {
  name: ["name", "имя", "название"],
  address: ["address", "ip", "host", "адрес"],
  login: ["login", "user", "логин", "пользователь"],
  password: ["password", "пароль"],
  channels: ["channels", "каналы"],
} as const;
type Column = keyof typeof COLUMNS;

const SEPARATORS = [",", ";", "\t"] as const;

export interface CsvFault {
  /** Counts from 1, as a spreadsheet does. */
  readonly line: number;
  readonly fault: string;
}

export interface CsvCamera {
  readonly line: number;
  readonly request: DeviceRequest;
  /** Empty if there is none. */
  readonly fault: string;
}

/** The cameras of a table, with what is wrong in each line. `faults`: what is wrong with the whole of it. */
export function cameraRows(
  text: string,
  defaults: { readonly login: string; readonly password: string },
): { readonly rows: readonly CsvCamera[]; readonly faults: readonly CsvFault[] } {
  const records = csvRecords(text.replace(/^\ufeff/, ""));
  const [head, ...rest] = records;
  if (head === undefined) return { rows: [], faults: [{ line: 1, fault: "the table is empty" }] };
  const columns = head.cells.map(columnOf);
  const faults: CsvFault[] = [];
  if (!columns.includes("address"))
    faults.push({ line: head.line, fault: 'no column is named "address": the first line names the columns' });
  const twice = columns.find((name, index) => name !== undefined && columns.indexOf(name) !== index);
  if (twice !== undefined) faults.push({ line: head.line, fault: `two columns are named ${twice}` });
  if (rest.length > CSV_ROWS_MAX)
    faults.push({ line: CSV_ROWS_MAX + 2, fault: `at most ${CSV_ROWS_MAX} cameras at a time` });
  if (rest.length === 0) faults.push({ line: head.line, fault: "no line has a camera" });
  if (faults.length > 0) return { rows: [], faults };
  const seen = new Map<string, number>();
  return { rows: rest.map((record) => rowOf(record, { columns, defaults, seen })), faults: [] };
}

interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
  /** A quotation mark is open to the end. */
  readonly isOpen: boolean;
}

interface RowContext {
  readonly columns: readonly (Column | undefined)[];
  readonly defaults: { readonly login: string; readonly password: string };
  /** Line of each address. */
  readonly seen: Map<string, number>;
}

function rowOf({ line, cells, isOpen }: CsvRecord, { columns, defaults, seen }: RowContext): CsvCamera {
  const cell = (name: Column): string => cells[columns.indexOf(name)] ?? "";
  const [login, password] = [cell("login").trim(), cell("password")];
  const name = cell("name").trim();
  const address = cell("address").trim();
  const channels = cell("channels").trim();
  const read = readDeviceAddress(address);
  const faults: string[] = [];
  if (isOpen) faults.push("a quotation mark is not closed");
  if (address === "") faults.push("the address is missing");
  else if (isAddressRange(address)) faults.push("the address is more than one");
  else if (typeof read === "string") faults.push(`the address ${read}`);
  else if (read.login !== "" || read.password !== "")
    faults.push("the address contains a login: use the columns login and password");
  const key = (typeof read === "string" ? address : read.url).toLowerCase();
  const earlier = seen.get(key);
  if (address !== "" && earlier !== undefined) faults.push(`the address is already in line ${earlier}`);
  else seen.set(key, line);
  if (name.length > SITE_LIMITS.nameLengthMax) faults.push("the name is too long");
  if (login.length > SITE_LIMITS.cameraLoginLengthMax) faults.push("the login is too long");
  if (password.length > SITE_LIMITS.cameraPasswordLengthMax) faults.push("the password is too long");
  if (/\p{Cc}/u.test(name + login + password)) faults.push("it has control characters");
  const channelNumbers = channels === "" ? undefined : numbersOf(channels);
  if (channels !== "" && channelNumbers === undefined)
    faults.push("channels: numbers from 1, with blanks in between");
  return {
    line,
    request: {
      address: typeof read === "string" ? address : read.url,
      identity: "",
      name: name === "" ? undefined : name,
      // A login of its own has a password of its own, though it be empty.
      ...(login === "" && password === "" ? defaults : { login, password }),
      channelNumbers,
    },
    fault: faults.join("; "),
  };
}

function numbersOf(text: string): readonly number[] | undefined {
  const numbers = text.split(/[\s+/]+/).map(Number);
  const isRight = (number: number): boolean =>
    Number.isInteger(number) && number >= 1 && number <= SITE_LIMITS.multiChannelServerChannelsMax;
  return numbers.every(isRight) ? numbers : undefined;
}

function columnOf(name: string): Column | undefined {
  const known = name.trim().toLowerCase();
  const names = Object.entries(COLUMNS) as unknown as readonly [Column, readonly string[]][];
  return names.find(([, spellings]) => spellings.includes(known))?.[0];
}

/** RFC 4180, with the separator that the first line has; blank lines are left out. */
function csvRecords(text: string): CsvRecord[] {
  const separator = separatorOf(text);
  const records: CsvRecord[] = [];
  let [cells, cell, line, first, quoted]: [string[], string, number, number, boolean] = [[], "", 1, 1, false];
  const endRecord = (isOpen: boolean): void => {
    cells.push(cell);
    if (cells.some((one) => one.trim() !== "")) records.push({ line: first, cells, isOpen });
    cells = [];
    cell = "";
    first = line + 1;
  };
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index];
    if (quoted && sign === '"' && text[index + 1] === '"') {
      cell += '"';
      index += 1;
    } else if (sign === '"' && (quoted || cell.trim() === "")) {
      if (!quoted) cell = "";
      quoted = !quoted;
    } else if (!quoted && sign === separator) {
      cells.push(cell);
      cell = "";
    } else if (!quoted && sign === "\n") {
      cell = cell.replace(/\r$/, "");
      endRecord(false);
    } else cell += sign;
    if (sign === "\n") line += 1;
    if (records.length > CSV_ROWS_MAX + 1) return records;
  }
  endRecord(quoted);
  return records;
}

function separatorOf(text: string): string {
  const [head = ""] = text.split("\n", 1);
  const counts = SEPARATORS.map((separator) => [head.split(separator).length, separator] as const);
  const [most] = counts.toSorted(([one], [other]) => other - one);
  return most?.[1] ?? ",";
}
