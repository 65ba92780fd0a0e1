// The agent of the demonstration: it works from the prompt alone, as any agent the CLI hands off to must.
// It opens what the prompt names and edits what the findings name; it is never told where the defect is.
import { readFileSync, writeFileSync } from "node:fs"
import { relative, resolve, sep } from "node:path"

/** The file a continuation line of a prompt names. @param {string} prompt @param {string} label */
const named = (prompt, label) => {
  const match = new RegExp(`^ {4}${label}: (/.+)$`, "m").exec(prompt)
  if (match?.[1] === undefined) throw new Error(`the prompt names no ${label} file`)
  return match[1]
}

/** Every `path:line` in the findings that is a file of the project. @param {string} findings @param {string} project */
const places = (findings, project) =>
  [...findings.matchAll(/([\w./-]+\.\w+):(\d+)/g)].flatMap(([, path = "", line]) => {
    const file = resolve(project, path)
    return file.startsWith(project + sep) ? [{ file, line: Number(line) }] : []
  })

/**
 * Reads the findings the prompt names and corrects the loop at the first place that still has one too many.
 * @param {string} prompt @param {string} project
 * @returns {{ readonly findings: string, readonly place: string, readonly before: string, readonly after: string }}
 */
export const addressFindings = (prompt, project) => {
  const findings = named(prompt, "Findings")
  for (const { file, line } of places(readFileSync(findings, "utf8"), project)) {
    const lines = readFileSync(file, "utf8").split("\n")
    const before = lines[line - 1] ?? ""
    const after = before.replace(/<=(\s*[\w.]+\.length)/, "<$1")
    if (after === before) continue
    lines[line - 1] = after
    writeFileSync(file, lines.join("\n"))
    return { findings, place: `${relative(project, file)}:${line}`, before: before.trim(), after: after.trim() }
  }
  throw new Error(`no place in ${findings} could be corrected`)
}

/** The retrospective: reads the history the prompt names; one defect is no pattern.
 * @param {string} prompt @returns {{ readonly history: string, readonly patterns: ReadonlyArray<string> }} */
export const lookForPatterns = (prompt) => {
  const history = named(prompt, "History")
  readFileSync(history)
  return { history, patterns: [] }
}
