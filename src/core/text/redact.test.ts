import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CANARIES, canaryOf, FILL, UUID } from "../../../test/support/canaries.js";
import { redact } from "./redact.js";
import { RedactStream } from "./redact-stream.js";

const RUNS = process.env.ROUSE_FULL === "1" ? 5000 : 100;

/** A secret is found by its context: `#` is its place. */
const SURROUNDINGS: readonly string[] = [
  "MY_SERVICE_TOKEN=#",
  "export DB_PASSWORD='#'",
  'STRIPE_SECRET_KEY_2="#"',
  "AWS_SECRET_ACCESS_KEY: #",
  '{"apiKey": "#", "n": 1}',
  '{"text":"\\nclient_secret = \\"#\\" "}',
  "  password: #",
  "curl -H 'Authorization: Bearer #' https://example.org",
  "Authorization: Basic #",
  '"x-api-key": "#"',
  "cookie: session=#; theme=dark",
  "mysql --password=#",
  "tool --api-key # --verbose",
  "machine example.org login me password #",
  "//packages.example.org/:_authToken=#",
  "postgres://user:#@db.example.org:5432/app",
  "https://hooks.slack.com/services/T000/B000/#",
  "https://discord.com/api/webhooks/123/#",
  "AccountName=x;AccountKey=#==;EndpointSuffix=y",
];

describe("redact", () => {
  it("finds more than 60 formats at any position", () => {
    expect(CANARIES.length).toBeGreaterThan(60);
    const left = CANARIES.flatMap((canary) =>
      [`${canary}`, `it is ${canary}, really`, `"${canary}"`, `{"t":"\\n${canary}\\n"}`, `x=${canary}&y=1`].filter(
        (text) => redact(text) !== text.replace(canary, "*".repeat(canary.length)),
      ),
    );
    expect(left).toEqual([]);
  });

  it.each(SURROUNDINGS)("finds a secret by its context: %s", (surrounding) => {
    const secret = "zq81-Kx77-Wm40-pL99-xY12";
    expect(redact(surrounding.replace("#", secret))).not.toContain(secret.slice(5));
  });

  it("redacts a private key between its first and its last line, in plain text or in JSON", () => {
    const body = Array.from({ length: 20 }, () => FILL.word.repeat(2));
    const key = ["-----BEGIN OPENSSH PRIVATE KEY-----", ...body, "-----END OPENSSH PRIVATE KEY-----"].join("\n");
    expect(redact(key)).toBe(key.replaceAll(FILL.word, "*".repeat(32)));
    const json = JSON.stringify({ key, more: "text" });
    expect(JSON.parse(redact(json))).toMatchObject({ more: "text" });
    expect(redact(json)).not.toContain(FILL.word);
    const cut = JSON.stringify({ key: key.slice(0, 300), more: "text" });
    expect(JSON.parse(redact(cut))).toMatchObject({ more: "text" });
    expect(redact(cut)).not.toContain(FILL.word);
  });

  it("leaves ordinary output unchanged", () => {
    const texts = [
      '{"usage":{"input_tokens":12345,"cache_read_input_tokens":998877,"max_tokens":64000},"token_count":7}',
      `{"uuid":"${UUID}","parentUuid":null,"sessionId":"${UUID}","requestId":"req_011CabcDEF","type":"assistant"}`,
      '{"id":"toolu_01ABCdefGHIjklMNOpqrSTUv","name":"Bash"}',
      "commit 0123456789abcdef0123456789abcdef01234567",
      "const token = getToken(); const password = readPassword();",
      "ANTHROPIC_API_KEY=$MY_KEY PATH=/usr/bin:/bin TERM=xterm-256color",
      "password: ",
      "task-runner risk-free disk-usage: 81 % ask-me",
      "https://example.org:8080/a?b=c",
      "Esc to interrupt · 12.3k tokens · ctrl+t to show todos",
    ];
    expect(texts.map(redact)).toEqual(texts);
  });

  it("keeps the length of any text, and finds every secret in a mixed text", () => {
    const anything = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...SURROUNDINGS, "\u001b[1m"));
    const parts = fc.array(fc.oneof(anything, fc.constantFrom(...CANARIES)), { maxLength: 12 });
    fc.assert(
      fc.property(parts, (given) => {
        const clean = redact(given.join(" \n"));
        expect(clean.length).toBe(given.join(" \n").length);
        expect(CANARIES.filter((canary) => canary.length > 40 && clean.includes(canary))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("RedactStream", () => {
  const canary = canaryOf("sk-ant-api03-", "word", 95);
  const throughIn = (pieces: readonly string[], flushes = false): string => {
    const stream = new RedactStream();
    const out = pieces.map((piece) => stream.push(piece) + (flushes ? stream.flush() : ""));
    return out.join("") + stream.flush();
  };

  it("finds a secret at any split of the output", () => {
    const text = `before\r\n\u001b[32mkey:\u001b[0m ${canary} after\r\nmore\r\n`;
    const clean = text.replace(canary, "*".repeat(canary.length));
    for (const size of [1, 7, 64, 1000]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      );
      expect(throughIn(pieces)).toBe(clean);
    }
  });

  it("redacts the rest of a secret whose beginning was already released", () => {
    const out = throughIn([`key ${canary.slice(0, 40)}`, canary.slice(40, 70), `${canary.slice(70)}\n`], true);
    expect(out).toBe(`key ${"*".repeat(canary.length)}\n`);
  });

  it("finds a secret across colours and keeps the colours", () => {
    const coloured = `\u001b[1m${canary.slice(0, 9)}\u001b[22m\u001b[2m${canary.slice(9)}\u001b[0m\n`;
    expect(throughIn([coloured])).toBe(
      `\u001b[1m${"*".repeat(9)}\u001b[22m\u001b[2m${"*".repeat(canary.length - 9)}\u001b[0m\n`,
    );
  });

  it("finds a secret that a program wraps at the edge of a box", () => {
    const out = throughIn([`│ ${canary.slice(0, 60)} │\r\n│ ${canary.slice(60)}  │\r\n│ 1 file read │\r\n`]);
    expect(out).toBe(`│ ${"*".repeat(60)} │\r\n│ ${"*".repeat(canary.length - 60)}  │\r\n│ 1 file read │\r\n`);
  });

  it("redacts a private key that arrives line by line", () => {
    const lines = [
      "-----BEGIN RSA PRIVATE KEY-----",
      ...Array<string>(60).fill(FILL.word.repeat(2)),
      "-----END RSA PRIVATE KEY-----",
    ];
    const out = throughIn(
      lines.map((line) => `${line}\r\n`),
      true,
    );
    expect(out).not.toContain(FILL.word.slice(0, 10));
    expect(out.split("\r\n").map((line) => line.length)).toEqual([...lines.map((line) => line.length), 0]);
  });

  it("changes only secrets and loses no output", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 60 })), fc.boolean(), (pieces, flushes) => {
        const out = throughIn(pieces, flushes);
        expect(out.length).toBe(pieces.join("").length);
        const given = pieces.join("").split("");
        expect(out.split("").filter((character, at) => character !== "*" && character !== given[at])).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
