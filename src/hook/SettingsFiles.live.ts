// SettingsFiles.live: settings files of this machine.
import * as fs from "node:fs"
import { join, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { variable } from "../platform/Environment.ts"
import { SettingsFailed, settingsFailed, SettingsFiles, type SettingsRef } from "./SettingsFiles.ts"
import { systemFault } from "../platform/SystemError.ts"
import { systemFaultText } from "../platform/SystemFault.ts"
import { linkTarget, replaceFile } from "../run/SmallFile.live.ts"

// Settings files of this machine.
// Links and modes stay: people keep such files in repositories of their own.

const most = 1024 * 1024

const attempt = <A>(path: string, run: () => A): Effect.Effect<A, SettingsFailed> =>
  Effect.try({
    try: run,
    catch: (error) =>
      error instanceof SettingsFailed
        ? error
        : settingsFailed(path, `${systemFaultText(systemFault(error))} [fix that, and call again]`)
  })

/** Reads a whole file, or null if it is missing. Throws what is wrong with it. */
const textAt = (path: string): string | null => {
  const stat = fs.statSync(path, { throwIfNoEntry: false })
  // A dangling link is neither followed nor replaced.
  if (stat === undefined && fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return null
  if (stat?.isFile() !== true) throw settingsFailed(path, "it is not a regular file [move it away]")
  if (stat.size > most) throw settingsFailed(path, `it is larger than ${most} bytes [look what is in it]`)
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(path))
  } catch (error) {
    throw error instanceof TypeError ? settingsFailed(path, "it is not valid UTF-8 [save it as UTF-8]") : error
  }
}

const replace = (path: string, before: string, after: string): void => {
  if ((textAt(path) ?? "") !== before) throw settingsFailed(path, "it was changed meanwhile [call again]")
  const target = linkTarget(path)
  const mode = fs.statSync(target, { throwIfNoEntry: false })?.mode
  replaceFile(target, after, mode === undefined ? 0o600 : mode & 0o777)
}

/** The place of a scope's settings. Claude Code reads those of its start directory, and of no parent. */
const pathOf = Effect.fnUntraced(function*({ cwd, scope }: SettingsRef) {
  if (scope !== "user") return join(cwd, ".claude", scope === "local" ? "settings.local.json" : "settings.json")
  const [named, home] = [yield* variable("CLAUDE_CONFIG_DIR"), yield* variable("HOME")]
  if (named !== null) return resolve(cwd, named, "settings.json")
  return home === null
    ? yield* settingsFailed("~/.claude/settings.json", "cannot be found [set HOME or CLAUDE_CONFIG_DIR]")
    : resolve(cwd, home, ".claude", "settings.json")
})

export const layer = Layer.succeed(
  SettingsFiles,
  SettingsFiles.of({
    read: Effect.fn("SettingsFiles.read")(function*(of: SettingsRef) {
      const path = yield* pathOf(of)
      return { path, text: yield* attempt(path, () => textAt(path) ?? "") }
    }),
    replace: Effect.fn("SettingsFiles.replace")(function*(of: SettingsRef, before: string, after: string) {
      const path = yield* pathOf(of)
      return yield* attempt(path, () => replace(path, before, after))
    })
  })
)
