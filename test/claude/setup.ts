// Runs once before the suite: Claude Code is there at the pinned version, installed if need be.
// A missing piece ends the run with its name; nothing here is skipped silently.
import { pinnedClaude } from "./install.mjs"
import { ROOT } from "./support.ts"

export const setup = (): void => {
  const { installed, version } = pinnedClaude(ROOT)
  process.stdout.write(`Claude Code ${version}${installed ? ", installed now" : ""}\n`)
}
