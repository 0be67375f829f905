/** The resume prompt of an agent, behind the activity guard. */
import { HUMAN_ONLY, problemOf } from "../../core/incidents/problem.js";
import { sanitize } from "../../core/text/sanitize.js";
import { holderOf } from "../../work/holder.js";
import { heldTasks } from "../../work/own-claim.js";
import { makeResumePrompt } from "../../work/prompts/resume.js";
import { TemplateError } from "../../work/prompts/template.js";
import { ApiError } from "../error.js";
import { ActivityService } from "./activity.js";
import { findAgent, type ServiceContext } from "./context.js";

export interface ResumePrompt {
  agent: string;
  prompt: string | null;
  reason: string;
}

export class PromptService {
  readonly #context: ServiceContext;
  readonly #activity: ActivityService;

  constructor(context: ServiceContext) {
    this.#context = context;
    this.#activity = new ActivityService(context);
  }

  async resume(name: string): Promise<ResumePrompt> {
    const { loop, tuning, paths } = this.#context;
    const { session, assessment } = findAgent(this.#context, name);
    const agent = sanitize(session.name, 80);
    const none = (reason: string): ResumePrompt => ({ agent, prompt: null, reason });
    const problem = problemOf(assessment);
    if (problem !== null && HUMAN_ONLY.has(problem)) return none(`${problem}: only you can resolve this`);
    const { resume, project } = tuning.configOf(session);
    if (resume.validate_activity) {
      const { guard } = this.#activity.get(session.id);
      if (!guard.send) return none(`activity guard: ${guard.reason}`);
    }
    const { state, cause, reasons } = loop.find(session.id)?.assessment ?? assessment;
    const reason = sanitize(reasons[0] ?? state, 300);
    const tasks = await this.#tasks(session.id);
    try {
      const input = { state, cause, reason, workspace: session.workspace, ...tasks };
      return { agent, prompt: makeResumePrompt(input, project, paths.config), reason };
    } catch (error) {
      throw error instanceof TemplateError ? new ApiError("refused", error.message) : error;
    }
  }

  /** The prompt is useful without the hub too. */
  async #tasks(session: string): Promise<{ task: string | null; nextTask: string | null }> {
    const { hub, loop } = this.#context;
    if (!hub.isUsed()) return { task: null, nextTask: null };
    try {
      const store = await hub.open();
      const [held] = await heldTasks(store, hub.node, session, (claim) => holderOf(loop, claim));
      const next = held ? null : await store.next();
      const left = held?.steps.flatMap((step, index) =>
        held.completedSteps.includes(index + 1) ? [] : [`${index + 1}. ${step}`],
      );
      return {
        task: held ? `${held.id}: ${held.title}${left?.[0] ? `; next step ${left[0]}` : ""}` : null,
        nextTask: next ? `${next.id}: ${next.title}; claim it with \`rouse task claim ${next.id}\`` : null,
      };
    } catch {
      return { task: null, nextTask: null };
    }
  }
}
