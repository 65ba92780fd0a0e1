// goldenPrompt: the stored rendering of a prompt, which changes on purpose only.
import * as fs from "node:fs"

/** The stored text of that name in fixtures/prompts. UPDATE_GOLDEN=1 writes `text` first; its diff is read. */
export const goldenPrompt = (name: string, text: string): string => {
  const file = new URL(`../../../fixtures/prompts/${name}.txt`, import.meta.url)
  if (process.env["UPDATE_GOLDEN"] !== undefined) fs.writeFileSync(file, text)
  return fs.readFileSync(file, "utf8")
}
