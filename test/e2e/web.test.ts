/** `rouse web` where no browser can be opened, or no port. The dashboard itself: test/web. */
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPort } from "../support/api.js";
import { closeHome, type Home, makeHome, rouse } from "../support/hosts.js";

const LINK = /^http:\/\/127\.0\.0\.1:(\d+)\/#login=\S+\n$/;

let home: Home;
let port: number;
const web = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  rouse({ ...home, env: { ...home.env, DISPLAY: "", WAYLAND_DISPLAY: "", ...env } }, ["web", ...args]);

beforeAll(async () => {
  home = makeHome("on");
  port = await openPort(home);
});
afterAll(async () => {
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

describe("rouse web", () => {
  it.skipIf(process.platform === "darwin").each([
    [{ BROWSER: "" }, "rouse: no browser found; open this link yourself"],
    [
      { BROWSER: "no-such-browser" },
      'rouse: no program called "no-such-browser" (the variable BROWSER); open this link yourself',
    ],
    [{ BROWSER: "false" }, "rouse: false failed (exit code 1); open this link yourself"],
  ])("prints the link if no browser opens: %j", async (env, first) => {
    const { status, stdout, stderr } = await web(env);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(LINK) });
    const [reason, hint] = stderr.split("\n");
    expect(reason).toBe(first);
    expect(hint).toContain(`ssh -L ${port}:127.0.0.1:${port} HOST`);
  });

  it("opens the link in the program of BROWSER and prints no link", async () => {
    expect(await web({ BROWSER: "true" })).toMatchObject({
      status: 0,
      stdout: "Opened the dashboard in your browser.\n",
      stderr: "",
    });
  });

  it("names the next commands if another program uses the port, and if it is off", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port: used } = taken.address() as { port: number };
    try {
      await rouse(home, ["down"]);
      expect(await web({ ROUSE_DAEMON_HTTP_PORT: String(used) })).toMatchObject({
        status: 1,
        stdout: "",
        stderr: expect.stringMatching(
          new RegExp(
            `^rouse: port ${used} of 127\\.0\\.0\\.1 is not open: another program uses it; .*\`rouse up\`\\n$`,
          ),
        ),
      });
      await rouse(home, ["down"]);
      expect(await web({ ROUSE_DAEMON_HTTP_PORT: "0" })).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("the HTTP port is off (daemon.http_port = 0); set a port, then `rouse down`"),
      });
    } finally {
      taken.close();
    }
  });
});
