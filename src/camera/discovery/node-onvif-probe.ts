import nodeOnvif from "node-onvif";

/**
 * A process of its own: node-onvif's probe, its answer as JSON on standard output. Errors of its socket come uncaught
 * and end the process; whoever started it takes that as no answer.
 */
const answers = await nodeOnvif.startProbe();
process.stdout.write(
  JSON.stringify(answers.map(({ urn, xaddrs, scopes, types }) => ({ urn, xaddrs, scopes, types }))),
  () => process.exit(0),
);
