/** The diagnosis over a real loop, journal and hub, with a stand-in model program as `claude`, under a clock that the test moves. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { ServiceContext } from "../../src/api/service/context.js";
import { DiagnosisService } from "../../src/api/service/diagnosis.js";
import { IncidentService } from "../../src/api/service/incidents.js";
import { type Config, toConfig } from "../../src/config/keys.js";
import { rousePaths } from "../../src/config/paths.js";
import type { Hub } from "../../src/hub/hub.js";
import { NodeHub } from "../../src/work/node-hub.js";
import { NotifyingLoop } from "./notifier.js";

const STAND_IN = join(import.meta.dirname, "../stand-ins/model.mjs");

type Settings = Config["diagnosis"];

export class DiagnosisRig {
  readonly test = new NotifyingLoop();
  readonly logged: string[] = [];
  readonly config: { diagnosis: { -readonly [Key in keyof Settings]: Settings[Key] } };
  diagnosis!: DiagnosisService;
  incidents!: IncidentService;
  readonly #folder: string = mkdtempSync(join(tmpdir(), "rouse-diagnosis-"));
  readonly #nodeHub: NodeHub;
  readonly #path: string | undefined = process.env.PATH;

  constructor(settings: Partial<Settings> = {}) {
    const bin = join(this.#folder, "bin");
    mkdirSync(bin);
    chmodSync(STAND_IN, 0o755);
    symlinkSync(STAND_IN, join(bin, "claude"));
    process.env.PATH = `${bin}${delimiter}${this.#path ?? ""}`;
    process.env.MODEL_NOTES = join(this.#folder, "notes");
    const environment = ["MODEL_PLAYS", "MODEL_NOTES", "MODEL_ANSWER"];
    this.config = { diagnosis: { ...toConfig(new Map()).diagnosis, environment, ...settings } };
    this.#nodeHub = new NodeHub({
      state: this.#folder,
      node: "lab",
      instance: "i",
      version: "1",
      now: () => this.test.loop.now(),
    });
    this.#open();
  }

  /** As after a kill of the daemon. */
  restart(): void {
    this.diagnosis.close();
    this.test.restart();
    this.#open();
  }

  #open(): void {
    const { loop, journal } = this.test;
    const paths = rousePaths({ HOME: this.#folder, XDG_RUNTIME_DIR: this.#folder, XDG_STATE_HOME: this.#folder });
    const log = (line: string): void => void this.logged.push(line);
    const tuning = { learn: () => {} };
    const context = { loop, journal, hub: this.#nodeHub, config: this.config, paths, log, tuning };
    this.diagnosis = new DiagnosisService(context as unknown as ServiceContext);
    this.incidents = new IncidentService(context as unknown as ServiceContext);
    // As `openApi` does.
    loop.subscribe((event) => {
      if (event.kind === "incidents") this.diagnosis.follow(event.changes);
    });
  }

  hub(): Promise<Hub> {
    return this.#nodeHub.open();
  }

  /** What the model program does; `answer` is what the play `answers` prints. */
  plays(play: string, answer: unknown = null): void {
    process.env.MODEL_PLAYS = play;
    process.env.MODEL_ANSWER = JSON.stringify(answer);
  }

  /** Runs of the model program so far: its input, its arguments, its environment. */
  runs(): { input: string; args: string[]; pid: number }[] {
    try {
      const lines = readFileSync(process.env.MODEL_NOTES ?? "", "utf8")
        .trim()
        .split("\n");
      return lines.map((line) => JSON.parse(line) as { input: string; args: string[]; pid: number });
    } catch {
      return [];
    }
  }

  /** Awake time, with the daemon's tick of the diagnosis at the end. */
  async pass(seconds: number): Promise<void> {
    await this.test.wait(seconds);
    await this.diagnosis.tick();
    await this.test.wait(1);
  }

  async close(): Promise<void> {
    this.diagnosis.close();
    await this.#nodeHub.close();
    this.test.close();
    process.env.PATH = this.#path;
    for (const name of ["MODEL_PLAYS", "MODEL_NOTES", "MODEL_ANSWER"]) delete process.env[name];
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
