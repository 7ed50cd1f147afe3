/** What programs that guess try first, and people choose: a password may not be one of these, also with digits and signs. */
const WORDS = new Set(
  (
    "admin administrator root user guest operator camera cameras nvrd recorder video security letmein welcome " +
    "password passw0rd passwort parol changeme default master superman batman football baseball iloveyou dragon monkey " +
    "sunshine princess shadow starwars whatever trustno1 abcdefgh abcdefghi qwertyuiop qwertyui qwerty asdfghjkl asdfghjk " +
    "zxcvbnm qazwsxedc q1w2e3r4 q1w2e3r4t5 1q2w3e4r 1q2w3e4r5t 1qaz2wsx zaq12wsx qwer1234 test secret пароль йцукенг"
  ).split(" "),
);
const ROWS = [
  "01234567890123456789",
  "98765432109876543210",
  "qwertyuiopasdfghjklzxcvbnm",
  "abcdefghijklmnopqrstuvwxyz",
  "йцукенгшщзхъфывапролджэ",
];
/** More different characters are no pattern such as `aaaaaaaa` or `12121212`. */
const PATTERN_CHARACTERS_MAX = 2;

const LONG_LENGTH = 16;

/** Whether a password is among those that are tried first against this login. */
export function isObviousPassword(password: string, login: string): boolean {
  const text = password.normalize("NFKC").toLowerCase();
  if (new Set(text).size <= PATTERN_CHARACTERS_MAX) return true;
  if (ROWS.some((row) => row.includes(text))) return true;
  const name = login.normalize("NFKC").toLowerCase();
  // `Admin@123` and `password2026!` are tried as well; in a long password a word is only a part.
  const letters = text.length < LONG_LENGTH ? text.replace(/\P{L}/gu, "") : text;
  return [text, letters].some((part) => WORDS.has(part) || isOf(name, part));
}

/** The login once or several times. */
function isOf(name: string, text: string): boolean {
  return name !== "" && text !== "" && text.split(name).every((rest) => rest === "");
}
