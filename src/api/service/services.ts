/** The services behind the table of operations: one per noun. They do not depend on the interface. */
import { AccessService } from "./access.js";
import { ActivityService } from "./activity.js";
import { AgentService } from "./agents.js";
import { AlertService } from "./alerts.js";
import { AuditService } from "./audit.js";
import type { ServiceContext } from "./context.js";
import { DaemonService } from "./daemon.js";
import { DiagnosisService } from "./diagnosis.js";
import { FleetService } from "./fleet.js";
import { HistoryService } from "./history.js";
import { IncidentService } from "./incidents.js";
import { MessageService } from "./messages.js";
import { PermissionService } from "./permissions.js";
import { PromptService } from "./prompts.js";
import { ReportService } from "./reports.js";
import { SilenceService } from "./silences.js";
import { StartService } from "./starts.js";
import { TaskService } from "./tasks.js";
import { TimerService } from "./timers.js";
import { WebService } from "./web.js";

export interface Services {
  access: AccessService;
  agents: AgentService;
  starts: StartService;
  activity: ActivityService;
  history: HistoryService;
  incidents: IncidentService;
  messages: MessageService;
  prompts: PromptService;
  reports: ReportService;
  alerts: AlertService;
  permissions: PermissionService;
  silences: SilenceService;
  tasks: TaskService;
  diagnosis: DiagnosisService;
  audit: AuditService;
  timers: TimerService;
  fleet: FleetService;
  daemon: DaemonService;
  web: WebService;
}

export const openServices = (context: ServiceContext): Services => ({
  access: new AccessService(context),
  agents: new AgentService(context),
  starts: new StartService(context),
  activity: new ActivityService(context),
  history: new HistoryService(context),
  incidents: new IncidentService(context),
  messages: new MessageService(context),
  prompts: new PromptService(context),
  reports: new ReportService(context),
  alerts: new AlertService(context),
  permissions: new PermissionService(context),
  silences: new SilenceService(context),
  tasks: new TaskService(context),
  diagnosis: new DiagnosisService(context),
  audit: new AuditService(context),
  timers: new TimerService(context),
  fleet: new FleetService(context),
  daemon: new DaemonService(context),
  web: new WebService(context),
});
