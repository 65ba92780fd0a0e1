// Runs once before the suite: the Codex CLI is there at the pinned version, installed if need be.
// A missing piece ends the run with its name; nothing here is skipped silently.
import { pinnedCodex } from "./install.mjs"
import { ROOT } from "./support.ts"

export const setup = (): void => {
  const { installed, version } = pinnedCodex(ROOT)
  process.stdout.write(`Codex CLI ${version}${installed ? ", installed now" : ""}\n`)
}
