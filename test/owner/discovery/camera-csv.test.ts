import { describe, expect, it } from "vitest";
import { CSV_ROWS_MAX, cameraRows } from "../../../src/owner/discovery/camera-csv.js";
import { processorMs } from "../../support/base/processor-time.js";

const DEFAULTS = { login: "admin", password: "secret" };
const read = (text: string) => cameraRows(text, DEFAULTS);
const cameras = (text: string) =>
  read(text).rows.map(({ line, request: { address, name, login, password } }) => [
    line,
    address,
    name,
    login,
    password,
  ]);

describe("a table of cameras", () => {
  it.each([
    ["commas", "name,address\nDoor,192.168.7.10\n"],
    ["semicolons and Windows line ends", "name;address\r\nDoor;192.168.7.10\r\n"],
    ["tabs and a byte order mark", "\ufeffName\tIP\nDoor\t192.168.7.10"],
    ["Russian names of columns", "адрес;имя\n192.168.7.10;Door"],
    ["quotation marks", '"address","name"\n"192.168.7.10","Door"'],
    ["blank lines", "name,address\n\n , \nDoor,192.168.7.10\n\n"],
  ])("is read with %s", (_, text) => {
    expect(read(text).faults).toEqual([]);
    expect(cameras(text).map(([, ...camera]) => camera)).toEqual([
      ["192.168.7.10", "Door", "admin", "secret"],
    ]);
  });

  it("has separators, quotation marks and line breaks in quotation marks, and counts lines as a spreadsheet", () => {
    const text = 'address,password,login\n1.2.3.4,"a,""b",one\n"1.2.3.5\n",x,two\n1.2.3.6,y,three';
    expect(cameras(text).map(([line, , , login, password]) => [line, login, password])).toEqual([
      [2, "one", 'a,"b'],
      [3, "two", "x"],
      [5, "three", "y"],
    ]);
  });

  it("uses the common login for lines that have neither login nor password", () => {
    const text = "address,login,password\n1.2.3.4,,\n1.2.3.5,own,\n";
    expect(cameras(text).map(([, , , login, password]) => [login, password])).toEqual([
      ["admin", "secret"],
      ["own", ""],
    ]);
  });

  it.each([
    ["1.2.3.4.5.6", /address/],
    ["1.2.3.0/24", /more than one/],
    ["http://admin:secret@1.2.3.4", /contains a login/],
    ['"1.2.3.4', /quotation mark/],
  ])("says what is wrong with %s, by line", (address, fault) => {
    const { rows } = read(`address,name\n1.2.3.9,Fine\n${address},Wrong`);
    expect(rows.map((row) => [row.line, row.faults.length === 0])).toEqual([
      [2, true],
      [3, false],
    ]);
    expect(rows[1]?.faults[0]?.fault).toMatch(fault);
  });

  it("says in which line an address is already", () => {
    const { rows } = read("address\n1.2.3.4\n1.2.3.5\n1.2.3.4");
    expect(rows[2]?.faults).toEqual([
      { line: 4, code: "AddressTwice", fault: "the address is already in line 2" },
    ]);
  });

  it.each([
    ["", /empty/],
    ["name,login\nDoor,admin", /no column is named/],
    ["address,address\n1.2.3.4,1.2.3.5", /two columns/],
    ["address", /no line has a camera/],
    [`address\n${"1.2.3.4\n".repeat(CSV_ROWS_MAX + 1)}`, /at most 1024/],
  ])("is refused as a whole where no line can be read", (text, fault) => {
    const { rows, faults } = read(text);
    expect([rows, faults[0]?.fault]).toEqual([[], expect.stringMatching(fault)]);
  });

  it("bounds what is read of a huge one", () => {
    const ms = processorMs(() => {
      read(`address\n${"a\n".repeat(400_000)}`);
      read(`address\n"${",".repeat(900_000)}`);
    });
    expect(ms).toBeLessThan(10_000);
  });
});
