// FailedReport: an agent's own report that it could not do its task. Its first line begins with `FAILED:`.

/** The report in its parts. A part that is not there is empty. */
export interface FailedReport {
  readonly summary: string
  readonly requirements: string
  readonly problems: string
  readonly solutions: string
}

type Section = "requirements" | "problems" | "solutions"

const headings: ReadonlyArray<readonly [Section, RegExp]> = [
  ["requirements", /^(?:requirements|goals)$/i],
  ["problems", /^(?:problems|issues|conflicts|constraints)$/i],
  ["solutions", /^(?:(?:possible|potential) solutions|next steps|recommendations)$/i]
]

const longestHeading = 60

const sectionOf = (line: string): Section | null => {
  const text = line.trim()
  if (text.length > longestHeading) return null
  const name = text.replace(/^#{1,2}(?!#)\s*|\s*#+$/g, "").replace(/[*_]/g, "").replace(/\s*:$/, "").trim()
  return headings.find(([, pattern]) => pattern.test(name))?.[0] ?? null
}

/**
 * Reads a report. Its first line that is not blank begins with `FAILED:`, in capitals and with nothing before it;
 * `FAILED:` anywhere else is another program's output. Null for every other message. Where nothing stands under a
 * heading of problems, all the text behind the first line is the problem.
 */
export const parseFailedReport = (text: string): FailedReport | null => {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|[\n\r]/)
  const start = lines.findIndex((line) => line.trim() !== "")
  const first = lines[start]
  if (first === undefined || !first.startsWith("FAILED:")) return null
  const rest = lines.slice(start + 1)
  const parts: Record<Section | "before", Array<string>> = { before: [], requirements: [], problems: [], solutions: [] }
  let section: Section | "before" = "before"
  for (const line of rest) {
    const next = sectionOf(line)
    if (next === null) parts[section].push(line)
    else section = next
  }
  const of = (part: ReadonlyArray<string>) => part.join("\n").trim()
  return {
    summary: first.slice("FAILED:".length).trim(),
    requirements: of(parts.requirements),
    problems: of(parts.problems) || of(rest),
    solutions: of(parts.solutions)
  }
}
