import { isAddressRange } from "../../camera/index.js";
import { readDeviceAddress } from "../../compat/index.js";
import type { CsvFaultCode } from "../../contract/answer/index.js";
import { cameraConnection, NAME_LENGTH_MAX } from "../../contract/index.js";
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
  readonly code: CsvFaultCode;
  readonly fault: string;
}

export interface CsvCamera {
  readonly line: number;
  readonly request: DeviceRequest;
  readonly faults: readonly CsvFault[];
}

/** The cameras of a table, with what is wrong in each line. `faults`: what is wrong with the whole of it. */
export function cameraRows(
  text: string,
  defaults: { readonly login: string; readonly password: string },
): { readonly rows: readonly CsvCamera[]; readonly faults: readonly CsvFault[] } {
  const records = csvRecords(text.replace(/^\ufeff/, ""));
  const [head, ...rest] = records;
  if (head === undefined)
    return { rows: [], faults: [{ line: 1, code: "Empty", fault: "the table is empty" }] };
  const columns = head.cells.map(columnOf);
  const faults: CsvFault[] = [];
  const note = (code: CsvFaultCode, fault: string, line = head.line): void =>
    void faults.push({ line, code, fault });
  if (!columns.includes("address"))
    note("NoAddressColumn", 'no column is named "address": the first line names the columns');
  const twice = columns.find((name, index) => name !== undefined && columns.indexOf(name) !== index);
  if (twice !== undefined) note("ColumnTwice", `two columns are named ${twice}`);
  if (rest.length > CSV_ROWS_MAX)
    note("TooMany", `at most ${CSV_ROWS_MAX} cameras at a time`, CSV_ROWS_MAX + 2);
  if (rest.length === 0) note("NoCamera", "no line has a camera");
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

function rowOf(record: CsvRecord, { columns, defaults, seen }: RowContext): CsvCamera {
  const { line, cells } = record;
  const cell = (name: Column): string => cells[columns.indexOf(name)] ?? "";
  const [login, password] = [cell("login").trim(), cell("password")];
  const name = cell("name").trim();
  const address = cell("address").trim();
  const channels = cell("channels").trim();
  const read = readDeviceAddress(address);
  const url = typeof read === "string" ? address : read.url;
  const channelNumbers = channels === "" ? undefined : numbersOf(channels);
  const faults: CsvFault[] = [];
  const note = (code: CsvFaultCode, fault: string): void => void faults.push({ line, code, fault });
  if (record.isOpen) note("OpenQuote", "a quotation mark is not closed");
  const wrong = addressFault(address, read);
  if (wrong !== undefined) note(...wrong);
  const earlier = seen.get(url.toLowerCase());
  if (address !== "" && earlier !== undefined)
    note("AddressTwice", `the address is already in line ${earlier}`);
  else seen.set(url.toLowerCase(), line);
  for (const [what, text, lengthMax] of [
    ["name", name, NAME_LENGTH_MAX],
    ["login", login, cameraConnection.Login.max],
    ["password", password, cameraConnection.Password.max],
  ] as const)
    if (text.length > lengthMax) note("TooLong", `the ${what} has more than ${lengthMax} characters`);
  if (/\p{Cc}/u.test(name + login + password)) note("ControlCharacters", "it has control characters");
  if (channels !== "" && channelNumbers === undefined)
    note("BadChannels", "channels: numbers from 1, with blanks in between");
  const own = name === "" ? undefined : name;
  // A login of its own has a password of its own, though it be empty.
  const logins = login === "" && password === "" ? defaults : { login, password };
  return { line, request: { address: url, identity: "", name: own, ...logins, channelNumbers }, faults };
}

function addressFault(
  address: string,
  read: ReturnType<typeof readDeviceAddress>,
): readonly [CsvFaultCode, string] | undefined {
  if (address === "") return ["NoAddress", "the address is missing"];
  if (isAddressRange(address)) return ["AddressRange", "the address is more than one"];
  if (typeof read === "string") return ["BadAddress", `the address ${read}`];
  if (read.login === "" && read.password === "") return undefined;
  return ["LoginInAddress", "the address contains a login: use the columns login and password"];
}

function numbersOf(text: string): readonly number[] | undefined {
  const numbers = text.split(/[\s+/]+/).map(Number);
  const isRight = (number: number): boolean =>
    Number.isInteger(number) && number >= 1 && number <= cameraConnection.MultiChannelServerChannelNum.max;
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
