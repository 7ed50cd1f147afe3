import path from "node:path";

/** Bytes of a key, UTF-8. */
const KEY_BYTES_MAX = 1024;
const FOLDERS_MAX = 12;
/** Bytes of a file's name, as file systems have it. */
const NAME_BYTES_MAX = 255;
/** What a file's name has as it is; everything else is escaped, so no name leads out of its folder. */
const PLAIN = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Where an object of this key lies, relative to its store; undefined: no object can have this key. */
export function pathOfKey(key: string): string | undefined {
  if (Buffer.byteLength(key) > KEY_BYTES_MAX) return undefined;
  const names = key.split("/");
  if (names.length > FOLDERS_MAX || names.includes("")) return undefined;
  const escaped = names.map(escapedName);
  return escaped.some((name) => name.length > NAME_BYTES_MAX) ? undefined : escaped.join(path.sep);
}

/** The part of a key that a file or folder is named after; undefined: it is not one of the store's. */
export function nameOfFile(file: string): string | undefined {
  if (PLAIN.test(file)) return file;
  try {
    const name = decodeURIComponent(file);
    return escapedName(name) === file ? name : undefined;
  } catch {
    return undefined; // something that somebody has put there
  }
}

function escapedName(name: string): string {
  if (PLAIN.test(name)) return name;
  return Buffer.from(name).reduce((text, byte) => {
    const sign = String.fromCharCode(byte);
    return (
      text + (/[A-Za-z0-9_-]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    );
  }, "");
}
