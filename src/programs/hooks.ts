/** Hooks of a program: the place of its settings, and how rouse's hooks are added and removed. */
import type { Absent, LazyLoad } from "./part.js";

export interface HookPart {
  /** The folder of the settings. */
  readonly folder: (env: Environment, home: string) => string;
  readonly file: string;
  readonly load: LazyLoad<HookCode>;
  /** Hooks that post to the daemon instead of starting a process. */
  readonly http: HttpHookPart | Absent;
  /** A plugin that has the hooks, instead of the settings. */
  readonly plugin: PluginPart | Absent;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface HookCode {
  readonly edit: (text: string, options: HookOptions) => EditResult;
  /** The state of the plugin in the settings. */
  readonly pluginState: (settings: string) => PluginState;
}

export interface HookOptions {
  /** The command that starts rouse: `["rouse"]`, or the path of its program. */
  command: readonly string[];
  /** The folder of the plugin that has the hooks, instead of the settings. */
  plugin?: string | undefined;
  /** The URL that the program posts to, if it can, instead of starting `rouse hook`. */
  http?: HttpTarget | undefined;
  remove?: boolean;
}

export interface HttpTarget {
  port: number;
  key: string;
}

/** The edited settings, or why they cannot be edited. */
export type EditResult = { ok: true; text: string } | { ok: false; error: string };

export interface HttpHookPart {
  /** Effect on the program while the daemon is down. */
  readonly whenDown: string;
  /** Notes for the user about hooks that post; `settings` are those before the edit. */
  readonly notes: (settings: string, port: number) => string[];
}

/** `foreign`: enabled, but installed in another way. */
export type PluginState = "none" | "on" | "off" | "foreign";

export interface PluginPart {
  /** Name of its folder inside rouse's: an installation with this name is ours. */
  readonly folder: string;
  /** Its files, as shipped. */
  readonly files: readonly string[];
  /** The first release of the program that it was tested with. */
  readonly since: string;
}
