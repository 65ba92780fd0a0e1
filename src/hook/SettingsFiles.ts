// SettingsFiles: the port to settings files of another program or of people.
// A file is replaced whole, and only while it holds what was read.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { Scope } from "./Settings.ts"
import { brief } from "../text/Untrusted.ts"

/** A settings file cannot be read or replaced. */
export class SettingsFailed extends Schema.TaggedError<SettingsFailed>()("SettingsFailed", {
  path: Schema.String,
  message: Schema.String
}) {
  readonly exitCode = exits.couldNot
}

/** The file at `path`, what is wrong with it, and what to do. */
export const settingsFailed = (path: string, problem: string): SettingsFailed =>
  new SettingsFailed({ path, message: `${brief(path, 300)}: ${problem}` })

/** The settings of a scope, for a session that begins in `cwd`. */
export interface SettingsRef {
  readonly scope: Scope
  readonly cwd: string
}

/** The contents: the text, empty for a missing file, and its path for people. */
interface SettingsText {
  readonly path: string
  readonly text: string
}

export class SettingsFiles extends Context.Service<SettingsFiles, {
  /** Reads a file, links followed. */
  readonly read: (of: SettingsRef) => Effect.Effect<SettingsText, SettingsFailed>
  /** Replaces a file that holds `before`, or creates it. Its mode stays, and links to it keep working. */
  readonly replace: (of: SettingsRef, before: string, after: string) => Effect.Effect<void, SettingsFailed>
}>()("ooda-codex-review/services/SettingsFiles") {}
