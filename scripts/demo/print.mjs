// What the demonstration prints: each step's argv, exit code, resolution line and header, and what the agent did.
// Plain lines without colour, so that a log of it reads like the screen.
import { headerOf } from "./recipe.mjs"

/** @param {string} text */
const quoted = (text) => (/^[\w./=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** @param {string} text */
export const say = (text) => void process.stdout.write(`${text}\n`)

/** @param {import("./recipe.mjs").Step} step @param {string} level the levels that the model saw, or nothing
 * @param {number} ms */
export const printStep = ({ argv, exit, stderr, stdout }, level, ms) => {
  const seen = level === "" ? "" : `, reviewed at ${level}`
  say(`\n$ ooda-codex-review ${argv.map(quoted).join(" ")}`)
  say(`  exit ${exit} (${(ms / 1000).toFixed(1)} s${seen})`)
  if (stdout !== "") say(`  stdout: ${stdout.trimEnd()}`)
  say(`  stderr: ${headerOf(stderr)}`)
}
