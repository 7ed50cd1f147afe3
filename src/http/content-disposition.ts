/** Maximum length of a file name without its extension, in characters. */
const NAME_LENGTH_MAX = 120;
/** Characters with a special meaning in file systems and shells, and characters that change the text direction. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}"\\/:*?<>|%;]/gu;

/**
 * Content-Disposition for a download with a file name (RFC 6266, 4): in ASCII and in UTF-8 (RFC 8187), both without characters
 * that could end the header or name another directory.
 */
export function attachment(name: string, ending: string): string {
  const safe = [...name.replace(UNSAFE, "_")].slice(0, NAME_LENGTH_MAX).join("").trim().replace(/^\.+/, "_");
  const whole = `${safe === "" ? "video" : safe}.${ending}`;
  const ascii = whole.replace(/[^\x20-\x7e]/g, "_");
  const encoded = encodeURIComponent(whole).replace(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
