import { describe, expect, it } from "vitest";
import { configuredAccount } from "./accounts.js";

const ACCOUNTS = {
  agents: ["web=team", "a=b = c", " docs = own ", "none=", "=x", "word"],
  tags: ["night=private", "day=team"],
};
const of = (name: string, ...tags: string[]): string | null => configuredAccount(ACCOUNTS, { name, tags });

describe("a configured account", () => {
  it("is the account of the agent, else the account of one of its tags, else none", () => {
    expect([of("web"), of("web", "night"), of("other", "night"), of("other", "x", "day"), of("other")]).toEqual([
      "team",
      "team",
      "private",
      "team",
      null,
    ]);
  });

  it("may contain spaces and punctuation, and is ignored if it is empty", () => {
    expect([of("docs"), of("a"), of("none"), of(""), of("word")]).toEqual(["own", "b = c", null, null, null]);
  });
});
