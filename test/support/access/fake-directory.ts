import type { Directory, DirectoryUser } from "../../../src/access/index.js";
import { NvrdError } from "../../../src/base/index.js";

/** A directory in memory that counts how often it is asked, and can be taken away or held up. */
export class FakeDirectory implements Directory {
  readonly passwords = new Map([
    ["alice@example.org", "alice-secret"],
    ["carol@example.org", "carol-secret"],
  ]);
  groups: readonly string[] = ["CN=Guards,OU=Groups,DC=example,DC=org"];
  down = false;
  asked = 0;
  atOnce = 0;
  atOnceMax = 0;
  /** While set, nobody gets an answer. */
  held: Promise<void> | undefined;

  async authenticate(login: string, password: string): Promise<DirectoryUser | undefined> {
    this.asked += 1;
    this.atOnce += 1;
    this.atOnceMax = Math.max(this.atOnceMax, this.atOnce);
    try {
      await this.held;
      if (this.down) throw new NvrdError("NOT_AVAILABLE", "the directory is down");
      const name = login.toLowerCase();
      if (this.passwords.get(name) !== password) return undefined;
      return { dn: `CN=${name.split("@", 1)[0]},DC=example,DC=org`, groups: this.groups };
    } finally {
      this.atOnce -= 1;
    }
  }
}
