// SettingsFiles: the port to settings files that belong to another program and to people.
// A file is replaced whole, and only while it holds what was read.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { Scope } from "./Settings.ts"
import { brief } from "../text/Untrusted.ts"
import { SystemFault, systemFaultText } from "../platform/SystemFault.ts"

const Reason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("NoPlainFile", {}),
  Schema.TaggedStruct("TooLarge", { most: Schema.Int }),
  Schema.TaggedStruct("NoText", {}),
  Schema.TaggedStruct("Malformed", { problem: Schema.String }),
  Schema.TaggedStruct("Changed", {}),
  Schema.TaggedStruct("NoHome", {})
])

/** Why a settings file could not be read or replaced. */
export type SettingsReason = typeof Reason.Type

const text = (reason: SettingsReason): string => {
  switch (reason._tag) {
    case "NoPlainFile":
      return "it is not a regular file [move it away]"
    case "TooLarge":
      return `it is larger than ${reason.most} bytes [see what it holds]`
    case "NoText":
      return "it is no UTF-8 [save it as UTF-8]"
    case "Malformed":
      return `${reason.problem}, so nothing was changed [correct it; Claude Code reads nothing of it either]`
    case "Changed":
      return "somebody has changed it meanwhile [call again]"
    case "NoHome":
      return "nobody knows where it is [set HOME or CLAUDE_CONFIG_DIR]"
    default:
      return `${systemFaultText(reason)} [see to it, and call again]`
  }
}

/** A settings file cannot be read or replaced. */
export class SettingsFailed extends Schema.TaggedError<SettingsFailed>()("SettingsFailed", {
  path: Schema.String,
  reason: Reason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${brief(this.path, 300)}: ${text(this.reason)}`
  }
}

/** The settings of a scope, for a session that begins in `cwd`. */
export interface SettingsRef {
  readonly scope: Scope
  readonly cwd: string
}

/** What is there: the text, empty where there is no file, and where that is, for people. */
interface SettingsText {
  readonly path: string
  readonly text: string
}

export class SettingsFiles extends Context.Service<SettingsFiles, {
  /** Reads a file, links followed. */
  readonly read: (of: SettingsRef) => Effect.Effect<SettingsText, SettingsFailed>
  /** Replaces a file that holds `before`, or makes it. Its rights and the links that lead to it stay. */
  readonly replace: (of: SettingsRef, before: string, after: string) => Effect.Effect<void, SettingsFailed>
}>()("ooda-codex-review/services/SettingsFiles") {}
