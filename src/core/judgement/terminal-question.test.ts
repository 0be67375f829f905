import { describe, expect, it } from "vitest";
import { askingOf, questionInOutput } from "./terminal-question.js";

describe("a row that a command printed", () => {
  it.each([
    "Password:",
    "Password for 'https://dev@git.example.com': ",
    "Username for 'https://git.example.com': ",
    "[sudo] password for dev:",
    "dev@10.0.0.7's password:",
    "Enter passphrase for key '/home/dev/.ssh/id_ed25519': ",
    "Enter your verification code:",
    "login:",
    "Do you want to continue? [Y/n] ",
    "Overwrite build/app.js? [y/N]",
    "Proceed ([y]/n)? ",
    "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
    "Remove 3 packages? (yes/no)",
    "Press ENTER to continue...",
    "Press any key to continue",
  ])("asks: %s", (row) => expect(askingOf(row)).toBe("sure"));

  it.each(["package name: (project)", "version: (1.0.0)", "? Select a framework: ›", "? Which port? (3000)"])(
    "probably asks: %s",
    (row) => expect(askingOf(row)).toBe("likely"),
  );

  it.each([
    "",
    "Running tests:",
    "Testing the login form:",
    "Invalid user name or password",
    "  ✓ asks for a password (12 ms)",
    "error: password: must not be empty",
    "Did you mean 'foo'?",
    "Use [y/N] to confirm, as the manual explains in the next chapter.",
    "Press ^C at any time to quit.",
    "press h to show help, press q to quit",
    "Tests: 12 passed (12)",
    "https://example.com/?a=b:",
    `Password${"x".repeat(400)}:`,
  ])("does not ask: %s", (row) => expect(askingOf(row)).toBeNull());

  it("counts only as the last line of the output", () => {
    expect(questionInOutput("Cloning …\r\nUsername for 'https://x': ")).toBe("Username for 'https://x':");
    expect(questionInOutput("Username for 'https://x': dev\nremote: counting objects")).toBeNull();
  });
});
