// The error of a settings file in words: every reason has its message and its remedy, behind the file.
import { assert, it } from "vitest"
import { SettingsFailed, type SettingsReason } from "../../../src/hook/SettingsFiles.ts"

const reasons: ReadonlyArray<readonly [SettingsReason, string]> = [
  [{ _tag: "NoPlainFile" }, "it is not a regular file [move it away]"],
  [{ _tag: "TooLarge", most: 7 }, "it is larger than 7 bytes [see what it holds]"],
  [{ _tag: "NoText" }, "it is no UTF-8 [save it as UTF-8]"],
  [
    { _tag: "Malformed", problem: "malformed JSON on line 3" },
    "malformed JSON on line 3, so nothing was changed [correct it; Claude Code reads nothing of it either]"
  ],
  [{ _tag: "Changed" }, "somebody has changed it meanwhile [call again]"],
  [{ _tag: "NoHome" }, "nobody knows where it is [set HOME or CLAUDE_CONFIG_DIR]"],
  [
    { _tag: "SystemRefused", code: "EROFS", call: "open", said: "x" },
    "the file system is read-only (EROFS: open) [see to it, and call again]"
  ]
]

it.each(reasons)(
  "$_tag has its message",
  (reason, text) =>
    assert.strictEqual(new SettingsFailed({ path: "/h/settings.json", reason }).message, `/h/settings.json: ${text}`)
)
