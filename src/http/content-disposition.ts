/** Most characters of a file name, its ending aside. */
const NAME_LENGTH_MAX = 120;
/** What file systems and shells take amiss, and characters that turn the direction of writing. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}"\\/:*?<>|%;]/gu;

/**
 * Content-Disposition that offers a download under a name (RFC 6266, 4): in ASCII, and as it is (RFC 8187), each without
 * anything that could end the header or name another directory.
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
