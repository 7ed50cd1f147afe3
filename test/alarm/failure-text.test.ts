import { expect, it } from "vitest";
import { failureText } from "../../src/alarm/failure-text.js";

it.each([
  ["connect ECONNREFUSED 127.0.0.1:587", /^it refuses the connection: check the port/],
  ["getaddrinfo ENOTFOUND mail.example", /^this name is not known/],
  ["getaddrinfo EAI_AGAIN mail.example", /DNS server/],
  ["connect EHOSTUNREACH 192.0.2.1:25", /^it cannot be reached/],
  ["connect ETIMEDOUT 192.0.2.1:25", /^it does not answer/],
  ["Greeting never received", /port and encryption$/],
  ["read ECONNRESET", /^it ended the connection/],
  ["0:error:0A00010B:SSL routines::wrong version number", /^it does not speak TLS there/],
])("%s is told in words that say what to do", (message, expected) => {
  expect(failureText(new Error(message))).toMatch(expected);
});

it("what the receiver itself says stays as it is", () => {
  expect(failureText(new Error("Invalid login: 535 no such user"))).toBe("Invalid login: 535 no such user");
});
