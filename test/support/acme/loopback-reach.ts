import type { NameReachOptions } from "../../../src/acme/index.js";

/** All names lead to a port of this machine, save those below `unknown`. */
export function loopbackReach(port: () => number): Pick<NameReachOptions, "port" | "lookup"> {
  return {
    get port() {
      return port();
    },
    lookup: (host, wanted, done) => {
      if (host.endsWith(".unknown")) done(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "");
      else if (wanted.all === true) done(null, [{ address: "127.0.0.1", family: 4 }]);
      else done(null, "127.0.0.1", 4);
    },
  };
}
