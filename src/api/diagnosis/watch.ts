/**
 * Reads the pipelines at an interval, and hands what rules find in them to the loop, as incidents. In a fleet, one node does it
 * for the shared tasks.
 */
import type { Pipeline } from "../../diagnosis/pipeline.js";
import { findingsOf, findPipelineProblems } from "../../diagnosis/pipeline-problems.js";
import type { ServiceContext } from "../service/context.js";
import { hasContextCommand, readPipeline } from "./pipeline.js";

/** In the hub: the node that holds it watches the pipelines. */
const LOCK = { project: "", name: "rouse.pipeline" };
const MISSED_MAX = 3;

type WatchContext = Pick<ServiceContext, "config" | "hub" | "loop" | "log">;

export class PipelineWatch {
  readonly #context: WatchContext;
  #readAt = Number.NEGATIVE_INFINITY;
  #isReading = false;
  /** What could not be read, so that it is logged once. */
  #problem: string | null = null;

  constructor(context: WatchContext) {
    this.#context = context;
  }

  async tick(): Promise<void> {
    const { loop, config, hub } = this.#context;
    const now = loop.now();
    if (this.#isReading || now - this.#readAt < this.#intervalMs()) return;
    if (!hasContextCommand({ config }) && !hub.isUsed()) return;
    this.#isReading = true;
    this.#readAt = now;
    try {
      const pipeline = await this.#read();
      if (typeof pipeline === "string") this.#report(pipeline);
      else {
        this.#report(null);
        // A pipeline that another node watches has no problems here.
        const problems = pipeline === null ? [] : findPipelineProblems(pipeline, loop.now());
        loop.take({ kind: "pipeline", found: findingsOf(problems) });
      }
    } finally {
      this.#isReading = false;
    }
  }

  /** Null: another node watches it. Otherwise why it cannot be read: its problems stay as they are. */
  async #read(): Promise<Pipeline | string | null> {
    const { config, hub } = this.#context;
    if (hasContextCommand({ config })) return readPipeline(this.#context);
    try {
      const open = await hub.open();
      if (open.engine === "postgresql" && !(await this.#isOurs(open))) return null;
    } catch (error) {
      return `tasks: ${(error as Error).message}`;
    }
    return readPipeline(this.#context);
  }

  async #isOurs(hub: Awaited<ReturnType<ServiceContext["hub"]["open"]>>): Promise<boolean> {
    try {
      await hub.takeLock({ ...LOCK, holder: "rouse", leaseMs: MISSED_MAX * this.#intervalMs() });
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === "lock_held") return false;
      throw error;
    }
  }

  #intervalMs(): number {
    return this.#context.config.diagnosis.interval_minutes * 60_000;
  }

  #report(problem: string | null): void {
    if (problem !== null && problem !== this.#problem) this.#context.log(`pipeline: ${problem}`);
    this.#problem = problem;
  }
}
