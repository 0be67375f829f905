import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { planReference, policyReference } from "./policy-reference.js";
import { configReference } from "./reference.js";

it("docs/configuration.md matches the output of `npm run docs:config`", () => {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  expect(page).toBe(configReference());
});

it.each([
  ["plans", planReference],
  ["keys", policyReference],
])("docs/acting.md has the %s of a policy as `npm run docs:config` writes them", (name, write) => {
  const page = readFileSync(new URL("../../docs/acting.md", import.meta.url), "utf8");
  expect(page).toContain(
    `<!-- ${name}: written by npm run docs:config -->\n\n${write()}\n<!-- end of the ${name} -->\n`,
  );
});
