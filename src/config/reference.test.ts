import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { configReference } from "./reference.js";

it("docs/configuration.md matches the output of `npm run docs:config`", () => {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  expect(page).toBe(configReference());
});
