#!/usr/bin/env node
// nvrd from the files of dist/, one for each module, where bin/nvrd starts the bundle that is made of them.
import { endProcess, runCommandLine } from "../../../dist/cli.js";

endProcess(await runCommandLine(process.argv.slice(2)));
