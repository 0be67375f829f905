import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { policyReference } from "./policy-reference.js";
import { configReference } from "./reference.js";

it("docs/configuration.md matches the output of `npm run docs:config`", () => {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  expect(page).toBe(configReference());
});

it("docs/acting.md has the keys of a policy as `npm run docs:config` writes them", () => {
  const page = readFileSync(new URL("../../docs/acting.md", import.meta.url), "utf8");
  expect(page).toContain(
    `<!-- keys: written by npm run docs:config -->\n\n${policyReference()}\n<!-- end of the keys -->\n`,
  );
});
